//! A job: a program with everything that a run needs. [`Job::run`] runs it; [`Job::prepare`] compiles it for many runs.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gw_exec::{Checkpoint, Externs, GraphStore, Observer, RunOptions, StepRecord};

use super::argument::{Argument, Arguments};
use super::attempt::Prepared;
use super::note::Note;
use super::outcome::Outcome;
use super::planned::Planned;
use crate::error::Result;
use crate::graph::Graph;
use crate::machine::{Machine, Target};
use crate::program::Program;
use crate::schedule::ScheduleCache;

/// A program with its arguments, schedule, machine and limits.
///
/// ```
/// use graphwright::{Graph, Program};
/// let bfs = Program::find("bfs")?;
/// let run = bfs.on(&Graph::open("grid:4x4")?).arg("source", 5).schedule("auto").run()?;
/// assert_eq!(run.vector::<i32>("parent")?[5], 5);
/// # Ok::<(), graphwright::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a job does nothing before `run` or `prepare`"]
pub struct Job {
    pub(super) program: Program,
    pub(super) arguments: Arguments,
    pub(super) request: Request,
}

/// What is asked of a run beside the program and its arguments.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) schedule: Option<String>,
    /// How messages call the text of the schedule.
    pub(super) title: String,
    /// Where tuned schedules are looked up; in the user's cache where none is given.
    pub(super) tuned: Option<ScheduleCache>,
    pub(super) place: Place,
    pub(super) options: RunOptions,
    /// Where graphs come from and views of them are kept; the job's own store where none is given.
    pub(super) graphs: Option<Arc<dyn GraphStore>>,
    pub(super) writer: Option<Arc<Mutex<dyn Write + Send>>>,
    pub(super) listener: Option<Listener>,
    pub(super) explain: bool,
}

/// Hears of notes.
pub(super) type Listener = Arc<dyn Fn(&Note) + Send + Sync>;

/// Where a job runs.
#[derive(Clone)]
pub(super) enum Place {
    /// On this machine.
    Machine(Machine),
    /// On a machine by name, which may be chosen for the job.
    Target(Target),
}

impl Job {
    pub(crate) fn new(program: Program) -> Job {
        let request = Request {
            schedule: None,
            title: "the schedule".to_string(),
            tuned: None,
            place: Place::Machine(Machine::usual().clone()),
            options: RunOptions::default(),
            graphs: None,
            writer: None,
            listener: None,
            explain: false,
        };
        Job { program, arguments: Arguments::default(), request }
    }

    /// Gives an argument by its name. Standard programs list their names (`gw programs`); in a program of one's own the
    /// argument has the name of the variable that is set from it: `source` where the text says
    /// `source : Vertex = atoi(argv[2])`.
    pub fn arg(mut self, name: &str, value: impl Into<Argument>) -> Self {
        self.arguments.set(name, value.into());
        self
    }

    /// Gives arguments by position, behind those given so far: the first of all is `argv[1]`.
    pub fn args<A: Into<Argument>>(mut self, values: impl IntoIterator<Item = A>) -> Self {
        values.into_iter().for_each(|value| self.arguments.push(value.into()));
        self
    }

    /// The same on a graph, the first argument, before all that were given.
    pub(super) fn behind(mut self, graph: &Graph) -> Self {
        self.arguments.behind(graph);
        self
    }

    /// The schedule: `auto` (what `gw tune` found for the program and the graph, else the machine's choice),
    /// `auto:energy` or `auto:time-energy` (what `gw tune --objective` found, else the machine's choice), `rule` (the
    /// machine's rule, whatever was tuned and learned), `adaptive` (a model picks at every step; a model file may
    /// follow as `adaptive:FILE`), the name of a preset, canonical text such as `s0:s1@pull`, or a file with schedule
    /// statements. Without this call: the program's own, else `auto`.
    pub fn schedule(mut self, text: &str) -> Self {
        self.request.schedule = Some(text.to_string());
        self
    }

    /// How messages call the text of the schedule, such as the option that it came from.
    pub fn schedule_title(mut self, title: &str) -> Self {
        self.request.title = title.to_string();
        self
    }

    /// Where tuned schedules are looked up; without this call in the user's cache, where `gw tune` keeps them.
    /// [`ScheduleCache::none`] lets the machine choose, whatever was tuned.
    pub fn tuned(mut self, cache: &ScheduleCache) -> Self {
        self.request.tuned = Some(cache.clone());
        self
    }

    /// The machine; without this call [`Machine::usual`].
    pub fn machine(mut self, machine: &Machine) -> Self {
        self.request.place = Place::Machine(machine.clone());
        self
    }

    /// The machine by its name on all cores: `cpu`, `cuda`, `reference`, `swarm`, `flow`; or `auto`, the machine that
    /// is expected to be done first with this job, from which the CPU takes over where its memory is too small.
    /// Machines stay open, and all jobs of the process share them.
    ///
    /// ```
    /// use graphwright::{Graph, Program};
    /// let run = Program::find("cc")?.on(&Graph::open("kron:8")?).target("auto").run()?;
    /// // On a graph as small as this one, no device is worth its start.
    /// assert_eq!(run.machine, "cpu");
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn target(self, name: &str) -> Self {
        self.target_with(Target::named(name))
    }

    /// As [`Job::target`], with the threads of the target.
    pub fn target_with(mut self, target: Target) -> Self {
        self.request.place = Place::Target(target);
        self
    }

    /// Ends the run with an error after this time; see [`Error::is_timeout`](crate::Error::is_timeout).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.options.timeout = Some(limit);
        self
    }

    /// The time limit counts from this moment on; without this call from the beginning of the run.
    pub fn since(mut self, moment: Instant) -> Self {
        self.request.options.started = Some(moment);
        self
    }

    /// Ends the run with an error soon after the flag becomes true; see
    /// [`Error::is_cancelled`](crate::Error::is_cancelled).
    pub fn cancel(mut self, flag: &Arc<AtomicBool>) -> Self {
        self.request.options.cancel = Arc::clone(flag);
        self
    }

    /// Saves the run into a folder now and then, or goes on with a run that was saved there.
    pub fn checkpoint(mut self, checkpoint: Checkpoint) -> Self {
        self.request.options.checkpoint = Some(checkpoint);
        self
    }

    /// Hears of every operator call. Counting sizes and edges for the records costs time.
    pub fn observe(mut self, observer: impl Fn(&StepRecord) + Send + Sync + 'static) -> Self {
        self.request.options.observer = Some(Arc::new(observer));
        self
    }

    /// As [`Job::observe`], for observers with a state of their own.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.request.options.observer = Some(observer);
        self
    }

    /// Hears of notes as they come; the outcome has them all.
    pub fn listen(mut self, listener: impl Fn(&Note) + Send + Sync + 'static) -> Self {
        self.request.listener = Some(Arc::new(listener));
        self
    }

    /// Tells the schedule of every place with its reasons, as [`Note::Schedule`].
    pub fn explain(mut self, is_wanted: bool) -> Self {
        self.request.explain = is_wanted;
        self
    }

    /// Where the program prints, line by line; without this call into [`Outcome::printed`]. Where another machine may
    /// have to begin again, lines are kept back until the end of the run.
    pub fn print_to(mut self, writer: Arc<Mutex<dyn Write + Send>>) -> Self {
        self.request.writer = Some(writer);
        self
    }

    /// The seed of random choices in the program.
    pub fn seed(mut self, seed: u64) -> Self {
        self.request.options.seed = seed;
        self
    }

    /// How many runs on this graph are expected, 1 without this call. From some number on `auto` numbers the vertices
    /// by degree, which costs time once; ids stay the graph's own.
    pub fn runs(mut self, runs: u32) -> Self {
        self.request.options.runs = runs;
        self
    }

    /// Whether weak advice of the model of an adaptive schedule gives way to the safe candidate; it does without this
    /// call.
    pub fn guard(mut self, is_wanted: bool) -> Self {
        self.request.options.guard = is_wanted;
        self
    }

    /// The functions that the program declares `extern`.
    pub fn externs(mut self, externs: Externs) -> Self {
        self.request.options.externs = Arc::new(externs);
        self
    }

    /// Where graphs come from, and where views of them that suit the program are kept.
    pub fn graphs(mut self, graphs: Arc<dyn GraphStore>) -> Self {
        self.request.graphs = Some(graphs);
        self
    }

    /// Compiles the program and runs it once.
    pub fn run(self) -> Result<Outcome> {
        self.prepare()?.run()
    }

    /// Checks the arguments, sees the graph as the program needs it, and reads the schedule.
    pub fn plan(self) -> Result<Planned> {
        Planned::new(self)
    }

    /// Plans the job, takes its machine, settles the schedule and compiles the program.
    pub fn prepare(self) -> Result<Prepared> {
        let planned = self.plan()?;
        let machine = planned.machine()?;
        planned.on(&machine)
    }
}
