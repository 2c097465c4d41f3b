//! The tree of shortest paths that a breadth-first search along tight edges makes.

use std::borrow::Cow;

use gw_graph::VertexId;

use super::check::between;
use super::lengths::Lengths;
use super::{Path, PathError};
use crate::registry::Program;
use crate::results::Number;
use crate::validate::{Invalid, Run, wrong};

/// The parent of a vertex that was not visited.
pub(super) const NONE: VertexId = VertexId::MAX;

/// What a search along tight edges needs.
pub(super) struct Tree<'a> {
    run: Run<'a>,
    source: VertexId,
    pub(super) lengths: Lengths<'a>,
    /// Lower bounds on the way that is left, where the program guided its search by some.
    bounds: Option<Cow<'a, [i32]>>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(program: &Program, run: &Run<'a>) -> Result<Tree<'a>, PathError> {
        let source = program.source_of(run)?;
        let lengths = Lengths::of(program, run, source)?;
        Ok(Tree { run: *run, source, lengths, bounds: run.ints("bound").ok() })
    }

    /// The distance of a vertex, with the least way that is left from there.
    fn extent(&self, v: VertexId) -> f64 {
        self.lengths.real(v) + self.bounds.as_ref().map_or(0.0, |bounds| bounds[v as usize].into())
    }

    /// The greatest extent that a vertex on the way to one of the targets can have; `None` where distances may fall
    /// along an edge, so that nothing is known.
    pub(super) fn reach_of(&self, targets: &[VertexId]) -> Option<f64> {
        let may_fall = !self.lengths.are_hops() && self.run.graph.least_weight().is_some_and(|least| least < 0.0);
        let most = targets.iter().map(|&target| self.extent(target)).fold(f64::NEG_INFINITY, f64::max);
        (!may_fall && !targets.is_empty()).then_some(most)
    }

    /// The parents in the tree, [`NONE`] where it does not lead. It grows until it has all targets, or without targets
    /// as far as it goes, and not beyond vertices with a greater extent than `most`.
    pub(super) fn grow(&self, targets: &[VertexId], most: Option<f64>) -> Vec<VertexId> {
        let out = self.run.graph.out();
        let mut parents = vec![NONE; self.run.graph.vertices()];
        parents[self.source as usize] = self.source;
        let mut missing = targets.iter().filter(|&&target| target != self.source).count();
        if missing == 0 && !targets.is_empty() {
            return parents;
        }
        let mut queue = vec![self.source];
        let mut head = 0;
        while let Some(&u) = queue.get(head) {
            head += 1;
            for (&v, edge) in out.neighbours(u).iter().zip(out.range(u)) {
                if parents[v as usize] != NONE
                    || !self.lengths.is_tight(out.weights(), u, v, edge)
                    || most.is_some_and(|most| self.extent(v) > most)
                {
                    continue;
                }
                parents[v as usize] = u;
                queue.push(v);
                if !targets.is_empty() && targets.binary_search(&v).is_ok() {
                    missing -= 1;
                    if missing == 0 {
                        return parents;
                    }
                }
            }
        }
        parents
    }

    /// The paths to targets that have distances. Where the edges into vertices are at hand, the searches go backwards
    /// from the targets and visit little more than the shortest paths; else one search from the source serves all
    /// targets.
    pub(super) fn paths(&self, targets: &[VertexId]) -> Result<Vec<Path>, PathError> {
        if self.run.graph.is_symmetric() || self.run.graph.has_incoming() {
            return targets.iter().map(|&target| self.traced(target)).collect();
        }
        let mut sorted = targets.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let parents = self.grow(&sorted, self.reach_of(&sorted));
        targets.iter().map(|&target| self.path(&parents, target)).collect()
    }

    /// The path to a target by a search backwards, which counts the edges that are left from each vertex.
    fn traced(&self, target: VertexId) -> Result<Path, PathError> {
        let (out, back) = (self.run.graph.out(), self.run.graph.load_incoming().map_err(Invalid::from)?);
        let mut left = vec![NONE; self.run.graph.vertices()];
        left[target as usize] = 0;
        let mut queue = vec![target];
        let mut head = 0;
        while left[self.source as usize] == NONE {
            let v = *queue.get(head).ok_or_else(|| self.no_path(target))?;
            head += 1;
            for (&u, edge) in back.neighbours(v).iter().zip(back.range(v)) {
                if left[u as usize] == NONE
                    && self.lengths.are_known(u)
                    && self.lengths.is_tight(back.weights(), u, v, edge)
                {
                    left[u as usize] = left[v as usize] + 1;
                    queue.push(u);
                }
            }
        }
        let mut vertices = vec![self.source];
        let mut weights = Vec::new();
        let mut u = self.source;
        while u != target {
            let goes_on = |&(&v, edge): &(&VertexId, usize)| {
                left[v as usize].checked_add(1) == Some(left[u as usize])
                    && self.lengths.is_tight(out.weights(), u, v, edge)
            };
            let mut edges = out.neighbours(u).iter().zip(out.range(u));
            let (&v, edge) = edges.find(goes_on).ok_or_else(|| self.no_path(target))?;
            vertices.push(v);
            weights.push(self.lengths.step(out.weights(), edge));
            u = v;
        }
        Ok(Path { vertices, weights, length: self.lengths.number(target) })
    }

    fn no_path(&self, target: VertexId) -> PathError {
        let found = self.lengths.real(target);
        wrong!("vertex {target}: distance {found}, but no path has that length").into()
    }

    /// The path to a target in the tree.
    fn path(&self, parents: &[VertexId], target: VertexId) -> Result<Path, PathError> {
        let mut vertices = vec![target];
        let mut weights = Vec::new();
        let mut v = target;
        while v != self.source {
            let u = parents[v as usize];
            if u == NONE {
                return Err(self.no_path(target));
            }
            weights.push(self.weight(u, v));
            vertices.push(u);
            v = u;
        }
        vertices.reverse();
        weights.reverse();
        Ok(Path { vertices, weights, length: self.lengths.number(target) })
    }

    /// The length of the tight edge from `u` to `v`, the first of several.
    fn weight(&self, u: VertexId, v: VertexId) -> Number {
        let out = self.run.graph.out();
        let mut edges = between(self.run.graph, u, v);
        let edge = edges.find(|&edge| self.lengths.is_tight(out.weights(), u, v, edge));
        self.lengths.step(out.weights(), edge.unwrap_or(out.range(u).start))
    }
}
