//! A program point as plain data: what the compiler knows about the place a schedule is put on.

use crate::simple::Axis;
use crate::value::word_axis;

word_axis! {
    /// What kind of program point a schedule is put on.
    PointKind {
        EdgeOperator = "edge-operator": "apply or applyModified on an edge set",
        VertexOperator = "vertex-operator": "apply or filter on a vertex set",
        PriorityOperator = "priority-operator": "applyUpdatePriority on an edge set",
        PriorityExtern = "priority-extern": "applyUpdatePriorityExtern on a vertex set",
        WhileLoop = "while-loop": "a while loop",
        ParFor = "par-for": "a par_for loop",
        Intersection = "intersection": "an intersection of neighbour lists",
    }
}

impl PointKind {
    /// The kind in a sentence: "an edge operator".
    pub fn phrase(self) -> &'static str {
        match self {
            PointKind::EdgeOperator => "an edge operator",
            PointKind::VertexOperator => "a vertex operator",
            PointKind::PriorityOperator => "a priority-update operator",
            PointKind::PriorityExtern => "an extern priority update",
            PointKind::WhileLoop => "a while loop",
            PointKind::ParFor => "a par_for loop",
            PointKind::Intersection => "an intersection",
        }
    }
}

/// Which sources an edge operator starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sources {
    /// No `from`: all vertices.
    #[default]
    All,
    /// `from(set)`: a vertex set variable.
    Set,
    /// `from(function)`: a test per vertex.
    Filter,
}

/// What an edge function does to a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PriorityChange {
    /// `updatePriorityMin`.
    Min,
    /// `updatePriorityMax`.
    Max,
    /// `updatePrioritySum` with the same amount every time.
    ConstantSum,
    /// `updatePrioritySum` with amounts that vary.
    Sum,
}

/// What the compiler knows about the place a schedule is put on.
///
/// ```
/// use gw_schedule::{PointKind, ProgramPoint, SimpleSchedule, Sources};
/// let bfs_step = ProgramPoint {
///     from: Sources::Set,
///     requires_output: true,
///     ..ProgramPoint::new(PointKind::EdgeOperator)
/// };
/// let schedule: SimpleSchedule = "push,segments=4".parse().unwrap();
/// let reasons = schedule.legal(&bfs_step).unwrap_err();
/// assert_eq!(reasons[0].axis, "segments");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProgramPoint {
    /// What kind of point.
    pub kind: PointKind,
    /// Edge operators: which sources it starts from.
    pub from: Sources,
    /// Edge operators: whether destinations are restricted by `to` (pull may then stop early).
    pub has_to: bool,
    /// Edge operators: whether the set of changed vertices is used.
    pub requires_output: bool,
    /// Whether each vertex may appear in that set at most once (third argument of `applyModified`
    /// is not `true`).
    pub needs_unique_output: bool,
    /// Edge operators: whether all they do is to store into an entry of the destination that the `to` test found equal
    /// to a constant.
    pub claims_destinations: bool,
    /// Edge operators: whether such an entry keeps its value until the loop or the operator ends.
    pub claims_for_good: bool,
    /// Edge operators: whether nobody can tell that vertices without out-edges are missing in that set.
    pub bears_missing_leaves: bool,
    /// Edge operators: whether an edge that is the only one to its destination is the only writer of some entry of the
    /// destination, or self-loops change nothing.
    pub has_edge_classes: bool,
    /// Edge operators: whether the output holds the vertices at which a `min=` or `max=` changed a whole number of 32
    /// bits, written at the destinations of edges alone.
    pub tracks_extreme: bool,
    /// Edge operators: whether a condition around the whole edge function may as well be asked before the operator and
    /// the loops around it.
    pub has_condition: bool,
    /// Vertex operators: whether the neighbours of the vertices are grouped.
    pub has_groups: bool,
    /// Whether the edges carry weights.
    pub weighted: bool,
    /// Whether the graph is symmetric; `None` while it is not known.
    pub symmetric: Option<bool>,
    /// Whether all shared writes of the edge function are one reduction that can be accumulated in
    /// private copies and merged.
    pub reduction_extractable: bool,
    /// Priority operators: what the edge function does to a priority; `None` when the compiler
    /// could not tell.
    pub priority_change: Option<PriorityChange>,
    /// Priority operators: whether the loop around has the shape that ordered processing replaces.
    pub eager_loop: bool,
    /// While loops: why the body cannot run on the device; `None` when it can.
    pub body_obstacle: Option<String>,
    /// While loops: whether the loop runs until a frontier or priority queue is empty.
    pub frontier_loop: bool,
    /// While loops: whether some statements of the body run once per round, not per vertex.
    pub round_statements: bool,
}

impl ProgramPoint {
    /// A point of a kind about which nothing more is known.
    pub fn new(kind: PointKind) -> ProgramPoint {
        ProgramPoint {
            kind,
            from: Sources::All,
            has_to: false,
            requires_output: false,
            needs_unique_output: false,
            claims_destinations: false,
            claims_for_good: false,
            bears_missing_leaves: false,
            has_edge_classes: false,
            tracks_extreme: false,
            has_condition: false,
            has_groups: false,
            weighted: false,
            symmetric: None,
            reduction_extractable: false,
            priority_change: None,
            eager_loop: false,
            body_obstacle: None,
            frontier_loop: false,
            round_statements: false,
        }
    }
}

impl Axis {
    /// The kinds of program points this axis has a meaning for.
    pub fn applies_to(self) -> &'static [PointKind] {
        use PointKind::*;
        match self {
            Axis::Parallelism => &[EdgeOperator, PriorityOperator, VertexOperator],
            Axis::Grain => &[EdgeOperator, PriorityOperator, VertexOperator, ParFor],
            Axis::Direction
            | Axis::LoadBalance
            | Axis::Hubs
            | Axis::Block
            | Axis::Edges
            | Axis::Frontier
            | Axis::Creation
            | Axis::Count
            | Axis::Dedup
            | Axis::DedupBy
            | Axis::DedupInput
            | Axis::Append
            | Axis::Coarsen
            | Axis::Hint
            | Axis::Stride
            | Axis::Filter => &[EdgeOperator, PriorityOperator],
            Axis::Classes | Axis::Claim | Axis::Visited | Axis::Leaves | Axis::Segments | Axis::Numa => &[EdgeOperator],
            Axis::Merge => &[PriorityOperator],
            Axis::Update | Axis::Delta | Axis::Buckets => &[PriorityOperator, PriorityExtern],
            Axis::LoopForm | Axis::Queue => &[WhileLoop],
            Axis::Intersection => &[PointKind::Intersection],
            Axis::Table => &[VertexOperator],
        }
    }
}
