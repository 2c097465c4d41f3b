//! From the dictionaries of a NetworkX graph to CSR arrays.
//!
//! NetworkX keeps `{node: {neighbour: edge data}}`. The keys of a neighbour are found in three ways, the cheapest
//! first: nodes that are the numbers 0, 1, 2, ... are themselves; other integers go through a hash table of integers;
//! other objects through a table of addresses, since the neighbour's key is nearly always the same object as the
//! node. Only where that fails is Python asked for the hash of an object.

use gw_graph::{Graph, Offsets, Symmetry, Weight, Weights};
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::errors::raise_graph;
use crate::graph::NativeGraph;
use crate::worker::detached;

/// How the number of a node is found.
enum Numbers<'a, 'py> {
    /// Node `i` is the integer `i`.
    Same(usize),
    /// All nodes are integers.
    Integers(FxHashMap<i64, u32>, &'a Bound<'py, PyDict>),
    /// By address, else by Python's dictionary of numbers.
    Objects(FxHashMap<usize, u32>, &'a Bound<'py, PyDict>),
}

impl<'a, 'py> Numbers<'a, 'py> {
    fn of(nodes: &'a Bound<'py, PyDict>) -> PyResult<Self> {
        let integer = |node: &Bound<'py, PyAny>| match node.is_exact_instance_of::<PyInt>() {
            true => node.extract::<i64>().ok(),
            false => None,
        };
        if nodes.iter().enumerate().all(|(at, (node, _))| integer(&node) == Some(at as i64)) {
            return Ok(Numbers::Same(nodes.len()));
        }
        let integers: Option<FxHashMap<i64, u32>> =
            nodes.iter().map(|(node, number)| Some((integer(&node)?, number.extract().ok()?))).collect();
        if let Some(integers) = integers {
            return Ok(Numbers::Integers(integers, nodes));
        }
        let addresses: PyResult<_> =
            nodes.iter().map(|(node, number)| Ok((node.as_ptr() as usize, number.extract()?))).collect();
        Ok(Numbers::Objects(addresses?, nodes))
    }

    #[inline]
    fn get(&self, node: &Bound<'py, PyAny>) -> PyResult<u32> {
        let (found, nodes) = match self {
            Numbers::Same(count) => {
                let number = node.extract::<usize>()?;
                return match number < *count {
                    true => Ok(number as u32),
                    false => Err(PyKeyError::new_err(number)),
                };
            }
            Numbers::Integers(table, nodes) => {
                let number = if node.is_exact_instance_of::<PyInt>() { node.extract().ok() } else { None };
                (number.and_then(|number: i64| table.get(&number)), nodes)
            }
            Numbers::Objects(table, nodes) => (table.get(&(node.as_ptr() as usize)), nodes),
        };
        match found {
            Some(&number) => Ok(number),
            None => match nodes.get_item(node)? {
                Some(number) => number.extract(),
                None => Err(PyKeyError::new_err(node.clone().unbind())),
            },
        }
    }
}

/// Which weight an edge gets.
struct WeightRule<'py> {
    /// The key in the data of an edge.
    key: Bound<'py, PyAny>,
    /// The weight of an edge without the key.
    default: f64,
    /// Parallel edges have the sum of their weights, else the least.
    sum: bool,
    /// All weights were integers of Python.
    whole: bool,
}

impl<'py> WeightRule<'py> {
    fn single(&mut self, data: &Bound<'py, PyAny>) -> PyResult<f64> {
        let Some(value) = data.cast::<PyDict>()?.get_item(&self.key)? else { return Ok(self.default) };
        if value.is_exact_instance_of::<PyFloat>() {
            self.whole = false;
            return value.extract();
        }
        if value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyBool>() {
            let number: i64 = value.extract()?;
            return match number.unsigned_abs() < 1 << 53 {
                true => Ok(number as f64),
                false => Err(PyValueError::new_err("a weight is too large")),
            };
        }
        self.whole = false;
        match value.is_none() {
            true => Err(PyTypeError::new_err("a weight is None")),
            false => value.extract(),
        }
    }

    fn of(&mut self, data: &Bound<'py, PyAny>, parallel: bool) -> PyResult<f64> {
        if !parallel {
            return self.single(data);
        }
        let mut total: Option<f64> = None;
        for (_, data) in data.cast::<PyDict>()?.iter() {
            let weight = self.single(&data)?;
            total = Some(match total {
                None => weight,
                Some(total) if self.sum => total + weight,
                Some(total) => total.min(weight),
            });
        }
        Ok(total.unwrap_or(self.default))
    }
}

/// A graph, whether its weights are whole, and the targets in another order.
type Walked<'py> = (NativeGraph, bool, Option<Bound<'py, PyArray1<u32>>>);

/// A graph from the adjacency of NetworkX. `nodes` numbers the nodes in order, `adjacency` is `{node: {neighbour:
/// data}}`, `weight` the key of weights, `parallel` whether data holds an entry per parallel edge, `sum` whether
/// their weights add up. A multigraph without weights gets the number of parallel edges as weight when `sum` is true.
///
/// Gives the graph, whether all weights were integers of Python, and with `order` the targets in the order of the dictionaries, None where that is the order of the graph's own lists.
#[pyfunction]
#[pyo3(signature = (nodes, adjacency, weight, default, parallel, sum, order=false))]
#[allow(clippy::too_many_arguments)]
pub fn walk_adjacency<'py>(
    py: Python<'py>,
    nodes: &Bound<'py, PyDict>,
    adjacency: &Bound<'py, PyDict>,
    weight: Option<Bound<'py, PyAny>>,
    default: f64,
    parallel: bool,
    sum: bool,
    order: bool,
) -> PyResult<Walked<'py>> {
    let numbers = Numbers::of(nodes)?;
    let mut rule = weight.map(|key| WeightRule { key, default, sum, whole: default.fract() == 0.0 });
    let mut offsets: Vec<u64> = Vec::with_capacity(nodes.len() + 1);
    let (mut targets, mut weights): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
    offsets.push(0);
    for (_, neighbours) in adjacency.iter() {
        for (neighbour, data) in neighbours.cast::<PyDict>()?.iter() {
            targets.push(numbers.get(&neighbour)?);
            match &mut rule {
                Some(rule) => weights.push(rule.of(&data, parallel)?),
                None if parallel && sum => weights.push(data.len()? as f64),
                None => {}
            }
        }
        offsets.push(targets.len() as u64);
    }
    if offsets.len() != nodes.len() + 1 {
        return Err(PyValueError::new_err("the adjacency does not have an entry per node"));
    }
    let weighted = rule.is_some() || parallel && sum;
    let whole = rule.is_none_or(|rule| rule.whole);
    let sorted = |range: &[u64]| targets[range[0] as usize..range[1] as usize].is_sorted();
    let ordered = (order && !offsets.windows(2).all(sorted)).then(|| PyArray1::from_slice(py, &targets));
    let built = detached(py, move || graph_of(offsets, targets, weighted.then_some(weights)))?;
    Ok((NativeGraph::new(built.map_err(raise_graph)?), whole, ordered))
}

fn graph_of(offsets: Vec<u64>, targets: Vec<u32>, weights: Option<Vec<f64>>) -> gw_graph::Result<Graph> {
    let lists = |targets: Vec<u32>| {
        let mut targets = targets;
        let mut rest = &mut targets[..];
        let mut lists = Vec::with_capacity(offsets.len());
        for pair in offsets.windows(2) {
            let (list, others) = rest.split_at_mut((pair[1] - pair[0]) as usize);
            lists.push(list);
            rest = others;
        }
        lists.into_par_iter().with_min_len(1 << 8).for_each(<[u32]>::sort_unstable);
        targets
    };
    let Some(weights) = weights else {
        let targets = lists(targets);
        let offsets = Offsets::from_positions(offsets);
        return Graph::from_arrays(offsets, targets.into(), Weights::None, Symmetry::Unknown);
    };
    // The narrowest type that holds all of them; whole numbers below 2^53 come as reals.
    let (targets, weights) = if weights.iter().all(|&w| w.fract() == 0.0 && w.abs() < f64::from(i32::MAX)) {
        sorted::<i32>(&offsets, &targets, &weights, |w| w as i32)
    } else if weights.iter().all(|&w| f64::from(w as f32) == w) {
        sorted::<f32>(&offsets, &targets, &weights, |w| w as f32)
    } else {
        sorted::<f64>(&offsets, &targets, &weights, |w| w)
    };
    let offsets = Offsets::from_positions(offsets);
    Graph::from_arrays(offsets, targets.into(), weights, Symmetry::Unknown)
}

/// Sorts each list by target, the weights with it.
fn sorted<W: Weight>(
    offsets: &[u64],
    targets: &[u32],
    weights: &[f64],
    narrow: impl Fn(f64) -> W + Sync,
) -> (Vec<u32>, Weights) {
    let mut packed: Vec<W::Packed> =
        targets.par_iter().zip(weights).map(|(&target, &weight)| W::pack(target, narrow(weight))).collect();
    let mut rest = &mut packed[..];
    let mut lists = Vec::with_capacity(offsets.len());
    for pair in offsets.windows(2) {
        let (list, others) = rest.split_at_mut((pair[1] - pair[0]) as usize);
        lists.push(list);
        rest = others;
    }
    lists.into_par_iter().with_min_len(1 << 8).for_each(<[W::Packed]>::sort_unstable);
    let targets = packed.par_iter().map(|&p| W::target(p)).collect();
    (targets, W::wrap(packed.par_iter().map(|&p| W::weight(p)).collect()))
}
