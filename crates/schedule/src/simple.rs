//! A simple schedule: at most one value per axis, for one program point. The one list of axes.

use crate::axis::*;
use crate::param::{Number, Param};
use crate::value::{AxisValue, ValueRow};

/// The numbers tried for an axis that takes one.
fn numbers(values: &[u64]) -> Vec<Number> {
    values.iter().copied().map(Param::Value).collect()
}

/// Declares the axes once: the field of [`SimpleSchedule`], the [`Axis`], its key in the text, the
/// representative values used by enumeration, and its line in the table.
macro_rules! axes {
    ( $( $field:ident : $ty:ty = $axis:ident $key:literal, $reps:expr, $line:literal; )+ ) => {
        /// The name of one axis, in the fixed order of the text form.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Axis {
            $( #[doc = $line] $axis, )+
        }

        impl Axis {
            /// All axes, in the order in which the text form prints them.
            ///
            /// Whether a value is legal depends only on values of axes *before* its own; the
            /// enumeration of the space relies on that.
            pub const ALL: &'static [Axis] = &[ $( Axis::$axis, )+ ];

            /// The key of this axis in the text form.
            pub const fn key(self) -> &'static str {
                match self { $( Axis::$axis => $key, )+ }
            }

            /// What the axis decides, in one line.
            pub const fn line(self) -> &'static str {
                match self { $( Axis::$axis => $line, )+ }
            }

            /// The axis with this key.
            pub fn from_key(key: &str) -> Option<Axis> {
                match key { $( $key => Some(Axis::$axis), )+ _ => None }
            }

            /// The values of this axis with a line each.
            pub fn rows(self) -> Vec<ValueRow> {
                match self { $( Axis::$axis => <$ty as AxisValue>::rows(), )+ }
            }

            /// Schedules that set this axis alone, one per representative value: every value of a
            /// word axis, and a short list of numbers for a numeric one.
            pub fn representatives(self) -> Vec<SimpleSchedule> {
                match self {
                    $( Axis::$axis => {
                        let values: Vec<$ty> = $reps;
                        values
                            .into_iter()
                            .map(|v| SimpleSchedule { $field: Some(v), ..SimpleSchedule::default() })
                            .collect()
                    } )+
                }
            }
        }

        /// At most one value per axis, for one program point. An unset axis is left to the machine
        /// (see [`SimpleSchedule::resolve`]); the text form prints only what is set.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct SimpleSchedule {
            $( #[doc = $line] pub $field: Option<$ty>, )+
        }

        impl SimpleSchedule {
            /// The text of the value set on an axis.
            pub fn text_of(&self, axis: Axis) -> Option<String> {
                match axis { $( Axis::$axis => self.$field.as_ref().map(AxisValue::text), )+ }
            }

            /// The table row of the value set on an axis (its text without parameters).
            pub fn kind_of(&self, axis: Axis) -> Option<&'static str> {
                match axis { $( Axis::$axis => self.$field.as_ref().map(AxisValue::kind), )+ }
            }

            /// Sets an axis from the text of a value; false when the text is no value of it.
            #[must_use]
            pub fn set_text(&mut self, axis: Axis, text: &str) -> bool {
                match axis {
                    $( Axis::$axis => match <$ty as AxisValue>::from_text(text) {
                        Some(value) => { self.$field = Some(value); true }
                        None => false,
                    } )+
                }
            }

            /// Whether an axis is set.
            pub fn is_set(&self, axis: Axis) -> bool {
                match axis { $( Axis::$axis => self.$field.is_some(), )+ }
            }

            /// Leaves an axis to the machine again.
            pub fn clear(&mut self, axis: Axis) {
                match axis { $( Axis::$axis => self.$field = None, )+ }
            }

            /// Takes the value of one axis (set or not) from another schedule.
            pub fn copy_axis(&mut self, axis: Axis, from: &SimpleSchedule) {
                match axis { $( Axis::$axis => self.$field = from.$field, )+ }
            }
        }
    };
}

axes! {
    direction: Direction = Direction "direction", Direction::ALL.to_vec(),
        "which end of an edge does the walking (written as a bare word)";
    parallelism: Parallelism = Parallelism "par", Parallelism::ALL.to_vec(),
        "CPU: how an operator is split over cores";
    grain: Number = Grain "grain", numbers(&[64, 256, 1024, 4096]),
        "CPU: vertices (edge-aware: edges) per chunk of work; on par_for, iterations (0 = the runtime chooses)";
    load_balance: LoadBalance = LoadBalance "lb", LoadBalance::representatives(),
        "GPU, Swarm, HammerBlade: how edges are given to workers";
    hubs: Hubs = Hubs "hubs", Hubs::representatives(),
        "GPU: from which degree on a list is put aside and shared by all blocks after the others";
    block: Number = Block "block", numbers(&[1 << 16, 1 << 18, 1 << 20]),
        "edge-only: process the edge list in blocks of this many far-end vertex ids";
    edges: EdgeForm = Edges "edges", EdgeForm::ALL.to_vec(),
        "which stored form of the edges is walked";
    classes: Classes = Classes "classes", Classes::ALL.to_vec(),
        "CPU, GPU: whether a push treats edges by their classes";
    update: PriorityUpdate = Update "update", PriorityUpdate::ALL.to_vec(),
        "how vertices move between the buckets of a priority queue";
    delta: Number = Delta "delta", numbers(&[1, 4, 32, 256, 8192]),
        "width of a bucket in units of priority";
    merge: Number = Merge "merge", numbers(&[100, 1000, 10_000]),
        "eager-with-merge: largest local bucket drained without waiting";
    buckets: Number = Buckets "buckets", numbers(&[32, 128, 512]),
        "number of buckets kept open, a power of two";
    frontier: FrontierForm = Frontier "frontier", FrontierForm::ALL.to_vec(),
        "form of the input frontier where it is tested per vertex (pull, dense-push, edge-only)";
    creation: FrontierCreation = Creation "create", FrontierCreation::ALL.to_vec(),
        "how the output frontier is made";
    count: FrontierCount = Count "count", FrontierCount::ALL.to_vec(),
        "GPU: how vertices added to a map are counted";
    dedup: Dedup = Dedup "dedup", Dedup::ALL.to_vec(),
        "whether repeats are removed from the output although the algorithm would bear them";
    dedup_by: DedupBy = DedupBy "dedup-by", DedupBy::ALL.to_vec(),
        "GPU: how repeats are found when the output is a queue";
    dedup_input: DedupInput = DedupInput "dedup-input", DedupInput::ALL.to_vec(),
        "GPU: whether repeats in the input queue of a push are dropped when it is loaded";
    claim: Claim = Claim "claim", Claim::ALL.to_vec(),
        "GPU: how a push gets a destination that its `to` test guards";
    visited: Visited = Visited "visited", Visited::ALL.to_vec(),
        "GPU: whether a map is asked before the entry of a destination that the `to` test guards";
    append: Append = Append "append", Append::ALL.to_vec(),
        "GPU: how threads get room in the output queue";
    leaves: Leaves = Leaves "leaves", Leaves::ALL.to_vec(),
        "CPU, GPU: whether vertices without out-edges enter the output where nobody can tell";
    segments: Number = Segments "segments", numbers(&[2, 8, 32]),
        "pull: number of cache segments, by source id range";
    numa: Numa = Numa "numa", Numa::ALL.to_vec(),
        "how segments are spread over sockets";
    loop_form: LoopForm = LoopForm "loop", LoopForm::ALL.to_vec(),
        "who drives the iterations of a while loop";
    queue: SwarmQueue = Queue "queue", SwarmQueue::ALL.to_vec(),
        "Swarm: which queue carries the tasks of a frontier loop";
    coarsen: Toggle = Coarsen "coarsen", Toggle::ALL.to_vec(),
        "Swarm: one task per cache line of work instead of one per element";
    hint: Toggle = Hint "hint", Toggle::ALL.to_vec(),
        "Swarm: send tasks to the core that owns the cache line of the destination";
    stride: Toggle = Stride "stride", Toggle::ALL.to_vec(),
        "Swarm: visit edges in a spread order to avoid conflicts";
    intersection: Intersection = Intersection "intersect", Intersection::ALL.to_vec(),
        "how two neighbour lists are intersected";
    table: GroupTable = Table "table", GroupTable::ALL.to_vec(),
        "where the groups of a vertex's neighbours are kept";
    filter: EdgeFilter = Filter "filter", EdgeFilter::ALL.to_vec(),
        "how the condition around an edge function, such as that of a view, is asked";
}

impl SimpleSchedule {
    /// A schedule that only says the direction.
    pub fn with_direction(direction: Direction) -> SimpleSchedule {
        SimpleSchedule { direction: Some(direction), ..SimpleSchedule::default() }
    }

    /// Whether nothing is set.
    pub fn is_default(&self) -> bool {
        *self == SimpleSchedule::default()
    }

    /// The axes that are set, in order.
    pub fn set_axes(&self) -> impl Iterator<Item = Axis> + '_ {
        Axis::ALL.iter().copied().filter(|&axis| self.is_set(axis))
    }

    /// This schedule, with unset axes taken from `other`.
    pub fn or(mut self, other: &SimpleSchedule) -> SimpleSchedule {
        for &axis in Axis::ALL {
            if !self.is_set(axis) {
                self.copy_axis(axis, other);
            }
        }
        self
    }
}
