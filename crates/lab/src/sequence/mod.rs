//! Sequences of runs: what one run leaves behind must not change what the next one finds.
//!
//! The matrix of [`check()`](crate::check()) asks whether one run is right. A machine keeps much from run to run:
//! compiled programs, graphs on a device, parts of graphs on workers, memory to be used again, results that an update
//! goes on from, states on disk. A [`Sequence`] is a graph and a list of steps on one machine: the graph changes, a
//! program runs anew, an executable is used again on this graph or an earlier one, a result is brought up to date, a
//! run is cancelled in the middle, another one is saved on one machine and goes on on another. Every result is judged
//! by the validator of its program and, where there is only one right result, by a run from scratch on the reference
//! machine, both on a copy of the graph that has nothing in common with the lists under test.
//!
//! | file | concept |
//! |---|---|
//! | `text` | a sequence as one line, and back |
//! | `draw` | sequences drawn from a seed |
//! | `target` | the machines by their names |
//! | `world` | the graph of a sequence: the lists under test, and a plain copy |
//! | `play` | carrying out the steps |
//! | `judge` | is a result right? |
//! | `shrink` | the smallest sequence that fails in the same way |
//! | `session` | many sequences, counted, with failures that can be repeated |

mod draw;
mod judge;
mod play;
mod session;
mod shrink;
mod target;
mod text;
mod world;

pub use draw::{Drawing, Kind};
pub use play::{Ending, Played, play};
pub use session::{SequenceFailure, SequenceReport, SequenceTally, Sequences, run_sequences};
pub use target::{Target, Targets};
pub use text::BadSequence;

/// A graph, a program and what is done with both, one step after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The standard program.
    pub program: String,
    /// The name of the machine, one of [`Targets`].
    pub on: String,
    /// The schedule: `own`, `auto`, `none` or canonical text.
    pub schedule: String,
    /// The graph at the beginning.
    pub start: Start,
    /// The steps.
    pub steps: Vec<Step>,
}

/// The graph at the beginning of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Every edge goes both ways.
    pub undirected: bool,
    /// Edges have weights.
    pub weighted: bool,
    /// The number of vertices, at least 1.
    pub vertices: usize,
    /// The edges; one of an undirected graph stands here once.
    pub edges: Vec<Edge>,
}

/// An edge with its weight, which graphs without weights pass over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub source: u32,
    /// Where it leads to.
    pub target: u32,
    /// Its weight.
    pub weight: i32,
}

/// An edge that comes or goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The edge is there afterwards, with this weight.
    Insert(Edge),
    /// The edge is not there afterwards; its weight says nothing.
    Delete(Edge),
}

/// One step of a sequence. `arg` stands for the arguments of a run: it is the source of a search, and counts grow by
/// its remainder by three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A batch of changes is applied; vertices that it names for the first time come with it.
    Change(Vec<Change>),
    /// The result is brought up to date with all changes since the last update, as `gw stream --incremental` does.
    Update,
    /// The program is compiled and runs on the graph as it is, as `gw stream` does.
    Run {
        /// For the arguments.
        arg: u32,
    },
    /// The executable of this sequence, compiled when first needed, runs once more.
    Again {
        /// The graph: that of a `Keep` by its place among these, or the graph as it is.
        on: Option<usize>,
        /// For the arguments.
        arg: u32,
    },
    /// The graph as it is stays for later steps, while changes go on.
    Keep,
    /// The executable runs and is cancelled after some operators.
    Stop {
        /// Operators that are carried out.
        after: u64,
        /// For the arguments.
        arg: u32,
    },
    /// A run is saved on one machine and goes on on another.
    Resume {
        /// Rounds of a loop between two checkpoints.
        every: u64,
        /// The machine that saves.
        from: String,
        /// The machine that goes on.
        to: String,
        /// For the arguments.
        arg: u32,
    },
}
