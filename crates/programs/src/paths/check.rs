//! Checks a path against the graph, however it was made.

use gw_graph::{Graph, VertexId};

use super::lengths::Lengths;
use super::{Path, PathError, PathKind};
use crate::registry::Program;
use crate::results::Number;
use crate::validate::{Invalid, Run, ensure, int_weight, real_weight, wrong};

impl Program {
    /// Checks a path of a finished run: it leads from the source to a vertex in reach, visits no vertex twice, its
    /// edges are edges of the graph with these weights, the weights add up to its length, and the length is the
    /// distance of the target.
    pub fn check_path(&self, run: &Run<'_>, path: &Path) -> Result<(), PathError> {
        let source = self.source_of(run)?;
        let ends = path.vertices.first().zip(path.vertices.last());
        let (&first, &target) = ends.ok_or_else(|| wrong!("a path has no vertices"))?;
        ensure(first == source, || wrong!("the path to {target} begins at {first}, not at {source}"))?;
        match self.paths {
            Some(PathKind::Listed) => Ok(is_path(run.graph, path, false)?),
            _ => {
                let lengths = Lengths::of(self, run, source)?;
                is_path(run.graph, path, lengths.are_hops())?;
                let distance = lengths.number(target);
                Ok(ensure(path.length == distance, || {
                    wrong!("the path to {target} has the length {:?}, its distance is {distance:?}", path.length)
                })?)
            }
        }
    }
}

/// The vertices are a path of the graph, with these weights and this length.
pub(crate) fn is_path(graph: &Graph, path: &Path, counts_hops: bool) -> Result<(), Invalid> {
    let vertices = graph.vertices();
    if let Some(v) = path.vertices.iter().find(|&&v| v as usize >= vertices) {
        return Err(wrong!("the path visits {v}, but the graph has {vertices} vertices"));
    }
    let mut sorted = path.vertices.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(wrong!("the path visits {} twice", pair[0]));
    }
    let (hops, edges) = (path.vertices.len(), path.weights.len());
    ensure(hops == edges + 1, || wrong!("a path of {hops} vertices has {edges} weights"))?;
    let mut length = match path.length {
        Number::Integer(_) => Number::Integer(0),
        Number::Real(_) => Number::Real(0.0),
    };
    let weights = graph.out().weights();
    for (ends, &weight) in path.vertices.windows(2).zip(&path.weights) {
        let mut edges = between(graph, ends[0], ends[1]).peekable();
        ensure(edges.peek().is_some(), || wrong!("the path goes from {} to {} without an edge", ends[0], ends[1]))?;
        let is_weight = |edge: usize| match weight {
            Number::Integer(w) if counts_hops => w == 1,
            Number::Integer(w) => i128::from(int_weight(weights, edge)) == w,
            Number::Real(w) => real_weight(weights, edge) == w,
        };
        ensure(edges.any(is_weight), || wrong!("no edge from {} to {} has the weight {weight:?}", ends[0], ends[1]))?;
        length = match (length, weight) {
            (Number::Integer(sum), Number::Integer(w)) => Number::Integer(sum + w),
            (Number::Real(sum), Number::Real(w)) => Number::Real(sum + w),
            _ => return Err(wrong!("the path mixes whole and real weights")),
        };
    }
    ensure(length == path.length, || wrong!("the weights of the path add up to {length:?}, not {:?}", path.length))
}

/// The edges from `u` to `v`, several where the graph has parallel edges.
pub(super) fn between(graph: &Graph, u: VertexId, v: VertexId) -> impl Iterator<Item = usize> {
    let list = graph.out().neighbours(u);
    let (first, behind) = (list.partition_point(|&w| w < v), list.partition_point(|&w| w <= v));
    let start = graph.out().range(u).start;
    (first..behind).map(move |at| start + at)
}
