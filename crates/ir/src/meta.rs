//! Metadata: what schedules and passes know about a node, apart from what the algorithm says.
//!
//! Every kind of node has its own struct with typed fields. All of them start at `Default`, which prints as nothing.
//! A machine that wants to remember something of its own uses the ordered [`Extra`] map; passes carry it along when
//! they clone a node and never look inside.

use crate::source::Name;
use std::collections::BTreeMap;

/// Machine-specific entries `machine.key = value`, in key order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extra(BTreeMap<(String, String), Value>);

/// A value in [`Extra`].
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number.
    Float(f64),
    /// A text.
    Text(String),
}

impl Extra {
    /// Sets `machine.key`, returning the former value. Both words must be identifiers for the text form to hold them.
    pub fn set(&mut self, machine: &str, key: &str, value: Value) -> Option<Value> {
        self.0.insert((machine.to_string(), key.to_string()), value)
    }

    /// The value of `machine.key`.
    pub fn get(&self, machine: &str, key: &str) -> Option<&Value> {
        self.0.get(&(machine.to_string(), key.to_string()))
    }

    /// All entries as `(machine, key, value)` in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.0.iter().map(|((m, k), v)| (m.as_str(), k.as_str(), v))
    }

    /// True when there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Which way edges are traversed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the active sources along out-edges.
    Push,
    /// Into each destination along in-edges.
    Pull,
    /// Scans all vertices and pushes from those in the input map.
    DensePush,
}

/// How a vertex set is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Representation {
    /// Array of ids.
    Sparse,
    /// One byte per vertex.
    Boolmap,
    /// One bit per vertex.
    Bitmap,
    /// The round in which each vertex was last added.
    LevelMask,
}

/// How much deduplication an output set needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dedup {
    /// None: repeats are allowed, or the representation has none.
    #[default]
    None,
    /// Remove what is cheap to remove.
    BestEffort,
    /// The result must be a set.
    Perfect,
}

/// An integer known now, or read from the command line when the program starts.
pub type Amount = gw_schedule::Number;

/// Who may touch a vector entry at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Only this invocation.
    Local,
    /// Other invocations as well.
    Shared,
}

/// What is done to a vector entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// Read.
    Read,
    /// Overwritten.
    Write,
    /// Updated.
    ReadWrite,
}

/// Result of the sharing analysis for one vector access in an edge function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Access {
    /// Who else.
    pub sharing: Sharing,
    /// What for.
    pub mode: AccessMode,
}

/// Metadata of `Reduce`, `CompareAndSwap` and `PriorityUpdate`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UpdateMeta {
    /// The update must be one atomic step.
    pub atomic: bool,
    /// Priority updates only: the bucket move is left to the `UpdateBuckets` after the operator (lazy queues).
    pub deferred: bool,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// Metadata of `EnqueueVertex`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EnqueueMeta {
    /// Form of the output set that is written.
    pub format: Option<Representation>,
    /// Deduplication done while enqueuing; `None` when a pass over the set follows or none is needed.
    pub dedup: Dedup,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// How per-segment or per-socket results of a pull are merged.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeReduce {
    /// The vector reduced into.
    pub vector: Name,
    /// The reduction.
    pub op: crate::expr::ReduceOp,
    /// Each socket keeps a private copy.
    pub numa: bool,
}

/// Metadata of the edge operators.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EdgeMeta {
    /// Direction, once a schedule is bound.
    pub direction: Option<Direction>,
    /// Parallel at all.
    pub is_parallel: Option<bool>,
    /// Two edges of one vertex may run at the same time.
    pub is_edge_parallel: Option<bool>,
    /// The graph has weights and the function takes one.
    pub is_weighted: bool,
    /// No filter on either side.
    pub is_all_edges: bool,
    /// An output set is wanted.
    pub requires_output: bool,
    /// The function enqueues into its last parameter; before change tracking the machine observes the writes itself.
    pub udf_enqueues: bool,
    /// The storage of the input set may become the output set.
    pub can_reuse_frontier: bool,
    /// What the operator claims stays claimed while a loop or an operator runs.
    pub claims_for_good: bool,
    /// The program cannot tell whether vertices without out-edges are missing in the output.
    pub bears_missing_leaves: bool,
    /// A condition around the whole function may be asked before the operator and the loops around it, for all edges.
    pub has_condition: bool,
    /// A call visits each edge at most once: the input has no repeats.
    pub visits_once: bool,
    /// Deduplication of the output.
    pub dedup: Dedup,
    /// Deduplicate while enqueuing instead of in a pass afterwards.
    pub dedup_inline: bool,
    /// Form in which the output is written.
    pub output_representation: Option<Representation>,
    /// Form of the input set that a pull tests.
    pub pull_input_frontier: Option<Representation>,
    /// The `to` test is part of the compare-and-swap in the function: a push need not test it.
    pub to_folded: bool,
    /// Merge of partial results of segments.
    pub merge_reduce: Option<MergeReduce>,
    /// Label path the schedule was looked up with.
    pub path: Option<Name>,
    /// The whole schedule, for what only one machine understands.
    pub schedule: Option<crate::bound::BoundSchedule>,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// Metadata of the vertex operators.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VertexMeta {
    /// The input is the set of all vertices of its element.
    pub is_all_vertices: bool,
    /// Parallel, once bound.
    pub is_parallel: Option<bool>,
    /// Label path the schedule was looked up with.
    pub path: Option<Name>,
    /// The whole schedule.
    pub schedule: Option<crate::bound::BoundSchedule>,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// How a priority queue is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueueKind {
    /// Buckets updated once per round.
    Lazy,
    /// Thread-local buckets updated at once.
    Eager,
    /// Eager, draining small local buckets without a barrier.
    EagerMerge,
    /// Constant sums counted by a histogram, then applied once per vertex.
    ConstantSum,
    /// Two queues: the open window and everything beyond it.
    NearFar,
}

/// Metadata of priority-queue nodes (`PriorityQueueAlloc`, `UpdateBuckets`, `OrderedProcessing`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueueMeta {
    /// Kind, once classified.
    pub kind: Option<QueueKind>,
    /// Which updates the program makes.
    pub update: Option<crate::expr::PriorityOp>,
    /// Bucket width.
    pub delta: Option<Amount>,
    /// Bucket-fusion limit of `EagerMerge`.
    pub merge_threshold: Option<Amount>,
    /// Materialised buckets of a lazy queue.
    pub open_buckets: Option<Amount>,
    /// Every vertex starts in a bucket.
    pub all_in_buckets: bool,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// Metadata of `while` loops.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WhileMeta {
    /// The schedule asks for one kernel around the loop and the loop allows it.
    pub needs_fusion: bool,
    /// Whether the body could run wholly on a device; `Some(false)` comes with a reason.
    pub fusable: Option<bool>,
    /// Why the loop cannot be fused.
    pub why_not: Option<String>,
    /// Locals of the function that the loop uses and that must travel in and out, in order of first use.
    pub hoisted: Vec<Name>,
    /// Priority queues the loop uses.
    pub queues: Vec<Name>,
    /// Label path the schedule was looked up with.
    pub path: Option<Name>,
    /// The whole schedule.
    pub schedule: Option<crate::bound::BoundSchedule>,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// Metadata of `for` and `par_for`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForMeta {
    /// Iterations per task of a `par_for`; 0 or absent is the runtime's choice.
    pub grain_size: Option<Amount>,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// How a set intersection is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntersectionKind {
    /// Merge.
    Naive,
    /// 3x3 blocks.
    Hiroshi,
    /// Steps of three with roll-back.
    Multiskip,
    /// Chosen by sizes.
    Combined,
    /// Binary search of the smaller in the larger.
    BinarySearch,
}

/// Metadata of intersections.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IntersectionMeta {
    /// The algorithm, once bound.
    pub kind: Option<IntersectionKind>,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// The memory layout of a global vector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GlobalMeta {
    /// Name of the array of structs this vector is a field of; `None` means an array of its own.
    pub fused_into: Option<Name>,
    /// Machine-specific entries.
    pub extra: Extra,
}
