//! What a schedule says about tasks.

use gw_schedule::{LoadBalance, Schedule, SimpleSchedule, SwarmQueue, Toggle};

/// Entries of 4 bytes in a cache line: the work of a coarse task.
pub const COARSE: u64 = 16;

/// How work is cut into tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// A task per edge (or line of edges) instead of one per vertex.
    pub edge_tasks: bool,
    /// A line of work per task instead of one element.
    pub coarsen: bool,
    /// Tasks go to the tile that owns the line they write.
    pub hint: bool,
    /// Neighbouring tasks work far apart.
    pub stride: bool,
    /// Repeats are kept out of ordered queues.
    pub dedup: bool,
    /// The queue of a loop, where the schedule names one.
    pub queue: Option<SwarmQueue>,
}

impl Style {
    /// The style of a bound schedule; the defaults without one.
    pub fn of(schedule: Option<&Schedule>) -> Style {
        let default = SimpleSchedule::default();
        let simple = schedule.and_then(Schedule::as_simple).unwrap_or(&default);
        let is_on = |toggle: Option<Toggle>| toggle == Some(Toggle::On);
        Style {
            edge_tasks: simple.load_balance == Some(LoadBalance::EdgeBased),
            coarsen: is_on(simple.coarsen),
            hint: is_on(simple.hint),
            stride: is_on(simple.stride),
            dedup: simple.dedup == Some(gw_schedule::Dedup::On),
            queue: simple.queue,
        }
    }

    /// Elements per leaf.
    pub fn grain(&self) -> u64 {
        if self.coarsen { COARSE } else { 1 }
    }

    /// Why an ordered loop has no use for a setting of its edge operator.
    pub fn idle_in_order(&self) -> Option<&'static str> {
        match (self.stride, self.coarsen && !self.edge_tasks) {
            (true, _) => Some(
                "`stride=on` spreads the leaves of a tree of tasks, and here tasks come as vertices are reached; drop it",
            ),
            (_, true) => Some(
                "`coarsen=on` joins tasks of edges, and here one task visits all edges of its vertex; add `lb=edge-based`",
            ),
            _ => None,
        }
    }
}
