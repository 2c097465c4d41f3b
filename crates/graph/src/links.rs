//! Links: every undirected edge once, and what is made of them to find triangles.
//!
//! A link joins two different vertices that an edge joins in either direction. Links are numbered in the order (lesser
//! end, greater end), which is the order of the edges of [`Graph::links`]. Triangles are found in [`Graph::upward`]:
//! there every link leads from the end with fewer links to the end with more, so that no list is longer than the
//! square root of twice the links (Chiba, Nishizeki: Arboricity and subgraph listing algorithms, SIAM J. Comput. 14,
//! 1985).

use std::sync::Arc;

use rayon::prelude::*;

use crate::build::{BuildOptions, allow_csr, build};
use crate::edge_list::EdgeList;
use crate::made::pieces;
use crate::{Adjacency, Graph, Offsets, Result, VertexId, WeightKind, Weights};

impl Graph {
    /// Every link in both directions: the graph itself where it has every edge in both directions, no loop and no
    /// parallel edges. Made once and kept.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList};
    /// use std::sync::Arc;
    /// let arc = Arc::new(build(EdgeList::from_pairs(3, vec![(2, 0), (1, 2)]), &BuildOptions::default()).unwrap());
    /// assert_eq!(arc.undirected().unwrap().out().neighbours(2), &[0, 1]);
    /// ```
    pub fn undirected(self: &Arc<Graph>) -> Result<Arc<Graph>> {
        if self.is_symmetric() && self.not_simple().is_none() {
            return Ok(Arc::clone(self));
        }
        if let Some(made) = self.forms.undirected.get() {
            return Ok(Arc::clone(made));
        }
        let out = self.out();
        allow_csr(WeightKind::None, out.vertices(), 4 * out.edges())?;
        let edges = (0..out.vertices() as VertexId).flat_map(|v| out.neighbours(v).iter().map(move |&to| (v, to)));
        let list = EdgeList::from_pairs(out.vertices(), edges.collect());
        let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
        let made = Arc::new(build(list, &options)?.with_names(self.names().cloned()));
        Ok(Arc::clone(self.forms.undirected.get_or_init(|| made)))
    }

    /// Every link once, from its lesser to its greater end: the position of an edge is the number of its link. Made
    /// once and kept.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList};
    /// use std::sync::Arc;
    /// let graph = Arc::new(build(EdgeList::from_pairs(3, vec![(2, 0), (1, 2)]), &BuildOptions::default()).unwrap());
    /// let links = graph.links().unwrap();
    /// assert_eq!((links.out().neighbours(0), links.out().neighbours(1)), (&[2][..], &[2][..]));
    /// ```
    pub fn links(self: &Arc<Graph>) -> Result<Arc<Graph>> {
        let around = self.undirected()?;
        let make = || around.directed_by(|u, v| u < v);
        self.forms.once(&self.forms.links, "links", around.bytes_of_half(), Graph::bytes, make)
    }

    /// Every link once, from the end with fewer links to the end with more, and from the lesser of two ends with as
    /// many. Made once and kept.
    pub fn upward(self: &Arc<Graph>) -> Result<Arc<Graph>> {
        let around = self.undirected()?;
        let out = around.out();
        let make = || around.directed_by(|u, v| (out.degree(u), u) < (out.degree(v), v));
        self.forms.once(&self.forms.upward, "links by degree", around.bytes_of_half(), Graph::bytes, make)
    }

    /// A graph whose vertices are the edges of this one, each with an edge to itself. Made once and kept.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList};
    /// let graph = build(EdgeList::from_pairs(3, vec![(2, 0), (1, 2)]), &BuildOptions::default()).unwrap();
    /// assert_eq!(graph.loops().unwrap().out().neighbours(1), &[1]);
    /// ```
    pub fn loops(&self) -> Result<Arc<Graph>> {
        let edges = self.edges();
        let needed = 8 * edges as u64;
        let make = || {
            let offsets = Offsets::from_degrees(&vec![1; edges]);
            let targets: Vec<VertexId> = (0..edges as VertexId).collect();
            Graph::new(Adjacency::from_parts(offsets, targets.into(), Weights::None), true)
        };
        self.forms.once(&self.forms.loops, "loops of links", needed, Graph::bytes, make)
    }

    /// Memory for half of the edges, twice: in pieces and in one.
    fn bytes_of_half(&self) -> u64 {
        8 * self.vertices() as u64 + 4 * self.edges() as u64
    }

    /// The edges from `u` to `v` for which `keep(u, v)`, without weights.
    fn directed_by(&self, keep: impl Fn(VertexId, VertexId) -> bool + Sync) -> Graph {
        let out = self.out();
        let parts: Vec<(Vec<u32>, Vec<VertexId>)> = pieces(out)
            .map(|vertices| {
                let (mut degrees, mut targets) = (Vec::with_capacity(vertices.len()), Vec::new());
                for v in vertices {
                    let before = targets.len();
                    targets.extend(out.neighbours(v).iter().copied().filter(|&to| keep(v, to)));
                    degrees.push((targets.len() - before) as u32);
                }
                (degrees, targets)
            })
            .collect();
        let (mut degrees, mut targets) = (Vec::with_capacity(out.vertices()), Vec::new());
        targets.reserve_exact(parts.iter().map(|(_, targets)| targets.len()).sum());
        for (of_part, to) in parts {
            degrees.extend(of_part);
            targets.extend(to);
        }
        let adjacency = Adjacency::from_parts(Offsets::from_degrees(&degrees), targets.into(), Weights::None);
        let symmetric = adjacency.edges() == 0;
        Graph::new(adjacency, symmetric).with_names(self.names().cloned())
    }

    /// For every edge of `edges`, the number of its link among `self`, which are links; -1 where there is no such link.
    ///
    /// ```
    /// use gw_graph::{build, BuildOptions, EdgeList};
    /// use std::sync::Arc;
    /// let graph = Arc::new(build(EdgeList::from_pairs(3, vec![(2, 0), (1, 2)]), &BuildOptions::default()).unwrap());
    /// assert_eq!(graph.links().unwrap().link_numbers(&graph), &[1, 0]);
    /// ```
    pub fn link_numbers(&self, edges: &Graph) -> Vec<i32> {
        let (links, out) = (self.out(), edges.out());
        let parts: Vec<Vec<i32>> = pieces(out)
            .map(|vertices| {
                let mut numbers = Vec::new();
                for u in vertices {
                    // Greater neighbours are found by walking the list of u among the links along.
                    let own = if (u as usize) < links.vertices() { links.neighbours(u) } else { &[] };
                    let mut at = 0;
                    numbers.extend(out.neighbours(u).iter().map(|&v| {
                        let found = if v > u {
                            at += own[at..].iter().take_while(|&&to| to < v).count();
                            (own.get(at) == Some(&v)).then(|| links.range(u).start + at)
                        } else if (v as usize) < links.vertices() {
                            links.neighbours(v).binary_search(&u).ok().map(|at| links.range(v).start + at)
                        } else {
                            None
                        };
                        found.map_or(-1, |number| number as i32)
                    }));
                }
                numbers
            })
            .collect();
        parts.concat()
    }

    /// The source of every edge.
    pub fn sources(&self) -> Vec<i32> {
        let out = self.out();
        let parts: Vec<Vec<i32>> = pieces(out)
            .map(|vertices| vertices.flat_map(|v| std::iter::repeat_n(v as i32, out.degree(v))).collect())
            .collect();
        parts.concat()
    }

    /// The target of every edge.
    pub fn targets(&self) -> Vec<i32> {
        let out = self.out();
        let parts: Vec<Vec<i32>> = pieces(out)
            .map(|vertices| vertices.flat_map(|v| out.neighbours(v).iter().map(|&to| to as i32)).collect())
            .collect();
        parts.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parallel;

    fn graph(vertices: usize, pairs: &[(u32, u32)], symmetrise: bool) -> Arc<Graph> {
        let options =
            BuildOptions { symmetrise, keep_loops: true, parallel: Parallel::Keep, ..BuildOptions::default() };
        Arc::new(build(EdgeList::from_pairs(vertices, pairs.to_vec()), &options).unwrap())
    }

    #[test]
    fn loops_and_parallel_edges_are_no_links() {
        let odd = graph(4, &[(0, 0), (1, 0), (1, 0), (0, 1), (3, 2)], false);
        let links = odd.links().unwrap();
        assert_eq!((links.sources(), links.targets()), (vec![0, 2], vec![1, 3]));
        assert_eq!(links.link_numbers(&odd), [-1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_simple_symmetric_graph_is_used_as_it_is() {
        let square = graph(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], true);
        assert!(Arc::ptr_eq(&square, &square.undirected().unwrap()));
        assert_eq!(square.links().unwrap().edges(), 4);
    }

    #[test]
    fn links_lead_to_the_end_with_more() {
        let star = graph(4, &[(0, 1), (0, 2), (0, 3), (1, 2)], true);
        let up = star.upward().unwrap();
        assert_eq!((up.sources(), up.targets()), (vec![1, 1, 2, 3], vec![0, 2, 0, 0]));
        assert_eq!(star.links().unwrap().link_numbers(&up), [0, 3, 1, 2]);
    }

    #[test]
    fn a_graph_without_edges_has_no_links() {
        let none = graph(3, &[], false);
        assert_eq!((none.links().unwrap().edges(), none.upward().unwrap().edges()), (0, 0));
        assert!(none.links().unwrap().link_numbers(&none).is_empty());
    }
}
