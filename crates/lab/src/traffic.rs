//! How many edges a run touches and how many bytes it must at least move, counted from step records.
//!
//! The bytes are a lower bound that any implementation of the same steps obeys, whatever it finds in caches beyond it:
//!
//! - an edge operator reads the neighbour (4 bytes) and, if the program loads a weighted graph, the weight (4 bytes) of
//!   every edge it touches, and one offset (4 or 8 bytes) per vertex of its input;
//! - a vertex operator reads or writes one entry of 4 bytes per vertex of its input.
//!
//! Entries of vectors at the ends of edges are not counted: caches may hold them all.

use std::sync::{Mutex, PoisonError};

use gw_exec::{Observer, StepRecord};
use gw_graph::Graph;

use crate::stats::Summary;

/// Listens to one run.
#[derive(Default)]
pub(crate) struct Tally(Mutex<Traffic>);

/// What the steps of a run add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Traffic {
    edges: u64,
    edge_inputs: u64,
    vertex_inputs: u64,
    /// An edge operator or a loop did not say how many edges it touched.
    unknown: bool,
    /// There was an edge operator at all.
    any: bool,
}

impl Tally {
    pub(crate) fn traffic(&self) -> Traffic {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Tally {
    fn step(&self, record: &StepRecord) {
        let mut traffic = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let input = record.input.unwrap_or(0);
        match record.operator {
            "EdgeSetIterator" | "UpdatePriorityEdgeSetIterator" | "OrderedProcessing" => {
                traffic.any = true;
                traffic.unknown |= record.edges.is_none();
                traffic.edges += record.edges.unwrap_or(0);
                traffic.edge_inputs += input;
            }
            // A whole loop as one step: how many edges its operators touched nobody knows.
            "While" => traffic.unknown = true,
            _ => traffic.vertex_inputs += input,
        }
    }
}

impl Traffic {
    /// Edges touched, when every edge operator told.
    fn edges(&self) -> Option<u64> {
        (self.any && !self.unknown).then_some(self.edges)
    }

    fn bytes(&self, graph: &Graph, weighted: bool) -> Option<u64> {
        let edges = self.edges()?;
        Some(edges * bytes_per_edge(weighted) + self.edge_inputs * offset_bytes(graph) + self.vertex_inputs * 4)
    }
}

/// Edges and bytes in the median over several runs; `None` where a run did not tell.
pub(crate) fn typical(runs: &[Traffic], graph: &Graph, weighted: bool) -> Option<(u64, u64)> {
    let edges: Vec<f64> = runs.iter().map(|t| t.edges().map(|n| n as f64)).collect::<Option<_>>()?;
    let bytes: Vec<f64> = runs.iter().map(|t| t.bytes(graph, weighted).map(|n| n as f64)).collect::<Option<_>>()?;
    Some((Summary::of(&edges)?.median as u64, Summary::of(&bytes)?.median as u64))
}

fn bytes_per_edge(weighted: bool) -> u64 {
    if weighted { 8 } else { 4 }
}

fn offset_bytes(graph: &Graph) -> u64 {
    let offsets = graph.out().offsets();
    (offsets.bytes() / (offsets.lists() + 1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_graph::{BuildOptions, EdgeList, build};

    fn record(operator: &'static str, function: Option<&str>, input: u64, edges: Option<u64>) -> StepRecord {
        StepRecord {
            step: 0,
            operator,
            path: String::new(),
            function: function.map(str::to_string),
            input: Some(input),
            output: None,
            edges,
            told: None,
            schedule: None,
            variant: 0,
            seconds: 0.0,
        }
    }

    #[test]
    fn steps_add_up() {
        let graph = build(EdgeList::from_pairs(3, vec![(0, 1), (1, 2)]), &BuildOptions::default()).unwrap();
        let tally = Tally::default();
        // The start-up belongs to the time of a run.
        tally.step(&record("VertexSetIterator", None, 1000, None));
        tally.step(&record("VertexSetIterator", Some("main"), 3, None));
        tally.step(&record("EdgeSetIterator", Some("main"), 2, Some(7)));
        let traffic = tally.traffic();
        assert_eq!(typical(&[traffic], &graph, false), Some((7, 7 * 4 + 2 * 4 + 1003 * 4)));
        assert_eq!(typical(&[traffic], &graph, true), Some((7, 7 * 8 + 2 * 4 + 1003 * 4)));
        assert_eq!(typical(&[], &graph, true), None);
        tally.step(&record("EdgeSetIterator", Some("main"), 2, None));
        assert_eq!(typical(&[tally.traffic()], &graph, false), None);
        let tally = Tally::default();
        tally.step(&record("EdgeSetIterator", Some("main"), 2, Some(7)));
        tally.step(&record("While", Some("main"), 0, None));
        assert_eq!(typical(&[tally.traffic()], &graph, false), None);
    }
}
