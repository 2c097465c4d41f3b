//! Breadth-first search that visits neighbours one after another in the order of a NetworkX graph.
//!
//! Programs leave the order within a level open, which is what lets threads share it. NetworkX promises the order of
//! its dictionaries, so this search is serial; without Python's objects it is still faster than NetworkX's own.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use gw_graph::{Adjacency, Weights};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

use crate::graph::NativeGraph;
use crate::worker::detached;

/// Vertices in the order of the search, for each the vertex it was found from (a source: itself), and where levels end.
type Found<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);

/// Searches from some vertices, all of level 0. `targets` are the targets of all edges in the order in which neighbours
/// are visited, list by list; the sorted lists of the graph when left out. `depth` is the last level that is visited.
#[pyfunction]
#[pyo3(signature = (graph, targets, sources, depth))]
pub fn ordered_bfs<'py>(
    py: Python<'py>,
    graph: &NativeGraph,
    targets: Option<PyReadonlyArray1<'py, u32>>,
    sources: PyReadonlyArray1<'py, u32>,
    depth: Option<usize>,
) -> PyResult<Found<'py>> {
    let out = graph.graph.out();
    let vertices = out.vertices();
    let ordered = targets.as_ref().map(|targets| targets.as_slice()).transpose()?;
    let sources = sources.as_slice()?;
    let outside = |&vertex: &u32| vertex as usize >= vertices;
    if sources.iter().any(outside) || ordered.is_some_and(|t| t.len() != out.edges() || t.iter().any(outside)) {
        return Err(PyValueError::new_err("sources or targets do not fit the graph"));
    }
    let (order, parents, ends) = detached(py, || {
        let list = |vertex: u32| match ordered {
            Some(targets) => &targets[out.range(vertex)],
            None => out.neighbours(vertex),
        };
        let mut seen = vec![false; vertices];
        let (mut order, mut parents, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for &source in sources {
            if !std::mem::replace(&mut seen[source as usize], true) {
                order.push(source);
                parents.push(source);
            }
        }
        let mut begin = 0;
        while begin < order.len() {
            let end = order.len();
            ends.push(end as u64);
            if depth.is_some_and(|depth| ends.len() > depth) {
                break;
            }
            for at in begin..end {
                let vertex = order[at];
                for &target in list(vertex) {
                    if !std::mem::replace(&mut seen[target as usize], true) {
                        order.push(target);
                        parents.push(vertex);
                    }
                }
            }
            begin = end;
        }
        (order, parents, ends)
    })?;
    Ok((PyArray1::from_vec(py, order), PyArray1::from_vec(py, parents), PyArray1::from_vec(py, ends)))
}

/// A length of NetworkX: an integer, or a real.
trait Length: Copy + PartialOrd + Send {
    const ZERO: Self;
    fn of_edge(weights: &Weights, edge: usize) -> Self;
    fn plus(self, other: Self) -> Option<Self>;
    fn compare(self, other: Self) -> Ordering;
    fn real(self) -> f64;
}

impl Length for i64 {
    const ZERO: i64 = 0;

    fn of_edge(weights: &Weights, edge: usize) -> i64 {
        match weights {
            Weights::Int(weights) => weights[edge].into(),
            Weights::Int64(weights) => weights[edge],
            other => other.real(edge).unwrap_or(1.0) as i64,
        }
    }

    fn plus(self, other: i64) -> Option<i64> {
        self.checked_add(other)
    }

    fn compare(self, other: i64) -> Ordering {
        self.cmp(&other)
    }

    fn real(self) -> f64 {
        self as f64
    }
}

impl Length for f64 {
    const ZERO: f64 = 0.0;

    fn of_edge(weights: &Weights, edge: usize) -> f64 {
        weights.real(edge).unwrap_or(1.0)
    }

    fn plus(self, other: f64) -> Option<f64> {
        Some(self + other)
    }

    fn compare(self, other: f64) -> Ordering {
        self.total_cmp(&other)
    }

    fn real(self) -> f64 {
        self
    }
}

/// An entry of the heap: the least length first, then the one that was put there first.
struct Waiting<L>(L, u64, u32);

impl<L: Length> Ord for Waiting<L> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.compare(self.0).then(other.1.cmp(&self.1))
    }
}

impl<L: Length> PartialOrd for Waiting<L> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<L: Length> PartialEq for Waiting<L> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<L: Length> Eq for Waiting<L> {}

/// Why a search has no lengths.
enum Failure {
    /// A vertex that was done could be reached on a shorter path: an edge has a negative weight.
    Contradiction,
    /// A length does not fit 64 bits.
    TooLong,
}

/// Vertices, their lengths, integers or reals, and the vertices before them on shortest paths.
type Lengths<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyAny>, Bound<'py, PyArray1<u32>>);

/// As [`Lengths`], for a type of lengths.
type Paths<L> = (Vec<u32>, Vec<L>, Vec<u32>);

/// Dijkstra's search as NetworkX carries it out: the order in which vertices are visited says which of several shortest
/// paths is taken, and whether negative weights lead to a contradiction. Gives the vertices in the order in which they
/// are done, their lengths as integers (`whole`) or reals, and the vertices before them (a source: itself); edges are not
/// followed beyond the length `cutoff`.
#[pyfunction]
#[pyo3(signature = (graph, targets, sources, target, cutoff, whole))]
pub fn ordered_dijkstra<'py>(
    py: Python<'py>,
    graph: &NativeGraph,
    targets: Option<PyReadonlyArray1<'py, u32>>,
    sources: PyReadonlyArray1<'py, u32>,
    target: Option<u32>,
    cutoff: Option<f64>,
    whole: bool,
) -> PyResult<Lengths<'py>> {
    let out = graph.graph.out();
    let ordered = targets.as_ref().map(|targets| targets.as_slice()).transpose()?;
    let sources = sources.as_slice()?;
    let outside = |&vertex: &u32| vertex as usize >= out.vertices();
    if sources.iter().any(outside) || ordered.is_some_and(|t| t.len() != out.edges() || t.iter().any(outside)) {
        return Err(PyValueError::new_err("sources or targets do not fit the graph"));
    }
    let raise = |failure| match failure {
        Failure::Contradiction => PyValueError::new_err(("Contradictory paths found:", "negative weights?")),
        Failure::TooLong => PyOverflowError::new_err("a length does not fit 64 bits"),
    };
    Ok(if whole {
        let (order, lengths, before) =
            detached(py, || dijkstra::<i64>(out, ordered, sources, target, cutoff))?.map_err(raise)?;
        (PyArray1::from_vec(py, order), PyArray1::from_vec(py, lengths).into_any(), PyArray1::from_vec(py, before))
    } else {
        let (order, lengths, before) =
            detached(py, || dijkstra::<f64>(out, ordered, sources, target, cutoff))?.map_err(raise)?;
        (PyArray1::from_vec(py, order), PyArray1::from_vec(py, lengths).into_any(), PyArray1::from_vec(py, before))
    })
}

fn dijkstra<L: Length>(
    out: &Adjacency,
    ordered: Option<&[u32]>,
    sources: &[u32],
    target: Option<u32>,
    cutoff: Option<f64>,
) -> Result<Paths<L>, Failure> {
    let (mut seen, mut done): (Vec<Option<L>>, Vec<bool>) = (vec![None; out.vertices()], vec![false; out.vertices()]);
    let mut before: Vec<u32> = (0..out.vertices() as u32).collect();
    let (mut order, mut lengths) = (Vec::new(), Vec::new());
    let (mut waiting, mut count) = (BinaryHeap::new(), 0);
    for &source in sources {
        seen[source as usize] = Some(L::ZERO);
        waiting.push(Waiting(L::ZERO, count, source));
        count += 1;
    }
    while let Some(Waiting(length, _, v)) = waiting.pop() {
        if std::mem::replace(&mut done[v as usize], true) {
            continue;
        }
        // What was seen may have become less since; the entry that is taken first is the least.
        seen[v as usize] = Some(length);
        order.push(v);
        lengths.push(length);
        if target == Some(v) {
            break;
        }
        let range = out.range(v);
        let list = ordered.map_or(out.neighbours(v), |targets| &targets[range.clone()]);
        for &u in list {
            // Lists are sorted, and no pair stands there twice.
            let Ok(at) = out.neighbours(v).binary_search(&u) else { continue };
            let step = L::of_edge(out.weights(), range.start + at);
            let through = length.plus(step).ok_or(Failure::TooLong)?;
            if cutoff.is_some_and(|cutoff| through.real() > cutoff) {
                continue;
            }
            let is_less = seen[u as usize].is_none_or(|known| through < known);
            if is_less && done[u as usize] {
                return Err(Failure::Contradiction);
            }
            if is_less {
                seen[u as usize] = Some(through);
                before[u as usize] = v;
                waiting.push(Waiting(through, count, u));
                count += 1;
            }
        }
    }
    let before = order.iter().map(|&v| before[v as usize]).collect();
    Ok((order, lengths, before))
}
