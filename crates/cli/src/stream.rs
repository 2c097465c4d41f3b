//! `gw stream`: a graph that changes while it is asked.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{Args, ValueEnum};
use graphwright::{Graph, Machine, Outcome, Program};
use gw_dynamic::{Applied, Batch, Change, DynamicGraph, EdgeWeight, Ends, OnRepeat, Recovered, Store, Update, Updates};
use gw_graph::progress::Silent;
use gw_graph::{GraphSpec, WeightKind};
use serde::Serialize;

use crate::error::CliError;
use crate::machines::{self, Target};
use crate::output::{grouped, seconds};
use crate::program::{results, source};

const HELP: &str = "\
A line of UPDATES is `source target`, with a weight behind it where the graph has weights; a `-` before it deletes the
edge. `-` as UPDATES is standard input.

Examples:
  gw stream cc web.gwg new-links.el               components after every 100,000 changes
  gw stream pagerank empty:1000000 - --batch 1000 changes from standard input, a thousand at a time
  gw stream triangles mails.gwg mails.txt --undirected --timed --window 604800
                                                  triangles among the mails of the last week
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
    /// taken, and the changes of UPDATES that it has seen are passed over
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
    /// Write the whole graph to the store after every N-th batch
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    checkpoint: u32,
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
    results: serde_json::Map<String, serde_json::Value>,
}

impl Stream {
    /// Streams; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), CliError> {
        if let Some(span) = self.window.filter(|span| !span.is_finite() || *span <= 0.0) {
            return Err(CliError::Usage(format!("--window {span}: a span of time is greater than 0")));
        }
        let program = source::find(&self.program)?;
        let machine = self.target.open(threads)?.machine;
        cancel.store(false, Ordering::Relaxed);
        let session = Session { options: &self, program, machine, cancel };
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
    machine: Machine,
    cancel: &'a Arc<AtomicBool>,
}

/// Edges by the time they were inserted, to be deleted when they are too old.
struct Window {
    span: f64,
    inserted: VecDeque<(f64, u32, u32)>,
    latest: rustc_hash::FxHashMap<(u32, u32), f64>,
}

impl Window {
    /// Notes an insertion, and adds the deletion of what is too old by then to the batch.
    fn pass<W: EdgeWeight>(&mut self, update: &Update<W>, undirected: bool, batch: &mut Batch<W>) {
        while let Some(&(time, source, target)) = self.inserted.front()
            && update.time - time >= self.span
        {
            self.inserted.pop_front();
            // An edge that was inserted again stays until that is too old.
            if self.latest.get(&(source, target)) == Some(&time) {
                self.latest.remove(&(source, target));
                batch.delete(source, target);
            }
        }
        let key = match undirected {
            true => (update.source.min(update.target), update.source.max(update.target)),
            false => (update.source, update.target),
        };
        match update.change {
            Change::Insert(_) => {
                self.inserted.push_back((update.time, key.0, key.1));
                self.latest.insert(key, update.time);
            }
            Change::Delete => drop(self.latest.remove(&key)),
        }
    }
}

impl Session<'_> {
    fn begin<W: EdgeWeight>(&self, graph: DynamicGraph<W>) -> Result<(), CliError> {
        let store = self.options.store.as_deref().map(|folder| Store::create(folder, &graph)).transpose()?;
        self.stream(graph, store, 0)
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
        let (last, position) = (store.last(), store.position());
        eprintln!(
            "{}: the graph after batch {last}, {batches} of them applied again; {} changes are passed over",
            folder.display(),
            grouped(self.seen(position))
        );
        if torn > 0 {
            eprintln!("{} bytes of a batch that was not acknowledged are left out", grouped(torn));
        }
        self.stream(graph, Some(store), position)
    }

    /// Changes of the file that the store has: standard input brings none of them again.
    fn seen(&self, position: u64) -> u64 {
        if self.options.updates.as_os_str() == "-" { 0 } else { position }
    }

    fn stream<W: EdgeWeight>(
        &self,
        graph: DynamicGraph<W>,
        store: Option<Store>,
        position: u64,
    ) -> Result<(), CliError> {
        let mut updates = Updates::new(self.options.lines()?, self.options.timed);
        for passed in 0..self.seen(position) {
            if updates.next_change::<W>()?.is_none() {
                return Err(CliError::Usage(format!(
                    "the store has seen {} changes, but {} has {} only: give the file that the store was made with, or \
                     new changes by standard input",
                    grouped(position),
                    self.options.updates.display(),
                    grouped(passed)
                )));
            }
        }
        let mut window = self.options.window.map(|span| Window {
            span,
            inserted: VecDeque::new(),
            latest: rustc_hash::FxHashMap::default(),
        });
        let mut kept = Kept { graph, store };
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
            let applied = kept.apply(&batch)?;
            let apply_seconds = start.elapsed().as_secs_f64();
            if let Some(store) = &mut kept.store
                && number.is_multiple_of(self.options.checkpoint.into())
            {
                store.checkpoint(&kept.graph)?;
            }
            let ran = match is_last || number.is_multiple_of(self.options.every.into()) {
                true => Some(self.ask(&kept.graph)?),
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

    /// Runs the program on the graph as it is, whose lists are read where they stand; seconds until they were found,
    /// and the result.
    fn ask<W: EdgeWeight>(&self, graph: &DynamicGraph<W>) -> Result<(f64, Outcome), CliError> {
        let start = Instant::now();
        let graph = Graph::from(graph.snapshot().graph()?);
        let found = start.elapsed().as_secs_f64();
        let mut job = self.program.on(&graph).args(self.options.args.iter().map(String::as_str));
        job = job.machine(&self.machine).cancel(self.cancel);
        if let Some(schedule) = &self.options.schedule {
            job = job.schedule(schedule);
        }
        let outcome = job.run()?;
        if self.options.verify {
            outcome.verify()?;
        }
        Ok((found, outcome))
    }

    fn tell<W: EdgeWeight>(
        &self,
        batch: u64,
        changes: usize,
        applied: &Applied<W>,
        graph: &DynamicGraph<W>,
        apply_seconds: f64,
        ran: Option<(f64, Outcome)>,
    ) -> Result<(), CliError> {
        let (vertices, edges) = (graph.vertices(), graph.edges());
        let found = ran.as_ref().map(|(_, outcome)| results::of_run(&self.program, outcome.globals()));
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
                lists_seconds: ran.as_ref().map_or(0.0, |(lists, _)| *lists),
                run_seconds: ran.as_ref().map(|(_, outcome)| outcome.times.counted()),
                results: found.as_deref().map(results::as_json).unwrap_or_default(),
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
        if let (Some((lists, outcome)), Some(found)) = (&ran, &found) {
            let (run, lists) = (seconds(outcome.times.counted()), seconds(*lists));
            writeln!(out, "  {} in {run}, its lists found in {lists}", self.program.name())?;
            for line in outcome.printed.lines().chain(results::in_words(found).lines()) {
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
    /// Applies a batch, which is on disk before it counts. The graph grows to the vertices that are named.
    fn apply(&mut self, batch: &Batch<W>) -> Result<Applied<W>, CliError> {
        let vertices = batch.greatest().map_or(0, |v| v as usize + 1).max(self.graph.vertices());
        if let Some(store) = self.store.as_mut().filter(|_| !batch.is_empty()) {
            store.append(vertices, batch)?;
        }
        self.graph.grow(vertices)?;
        Ok(self.graph.apply(batch)?)
    }
}
