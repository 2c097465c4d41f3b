//! Carrying out the steps of a sequence.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graphwright::schedule::{Origin, Wanted};
use graphwright::{Error, Graph, Incremental, Machine, Program, StandardProgram, StepRecord};
use gw_exec::{Checkpoint, ErrorKind, ExecError, Resume, RunOptions, RunResult, SpecGraphs};
use gw_schedule::ProgramSchedule;
use serde::Serialize;

use super::judge::{GRAPH, Judge, arguments};
use super::target::Targets;
use super::world::{Version, Weighing, World};
use super::{Sequence, Step};

/// A run that takes longer is wrong: graphs have some dozen vertices.
const LIMIT: Duration = Duration::from_secs(60);

/// How a sequence ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// All results were right.
    Right,
    /// No result came: the machine refused every run.
    Refused,
    /// A result was wrong, or a run failed.
    Wrong {
        /// The step, from 0.
        step: usize,
        /// What was wrong.
        problem: String,
    },
}

/// A sequence that was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// How it ended.
    pub ending: Ending,
    /// Results that were judged.
    pub judged: u64,
    /// Why steps were refused, each reason once.
    pub refused: Vec<String>,
}

/// Carries out a sequence. A panic of the machine is a failure like any other.
pub fn play(sequence: &Sequence, targets: &Targets) -> Played {
    let mut told = Told::default();
    let play = || match sequence.start.weighted {
        true => play_on::<i32>(sequence, targets, &mut told),
        false => play_on::<()>(sequence, targets, &mut told),
    };
    let ended = catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", text.unwrap_or("without a message")))
    });
    let ending = match ended {
        Err(problem) => Ending::Wrong { step: told.step, problem },
        Ok(()) if told.judged == 0 && !told.refused.is_empty() => Ending::Refused,
        Ok(()) => Ending::Right,
    };
    Played { ending, judged: told.judged, refused: told.refused }
}

/// What is known of a sequence under way, also after a panic.
#[derive(Default)]
struct Told {
    step: usize,
    judged: u64,
    refused: Vec<String>,
}

/// Why a step has no result.
enum NoResult {
    /// The machine says that it cannot do this.
    Refused(String),
    Wrong(String),
}

impl From<String> for NoResult {
    fn from(problem: String) -> NoResult {
        NoResult::Wrong(problem)
    }
}

fn play_on<W: Weighing>(sequence: &Sequence, targets: &Targets, told: &mut Told) -> Result<(), String> {
    let mut player = match Player::<W>::new(sequence, targets) {
        Ok(player) => player,
        Err(NoResult::Wrong(problem)) => return Err(problem),
        Err(NoResult::Refused(reason)) => {
            told.refused.push(reason);
            return Ok(());
        }
    };
    for (at, step) in sequence.steps.iter().enumerate() {
        told.step = at;
        match player.step(step) {
            Ok(judged) => told.judged += judged,
            Err(NoResult::Refused(reason)) => {
                if !told.refused.contains(&reason) {
                    told.refused.push(reason);
                }
            }
            Err(NoResult::Wrong(problem)) => return Err(problem),
        }
    }
    Ok(())
}

struct Player<'a, W: Weighing> {
    sequence: &'a Sequence,
    targets: &'a Targets,
    machine: Machine,
    standard: &'static StandardProgram,
    program: Program,
    world: World<W>,
    kept: Vec<Version>,
    executable: Option<gw_exec::Program>,
    incremental: Option<Incremental>,
    judge: Judge,
    /// Where runs are saved.
    folder: Option<Folder>,
}

impl<'a, W: Weighing> Player<'a, W> {
    fn new(sequence: &'a Sequence, targets: &'a Targets) -> Result<Self, NoResult> {
        let standard = gw_programs::find(&sequence.program).map_err(|error| error.to_string())?;
        let program = Program::standard(standard).and_then(|program| program.with_rows(&standard.example_rows()));
        let program = program.map_err(|error| error.to_string())?;
        let machine = targets.open(&sequence.on).map_err(NoResult::Refused)?;
        let judge = Judge::new(&program);
        let world = World::new(&sequence.start)?;
        Ok(Player {
            sequence,
            targets,
            machine,
            standard,
            program,
            world,
            kept: Vec::new(),
            executable: None,
            incremental: None,
            judge,
            folder: None,
        })
    }

    /// Carries out a step; the number of results that were judged.
    fn step(&mut self, step: &Step) -> Result<u64, NoResult> {
        match step {
            Step::Change(changes) => self.world.apply(changes)?,
            Step::Keep => {
                let now = self.world.now()?;
                self.kept.push(now);
            }
            Step::Update => return self.update(),
            Step::Run { arg } => return self.run(*arg),
            Step::Again { on, arg } => {
                let version = match on {
                    None => self.now()?,
                    // What a shorter sequence no longer keeps is passed over.
                    Some(kept) => match self.kept.get(*kept) {
                        Some(version) => version.clone(),
                        None => return Ok(0),
                    },
                };
                return self.again(&version, *arg);
            }
            Step::Stop { after, arg } => self.stop(*after, *arg)?,
            Step::Resume { every, from, to, arg } => return self.resume(*every, [from, to], *arg),
        }
        Ok(0)
    }

    /// The graph as it is, of which the machine has been told.
    fn now(&mut self) -> Result<Version, NoResult> {
        self.world.tell(&self.machine)?;
        Ok(self.world.now()?)
    }

    /// The arguments of a run; `None` where the program cannot take the graph.
    fn arguments(&self, version: &Version, arg: u32) -> Option<Vec<String>> {
        let is_simple = || version.plain.not_simple().is_none();
        let suits = self.standard.suits(&version.plain) && (!self.standard.needs_simple || is_simple());
        suits.then(|| arguments(self.standard, &version.plain, arg)).flatten()
    }

    fn update(&mut self) -> Result<u64, NoResult> {
        let version = self.now()?;
        let changes = self.world.changes()?;
        let args = self.arguments(&version, 0);
        let incremental = match &mut self.incremental {
            Some(incremental) => incremental,
            none => {
                let missing = || NoResult::Refused(format!("{} comes without an update", self.standard.name));
                let update = self.program.update().ok_or_else(missing)?.map_err(|error| error.to_string())?;
                let args = arguments(self.standard, &version.plain, 0).unwrap_or_default();
                let job = self.program.job().args(args.into_iter().skip(1)).machine(&self.machine).timeout(LIMIT);
                let job = if self.sequence.schedule == OWN { job } else { job.schedule(&self.sequence.schedule) };
                none.insert(Incremental::new(job, update))
            }
        };
        let ran = incremental.run(&version.lists.clone().named(GRAPH), Some(&changes));
        let (outcome, _) = match (ran, &args) {
            (Err(Error::Unsuitable(_)), None) => return Ok(0),
            (Ok(_), None) => return Err("a graph that the program cannot take has a result".to_string().into()),
            (ran, Some(_)) => ran.map_err(|error| of_error(&error))?,
            (Err(error), None) => return Err(of_error(&error)),
        };
        self.judge(&version, &outcome)
    }

    fn run(&mut self, arg: u32) -> Result<u64, NoResult> {
        let version = self.now()?;
        let Some(args) = self.arguments(&version, arg) else { return Ok(0) };
        let graph = version.lists.clone().named(GRAPH);
        let job = self.program.on(&graph).args(args[1..].iter().map(String::as_str)).machine(&self.machine);
        let job = if self.sequence.schedule == OWN { job } else { job.schedule(&self.sequence.schedule) };
        let outcome = job.timeout(LIMIT).run().map_err(|error| of_error(&error))?;
        self.judge(&version, &outcome)
    }

    fn judge(&mut self, version: &Version, outcome: &graphwright::Outcome) -> Result<u64, NoResult> {
        let ran = gw_programs::find(&outcome.program).map_err(|error| error.to_string())?;
        let args: Vec<String> =
            std::iter::once(GRAPH.to_string()).chain(outcome.arguments.iter().skip(1).cloned()).collect();
        self.judge.check(ran, version, &args, outcome.globals())?;
        Ok(1)
    }

    fn again(&mut self, version: &Version, arg: u32) -> Result<u64, NoResult> {
        let Some(args) = self.arguments(version, arg) else { return Ok(0) };
        let options = options(&version.lists, &args);
        let ran = self.executable(&options)?.run(&options).map_err(|error| of_run(&error))?;
        self.judge.check(self.standard, version, &args, &ran.globals)?;
        Ok(1)
    }

    /// The executable of the sequence; the first run decides what it is compiled for.
    fn executable(&mut self, options: &RunOptions) -> Result<&mut gw_exec::Program, NoResult> {
        if self.executable.is_none() {
            let wanted = self.wanted()?;
            let compiled = self.program.compile(&wanted, self.machine.vm(), options);
            self.executable = Some(compiled.map_err(|error| of_error(&error))?.program);
        }
        self.executable.as_mut().ok_or_else(|| "nothing was compiled".to_string().into())
    }

    fn wanted(&self) -> Result<Wanted, NoResult> {
        let (front, text) = (self.program.front(), &*self.sequence.schedule);
        if text == OWN {
            return Ok(Wanted::usual(front));
        }
        let read = Wanted::read(front, self.standard.name, text, "the schedule", |path| path.to_path_buf());
        Ok(read.map_err(|error| error.to_string())?.wanted)
    }

    /// Runs the executable and cancels the run after some operators. It may be over before; no result is asked for.
    fn stop(&mut self, after: u64, arg: u32) -> Result<(), NoResult> {
        let version = self.now()?;
        let Some(args) = self.arguments(&version, arg) else { return Ok(()) };
        let mut options = options(&version.lists, &args);
        let (cancel, steps) = (Arc::clone(&options.cancel), AtomicU64::new(0));
        options.observer = Some(Arc::new(move |_: &StepRecord| {
            if steps.fetch_add(1, Ordering::Relaxed) >= after {
                cancel.store(true, Ordering::Relaxed);
            }
        }));
        match self.executable(&options)?.run(&options) {
            Ok(_) => Ok(()),
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled) => Ok(()),
            Err(error) => Err(of_run(&error)),
        }
    }

    /// Saves a run on the first machine, and lets another one go on on the second.
    fn resume(&mut self, every: u64, machines: [&String; 2], arg: u32) -> Result<u64, NoResult> {
        let version = self.world.now()?;
        let Some(args) = self.arguments(&version, arg) else { return Ok(0) };
        let folder = match &self.folder {
            Some(folder) => folder.0.clone(),
            None => self.folder.insert(Folder::new()?).0.clone(),
        };
        // A run that was refused may have left its checkpoint.
        let _ = std::fs::remove_dir_all(&folder);
        let mut judged = 0;
        for (name, resume) in machines.into_iter().zip([Resume::No, Resume::Yes]) {
            let checkpoint = Checkpoint { folder: folder.clone(), every, resume, writes: true };
            if resume == Resume::Yes && !checkpoint.path().exists() {
                // The run was too short to be saved.
                break;
            }
            let mut options = options(&version.lists, &args);
            options.checkpoint = Some(checkpoint);
            let ran = self.with_checkpoints(name, &options)?;
            self.judge.check(self.standard, &version, &args, &ran.globals).map_err(|problem| {
                let done = if resume == Resume::Yes { "went on" } else { "was saved" };
                format!("the run that {done} on {name}: {problem}")
            })?;
            judged += 1;
        }
        Ok(judged)
    }

    /// Runs on a machine under a schedule that is the same for all: a checkpoint belongs to a schedule.
    fn with_checkpoints(&self, name: &str, options: &RunOptions) -> Result<RunResult, NoResult> {
        let machine = if name == self.sequence.on { self.machine.clone() } else { self.open(name)? };
        let wanted = match self.wanted()? {
            Wanted::Fixed(schedule, origin) => Wanted::Fixed(schedule, origin),
            _ => Wanted::Fixed(Box::new(ProgramSchedule::new()), Origin::Given),
        };
        let compiled = self.program.compile(&wanted, machine.vm(), options).map_err(|error| of_error(&error))?;
        let mut program = compiled.program;
        program.run(options).map_err(|error| of_run(&error))
    }

    fn open(&self, name: &str) -> Result<Machine, NoResult> {
        self.targets.open(name).map_err(NoResult::Refused)
    }
}

/// The program's own schedule, else the machine's choice.
pub(super) const OWN: &str = "own";

fn options(graph: &Graph, args: &[String]) -> RunOptions {
    let graphs = SpecGraphs::new();
    graphs.insert(GRAPH, Arc::clone(graph.shared()));
    RunOptions { graphs: Arc::new(graphs), timeout: Some(LIMIT), ..RunOptions::with_args(args.iter().cloned()) }
}

/// What an error of a job means for its step.
fn of_error(error: &Error) -> NoResult {
    match error {
        Error::Refused(reasons) => NoResult::Refused(reasons.join("; ")),
        Error::Pipeline(error) => NoResult::Refused(error.to_string()),
        Error::Prepare(error) | Error::Run { error, .. } => of_run(error),
        error => NoResult::Wrong(error.to_string()),
    }
}

/// What an error of a run means for its step.
fn of_run(error: &ExecError) -> NoResult {
    match error.kind() {
        ErrorKind::Unsupported(reason) => NoResult::Refused(reason.clone()),
        ErrorKind::Checkpoint { problem, .. } if problem.starts_with("belongs to a run with another program") => {
            NoResult::Refused(format!("the checkpoint {problem}"))
        }
        ErrorKind::Cancelled | ErrorKind::TimedOut { .. } => {
            NoResult::Wrong(format!("no end within {} s", LIMIT.as_secs()))
        }
        _ => NoResult::Wrong(error.to_string()),
    }
}

/// A folder that goes with the sequence.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("gw-sequence-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
