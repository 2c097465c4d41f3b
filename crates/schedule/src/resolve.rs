//! Defaults per machine family, and what the compiler's passes ask a schedule.

use crate::axis::*;
use crate::param::{Number, Param};
use crate::point::{PointKind, ProgramPoint};
use crate::program::Family;
use crate::simple::{Axis, SimpleSchedule};

/// The end of an edge that a worker has to itself, so that its entries need no atomics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owned {
    /// No end: several workers may hold edges of the same vertex.
    Neither,
    /// The source.
    Source,
    /// The destination.
    Destination,
    /// Both: the operator is serial.
    Both,
}

/// What keeps repeats out of the output set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DedupPlan {
    /// Nothing; repeats may appear.
    None,
    /// The output is a map, which holds each vertex once.
    ByMap,
    /// Repeats are removed as far as is cheap.
    BestEffort(DedupBy),
    /// Every repeat is removed.
    Exact(DedupBy),
}

impl SimpleSchedule {
    /// The direction, push unless set.
    pub fn direction(&self) -> Direction {
        self.direction.unwrap_or(Direction::Push)
    }

    /// Whether the operator is set to run on one worker. Unset means no: call this on a resolved
    /// schedule to get a machine's default.
    pub fn is_serial(&self) -> bool {
        self.parallelism == Some(Parallelism::Serial)
    }

    /// Whether several workers may hold edges of the same vertex.
    pub fn is_edge_parallel(&self) -> bool {
        self.parallelism == Some(Parallelism::EdgeParallel)
            || self.load_balance.is_some_and(LoadBalance::shares_vertices)
            || self.hubs.is_some()
            || self.edges.is_some_and(EdgeForm::is_edge_list)
    }

    /// The end of an edge that a worker has to itself.
    pub fn owned(&self) -> Owned {
        if self.is_serial() {
            Owned::Both
        } else if self.is_edge_parallel() {
            Owned::Neither
        } else if self.direction() == Direction::Pull {
            Owned::Destination
        } else {
            Owned::Source
        }
    }

    /// Whether the schedule asks for deduplication, off unless set.
    pub fn dedup(&self) -> bool {
        self.dedup == Some(Dedup::On)
    }

    /// What keeps repeats out of the output, given whether the algorithm needs each vertex at most
    /// once. An algorithm that needs it gets it whatever the schedule says.
    pub fn dedup_plan(&self, needs_unique_output: bool) -> DedupPlan {
        if self.creation.is_some_and(FrontierCreation::is_map) {
            return DedupPlan::ByMap;
        }
        let by = self.dedup_by.unwrap_or(DedupBy::Counters);
        match (needs_unique_output, self.dedup()) {
            (true, _) => DedupPlan::Exact(by),
            (false, true) => DedupPlan::BestEffort(by),
            (false, false) => DedupPlan::None,
        }
    }

    /// The bucket width, 1 unless set.
    pub fn delta(&self) -> Number {
        self.delta.unwrap_or(Param::Value(1))
    }

    /// The form in which the input set is tested in pull, a byte map unless set.
    pub fn pull_frontier(&self) -> FrontierForm {
        self.frontier.unwrap_or(FrontierForm::Boolmap)
    }

    /// How the output is made, straight into a queue unless set.
    pub fn creation(&self) -> FrontierCreation {
        self.creation.unwrap_or(FrontierCreation::Fused)
    }

    /// How priorities are updated, lazily unless set.
    pub fn update(&self) -> PriorityUpdate {
        self.update.unwrap_or(PriorityUpdate::Lazy)
    }

    /// Fills the unset axes that matter at the point with the defaults of a machine family.
    ///
    /// Settings that are there stay. Where the first default of an axis does not go with them, the
    /// next is tried (an edge list when `lb=edge-only`, parallel when `create=sliding-queue`); an
    /// axis that has no meaning stays unset.
    ///
    /// ```
    /// use gw_schedule::{Family, PointKind, ProgramPoint, SimpleSchedule};
    /// let edges = ProgramPoint::new(PointKind::EdgeOperator);
    /// let nothing = SimpleSchedule::default();
    /// assert!(nothing.resolve(Family::Cpu, &edges).is_serial());
    /// assert!(!nothing.resolve(Family::Gpu, &edges).is_serial());
    /// ```
    pub fn resolve(&self, family: Family, point: &ProgramPoint) -> SimpleSchedule {
        let mut resolved = *self;
        for &axis in Axis::ALL {
            if resolved.is_set(axis) {
                continue;
            }
            for text in defaults(axis, family, point.kind, &resolved) {
                let mut candidate = resolved;
                if candidate.set_text(axis, text) && agrees(&resolved, &candidate, point) {
                    resolved = candidate;
                    break;
                }
            }
        }
        resolved
    }
}

/// Whether setting one more axis adds no new reason. The schedule itself need not be legal.
fn agrees(before: &SimpleSchedule, after: &SimpleSchedule, point: &ProgramPoint) -> bool {
    let count = |s: &SimpleSchedule| s.legal(point).err().map_or(0, |r| r.len());
    count(after) <= count(before)
}

/// The defaults of an axis on a family of machines, best first; empty when the family has no such
/// axis or nothing is the default.
pub(crate) fn defaults(
    axis: Axis,
    family: Family,
    kind: PointKind,
    so_far: &SimpleSchedule,
) -> &'static [&'static str] {
    use Family::*;
    match (axis, family) {
        (Axis::Direction, _) => &["push"],
        (Axis::Parallelism, Cpu) if kind == PointKind::VertexOperator => &["dynamic"],
        (Axis::Parallelism, Cpu) => &["serial", "dynamic"],
        (Axis::Grain, Cpu) if kind == PointKind::ParFor => &["0"],
        (Axis::Grain, Cpu) if so_far.parallelism == Some(Parallelism::EdgeAware) => &["4096"],
        (Axis::Grain, Cpu) => &["1024"],
        (Axis::LoadBalance, Gpu | Swarm | HammerBlade) => &["vertex-based"],
        // Pull walks the list of the transposed graph.
        (Axis::Edges, _) if so_far.direction() == Direction::Pull => &["csr", "coo-by-destination"],
        (Axis::Edges, _) => &["csr", "coo-by-source"],
        (Axis::Update, _) => &["lazy"],
        (Axis::Delta, _) => &["1"],
        (Axis::Merge, Cpu) => &["1000"],
        (Axis::Buckets, Cpu) => &["128"],
        (Axis::Frontier, Cpu | Gpu) => &["boolmap"],
        (Axis::Creation, Cpu | Gpu) => &["fused"],
        (Axis::Count, Gpu) => &["plain"],
        (Axis::Dedup, Cpu) => &["on"],
        (Axis::Dedup, Gpu | Swarm) => &["off"],
        (Axis::DedupBy, Gpu) => &["counters"],
        (Axis::DedupInput, Gpu) => &["off"],
        (Axis::Claim, Gpu) => &["swap"],
        (Axis::Visited, Gpu) => &["off"],
        (Axis::Append, Gpu) => &["staged"],
        (Axis::Classes, Cpu | Gpu) => &["off"],
        (Axis::Leaves, Cpu | Gpu) => &["keep"],
        (Axis::Numa, Cpu) => &["serial"],
        (Axis::LoopForm, Cpu | Gpu) => &["host"],
        (Axis::Queue, Swarm) => &["priority", "bucket", "unordered"],
        (Axis::Coarsen | Axis::Hint | Axis::Stride, Swarm) => &["off"],
        (Axis::Intersection, _) => &["naive"],
        (Axis::Table, Cpu | Gpu) => &["hash"],
        (Axis::Filter, _) => &["view"],
        _ => &[],
    }
}
