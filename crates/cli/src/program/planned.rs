//! A program of `gw run` before its run: with its arguments, its graphs, and the schedule that is wanted for it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use graphwright::machine::{Family, Work};
use graphwright::results::{Meanings, Parts};
use graphwright::schedule::Wanted;
use graphwright::{Job, Machine, Program};
use gw_graph::Graph;

use super::ended::Ended;
use super::estimate::Estimate;
use super::graphs::Graphs;
use super::named::in_options;
use super::notes::Notes;
use super::paths::Asked;
use super::run::{Run, Setting};
use super::{trace, unread};
use crate::distributed;
use crate::error::CliError;
use crate::progress::phase;
use crate::stop;

/// A program that can be run.
pub struct Planned {
    /// The name by which the program was asked for.
    pub asked: String,
    /// What its vectors belong to.
    pub meanings: Meanings,
    /// The paths to print.
    pub paths: Asked,
    planned: graphwright::Planned,
    tracer: Option<Arc<trace::Printer>>,
    /// Seconds of the command before the run.
    parts: Parts,
}

impl Planned {
    /// Makes a program ready. Of several programs, each takes the arguments by name that it has.
    pub fn new(
        run: &Run,
        setting: &Setting<'_>,
        (asked, program): (String, Program),
        positional: &[String],
        graphs: Arc<Graphs>,
    ) -> Result<Planned, CliError> {
        let tracer = run.trace.then(|| Arc::new(trace::Printer::new()));
        let mut job = job(run, setting, &asked, &program).args(positional).graphs(Arc::clone(&graphs) as _);
        for (name, value) in run.named.pairs() {
            if setting.programs == 1 || program.has_argument(&name) {
                job = job.arg(&name, value);
            }
        }
        if let Some(tracer) = &tracer {
            job = job.observer(Arc::clone(tracer) as _);
        }
        let planned = job.plan().map_err(in_options)?;
        let paths = Asked::of(planned.program(), run, planned.args(), &graphs)?;
        let meanings = Meanings::of(planned.program());
        warn_of_unread(planned.program(), planned.schedule(), planned.args());
        Ok(Planned { asked, meanings, paths, planned, tracer, parts: Parts::default() })
    }

    /// The program: the one asked for, or the standard program that takes over on this kind of graph.
    pub fn program(&self) -> &Program {
        self.planned.program()
    }

    /// The graph of the program, where its text names one; loaded for the choice of a machine.
    pub fn load_graph(&mut self) -> Option<Arc<Graph>> {
        let start = Instant::now();
        let loaded = self.planned.graph();
        self.parts.read_graph += start.elapsed().as_secs_f64();
        loaded
    }

    /// The work that a machine is chosen for.
    pub fn work<'a>(&'a self, graph: Option<&'a Graph>) -> Work<'a> {
        Work { program: self.program().name(), graph }
    }

    /// Adds what the command did before: seconds of reading its arguments and of waiting for the machine.
    pub fn takes_also(&mut self, compile: f64, start_device: f64) {
        self.parts.compile += compile;
        self.parts.start_device += start_device;
    }

    /// How much memory the run needs on a machine.
    pub fn estimate(&self, machine: &Machine) -> Result<Estimate, CliError> {
        Estimate::of(&self.planned, machine)
    }

    /// Runs the program; `is_last` says that no other will run on the machine.
    pub fn run(self, run: &Run, setting: &Setting<'_>, machine: &Machine, is_last: bool) -> Result<Ended, CliError> {
        let Planned { asked, meanings, paths, planned, tracer, parts } = self;
        let program = planned.program().clone();
        // Where the program or the run writes lines, a bar would be in their way.
        let is_quiet = program.as_standard().is_some() && !run.trace && !run.explain_schedule;
        let bar = (is_quiet && distributed::is_first()).then(|| phase("running"));
        let mut prepared = planned.on(machine).map_err(|error| failed(error, machine))?;
        setting.cancel.store(false, Ordering::Relaxed);
        let outcome = prepared.run();
        setting.cancel.store(true, Ordering::Relaxed);
        let mut outcome = outcome.map_err(|error| failed(error, machine))?;
        drop(bar);
        if is_last && !machine.vm().start_steps().is_empty() {
            stop::leave_to_the_system(prepared);
        }
        outcome.parts = outcome.parts + parts;
        Ended::new(asked, program, meanings, paths, outcome, tracer.and_then(|tracer| tracer.touched_edges()))
    }
}

/// A run of the program as the options say, without its arguments.
fn job(run: &Run, setting: &Setting<'_>, asked: &str, program: &Program) -> Job {
    let who = (setting.programs > 1).then(|| asked.to_string());
    let notes = Notes { who, explain: run.explain_schedule, is_quiet: !distributed::is_first() };
    let mut job = program.job().cancel(setting.cancel).since(setting.started).seed(run.seed);
    job = job.guard(!run.no_guard).explain(run.explain_schedule).listen(move |note| notes.tell(note));
    job = job.schedule_title("--schedule");
    if let Some(schedule) = &run.schedule {
        job = job.schedule(schedule);
    }
    if let Some(limit) = setting.timeout {
        job = job.timeout(limit);
    }
    if let Some(checkpoint) = run.saving.checkpoint(distributed::is_first()) {
        job = job.checkpoint(checkpoint);
    }
    match (run.json, setting.to_stdout) {
        // The answer has what the program prints.
        (true, _) => job,
        (false, true) => job.print_to(Arc::new(Mutex::new(std::io::stderr()))),
        (false, false) => job.print_to(Arc::new(Mutex::new(std::io::stdout()))),
    }
}

/// The error of a run. Where a device that was asked for has too little memory, the mend is told.
fn failed(error: graphwright::Error, machine: &Machine) -> CliError {
    match error.is_out_of_memory() && !machine.start().is_chosen && machine.vm().family() == Family::Gpu {
        true => {
            crate::output::error(&error.into());
            let mend = "--target cpu runs it in the memory of the host, --target auto does so by itself";
            CliError::NoResult(mend.to_string())
        }
        false => error.into(),
    }
}

/// Says which arguments a program of one's own does not read, or only in part.
fn warn_of_unread(program: &Program, wanted: &Wanted, args: &[String]) {
    if program.as_standard().is_some() {
        return;
    }
    let schedule = match wanted {
        Wanted::Fixed(schedule, _) => Some(&**schedule),
        Wanted::Chosen | Wanted::Rule | Wanted::Tuned(..) | Wanted::Preset(_) | Wanted::Adaptive(..) => None,
    };
    for index in unread::unread(program.module(), schedule, args.len()) {
        eprintln!("gw: warning: the program never reads argv[{index}], `{}`", args[index - 1]);
    }
    unread::misread(program, args).for_each(|warning| eprintln!("gw: warning: {warning}"));
}
