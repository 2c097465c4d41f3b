//! The eleven criteria by name, what to do where one is low, and their weights.

use std::ops::{Index, IndexMut};

use serde::Serialize;

/// A criterion of Pro++.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// OCC: threads the device holds of this kernel, by those it could hold.
    Occupancy,
    /// HSync: time in kernels, by the time of the whole.
    HostSync,
    /// DSync: what barriers of blocks leave.
    DeviceSync,
    /// TDiv: lanes that take part in an instruction, of 32.
    Divergence,
    /// LB_W: warps on a busy multiprocessor, by those that fit.
    WarpBalance,
    /// LB_SM: mean by greatest time of the multiprocessors.
    ProcessorBalance,
    /// Gran_L1: bytes that accesses of warps ask for, by 128 bytes each.
    GranularityL1,
    /// Gran_L2: bytes asked for, by the bytes of sectors of 32 bytes moved.
    GranularityL2,
    /// SMem_eff: accesses to shared memory without conflicts, by those with.
    SharedEfficiency,
    /// CI: use of arithmetic and load-store units.
    Intensity,
    /// DT: bytes that were not copied while the device waited.
    Transfer,
}

impl Criterion {
    /// All of them, in the order of the source.
    pub const ALL: [Criterion; 11] = [
        Criterion::Occupancy,
        Criterion::HostSync,
        Criterion::DeviceSync,
        Criterion::Divergence,
        Criterion::WarpBalance,
        Criterion::ProcessorBalance,
        Criterion::GranularityL1,
        Criterion::GranularityL2,
        Criterion::SharedEfficiency,
        Criterion::Intensity,
        Criterion::Transfer,
    ];

    /// The short name of the source, such as `LB_SM`.
    pub fn symbol(self) -> &'static str {
        match self {
            Criterion::Occupancy => "OCC",
            Criterion::HostSync => "HSync",
            Criterion::DeviceSync => "DSync",
            Criterion::Divergence => "TDiv",
            Criterion::WarpBalance => "LB_W",
            Criterion::ProcessorBalance => "LB_SM",
            Criterion::GranularityL1 => "Gran_L1",
            Criterion::GranularityL2 => "Gran_L2",
            Criterion::SharedEfficiency => "SMem_eff",
            Criterion::Intensity => "CI",
            Criterion::Transfer => "DT",
        }
    }

    /// What it says, for a person who has never seen a profiler.
    pub fn words(self) -> &'static str {
        match self {
            Criterion::Occupancy => "threads resident on the device",
            Criterion::HostSync => "time in kernels, not between them",
            Criterion::DeviceSync => "time not lost at barriers of blocks",
            Criterion::Divergence => "lanes at work in an instruction",
            Criterion::WarpBalance => "warps at work on a multiprocessor",
            Criterion::ProcessorBalance => "multiprocessors busy to the end",
            Criterion::GranularityL1 => "bytes asked for per access, of 128",
            Criterion::GranularityL2 => "bytes used of 32-byte sectors",
            Criterion::SharedEfficiency => "shared memory without bank conflicts",
            Criterion::Intensity => "arithmetic and load-store units in use",
            Criterion::Transfer => "bytes not copied while waiting",
        }
    }

    /// What helps where it is low.
    pub fn advice(self) -> &'static str {
        match self {
            Criterion::Occupancy => "use fewer registers or less shared memory per block, or launch more threads",
            Criterion::HostSync => {
                "launch fewer, longer kernels: fuse loops (loop=fused or loop=device-graph), copy less often"
            }
            Criterion::DeviceSync => "use fewer barriers per block: work by warps, give each thread more elements",
            Criterion::Divergence => {
                "let neighbouring lanes do the same: a load balancing by edges, or groups of lanes (vw) near the \
                 mean degree"
            }
            Criterion::WarpBalance => "give warps equal work: a load balancing that divides edges, or smaller blocks",
            Criterion::ProcessorBalance => {
                "divide the work more evenly over the whole grid: etwc, merge-path or multi-phase"
            }
            Criterion::GranularityL1 => {
                "let all lanes of a warp take part in an access, and read wider: vectors of 8 or 16 bytes"
            }
            Criterion::GranularityL2 => {
                "let neighbouring lanes read neighbouring memory: edges side by side, vertices ordered by locality"
            }
            Criterion::SharedEfficiency => "pad or rotate arrays in shared memory so that lanes meet different banks",
            Criterion::Intensity => "give each thread more independent work, so that units do not wait for memory",
            Criterion::Transfer => "copy less, or copy while kernels run",
        }
    }

    fn at(self) -> usize {
        self as usize
    }
}

/// A number per criterion that says how much it counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Weights([f64; 11]);

/// Sum of the published weights; fitted ones are scaled to it.
pub const WEIGHT_SUM: f64 = 585.0;

impl Weights {
    /// The weights printed in the thesis (section 12.4), fitted there to a GTX 780.
    pub fn published() -> Weights {
        Weights([30.0, 40.0, 15.0, 40.0, 50.0, 30.0, 100.0, 100.0, 30.0, 100.0, 50.0])
    }

    /// Weights in the order of [`Criterion::ALL`], scaled to the sum of the published ones. Negative ones count as 0.
    pub fn scaled(weights: [f64; 11]) -> Weights {
        let positive = weights.map(|w| if w > 0.0 { w } else { 0.0 });
        let sum: f64 = positive.iter().sum();
        Weights(if sum > 0.0 { positive.map(|w| w * WEIGHT_SUM / sum) } else { positive })
    }
}

impl Index<Criterion> for Weights {
    type Output = f64;
    fn index(&self, criterion: Criterion) -> &f64 {
        &self.0[criterion.at()]
    }
}

impl IndexMut<Criterion> for Weights {
    fn index_mut(&mut self, criterion: Criterion) -> &mut f64 {
        &mut self.0[criterion.at()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_stand_at_their_criteria() {
        let weights = Weights::published();
        assert_eq!(Criterion::ALL.iter().map(|&c| weights[c]).sum::<f64>(), WEIGHT_SUM);
        assert_eq!((weights[Criterion::DeviceSync], weights[Criterion::Intensity]), (15.0, 100.0));
        assert!(Criterion::ALL.iter().enumerate().all(|(at, c)| c.at() == at));
    }

    #[test]
    fn scaled_weights_have_the_sum_of_the_published_ones() {
        let mut raw = [0.0; 11];
        (raw[0], raw[3], raw[4]) = (1.0, 3.0, -7.0);
        let weights = Weights::scaled(raw);
        assert_eq!(weights[Criterion::Occupancy], WEIGHT_SUM / 4.0);
        assert_eq!(weights[Criterion::WarpBalance], 0.0);
        assert_eq!(Weights::scaled([0.0; 11])[Criterion::Occupancy], 0.0);
    }
}
