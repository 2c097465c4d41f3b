//! Graphs: from arrays, edges, files and specs, and back to arrays.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use graphwright::machine::Target;
use graphwright::{Argument, Graph, Observer, StepRecord};
use gw_graph::columns::{Columns, Table};
use gw_graph::format::WriteOptions;
use gw_graph::progress::Silent;
use gw_graph::{
    Adjacency, BuildOptions, EdgeChunk, EdgeList, GraphSpec, Name, Offsets, Symmetry, Weight, build, build_rows,
    with_weights,
};
use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::arrays;
use crate::cache::{Cache, Given, Key};
use crate::columns::{self, GivenColumn};
use crate::errors::{raise, raise_graph};
use crate::outcome::NativeOutcome;
use crate::program::NativeProgram;
use crate::worker::{check_process, detached, left_alone, watched};

/// Edges per chunk of an edge list.
const CHUNK: usize = 1 << 18;

/// A graph over vertices 0, 1, 2, ...
#[pyclass(frozen, module = "graphwright._native")]
pub struct NativeGraph {
    /// The graph.
    pub graph: Graph,
    /// Programs compiled for it.
    pub cache: Arc<Cache>,
}

/// The arrays of an adjacency: offsets, targets, weights.
type Arrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

#[pymethods]
impl NativeGraph {
    /// A graph over CSR arrays, which must be locked against writing. They are checked; unsorted lists are sorted in
    /// a copy.
    #[staticmethod]
    #[pyo3(signature = (indptr, indices, weights=None, directed=None))]
    fn from_csr(
        py: Python<'_>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        directed: Option<bool>,
    ) -> PyResult<Self> {
        let (offsets, targets) = (arrays::offsets(indptr)?, arrays::targets(indices)?);
        let weights = arrays::weights(weights)?;
        let symmetry = if directed == Some(true) { Symmetry::Directed } else { Symmetry::Unknown };
        let graph = detached(py, || gw_graph::Graph::from_arrays(offsets, targets, weights, symmetry))?;
        Ok(Self::new(graph.map_err(raise_graph)?))
    }

    /// A graph of edges between numbered vertices.
    #[staticmethod]
    #[pyo3(signature = (source, target, weights, vertices, directed, keep_loops, parallel, columns))]
    #[expect(clippy::too_many_arguments, reason = "what a graph is made of")]
    fn from_edges(
        py: Python<'_>,
        source: PyReadonlyArray1<'_, u32>,
        target: PyReadonlyArray1<'_, u32>,
        weights: Option<&Bound<'_, PyAny>>,
        vertices: usize,
        directed: bool,
        keep_loops: bool,
        parallel: &str,
        columns: Vec<GivenColumn<'_>>,
    ) -> PyResult<Self> {
        let (source, target) = (source.as_slice()?, target.as_slice()?);
        if source.len() != target.len() {
            let message = format!("{} sources but {} targets", source.len(), target.len());
            return Err(PyValueError::new_err(message));
        }
        let symmetry = if directed { Symmetry::Unknown } else { Symmetry::default() };
        let parallel = parallel.parse().map_err(PyValueError::new_err)?;
        let options = BuildOptions { symmetrise: !directed, keep_loops, symmetry, parallel, ..BuildOptions::default() };
        let table = columns::table(columns, source.len())?;
        let graph = match weights {
            None => {
                let edges = detached(py, || list(vertices, source, target, None::<&[()]>))?;
                left_alone(py, move || built(edges, table, &options))?
            }
            Some(weights) => {
                macro_rules! built_of {
                    ($($type:ty),*) => {
                        $(if let Ok(weights) = weights.extract::<PyReadonlyArray1<'_, $type>>() {
                            let weights = weights.as_slice()?;
                            let edges = detached(py, || list(vertices, source, target, Some(weights)))?;
                            left_alone(py, move || built(edges, table, &options))?
                        } else)* {
                            let needed = "a contiguous array of int32, int64, float32 or float64";
                            return Err(PyTypeError::new_err(format!("weights: {needed} is needed")));
                        }
                    };
                }
                built_of!(i32, f32, i64, f64)
            }
        };
        Ok(Self::new(graph.map_err(raise_graph)?))
    }

    /// The same graph with the columns of a table of its vertices; `rows` has the row of each vertex.
    fn with_vertex_columns(&self, columns: Vec<GivenColumn<'_>>, rows: PyReadonlyArray1<'_, u32>) -> PyResult<Self> {
        let length = columns.first().map_or(Ok(0), |column| column.2.len())?;
        let table = columns::table(columns, length)?;
        let row_of = Arc::new(rows.as_slice()?.to_vec().into());
        let columns = table.map(|table| Arc::new(Columns { table, row_of }));
        Ok(Self::new(self.graph.anew().with_vertex_columns(columns)))
    }

    /// The names of the columns of edges and of vertices.
    fn columns(&self) -> (Vec<String>, Vec<String>) {
        let names = |columns: Option<&Arc<Columns>>| {
            let kept = columns.iter().flat_map(|columns| &columns.table.columns);
            kept.map(|column| column.name.clone()).collect()
        };
        (names(self.graph.edge_columns()), names(self.graph.vertex_columns()))
    }

    /// A graph file or the spec of a generated graph, and the ids in the file: integers, texts or None.
    #[staticmethod]
    fn read<'py>(py: Python<'py>, text: &str) -> PyResult<(Self, Option<Bound<'py, PyAny>>)> {
        gw_dynamic::know_stores();
        let name = text.to_string();
        let loaded = left_alone(py, move || GraphSpec::parse(&name).and_then(|spec| spec.load(&Silent)))?;
        let graph = loaded.map_err(raise_graph)?.graph;
        let ids = match graph.names() {
            None => None,
            Some(names) if names.is_text() => {
                Some(names.iter().map(|name| name.to_string()).collect::<Vec<_>>().into_pyobject(py)?)
            }
            Some(names) => {
                let number = |name: Name<'_>| match name {
                    Name::Signed(id) => Ok(id),
                    Name::Unsigned(id) => i64::try_from(id).map_err(|_| id),
                    Name::Text(_) => Err(0),
                };
                match names.iter().map(number).collect::<Result<Vec<i64>, u64>>() {
                    Ok(ids) => Some(PyArray1::from_vec(py, ids).into_any()),
                    Err(_) => {
                        let wide = names.iter().map(|name| name.to_string().parse::<u64>().unwrap_or(0));
                        Some(PyArray1::from_vec(py, wide.collect()).into_any())
                    }
                }
            }
        };
        Ok((Self::new(Graph::from(graph.with_names(None)).named(text)), ids))
    }

    /// Writes the graph; the name of the file tells the format.
    fn write(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        let written =
            detached(py, || gw_graph::format::write(&self.graph, Path::new(path), &WriteOptions::default(), &Silent))?;
        written.map(|_| ()).map_err(raise_graph)
    }

    /// Number of vertices.
    #[getter]
    fn vertices(&self) -> usize {
        self.graph.vertices()
    }

    /// Number of directed edges as stored: an undirected edge counts twice.
    #[getter]
    fn edges(&self) -> usize {
        self.graph.edges()
    }

    /// Whether every edge has its reverse with the same weight.
    #[getter]
    fn is_symmetric(&self) -> bool {
        self.graph.is_symmetric()
    }

    /// `none`, `int`, `float`, `int64` or `double`.
    #[getter]
    fn weight_kind(&self) -> &'static str {
        self.graph.weight_kind().word()
    }

    /// The least weight.
    #[getter]
    fn least_weight(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        detached(py, || self.graph.least_weight())
    }

    /// The same graph under a name, which messages call it by.
    fn named(&self, name: &str) -> Self {
        NativeGraph { graph: self.graph.clone().named(name), cache: Arc::clone(&self.cache) }
    }

    /// Whether all weights are 1; true without weights.
    fn weighs_one(&self, py: Python<'_>) -> PyResult<bool> {
        let graph = &self.graph;
        detached(py, || with_weights!(graph.out().weights(), none => true, weights => is_one(weights)))
    }

    /// Bytes held.
    #[getter]
    fn bytes(&self) -> usize {
        self.graph.bytes()
    }

    /// Programs that are compiled for the graph and idle.
    #[getter]
    fn kept_programs(&self) -> usize {
        self.cache.count(&self.graph)
    }

    /// Offsets, targets and weights by source, read-only and not copied.
    fn out_arrays<'py>(slf: &Bound<'py, Self>) -> PyResult<Arrays<'py>> {
        let own = slf.get();
        detached(slf.py(), || own.graph.out().load_rows())?.map_err(raise_graph)?;
        arrays_of(slf, own.graph.out())
    }

    /// Offsets, sources and weights by target.
    fn in_arrays<'py>(slf: &Bound<'py, Self>) -> PyResult<Arrays<'py>> {
        let own = slf.get();
        detached(slf.py(), || own.graph.load_incoming()?.load_rows())?.map_err(raise_graph)?;
        arrays_of(slf, own.graph.incoming())
    }

    /// The graph with all edges reversed, over the same arrays.
    fn transposed(&self, py: Python<'_>) -> PyResult<Self> {
        let graph = self.graph.clone();
        let transposed = left_alone(py, move || graph.load_incoming().map(|_| graph.transpose()))?;
        Ok(Self::new(transposed.map_err(raise_graph)?))
    }

    /// The graph with the reverse of every edge.
    fn symmetrised(&self, py: Python<'_>) -> PyResult<Self> {
        let graph = self.graph.clone();
        Ok(Self::new(left_alone(py, move || graph.symmetrised())?.map_err(raise_graph)?))
    }

    /// Number of edges from a vertex to itself.
    fn loops(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || {
            let out = self.graph.out();
            let vertices = (0..out.vertices() as u32).into_par_iter().with_min_len(1 << 10);
            vertices.map(|v| out.neighbours(v).iter().filter(|&&t| t == v).count()).sum()
        })
    }

    /// Runs a program. `arguments` are texts and graphs by name, `inputs` arrays by the names of the vectors they fill.
    #[pyo3(signature = (program, arguments, inputs, device, schedule, timeout, threads, seed, trace, verify, tick))]
    #[allow(clippy::too_many_arguments)]
    fn run(
        &self,
        py: Python<'_>,
        program: &NativeProgram,
        arguments: Vec<(String, Bound<'_, PyAny>)>,
        inputs: &Bound<'_, PyDict>,
        device: &str,
        schedule: Option<String>,
        timeout: Option<f64>,
        threads: usize,
        seed: u64,
        trace: bool,
        verify: bool,
        tick: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<NativeOutcome> {
        let timeout = match timeout {
            Some(limit) if limit > 0.0 => Some(Duration::try_from_secs_f64(limit).unwrap_or(Duration::MAX)),
            Some(limit) => return Err(PyValueError::new_err(format!("timeout: {limit} is not a time in seconds"))),
            None => None,
        };
        let arguments = arguments.iter().map(given).collect::<PyResult<Vec<Given>>>()?;
        let key = key(program, &self.graph, device, threads, schedule, &arguments, seed);
        let mut arrays = std::collections::HashMap::new();
        for (name, array) in inputs.iter() {
            let values = array.extract::<PyReadonlyArray1<'_, f64>>()?;
            arrays.insert(name.extract::<String>()?, values.as_slice()?.to_vec());
        }
        let (graph, cache, program) = (&self.graph, Arc::clone(&self.cache), Arc::clone(&program.program));
        check_process()?;
        // A program that was kept is at hand at once; compiling takes its time without the GIL.
        let mut entry = match cache.kept(&key, graph, &arguments) {
            Some(entry) => entry.map_err(raise)?,
            None => {
                let (cache, key, program, graph) =
                    (Arc::clone(&cache), key.clone(), Arc::clone(&program), graph.clone());
                left_alone(py, move || cache.take(&key, &program, &graph, &arguments))?.map_err(raise)?
            }
        };
        *entry.inputs.lock().unwrap_or_else(PoisonError::into_inner) = arrays;
        let (cancel, quick) = (Arc::clone(&entry.cancel), entry.quick && timeout.is_none() && !verify);
        let work = move || {
            let steps = trace.then(|| Arc::new(Steps::default()));
            let ran = match &steps {
                Some(steps) => entry.prepared.run_observed(Arc::clone(steps) as Arc<dyn Observer>),
                None => entry.prepared.run(),
            };
            let ran = ran.and_then(|outcome| if verify { outcome.verify().map(|()| outcome) } else { Ok(outcome) });
            entry.inputs.lock().unwrap_or_else(PoisonError::into_inner).clear();
            entry.ran(&program, ran.as_ref().map_or(f64::INFINITY, |outcome| outcome.times.counted()));
            cache.put(key, entry);
            let steps = steps.map_or_else(Vec::new, |steps| steps.taken());
            ran.map(|outcome| NativeOutcome { outcome, trace: steps, taken: None })
        };
        let ran = if quick { detached(py, work)? } else { watched(py, &cancel, timeout, tick, work)? };
        ran.map_err(raise)
    }
}

impl NativeGraph {
    /// A graph with nothing compiled for it yet.
    pub fn new(graph: impl Into<Graph>) -> Self {
        let graph = graph.into();
        NativeGraph { cache: Cache::of(&graph), graph }
    }
}

/// What a program is compiled for.
pub fn key(
    program: &NativeProgram,
    graph: &Graph,
    device: &str,
    threads: usize,
    schedule: Option<String>,
    arguments: &[Given],
    seed: u64,
) -> Key {
    let id = |(_, value): &Given| match value {
        Argument::Graph(graph) => Some(graph.id().to_string()),
        Argument::Text(_) => None,
    };
    Key {
        serial: program.serial,
        machine: Target::named(device).threads(threads),
        schedule,
        names: arguments.iter().map(|(name, _)| name.clone()).collect(),
        graphs: arguments.iter().filter_map(id).collect(),
        seed,
        form: Cache::is_shared(graph).then(|| (graph.weight_kind(), graph.is_symmetric())),
    }
}

/// An argument as Python gives it: a text or a graph.
pub fn given((name, value): &(String, Bound<'_, PyAny>)) -> PyResult<Given> {
    if let Ok(graph) = value.cast::<NativeGraph>() {
        return Ok((name.clone(), Argument::Graph(graph.get().graph.clone())));
    }
    Ok((name.clone(), Argument::Text(value.extract::<String>()?)))
}

/// Step records of a run.
#[derive(Default)]
struct Steps(Mutex<Vec<StepRecord>>);

impl Steps {
    fn taken(&self) -> Vec<StepRecord> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Steps {
    fn step(&self, record: &StepRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record.clone());
    }
}

/// An edge list of chunks that are filled in parallel.
fn list<W: Weight>(vertices: usize, source: &[u32], target: &[u32], weights: Option<&[W]>) -> EdgeList<W> {
    let pieces = source.par_chunks(CHUNK).zip(target.par_chunks(CHUNK)).enumerate();
    let chunks = pieces.map(|(at, (source, target))| EdgeChunk {
        edges: source.iter().copied().zip(target.iter().copied()).collect(),
        weights: match weights {
            Some(weights) => weights[at * CHUNK..at * CHUNK + source.len()].to_vec(),
            None => vec![W::default(); source.len()],
        },
    });
    EdgeList { vertices, chunks: chunks.collect() }
}

/// Whether all weights are 1.
fn is_one<W: Weight>(weights: &[W]) -> bool {
    weights.par_iter().with_min_len(1 << 14).all(|weight| weight.real() == 1.0)
}

/// Builds a graph of edges, which keep the rows of a table where there is one.
fn built<W: Weight>(
    edges: EdgeList<W>,
    table: Option<Arc<Table>>,
    options: &BuildOptions,
) -> gw_graph::Result<gw_graph::Graph> {
    match table {
        None => build(edges, options),
        Some(_) => build_rows(edges, table, options),
    }
}

fn arrays_of<'py>(slf: &Bound<'py, NativeGraph>, adjacency: &Adjacency) -> PyResult<Arrays<'py>> {
    fn shown<'py, T: Element>(slf: &Bound<'py, NativeGraph>, items: &[T]) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the graph never changes its arrays, and the array keeps the graph.
        unsafe { arrays::view(items, slf.as_any()) }
    }
    let offsets = match adjacency.offsets() {
        Offsets::Narrow(offsets) => shown(slf, offsets)?,
        Offsets::Wide(offsets) => shown(slf, offsets)?,
    };
    let weights = with_weights!(adjacency.weights(), none => None, weights => Some(shown(slf, weights)?));
    Ok((offsets, shown(slf, adjacency.targets())?, weights))
}
