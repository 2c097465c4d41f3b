//! Graphs from CSR arrays that a caller has already.

use crate::build::build_any;
use crate::edge_list::{AnyEdgeList, EdgeList};
use crate::parallel;
use crate::rows::Parallel;
use crate::validate::{check_bounds, first_infinite};
use crate::{
    Adjacency, Buffer, BuildOptions, Graph, GraphError, Offsets, Result, Symmetry, VertexId, Weight, Weights,
    with_weights,
};

impl Graph {
    /// A graph from its CSR arrays: `offsets` has one entry more than there are vertices, the neighbours of vertex `v`
    /// are `targets[offsets[v]..offsets[v + 1]]`, `weights` are parallel to `targets`.
    ///
    /// The arrays are checked and used in place. Lists that are not sorted are sorted in a copy; loops and parallel
    /// edges stay as they are.
    ///
    /// ```
    /// use gw_graph::{Graph, Offsets, Symmetry, Weights};
    /// let offsets = Offsets::Narrow(vec![0, 2, 3, 3].into());
    /// let graph = Graph::from_arrays(offsets, vec![1, 2, 2].into(), Weights::None, Symmetry::Unknown).unwrap();
    /// assert_eq!(graph.out().neighbours(0), &[1, 2]);
    /// ```
    pub fn from_arrays(
        offsets: Offsets,
        targets: Buffer<VertexId>,
        weights: Weights,
        symmetry: Symmetry,
    ) -> Result<Graph> {
        let malformed = |message: String| GraphError::Malformed(format!("CSR arrays: {message}"));
        if offsets.is_empty() {
            return Err(malformed("the offsets are empty; without vertices they hold one 0".to_string()));
        }
        if offsets.total() != targets.len() {
            let (end, edges) = (offsets.total(), targets.len());
            return Err(malformed(format!("the offsets end at {end}, but there are {edges} targets")));
        }
        let out = Adjacency::from_parts(offsets, targets, weights);
        check_bounds(&out).map_err(malformed)?;
        if let Some((edge, weight)) = first_infinite(out.weights()) {
            return Err(malformed(format!("the weight of edge {edge} is {weight}")));
        }
        let unsorted = |&v: &usize| !out.neighbours(v as u32).is_sorted();
        if parallel::first(out.vertices(), 1 << 10, |mut range| range.find(unsorted)).is_some() {
            let options =
                BuildOptions { keep_loops: true, parallel: Parallel::Keep, symmetry, ..BuildOptions::default() };
            return build_any(edges_of(&out), &options);
        }
        let symmetric = symmetry == Symmetry::Unknown && out.looks_symmetric();
        Ok(Graph::new(out, symmetric))
    }
}

/// The edges of an adjacency as a list.
fn edges_of(out: &Adjacency) -> AnyEdgeList {
    fn list<W: Weight>(out: &Adjacency, weight: impl Fn(usize) -> W) -> EdgeList<W> {
        let vertices = 0..out.vertices() as VertexId;
        let edges = vertices.flat_map(|v| out.range(v).zip(out.neighbours(v)).map(move |(e, &t)| (v, t, e)));
        EdgeList::from_triples(out.vertices(), edges.map(|(source, target, e)| (source, target, weight(e))))
    }
    with_weights!(out.weights(), none => list(out, |_| ()).into(), w => list(out, |e| w[e]).into())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn from(offsets: &[u32], targets: &[u32], weights: Weights) -> Result<Graph> {
        let offsets = Offsets::Narrow(offsets.to_vec().into());
        Graph::from_arrays(offsets, targets.to_vec().into(), weights, Symmetry::Unknown)
    }

    #[test]
    fn sorted_arrays_are_used_in_place() {
        let targets: Arc<[u32]> = Arc::from([1, 0, 2, 1]);
        let offsets = Offsets::Narrow(vec![0, 1, 3, 4].into());
        let graph = Graph::from_arrays(offsets, Arc::clone(&targets).into(), Weights::None, Symmetry::Unknown).unwrap();
        assert_eq!(graph.out().targets().as_ptr(), targets.as_ptr());
        assert!(graph.is_symmetric());
    }

    #[test]
    fn unsorted_lists_are_sorted_with_their_weights() {
        let graph = from(&[0, 3, 3, 3], &[2, 1, 0], Weights::Int(vec![20, 10, 0].into())).unwrap();
        assert_eq!(graph.out().neighbours(0), &[0, 1, 2]);
        assert!(matches!(graph.out().weights(), Weights::Int(w) if **w == [0, 10, 20]));
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused_with_the_place() {
        for (offsets, targets, weights, message) in [
            (&[][..], &[][..], Weights::None, "the offsets are empty"),
            (&[0, 1], &[0, 0], Weights::None, "the offsets end at 1, but there are 2 targets"),
            (&[0, 2, 1, 2], &[0, 0], Weights::None, "the offsets of vertex 1 do not ascend"),
            (&[1, 1], &[0], Weights::None, "the offsets run from 1 to 1"),
            (&[0, 1], &[1], Weights::None, "edge 0 leads to vertex 1, but there are 1 vertices"),
            (&[0, 1], &[0], Weights::Int(vec![].into()), "1 edges have 0 weights"),
            (&[0, 1], &[0], Weights::Float(vec![f32::NAN].into()), "the weight of edge 0 is NaN"),
        ] {
            let error = from(offsets, targets, weights).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
