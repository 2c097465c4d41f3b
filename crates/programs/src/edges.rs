//! How many edges a run counts for its speed.
//!
//! A search has done the work of the part that it reached: as in Graph500, the edges that leave reached vertices count,
//! an undirected edge once. Every other program counts all edges of the graph as they are stored.

use rayon::prelude::*;

use crate::registry::Program;
use crate::results::Values;
use crate::validate::Run;

/// The vector that tells which vertices a search reached, and what it holds for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Reached {
    /// The vector.
    pub vector: &'static str,
    /// Its entry at vertices out of reach.
    pub otherwise: OutOfReach,
}

/// The entry of a vertex out of reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutOfReach {
    /// -1.
    MinusOne,
    /// The greatest number of the type, or infinity.
    Greatest,
}

impl Program {
    /// The edges that the speed of a finished run is about.
    ///
    /// ```
    /// use gw_graph::{BuildOptions, EdgeList, build};
    /// use gw_programs::{ResultMap, Run, find};
    /// let graph = build(EdgeList::from_pairs(4, vec![(0, 1), (2, 3)]), &BuildOptions::default()).unwrap();
    /// let results = ResultMap::new().with_vector("parent", vec![0, 0, -1, -1]);
    /// let run = Run { graph: &graph, args: &[], results: &results };
    /// assert_eq!(find("bfs").unwrap().counted_edges(&run), 1);
    /// ```
    pub fn counted_edges(&self, run: &Run<'_>) -> u64 {
        let reached = self.reached.and_then(|reached| Some((run.results.vector(reached.vector)?, reached.otherwise)));
        let whole =
            |(entries, _): &(Values<'_>, _)| run.graph.share().is_none() && entries.len() == run.graph.vertices();
        let Some((entries, otherwise)) = reached.filter(whole) else {
            return run.graph.edges() as u64;
        };
        let out = run.graph.out();
        let edges: u64 = (0..run.graph.vertices())
            .into_par_iter()
            .filter(|&v| is_reached(&entries, v, otherwise))
            .map(|v| out.degree(v as u32) as u64)
            .sum();
        if run.graph.is_symmetric() { edges.div_ceil(2) } else { edges }
    }
}

fn is_reached(entries: &Values<'_>, at: usize, otherwise: OutOfReach) -> bool {
    match (entries, otherwise) {
        (Values::Int(entries), OutOfReach::MinusOne) => entries[at] != -1,
        (Values::Int(entries), OutOfReach::Greatest) => entries[at] != i32::MAX,
        (Values::Int64(entries), OutOfReach::Greatest) => entries[at] != i64::MAX,
        (Values::Float(entries), OutOfReach::Greatest) => entries[at].is_finite(),
        (Values::Double(entries), OutOfReach::Greatest) => entries[at].is_finite(),
        _ => true,
    }
}
