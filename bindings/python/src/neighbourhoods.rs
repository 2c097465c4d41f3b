//! What the neighbourhoods of vertices have in common: for pairs of vertices, and squares.

use std::sync::atomic::{AtomicU64, Ordering};

use gw_graph::Adjacency;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::graph::NativeGraph;
use crate::worker::detached;

/// A list this many times longer than the other is searched rather than read.
const LONGER: usize = 16;

/// For each pair of vertices the sum of the `values` of their common neighbours (their number without values); the two
/// vertices themselves do not count.
#[pyfunction]
#[pyo3(signature = (graph, sources, targets, values))]
pub fn common_neighbours<'py>(
    py: Python<'py>,
    graph: &NativeGraph,
    sources: PyReadonlyArray1<'py, u32>,
    targets: PyReadonlyArray1<'py, u32>,
    values: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let out = graph.graph.out();
    let (sources, targets) = (sources.as_slice()?, targets.as_slice()?);
    let values = values.as_ref().map(|values| values.as_slice()).transpose()?;
    let outside = |&vertex: &u32| vertex as usize >= out.vertices();
    if sources.len() != targets.len() || sources.iter().any(outside) || targets.iter().any(outside) {
        return Err(PyValueError::new_err("pairs do not fit the graph"));
    }
    if values.is_some_and(|values| values.len() != out.vertices()) {
        return Err(PyValueError::new_err("values do not fit the graph"));
    }
    let sums: Vec<f64> = detached(py, || {
        let pairs = sources.par_iter().zip(targets).with_min_len(64);
        pairs.map(|(&u, &v)| common(out, u, v, |w| values.map_or(1.0, |values| values[w as usize]))).collect()
    })?;
    Ok(PyArray1::from_vec(py, sums))
}

fn common(out: &Adjacency, u: u32, v: u32, value: impl Fn(u32) -> f64) -> f64 {
    let (mut short, mut long) = (out.neighbours(u), out.neighbours(v));
    if short.len() > long.len() {
        (short, long) = (long, short);
    }
    let counted = |w: u32| if w == u || w == v { 0.0 } else { value(w) };
    let mut sum = 0.0;
    if long.len() > LONGER * short.len() {
        let found = short.iter().filter(|w| long.binary_search(w).is_ok());
        return found.map(|&w| counted(w)).sum();
    }
    let mut at = 0;
    for &w in short {
        while at < long.len() && long[at] < w {
            at += 1;
        }
        if long.get(at) == Some(&w) {
            sum += counted(w);
        }
    }
    sum
}

/// The number of squares (cycles of four edges) that each vertex of an undirected graph is part of.
///
/// A square is found at its corner of highest degree `v`, by the ways from there over lower vertices to the opposite
/// corner `x`: two of them make a square. So the lists that are read are those of lower degree.
#[pyfunction]
pub fn squares<'py>(py: Python<'py>, graph: &NativeGraph) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let out = graph.graph.out();
    let counts: Vec<i64> = detached(py, || {
        let vertices = out.vertices();
        let totals: Vec<AtomicU64> = (0..vertices).map(|_| AtomicU64::new(0)).collect();
        let add = |vertex: u32, many: u64| totals[vertex as usize].fetch_add(many, Ordering::Relaxed);
        let lower = |u: u32, v: u32| (out.degree(u), u) < (out.degree(v), v);
        let ways_from = |v: u32, visit: &mut dyn FnMut(u32, u32)| {
            for &u in out.neighbours(v).iter().filter(|&&u| lower(u, v)) {
                for &x in out.neighbours(u).iter().filter(|&&x| x != u && lower(x, v)) {
                    visit(u, x);
                }
            }
        };
        (0..vertices as u32).into_par_iter().with_min_len(64).for_each_init(
            || (vec![0u32; vertices], Vec::new()),
            |(ways, reached), v| {
                ways_from(v, &mut |_, x| {
                    if ways[x as usize] == 0 {
                        reached.push(x);
                    }
                    ways[x as usize] += 1;
                });
                if reached.iter().any(|&x| ways[x as usize] > 1) {
                    ways_from(v, &mut |u, x| match ways[x as usize] {
                        0 | 1 => {}
                        ways => {
                            add(u, u64::from(ways) - 1);
                        }
                    });
                }
                let mut own = 0;
                for x in reached.drain(..) {
                    let ways = u64::from(std::mem::take(&mut ways[x as usize]));
                    if ways > 1 {
                        let found = ways * (ways - 1) / 2;
                        add(x, found);
                        own += found;
                    }
                }
                add(v, own);
            },
        );
        totals.into_iter().map(|total| total.into_inner() as i64).collect()
    })?;
    Ok(PyArray1::from_vec(py, counts))
}
