//! Documents that declare vertices and list edges between them: GraphML, GEXF, and node-link JSON of NetworkX and D3.
//!
//! | file | does |
//! |---|---|
//! | `xml` | reads elements and attributes with their places; entities are not expanded |
//! | `graphml`, `gexf`, `node_link` | read a document of the format |
//! | `edges` | collects vertices and edges, numbers the vertices, reads the weights |
//! | `write`, `write_json` | a graph as a document, with attributes where there are some |
//!
//! Vertices are numbered as those of tables are: in ascending order of the ids where all ids are whole numbers of 64
//! bits, else in the order in which they are declared. A vertex without edges is a vertex. An end of an edge that is
//! not declared is an error.

mod edges;
mod gexf;
mod graphml;
mod node_link;
mod write;
mod write_json;
mod xml;

use std::path::Path;

pub(super) use write::{GEXF, GRAPHML, check_tables, plan};
pub(super) use write_json::plan as plan_json;

use super::edge_file::EdgeFile;
use super::input::Input;
use super::table::TableColumns;
use crate::progress::Progress;
use crate::{GraphError, Result};

/// The formats of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    GraphMl,
    Gexf,
    NodeLink,
}

/// Reads a document.
pub(super) fn read(
    input: Input,
    path: &Path,
    kind: Kind,
    columns: &TableColumns,
    progress: &dyn Progress,
) -> Result<EdgeFile> {
    if columns.source.is_some() || columns.target.is_some() || columns.no_header {
        let message = "the ends of edges have fixed names in this format: source, target and header are for tables; \
                       the weight is an attribute, and can be named";
        return Err(GraphError::Usage(format!("{}: {message}", path.display())));
    }
    let size = input.size();
    let bytes = input.bytes()?;
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(GraphError::file(path, "the text is UTF-16; save it as UTF-8"));
    }
    let edges = match kind {
        Kind::GraphMl => graphml::read(&bytes, path, columns),
        Kind::Gexf => gexf::read(&bytes, path, columns),
        Kind::NodeLink => node_link::read(&bytes, path, columns),
    }?;
    progress.advance(size);
    edges.finish()
}
