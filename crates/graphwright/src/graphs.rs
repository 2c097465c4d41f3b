//! What a graph is made of, and what keeps graphs: for callers that go beyond [`Graph`](crate::Graph), which hands out
//! everything that [`Shared`] offers.

pub use gw_exec::{GraphSource, GraphStore};
pub use gw_graph::attributes::{Column, Rows, Table};
pub use gw_graph::{Adjacency, Buffer, Graph as Shared, GraphError, Names, VertexId, Weight};
