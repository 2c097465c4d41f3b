//! Results that are kept up to date while a graph changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use graphwright::{Graph, How, Incremental, Outcome};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::dynamic::{NativeDynamic, Shared, locked, raise_dynamic};
use crate::errors::raise;
use crate::graph::NativeGraph;
use crate::machines::machine;
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
        let machine = detached(py, || machine(device, threads))?.map_err(raise)?;
        let cancel = Arc::new(AtomicBool::new(false));
        let mut incremental = Incremental::new((*program.program).clone(), update, &machine);
        incremental.args(arguments).cancel(&cancel);
        if let Some(schedule) = schedule {
            incremental.schedule(schedule);
        }
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
            // One update at a time: the next one changes the vectors of this one.
            let mut incremental = incremental.lock().unwrap_or_else(PoisonError::into_inner);
            let (graph, changes) = {
                let mut graph = locked(&shared);
                (Graph::from(graph.graph().map_err(raise_dynamic)?), graph.changes(&token).map_err(raise_dynamic)?)
            };
            let (outcome, how) = incremental.run(&graph, Some(&changes)).map_err(raise)?;
            if verify {
                outcome.verify().map_err(raise)?;
            }
            let taken = take_out(&outcome);
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

/// Copies the results out of the vectors that the next update changes; gives their names.
fn take_out(outcome: &Outcome) -> Vec<String> {
    let standard = graphwright::programs().iter().find(|program| program.name == outcome.program);
    let is_result = |name: &str| standard.is_none_or(|program| program.results.iter().any(|r| r.name == name));
    let globals = outcome.globals().iter().filter(|(name, _)| is_result(name));
    let fixed = globals.filter(|(name, value)| match value.as_vector() {
        // The first look at a vector copies it, whatever its type.
        Some(_) => {
            let _ = outcome.vector::<i32>(name);
            true
        }
        None => value.scalar().is_some(),
    });
    fixed.map(|(name, _)| name.to_string()).collect()
}
