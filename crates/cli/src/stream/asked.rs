//! What the program of a stream was asked about last, and what changed since.

use graphwright::{Graph, Incremental, Machine};
use gw_dynamic::{ChangedEdge, Difference, EdgeWeight};
use gw_exec::EdgeChange;
use gw_graph::AdjacencyId;

use crate::error::CliError;

/// The state of a stream between two runs of its program.
pub struct Asked<W: EdgeWeight> {
    /// The lists of the graph of the last run, which the machine may have kept.
    lists: Option<AdjacencyId>,
    /// What changed since.
    pub difference: Difference<W>,
    /// Where results are brought up to date.
    pub incremental: Option<Incremental>,
}

impl<W: EdgeWeight> Asked<W> {
    /// Nothing was asked yet.
    pub fn new(incremental: Option<Incremental>) -> Self {
        Asked { lists: None, difference: Difference::default(), incremental }
    }

    /// The program will be asked about this graph: a machine that keeps graphs elsewhere is told what changed.
    pub fn follow(&mut self, machine: &Machine, graph: &Graph) -> Result<(), CliError> {
        if let Some(before) = self.lists.replace(graph.out().id()) {
            let change = |edge: &ChangedEdge<W>| EdgeChange {
                source: edge.source,
                target: edge.target,
                weight: edge.new_bits(),
            };
            machine.vm().follow(before, graph.shared(), &mut self.difference.changes().iter().map(change))?;
        }
        Ok(())
    }
}
