//! `gw stream`: a graph that changes while it is asked.

mod asked;
mod kept;
mod outputs;
mod reading;
mod session;
mod source;
mod tell;
mod window;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use graphwright::Program;
use gw_dynamic::{DynamicError, DynamicGraph, EdgeWeight, Ends, OnRepeat, Store};
use gw_graph::format::Format;
use gw_graph::spec::Source;
use gw_graph::{Graph, GraphSpec, Names, WeightKind, with_weight_type};

use self::outputs::Outputs;
use self::session::Session;
use self::source::UpdateColumns;
use crate::apart::Apart;
use crate::error::CliError;
use crate::graph::columns::Columns;
use crate::machines::{self, Target};
use crate::program::named::Named;
use crate::program::source as programs;
use crate::program::top::Top;
use crate::progress::Bar;

const HELP: &str = "\
A line of UPDATES is `source target`, with a weight behind it where the graph has weights; a `-` before it deletes the
edge. A .csv or .tsv is a table with a column of each; a column `change` has + or -. `-` as UPDATES is standard input.
Where the graph has ids of its own, UPDATES names vertices by them, and an id that is new becomes the next vertex.

Examples:
  gw stream cc web.gwg new-links.el               components after every 100,000 changes
  gw stream pagerank empty:1000000 - --batch 1000 changes from standard input, a thousand at a time
  gw stream pagerank follows.csv new.csv --top rank:10 --out 'rank=ranks/{batch}.csv'
                                                  the ten best names and a table of all after every batch
  gw stream triangles mails.gwg mails.txt --undirected --timed --window 604800
                                                  triangles among the mails of the last week
  gw stream cc web.gwg links.el --undirected --incremental
                                                  components brought up to date, not computed anew
  gw stream bfs follows.csv new.csv --source ann  the arguments of a program by name
  gw stream cc empty:names links.csv --store state
                                                  every batch is on disk before it counts; goes on after a crash
  gw run cc state                                 the graph of a store, as any other graph";

/// Arguments of `gw stream`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Stream {
    /// A standard program (see `gw programs`) or a .gt file
    program: String,
    /// The graph at the beginning; `empty:N` has N vertices and no edges, `empty:names` has no vertices and takes
    /// names; with `:int`, `:int64`, `:float` or `:double` behind it, edges have weights
    graph: String,
    /// A file of changes, a line or (.csv, .tsv) a row each; `-` is standard input
    updates: PathBuf,
    /// Arguments of the program behind the graph; each may be given by name instead
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// Changes per batch
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Run the program after every N-th batch, and after the last one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// The last word of a line is its time, in a table the column `time` or the last one that is left; times do not
    /// fall
    #[arg(long)]
    timed: bool,
    /// What becomes of a line that is no change: the stream stops there, or the line is left out and its number told
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    bad_lines: BadLines,
    /// The most vertices that UPDATES may make of the graph; a vertex beyond makes a line a bad one [default: 64 per
    /// edge, but 16,777,216 in any case]
    #[arg(long, value_name = "N", value_parser = vertices)]
    max_vertices: Option<usize>,
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
    /// Check every result; a wrong one ends the stream
    #[arg(long)]
    verify: bool,
    /// Print the vertices with the greatest entries of a vector, or with the least ones, after every run
    #[arg(long, value_name = "RESULT:COUNT[:least]", value_parser = Top::parse)]
    top: Vec<Top>,
    /// Write a result to a file, as `gw run` does: where the name has `{batch}`, after every run, to a file of its own;
    /// otherwise at the end of the stream
    #[arg(long, value_name = "[RESULT=]FILE", allow_hyphen_values = true)]
    out: Vec<String>,
    /// Print a JSON object per batch
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    update_columns: UpdateColumns,
    #[command(flatten)]
    named: Named,
}

/// Reads the number of vertices that a graph may have.
fn vertices(text: &str) -> Result<usize, String> {
    let most = gw_graph::MAX_VERTICES;
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("a number of vertices from 1 to {most} is expected"))
}

/// What becomes of a line that is no change.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BadLines {
    /// The stream stops there with an error
    Stop,
    /// The line is left out, and its number told
    Skip,
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

impl Stream {
    /// Streams; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), CliError> {
        if let Some(span) = self.window.filter(|span| !span.is_finite() || *span <= 0.0) {
            return Err(CliError::Usage(format!("--window {span}: a span of time is greater than 0")));
        }
        self.check_columns()?;
        self.check_files()?;
        if self.program.contains(',') && !Path::new(&self.program).exists() {
            return Err(CliError::Usage(format!("`{}`: a stream runs one program", self.program)));
        }
        let program = programs::find(&self.program)?;
        if self.verify {
            programs::can_verify(&program, None)?;
        }
        let update = self.update(&program)?;
        let outputs = Outputs::new(&self.top, &self.out, &program, update.as_ref())?;
        cancel.store(false, Ordering::Relaxed);
        let mut session = Session::new(&self, program, update, threads, outputs, cancel);
        if let Some(folder) = &self.store
            && Store::complete(folder, self.ends())?
        {
            eprintln!("{}: a store that was being made when its process was killed is completed", folder.display());
        }
        if let Some(folder) = self.store.as_deref().filter(|folder| Store::is_at(folder)) {
            return match session.stored::<()>(folder) {
                Err(CliError::Dynamic(DynamicError::WeightKind { found, .. })) => {
                    with_weight_type!(found, W => session.stored::<W>(folder))
                }
                other => other,
            };
        }
        let empty = self.graph.strip_prefix("empty:");
        match empty.map(|text| text.split_once(':').unwrap_or((text, ""))) {
            Some((vertices, kind)) => {
                let wrong = || {
                    let message = "write it as empty:N or empty:names, with :int, :int64, :float or :double behind it \
                                   for weights";
                    CliError::Usage(format!("{}: {message}", self.graph))
                };
                let vertices = match vertices {
                    "names" => None,
                    number => Some(number.parse().map_err(|_| wrong())?),
                };
                let kind = if kind.is_empty() { WeightKind::None } else { kind.parse().map_err(|_| wrong())? };
                with_weight_type!(kind, W => session.begin(self.empty::<W>(vertices)?))
            }
            None => {
                let graph = self.load()?;
                with_weight_type!(graph.weight_kind(), W => session.begin(self.of_graph::<W>(&graph)?))
            }
        }
    }

    /// Neither the store nor the results may be written over what is read, and a pipe is read once.
    fn check_files(&self) -> Result<(), CliError> {
        if self.updates.as_os_str() == "-" && GraphSpec::is_standard_input(&self.graph) {
            let message = "the graph and the changes cannot both come from standard input; give one of them as a file";
            return Err(CliError::Usage(message.to_string()));
        }
        let of_store = self.store.as_deref().map(Store::files).unwrap_or_default();
        let update = self.incremental.iter().flatten();
        // Of a store that is there, the graph is taken, and the one that is given is not read.
        let graph = Some(&self.graph).filter(|_| !self.store.as_deref().is_some_and(Store::is_at));
        let named = self.named.pairs();
        let args = self.args.iter().chain(named.iter().map(|(_, value)| value));
        let read = Apart::reading([&*self.program]).and(graph).and(args).and(update).and(&self.schedule);
        let updates = if self.updates.as_os_str() == "-" { PathBuf::from("/dev/stdin") } else { self.updates.clone() };
        let results = outputs::files(&self.out);
        let written = read.files([&updates]).writing("--store", of_store.iter().map(|file| &**file));
        written.writing("--out", results.iter().map(|file| &**file)).check()
    }

    /// The file of changes in words.
    fn source_of_updates(&self) -> String {
        if self.updates.as_os_str() == "-" { "standard input".to_string() } else { self.updates.display().to_string() }
    }

    /// A graph without edges, with this number of vertices; without a number it takes names.
    fn empty<W: EdgeWeight>(&self, vertices: Option<usize>) -> Result<DynamicGraph<W>, CliError> {
        let mut graph = DynamicGraph::new(vertices.unwrap_or(0), self.ends())?;
        if vertices.is_none() {
            graph.name(Arc::new(Names::from_texts([])))?;
        }
        Ok(graph)
    }

    /// A graph that changes, with the edges and the ids of another.
    fn of_graph<W: EdgeWeight>(&self, graph: &Graph) -> Result<DynamicGraph<W>, CliError> {
        let mut changing = DynamicGraph::from_graph(graph, self.ends())?;
        if let Some(names) = graph.names() {
            changing.name(Arc::clone(names))?;
        }
        Ok(changing)
    }

    /// The graph at the beginning, undirected where that is asked for.
    fn load(&self) -> Result<Arc<Graph>, CliError> {
        let spec = self.spec()?;
        let mut graph = spec.load(&Bar::late())?.graph;
        // Weights of 32 bits hold all that the file has, but what comes is not known.
        let is_asked = spec.options.weight_kind.is_some() || matches!(spec.source, Source::Generator(_));
        if graph.weight_kind() == WeightKind::Float && !is_asked {
            graph = graph.with_weight_kind(WeightKind::Double)?;
        }
        let graph = Arc::new(graph);
        graph.reading_notes().iter().for_each(|note| eprintln!("note: {}: {note}", self.graph));
        if !self.undirected || graph.is_symmetric() {
            return Ok(graph);
        }
        eprintln!("gw: `{}` is directed: taken as undirected for --undirected", self.graph);
        Ok(graph.symmetric_view()?)
    }

    /// Whether weights of the graph are those of edges somewhere, and not made at random.
    fn has_own_weights(&self) -> bool {
        GraphSpec::parse(&self.graph).is_ok_and(|spec| spec.options.weights.is_none())
            || self.graph.starts_with("empty:")
    }

    /// The graph at the beginning, with the columns of the options where it is a table whose spec names none. Of a
    /// document they name the weight.
    fn spec(&self) -> Result<GraphSpec, CliError> {
        let spec = GraphSpec::parse(&self.graph)?;
        let format = match &spec.source {
            Source::File(path) => Format::of_path(path).filter(|_| spec.options.columns.is_default()),
            Source::Generator(_) => None,
        };
        match format {
            Some(format) if format.is_table() => self.columns.apply(spec),
            Some(format) if format.is_document() => self.columns.apply_weight(spec),
            _ => Ok(spec),
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
            return Ok(Some(programs::find(file)?));
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

    /// Whether a line of UPDATES may be left out.
    fn may_leave_out(&self) -> bool {
        self.bad_lines == BadLines::Skip || self.columns.skips_missing()
    }

    /// Whether the line at fault is left out.
    fn leaves_out(&self, error: &DynamicError) -> bool {
        match error {
            DynamicError::BadLine { is_missing: true, .. } => self.may_leave_out(),
            error => error.is_bad_line() && self.bad_lines == BadLines::Skip,
        }
    }
}
