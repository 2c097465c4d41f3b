//! Graphs that change by batches of edges.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use graphwright::Changes;
use gw_dynamic::{Applied, Batch, ChangedEdge, Difference, DynamicError, DynamicGraph, EdgeWeight, Ends, OnRepeat};
use gw_graph::{Graph, GraphError, WeightKind, Weights, with_weight_type};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays;
use crate::errors::raise_graph;
use crate::graph::NativeGraph;
use crate::worker::detached;

/// A graph that changes, shared by the object of Python and those who follow it.
pub type Shared = Arc<Mutex<Box<dyn Changing>>>;

/// Edges that came, went, and got another weight; an undirected edge counts once.
type Counts = (usize, usize, usize);

/// A graph that changes, whatever its weights are.
pub trait Changing: Send {
    fn vertices(&self) -> usize;
    /// Edges as stored, and those among them that lead from a vertex to itself.
    fn edges(&self) -> (usize, usize);
    fn version(&self) -> u64;
    fn bytes(&self) -> usize;
    fn is_undirected(&self) -> bool;
    fn weight_kind(&self) -> WeightKind;
    /// Adds vertices without edges.
    fn grow(&mut self, vertices: usize) -> gw_dynamic::Result<()>;
    /// Applies a batch of insertions, or of deletions where there is nothing to do on repetition.
    fn apply(&mut self, ends: (&[u32], &[u32]), weights: &Weights, on: Option<OnRepeat>) -> gw_dynamic::Result<Counts>;
    /// Takes all edges of a vertex away.
    fn isolate(&mut self, vertex: u32) -> gw_dynamic::Result<Counts>;
    /// The graph as it is now, its lists where they stand.
    fn graph(&self) -> gw_dynamic::Result<Graph>;
    /// Begins to note changes for the holder of a token, for as long as there is one.
    fn follow(&mut self, token: &Arc<()>);
    /// The changes since the last call for this token.
    fn changes(&mut self, token: &Arc<()>) -> gw_dynamic::Result<Changes>;
}

/// A graph with one type of weights, and what changed since each follower last asked.
struct Kept<W: EdgeWeight> {
    graph: DynamicGraph<W>,
    notes: Vec<(Weak<()>, Difference<W>)>,
}

impl<W: EdgeWeight> Kept<W> {
    fn boxed(graph: DynamicGraph<W>) -> Box<dyn Changing>
    where
        Self: Changing + 'static,
    {
        Box::new(Kept { graph, notes: Vec::new() })
    }

    fn note(&mut self, applied: Applied<W>) -> Counts {
        let twice = self.is_mirrored();
        let once = |edge: &&ChangedEdge<W>| !twice || edge.source <= edge.target;
        let count = |what: fn(&ChangedEdge<W>) -> bool| applied.changes.iter().filter(once).filter(|e| what(e)).count();
        let counts = (
            count(|edge| edge.old.is_none()),
            count(|edge| edge.new.is_none()),
            count(|edge| edge.old.is_some() && edge.new.is_some()),
        );
        self.notes.retain(|(token, _)| token.strong_count() > 0);
        for (_, notes) in &mut self.notes {
            notes.add(applied.changes.clone());
        }
        counts
    }

    fn is_mirrored(&self) -> bool {
        self.graph.ends() == Ends::Undirected
    }
}

impl<W: EdgeWeight + 'static> Changing for Kept<W> {
    fn vertices(&self) -> usize {
        self.graph.vertices()
    }

    fn edges(&self) -> (usize, usize) {
        let now = self.graph.snapshot();
        let vertices = (0..now.vertices() as u32).into_par_iter().with_min_len(1 << 12);
        (now.edges(), vertices.filter(|&v| now.neighbours(v).binary_search(&v).is_ok()).count())
    }

    fn version(&self) -> u64 {
        self.graph.version()
    }

    fn bytes(&self) -> usize {
        self.graph.occupancy().bytes
    }

    fn is_undirected(&self) -> bool {
        self.is_mirrored()
    }

    fn weight_kind(&self) -> WeightKind {
        W::KIND
    }

    fn grow(&mut self, vertices: usize) -> gw_dynamic::Result<()> {
        self.graph.grow(vertices)
    }

    fn apply(&mut self, ends: (&[u32], &[u32]), weights: &Weights, on: Option<OnRepeat>) -> gw_dynamic::Result<Counts> {
        let edges = ends.0.iter().zip(ends.1);
        let mut batch = Batch::new();
        match (on, W::slice(weights)) {
            (None, _) => edges.for_each(|(&source, &target)| {
                batch.delete(source, target);
            }),
            (Some(on_repeat), Some(weights)) => {
                batch.on_repeat(on_repeat);
                let weight = |at: usize| weights.get(at).copied().unwrap_or_default();
                edges.enumerate().for_each(|(at, (&source, &target))| {
                    batch.insert(source, target, weight(at));
                });
            }
            (Some(_), None) => {
                let message = "the weights are of another type than those of the graph";
                return Err(GraphError::Malformed(message.to_string()).into());
            }
        }
        let applied = self.graph.apply(&batch)?;
        Ok(self.note(applied))
    }

    fn isolate(&mut self, vertex: u32) -> gw_dynamic::Result<Counts> {
        let applied = self.graph.isolate(vertex)?;
        Ok(self.note(applied))
    }

    fn graph(&self) -> gw_dynamic::Result<Graph> {
        self.graph.snapshot().graph()
    }

    fn follow(&mut self, token: &Arc<()>) {
        self.notes.push((Arc::downgrade(token), Difference::default()));
    }

    fn changes(&mut self, token: &Arc<()>) -> gw_dynamic::Result<Changes> {
        let (vertices, symmetric) = (self.graph.vertices(), self.is_mirrored());
        let notes = self.notes.iter_mut().find(|(known, _)| std::ptr::eq(known.as_ptr(), Arc::as_ptr(token)));
        let notes = notes.map(|(_, notes)| std::mem::take(notes)).unwrap_or_default();
        let (inserted, deleted) = (notes.inserted(vertices)?, notes.deleted(vertices)?);
        Ok(Changes { inserted: inserted.into(), deleted: deleted.into(), symmetric })
    }
}

/// A graph that changes, over vertices 0, 1, 2, ...
#[pyclass(frozen, module = "graphwright._native")]
pub struct NativeDynamic {
    /// The graph.
    pub shared: Shared,
}

#[pymethods]
impl NativeDynamic {
    /// A graph without edges; `weights` is `none`, `int`, `float`, `int64` or `double`.
    #[new]
    fn new(vertices: usize, directed: bool, weights: &str) -> PyResult<Self> {
        let ends = ends(directed);
        let kind = match weights {
            "none" => WeightKind::None,
            other => other.parse().map_err(|error: String| PyValueError::new_err(format!("weights: {error}")))?,
        };
        let made = with_weight_type!(kind, W => DynamicGraph::<W>::new(vertices, ends).map(Kept::boxed));
        made.map(Self::of).map_err(raise_dynamic)
    }

    /// A graph with the edges of another.
    #[staticmethod]
    fn from_graph(py: Python<'_>, graph: &NativeGraph, directed: bool) -> PyResult<Self> {
        let (graph, ends) = (&graph.graph, ends(directed));
        let made = detached(
            py,
            || with_weight_type!(graph.weight_kind(), W => DynamicGraph::<W>::from_graph(graph, ends).map(Kept::boxed)),
        )?;
        made.map(Self::of).map_err(raise_dynamic)
    }

    /// Inserts edges in one batch; the graph grows to the greatest vertex. `on_repeat` says what happens to the weight
    /// of an edge that is there.
    #[pyo3(signature = (source, target, weights, on_repeat))]
    fn insert(
        &self,
        py: Python<'_>,
        source: PyReadonlyArray1<'_, u32>,
        target: PyReadonlyArray1<'_, u32>,
        weights: Option<&Bound<'_, PyAny>>,
        on_repeat: &str,
    ) -> PyResult<Counts> {
        let on_repeat = match on_repeat {
            "keep" => OnRepeat::Keep,
            "replace" => OnRepeat::Replace,
            "least" => OnRepeat::Least,
            "sum" => OnRepeat::Sum,
            other => {
                let message = format!("on_repeat: `{other}` is none of keep, replace, least, sum");
                return Err(PyValueError::new_err(message));
            }
        };
        let weights = arrays::weights(weights)?;
        let ends = both(&source, &target)?;
        let greatest = ends.0.iter().chain(ends.1).max().map_or(0, |&vertex| vertex as usize + 1);
        self.changed(py, |graph| {
            graph.grow(greatest.max(graph.vertices()))?;
            graph.apply(ends, &weights, Some(on_repeat))
        })
    }

    /// Deletes edges in one batch.
    fn delete(
        &self,
        py: Python<'_>,
        source: PyReadonlyArray1<'_, u32>,
        target: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Counts> {
        let ends = both(&source, &target)?;
        self.changed(py, |graph| graph.apply(ends, &Weights::None, None))
    }

    /// Takes all edges of a vertex away.
    fn isolate(&self, py: Python<'_>, vertex: u32) -> PyResult<Counts> {
        self.changed(py, |graph| graph.isolate(vertex))
    }

    /// Adds vertices without edges until there are so many.
    fn grow(&self, py: Python<'_>, vertices: usize) -> PyResult<()> {
        self.changed(py, |graph| graph.grow(vertices))
    }

    /// The graph as it is now; later batches do not change it.
    fn snapshot(&self, py: Python<'_>) -> PyResult<NativeGraph> {
        self.changed(py, |graph| graph.graph()).map(NativeGraph::new)
    }

    /// Number of vertices.
    #[getter]
    fn vertices(&self, py: Python<'_>) -> PyResult<usize> {
        self.changed(py, |graph| Ok(graph.vertices()))
    }

    /// Number of directed edges as stored, and of edges from a vertex to itself.
    #[getter]
    fn edges(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.changed(py, |graph| Ok(graph.edges()))
    }

    /// Number of batches so far.
    #[getter]
    fn version(&self, py: Python<'_>) -> PyResult<u64> {
        self.changed(py, |graph| Ok(graph.version()))
    }

    /// Bytes held.
    #[getter]
    fn bytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.changed(py, |graph| Ok(graph.bytes()))
    }

    /// `none`, `int`, `float`, `int64` or `double`.
    #[getter]
    fn weight_kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.changed(py, |graph| Ok(graph.weight_kind().word()))
    }
}

impl NativeDynamic {
    fn of(graph: Box<dyn Changing>) -> Self {
        NativeDynamic { shared: Arc::new(Mutex::new(graph)) }
    }

    /// Waits for the graph and works with it, both without the GIL.
    fn changed<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Changing) -> gw_dynamic::Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || work(&mut **locked(&self.shared)))?.map_err(raise_dynamic)
    }
}

/// The graph, for this thread alone.
pub fn locked(shared: &Shared) -> MutexGuard<'_, Box<dyn Changing>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ends(directed: bool) -> Ends {
    if directed { Ends::Directed } else { Ends::Undirected }
}

fn both<'a>(
    source: &'a PyReadonlyArray1<'_, u32>,
    target: &'a PyReadonlyArray1<'_, u32>,
) -> PyResult<(&'a [u32], &'a [u32])> {
    let (source, target) = (source.as_slice()?, target.as_slice()?);
    if source.len() != target.len() {
        let message = format!("{} sources but {} targets", source.len(), target.len());
        return Err(PyValueError::new_err(message));
    }
    Ok((source, target))
}

/// The exception for an error of a graph that changes.
pub fn raise_dynamic(error: DynamicError) -> PyErr {
    match error {
        DynamicError::Graph(error) => raise_graph(error),
        DynamicError::Memory(error) => PyMemoryError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}
