//! Breadth-first search that visits neighbours one after another in the order of a NetworkX graph.
//!
//! Programs leave the order within a level open, which is what lets threads share it. NetworkX promises the order of
//! its dictionaries, so this search is serial; without Python's objects it is still faster than NetworkX's own.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
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
