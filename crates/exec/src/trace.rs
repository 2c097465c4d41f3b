//! Traces: what an operator does, event by event, for whoever models memory and time.
//!
//! The [`TracedVm`](crate::TracedVm) is the reference machine with two differences. It walks edges in the direction of
//! the schedule (a pull goes over the in-edges of each destination and ends early where the analysis allows that), and
//! it tells a [`Trace`] about every vertex, edge, filter and vector access. Addresses, caches and threads are the
//! listener's.

use std::sync::{Arc, Mutex};

use gw_graph::Graph;
use gw_ir::meta::Direction;

use crate::sites::OperatorId;
use crate::vector::VectorId;

/// What an access does to its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TraceAccess {
    /// The entry is read.
    Read,
    /// The entry is overwritten without a look at its old value.
    Write,
    /// The old value is read and a new one stored (a reduction, a compare-and-swap that took place).
    Update,
    /// The old value is read, and nothing is stored (a reduction or compare-and-swap that changed nothing).
    Attempt,
}

/// Which end of an edge a filter was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TraceFilter {
    /// The input set or the `from` function.
    From,
    /// The `to` set or the `to` function.
    To,
}

/// One call of an operator, before its events.
pub struct TracedCall<'a> {
    /// The operator.
    pub operator: OperatorId,
    /// The graph; `None` for vertex operators.
    pub graph: Option<&'a Arc<Graph>>,
    /// The way of walking edges; a push for vertex operators.
    pub direction: Direction,
    /// The members of the input set; `None` for all vertices.
    pub input: Option<&'a [u32]>,
}

/// Listens to the events of operators, in the order of a sequential run.
///
/// A call is `begin`, then for each vertex handed out `vertex`, its filters, `list` when its edges are walked, and for
/// each of these `edge` with its filters, `apply` and the accesses of the function; `end` closes the call.
pub trait Trace: Send {
    /// An operator begins.
    fn begin(&mut self, call: &TracedCall<'_>);
    /// The input server hands out a vertex.
    fn vertex(&mut self, vertex: u32);
    /// The edge range of the vertex is looked up.
    fn list(&mut self, vertex: u32);
    /// The other end of the edge at this position of the adjacency is looked up.
    fn edge(&mut self, position: usize, other: u32);
    /// A set is asked for membership (`function` false), or a filter function is called (true).
    fn filter(&mut self, side: TraceFilter, vertex: u32, function: bool);
    /// The operator's function is called; `weighted` when it is handed the edge weight.
    fn apply(&mut self, weighted: bool);
    /// A vector entry of `bytes` bytes is accessed. The vector begins at entry 0.
    fn access(&mut self, vector: VectorId, cell: usize, bytes: usize, kind: TraceAccess);
    /// The sorted neighbour lists of two vertices are intersected.
    fn intersect(&mut self, a: u32, b: u32);
    /// A vertex is appended to the output set.
    fn enqueue(&mut self, vertex: u32);
    /// The operator ends; `output` is the number of vertices in its output set.
    fn end(&mut self, output: Option<usize>);
}

/// A listener that the machine and its maker share.
pub type SharedTrace = Arc<Mutex<dyn Trace>>;
