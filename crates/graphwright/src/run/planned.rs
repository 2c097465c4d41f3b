//! A job whose arguments are checked, whose graph is seen as the program needs it, and whose schedule is read: what can
//! be said about a run before there is a machine.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gw_exec::{GraphStore, Needs, RunOptions, SpecGraphs, graph_text};
use gw_graph::Graph;

use super::argument::Arguments;
use super::attempt::Prepared;
use super::job::{Job, Place, Request};
use super::note::Note;
use super::parts::Parts;
use super::ready::Ready;
use crate::error::{Error, Result};
use crate::machine::{Machine, Work};
use crate::program::Program;
use crate::schedule::{Aim, RULE, ReadSchedule, ScheduleCache, Wanted};

/// A job that can be run on a machine, or estimated for one.
pub struct Planned {
    pub(super) job: Job,
    /// The program that runs: the one asked for, or the standard program that takes over on this kind of graph.
    pub(super) program: Program,
    pub(super) chosen_source: Option<String>,
    /// What is not as given in arguments and graph.
    pub(super) notes: Vec<Note>,
    /// What could not be used of schedules and machines.
    pub(super) later: Vec<Note>,
    wanted: Wanted,
    aim: Aim,
    is_tuned: bool,
    pub(super) graphs: Arc<dyn GraphStore>,
    /// Seconds of reading the graph and of planning.
    pub(super) parts: Parts,
}

impl Planned {
    pub(super) fn new(mut job: Job) -> Result<Planned> {
        let graphs = job.request.graphs.clone().unwrap_or_else(|| Arc::new(SpecGraphs::new()));
        job.request.options.graphs = Arc::clone(&graphs) as _;
        let start = Instant::now();
        let (named, positional) = texts(&job.arguments, Some(&*graphs));
        let Ready { program, args, chosen_source, mut notes } = job.program.ready(&named, &positional, &*graphs)?;
        let read_graph = start.elapsed().as_secs_f64();
        let start = Instant::now();
        job.request.set_args(args);
        let given = job.request.schedule.as_deref();
        let read = read_schedule(&program, given, &job.request.title)?;
        let ReadSchedule { wanted, aim, warnings: found, file } = read;
        notes.extend((!found.is_empty()).then_some(Note::Findings { found, file }));
        notes.iter().for_each(|note| job.request.tell(note));
        let compile = start.elapsed().as_secs_f64();
        let parts = Parts { read_graph, compile, ..Parts::default() };
        let is_tuned = given != Some(RULE);
        let planned =
            Planned { job, program, chosen_source, notes, later: Vec::new(), wanted, aim, is_tuned, graphs, parts };
        Ok(planned)
    }

    /// The program that runs: the one asked for, or the standard program that takes over on this kind of graph.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// All arguments, `argv[1]` first; vertices are numbers.
    pub fn args(&self) -> &[String] {
        &self.job.request.options.argv[1..]
    }

    /// The source that was taken since none was given, by its original id where the graph has ids.
    pub fn chosen_source(&self) -> Option<&str> {
        self.chosen_source.as_deref()
    }

    /// What is not as given in arguments and graph.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The schedule that is wanted, whatever was tuned.
    pub fn schedule(&self) -> &Wanted {
        &self.wanted
    }

    /// The options of a run, for measurements that run the compiled program themselves.
    pub fn options(&self) -> RunOptions {
        self.job.request.options.clone()
    }

    /// The graph of the program, where its text or its first argument names one; loaded for the choice of a machine.
    pub fn graph(&self) -> Option<Arc<Graph>> {
        let wanted = graph_text(self.program.module(), &self.job.request.options.argv)?;
        self.graphs.load(&wanted.text, wanted.weight).ok()
    }

    /// The schedule that is wanted on a machine: what was tuned comes before the machine's choice.
    pub fn wanted(&self, machine: &Machine) -> Wanted {
        if !self.is_tuned {
            return self.wanted.clone();
        }
        let cache = self.job.request.tuned.clone().unwrap_or_else(|| ScheduleCache::of_user(0));
        let cache = cache.with_threads(machine.threads()).aimed_at(self.aim);
        self.wanted.clone().or_tuned(cache, &self.program)
    }

    /// The machine that the job asks for; `auto` is chosen for the program and its graph.
    pub fn machine(&self) -> Result<Machine> {
        match &self.job.request.place {
            Place::Machine(machine) => Ok(machine.clone()),
            Place::Target(target) => {
                let graph = if target.is_auto() { self.graph() } else { None };
                target.shared(Some(&Work { program: self.program.name(), graph: graph.as_deref() }))
            }
        }
    }

    /// The memory that a run needs on a machine, and the graph of the run with the text that names it. `None` where the
    /// program names no graph that is known before it runs.
    pub fn needs(&self, machine: &Machine) -> Result<Option<(String, Arc<Graph>, Needs)>> {
        let options = &self.job.request.options;
        let Some(text) = graph_text(self.program.module(), &options.argv) else { return Ok(None) };
        let loaded = options.graphs.load(&text.text, text.weight);
        let graph = loaded.map_err(|error| Error::Run { error, file: self.program.file().clone() })?;
        let vm = machine.vm();
        let (module, _) = self.program.settle(&self.wanted(machine), vm, options).optimised()?;
        let needs = vm.needs(&module, &graph).map_err(Error::Prepare)?;
        Ok(Some((text.text, graph, needs)))
    }

    /// Settles the schedule and compiles the program for a machine.
    pub fn on(self, machine: &Machine) -> Result<Prepared> {
        Prepared::new(self, machine)
    }
}

impl Request {
    pub(super) fn set_args(&mut self, args: Vec<String>) {
        self.options.argv.truncate(1);
        self.options.argv.extend(args);
    }

    pub(super) fn tell(&self, note: &Note) {
        if let Some(listener) = &self.listener {
            listener(note);
        }
    }
}

/// The schedule of this text; without one the program's own, else the machine's choice.
pub(super) fn read_schedule(program: &Program, given: Option<&str>, title: &str) -> Result<ReadSchedule> {
    match given {
        Some(text) => Wanted::read(program.front(), program.name(), text, title, Path::to_path_buf),
        None => {
            let (wanted, file) = (Wanted::usual(program.front()), program.file().clone());
            Ok(ReadSchedule { wanted, aim: Aim::default(), warnings: Vec::new(), file })
        }
    }
}

/// The arguments as texts. Graphs in memory have names, under which `keeper` hands them out; without a keeper they are
/// known by these names already.
pub(super) fn texts(arguments: &Arguments, keeper: Option<&dyn GraphStore>) -> (Vec<(String, String)>, Vec<String>) {
    arguments.texts(|name, graph| {
        if let Some(keeper) = keeper {
            keeper.keep(name, Arc::clone(graph.shared()));
        }
    })
}
