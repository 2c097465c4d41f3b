//! A schedule of one program point: simple, hybrid (two, by a threshold) or adaptive (many, by a chooser).

use crate::axis::Direction;
use crate::name::Name;
use crate::param::{Fraction, Param, Threshold};
use crate::simple::SimpleSchedule;
use crate::value::word_axis;

/// How one program point is executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// One way, always.
    Simple(SimpleSchedule),
    /// Two ways; a threshold on the input decides before every call.
    Hybrid(Hybrid),
    /// Several ways; a chooser decides before every call.
    Adaptive(Adaptive),
}

/// Two ways to execute an operator and the test between them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hybrid {
    /// What is measured.
    pub criterion: Criterion,
    /// Where the switch lies, as a fraction (see [`Criterion`]).
    pub threshold: Threshold,
    /// Used while the measure is small.
    pub first: SimpleSchedule,
    /// Used when it is large.
    pub second: SimpleSchedule,
}

/// Several ways to execute an operator and who picks among them.
///
/// The first candidate is the safe one: it is used when the chooser has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Adaptive {
    /// The ways to choose from, at least one.
    pub candidates: Vec<SimpleSchedule>,
    /// Who picks.
    pub chooser: Chooser,
}

/// Who picks the candidate of an adaptive schedule before every call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Chooser {
    /// Candidate `i` while the measure is below threshold `i`; the last one above all of them.
    Threshold {
        /// What is measured.
        criterion: Criterion,
        /// Ascending; one fewer than there are candidates.
        thresholds: Vec<Fraction>,
    },
    /// A trained decision tree, by the name of its model.
    Tree(Name),
    /// The recorded best choice per step, by the name of the recording (for measurement).
    Oracle(Name),
}

word_axis! {
    /// What a hybrid schedule measures on its input frontier F before every call. Without a `from`
    /// set F is all vertices.
    Criterion {
        InputSize = "input-size": "first while |F| < T |V|",
        InputWork = "input-work": "first unless |F| + outdegree(F) > T |E|",
        EdgesAhead = "edges-ahead": "first unless outdegree(F) > T |E|",
        InputThreads = "input-threads": "first while |F| < T x the threads that the machine holds at once",
    }
}

/// The sizes a [`Criterion`] looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputSizes {
    /// Vertices in the input frontier.
    pub frontier_vertices: u64,
    /// Sum of their out-degrees.
    pub frontier_edges: u64,
    /// Vertices of the graph.
    pub vertices: u64,
    /// Edges of the graph.
    pub edges: u64,
    /// Threads that the machine holds at once.
    pub threads: u64,
}

impl Criterion {
    /// Whether the input is on the small side of the threshold, so that the first schedule applies.
    pub fn is_small(self, sizes: InputSizes, threshold: f64) -> bool {
        let (f, d) = (sizes.frontier_vertices as f64, sizes.frontier_edges as f64);
        match self {
            Criterion::InputSize => f < threshold * sizes.vertices as f64,
            Criterion::InputWork => f + d <= threshold * sizes.edges as f64,
            Criterion::EdgesAhead => d <= threshold * sizes.edges as f64,
            Criterion::InputThreads => f < threshold * sizes.threads as f64,
        }
    }

    /// Whether the test needs the sum of the out-degrees of the frontier, not only its size.
    pub fn needs_degrees(self) -> bool {
        matches!(self, Criterion::InputWork | Criterion::EdgesAhead)
    }
}

impl Hybrid {
    /// The share of edges at which the CPU hybrids switch: |F| + outdegree(F) > |E| / 20.
    pub const CPU_THRESHOLD: Fraction = Fraction::ratio(1, 20);

    fn cpu(second: Direction) -> Hybrid {
        Hybrid {
            criterion: Criterion::InputWork,
            threshold: Param::Value(Hybrid::CPU_THRESHOLD),
            first: SimpleSchedule::with_direction(Direction::Push),
            second: SimpleSchedule::with_direction(second),
        }
    }

    /// Push while little work lies ahead, pull otherwise (`SparsePush-DensePull`).
    pub fn push_pull() -> Hybrid {
        Hybrid::cpu(Direction::Pull)
    }

    /// Sparse push while little work lies ahead, dense push otherwise (`DensePush-SparsePush`).
    pub fn push_dense_push() -> Hybrid {
        Hybrid::cpu(Direction::DensePush)
    }
}

impl Schedule {
    /// The simple schedules inside, in order: one, two or all candidates.
    pub fn parts(&self) -> Vec<&SimpleSchedule> {
        match self {
            Schedule::Simple(s) => vec![s],
            Schedule::Hybrid(h) => vec![&h.first, &h.second],
            Schedule::Adaptive(a) => a.candidates.iter().collect(),
        }
    }

    /// The simple schedules inside, to be changed in place.
    pub fn parts_mut(&mut self) -> Vec<&mut SimpleSchedule> {
        match self {
            Schedule::Simple(s) => vec![s],
            Schedule::Hybrid(h) => vec![&mut h.first, &mut h.second],
            Schedule::Adaptive(a) => a.candidates.iter_mut().collect(),
        }
    }

    /// The simple schedule, when this is one.
    pub fn as_simple(&self) -> Option<&SimpleSchedule> {
        match self {
            Schedule::Simple(s) => Some(s),
            _ => None,
        }
    }

    /// Whether nothing was said: a simple schedule with nothing set.
    pub fn is_default(&self) -> bool {
        self.as_simple().is_some_and(SimpleSchedule::is_default)
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule::Simple(SimpleSchedule::default())
    }
}

impl From<SimpleSchedule> for Schedule {
    fn from(simple: SimpleSchedule) -> Self {
        Schedule::Simple(simple)
    }
}
impl From<Hybrid> for Schedule {
    fn from(hybrid: Hybrid) -> Self {
        Schedule::Hybrid(hybrid)
    }
}
impl From<Adaptive> for Schedule {
    fn from(adaptive: Adaptive) -> Self {
        Schedule::Adaptive(adaptive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_at_the_threshold() {
        let sizes =
            |f, d| InputSizes { frontier_vertices: f, frontier_edges: d, vertices: 100, edges: 2000, threads: 64 };
        // |F| < T |V| is strict: 10 of 100 at T = 0.1 is already large.
        assert!(Criterion::InputSize.is_small(sizes(9, 0), 0.1));
        assert!(!Criterion::InputSize.is_small(sizes(10, 0), 0.1));
        // |F| + deg(F) > |E|/20 = 100 switches: exactly 100 still pushes.
        let t = Hybrid::CPU_THRESHOLD.get();
        assert!(Criterion::InputWork.is_small(sizes(10, 90), t));
        assert!(!Criterion::InputWork.is_small(sizes(10, 91), t));
        assert!(Criterion::EdgesAhead.is_small(sizes(50, 100), t));
        assert!(!Criterion::EdgesAhead.is_small(sizes(1, 101), t));
        // |F| < T x threads: 32 of 64 threads at T = 0.5 is already large.
        assert!(Criterion::InputThreads.is_small(sizes(31, 9999), 0.5));
        assert!(!Criterion::InputThreads.is_small(sizes(32, 0), 0.5));
    }
}
