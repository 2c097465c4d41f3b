//! `read` and `load`: from a path to edges or to a graph.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::edge_lines::Assembled;
use super::input::Input;
use super::{Compression, Format, TableColumns};
use super::{adjacency_graph, astar, dimacs, edge_list, gapbs, gwg, konect, matrix_market, metis, snap, table};
use crate::build::{ReadEdges, allow_csr};
use crate::csr::csr;
use crate::progress::Progress;
use crate::stream::{AdjacencyStream, Mirrored, WithoutLoops};
use crate::{
    Adjacency, AnyEdgeList, BuildOptions, Graph, GraphError, Names, Numbering, Result, RoundedWeight, Weight, build_any,
};

/// How a file is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; by default the file name tells it, or failing that the first bytes.
    pub format: Option<Format>,
    /// The columns of a table (CSV, TSV, Parquet) that hold the edges.
    pub columns: TableColumns,
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
    Edges(EdgeFile),
    /// From `.gwg`, `.sg` and `.wsg`.
    Graph(Box<Graph>),
}

/// Edges as a file lists them, and what it says about them.
#[derive(Debug)]
pub struct EdgeFile {
    /// The edges in file order.
    pub edges: AnyEdgeList,
    /// The file lists each undirected edge once (Matrix Market symmetric, KONECT sym and bip): mirror them.
    pub symmetrise: bool,
    /// The format is for undirected graphs and lists each edge at both ends (METIS): the graph must come out
    /// symmetric.
    pub both_ends: bool,
    /// Original id of every vertex, where these are other than `0..vertices`.
    pub names: Option<Names>,
    /// The first weight that 32 bits hold as another number.
    pub rounded: Option<RoundedWeight>,
    /// How the numbers of vertices differ from the ids in the file.
    pub numbering: Option<Numbering>,
}

impl EdgeFile {
    /// Edges that are taken one by one as listed.
    pub(crate) fn directed(edges: impl Into<Assembled>) -> Self {
        let Assembled { edges, rounded } = edges.into();
        EdgeFile { edges, symmetrise: false, both_ends: false, names: None, rounded, numbering: None }
    }
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

/// Reads a file without building anything.
pub fn read(path: &Path, options: &ReadOptions, progress: &dyn Progress) -> Result<Loaded> {
    let start = Instant::now();
    let input = Input::open(path, Compression::of_path(path))?;
    let bytes = input.size();
    let format = match options.format.or_else(|| Format::of_path(path)) {
        Some(format) => format,
        None => Format::of_content(&input.head()?).ok_or_else(|| Format::unknown(path))?,
    };
    if !options.columns.is_default() && !format.is_table() {
        let message =
            format!("the format {format} has no named columns: source, target, weight and header are for tables");
        return Err(GraphError::Usage(format!("{}: {message}", path.display())));
    }
    progress.begin("reading", Some(bytes));
    let mut verify_time = Duration::ZERO;
    let content = match format {
        Format::El => Content::Edges(edge_list::read(input, path, progress)?),
        Format::Wel => Content::Edges(edge_list::read_weighted(input, path, progress)?),
        Format::Snap => Content::Edges(snap::read(input, path, progress)?),
        Format::Csv => Content::Edges(table::read_csv(input, path, table::Separator::Any, &options.columns, progress)?),
        Format::Tsv => Content::Edges(table::read_csv(input, path, table::Separator::Tab, &options.columns, progress)?),
        Format::Parquet => Content::Edges(table::read_parquet(input, path, &options.columns, progress)?),
        Format::Mtx => Content::Edges(matrix_market::read(input, path, progress)?),
        Format::Gr => Content::Edges(dimacs::read(input, path, progress)?),
        Format::Metis => Content::Edges(metis::read(input, path, progress)?),
        Format::Konect => Content::Edges(konect::read(input, path, progress)?),
        Format::Adj => Content::Edges(adjacency_graph::read(input, path, progress)?),
        Format::AStar => Content::Edges(astar::read(input, path, progress)?),
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
            let graph = build_any(file.edges, &build)?.with_names(file.names.map(Arc::new));
            if file.both_ends && !graph.is_symmetric() && build.symmetry == crate::Symmetry::Unknown {
                let message = "an edge is listed at one end only, or with another weight at the other end; \
                               this format lists every edge at both";
                return Err(GraphError::file(path, message));
            }
            let graph = match &order {
                Some(order) => graph.try_reordered(order)?,
                None => graph,
            };
            graph.with_rounded_weight(file.rounded).with_numbering(numbering)
        }
        Content::Graph(graph) => adjusted(*graph, build)?,
    };
    Ok(LoadedGraph { graph, format, bytes, read_time, verify_time, build_time: start.elapsed() })
}

impl Graph {
    /// This graph with the reverse of every edge; where an edge has another weight in each direction, both get the
    /// lesser.
    pub fn symmetrised(&self) -> Graph {
        let options = BuildOptions { keep_loops: true, ..BuildOptions::default() };
        Graph::new(self.out().typed(&Symmetrise(&options)), true).with_names(self.names().cloned())
    }
}

/// Applies options to a graph that is already built.
fn adjusted(graph: Graph, options: &BuildOptions) -> Result<Graph> {
    let graph = match options.symmetrise && !graph.is_symmetric() {
        true => {
            allow_csr(graph.weight_kind(), graph.vertices(), 2 * graph.edges())?;
            let rounded = graph.rounded_weight().cloned();
            Graph::new(graph.out().typed(&Symmetrise(options)), true).with_rounded_weight(rounded)
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
        let merge = !self.0.keep_parallel;
        match self.0.keep_loops {
            true => csr(Mirrored(stream), merge),
            false => csr(Mirrored(WithoutLoops(stream)), merge),
        }
    }
}
