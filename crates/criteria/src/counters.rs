//! What is known of a kernel that ran: the inputs of all criteria (table 12.1 of the thesis).

use serde::Serialize;

/// Lanes of a warp.
pub const WARP: u32 = 32;

/// Properties of a device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Device {
    /// Number of multiprocessors.
    pub processors: u32,
    /// Threads that a multiprocessor can hold.
    pub threads_per_processor: u32,
    /// Blocks that a multiprocessor can hold.
    pub blocks_per_processor: u32,
    /// Registers of a multiprocessor.
    pub registers_per_processor: u32,
    /// Registers are given to warps in multiples of this.
    pub register_granularity: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_per_processor: u64,
    /// Bytes of shared memory that the driver takes per block.
    pub shared_reserved: u64,
}

impl Device {
    /// An NVIDIA H200, as `ncu` describes it.
    pub fn h200() -> Device {
        Device {
            processors: 132,
            threads_per_processor: 2048,
            blocks_per_processor: 32,
            registers_per_processor: 65_536,
            register_granularity: 256,
            shared_per_processor: 233_472,
            shared_reserved: 1024,
        }
    }

    /// Warps that a multiprocessor can hold.
    pub fn warps_per_processor(&self) -> u32 {
        self.threads_per_processor / WARP
    }
}

/// How a kernel was launched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Launch {
    /// Threads of a block.
    pub block: u32,
    /// Number of blocks.
    pub grid: u64,
    /// Bytes of shared memory asked for at the launch.
    pub dynamic_shared: u64,
}

impl Launch {
    /// Threads of a block with those that fill its last warp.
    pub fn whole_block(&self) -> u32 {
        self.block.checked_next_multiple_of(WARP).unwrap_or(u32::MAX / WARP * WARP)
    }
}

/// What the compiler made of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compiled {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of shared memory declared in the kernel.
    pub static_shared: u64,
}

/// What a profiler, or code in the kernel itself, counted. All of it may be missing.
///
/// Without a profiler a kernel can fill in `active_cycles_mean` and `active_cycles_max` from clock stamps per
/// multiprocessor and `lanes_per_instruction` from the population counts of ballots: the software criteria.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Events {
    /// Duration of the kernel in seconds.
    pub seconds: Option<f64>,
    /// Cycles in which a multiprocessor had a warp: mean over the multiprocessors.
    pub active_cycles_mean: Option<f64>,
    /// The same: greatest.
    pub active_cycles_max: Option<f64>,
    /// Cycles from the beginning to the end of the kernel.
    pub elapsed_cycles: Option<f64>,
    /// Warps on a multiprocessor in a cycle in which it had one: mean.
    pub warps_per_active_cycle: Option<f64>,
    /// Share of the cycles of resident warps that were spent waiting at a barrier of the block, 0 to 1.
    pub barrier_stalls: Option<f64>,
    /// Lanes that took part in an instruction of a warp: mean, 1 to 32.
    pub lanes_per_instruction: Option<f64>,
    /// Bytes that threads asked for in global memory.
    pub useful_bytes: Option<f64>,
    /// Accesses of warps to the first-level cache; each can bring a line of 128 bytes.
    pub l1_requests: Option<f64>,
    /// Sectors of 32 bytes that the first-level caches asked the second-level cache for.
    pub l2_sectors: Option<f64>,
    /// Accesses of warps to shared memory had they no bank conflicts, by those that took place: 0 to 1.
    pub shared_ideal: Option<f64>,
    /// Accesses of warps to shared memory.
    pub shared_wavefronts: Option<f64>,
    /// Use of the arithmetic units, of their most, 0 to 1.
    pub arithmetic: Option<f64>,
    /// Use of the load-store units, of their most, 0 to 1.
    pub load_store: Option<f64>,
    /// Bytes between the device's memory and its second-level cache.
    pub dram_bytes: Option<f64>,
    /// Throughput of the device's memory, of its most, 0 to 1.
    pub dram_share: Option<f64>,
}

impl Events {
    /// The events behind the software criteria, which need no profiler: cycles from the first to the last clock stamp
    /// on each multiprocessor (by `%smid`), and how often a ballot in the kernel saw 0, 1, ... 32 lanes.
    pub fn from_stamps(active_cycles: &[f64], ballots: &[u64; 33]) -> Events {
        let busy: Vec<f64> = active_cycles.iter().copied().filter(|cycles| cycles.is_finite()).collect();
        let most = busy.iter().copied().fold(0.0, f64::max);
        let seen: u64 = ballots[1..].iter().sum();
        let lanes: f64 = (0u32..).zip(ballots).map(|(lanes, &times)| f64::from(lanes) * times as f64).sum();
        Events {
            active_cycles_mean: (!busy.is_empty()).then(|| busy.iter().sum::<f64>() / busy.len() as f64),
            active_cycles_max: (!busy.is_empty()).then_some(most),
            lanes_per_instruction: (seen > 0).then(|| lanes / seen as f64),
            ..Events::default()
        }
    }
}

/// Everything known of one kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counters {
    /// The device it ran on.
    pub device: Device,
    /// Its launch.
    pub launch: Launch,
    /// Its resources.
    pub compiled: Compiled,
    /// What was counted.
    pub events: Events,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three multiprocessors of which one works twice as long; half of the ballots see all lanes, half see one.
    #[test]
    fn stamps_and_ballots_by_hand() {
        let mut ballots = [0; 33];
        (ballots[32], ballots[1]) = (10, 10);
        let events = Events::from_stamps(&[100.0, 200.0, 100.0], &ballots);
        assert_eq!((events.active_cycles_mean, events.active_cycles_max), (Some(400.0 / 3.0), Some(200.0)));
        assert_eq!(events.lanes_per_instruction, Some(16.5));
        assert_eq!(Events::from_stamps(&[], &[0; 33]), Events::default());
    }
}
