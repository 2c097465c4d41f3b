//! `read` and `load`: from a path to edges or to a graph.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::document::Kind;
use super::edge_file::EdgeFile;
use super::input::Input;
use super::{Compression, Format, TableColumns};
use super::{
    adjacency_graph, astar, dimacs, document, edge_list, gapbs, gwg, konect, matrix_market, metis, snap, table,
};
use crate::build::{ReadEdges, allow_csr};
use crate::columns::Kept;
use crate::csr::csr;
use crate::graph::FileNotes;
use crate::progress::Progress;
use crate::rows::{Parallel, build_rows};
use crate::stream::{AdjacencyStream, Edges};
use crate::{Adjacency, BuildOptions, Graph, GraphError, Result, Weight, build_any, with_edge_list};

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; by default the file name tells it, or failing that the first bytes.
    pub format: Option<Format>,
    /// The columns of a table (CSV, TSV, Parquet) that hold the edges; of a document (GraphML, GEXF, JSON) the
    /// attribute that is the weight.
    pub columns: TableColumns,
    /// The columns of a table that are kept beside those that make the graph.
    pub kept: Kept,
    /// Do not verify the checksums of a `.gwg`. Opening takes milliseconds at any size, but a damaged file is then
    /// noticed late or not at all.
    pub trust: bool,
}

/// What a file held.
#[derive(Debug)]
pub struct Loaded {
    /// The edges or the graph.
    pub content: Content,
    /// The format it was read as.
    pub format: Format,
    /// Size of the file on disk.
    pub bytes: u64,
    /// Time to open and parse.
    pub read_time: Duration,
    /// Time to verify checksums.
    pub verify_time: Duration,
}

/// Edges still to be built into a graph, or a graph stored as such.
#[derive(Debug)]
pub enum Content {
    /// From formats that are edge lists.
    Edges(Box<EdgeFile>),
    /// From `.gwg`, `.sg` and `.wsg`.
    Graph(Box<Graph>),
}

/// A graph from a file, with what it cost.
#[derive(Debug)]
pub struct LoadedGraph {
    /// The graph.
    pub graph: Graph,
    /// The format it was read as.
    pub format: Format,
    /// Size of the file on disk.
    pub bytes: u64,
    /// Time to open and parse.
    pub read_time: Duration,
    /// Time to verify checksums.
    pub verify_time: Duration,
    /// Time to build the adjacency.
    pub build_time: Duration,
}

/// True for the names that systems give to standard input, which may be a file of any name.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name))
}

/// Reads a file without building anything.
pub fn read(path: &Path, options: &ReadOptions, progress: &dyn Progress) -> Result<Loaded> {
    let start = Instant::now();
    let input = Input::open(path, Compression::of_path(path))?;
    let bytes = input.size();
    let format = match options.format.or_else(|| Format::of_path(path)) {
        Some(format) => format,
        None => {
            Format::of_content(&input.head()?).ok_or_else(|| match input.is_regular() && !is_standard_input(path) {
                true => Format::unknown(path),
                false => Format::untold(path),
            })?
        }
    };
    if !options.columns.is_default() && !format.is_table() && !format.is_document() {
        let message = format!(
            "the format {format} has no named columns: source, target, weight, header and missing are for tables"
        );
        return Err(GraphError::Usage(format!("{}: {message}", path.display())));
    }
    progress.begin("reading", Some(bytes));
    let mut verify_time = Duration::ZERO;
    let content = match format {
        Format::El => Content::Edges(Box::new(edge_list::read(input, path, progress)?)),
        Format::Wel => Content::Edges(Box::new(edge_list::read_weighted(input, path, progress)?)),
        Format::Snap => Content::Edges(Box::new(snap::read(input, path, progress)?)),
        Format::Csv => Content::Edges(Box::new(table::read_csv(
            input,
            path,
            table::Separator::Any,
            &options.columns,
            &options.kept,
            progress,
        )?)),
        Format::Tsv => Content::Edges(Box::new(table::read_csv(
            input,
            path,
            table::Separator::Tab,
            &options.columns,
            &options.kept,
            progress,
        )?)),
        Format::Parquet => {
            Content::Edges(Box::new(table::read_parquet(input, path, &options.columns, &options.kept, progress)?))
        }
        Format::GraphMl => {
            Content::Edges(Box::new(document::read(input, path, Kind::GraphMl, &options.columns, progress)?))
        }
        Format::Gexf => Content::Edges(Box::new(document::read(input, path, Kind::Gexf, &options.columns, progress)?)),
        Format::Json => {
            Content::Edges(Box::new(document::read(input, path, Kind::NodeLink, &options.columns, progress)?))
        }
        Format::Mtx => Content::Edges(Box::new(matrix_market::read(input, path, progress)?)),
        Format::Gr => Content::Edges(Box::new(dimacs::read(input, path, progress)?)),
        Format::Metis => Content::Edges(Box::new(metis::read(input, path, progress)?)),
        Format::Konect => Content::Edges(Box::new(konect::read(input, path, progress)?)),
        Format::Adj => Content::Edges(Box::new(adjacency_graph::read(input, path, progress)?)),
        Format::AStar => Content::Edges(Box::new(astar::read(input, path, progress)?)),
        Format::Sg => Content::Graph(Box::new(gapbs::read(input, path, false, progress)?)),
        Format::Wsg => Content::Graph(Box::new(gapbs::read(input, path, true, progress)?)),
        Format::Gwg => {
            let file = gwg::GwgFile::open(input, path)?;
            if !options.trust {
                let start = Instant::now();
                progress.begin("verifying", Some(bytes));
                file.verify(progress)?;
                verify_time = start.elapsed();
            }
            Content::Graph(Box::new(file.into_graph()))
        }
    };
    let read_time = start.elapsed().saturating_sub(verify_time);
    Ok(Loaded { content, format, bytes, read_time, verify_time })
}

/// Reads a file and builds the graph.
///
/// A graph stored as such (`.gwg`, `.sg`, `.wsg`) is taken as it is: `build` only symmetrises it, when asked and
/// needed, and reorders it.
///
/// ```
/// use gw_graph::format::{load, ReadOptions};
/// use gw_graph::{progress::Silent, BuildOptions};
/// let path = std::env::temp_dir().join(format!("gw-doc-{}.el", std::process::id()));
/// std::fs::write(&path, "0 1\n1 2\n1 1\n0 1\n").unwrap();
/// let loaded = load(&path, &ReadOptions::default(), &BuildOptions::default(), &Silent).unwrap();
/// assert_eq!((loaded.graph.vertices(), loaded.graph.edges()), (3, 2));
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn load(path: &Path, options: &ReadOptions, build: &BuildOptions, progress: &dyn Progress) -> Result<LoadedGraph> {
    let Loaded { content, format, bytes, read_time, verify_time } = read(path, options, progress)?;
    let start = Instant::now();
    let graph = match content {
        Content::Edges(file) => {
            progress.begin("building", None);
            let build = BuildOptions { symmetrise: build.symmetrise || file.symmetrise, ..build.clone() };
            // Another order leaves nothing of the numbers.
            let numbering = file.numbering.filter(|_| build.reorder.is_none());
            let order = build.reorder;
            let build = BuildOptions { reorder: None, ..build };
            let graph = match file.columns {
                Some(table) => with_edge_list!(file.edges, list => build_rows(list, Some(table), &build))?,
                None => build_any(file.edges, &build)?,
            };
            let graph = graph.with_names(file.names.map(Arc::new));
            if file.both_ends && !graph.is_symmetric() && build.symmetry == crate::Symmetry::Unknown {
                let message = "an edge is listed at one end only, or with another weight at the other end; \
                               this format lists every edge at both";
                return Err(GraphError::file(path, message));
            }
            let graph = match &order {
                Some(order) => graph.try_reordered(order)?,
                None => graph,
            };
            let notes = FileNotes { skipped: file.skipped, guessed: file.guessed, vertices: None };
            graph.with_rounded_weight(file.rounded).with_numbering(numbering).with_notes(notes)
        }
        Content::Graph(graph) => adjusted(*graph, build)?,
    };
    Ok(LoadedGraph { graph, format, bytes, read_time, verify_time, build_time: start.elapsed() })
}

impl Graph {
    /// This graph with the reverse of every edge; where an edge has another weight in each direction, both get the
    /// lesser.
    pub fn symmetrised(&self) -> Result<Graph> {
        self.out().load()?;
        allow_csr(self.weight_kind(), self.vertices(), 2 * self.edges())?;
        let options = BuildOptions { keep_loops: true, ..BuildOptions::default() };
        let graph = match self.edge_columns() {
            Some(columns) => self.symmetrised_with_rows(columns, &options)?,
            None => Graph::new(self.out().typed(&Symmetrise(&options)), true),
        };
        Ok(graph.with_names(self.names().cloned()).with_vertex_columns(self.vertex_columns().cloned()))
    }
}

impl Graph {
    /// As [`Graph::symmetrised`], made once for all who have it at the same time.
    pub fn symmetric_view(&self) -> Result<Arc<Graph>> {
        let mut kept = self.forms.symmetric.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = kept.upgrade() {
            return Ok(view);
        }
        let made = Arc::new(self.symmetrised()?);
        *kept = Arc::downgrade(&made);
        Ok(made)
    }
}

/// Applies options to a graph that is already built.
pub(crate) fn adjusted(graph: Graph, options: &BuildOptions) -> Result<Graph> {
    let graph = match options.symmetrise && !graph.is_symmetric() {
        true => {
            allow_csr(graph.weight_kind(), graph.vertices(), 2 * graph.edges())?;
            let (rounded, names) = (graph.rounded_weight().cloned(), graph.names().cloned());
            let vertex_columns = graph.vertex_columns().cloned();
            let symmetric = match graph.edge_columns() {
                Some(columns) => graph.symmetrised_with_rows(columns, options)?,
                None => Graph::new(graph.out().typed(&Symmetrise(options)), true),
            };
            symmetric.with_rounded_weight(rounded).with_names(names).with_vertex_columns(vertex_columns)
        }
        false => graph,
    };
    match &options.reorder {
        Some(order) => graph.try_reordered(order),
        None => Ok(graph),
    }
}

struct Symmetrise<'a>(&'a BuildOptions);

impl ReadEdges for Symmetrise<'_> {
    type Answer = Adjacency;
    fn read<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Adjacency {
        let edges = Edges::new(stream).mirrored(true).loops(self.0.keep_loops);
        csr(edges, self.0.parallel != Parallel::Keep)
    }
}
