//! The distances that a search has left, and which edges are tight by them.

use std::borrow::Cow;

use gw_graph::{VertexId, Weights};

use super::PathError;
use crate::registry::{Program, Remark};
use crate::results::{Number, Values};
use crate::validate::{INFINITY, Invalid, Run, int_weight, real_weight, wrong};

/// Distances from the source.
pub(super) enum Lengths<'a> {
    /// Hops, -1 out of reach.
    Hops(Cow<'a, [i32]>),
    /// Sums of whole weights.
    Whole(Cow<'a, [i32]>),
    /// Sums of whole weights of 64 bits.
    Wide(Cow<'a, [i64]>),
    /// Sums of real weights, added from the source on.
    Real(Cow<'a, [f64]>),
}

impl<'a> Lengths<'a> {
    /// The distances among the results of a search.
    pub(super) fn of(program: &Program, run: &Run<'a>, source: VertexId) -> Result<Lengths<'a>, PathError> {
        let none = || PathError::NoPaths { program: program.name.to_string() };
        let vector = program.reached.filter(|_| program.paths.is_some()).ok_or_else(none)?.vector;
        if run.graph.share().is_some() {
            return Err(PathError::InParts);
        }
        if let Some(Remark::NoResult(why)) = program.remark(run) {
            return Err(PathError::NoResult(why));
        }
        Ok(match vector {
            "parent" => Lengths::Hops(levels(&run.ints("parent")?, source)?.into()),
            "dist" => match run.results.vector("dist") {
                Some(Values::Double(_)) => Lengths::Real(run.doubles("dist")?),
                Some(Values::Int64(dist)) => {
                    run.one_per_vertex("dist", dist.len())?;
                    Lengths::Wide(dist)
                }
                _ => Lengths::Whole(run.ints("dist")?),
            },
            level => Lengths::Hops(run.ints(level)?),
        })
    }

    /// Hops are counted, and weights do not matter.
    pub(super) fn are_hops(&self) -> bool {
        matches!(self, Lengths::Hops(_))
    }

    /// The vertex was reached.
    pub(super) fn are_known(&self, v: VertexId) -> bool {
        let v = v as usize;
        match self {
            Lengths::Hops(level) => level[v] >= 0,
            Lengths::Whole(dist) => dist[v] != INFINITY,
            Lengths::Wide(dist) => dist[v] != i64::MAX,
            Lengths::Real(dist) => dist[v] < f64::INFINITY,
        }
    }

    /// The distance of a vertex, to compare distances with.
    pub(super) fn real(&self, v: VertexId) -> f64 {
        match self {
            Lengths::Hops(entries) | Lengths::Whole(entries) => entries[v as usize].into(),
            Lengths::Wide(dist) => dist[v as usize] as f64,
            Lengths::Real(dist) => dist[v as usize],
        }
    }

    /// The distance of a vertex.
    pub(super) fn number(&self, v: VertexId) -> Number {
        match self {
            Lengths::Hops(entries) | Lengths::Whole(entries) => entries[v as usize].into(),
            Lengths::Wide(dist) => dist[v as usize].into(),
            Lengths::Real(dist) => dist[v as usize].into(),
        }
    }

    /// The length of an edge.
    pub(super) fn step(&self, weights: &Weights, edge: usize) -> Number {
        match self {
            Lengths::Hops(_) => Number::Integer(1),
            Lengths::Whole(_) | Lengths::Wide(_) => Number::Integer(int_weight(weights, edge).into()),
            Lengths::Real(_) => Number::Real(real_weight(weights, edge)),
        }
    }

    /// Whether the edge from `u`, which was reached, to `v` ends a shortest path to `v`.
    #[inline]
    pub(super) fn is_tight(&self, weights: &Weights, u: VertexId, v: VertexId, edge: usize) -> bool {
        let (u, v) = (u as usize, v as usize);
        match self {
            Lengths::Hops(level) => level[u] + 1 == level[v],
            Lengths::Whole(dist) => {
                dist[v] != INFINITY && i64::from(dist[u]) + int_weight(weights, edge) == i64::from(dist[v])
            }
            Lengths::Wide(dist) => {
                dist[v] != i64::MAX && dist[u].checked_add(int_weight(weights, edge)) == Some(dist[v])
            }
            // The same sum as in the program, rounded in the same way.
            Lengths::Real(dist) => dist[v] < f64::INFINITY && dist[u] + real_weight(weights, edge) == dist[v],
        }
    }
}

/// Hops from the root, by parents.
fn levels(parents: &[i32], root: VertexId) -> Result<Vec<i32>, Invalid> {
    let mut level = vec![-1; parents.len()];
    level[root as usize] = 0;
    let mut walk = Vec::new();
    for start in 0..parents.len() {
        let mut at = start;
        while level[at] < 0 && parents[at] >= 0 {
            walk.push(at);
            at = parents[at] as usize;
            if at >= parents.len() || walk.len() > parents.len() {
                return Err(wrong!("vertex {start}: its parents do not lead to the root {root}"));
            }
        }
        let mut hops = level[at];
        // A parent out of reach leaves the walk out of reach.
        for vertex in walk.drain(..).rev() {
            hops += i32::from(hops >= 0);
            level[vertex] = hops;
        }
    }
    Ok(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_parents() {
        assert_eq!(levels(&[1, 1, 0, 2, -1], 1).unwrap(), [1, 0, 2, 3, -1]);
        assert!(levels(&[0, 2, 1], 0).is_err(), "a cycle");
        assert!(levels(&[0, 9], 0).is_err(), "no vertex");
    }
}
