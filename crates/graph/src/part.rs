//! A part of a graph: the edges of a range of vertices, under the numbers of the whole graph.

use std::ops::Range;
use std::sync::Arc;

use crate::{Graph, VertexId};

/// What a vertex costs beside its edges, in edges.
const VERTEX_COST: usize = 8;

impl Graph {
    /// Cuts the vertices into ranges with about the same number of edges, a vertex counting as eight: the bounds, one
    /// more than `parts`. Of a share, its own vertices are cut. `both` says that in-edges count, too.
    ///
    /// ```
    /// let graph = gw_graph::GraphSpec::parse("path:8").unwrap().load(&gw_graph::progress::Silent).unwrap().graph;
    /// assert_eq!(graph.cuts(2, false), [0, 4, 8]);
    /// ```
    pub fn cuts(&self, parts: usize, both: bool) -> Vec<VertexId> {
        let all = self.share().map_or(0..self.vertices() as VertexId, |share| share.range.clone());
        let incoming = (both && !self.is_symmetric()).then(|| self.incoming().offsets());
        let work = |v: usize| {
            let edges = self.out().offsets().at(v) + incoming.map_or(0, |offsets| offsets.at(v));
            edges + VERTEX_COST * (v - all.start as usize)
        };
        let (first, whole) = (work(all.start as usize), work(all.end as usize));
        let ends = (1..parts).map(|part| {
            let wanted = first + ((whole - first) as u128 * part as u128 / parts as u128) as usize;
            let (mut low, mut high) = (all.start as usize, all.end as usize);
            while low < high {
                let middle = (low + high) / 2;
                if work(middle) < wanted { low = middle + 1 } else { high = middle }
            }
            low as VertexId
        });
        std::iter::once(all.start).chain(ends).chain([all.end]).collect()
    }

    /// The out-edges and, where `incoming` is asked for, the in-edges of the vertices in `range`. All vertices keep
    /// their numbers; those outside of the range have empty lists. The part is not symmetric and not its own
    /// transpose: an edge between two parts is an out-edge in one and an in-edge in the other. Lists are shared with
    /// the whole graph and not copied.
    ///
    /// ```
    /// let graph = gw_graph::GraphSpec::parse("path:4").unwrap().load(&gw_graph::progress::Silent).unwrap().graph;
    /// let part = graph.part(1..3, true);
    /// assert_eq!((part.out().neighbours(1), part.out().degree(0)), (graph.out().neighbours(1), 0));
    /// assert_eq!(part.out().neighbours(1).as_ptr(), graph.out().neighbours(1).as_ptr());
    /// ```
    pub fn part(&self, range: Range<VertexId>, incoming: bool) -> Graph {
        // Offsets of a share that is wanted whole are right as they are.
        if self.share().is_some_and(|share| share.range == range) {
            return Graph::of_parts(
                Arc::clone(self.shared_out()),
                incoming.then(|| Arc::clone(self.shared_incoming())),
            );
        }
        let out = Arc::new(self.shared_out().part(&range));
        let into = incoming.then(|| match self.is_symmetric() {
            true => Arc::clone(&out),
            false => Arc::new(self.shared_incoming().part(&range)),
        });
        Graph::of_parts(out, into)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Graph, GraphSpec, progress};

    fn graph(spec: &str) -> Graph {
        GraphSpec::parse(spec).and_then(|spec| spec.load(&progress::Silent)).unwrap().graph
    }

    #[test]
    fn parts_have_every_edge_once_in_each_direction() {
        for spec in ["kron:6:weights=1..9", "kron:6:directed", "path:3"] {
            let whole = graph(spec);
            let n = whole.vertices() as u32;
            let cuts = [0, n / 3, n / 3, n - 1, n];
            for (from, to) in cuts.iter().zip(&cuts[1..]) {
                let part = whole.part(*from..*to, true);
                for v in 0..n {
                    let own = (*from..*to).contains(&v);
                    let list = |lists: &crate::Adjacency| if own { lists.neighbours(v).to_vec() } else { Vec::new() };
                    assert_eq!(part.out().neighbours(v), list(whole.out()), "{spec} {v}");
                    assert_eq!(part.incoming().neighbours(v), list(whole.incoming()), "{spec} {v}");
                }
            }
        }
    }
}
