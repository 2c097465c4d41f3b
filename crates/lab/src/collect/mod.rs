//! The runner of the lab: finds what is missing and measures it.
//!
//! Graphs come one after the other, each loaded once. On a graph, properties come first: runs under a plain push
//! schedule that count frontiers and give the reference result of each variant. Then every implementation is run on
//! all variants that it lacks: a warm-up whose result is checked, and the timed runs. The implementations of a variant
//! take turns and are written when all had theirs: whatever ends the process, at most one variant is lost, and running
//! again goes on where it stopped.
//!
//! | file | concept |
//! |---|---|
//! | `compiled` | a program under a schedule, its steps and arguments |
//! | `listen` | step records of a run |
//! | `turns` | who begins a round |
//! | `graph` | the graph at hand: its properties and its hash |
//! | `result` | hashes of results, equal within tolerance |
//! | `runner` | the order of everything |
//! | `again` | a second look at results that were not found right |

mod again;
mod compiled;
mod graph;
mod listen;
mod result;
mod runner;
mod turns;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gw_exec::GraphVm;

use crate::db::Lab;
use crate::error::Result;

pub use again::{Revalidated, revalidate};

/// With what and how long the lab measures.
pub struct Collection<'a> {
    /// The machine that is timed.
    pub machine: &'a dyn GraphVm,
    /// Threads of the host that it computes with.
    pub threads: usize,
    /// The machine of property runs. Pushing, it must count all out-edges of the frontier, also those to vertices
    /// that a filter leaves out: the processor does, the reference machine does not.
    pub property_machine: &'a dyn GraphVm,
    /// A run that takes longer has failed.
    pub time_limit: Option<Duration>,
    /// No run is begun after this time.
    pub stop_after: Option<Duration>,
    /// How often a run that failed is tried again, all processes together.
    pub retries: u32,
    /// Where files of graphs are looked for first, by their names.
    pub graph_folder: Option<PathBuf>,
    /// Meters the energy of every run, which takes two seconds more per run.
    pub energy: Option<&'a dyn gw_meter::power::EnergyMeter>,
    /// Ends the measuring when it becomes true.
    pub cancel: Arc<AtomicBool>,
}

/// Hears how measuring goes on.
pub trait CollectListener {
    /// So many runs are missing.
    fn begin(&mut self, runs: u64);
    /// What is at work, such as the name of a graph and an implementation.
    fn at(&mut self, graph: &str, what: &str);
    /// So many runs more came to their end, well or not.
    fn advance(&mut self, runs: u64);
}

/// Hears nothing.
impl CollectListener for () {
    fn begin(&mut self, _runs: u64) {}
    fn at(&mut self, _graph: &str, _what: &str) {}
    fn advance(&mut self, _runs: u64) {}
}

/// What came of measuring.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Collected {
    /// Runs that were measured.
    pub runs: u64,
    /// Variants whose properties were found.
    pub properties: u64,
    /// Runs measured whose results were neither equal to the reference nor found right by a validator.
    pub not_validated: u64,
    /// Runs that other processes are working on.
    pub elsewhere: u64,
    /// Runs that are still missing for another reason: interrupted, out of time.
    pub left: u64,
    /// What fails, from this time or before.
    pub problems: Vec<Problem>,
    /// Measuring was cancelled.
    pub interrupted: bool,
}

/// A run that does not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The graph.
    pub graph: String,
    /// The variant.
    pub config: String,
    /// The implementation; nothing when the properties of the variant could not be found.
    pub implementation: Option<String>,
    /// How often it failed.
    pub times: u32,
    /// Why it failed the last time.
    pub message: String,
}

/// Measures everything that run configurations of this machine and this commit of the program lack.
pub fn collect(lab: &mut Lab, settings: &Collection<'_>, listener: &mut dyn CollectListener) -> Result<Collected> {
    runner::Runner::new(lab, settings, listener)?.run()
}
