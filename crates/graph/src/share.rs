//! A share of a graph: what a process that holds the lists of some vertices knows of the whole graph.

use std::ops::Range;

use crate::VertexId;

/// What a graph that is there in part knows of the whole.
///
/// The lists of the vertices in `range` are there, in both directions; all other lists are empty. Vertices keep their
/// numbers. [`Graph::vertices`](crate::Graph::vertices), [`Graph::edges`](crate::Graph::edges) and
/// [`Graph::is_symmetric`](crate::Graph::is_symmetric) tell of the whole graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The number of this part, from 0 on.
    pub part: usize,
    /// The number of parts.
    pub parts: usize,
    /// The vertices whose lists are there.
    pub range: Range<VertexId>,
    /// Edges of the whole graph.
    pub edges: u64,
    /// [`Graph::edges_hash`](crate::Graph::edges_hash) of the whole graph.
    pub hash: u64,
}
