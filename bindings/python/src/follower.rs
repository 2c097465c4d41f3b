//! Results that are kept up to date while a graph changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use graphwright::machine::Target;
use graphwright::{Graph, How, Incremental, Outcome};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::dynamic::{NativeDynamic, Shared, locked, raise_dynamic};
use crate::errors::raise;
use crate::graph::NativeGraph;
use crate::outcome::NativeOutcome;
use crate::program::NativeProgram;
use crate::worker::{detached, watched};

/// A program that follows a graph.
#[pyclass(frozen, module = "graphwright._native")]
pub struct NativeFollower {
    graph: Shared,
    /// The graph notes its changes for us as long as this lives.
    token: Arc<()>,
    incremental: Arc<Mutex<Incremental>>,
    cancel: Arc<AtomicBool>,
}

#[pymethods]
impl NativeFollower {
    /// Follows a graph with a program and its update: the given one, or the one that comes with a standard program.
    #[new]
    #[pyo3(signature = (graph, program, update, arguments, device, threads, schedule))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        graph: &NativeDynamic,
        program: &NativeProgram,
        update: Option<&NativeProgram>,
        arguments: Vec<String>,
        device: &str,
        threads: usize,
        schedule: Option<&str>,
    ) -> PyResult<Self> {
        let update = match update {
            Some(update) => (*update.program).clone(),
            None => match program.program.update() {
                Some(update) => update.map_err(raise)?,
                None => {
                    let name = program.program.name();
                    let message = format!("{name} comes without an update; write one and give it as update=");
                    return Err(PyValueError::new_err(message));
                }
            },
        };
        let cancel = Arc::new(AtomicBool::new(false));
        let job = program.program.job().args(arguments).cancel(&cancel);
        let job = job.target_with(Target::named(device).threads(threads));
        let job = schedule.map_or(job.clone(), |schedule| job.schedule(schedule));
        let incremental = Incremental::new(job, update);
        let token = Arc::new(());
        detached(py, || locked(&graph.shared).follow(&token))?;
        let incremental = Arc::new(Mutex::new(incremental));
        Ok(NativeFollower { graph: Arc::clone(&graph.shared), token, incremental, cancel })
    }

    /// The result on the graph as it is now, how it came about (`updated`, `first` or `again`), and that graph.
    #[pyo3(signature = (timeout, verify, tick))]
    fn update(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        verify: bool,
        tick: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(NativeOutcome, &'static str, NativeGraph)> {
        let timeout = match timeout {
            Some(limit) if limit > 0.0 => Some(Duration::try_from_secs_f64(limit).unwrap_or(Duration::MAX)),
            Some(limit) => return Err(PyValueError::new_err(format!("timeout: {limit} is not a time in seconds"))),
            None => None,
        };
        let (shared, token) = (Arc::clone(&self.graph), Arc::clone(&self.token));
        let (incremental, cancel) = (Arc::clone(&self.incremental), Arc::clone(&self.cancel));
        let work = move || -> PyResult<(NativeOutcome, How, Graph)> {
            // One update at a time: each goes on from the one before.
            let mut incremental = incremental.lock().unwrap_or_else(PoisonError::into_inner);
            let (graph, changes) = {
                let mut graph = locked(&shared);
                (Graph::from(graph.graph().map_err(raise_dynamic)?), graph.changes(&token).map_err(raise_dynamic)?)
            };
            let (outcome, how) = incremental.run(&graph, Some(&changes)).map_err(raise)?;
            if verify {
                outcome.verify().map_err(raise)?;
            }
            let taken = results_of(&outcome);
            Ok((NativeOutcome { outcome, trace: Vec::new(), taken: Some(taken) }, how, graph))
        };
        self.cancel.store(false, Ordering::Relaxed);
        let (outcome, how, graph) = watched(py, &cancel, timeout, tick, work)??;
        let how = match how {
            How::Updated => "updated",
            How::First => "first",
            How::Again => "again",
        };
        Ok((outcome, how, NativeGraph::new(graph)))
    }
}

/// The names of the results: an update also keeps what the next one needs.
fn results_of(outcome: &Outcome) -> Vec<String> {
    let standard = graphwright::programs().iter().find(|program| program.name == outcome.program);
    let is_result = |name: &str| standard.is_none_or(|program| program.results.iter().any(|r| r.name == name));
    let is_value = |value: &graphwright::Value| value.as_vector().is_some() || value.scalar().is_some();
    let globals = outcome.globals().iter().filter(|(name, value)| is_result(name) && is_value(value));
    globals.map(|(name, _)| name.to_string()).collect()
}
