//! A stream under way: batches are read, applied and asked about.

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use graphwright::machine::Work;
use graphwright::schedule::ScheduleCache;
use graphwright::{Changes, Error, Graph, How, Incremental, Job, Machine, Outcome, Program};
use gw_dynamic::{Batch, DynamicGraph, EdgeWeight, Ends, Recovered, Store};
use gw_graph::WeightKind;
use gw_programs::{ArgKind, ArgumentError, Remark};

use super::Stream;
use super::asked::Asked;
use super::kept::Kept;
use super::outputs::Outputs;
use super::reading::Reading;
use super::tell::Told;
use crate::error::CliError;
use crate::output::grouped;
use crate::program::named::in_options;

/// The argument that says whether edges count by their weights.
const WEIGHTS: &str = "weights";

/// One stream under way.
pub struct Session<'a> {
    pub(super) options: &'a Stream,
    pub(super) program: Program,
    pub(super) update: Option<Program>,
    /// Threads of the host; 0 for all cores.
    pub(super) threads: usize,
    /// The machine, and the cache of tuned schedules: for the graph at the beginning.
    pub(super) begun: OnceCell<(Machine, ScheduleCache)>,
    pub(super) outputs: Outputs,
    pub(super) cancel: &'a Arc<AtomicBool>,
    /// Arguments by name.
    named: Vec<(String, String)>,
    /// Those that were left out, as the first run took them: a source that it chose stays.
    left_out: OnceCell<Vec<(String, String)>>,
    /// The program whose notes were told last: a graph may come to need another one.
    told: RefCell<Option<String>>,
}

/// A run of the program, or why there was none.
pub struct Ran {
    /// Seconds until the lists were found.
    pub(super) lists: f64,
    /// The graph, with the ids of its vertices.
    pub(super) graph: Graph,
    /// `None` where the program cannot take the graph.
    pub(super) outcome: Option<Outcome>,
    /// Where results are brought up to date.
    pub(super) how: Option<How>,
    /// Why there are no results.
    pub(super) no_result: Option<String>,
    /// With `--verify`, where there is a result: what is wrong with it, if anything is.
    pub(super) verdict: Option<Result<(), String>>,
}

impl Ran {
    /// The run, if it has results.
    pub(super) fn with_results(&self) -> Option<&Outcome> {
        self.outcome.as_ref().filter(|_| self.no_result.is_none())
    }
}

impl<'a> Session<'a> {
    /// A stream that has not begun.
    pub fn new(
        options: &'a Stream,
        program: Program,
        update: Option<Program>,
        threads: usize,
        outputs: Outputs,
        cancel: &'a Arc<AtomicBool>,
    ) -> Session<'a> {
        let (named, left_out, told) = (options.named.pairs(), OnceCell::new(), RefCell::new(None));
        Session { options, program, update, threads, begun: OnceCell::new(), outputs, cancel, named, left_out, told }
    }

    /// Edges count by their weights where `gw run` counts them so: the program can, the graph has some from its file,
    /// and no argument says otherwise.
    fn weigh<W: EdgeWeight>(&mut self) {
        let Some(standard) = self.program.as_standard().filter(|standard| standard.weighted.is_some()) else { return };
        let has_weights = W::KIND != WeightKind::None && self.options.has_own_weights();
        let is_given = |name: &str| self.named.iter().any(|(known, _)| known == name);
        let unnamed = standard.args.iter().skip(1).filter(|arg| !is_given(arg.name));
        let left_out: Vec<&str> = unnamed.skip(self.options.args.len()).map(|arg| arg.name).collect();
        if has_weights && left_out.contains(&WEIGHTS) {
            eprintln!("gw: {}", standard.told_by_weight());
            self.named.push((WEIGHTS.to_string(), "use".to_string()));
        }
    }

    /// Begins with a graph, which a new store keeps where one is asked for.
    pub fn begin<W: EdgeWeight>(&mut self, graph: DynamicGraph<W>) -> Result<(), CliError> {
        let store = self.options.store.as_deref().map(|folder| Store::create(folder, &graph)).transpose()?;
        self.stream(graph, store)
    }

    /// Goes on with the graph of a store.
    pub fn stored<W: EdgeWeight>(&mut self, folder: &Path) -> Result<(), CliError> {
        let Recovered { store, graph, batches, torn, damaged } = Store::open::<W>(folder)?;
        if graph.ends() != self.options.ends() {
            let (has, mend) = match graph.ends() {
                Ends::Undirected => ("an undirected", "give --undirected"),
                _ => ("a directed", "leave --undirected out"),
            };
            return Err(CliError::Usage(format!("the store {} holds {has} graph: {mend}", folder.display())));
        }
        let replayed = if batches > 0 { format!(", the last {batches} from its log") } else { String::new() };
        eprintln!("{}: the graph after batch {}{replayed}", folder.display(), store.last());
        if torn > 0 {
            eprintln!("{} bytes of a batch that was not written to its end are left out", grouped(torn));
        }
        if damaged > 0 {
            let what = "the last batch of the log is damaged, or a power cut came before it was on disk";
            eprintln!("gw: warning: {what}: its {} bytes are left out", grouped(damaged));
            eprintln!("gw: its changes are applied again where {} has them", self.options.source_of_updates());
        }
        self.stream(graph, Some(store))
    }

    fn stream<W: EdgeWeight>(&mut self, graph: DynamicGraph<W>, store: Option<Store>) -> Result<(), CliError> {
        self.weigh::<W>();
        let mut reading = Reading::open(self.options, &graph, store.as_ref())?;
        let mut kept = Kept { graph, store };
        self.choose_machine(&kept)?;
        let mut number = kept.store.as_ref().map_or(0, Store::last);
        if kept.store.is_some() {
            // What cannot run must not keep a batch first.
            let graph = self.named(Graph::from(kept.graph.snapshot().to_graph()?), number);
            let _ = self.possible(self.job(&graph).prepare(), &graph)?;
        }
        let mut last = Asked::new(self.incremental());
        let mut batch = Batch::new();
        batch.on_repeat(self.options.on_repeat());
        let mut newest: Option<Ran> = None;
        loop {
            batch.clear();
            let is_last = reading.fill(&mut batch, &kept.graph)?;
            // Without changes the program is asked once about the graph as it is, unless it was already.
            if batch.is_empty() && newest.is_some() && !reading.has_news() {
                break;
            }
            number += u64::from(!batch.is_empty());
            let start = Instant::now();
            reading.warn_of_growth(number, &kept.graph);
            let mut applied = kept.apply(&batch, reading.names(), reading.place())?;
            let apply_seconds = start.elapsed().as_secs_f64();
            last.difference.add(std::mem::take(&mut applied.changes));
            if let Some(store) = &mut kept.store
                && number.is_multiple_of(self.options.checkpoint.into())
            {
                store.checkpoint(&kept.graph)?;
            }
            let is_due = is_last || number.is_multiple_of(self.options.every.into());
            if !batch.is_empty() {
                newest = None;
            }
            let is_asked = is_due && newest.is_none();
            if is_asked {
                newest = Some(self.ask(&kept.graph, number, &mut last)?);
            }
            let told = Told {
                batch: number,
                changes: batch.len(),
                applied: &applied,
                apply_seconds,
                bad_lines: reading.take_news(),
                ran: newest.as_ref().filter(|_| is_asked),
            };
            self.tell(&told, &kept.graph)?;
            if let Some(ran) = newest.as_ref().filter(|_| is_asked) {
                self.outputs.write_batch(number, ran)?;
                if let Some(Err(problem)) = &ran.verdict {
                    return Err(CliError::Wrong(problem.clone()));
                }
            }
            if is_last || self.cancel.load(Ordering::Relaxed) {
                break;
            }
        }
        if let Some(store) = &mut kept.store {
            store.checkpoint(&kept.graph)?;
        }
        reading.tell_end();
        newest.map_or(Ok(()), |ran| self.outputs.write_last(&ran))
    }

    /// The graph under the name that messages call it by.
    fn named(&self, graph: Graph, batch: u64) -> Graph {
        match batch {
            0 => graph.named("the graph at the beginning"),
            batch => graph.named(&format!("the graph after batch {batch} of {}", self.options.source())),
        }
    }

    fn job(&self, graph: &Graph) -> Job {
        let job = self.with_options(self.program.on(graph).args(&self.options.args));
        self.left_out.get().into_iter().flatten().fold(job, |job, (name, value)| job.arg(name, value.as_str()))
    }

    /// Opens the machine: `auto` is chosen for the graph at the beginning. What was tuned for that graph holds for the
    /// graphs that changes make of it.
    fn choose_machine<W: EdgeWeight>(&self, kept: &Kept<W>) -> Result<(), CliError> {
        let graph = Graph::from(kept.graph.snapshot().graph()?);
        let work = Work { program: self.program.name(), graph: Some(&graph) };
        let machine = self.options.target.begin(self.threads, None).finish(Some(&work))?;
        let cache = ScheduleCache::of_user(machine.threads()).for_changes_of(&graph);
        // There is one call.
        let _ = self.begun.set((machine, cache));
        Ok(())
    }

    fn machine(&self) -> &Machine {
        self.begun.get().map_or(Machine::usual(), |(machine, _)| machine)
    }

    /// The same job with the machine and the schedule of the stream.
    fn with_options(&self, job: Job) -> Job {
        let job = job.machine(self.machine()).cancel(self.cancel).schedule_title("--schedule");
        let job = self.named.iter().fold(job, |job, (name, value)| job.arg(name, value.as_str()));
        let job = self.begun.get().map_or(job.clone(), |(_, cache)| job.tuned(cache));
        match &self.options.schedule {
            Some(schedule) => job.schedule(schedule),
            None => job,
        }
    }

    fn incremental(&self) -> Option<Incremental> {
        let job = self.with_options(self.program.job().args(&self.options.args));
        Some(Incremental::new(job, self.update.clone()?))
    }

    /// A run; the inner error is why the program cannot take the graph as it is now. Later changes may mend that: they
    /// take loops away, and bring the vertex that an argument names.
    fn possible<T>(&self, run: Result<T, Error>, graph: &Graph) -> Result<Result<T, String>, CliError> {
        let is_vertex = |wanted: &str| {
            let args = self.program.as_standard().map_or(&[][..], |standard| standard.args);
            let arg = args.iter().find(|arg| arg.name.eq_ignore_ascii_case(wanted));
            let kinds = [ArgKind::Source, ArgKind::Sources, ArgKind::Target, ArgKind::Landmark];
            arg.is_some_and(|arg| kinds.contains(&arg.kind))
        };
        match run {
            Ok(ran) => Ok(Ok(ran)),
            Err(Error::Unsuitable(why)) => Ok(Err(why.to_string())),
            Err(Error::Argument(why)) => match &why {
                ArgumentError::Bad { name, .. } | ArgumentError::Sources { name, .. }
                    if graph.names().is_some() && is_vertex(name) =>
                {
                    Ok(Err(why.to_string()))
                }
                _ => Err(in_options(Error::Argument(why))),
            },
            Err(other) => Err(other.into()),
        }
    }

    /// Runs the program on the graph as it is, or brings its result up to date.
    fn ask<W: EdgeWeight>(&self, graph: &DynamicGraph<W>, number: u64, last: &mut Asked<W>) -> Result<Ran, CliError> {
        let start = Instant::now();
        let (vertices, symmetric) = (graph.vertices(), graph.ends() == Ends::Undirected);
        let graph = self.named(Graph::from(graph.snapshot().graph()?), number);
        last.follow(self.machine(), &graph)?;
        let Asked { difference, incremental, .. } = last;
        let lists;
        let ran = match incremental {
            Some(incremental) => {
                let (inserted, deleted) = (difference.inserted(vertices)?, difference.deleted(vertices)?);
                let changes = Changes { inserted: inserted.into(), deleted: deleted.into(), symmetric };
                lists = start.elapsed().as_secs_f64();
                incremental.run(&graph, Some(&changes)).map(|(outcome, how)| (outcome, Some(how)))
            }
            None => {
                lists = start.elapsed().as_secs_f64();
                self.job(&graph).run().map(|outcome| (outcome, None))
            }
        };
        let ran = self.possible(ran, &graph)?;
        difference.clear();
        let (outcome, how) = match ran {
            Ok(ran) => ran,
            Err(why) => {
                let no_result = Some(why);
                return Ok(Ran { lists, graph, outcome: None, how: None, no_result, verdict: None });
            }
        };
        if self.told.borrow().as_ref() != Some(&outcome.program) {
            outcome.notes.iter().for_each(|note| eprintln!("gw: {note}"));
            *self.told.borrow_mut() = Some(outcome.program.clone());
        }
        self.left_out.get_or_init(|| outcome.arguments_left_out(&self.named, self.options.args.len()));
        let no_result = outcome.remark().and_then(|remark| match remark {
            Remark::NoResult(why) => Some(why),
            Remark::Rough(_) => None,
        });
        let verdict = match self.options.verify.then(|| outcome.verify()) {
            Some(Err(Error::Wrong(why))) => Some(Err(why.to_string())),
            Some(Err(other)) => return Err(other.into()),
            // Where there is no result, none was verified, however right the reason is.
            Some(Ok(())) => no_result.is_none().then_some(Ok(())),
            None => None,
        };
        Ok(Ran { lists, graph, outcome: Some(outcome), how, no_result, verdict })
    }
}
