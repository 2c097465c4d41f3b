//! Runs of a compiled program; where the machine was chosen and its memory is too small, the CPU takes over.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use gw_exec::{ErrorKind, ExecError, Given, GraphStore, Observer, Output, RunOptions, RunResult};
use gw_schedule::{Family, ProgramSchedule, Transform};

use super::argument::Argument;
use super::note::Note;
use super::outcome::{Finished, Outcome};
use super::planned::{Planned, texts};
use super::ready::Ready;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::machine::Machine;
use crate::schedule::{Compiled, Decision, Origin, Settled, in_words};

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
    planned: Planned,
    machine: Machine,
    compiled: Compiled,
    /// Seconds of choosing the schedule and compiling.
    compile: f64,
}

impl Prepared {
    pub(super) fn new(mut planned: Planned, machine: &Machine) -> Result<Prepared> {
        for missing in machine.start().failed.clone() {
            planned.add(Note::MachineFailed { missing, instead: machine.name().to_string() });
        }
        let mut machine = machine.clone();
        let start = Instant::now();
        let compiled = match planned.compile(&machine) {
            Err(error) if machine.is_replaceable() && error.is_out_of_memory() => {
                machine = planned.take_cpu(&machine, &error);
                planned.compile(&machine)?
            }
            compiled => compiled?,
        };
        let compile = (start.elapsed().as_secs_f64() - compiled.decision.load_seconds).max(0.0);
        planned.parts.read_graph += compiled.decision.load_seconds;
        Ok(Prepared { planned, machine, compiled, compile })
    }

    /// Changes an argument for the runs to come. The graph stays: the schedule was chosen for it. Where the argument
    /// asks for another form of the program (rows of another length, edges that count by their weights), that form is
    /// compiled.
    pub fn arg(&mut self, name: &str, value: impl Into<Argument>) -> Result<&mut Self> {
        let value = value.into();
        if let Argument::Graph(_) = value {
            let message = format!("argument {name}: a prepared program keeps its graph; prepare another one");
            return Err(Error::Result(message));
        }
        let mut arguments = self.planned.job.arguments.clone();
        arguments.set(name, value);
        let (named, positional) = texts(&arguments, None);
        let Ready { program, args, chosen_source, notes } =
            self.planned.job.program.ready(&named, &positional, &*self.planned.graphs)?;
        if !program.is_same(&self.planned.program) {
            // An argument that is refused changes nothing: the other form takes over when it is compiled.
            let mut job = self.planned.job.clone();
            job.arguments = arguments;
            job.request.graphs = Some(Arc::clone(&self.planned.graphs));
            *self = Prepared::new(Planned::new(job)?, &self.machine)?;
            return Ok(self);
        }
        self.planned.job.arguments = arguments;
        self.planned.job.request.set_args(args);
        (self.planned.chosen_source, self.planned.notes) = (chosen_source, notes);
        Ok(self)
    }

    /// Goes on with another graph in the place of the first argument, and with these arguments by name. What was
    /// compiled is used again, under the schedule that was settled for the first graph: for graphs so small that no
    /// schedule matters. Gives false, and changes nothing, where the graph asks for another form of the program.
    ///
    /// ```
    /// use graphwright::{Argument, Graph, Program};
    /// let mut prepared = Program::find("bfs")?.on(&Graph::open("path:9")?).arg("source", 0).prepare()?;
    /// assert!(prepared.move_to(&Graph::open("star:4")?, &[("source".to_string(), Argument::from(3))])?);
    /// assert_eq!(prepared.run()?.vector::<i32>("parent")?, [3, 0, 0, 3]);
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn move_to(&mut self, graph: &Graph, arguments: &[(String, Argument)]) -> Result<bool> {
        let mut job = self.planned.job.clone();
        if !job.arguments.replace_graph(graph) {
            return Ok(false);
        }
        arguments.iter().for_each(|(name, value)| job.arguments.set(name, value.clone()));
        let planned = Planned::new(job)?;
        if !planned.program.is_same(&self.planned.program) {
            return Ok(false);
        }
        let before = std::mem::replace(&mut self.planned, planned);
        self.planned.later = before.later;
        self.compile = 0.0;
        Ok(true)
    }

    /// The schedule and how it came about.
    pub fn decision(&self) -> &Decision {
        &self.compiled.decision
    }

    /// The machine; another one than was opened where that one was chosen and has too little memory.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What is not as given, and what could not be used.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.planned.notes.iter().chain(&self.planned.later)
    }

    /// The next runs have these arguments, graphs and values of globals.
    pub(super) fn begin_with(&mut self, args: Vec<String>, graphs: Arc<dyn GraphStore>, given: Given) {
        let request = &mut self.planned.job.request;
        request.set_args(args);
        request.options.given = given;
        request.options.graphs = Arc::clone(&graphs) as _;
        self.planned.graphs = graphs;
    }

    /// Runs the program once, heard by this observer in place of the job's own.
    pub fn run_observed(&mut self, observer: Arc<dyn Observer>) -> Result<Outcome> {
        let own = self.planned.job.request.options.observer.replace(observer);
        let outcome = self.run();
        self.planned.job.request.options.observer = own;
        outcome
    }

    /// Runs the program once.
    pub fn run(&mut self) -> Result<Outcome> {
        match self.attempt() {
            Err(error) if self.machine.is_replaceable() && error.is_out_of_memory() => {
                let start = Instant::now();
                self.machine = self.planned.take_cpu(&self.machine, &error);
                self.compiled = self.planned.compile(&self.machine)?;
                self.compile += start.elapsed().as_secs_f64();
                if let Some(observer) = &self.planned.job.request.options.observer {
                    observer.begin_again();
                }
                self.attempt()
            }
            outcome => outcome,
        }
    }

    fn attempt(&mut self) -> Result<Outcome> {
        let vm = self.machine.vm();
        let request = &self.planned.job.request;
        let kept_back = request.writer.as_ref().filter(|_| self.machine.is_replaceable());
        let output = match &request.writer {
            Some(writer) if kept_back.is_none() => Output::Writer(Arc::clone(writer)),
            _ => Output::Capture,
        };
        let options = RunOptions { output, ..request.options.clone() };
        let before = vm.usage();
        let ran = self.compiled.program.run(&options);
        let usage = vm.usage().zip(before).map(|(after, before)| after - before);
        let fail = |error| Error::Run { error, file: self.planned.program.file().clone() };
        let mut ran: RunResult = ran.map_err(fail)?;
        if let Some(writer) = kept_back {
            let printed = std::mem::take(&mut ran.printed);
            let written = writer.lock().unwrap_or_else(PoisonError::into_inner).write_all(printed.as_bytes());
            written.map_err(|error| fail(ExecError::from(ErrorKind::Output(error))))?;
        }
        Outcome::new(Finished {
            program: &self.planned.program,
            arguments: options.argv[1..].to_vec(),
            machine: vm.name().to_string(),
            decision: self.compiled.decision.clone(),
            load: self.planned.parts.read_graph,
            compile: self.planned.parts.compile + self.compile,
            usage,
            report: vm.report(),
            notes: self.notes().cloned().collect(),
            chosen_source: self.planned.chosen_source.clone(),
            graphs: &*self.planned.graphs,
            ran,
        })
    }
}

impl Planned {
    /// Settles the schedule and compiles the program for a machine.
    fn compile(&mut self, machine: &Machine) -> Result<Compiled> {
        let (wanted, vm) = (self.wanted(machine), machine.vm());
        let settled = self.program.settle(&wanted, vm, &self.job.request.options);
        self.note_choice(&settled, machine);
        let placed = |error| match error {
            Error::Prepare(error) if error.span().line > 0 => Error::Run { error, file: self.program.file().clone() },
            Error::Pipeline(error) => {
                let (text, file) = (error.to_string(), self.program.file());
                let words = file.lines_in_words(&text);
                if words == text { Error::Pipeline(error) } else { Error::Refused(vec![words]) }
            }
            other => other,
        };
        settled.compile(vm).map_err(placed)
    }

    fn add(&mut self, note: Note) {
        self.job.request.tell(&note);
        self.later.push(note);
    }

    /// The CPU, in place of a machine with too little memory.
    fn take_cpu(&mut self, machine: &Machine, error: &Error) -> Machine {
        // What was said about the schedule of the other machine does not hold on the CPU.
        self.later.retain(|note| matches!(note, Note::MachineFailed { .. }));
        self.add(Note::RanOnCpu { machine: machine.name().to_string(), error: error.to_string() });
        Machine::cpu(machine.start().threads)
    }

    /// Notes what the choice of a schedule has to say.
    fn note_choice(&mut self, settled: &Settled, machine: &Machine) {
        let (decision, explain) = (&settled.decision, self.job.request.explain);
        let name = || machine.name().to_string();
        // A section for another family of machines is nothing to tell of: every standard program has one for CPUs.
        let own = self.program.front().schedule.as_ref().and_then(ProgramSchedule::family).unwrap_or(Family::Cpu);
        if let Some(because) = decision.own_refused.clone().filter(|_| explain || own == machine.vm().family()) {
            let because = self.program.file().lines_in_words(&because);
            self.add(Note::OwnRefused { machine: name(), because });
        }
        // On a graph in parts, a machine refuses what it would run with less than all that it has.
        let in_parts = self.args().first().is_some_and(|graph| gw_graph::format::is_parted(graph.as_ref()));
        let lesser = decision.shortfalls.iter().filter(|place| !place.refused && !in_parts);
        let lesser: Vec<String> = lesser.map(|place| self.program.file().lines_in_words(&place.text)).collect();
        if !lesser.is_empty() {
            self.add(Note::Shortfalls(lesser));
        }
        if decision.origin == Origin::Tuned {
            let because = decision.reasons.first().map(|reason| reason.because.clone()).unwrap_or_default();
            self.add(Note::Tuned { because });
        }
        let unused = [
            decision.not_adaptive.clone().map(Note::NotAdaptive),
            decision.tuned_ignored.clone().map(Note::TunedIgnored),
            decision.model_ignored.clone().map(Note::ModelIgnored),
        ];
        unused.into_iter().flatten().for_each(|note| self.add(note));
        decision.left_to_defaults.iter().for_each(|text| self.add(Note::LeftToDefaults(text.clone())));
        if explain {
            self.add(Note::Schedule(in_words(settled, self.program.file(), machine.name(), &self.job.request.title)));
        }
        for transform in decision.schedule.transforms() {
            if let Transform::FuseFields(vectors) = transform {
                let vectors = vectors.iter().map(|name| name.as_str().to_string()).collect();
                self.add(Note::FieldsApart { vectors, machine: name() });
            }
        }
        decision.without_effect.iter().for_each(|text| self.add(Note::WithoutEffect(text.clone())));
    }
}
