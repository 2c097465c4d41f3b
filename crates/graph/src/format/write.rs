//! `write`: a graph into any format. Blocks are formatted and compressed in parallel and written in order.
//!
//! Compressed files are made of independent gzip members or zstd frames, one per block, which every decompressor
//! reads as one stream. Blocks are cut by the graph alone, so the bytes do not depend on the number of threads.

use std::path::Path;

use serde::Serialize;

use super::{Compression, Format};
use super::{adjacency_graph, dimacs, document, edge_list, gapbs, gwg, konect, matrix_market, metis, snap, table};
use crate::attributes::{Form, Table};
use crate::progress::{Progress, Silent};
use crate::{Graph, GraphError, Result};

/// How a graph is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The format; by default the file name tells it.
    pub format: Option<Format>,
    /// Store the in-adjacency of a directed graph in a `.gwg`, building it first if need be, so that it is at hand
    /// when the file is opened.
    pub incoming: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Size of the file.
    pub bytes: u64,
    /// Its format.
    pub format: Format,
    /// What the format could not hold or holds in another way.
    pub notes: Vec<String>,
}

/// Writes a graph. The file appears under its name when it is complete; on any error nothing is left behind.
///
/// Symmetric graphs are written with each edge once where the format knows undirected graphs by that (Matrix Market,
/// KONECT), otherwise in both directions. What a format cannot hold is an error, except vertices without edges at the
/// end of formats without a header, which [`Written::notes`] mentions.
pub fn write(graph: &Graph, path: &Path, options: &WriteOptions, progress: &dyn Progress) -> Result<Written> {
    let format = options.format.or_else(|| Format::of_path(path)).ok_or_else(|| Format::unknown(path))?;
    let plan = match format {
        Format::El => edge_list::plan(graph, path)?,
        Format::Wel => edge_list::plan_weighted(graph, path)?,
        Format::Csv => table::plan(graph, path, b',')?,
        Format::Tsv => table::plan(graph, path, b'\t')?,
        Format::Snap => snap::plan(graph, path)?,
        Format::Mtx => matrix_market::plan(graph),
        Format::Gr => dimacs::plan(graph, path)?,
        Format::Metis => metis::plan(graph, path)?,
        Format::Konect => konect::plan(graph),
        Format::Adj => adjacency_graph::plan(graph),
        Format::Sg => gapbs::plan(graph, path, false)?,
        Format::Wsg => gapbs::plan(graph, path, true)?,
        Format::Gwg => {
            if options.incoming {
                graph.load_incoming()?;
            }
            gwg::plan(graph, options.incoming)
        }
        Format::GraphMl => document::plan(graph, &document::GRAPHML, None, None, path)?,
        Format::Gexf => document::plan(graph, &document::GEXF, None, None, path)?,
        Format::Json => document::plan_json(graph),
        Format::Parquet => {
            return Err(GraphError::file(
                path,
                "Parquet files of edges are read only; write `.csv`, or `.gwg` for speed",
            ));
        }
        Format::AStar => {
            return Err(GraphError::file(path, "`.bin` needs coordinates, which graphs do not carry: it is read only"));
        }
    };
    let bytes = plan.write(path, Compression::of_path(path), progress)?;
    Ok(Written { bytes, format, notes: plan.notes })
}

/// Writes a graph with values as attributes of its vertices and edges, as GraphML or GEXF. The rows of `nodes` are the
/// vertices of the graph, those of `edges` its stored edges.
pub fn write_graph(
    graph: &Graph,
    nodes: Option<&Table<'_>>,
    edges: Option<&Table<'_>>,
    path: &Path,
    form: Form,
) -> Result<()> {
    let dialect = match form {
        Form::GraphMl => &document::GRAPHML,
        Form::Gexf => &document::GEXF,
        _ => return Err(GraphError::file(path, "a graph with attributes is written as .graphml or .gexf")),
    };
    if graph.share().is_some() {
        let message = "this process has a part of the graph only; write a table, or the results of the whole graph";
        return Err(GraphError::file(path, message));
    }
    document::check_tables(graph, nodes, edges)?;
    let plan = document::plan(graph, dialect, nodes, edges, path)?;
    plan.write(path, Compression::of_path(path), &Silent).map(drop)
}
