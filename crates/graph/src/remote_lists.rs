//! Lists that a machine made in memory of its own, brought here when somebody first reads them.

use std::fmt;
use std::sync::Arc;

use crate::{Adjacency, Graph, Offsets, VertexId, WeightKind, Weights};

/// Neighbour lists in memory of a machine.
pub trait RemoteLists: fmt::Debug + Send + Sync {
    /// The kind of the weights.
    fn weight_kind(&self) -> WeightKind;

    /// All targets and weights, list after list; or why the machine cannot bring them any more.
    fn fetch(&self) -> Result<(Vec<VertexId>, Weights), String>;
}

impl Graph {
    /// The graph that [`Graph::contract`] makes of this one, where a machine has made its lists: they begin at
    /// `offsets`, a number per vertex and the number of edges at the end. Both graphs are symmetric.
    ///
    /// # Panics
    ///
    /// When this graph is not symmetric, or has another number of vertices.
    pub fn contracted_elsewhere(&self, offsets: Vec<u32>, lists: Arc<dyn RemoteLists>) -> Graph {
        assert!(self.is_symmetric() && offsets.len() == self.vertices() + 1, "lists of another graph");
        let contracted = Adjacency::elsewhere(Offsets::Narrow(offsets.into()), lists);
        Graph::new(contracted, true).with_names(self.names().cloned())
    }
}
