//! Graph algorithms that are written once and run fast everywhere.
//!
//! A [`Program`] says *what* is computed: one of the standard programs, or a text in Graphwright's small language. A
//! schedule says *how*; without one the machine chooses for the graph at hand. A [`Machine`] says *where*: the
//! processor or an NVIDIA GPU.
//!
//! ```
//! use graphwright::{Graph, Program};
//!
//! let graph = Graph::from_edges(&[(0, 1), (1, 2), (0, 3)])?;
//! let bfs = Program::find("bfs-levels")?;
//! let run = bfs.on(&graph).arg("source", 0).run()?;
//! assert_eq!(run.vector::<i32>("level")?, [0, 1, 2, 1]);
//! # Ok::<(), graphwright::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | list the standard programs | [`programs`] |
//! | find or write a program | [`Program::find`], [`Program::parse`] |
//! | open or build a graph | [`Graph::open`], [`Graph::from_edges`], [`Graph::from_weighted_edges`], [`Graph::from_csr`] |
//! | give arguments | [`Job::arg`] by name, [`Job::args`] by position |
//! | choose the schedule | [`Job::schedule`]: `auto`, `adaptive`, a name of [`presets`], a text, a file |
//! | choose the machine | [`Machine::open`], [`Job::machine`]; a new kind: [`Machines::register`] |
//! | limit, cancel, watch a run | [`Job::timeout`], [`Job::cancel`], [`Job::observe`] |
//! | keep a result up to date while the graph changes | [`Incremental`] |
//! | run once, run often | [`Job::run`], [`Job::prepare`] and [`Prepared::run`] |
//! | read results | [`Outcome::vector`], [`Outcome::scalar`], [`Outcome::set`], [`Outcome::verify`] |
//! | see why it ran as it did | [`Outcome::decision`], [`Outcome::times`], [`Outcome::parts`], [`Outcome::usage`] |
//!
//! The command `gw`, the lab and the models stand on this crate: [`Program::settle`] and [`Program::compile`] are the
//! one way from a text to a machine. It needs neither a database nor a C compiler, and a GPU only where one is asked
//! for.

mod adviser;
mod argument;
mod carried;
mod error;
mod graph;
mod incremental;
mod job;
pub mod learned;
mod machines;
mod opening;
mod outcome;
mod parts;
mod preset;
mod program;
mod ready;
mod settled;
mod tuned;
mod wanted;
mod worth;

pub use adviser::{Adviser, Candidate, tree_text};
pub use argument::Argument;
pub use error::{Error, Result};
pub use graph::Graph;
pub use gw_exec::{ExternCall, ExternResult, Externs, MachineUsage, Observer, Reason, StartStep, StepRecord, Value};
pub use gw_programs::{Program as StandardProgram, programs};
pub use incremental::{Changes, How, Incremental};
pub use job::{Job, Prepared};
pub use machines::{Flow, Machine, MachineKind, MachineOptions, Machines, Missing, Swarm};
pub use opening::{Opened, Opening};
pub use outcome::{Entry, Number, Outcome, Times};
pub use parts::Parts;
pub use preset::{Preset, presets};
pub use program::Program;
pub use ready::Ready;
pub use settled::{Compiled, Decision, Settled};
pub use tuned::{Aim, ScheduleCache, TunedSchedule, Tuning, TuningKey, graph_signature, text_hash};
pub use wanted::{ADAPTIVE, AUTO, Origin, RULE, ReadSchedule, Wanted};
pub use worth::{Worth, is_worth_starting, worth};
