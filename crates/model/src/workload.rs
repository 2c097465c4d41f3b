//! Models of workload: how many memory operations a round of PageRank takes, from the sizes of the graph alone.
//!
//! Two levels of detail, both with the formulas of the source (specs, section 5.1):
//!
//! - [`Detail::Abstract`] counts what an algorithm on paper names: ranks, degrees, sums. Going through the neighbours
//!   of a vertex is free there; an edge list names both ends of its edges, so they count.
//! - [`Detail::Concrete`] counts what generated code does: offsets and neighbour lists, too, and the three parameters
//!   (a count and two addresses) that every thread of an update loads first.
//!
//! `tests/all/workload.rs` runs the kernels on small random graphs, counts every access and compares. Found there:
//!
//! - Edge list and both forms of consolidate: the abstract formulas are what the kernels do, access by access, but
//!   for the atomics of consolidate: the formula has one per vertex, the kernels sum up in groups of 32 first and
//!   have one per group, as the concrete formula says (rounded up here: the last group may be small).
//! - Push, pull and pull without division: the abstract formulas lack the reads of offsets and neighbour ids, by
//!   2V+E; push takes the two reads of a degree as one. The concrete formulas have all of them.
//! - Push reads the rank of a vertex only when it has out-edges: both formulas are too high by the number of vertices
//!   without any.
//! - Consolidate without division reads the degree of a vertex in every round but the last.
//!
//! The formulas rank implementations badly: costs of an access differ by orders of magnitude with caches, coalescing
//! and contention. They are here to explain, and [`spearman`](crate::spearman) tells how badly.

use std::fmt;
use std::ops::Add;

use serde::Serialize;

/// A kernel of PageRank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// A thread per edge adds to the destination.
    EdgeList,
    /// A thread per vertex adds to its out-neighbours.
    Push,
    /// A thread per vertex sums up its in-neighbours.
    Pull,
    /// Pull over ranks that are divided by the out-degree already.
    PullNoDiv,
    /// Sums become ranks.
    Consolidate,
    /// Sums become ranks that are divided by the out-degree.
    ConsolidateNoDiv,
}

impl Kernel {
    /// All kernels.
    pub const ALL: [Kernel; 6] = [
        Kernel::EdgeList,
        Kernel::Push,
        Kernel::Pull,
        Kernel::PullNoDiv,
        Kernel::Consolidate,
        Kernel::ConsolidateNoDiv,
    ];

    /// The kernels that gather sums from neighbours.
    pub const UPDATES: [Kernel; 4] = [Kernel::EdgeList, Kernel::Push, Kernel::Pull, Kernel::PullNoDiv];

    /// The kernel that completes a round after this one; none after those that do.
    pub fn consolidate(self) -> Option<Kernel> {
        match self {
            Kernel::EdgeList | Kernel::Push | Kernel::Pull => Some(Kernel::Consolidate),
            Kernel::PullNoDiv => Some(Kernel::ConsolidateNoDiv),
            Kernel::Consolidate | Kernel::ConsolidateNoDiv => None,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kernel::EdgeList => "edge list",
            Kernel::Push => "push",
            Kernel::Pull => "pull",
            Kernel::PullNoDiv => "pull nodiv",
            Kernel::Consolidate => "consolidate",
            Kernel::ConsolidateNoDiv => "consolidate nodiv",
        })
    }
}

/// How closely operations are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// What an algorithm on paper names.
    Abstract,
    /// What generated code does.
    Concrete,
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Detail::Abstract => "abstract",
            Detail::Concrete => "concrete",
        })
    }
}

/// Operations on global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Operations {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Atomic additions.
    pub atomics: u64,
    /// Bytes of the reads.
    pub bytes_read: u64,
    /// Bytes of the writes.
    pub bytes_written: u64,
    /// Bytes of the atomic additions.
    pub bytes_atomic: u64,
}

/// Bytes of a vertex id, a degree, a rank, an offset.
const WORD: u64 = 4;
/// Bytes of a parameter.
const PARAMETER: u64 = 8;
/// Parameters that a thread of an update loads: a count and two addresses.
const PARAMETERS: u64 = 3;
/// Vertices whose differences are summed up before an atomic addition.
const GROUP: u64 = 32;

impl Operations {
    /// Operations on words.
    fn words(reads: u64, writes: u64, atomics: u64) -> Operations {
        Operations {
            reads,
            writes,
            atomics,
            bytes_read: WORD * reads,
            bytes_written: WORD * writes,
            bytes_atomic: WORD * atomics,
        }
    }

    /// The same after each of `threads` has loaded its parameters.
    fn with_parameters(self, threads: u64) -> Operations {
        let loads = PARAMETERS * threads;
        Operations { reads: self.reads + loads, bytes_read: self.bytes_read + PARAMETER * loads, ..self }
    }

    /// All operations.
    pub fn count(&self) -> u64 {
        self.reads + self.writes + self.atomics
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes_read + self.bytes_written + self.bytes_atomic
    }

    /// The time that they take when a read, a write and an atomic addition have fixed costs.
    pub fn cost(&self, read: f64, write: f64, atomic: f64) -> f64 {
        read * self.reads as f64 + write * self.writes as f64 + atomic * self.atomics as f64
    }
}

impl Add for Operations {
    type Output = Operations;

    fn add(self, other: Operations) -> Operations {
        Operations {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            atomics: self.atomics + other.atomics,
            bytes_read: self.bytes_read + other.bytes_read,
            bytes_written: self.bytes_written + other.bytes_written,
            bytes_atomic: self.bytes_atomic + other.bytes_atomic,
        }
    }
}

/// The operations of one launch of a kernel on a graph of this size.
///
/// ```
/// use gw_model::{Detail, Kernel, predicted_operations};
/// let pull = predicted_operations(Kernel::Pull, Detail::Concrete, 10, 100);
/// assert_eq!((pull.reads, pull.writes, pull.atomics), (5 * 10 + 3 * 100, 10, 0));
/// assert_eq!(pull.bytes_read, 32 * 10 + 12 * 100);
/// ```
pub fn predicted_operations(kernel: Kernel, detail: Detail, vertices: u64, edges: u64) -> Operations {
    let (v, e) = (vertices, edges);
    let words = Operations::words;
    match (detail, kernel) {
        // Both ends, the degree and the rank.
        (Detail::Abstract, Kernel::EdgeList) => words(4 * e, 0, e),
        (Detail::Abstract, Kernel::Push) => words(2 * v, 0, e),
        (Detail::Abstract, Kernel::Pull) => words(2 * e, v, 0),
        (Detail::Abstract, Kernel::PullNoDiv) => words(e, v, 0),
        (Detail::Abstract, Kernel::Consolidate) => words(2 * v, 2 * v, v),
        (Detail::Abstract, Kernel::ConsolidateNoDiv) => words(3 * v, 2 * v, v),
        (Detail::Concrete, Kernel::EdgeList) => words(4 * e, 0, e).with_parameters(e),
        // Two offsets and the rank; per edge the neighbour.
        (Detail::Concrete, Kernel::Push) => words(3 * v + e, 0, e).with_parameters(v),
        // Two offsets; per edge the neighbour, its degree and its rank.
        (Detail::Concrete, Kernel::Pull) => words(2 * v + 3 * e, v, 0).with_parameters(v),
        (Detail::Concrete, Kernel::PullNoDiv) => words(2 * v + 2 * e, v, 0).with_parameters(v),
        (Detail::Concrete, Kernel::Consolidate) => words(2 * v, 2 * v, v.div_ceil(GROUP)),
        (Detail::Concrete, Kernel::ConsolidateNoDiv) => words(3 * v, 2 * v, v.div_ceil(GROUP)),
    }
}

/// The operations of a whole round: a kernel and the one that completes it.
pub fn predicted_round(update: Kernel, detail: Detail, vertices: u64, edges: u64) -> Operations {
    let predicted = |kernel| predicted_operations(kernel, detail, vertices, edges);
    predicted(update) + update.consolidate().map(predicted).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The totals and bytes that the source prints, at V = 3200, E = 100000.
    #[test]
    fn the_published_totals() {
        let (v, e) = (3_200, 100_000);
        let triple = |update, detail| {
            let round = predicted_round(update, detail, v, e);
            (round.reads, round.writes, round.atomics)
        };
        assert_eq!(triple(Kernel::EdgeList, Detail::Abstract), (4 * e + 2 * v, 2 * v, v + e));
        assert_eq!(triple(Kernel::Push, Detail::Abstract), (4 * v, 2 * v, v + e));
        assert_eq!(triple(Kernel::Pull, Detail::Abstract), (2 * (e + v), 3 * v, v));
        assert_eq!(triple(Kernel::PullNoDiv, Detail::Abstract), (3 * v + e, 3 * v, v));
        assert_eq!(triple(Kernel::EdgeList, Detail::Concrete), (7 * e + 2 * v, 2 * v, e + v / 32));
        assert_eq!(triple(Kernel::Push, Detail::Concrete), (8 * v + e, 2 * v, e + v / 32));
        assert_eq!(triple(Kernel::Pull, Detail::Concrete), (7 * v + 3 * e, 3 * v, v / 32));
        assert_eq!(triple(Kernel::PullNoDiv, Detail::Concrete), (8 * v + 2 * e, 3 * v, v / 32));
        let bytes = |kernel| {
            let one = predicted_operations(kernel, Detail::Concrete, v, e);
            (one.bytes_read, one.bytes_written, one.bytes_atomic)
        };
        assert_eq!(bytes(Kernel::EdgeList), (40 * e, 0, 4 * e));
        assert_eq!(bytes(Kernel::Push), (36 * v + 4 * e, 0, 4 * e));
        assert_eq!(bytes(Kernel::Pull), (32 * v + 12 * e, 4 * v, 0));
        assert_eq!(bytes(Kernel::PullNoDiv), (32 * v + 8 * e, 4 * v, 0));
        assert_eq!(bytes(Kernel::Consolidate), (8 * v, 8 * v, 4 * v / 32));
        assert_eq!(bytes(Kernel::ConsolidateNoDiv), (12 * v, 8 * v, 4 * v / 32));
    }

    #[test]
    fn sums_and_costs() {
        let round = predicted_round(Kernel::Pull, Detail::Abstract, 2, 3);
        assert_eq!(round.count(), 2 * 5 + 3 * 2 + 2);
        assert_eq!(round.bytes(), 4 * round.count());
        assert_eq!(round.cost(1.0, 10.0, 100.0), 10.0 + 60.0 + 200.0);
        assert_eq!(Kernel::Consolidate.consolidate(), None);
    }
}
