//! The kernels, and what host and device agree on.

use bytemuck::{Pod, Zeroable};
use gw_device::Unit;

/// Threads of a block that scores.
pub(super) const SCORE_BLOCK: u32 = 256;

/// Threads of a block that grows: one warp, so that few solutions spread over all processors.
pub(super) const GROW_BLOCK: u32 = 32;

/// Query nodes that are scored together; rows of scores are so long.
pub(super) const LANES: usize = 64;

/// A query node without a partner.
pub(super) const NONE: u32 = u32::MAX;

/// A step of phase 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// The part of the edges that leave a node.
    Starts,
    /// The sum of the parts of a node and its neighbours.
    Around,
    /// The sum of the weights of a target node.
    Weights,
}

/// The parameter of `seed_scores`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct ScoreArguments {
    pub offsets: u64,
    pub neighbours: u64,
    pub labels: u64,
    pub dense: u64,
    pub known: u64,
    pub query_labels: u64,
    pub query_degrees: u64,
    pub matrix: u64,
    pub from: u64,
    pub to: u64,
    pub sums: u64,
    pub nodes: u64,
    pub label_count: u64,
    pub words: u64,
    pub block: u64,
    pub query_nodes: u64,
    pub floor: f64,
}

/// The parameter of `grow_matches`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct GrowArguments {
    pub offsets: u64,
    pub neighbours: u64,
    pub labels: u64,
    pub query_offsets: u64,
    pub query_neighbours: u64,
    pub query_labels: u64,
    pub matrix: u64,
    pub scores: u64,
    pub sums: u64,
    pub table: u64,
    pub partners: u64,
    pub used: u64,
    pub found: u64,
    pub common: u64,
    pub candidates: u64,
    pub weights: u64,
    pub met: u64,
    pub links: u64,
    pub frontier: u64,
    pub open: u64,
    pub order: u64,
    pub state: u64,
    pub nodes: u64,
    pub query_nodes: u64,
    pub blocks: u64,
    pub solutions: u64,
    pub rounds: u64,
    pub seed: u64,
    pub floor: f64,
    pub fresh_floor: f64,
}

/// The kernel of a step of phase 1.
pub(super) fn score_unit(step: Step) -> Unit {
    let number = match step {
        Step::Starts => 0,
        Step::Around => 1,
        Step::Weights => 2,
    };
    let source = include_str!("../../device/scores.cu");
    let source = format!("#define GW_BLOCK {SCORE_BLOCK}\n#define GW_STEP {number}\n{source}");
    Unit { name: "seed_scores".into(), source, block: SCORE_BLOCK }
}

/// The kernel of phases 2 and 3, for the scoring of the thesis or the released one.
pub(super) fn grow_unit(is_thesis: bool) -> Unit {
    let number = u32::from(is_thesis);
    let source = include_str!("../../device/grow.cu");
    let source = format!("#define GW_BLOCK {GROW_BLOCK}\n#define GW_THESIS {number}\n{source}");
    Unit { name: "grow_matches".into(), source, block: GROW_BLOCK }
}

/// All kernels, for whoever wants to compile or read them. Needs no GPU.
pub fn units() -> Vec<Unit> {
    let grow = [false, true].map(grow_unit);
    [Step::Starts, Step::Around, Step::Weights].map(score_unit).into_iter().chain(grow).collect()
}
