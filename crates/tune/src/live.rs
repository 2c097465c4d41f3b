//! The machine as a bench: compiles schedules, runs them under a time limit, and has everything written down.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use graphwright::schedule::{Origin, Wanted};
use graphwright::{Program, Times};
use gw_exec::{ErrorKind, GraphVm, RunOptions, RunResult};
use gw_graph::Graph;
use gw_ir::Module;
use gw_lab::{TrialOutcome, TrialRow};
use gw_meter::power::{EnergyMeter, Gauge};
use gw_programs::Run as FinishedRun;
use gw_schedule::{Family, ProgramSchedule};

use crate::bench::{Bench, Objective, Reading, Trial};

/// Compiled schedules that are kept for further runs.
const KEPT: usize = 24;
/// A stop is seen this many seconds late: runs shorter than this are never ended.
pub(crate) const STOP_DELAY: f64 = 0.02;
/// A first run longer than this is not repeated: what a cold start costs does not show in it.
pub(crate) const LONG: f64 = 0.1;
/// On a device: seconds for a first run, which compiles kernels, and for others. A kernel that is stopped may keep the
/// device busy until the process ends, so that only runs beyond reason are ended there.
const DEVICE_FIRST: f64 = 4.0;
const DEVICE_LATER: f64 = 2.0;
/// The same in surveys, which end many runs: kernels listen in between, and one that does not ends the survey.
const DEVICE_HURRIED: f64 = 0.05;
/// In surveys a first run that takes so many times the limit, and this many seconds more for a cold start, counts as
/// too slow without a second run.
const HOPELESS: f64 = 2.0;
const COLD_START: f64 = 2e-3;
/// Schedules that are prepared before they are run where a device compiles kernels.
const EXPECTED: usize = 192;
/// Runs that are repeated for their energy are ended at this multiple of the limit: one that is slow by chance must not
/// end the metering.
const PATIENCE: f64 = 4.0;

/// A program on a graph and a machine.
pub struct Live<'a> {
    program: &'a Program,
    machine: &'a dyn GraphVm,
    /// As lowered, every operator with a label.
    module: Module,
    graph: Arc<Graph>,
    inputs: Vec<RunOptions>,
    objective: Objective,
    /// Meters the energy of runs.
    meter: Option<(&'a dyn EnergyMeter, Gauge)>,
    started: Instant,
    compiled: Vec<Compiled>,
    /// Schedules that were prepared before they are run, or why they cannot be run.
    expected: Vec<(ProgramSchedule, Result<Compiled, String>)>,
    /// Slow runs are ended soon, since only who is fast matters.
    hurried: bool,
    /// A schedule that came to its end on this machine.
    proven: Option<ProgramSchedule>,
    record: Box<dyn FnMut(TrialRow) + 'a>,
    /// Seconds spent on compiling.
    pub compile_seconds: f64,
    /// Schedules compiled.
    pub compiles: usize,
    /// The device is still at work on a run that was ended, and takes no other.
    pub lost: bool,
}

/// What is known about the result of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was checked and is right.
    Right,
    /// It was checked and is wrong, for this reason.
    Wrong(String),
    /// Nobody can check results of this program.
    Unknown,
    /// The run that was to be checked failed.
    Failed(String),
}

struct Compiled {
    schedule: ProgramSchedule,
    program: gw_exec::Program,
    bytes: u64,
    seconds: f64,
}

impl<'a> Live<'a> {
    /// A bench for a program; `module` has a label on every operator. The inputs are whole runs that differ in their
    /// arguments; `record` hears of every trial.
    pub fn new(
        program: &'a Program,
        machine: &'a dyn GraphVm,
        module: Module,
        graph: Arc<Graph>,
        inputs: Vec<RunOptions>,
        objective: Objective,
        record: impl FnMut(TrialRow) + 'a,
    ) -> Live<'a> {
        Live {
            program,
            machine,
            module,
            graph,
            inputs,
            objective,
            meter: None,
            started: Instant::now(),
            compiled: Vec::new(),
            expected: Vec::new(),
            hurried: false,
            proven: None,
            record: Box::new(record),
            compile_seconds: 0.0,
            compiles: 0,
            lost: false,
        }
    }

    /// The same bench, which also meters every schedule: its run is repeated until the meter can tell.
    #[must_use]
    pub fn metered(self, meter: &'a dyn EnergyMeter, gauge: Gauge) -> Live<'a> {
        Live { meter: Some((meter, gauge)), ..self }
    }

    /// The same bench, which ends slow runs as soon as the machine can: for surveys.
    #[must_use]
    pub(crate) fn hurried(self) -> Live<'a> {
        Live { hurried: true, ..self }
    }

    /// Counts the time from another moment than that of its making.
    pub(crate) fn begun_at(&mut self, moment: Instant) {
        self.started = moment;
    }

    /// Replaces the inputs by this one.
    pub(crate) fn set_input(&mut self, options: RunOptions) {
        self.inputs = vec![options];
    }

    /// Runs a schedule once more, brings its results to the host and checks them.
    pub fn verify(&mut self, schedule: &ProgramSchedule) -> Verdict {
        let Some(standard) = self.program.as_standard() else { return Verdict::Unknown };
        if let Err(problem) = self.compile(schedule) {
            return Verdict::Failed(problem);
        }
        let options = RunOptions { fetch_results: true, timeout: None, ..self.inputs[0].clone() };
        let ran = match self.compiled[0].program.run(&options) {
            Ok(ran) => ran,
            Err(error) => return Verdict::Failed(error.to_string()),
        };
        let run = FinishedRun { graph: &self.graph, args: &options.argv[1..], results: &ran.globals };
        match standard.validate(&run) {
            Ok(()) => Verdict::Right,
            Err(wrong) => Verdict::Wrong(wrong.to_string()),
        }
    }

    /// Puts the compiled schedule first; returns the seconds for compiling.
    fn compile(&mut self, schedule: &ProgramSchedule) -> Result<f64, String> {
        if let Some(at) = self.compiled.iter().position(|compiled| compiled.schedule == *schedule) {
            self.compiled[..=at].rotate_right(1);
            return Ok(0.0);
        }
        let at = self.expected.iter().position(|(expected, _)| expected == schedule);
        let prepared = match at {
            Some(at) => self.expected.remove(at).1,
            None => self.prepared(schedule),
        };
        let prepared = prepared?;
        let seconds = prepared.seconds;
        self.compiled.truncate(KEPT - 1);
        self.compiled.insert(0, prepared);
        self.compile_seconds += seconds;
        self.compiles += 1;
        Ok(seconds)
    }

    /// Compiles a schedule; on a device its kernels are compiled from now on, side by side with those of others.
    fn prepared(&self, schedule: &ProgramSchedule) -> Result<Compiled, String> {
        let start = Instant::now();
        let wanted = Wanted::Fixed(Box::new(schedule.clone()), Origin::Given);
        let settled = wanted.settle(self.machine, self.module.clone(), &self.inputs[0]);
        let compiled = settled.compile(self.machine).map_err(|error| error.to_string())?;
        let bytes = match self.objective {
            Objective::Time | Objective::Energy | Objective::TimeEnergy => 0,
            Objective::Memory => {
                let needs = self.machine.needs(compiled.program.module(), &self.graph);
                needs.map(|needs| needs.host_bytes() + needs.device_bytes()).map_err(|error| error.to_string())?
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        Ok(Compiled { schedule: schedule.clone(), program: compiled.program, bytes, seconds })
    }

    /// Whether the device still runs what it ran before. A kernel that does not end, or that breaks its context, leaves
    /// a device on which everything fails: that says nothing about the schedules that fail then.
    fn still_works(&mut self) -> bool {
        let Some(proven) = self.proven.clone().filter(|_| self.on_device()) else { return true };
        let works = self.prepared(&proven).is_ok_and(|mut compiled| {
            let options = RunOptions { fetch_results: false, ..self.inputs[0].clone() };
            compiled.program.run(&options).is_ok()
        });
        self.lost |= !works && !self.inputs[0].cancel.load(Ordering::Relaxed);
        works
    }

    /// A schedule whose first run was ended and kept the device was too slow. One that broke the device otherwise
    /// failed, and is not tried again.
    fn tell_lost(&mut self, schedule: &ProgramSchedule, input: usize, was_ended: bool, limit: f64) {
        if self.lost {
            let (outcome, seconds) = if was_ended { (TrialOutcome::Slow, limit) } else { (TrialOutcome::Failed, 0.0) };
            self.tell(schedule, input, outcome, Reading::timed(seconds), 0.0);
        }
    }

    fn on_device(&self) -> bool {
        self.machine.family() == Family::Gpu
    }

    fn run_first(&mut self, input: usize, limit: f64) -> Result<RunResult, gw_exec::ExecError> {
        let mut options = self.inputs[input].clone();
        options.timeout = Duration::try_from_secs_f64(limit).ok();
        options.fetch_results = false;
        self.compiled[0].program.run(&options)
    }

    /// What a schedule costs that was just run and took so many seconds. Where energy is wanted, its run is repeated
    /// while the meter is read: the joules are those of a repeated run with what the host does between two runs, and
    /// the seconds are the median of the repeated runs.
    fn reading(&mut self, input: usize, seconds: f64, limit: f64) -> Result<Reading, gw_exec::ExecError> {
        let bytes = self.compiled[0].bytes;
        let Some((meter, gauge)) = self.meter.clone() else { return Ok(Reading { seconds, bytes, joules: None }) };
        let mut times = Vec::new();
        let energy = gauge.measure(meter, |_| {
            times.push(Times::of(&self.run_first(input, limit)?).counted());
            Ok::<_, gw_exec::ExecError>(())
        })?;
        times.sort_unstable_by(f64::total_cmp);
        let seconds = times.get(times.len() / 2).copied().unwrap_or(seconds);
        Ok(Reading { seconds, bytes, joules: energy.map(|energy| energy.joules) })
    }

    /// Forms of the graph that were made so far: a run that makes one is not representative.
    fn forms(&self) -> usize {
        self.graph.derived().len() + usize::from(self.graph.has_incoming())
    }

    fn tell(&mut self, schedule: &ProgramSchedule, input: usize, outcome: TrialOutcome, of: Reading, compile: f64) {
        (self.record)(TrialRow {
            schedule: schedule.to_string(),
            input,
            outcome,
            seconds: of.seconds,
            bytes: of.bytes,
            joules: of.joules,
            compile_seconds: compile,
        });
    }
}

impl Bench for Live<'_> {
    fn inputs(&self) -> usize {
        self.inputs.len()
    }

    fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn run(&mut self, schedule: &ProgramSchedule, input: usize, limit: f64) -> Trial {
        if self.lost || self.inputs[input].cancel.load(Ordering::Relaxed) {
            return Trial::Stopped;
        }
        let compile = match self.compile(schedule) {
            Ok(seconds) => seconds,
            Err(_) if !self.still_works() => return Trial::Stopped,
            Err(problem) => {
                self.tell(schedule, input, TrialOutcome::Failed, Reading::timed(0.0), 0.0);
                return Trial::Failed(problem);
            }
        };
        let on_device = self.on_device();
        let (first, later) = match (on_device, self.hurried) {
            (false, _) => (STOP_DELAY, STOP_DELAY),
            (true, true) => (DEVICE_HURRIED, DEVICE_HURRIED),
            (true, false) => (if compile > 0.0 { DEVICE_FIRST } else { DEVICE_LATER }, DEVICE_LATER),
        };
        let before = self.forms();
        let start = Instant::now();
        let mut ran = self.run_first(input, limit.max(first));
        // A cold start alone, or waiting for the compiler, may take longer than a run so short that nobody could end it
        // in time.
        let again = if on_device { self.hurried } else { limit < first };
        let was_ended = is_timeout(&ran);
        if compile > 0.0 && again && was_ended {
            ran = self.run_first(input, limit.max(later));
        }
        // A schedule that was just compiled meets cold code and memory that was never touched; some first runs make
        // forms of the graph, and on a device kernels. What counts is a run after that.
        let cold = compile > 0.0 && ran.as_ref().is_ok_and(|ran| on_device || Times::of(ran).counted() < LONG);
        let made_forms = self.forms() != before;
        let slow = |ran: &RunResult| Times::of(ran).counted() > HOPELESS * limit + COLD_START;
        let hopeless = self.hurried && cold && !made_forms && ran.as_ref().is_ok_and(slow);
        if !hopeless && (made_forms || cold) {
            ran = self.run_first(input, limit.max(later));
        }
        let compile = match (&ran, on_device && compile > 0.0) {
            (Ok(ran), true) => compile + start.elapsed().as_secs_f64() - Times::of(ran).counted(),
            _ => compile,
        };
        let read = ran.and_then(|ran| self.reading(input, Times::of(&ran).counted(), PATIENCE * limit.max(later)));
        let bytes = self.compiled[0].bytes;
        match read {
            Ok(_) if hopeless => {
                self.tell(schedule, input, TrialOutcome::Slow, Reading { bytes, ..Reading::timed(limit) }, compile);
                Trial::TooSlow
            }
            Ok(reading) if self.meter.is_some() && reading.joules.is_none() => {
                self.tell(schedule, input, TrialOutcome::Failed, reading, compile);
                Trial::Failed("the counter of energy stood still while the run was repeated".to_string())
            }
            Ok(reading) => {
                self.proven.get_or_insert_with(|| schedule.clone());
                self.tell(schedule, input, TrialOutcome::Done, reading, compile);
                Trial::Done(reading)
            }
            Err(error) => match error.kind() {
                // A device that nobody stopped refuses runs while a former one goes on.
                ErrorKind::Cancelled => {
                    self.lost = !self.inputs[input].cancel.load(Ordering::Relaxed);
                    self.tell_lost(schedule, input, was_ended, limit.max(later));
                    Trial::Stopped
                }
                ErrorKind::TimedOut { .. } => {
                    let reading = Reading { bytes, ..Reading::timed(limit.max(later)) };
                    self.tell(schedule, input, TrialOutcome::Slow, reading, compile);
                    Trial::TooSlow
                }
                _ if !self.still_works() => {
                    self.tell_lost(schedule, input, was_ended, limit.max(later));
                    Trial::Stopped
                }
                _ => {
                    self.tell(schedule, input, TrialOutcome::Failed, Reading { bytes, ..Reading::timed(0.0) }, compile);
                    Trial::Failed(error.to_string())
                }
            },
        }
    }

    fn expect(&mut self, next: &[ProgramSchedule]) {
        if !self.on_device() || self.lost {
            return;
        }
        let next = &next[..next.len().min(EXPECTED)];
        // Mostly the same schedules as before, less those that were run: then only the last ones are new.
        let known = self.expected.len();
        let same = |place: usize| next.get(place).is_some_and(|schedule| self.expected[place].0 == *schedule);
        let goes_on = known > 0 && same(0) && same(known - 1);
        let mut before = if goes_on { Vec::new() } else { std::mem::take(&mut self.expected) };
        for schedule in &next[self.expected.len()..] {
            let prepared = match before.iter().position(|(of, _)| of == schedule) {
                Some(at) => before.swap_remove(at).1,
                None => self.prepared(schedule),
            };
            self.expected.push((schedule.clone(), prepared));
        }
    }

    fn lanes(&self) -> usize {
        match self.on_device() {
            true => std::thread::available_parallelism().map_or(1, usize::from),
            false => 1,
        }
    }
}

fn is_timeout(ran: &Result<RunResult, gw_exec::ExecError>) -> bool {
    ran.as_ref().is_err_and(|error| matches!(error.kind(), ErrorKind::TimedOut { .. }))
}
