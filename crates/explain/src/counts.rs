//! What was counted in a step.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::machine::PerServer;

/// Where accesses of a processor were served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuCounts {
    /// Accesses in all.
    pub accesses: u64,
    /// Served by the first cache.
    pub l1: u64,
    /// Lines from the second cache.
    pub l2: u64,
    /// Lines from the third cache.
    pub l3: u64,
    /// Lines from memory.
    pub dram: u64,
    /// Of the lines from the second cache: those next to the line before, which hardware fetches ahead.
    pub l2_ahead: u64,
    /// Of the lines from the third cache: those fetched ahead.
    pub l3_ahead: u64,
    /// Of the lines from memory: those fetched ahead.
    pub dram_ahead: u64,
    /// Tests that were guessed wrong.
    pub mispredicted: u64,
    /// Atomic updates.
    pub atomics: u64,
}

/// Where the sectors of a GPU's warp instructions were served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuCounts {
    /// Warp instructions that access memory: the jobs of the model.
    pub jobs: u64,
    /// Distinct 32-byte sectors of these instructions.
    pub sectors: u64,
    /// Sectors served by the first cache of a multiprocessor.
    pub l1: u64,
    /// Sectors served by the second cache.
    pub l2: u64,
    /// Sectors from memory in a row that is open.
    pub row_hits: u64,
    /// Sectors from memory that open a row.
    pub row_misses: u64,
    /// Lanes that update atomically.
    pub atomics: u64,
    /// Atomic updates of a warp that meet another lane's address.
    pub conflicts: u64,
    /// Lanes that took part in the warp instructions.
    pub lanes: u64,
    /// Bytes that these lanes asked for.
    pub bytes: u64,
}

impl AddAssign for CpuCounts {
    fn add_assign(&mut self, other: CpuCounts) {
        self.accesses += other.accesses;
        self.l1 += other.l1;
        self.l2 += other.l2;
        self.l3 += other.l3;
        self.dram += other.dram;
        self.l2_ahead += other.l2_ahead;
        self.l3_ahead += other.l3_ahead;
        self.dram_ahead += other.dram_ahead;
        self.mispredicted += other.mispredicted;
        self.atomics += other.atomics;
    }
}

impl AddAssign for GpuCounts {
    fn add_assign(&mut self, other: GpuCounts) {
        self.jobs += other.jobs;
        self.sectors += other.sectors;
        self.l1 += other.l1;
        self.l2 += other.l2;
        self.row_hits += other.row_hits;
        self.row_misses += other.row_misses;
        self.atomics += other.atomics;
        self.conflicts += other.conflicts;
        self.lanes += other.lanes;
        self.bytes += other.bytes;
    }
}

/// What was counted in one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepCounts {
    /// Completions: vertices or edges that a server served.
    pub completions: PerServer<u64>,
    /// On a processor.
    #[serde(skip_serializing_if = "is_default")]
    pub cpu: PerServer<CpuCounts>,
    /// On a GPU.
    #[serde(skip_serializing_if = "is_default")]
    pub gpu: PerServer<GpuCounts>,
    /// Calls of the operator's function.
    pub applied: u64,
    /// Distinct bytes touched, in whole lines or sectors.
    pub footprint_bytes: u64,
    /// Warps that had work.
    pub warps: u64,
    /// The most jobs of one warp.
    pub longest_warp: u64,
    /// Loop iterations of all warps, in lock step.
    pub warp_iterations: u64,
    /// Traced calls of an operator in this step.
    pub calls: u64,
    /// Calls of an operator on a set alone, which have no events.
    pub set_calls: u64,
    /// Vertices that maps of the step cover: those of the graph, per call.
    pub universe: u64,
    /// Changes of the form of an input set, list to map or back, before the operator.
    pub conversions: u64,
    /// Words of maps that these changes looked at.
    pub scanned_words: u64,
    /// Members that these changes wrote.
    pub converted: u64,
    /// Lists that are walked when the in-edges are cut into cache segments; 0 without segments.
    pub segment_lists: u64,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl StepCounts {
    /// Adds the counts of another call that belongs to the same step.
    pub fn add(&mut self, other: &StepCounts) {
        self.completions.merge(&other.completions, |a, b| *a += b);
        self.cpu.merge(&other.cpu, |a, b| *a += *b);
        self.gpu.merge(&other.gpu, |a, b| *a += *b);
        self.applied += other.applied;
        self.footprint_bytes += other.footprint_bytes;
        self.warps += other.warps;
        self.longest_warp = self.longest_warp.max(other.longest_warp);
        self.warp_iterations += other.warp_iterations;
        self.calls += other.calls;
        self.set_calls += other.set_calls;
        self.universe += other.universe;
        self.conversions += other.conversions;
        self.scanned_words += other.scanned_words;
        self.converted += other.converted;
        self.segment_lists += other.segment_lists;
    }

    /// Over all servers, on a processor.
    pub fn cpu_total(&self) -> CpuCounts {
        let mut total = CpuCounts::default();
        self.cpu.iter().for_each(|(_, one)| total += *one);
        total
    }

    /// Over all servers, on a GPU.
    pub fn gpu_total(&self) -> GpuCounts {
        let mut total = GpuCounts::default();
        self.gpu.iter().for_each(|(_, one)| total += *one);
        total
    }
}
