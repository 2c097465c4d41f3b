//! The conformance matrix: standard programs x schedules x small graphs of every class on one machine, every result
//! validated.
//!
//! 1. Every program is parsed and lowered (`plan`), and the schedules to try are drawn (`cover`): its own, none, what
//!    the machine chooses for each graph, and legal schedules within the machine's capabilities.
//! 2. Each program is compiled once per schedule and then run on all graphs that suit it; its validator looks at every
//!    result (`run`).
//! 3. Runs are counted, failures kept with the command that repeats them (`report`).

mod cover;
mod plan;
mod report;
mod run;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gw_exec::GraphVm;
use gw_programs::Program;

use crate::error::Result;
use graphwright::schedule::Wanted;
use plan::Graphs;
pub use report::{CheckReport, CheckedProgram, Failure, Refusal, Tally};
use run::Runner;

/// What to check.
pub struct Check<'a> {
    /// The machine.
    pub machine: &'a dyn GraphVm,
    /// The words that select the machine on the command line, such as `--target cpu --threads 2`: for the commands that
    /// repeat a failure.
    pub options: String,
    /// The programs.
    pub programs: Vec<&'static Program>,
    /// Few schedules and graphs: every value of every axis once somewhere in the matrix.
    pub quick: bool,
    /// Seed of the schedules drawn.
    pub seed: u64,
    /// Legal schedules per program, besides its own, none and the machine's choice; as many as cover everything when
    /// absent.
    pub schedules: Option<usize>,
    /// Only schedules whose texts have one of these, such as `loop=fused`; all when there is none.
    pub only: Vec<String>,
    /// No schedule whose text has one of these.
    pub skip: Vec<String>,
    /// A run that takes longer has failed.
    pub timeout: Duration,
    /// So many schedules are compiled at a time, on as many threads; 1 compiles each just before it is run.
    pub ahead: usize,
    /// Ends the check when it becomes true.
    pub cancel: Arc<AtomicBool>,
}

impl<'a> Check<'a> {
    /// The whole matrix for a machine.
    pub fn new(machine: &'a dyn GraphVm) -> Check<'a> {
        Check {
            machine,
            options: format!("--target {}", machine.name()),
            programs: gw_programs::programs().iter().collect(),
            quick: false,
            seed: 1,
            schedules: None,
            only: Vec::new(),
            skip: Vec::new(),
            timeout: Duration::from_secs(60),
            ahead: 1,
            cancel: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Whether a schedule is wanted. Nobody knows yet what the machine will choose.
    fn wants(&self, trial: &Wanted) -> bool {
        let text = match trial {
            Wanted::Fixed(schedule, _) => schedule.to_string(),
            _ => String::new(),
        };
        let has = |words: &[String]| words.iter().any(|word| text.contains(word));
        (self.only.is_empty() || has(&self.only)) && !has(&self.skip)
    }
}

/// Hears how a check goes on.
pub trait CheckListener {
    /// A check of so many runs begins.
    fn begin(&mut self, runs: u64);
    /// A program and one of its schedules are up.
    fn trying(&mut self, program: &str, schedule: &str);
    /// So many runs are done.
    fn advance(&mut self, runs: u64);
}

/// Runs the matrix. The error says that it could not be set up; what goes wrong in a run is in the report.
pub fn check(check: &Check<'_>, listener: &mut dyn CheckListener) -> Result<CheckReport> {
    let start = Instant::now();
    let capabilities = check.machine.capabilities();
    let graphs = Graphs::load(check.quick)?;
    let plans = plan::plans(check, &capabilities, &graphs)?;
    let report = CheckReport {
        target: check.machine.name().to_string(),
        seed: check.seed,
        quick: check.quick,
        classes: graphs.classes(),
        ..CheckReport::default()
    };
    listener.begin(plans.iter().map(|plan| (plan.trials.len() * plan.cells.len()) as u64).sum());
    let mut runner = Runner::new(check, &graphs, listener, report);
    plans.iter().for_each(|plan| runner.program(plan));
    let mut report = runner.report;
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}
