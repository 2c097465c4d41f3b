//! What several batches changed together.

use std::cmp::Ordering;

use gw_graph::{Graph, Offsets, Symmetry};

use crate::Result;
use crate::lists::ChangedEdge;
use crate::merge::same;
use crate::weight::EdgeWeight;

/// The edges that differ between two versions of a graph, sorted by source and target.
///
/// ```
/// use gw_dynamic::{Batch, Difference, DynamicGraph, Ends};
/// let mut graph = DynamicGraph::<()>::new(3, Ends::Directed)?;
/// let mut difference = Difference::default();
/// difference.add(graph.apply(Batch::new().insert(0, 1, ()).insert(1, 2, ()))?.changes);
/// difference.add(graph.apply(Batch::new().delete(0, 1))?.changes);
/// assert_eq!((difference.inserted(3)?.edges(), difference.deleted(3)?.edges()), (1, 0));
/// # Ok::<(), gw_dynamic::DynamicError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<W>(Vec<ChangedEdge<W>>);

impl<W> Default for Difference<W> {
    fn default() -> Self {
        Difference(Vec::new())
    }
}

impl<W: EdgeWeight> Difference<W> {
    /// Adds what the next batch changed, as [`Applied::changes`](crate::Applied::changes) has it.
    pub fn add(&mut self, later: Vec<ChangedEdge<W>>) {
        if self.0.is_empty() {
            self.0 = later;
            return;
        }
        let edge = |change: &ChangedEdge<W>| (change.source, change.target);
        let mut all = Vec::with_capacity(self.0.len() + later.len());
        let (mut before, mut after) = (self.0.iter().peekable(), later.iter().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (Some(first), Some(second)) => edge(first).cmp(&edge(second)),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match order {
                Ordering::Less => all.extend(before.next()),
                Ordering::Greater => all.extend(after.next()),
                Ordering::Equal => {
                    if let (Some(first), Some(second)) = (before.next(), after.next())
                        && !same(first.old, second.new)
                    {
                        all.push(ChangedEdge { new: second.new, ..*first });
                    }
                }
            }
        }
        self.0 = all;
    }

    /// The edges, sorted by source and target.
    pub fn changes(&self) -> &[ChangedEdge<W>] {
        &self.0
    }

    /// True when both versions have the same edges.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all of it: the later version is the earlier one from now on.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The edges of the later version that the earlier one does not have, or has with another weight.
    pub fn inserted(&self, vertices: usize) -> Result<Graph> {
        self.graph(vertices, |change| change.new)
    }

    /// The edges of the earlier version that the later one does not have, or has with another weight.
    pub fn deleted(&self, vertices: usize) -> Result<Graph> {
        self.graph(vertices, |change| change.old)
    }

    fn graph(&self, vertices: usize, weight: impl Fn(&ChangedEdge<W>) -> Option<W>) -> Result<Graph> {
        let edges = || self.0.iter().filter_map(|change| Some((change, weight(change)?)));
        let mut degrees = vec![0; vertices];
        edges().for_each(|(change, _)| degrees[change.source as usize] += 1);
        let targets: Vec<u32> = edges().map(|(change, _)| change.target).collect();
        let weights = W::wrap(edges().map(|(_, weight)| weight).collect());
        Ok(Graph::from_arrays(Offsets::from_degrees(&degrees), targets.into(), weights, Symmetry::Directed)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, DynamicGraph, Ends};

    /// Two batches together change what their difference says: every edge of both versions is compared.
    #[test]
    fn batches_add_up() {
        let mut graph = DynamicGraph::<i32>::new(6, Ends::Directed).unwrap();
        graph.apply(Batch::new().insert(0, 1, 1).insert(1, 2, 2).insert(2, 3, 3).insert(5, 0, 4)).unwrap();
        let before = graph.snapshot();
        let mut difference = Difference::default();
        let first = graph.apply(Batch::new().delete(0, 1).insert(1, 2, 7).insert(3, 4, 5).insert(0, 5, 1)).unwrap();
        difference.add(first.changes);
        let second = graph.apply(Batch::new().insert(0, 1, 1).insert(1, 2, 9).delete(3, 4).delete(5, 0)).unwrap();
        difference.add(second.changes);
        let after = graph.snapshot();
        let (inserted, deleted) = (difference.inserted(6).unwrap(), difference.deleted(6).unwrap());
        for (source, target) in (0..6).flat_map(|source| (0..6).map(move |target| (source, target))) {
            let (old, new) = (before.edge(source, target), after.edge(source, target));
            let has = |graph: &Graph| graph.out().neighbours(source).contains(&target);
            assert_eq!(has(&inserted), new.is_some() && old != new, "{source} -> {target}");
            assert_eq!(has(&deleted), old.is_some() && old != new, "{source} -> {target}");
        }
        difference.clear();
        assert!(difference.is_empty());
    }
}
