//! `gw stream`: a graph that changes while it is asked.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{Args, ValueEnum};
use graphwright::{Changes, Graph, How, Incremental, Job, Machine, Outcome, Program};
use gw_dynamic::{Applied, Batch, DynamicGraph, EdgeWeight, Ends, OnRepeat, Place, Recovered, Store, Updates};
use gw_graph::progress::Silent;
use gw_graph::{GraphSpec, WeightKind};
use gw_programs::Remark;
use serde::Serialize;

use crate::asked::Asked;
use crate::error::CliError;
use crate::machines::{self, Target};
use crate::output::{grouped, seconds};
use crate::program::{results, source};
use crate::window::Window;

const HELP: &str = "\
A line of UPDATES is `source target`, with a weight behind it where the graph has weights; a `-` before it deletes the
edge. `-` as UPDATES is standard input.

Examples:
  gw stream cc web.gwg new-links.el               components after every 100,000 changes
  gw stream pagerank empty:1000000 - --batch 1000 changes from standard input, a thousand at a time
  gw stream triangles mails.gwg mails.txt --undirected --timed --window 604800
                                                  triangles among the mails of the last week
  gw stream cc web.gwg links.el --undirected --incremental
                                                  components brought up to date, not computed anew
  gw stream cc web.gwg links.el --store state     every batch is on disk before it counts; goes on after a crash";

/// Arguments of `gw stream`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Stream {
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// The graph at the beginning; `empty:N` has N vertices and no edges, `empty:N:int` and `empty:N:float` take
    /// weights
    graph: String,
    /// A file of changes, a line each; `-` is standard input
    updates: PathBuf,
    /// Arguments of the program behind the graph
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// Changes per batch
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Run the program after every N-th batch, and after the last one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// The last word of a line is its time; times do not fall
    #[arg(long)]
    timed: bool,
    /// An edge goes when this much time has passed since it was last inserted
    #[arg(long, value_name = "SPAN", requires = "timed", conflicts_with = "store")]
    window: Option<f64>,
    /// A change of an edge is a change of its reverse
    #[arg(long)]
    undirected: bool,
    /// What an insertion does to an edge that is there already
    #[arg(long, value_name = "WHAT", default_value = "replace")]
    on_repeat: Repeat,
    /// Keep the graph in a folder: every batch is on disk before it counts. If the folder holds a graph, that one is
    /// taken, and the changes of UPDATES that it has seen are passed over: a file that begins with the same changes is
    /// that file, grown. All changes of another file are taken, and all of standard input
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
    /// Write the whole graph to the store after every N-th batch
    #[arg(long, value_name = "N", default_value_t = 100, requires = "store")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    checkpoint: u32,
    /// Bring the result up to date after a batch, by the update that comes with the program or by a .gt file, instead
    /// of running the program again
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    incremental: Option<Option<String>>,
    /// The machine to run on
    #[arg(long, value_parser = machines::target(), default_value = "cpu")]
    target: Target,
    /// The schedule of the program, as for `gw run`
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<String>,
    /// Check every result
    #[arg(long)]
    verify: bool,
    /// Print a JSON object per batch
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Repeat {
    /// The weight stays
    Keep,
    /// The new weight
    Replace,
    /// The lesser weight
    Least,
    /// Both weights together
    Sum,
}

/// What `--json` prints for a batch.
#[derive(Serialize)]
struct Line {
    batch: u64,
    changes: usize,
    inserted: usize,
    deleted: usize,
    reweighted: usize,
    vertices: usize,
    edges: usize,
    apply_seconds: f64,
    /// Finding the lists that the machine reads where they stand.
    lists_seconds: f64,
    run_seconds: Option<f64>,
    /// With `--incremental`: `updated`, `first` or `again`, the last two from scratch.
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<&'static str>,
    results: serde_json::Map<String, serde_json::Value>,
    /// Why there are no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_result: Option<String>,
}

impl Stream {
    /// Streams; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), CliError> {
        if let Some(span) = self.window.filter(|span| !span.is_finite() || *span <= 0.0) {
            return Err(CliError::Usage(format!("--window {span}: a span of time is greater than 0")));
        }
        let program = source::find(&self.program)?;
        let update = self.update(&program)?;
        let machine = self.target.open(threads)?.machine;
        cancel.store(false, Ordering::Relaxed);
        let session = Session { options: &self, program, update, machine, cancel, args: OnceCell::new() };
        if let Some(folder) = self.store.as_deref().filter(|folder| Store::is_at(folder)) {
            return match session.stored::<()>(folder) {
                Err(CliError::Dynamic(gw_dynamic::DynamicError::WeightKind { found: "integer", .. })) => {
                    session.stored::<i32>(folder)
                }
                Err(CliError::Dynamic(gw_dynamic::DynamicError::WeightKind { found: "real", .. })) => {
                    session.stored::<f32>(folder)
                }
                other => other,
            };
        }
        match self.graph.strip_prefix("empty:").map(|text| text.split_once(':').unwrap_or((text, ""))) {
            Some((vertices, kind)) => {
                let wrong =
                    || CliError::Usage(format!("{}: write it as empty:N, empty:N:int or empty:N:float", self.graph));
                let vertices = vertices.parse().map_err(|_| wrong())?;
                match kind {
                    "" => session.begin(DynamicGraph::<()>::new(vertices, self.ends())?),
                    "int" => session.begin(DynamicGraph::<i32>::new(vertices, self.ends())?),
                    "float" => session.begin(DynamicGraph::<f32>::new(vertices, self.ends())?),
                    _ => Err(wrong()),
                }
            }
            None => {
                let graph = GraphSpec::parse(&self.graph)?.load(&Silent)?.graph;
                if graph.names().is_some() {
                    let message = "gw stream names vertices by their numbers, but this graph has ids of its own";
                    return Err(CliError::Usage(format!("{message}; write it to a .gwg first (gw graph convert)")));
                }
                match graph.weight_kind() {
                    WeightKind::None => session.begin(DynamicGraph::<()>::from_graph(&graph, self.ends())?),
                    WeightKind::Int => session.begin(DynamicGraph::<i32>::from_graph(&graph, self.ends())?),
                    WeightKind::Float => session.begin(DynamicGraph::<f32>::from_graph(&graph, self.ends())?),
                }
            }
        }
    }

    /// The program that brings results up to date, where that is asked for.
    fn update(&self, program: &Program) -> Result<Option<Program>, CliError> {
        let Some(given) = &self.incremental else { return Ok(None) };
        if program.as_standard().is_some_and(|standard| standard.needs_symmetric) && !self.undirected {
            let message = format!("--incremental: {} needs an undirected graph: give --undirected", program.name());
            return Err(CliError::Usage(message));
        }
        if let Some(file) = given {
            return Ok(Some(source::find(file)?));
        }
        let known: Vec<&str> = gw_programs::with_update().collect();
        let none = || {
            let (name, known) = (program.name(), known.join(", "));
            let mend = "write one as a .gt file and give it as --incremental=FILE";
            CliError::Usage(format!("--incremental: {name} comes without an update; {known} have one; {mend}"))
        };
        Ok(Some(program.update().ok_or_else(none)??))
    }

    fn ends(&self) -> Ends {
        if self.undirected { Ends::Undirected } else { Ends::Directed }
    }

    fn on_repeat(&self) -> OnRepeat {
        match self.on_repeat {
            Repeat::Keep => OnRepeat::Keep,
            Repeat::Replace => OnRepeat::Replace,
            Repeat::Least => OnRepeat::Least,
            Repeat::Sum => OnRepeat::Sum,
        }
    }

    fn lines(&self) -> Result<Box<dyn BufRead>, CliError> {
        if self.updates.as_os_str() == "-" {
            return Ok(Box::new(BufReader::new(std::io::stdin())));
        }
        let failed = |e| gw_graph::GraphError::io("read", &self.updates, e);
        Ok(Box::new(BufReader::with_capacity(1 << 20, File::open(&self.updates).map_err(failed)?)))
    }
}

/// One stream under way.
struct Session<'a> {
    options: &'a Stream,
    program: Program,
    update: Option<Program>,
    machine: Machine,
    cancel: &'a Arc<AtomicBool>,
    /// The arguments of the first run, in which a source that nobody gave is chosen: it stays.
    args: OnceCell<Vec<String>>,
}

/// A run of the program.
struct Ran {
    /// Seconds until the lists were found.
    lists: f64,
    outcome: Outcome,
    /// Where results are brought up to date.
    how: Option<How>,
}

impl Session<'_> {
    fn begin<W: EdgeWeight>(&self, graph: DynamicGraph<W>) -> Result<(), CliError> {
        let store = self.options.store.as_deref().map(|folder| Store::create(folder, &graph)).transpose()?;
        self.stream(graph, store)
    }

    fn stored<W: EdgeWeight>(&self, folder: &std::path::Path) -> Result<(), CliError> {
        let Recovered { store, graph, batches, torn } = Store::open::<W>(folder)?;
        if graph.ends() != self.options.ends() {
            let (has, mend) = match graph.ends() {
                Ends::Undirected => ("an undirected", "give --undirected"),
                _ => ("a directed", "leave --undirected out"),
            };
            return Err(CliError::Usage(format!("the store {} holds {has} graph: {mend}", folder.display())));
        }
        eprintln!("{}: the graph after batch {}, {batches} of them applied again", folder.display(), store.last());
        if torn > 0 {
            eprintln!("{} bytes of a batch that was not acknowledged are left out", grouped(torn));
        }
        self.stream(graph, Some(store))
    }

    /// The changes that are still to come. Those that the store has seen are passed over, if they came from this file;
    /// what is no file (standard input, a pipe) never brings them again.
    fn updates<W: EdgeWeight>(&self, store: Option<&Store>) -> Result<Updates<Box<dyn BufRead>>, CliError> {
        let mut updates = Updates::new(self.options.lines()?, self.options.timed);
        let Some(seen) = store.map(Store::place).filter(|seen| seen.changes > 0 && self.is_file()) else {
            return Ok(updates);
        };
        while updates.place().changes < seen.changes && updates.next_change::<W>()?.is_some() {}
        if updates.place() == seen {
            eprintln!("{} changes are passed over: the store has seen them", grouped(seen.changes));
            return Ok(updates);
        }
        eprintln!(
            "{} is another file than the store has seen: all its changes are taken",
            self.options.updates.display()
        );
        Ok(Updates::new(self.options.lines()?, self.options.timed))
    }

    fn is_file(&self) -> bool {
        self.options.updates.as_os_str() != "-" && self.options.updates.is_file()
    }

    fn stream<W: EdgeWeight>(&self, graph: DynamicGraph<W>, store: Option<Store>) -> Result<(), CliError> {
        let mut updates = self.updates::<W>(store.as_ref())?;
        if store.is_some() {
            // What cannot run must not keep a batch first.
            self.job(&Graph::from(graph.snapshot().to_graph()?)).prepare()?;
        }
        let mut window = self.options.window.map(Window::new);
        let mut kept = Kept { graph, store };
        let mut last = Asked::new(self.incremental());
        let mut batch = Batch::new();
        batch.on_repeat(self.options.on_repeat());
        let (mut number, mut asked) = (kept.store.as_ref().map_or(0, Store::last), false);
        loop {
            batch.clear();
            let mut taken = 0;
            while taken < self.options.batch
                && let Some(update) = updates.next_change::<W>()?
            {
                if let Some(window) = &mut window {
                    window.pass(&update, self.options.undirected, &mut batch);
                }
                batch.push(update.source, update.target, update.change);
                taken += 1;
            }
            let is_last = taken < self.options.batch;
            // Without changes the program is asked once about the graph as it is, unless it was already.
            if batch.is_empty() && asked {
                break;
            }
            number += u64::from(!batch.is_empty());
            let start = Instant::now();
            let place = if self.is_file() { Some(updates.place()) } else { None };
            let mut applied = kept.apply(&batch, place)?;
            let apply_seconds = start.elapsed().as_secs_f64();
            last.difference.add(std::mem::take(&mut applied.changes));
            if let Some(store) = &mut kept.store
                && number.is_multiple_of(self.options.checkpoint.into())
            {
                store.checkpoint(&kept.graph)?;
            }
            let ran = match is_last || number.is_multiple_of(self.options.every.into()) {
                true => Some(self.ask(&kept.graph, &mut last)?),
                false => None,
            };
            asked = ran.is_some();
            self.tell(number, batch.len(), &applied, &kept.graph, apply_seconds, ran)?;
            if is_last || self.cancel.load(Ordering::Relaxed) {
                break;
            }
        }
        if let Some(store) = &mut kept.store {
            store.checkpoint(&kept.graph)?;
        }
        Ok(())
    }

    fn job<'a>(&'a self, graph: &Graph) -> Job<'a> {
        let args = self.args.get().unwrap_or(&self.options.args);
        let job = self.program.on(graph).args(args.iter().map(String::as_str));
        let job = job.machine(&self.machine).cancel(self.cancel);
        match &self.options.schedule {
            Some(schedule) => job.schedule(schedule),
            None => job,
        }
    }

    fn incremental(&self) -> Option<Incremental> {
        let mut incremental = Incremental::new(self.program.clone(), self.update.clone()?, &self.machine);
        incremental.args(self.options.args.iter().map(String::as_str)).cancel(self.cancel);
        if let Some(schedule) = &self.options.schedule {
            incremental.schedule(schedule);
        }
        Some(incremental)
    }

    /// Runs the program on the graph as it is, or brings its result up to date.
    fn ask<W: EdgeWeight>(&self, graph: &DynamicGraph<W>, last: &mut Asked<W>) -> Result<Ran, CliError> {
        let start = Instant::now();
        let (vertices, symmetric) = (graph.vertices(), graph.ends() == Ends::Undirected);
        let graph = Graph::from(graph.snapshot().graph()?);
        last.follow(&self.machine, &graph)?;
        let Asked { difference, incremental, .. } = last;
        let (found, outcome, how) = match incremental {
            Some(incremental) => {
                let (inserted, deleted) = (difference.inserted(vertices)?, difference.deleted(vertices)?);
                let changes = Changes { inserted: inserted.into(), deleted: deleted.into(), symmetric };
                let found = start.elapsed().as_secs_f64();
                let (outcome, how) = incremental.run(&graph, Some(&changes))?;
                (found, outcome, Some(how))
            }
            None => {
                let found = start.elapsed().as_secs_f64();
                (found, self.job(&graph).run()?, None)
            }
        };
        difference.clear();
        if self.args.get().is_none() {
            outcome.notes.iter().for_each(|note| eprintln!("gw: {note}"));
            if outcome.program == self.program.name() {
                let _ = self.args.set(outcome.arguments.get(1..).unwrap_or_default().to_vec());
            }
        }
        if self.options.verify {
            outcome.verify()?;
        }
        Ok(Ran { lists: found, outcome, how })
    }

    fn tell<W: EdgeWeight>(
        &self,
        batch: u64,
        changes: usize,
        applied: &Applied<W>,
        graph: &DynamicGraph<W>,
        apply_seconds: f64,
        ran: Option<Ran>,
    ) -> Result<(), CliError> {
        let (vertices, edges) = (graph.vertices(), graph.edges());
        let no_result = ran.as_ref().and_then(|ran| match ran.outcome.remark()? {
            Remark::NoResult(why) => Some(why),
            Remark::Rough(_) => None,
        });
        let found = ran.as_ref().filter(|_| no_result.is_none());
        let found = found.map(|ran| results::of_run(&self.program, ran.outcome.globals()));
        let mut out = std::io::stdout().lock();
        if self.options.json {
            let line = Line {
                batch,
                changes,
                inserted: applied.inserted,
                deleted: applied.deleted,
                reweighted: applied.reweighted,
                vertices,
                edges,
                apply_seconds,
                lists_seconds: ran.as_ref().map_or(0.0, |ran| ran.lists),
                run_seconds: ran.as_ref().map(|ran| ran.outcome.times.counted()),
                how: ran.as_ref().and_then(|ran| ran.how).map(|how| match how {
                    How::Updated => "updated",
                    How::First => "first",
                    How::Again => "again",
                }),
                results: found.as_deref().map(results::as_json).unwrap_or_default(),
                no_result,
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
            return Ok(());
        }
        let count = |number: usize| grouped(number as u64);
        writeln!(
            out,
            "batch {batch}: {} changes, {} in, {} out, {} edges, applied in {}",
            count(changes),
            count(applied.inserted),
            count(applied.deleted),
            count(edges),
            seconds(apply_seconds),
        )?;
        if let Some(Ran { lists, outcome, how }) = &ran {
            let (run, lists) = (seconds(outcome.times.counted()), seconds(*lists));
            let how = match how {
                Some(How::Updated) => " updated",
                Some(How::Again) => " from scratch, since an update is more work or not possible,",
                Some(How::First) | None => "",
            };
            writeln!(out, "  {}{how} in {run}, its lists found in {lists}", self.program.name())?;
            let words = match (&found, &no_result) {
                (_, Some(why)) => format!("no result: {why}"),
                (Some(found), None) => results::in_words(found),
                (None, None) => String::new(),
            };
            for line in outcome.printed.lines().chain(words.lines()) {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// A graph, and the store that keeps it.
struct Kept<W: EdgeWeight> {
    graph: DynamicGraph<W>,
    store: Option<Store>,
}

impl<W: EdgeWeight> Kept<W> {
    /// Applies a batch, which is on disk before it counts, with how far its file was read. The graph grows to the
    /// vertices that are named: first of all, since a graph that has no room for them must not keep the batch.
    fn apply(&mut self, batch: &Batch<W>, place: Option<Place>) -> Result<Applied<W>, CliError> {
        let vertices = batch.greatest().map_or(0, |v| v as usize + 1).max(self.graph.vertices());
        // A program has at least a few words per vertex.
        let room = gw_graph::memory::allow(16 * vertices as u64, format_args!("a graph of {vertices} vertices"));
        room.map_err(gw_graph::GraphError::from)?;
        self.graph.grow(vertices)?;
        self.graph.check(batch)?;
        if let Some(store) = self.store.as_mut().filter(|_| !batch.is_empty()) {
            let place = place.unwrap_or(store.place());
            store.append(vertices, batch, place)?;
        }
        Ok(self.graph.apply(batch)?)
    }
}
