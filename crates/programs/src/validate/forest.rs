//! Minimum spanning forests: the edges exist and join the components without a cycle, and their sum is that of the
//! forest that Kruskal's method finds.

use gw_graph::{Graph, VertexId};

use super::length::{Length, are_real};
use super::matching::sum_in_all;
use super::{Invalid, Run, ensure, wrong};

pub(crate) fn msf(run: &Run<'_>) -> Result<(), Invalid> {
    if are_real(run.graph) { forest::<f64>(run) } else { forest::<i128>(run) }
}

fn forest<L: Length>(run: &Run<'_>) -> Result<(), Invalid> {
    run.needs_symmetric()?;
    let (one, other, length) = (run.ints("one_end")?, run.ints("other_end")?, run.lengths::<L>("length")?.0);
    let trees = run.integer("trees")?;
    let n = run.graph.vertices();
    let mut joined = Joined::new(n);
    let (mut sum, mut count) = (L::ZERO, 0);
    for v in 0..n {
        let (a, b, length) = (one[v], other[v], length[v]);
        if a == -1 && b == -1 {
            ensure(length == L::ZERO, || {
                wrong!("vertex {v}: it keeps no edge, but the length {length}", v = run.graph.shown(v))
            })?;
            continue;
        }
        let found = weight_of::<L>(run.graph, a, b).ok_or_else(|| {
            wrong!(
                "vertex {v}: there is no edge {a} - {b}",
                v = run.graph.shown(v),
                a = run.graph.shown(a),
                b = run.graph.shown(b)
            )
        })?;
        ensure(found == length, || {
            wrong!(
                "vertex {v}: its edge {a} - {b} has the weight {found}, not {length}",
                v = run.graph.shown(v),
                a = run.graph.shown(a),
                b = run.graph.shown(b)
            )
        })?;
        let apart = joined.join(a as usize, b as usize);
        ensure(apart, || {
            wrong!(
                "vertex {v}: its edge {a} - {b} closes a cycle with other edges of the forest",
                v = run.graph.shown(v),
                a = run.graph.shown(a),
                b = run.graph.shown(b)
            )
        })?;
        sum = sum + length;
        count += 1;
    }
    let (least, edges) = kruskal::<L>(run.graph);
    ensure(count == edges, || wrong!("the forest has {count} edges instead of {edges}"))?;
    ensure(trees == (n - edges) as i128, || wrong!("{trees} trees instead of {}", n - edges))?;
    // Terms of either sign may cancel out.
    let size: f64 = length.iter().map(|length| length.real().abs()).sum();
    ensure(sum.is_near(least, size), || wrong!("the forest weighs {sum}, but one of weight {least} exists"))?;
    sum_in_all(run, least, size)
}

/// The weight of an edge between two numbers that may be vertices.
fn weight_of<L: Length>(graph: &Graph, a: i32, b: i32) -> Option<L> {
    let inside = |v: i32| usize::try_from(v).ok().filter(|&v| v < graph.vertices());
    let (a, b) = (inside(a)? as VertexId, inside(b)? as VertexId);
    // Of parallel edges the forest has the least, which stands first.
    let list = graph.out().neighbours(a);
    let at = list.partition_point(|&neighbour| neighbour < b);
    let is_there = list.get(at) == Some(&b);
    is_there.then(|| L::of_edge(graph.out().weights(), graph.out().range(a).start + at))
}

/// Weight and number of edges of a minimum spanning forest.
fn kruskal<L: Length>(graph: &Graph) -> (L, usize) {
    let out = graph.out();
    let mut edges = Vec::new();
    for u in 0..graph.vertices() as VertexId {
        for (&v, e) in out.neighbours(u).iter().zip(out.range(u)) {
            edges.push((L::of_edge(out.weights(), e), u, v));
        }
    }
    edges.sort_by(|a, b| a.0.compare(b.0));
    let mut joined = Joined::new(graph.vertices());
    let kept = edges.into_iter().filter(|&(_, u, v)| joined.join(u as usize, v as usize));
    kept.fold((L::ZERO, 0), |(sum, count), (weight, ..)| (sum + weight, count + 1))
}

/// Sets of vertices that grow together; the least vertex stands for a set.
pub(super) struct Joined(Vec<usize>);

impl Joined {
    pub(super) fn new(vertices: usize) -> Joined {
        Joined((0..vertices).collect())
    }

    pub(super) fn least(&mut self, mut v: usize) -> usize {
        while self.0[v] != v {
            self.0[v] = self.0[self.0[v]];
            v = self.0[v];
        }
        v
    }

    /// True if the two were apart before.
    pub(super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.least(a), self.least(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }
}
