//! What a short look at a graph tells beyond sizes and degrees: how far apart neighbours are numbered, and how fast a
//! search spreads.
//!
//! Both cost some ten thousand steps, whatever the size of the graph, and depend on nothing but the graph.

use std::collections::HashSet;

use gw_graph::{Graph, VertexId};

/// What the look tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// Rounds of a search until it has met 1,024 vertices or found no further one, the mean over some first vertices.
    pub rounds: f64,
    /// Vertices met by then, as a share of 1,024: little where components are small.
    pub met: f64,
    /// Mean of the logarithm of the distance between the numbers of neighbours, as a share of the greatest possible.
    pub distance: f64,
}

impl Probe {
    /// Looks at a graph.
    pub fn of(graph: &Graph) -> Probe {
        const SEARCHES: usize = 8;
        let vertices = graph.vertices();
        if vertices == 0 || graph.edges() == 0 {
            return Probe { rounds: 0.0, met: 0.0, distance: 0.0 };
        }
        let (mut rounds, mut met, mut searches) = (0.0, 0.0, 0.0);
        for at in 0..SEARCHES {
            let first = with_edges(graph, vertices / SEARCHES * at);
            let Some(first) = first else { continue };
            let (seen_rounds, seen) = spread(graph, first);
            (rounds, met, searches) = (rounds + seen_rounds as f64, met + seen as f64, searches + 1.0);
        }
        let searches = f64::max(searches, 1.0);
        let met = met / searches / MEET.min(vertices) as f64;
        Probe { rounds: rounds / searches, met, distance: distance(graph) }
    }

    /// The numbers by name.
    pub fn named(&self) -> [(&'static str, f64); 3] {
        [("probe-rounds", self.rounds), ("probe-met", self.met), ("edge-distance", self.distance)]
    }
}

/// A search has spread when it has met this many vertices.
const MEET: usize = 1024;

/// The first of some vertices from a number on that has an edge.
fn with_edges(graph: &Graph, from: usize) -> Option<VertexId> {
    const LOOKED_AT: usize = 256;
    let end = graph.vertices().min(from + LOOKED_AT);
    (from..end).map(|vertex| vertex as VertexId).find(|&vertex| graph.out().degree(vertex) > 0)
}

/// Rounds of a search and vertices that it met; at most some neighbours of each vertex are looked at.
fn spread(graph: &Graph, first: VertexId) -> (usize, usize) {
    const NEIGHBOURS: usize = 64;
    let mut seen = HashSet::from([first]);
    let mut frontier = vec![first];
    let mut rounds = 0;
    while !frontier.is_empty() && seen.len() < MEET {
        rounds += 1;
        let mut next = Vec::new();
        for &vertex in &frontier {
            let neighbours = graph.out().neighbours(vertex);
            next.extend(neighbours.iter().take(NEIGHBOURS).copied().filter(|&other| seen.insert(other)));
            if seen.len() >= MEET {
                break;
            }
        }
        frontier = next;
    }
    (rounds, seen.len())
}

fn distance(graph: &Graph) -> f64 {
    const SAMPLES: usize = 2048;
    let vertices = graph.vertices();
    let stride = (vertices / SAMPLES).max(1);
    let (mut sum, mut count) = (0.0, 0.0);
    for vertex in (0..vertices).step_by(stride).map(|vertex| vertex as VertexId) {
        let neighbours = graph.out().neighbours(vertex);
        if let Some(&other) = neighbours.get(neighbours.len() / 2) {
            sum += (1.0 + f64::from(vertex.abs_diff(other))).ln();
            count += 1.0;
        }
    }
    sum / f64::max(count, 1.0) / (1.0 + vertices as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_graph::{GraphSpec, progress::Silent};

    fn probe(spec: &str) -> Probe {
        let spec = GraphSpec::parse(spec).unwrap_or_else(|e| panic!("{e}"));
        Probe::of(&spec.load(&Silent).unwrap_or_else(|e| panic!("{e}")).graph)
    }

    #[test]
    fn searches_spread_slowly_on_roads_and_fast_in_random_graphs() {
        let (road, random) = (probe("road:100x100"), probe("urand:12"));
        assert!(road.rounds > 15.0 && random.rounds < 6.0, "{road:?} {random:?}");
        assert!(road.distance < random.distance && road.met > 0.9, "{road:?} {random:?}");
        assert!(probe("path:10000").rounds > 500.0);
        // Small components are met as a whole.
        assert!(probe("bipartite:2:2").met <= 1.0);
    }
}
