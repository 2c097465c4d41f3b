//! Communities by label propagation over the classes of a coloring, as NetworkX defines it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graphwright::Graph;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::graph::NativeGraph;
use crate::worker::watched;

/// Vertices that one thread relabels at a time.
const GRAIN: usize = 256;

/// The label of every vertex. A vertex begins with its own number; class by class, vertices take the most frequent
/// label of their neighbours, the greatest where several are, and keep theirs if it is one of them.
#[pyfunction]
pub fn propagate_labels<'py>(
    py: Python<'py>,
    graph: &NativeGraph,
    colors: PyReadonlyArray1<'py, i32>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let graph = graph.graph.clone();
    let colors = colors.as_slice()?;
    if colors.len() != graph.vertices() {
        return Err(PyValueError::new_err("there must be a color per vertex"));
    }
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for (vertex, &color) in (0u32..).zip(colors) {
        let Ok(color) = usize::try_from(color) else { return Err(PyValueError::new_err("a color is negative")) };
        if color >= classes.len() {
            // Fewer colors than vertices are ever needed.
            let most = graph.vertices();
            if color >= most {
                return Err(PyValueError::new_err(format!("color {color} of {most} vertices")));
            }
            classes.resize_with(color + 1, Vec::new);
        }
        classes[color].push(vertex);
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&cancel);
    let labels = watched(py, &cancel, None, None, move || settled(&graph, &classes, &stop))?;
    Ok(PyArray1::from_vec(py, labels))
}

/// Relabels until every vertex has one of the most frequent labels of its neighbours.
fn settled(graph: &Graph, classes: &[Vec<u32>], stop: &AtomicBool) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..graph.vertices() as u32).collect();
    while !stop.load(Ordering::Relaxed) {
        let vertices = (0..graph.vertices() as u32).into_par_iter().with_min_len(GRAIN);
        let settled = vertices.map_init(Vec::new, |near, v| best(graph, &labels, v, near) == labels[v as usize]);
        if settled.all(|settled| settled) {
            break;
        }
        for class in classes {
            // No two vertices of a class are neighbours: the order within a class changes nothing.
            let vertices = class.par_iter().with_min_len(GRAIN);
            let next: Vec<u32> = vertices.map_init(Vec::new, |near, &v| best(graph, &labels, v, near)).collect();
            class.iter().zip(next).for_each(|(&v, label)| labels[v as usize] = label);
        }
    }
    labels
}

/// The label that a vertex should have: its own if no other is more frequent, else the greatest of the most frequent.
fn best(graph: &Graph, labels: &[u32], vertex: u32, near: &mut Vec<u32>) -> u32 {
    let own = labels[vertex as usize];
    near.clear();
    near.extend(graph.out().neighbours(vertex).iter().map(|&neighbour| labels[neighbour as usize]));
    near.sort_unstable();
    let (mut most, mut greatest, mut of_own) = (0, own, 0);
    for run in near.chunk_by(|a, b| a == b) {
        if run.len() >= most {
            (most, greatest) = (run.len(), run[0]);
        }
        if run[0] == own {
            of_own = run.len();
        }
    }
    if of_own == most { own } else { greatest }
}
