//! What can go wrong with a graph that changes.

use std::path::{Path, PathBuf};

use gw_graph::WeightKind;

use crate::weight::kind_name;

/// The result of an operation on a graph that changes.
pub type Result<T> = std::result::Result<T, DynamicError>;

/// Why a graph was not changed, or not kept.
#[derive(Debug, thiserror::Error)]
pub enum DynamicError {
    /// A change names a vertex that the graph does not have.
    #[error("change {place} of the batch names vertex {vertex}, but there are {vertices} vertices; add vertices first")]
    UnknownVertex {
        /// The number of the change in its batch, from 1.
        place: usize,
        /// The vertex.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// A weight that no order can be given to.
    #[error(
        "change {place} of the batch gives edge {source_vertex} -> {target} the weight {weight}: weights are finite"
    )]
    BadWeight {
        /// The number of the change in its batch, from 1.
        place: usize,
        /// The source of the edge.
        source_vertex: u32,
        /// The target of the edge.
        target: u32,
        /// The weight.
        weight: String,
    },
    /// Two edges between the same vertices.
    #[error("the graph has parallel edges, such as {from} -> {to}; a graph that changes has an edge once")]
    ParallelEdges {
        /// Where they begin.
        from: u32,
        /// Where they lead to.
        to: u32,
    },
    /// The graph has weights of another kind.
    #[error("the graph has {} weights, where {} weights are wanted", kind_name(*found), kind_name(*expected))]
    WeightKind {
        /// What the graph has.
        found: WeightKind,
        /// What was asked for.
        expected: WeightKind,
    },
    /// A line of a file of changes.
    #[error("{name}, line {line}: {problem}")]
    BadLine {
        /// The file, or what else has the lines.
        name: String,
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
        /// A cell of a table is empty, and nothing else is wrong.
        is_missing: bool,
    },
    /// A line names a vertex that would make the graph too large.
    #[error("{name}, line {line}: the vertex `{vertex}` is beyond the limit of {limit} vertices")]
    BeyondLimit {
        /// The file, or what else has the lines.
        name: String,
        /// The number of the line, from 1.
        line: u64,
        /// The vertex as the line names it.
        vertex: String,
        /// The number of vertices that there may be.
        limit: usize,
    },
    /// A line has no end within reason.
    #[error("{name}: line {line} is longer than {longest} bytes: this is no file of changes")]
    LongLine {
        /// The file, or what else has the lines.
        name: String,
        /// The number of the line, from 1.
        line: u64,
        /// The number of bytes that a change may take.
        longest: usize,
    },
    /// The columns of a table of changes.
    #[error("{name}, line {line}: {problem}")]
    Table {
        /// The file.
        name: String,
        /// The number of its first line that is not empty, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// Vertices without an id in a graph whose vertices have ids.
    #[error("vertices of this graph have ids: {ids} ids cannot name {vertices} vertices; add ids, not numbers")]
    Unnamed {
        /// The number of ids.
        ids: usize,
        /// The number of vertices.
        vertices: usize,
    },
    /// A graph as such is wrong.
    #[error(transparent)]
    Graph(#[from] gw_graph::GraphError),
    /// There is no memory for it.
    #[error(transparent)]
    Memory(#[from] gw_graph::memory::OutOfMemory),
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// Such as `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A store that cannot be used.
    #[error("the store {} {problem}", path.display())]
    Store {
        /// The folder.
        path: PathBuf,
        /// What is wrong, and the mend.
        problem: String,
    },
}

impl DynamicError {
    /// True where one line of a file of changes is at fault, and those behind it can still be read.
    pub fn is_bad_line(&self) -> bool {
        matches!(self, DynamicError::BadLine { .. } | DynamicError::BeyondLimit { .. })
    }

    pub(crate) fn io(action: &'static str, path: &Path, cause: std::io::Error) -> Self {
        DynamicError::Io { action, path: path.to_path_buf(), cause }
    }

    pub(crate) fn store(path: &Path, problem: impl Into<String>) -> Self {
        DynamicError::Store { path: path.to_path_buf(), problem: problem.into() }
    }
}
