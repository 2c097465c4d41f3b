//! Lists that a machine made in memory of its own, brought here when somebody first reads them.

use std::fmt;
use std::sync::Arc;

use crate::{Adjacency, Graph, VertexId, WeightKind, Weights};

/// Neighbour lists in memory of a machine.
pub trait RemoteLists: fmt::Debug + Send + Sync {
    /// The number of vertices.
    fn vertices(&self) -> usize;

    /// The number of edges.
    fn edges(&self) -> usize;

    /// The length of the longest list.
    fn greatest(&self) -> usize;

    /// The kind of the weights.
    fn weight_kind(&self) -> WeightKind;

    /// Where lists begin: a number per vertex, and the number of edges at the end; or why the machine cannot bring
    /// them any more.
    fn offsets(&self) -> Result<Vec<u32>, String>;

    /// All targets and weights, list after list; or why the machine cannot bring them any more.
    fn fetch(&self) -> Result<(Vec<VertexId>, Weights), String>;
}

impl Graph {
    /// The graph that [`Graph::contract`] makes of this one, where a machine has made its lists. Both graphs are
    /// symmetric.
    ///
    /// # Panics
    ///
    /// When this graph is not symmetric, or has another number of vertices.
    pub fn contracted_elsewhere(&self, lists: Arc<dyn RemoteLists>) -> Graph {
        assert!(self.is_symmetric() && lists.vertices() == self.vertices(), "lists of another graph");
        Graph::new(Adjacency::elsewhere(lists), true).with_names(self.names().cloned())
    }
}
