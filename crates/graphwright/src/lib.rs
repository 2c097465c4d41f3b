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
//! | find or write a program | [`Program::find`], [`Program::parse`], [`Program::parse_in`] |
//! | open or build a graph | [`Graph::open`], [`Graph::from_edges`], [`Graph::from_weighted_edges`], [`Graph::from_csr`] |
//! | name a graph in messages | [`Graph::named`] |
//! | give arguments | [`Job::arg`] by name, [`Job::args`] by position |
//! | choose the schedule | [`Job::schedule`]: `auto`, `adaptive`, a name of [`schedule::presets`], a text, a file |
//! | use what `gw tune` found | nothing: `auto` looks it up; [`Job::tuned`] for another cache |
//! | choose the machine | [`Job::target`] by name or `auto`, [`Machine::open`] and [`Job::machine`] |
//! | add a machine | [`machine::GraphVm`], [`machine::Machines::register`] |
//! | limit, cancel, watch a run | [`Job::timeout`], [`Job::cancel`], [`Job::observe`] |
//! | save a run, and go on with it | [`Job::checkpoint`] |
//! | keep a result up to date while the graph changes | [`Incremental`] |
//! | run once, run often | [`Job::run`], [`Job::prepare`] and [`Prepared::run`] |
//! | know the memory of a run beforehand | [`Job::plan`] and [`Planned::needs`] |
//! | read results | [`Outcome::vector`], [`Outcome::scalar`], [`Outcome::set`], [`Outcome::verify`] |
//! | write results as tables | [`results::ResultTables`], [`graphs::Table`] |
//! | read paths of searches | [`Outcome::path`], [`Outcome::paths`], [`Outcome::parents`] |
//! | see why it ran as it did | [`Outcome::notes`], [`Outcome::decision`], [`Outcome::times`], [`Outcome::parts`] |
//!
//! Five modules hold what fewer programs need: [`graphs`] what graphs are made of, [`results`] the types of results,
//! [`schedule`] schedules as values, [`machine`] what authors of machines implement, [`language`] what compilers and
//! editors see of a program.
//!
//! The command `gw`, the lab and the models stand on this crate: a [`Job`] is the one way to run, and
//! [`Program::settle`] and [`Program::compile`] are the one way from a text to a machine. It needs neither a database
//! nor a C compiler, and a GPU only where one is asked for.

mod error;
mod files;
mod graph;
pub mod graphs;
pub mod language;
pub mod machine;
mod program;
pub mod results;
mod run;
pub mod schedule;

pub use error::{Error, Result};
pub use graph::Graph;
pub use gw_exec::{Checkpoint, Observer, Resume, StepRecord, Value};
pub use gw_programs::{Path, Program as StandardProgram, programs};
pub use machine::Machine;
pub use program::Program;
pub use run::{Argument, Changes, How, Incremental, Job, Note, Outcome, Planned, Prepared, Times};
