//! A job: a program with everything that a run needs. [`Job::run`] runs it; [`Job::prepare`] compiles it for many runs.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gw_exec::{Externs, Observer, RunOptions, SpecGraphs, StepRecord};

use crate::argument::{Argument, Arguments};
use crate::error::{Error, Result};
use crate::machines::Machine;
use crate::outcome::{Outcome, Times};
use crate::program::Program;
use crate::settled::Compiled;
use crate::wanted::Wanted;

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
pub struct Job<'a> {
    program: &'a Program,
    arguments: Arguments,
    schedule: Option<String>,
    machine: Machine,
    options: RunOptions,
}

impl<'a> Job<'a> {
    pub(crate) fn new(program: &'a Program) -> Job<'a> {
        let (arguments, options) = (Arguments::default(), RunOptions::default());
        Job { program, arguments, schedule: None, machine: Machine::usual().clone(), options }
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

    /// The schedule: `auto` (the machine's choice for the graph), `adaptive` (a model picks at every step; a model
    /// file may follow as `adaptive:FILE`), canonical text such as `s0:s1@pull`, or a file with schedule statements.
    /// Without this call: the program's own, else `auto`.
    pub fn schedule(mut self, text: &str) -> Self {
        self.schedule = Some(text.to_string());
        self
    }

    /// The machine; without this call [`Machine::usual`].
    pub fn machine(mut self, machine: &Machine) -> Self {
        self.machine = machine.clone();
        self
    }

    /// Ends the run with an error after this time; see [`Error::is_timeout`].
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.timeout = Some(limit);
        self
    }

    /// Ends the run with an error soon after the flag becomes true; see [`Error::is_cancelled`].
    pub fn cancel(mut self, flag: &Arc<AtomicBool>) -> Self {
        self.options.cancel = Arc::clone(flag);
        self
    }

    /// Hears of every operator call. Counting sizes and edges for the records costs time.
    pub fn observe(mut self, observer: impl Fn(&StepRecord) + Send + Sync + 'static) -> Self {
        self.options.observer = Some(Arc::new(observer));
        self
    }

    /// As [`Job::observe`], for observers with a state of their own.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.options.observer = Some(observer);
        self
    }

    /// The seed of random choices in the program.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// How many runs on this graph are expected, 1 without this call. From some number on `auto` numbers the vertices
    /// by degree, which costs time once; ids stay the graph's own.
    pub fn runs(mut self, runs: u32) -> Self {
        self.options.runs = runs;
        self
    }

    /// The functions that the program declares `extern`.
    pub fn externs(mut self, externs: Externs) -> Self {
        self.options.externs = Arc::new(externs);
        self
    }

    /// Compiles the program and runs it once.
    pub fn run(self) -> Result<Outcome> {
        self.prepare()?.run()
    }

    /// Checks the arguments, settles the schedule and compiles the program.
    pub fn prepare(mut self) -> Result<Prepared> {
        let graphs = Arc::new(SpecGraphs::new());
        self.options.graphs = Arc::clone(&graphs) as _;
        let start = Instant::now();
        let (named, positional) = texts(&self.arguments, &graphs);
        let ready = self.program.ready(&named, &positional, &*graphs)?;
        let load = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let program = match ready.program {
            Cow::Borrowed(_) => self.program.clone(),
            Cow::Owned(sibling) => sibling,
        };
        let wanted = match &self.schedule {
            None => Wanted::usual(program.front()),
            Some(text) => {
                Wanted::read(program.front(), program.name(), text, "the schedule", Path::to_path_buf)?.wanted
            }
        };
        self.options.argv.truncate(1);
        self.options.argv.extend(ready.args.iter().cloned());
        let compiled = program.compile(&wanted, self.machine.vm(), &self.options)?;
        let compile = start.elapsed().as_secs_f64() - compiled.decision.load_seconds;
        let times = Times { load: load + compiled.decision.load_seconds, compile, ..Times::default() };
        Ok(Prepared {
            program,
            compiled,
            machine: self.machine,
            options: self.options,
            arguments: self.arguments,
            graphs,
            notes: ready.notes,
            times,
        })
    }
}

/// A program compiled for a machine, with arguments: run as often as wanted.
///
/// ```
/// use graphwright::{Graph, Program};
/// let bfs = Program::find("bfs")?;
/// let mut prepared = bfs.on(&Graph::open("path:9")?).arg("source", 0).prepare()?;
/// for source in [0, 4, 8] {
///     let run = prepared.arg("source", source)?.run()?;
///     assert_eq!(run.vector::<i32>("parent")?[source], source as i32);
/// }
/// # Ok::<(), graphwright::Error>(())
/// ```
pub struct Prepared {
    program: Program,
    compiled: Compiled,
    machine: Machine,
    options: RunOptions,
    arguments: Arguments,
    graphs: Arc<SpecGraphs>,
    notes: Vec<String>,
    times: Times,
}

impl Prepared {
    /// Changes an argument for the runs to come. The graph stays: the schedule was chosen for it.
    pub fn arg(&mut self, name: &str, value: impl Into<Argument>) -> Result<&mut Self> {
        let value = value.into();
        if let Argument::Graph(_) = value {
            let message = format!("argument {name}: a prepared program keeps its graph; prepare another one");
            return Err(Error::Result(message));
        }
        let mut arguments = self.arguments.clone();
        arguments.set(name, value);
        let (named, positional) = texts(&arguments, &self.graphs);
        let ready = self.program.ready(&named, &positional, &*self.graphs)?;
        // An argument that was refused changes nothing.
        self.arguments = arguments;
        self.options.argv.truncate(1);
        self.options.argv.extend(ready.args);
        Ok(self)
    }

    /// The schedule and how it came about.
    pub fn decision(&self) -> &crate::Decision {
        &self.compiled.decision
    }

    /// What is not as given: a directed graph taken as undirected, another program for weights with fractions.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Runs the program once, heard by this observer in place of the job's own.
    pub fn run_observed(&mut self, observer: Arc<dyn Observer>) -> Result<Outcome> {
        let own = self.options.observer.replace(observer);
        let outcome = self.run();
        self.options.observer = own;
        outcome
    }

    /// Runs the program once.
    pub fn run(&mut self) -> Result<Outcome> {
        let vm = self.machine.vm();
        let before = vm.usage();
        let ran = self.compiled.program.run(&self.options);
        let usage = vm.usage().zip(before).map(|(after, before)| after - before);
        let ran = ran.map_err(|error| Error::Run { error, file: self.program.file().clone() })?;
        let arguments = self.options.argv[1..].to_vec();
        let machine = self.machine.name().to_string();
        let decision = self.compiled.decision.clone();
        let mut outcome = Outcome::new(&self.program, arguments, machine, decision, self.times, ran, usage);
        outcome.notes = self.notes.clone();
        Ok(outcome)
    }
}

/// The arguments as texts. Graphs in memory get names, under which `graphs` hands them out.
fn texts(arguments: &Arguments, graphs: &SpecGraphs) -> (Vec<(String, String)>, Vec<String>) {
    arguments.texts(|graph| {
        let name = format!("graph {}", graph.id());
        // A view of the graph that suits the program stays there.
        if !graphs.has(&name) {
            graphs.insert(&name, Arc::clone(graph.shared()));
        }
        name
    })
}
