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

/// A weight of an edge as Python has it.
#[derive(Clone, Copy)]
enum Amount {
    /// An integer of Python.
    Whole(i64),
    /// A real, or a number of another class.
    Real(f64),
}

impl Amount {
    fn real(self) -> f64 {
        match self {
            Amount::Whole(whole) => whole as f64,
            Amount::Real(real) => real,
        }
    }

    fn plus(self, other: Amount) -> PyResult<Amount> {
        match (self, other) {
            (Amount::Whole(a), Amount::Whole(b)) => a.checked_add(b).map(Amount::Whole).ok_or_else(too_large),
            (a, b) => Ok(Amount::Real(a.real() + b.real())),
        }
    }

    fn least(self, other: Amount) -> Amount {
        match (self, other) {
            (Amount::Whole(a), Amount::Whole(b)) => Amount::Whole(a.min(b)),
            (a, b) if b.real() < a.real() => b,
            (a, _) => a,
        }
    }
}

fn too_large() -> PyErr {
    PyValueError::new_err("a weight does not fit 64 bits")
}

/// The weights of all edges: integers as they are as long as there are no others.
#[derive(Default)]
struct Amounts {
    whole: Vec<i64>,
    real: Vec<f64>,
}

impl Amounts {
    fn push(&mut self, amount: Amount) {
        match amount {
            Amount::Whole(whole) if self.real.is_empty() => self.whole.push(whole),
            _ => {
                self.real.extend(std::mem::take(&mut self.whole).into_iter().map(|whole| whole as f64));
                self.real.push(amount.real());
            }
        }
    }
}

/// Which weight an edge gets.
struct WeightRule<'py> {
    /// The key in the data of an edge.
    key: Bound<'py, PyAny>,
    /// The weight of an edge without the key.
    default: Amount,
    /// Parallel edges have the sum of their weights, else the least.
    sum: bool,
    /// All weights were integers of Python.
    whole: bool,
}

impl<'py> WeightRule<'py> {
    fn single(&mut self, data: &Bound<'py, PyAny>) -> PyResult<Amount> {
        let Some(value) = data.cast::<PyDict>()?.get_item(&self.key)? else { return Ok(self.default) };
        if value.is_exact_instance_of::<PyFloat>() {
            self.whole = false;
            return value.extract().map(Amount::Real);
        }
        if value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyBool>() {
            return value.extract().map(Amount::Whole);
        }
        if value.is_none() {
            return Err(PyTypeError::new_err("a weight is None"));
        }
        // Integers of NumPy are whole numbers, too.
        if value.hasattr("__index__")? {
            return value.extract().map(Amount::Whole);
        }
        self.whole = false;
        value.extract().map(Amount::Real)
    }

    fn of(&mut self, data: &Bound<'py, PyAny>, parallel: bool) -> PyResult<Amount> {
        if !parallel {
            return self.single(data);
        }
        let mut total: Option<Amount> = None;
        for (_, data) in data.cast::<PyDict>()?.iter() {
            let weight = self.single(&data)?;
            total = Some(match total {
                None => weight,
                Some(total) if self.sum => total.plus(weight)?,
                Some(total) => total.least(weight),
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
    let whole_default = default.fract() == 0.0 && default.abs() < (1u64 << 53) as f64;
    let usual = if whole_default { Amount::Whole(default as i64) } else { Amount::Real(default) };
    let mut rule = weight.map(|key| WeightRule { key, default: usual, sum, whole: whole_default });
    let mut offsets: Vec<u64> = Vec::with_capacity(nodes.len() + 1);
    let (mut targets, mut weights): (Vec<u32>, Amounts) = (Vec::new(), Amounts::default());
    offsets.push(0);
    for (_, neighbours) in adjacency.iter() {
        for (neighbour, data) in neighbours.cast::<PyDict>()?.iter() {
            targets.push(numbers.get(&neighbour)?);
            match &mut rule {
                Some(rule) => weights.push(rule.of(&data, parallel)?),
                None if parallel && sum => weights.push(Amount::Whole(data.len()? as i64)),
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

/// The same graph with whole weights of 64 bits, for paths whose lengths 32 bits do not hold.
#[pyfunction]
pub fn with_long_weights(py: Python<'_>, graph: &NativeGraph) -> PyResult<NativeGraph> {
    let built = detached(py, || {
        let out = graph.graph.out();
        let mut offsets = vec![0u64];
        offsets.extend((0..out.vertices() as u32).map(|v| out.range(v).end as u64));
        let targets: Vec<u32> = (0..out.vertices() as u32).flat_map(|v| out.neighbours(v).iter().copied()).collect();
        let weights: Vec<i64> = match out.weights() {
            Weights::Int(weights) => weights.iter().map(|&weight| weight.into()).collect(),
            other => (0..out.edges()).map(|edge| other.real(edge).unwrap_or(1.0) as i64).collect(),
        };
        Graph::from_arrays(Offsets::from_positions(offsets), targets.into(), i64::wrap(weights), Symmetry::Unknown)
    })?;
    Ok(NativeGraph::new(built.map_err(raise_graph)?))
}

fn graph_of(offsets: Vec<u64>, targets: Vec<u32>, weights: Option<Amounts>) -> gw_graph::Result<Graph> {
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
    // The narrowest type that holds all of them.
    let Amounts { whole, real: weights } = weights;
    let (targets, weights) = if whole.iter().any(|w| w.unsigned_abs() >= i32::MAX as u64) {
        sorted::<i64, i64>(&offsets, &targets, &whole, |w| w)
    } else if weights.is_empty() {
        sorted::<i64, i32>(&offsets, &targets, &whole, |w| w as i32)
    } else if weights.iter().all(|&w| w.fract() == 0.0 && w.abs() < f64::from(i32::MAX)) {
        sorted::<f64, i32>(&offsets, &targets, &weights, |w| w as i32)
    } else if weights.iter().all(|&w| f64::from(w as f32) == w) {
        sorted::<f64, f32>(&offsets, &targets, &weights, |w| w as f32)
    } else {
        sorted::<f64, f64>(&offsets, &targets, &weights, |w| w)
    };
    let offsets = Offsets::from_positions(offsets);
    Graph::from_arrays(offsets, targets.into(), weights, Symmetry::Unknown)
}

/// Sorts each list by target, the weights with it.
fn sorted<T: Copy + Sync, W: Weight>(
    offsets: &[u64],
    targets: &[u32],
    weights: &[T],
    narrow: impl Fn(T) -> W + Sync,
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
