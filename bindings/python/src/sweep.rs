//! One program from many sources: a row per source, their sum, or what distances come to; the cores share the sources.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use graphwright::{Error, Graph, Outcome, Program};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::cache::{Cache, Given, Key};
use crate::errors::raise;
use crate::graph::{NativeGraph, given, key};
use crate::program::NativeProgram;
use crate::worker::watched;

/// What becomes of the results.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// A row per source.
    Rows,
    /// The sum over all sources.
    Sum,
    /// Per source: vertices reached, the sum of distances, the sum of their reciprocals, the greatest distance.
    Reach,
}

/// Numbers per source in [`Form::Reach`].
const FIGURES: usize = 4;

/// Distances of `int` at least this large mean out of reach.
const INFINITE: i32 = i32::MAX;

/// Everything that the threads share.
struct Sweep {
    graph: Graph,
    cache: Arc<Cache>,
    program: Arc<Program>,
    key: Key,
    arguments: Vec<Given>,
    sources: Vec<u32>,
    output: String,
    form: Form,
    cancel: Arc<AtomicBool>,
    next: AtomicUsize,
}

/// Runs a program from each source. Gives rows (`form` "rows"), a sum ("sum") or four figures per source ("reach").
#[pyfunction]
#[pyo3(signature = (graph, program, sources, output, form, arguments, device, timeout, threads, tick))]
#[allow(clippy::too_many_arguments)]
pub fn sweep<'py>(
    py: Python<'py>,
    graph: &NativeGraph,
    program: &NativeProgram,
    sources: PyReadonlyArray1<'py, u32>,
    output: &str,
    form: &str,
    arguments: Vec<(String, Bound<'py, PyAny>)>,
    device: &str,
    timeout: Option<f64>,
    threads: usize,
    tick: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let form = match form {
        "rows" => Form::Rows,
        "sum" => Form::Sum,
        "reach" => Form::Reach,
        other => return Err(PyValueError::new_err(format!("form: `{other}` is none of rows, sum, reach"))),
    };
    let sources = sources.as_slice()?.to_vec();
    let all = if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, usize::from) };
    // A GPU, and few sources, get one run after another.
    let workers = if device == "cpu" && sources.len() >= all { all } else { 1 };
    let per_run = if workers > 1 { 1 } else { threads };
    let mut arguments = arguments.iter().map(given).collect::<PyResult<Vec<Given>>>()?;
    arguments.push(("source".to_string(), graphwright::Argument::Text("0".to_string())));
    let (vertices, count) = (graph.graph.vertices(), sources.len());
    let cancel = Arc::new(AtomicBool::new(false));
    let sweep = Arc::new(Sweep {
        key: key(program, &graph.graph, device, per_run, None, &arguments, 1),
        graph: graph.graph.clone(),
        cache: Arc::clone(&graph.cache),
        program: Arc::clone(&program.program),
        arguments,
        sources,
        output: output.to_string(),
        form,
        cancel: Arc::clone(&cancel),
        next: AtomicUsize::new(0),
    });
    let timeout = timeout.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
    let found = watched(py, &cancel, timeout, tick, move || sweep.run(workers))?.map_err(raise)?;
    let shaped = |values: Vec<f64>, columns: usize| -> PyResult<Bound<'py, PyAny>> {
        Ok(PyArray1::from_vec(py, values).reshape([count, columns])?.into_any())
    };
    match (found, form) {
        (Found::Whole(rows), _) => {
            let rows: Bound<'py, PyArray2<i32>> = PyArray1::from_vec(py, rows).reshape([count, vertices])?;
            Ok(rows.into_any())
        }
        (Found::Real(sum), Form::Sum) => Ok(PyArray1::from_vec(py, sum).into_any()),
        (Found::Real(figures), Form::Reach) => shaped(figures, FIGURES),
        (Found::Real(rows), Form::Rows) => shaped(rows, vertices),
    }
}

/// The results of all sources.
enum Found {
    Whole(Vec<i32>),
    Real(Vec<f64>),
}

impl Sweep {
    /// Shares the sources among the threads.
    fn run(&self, workers: usize) -> graphwright::Result<Found> {
        let (count, vertices) = (self.sources.len(), self.graph.vertices());
        let Some(&first) = self.sources.first() else {
            let length = if self.form == Form::Sum { vertices } else { 0 };
            return Ok(Found::Real(vec![0.0; length]));
        };
        let whole =
            self.form == Form::Rows && self.one(first, |outcome| Ok(outcome.vector::<i32>(&self.output).is_ok()))?;
        if whole {
            let mut rows = vec![0i32; count * vertices];
            let copy = |outcome: &Outcome, row: &mut [i32]| {
                row.copy_from_slice(outcome.vector::<i32>(&self.output)?);
                Ok(())
            };
            self.fill(workers, &mut rows, vertices, &copy)?;
            return Ok(Found::Whole(rows));
        }
        match self.form {
            Form::Rows => {
                let mut rows = vec![0.0; count * vertices];
                self.fill(workers, &mut rows, vertices, &|outcome, row| {
                    row.copy_from_slice(&reals(outcome, &self.output)?);
                    Ok(())
                })?;
                Ok(Found::Real(rows))
            }
            Form::Reach => {
                let mut figures = vec![0.0; count * FIGURES];
                self.fill(workers, &mut figures, FIGURES, &|outcome, row| self.figures(outcome, row))?;
                Ok(Found::Real(figures))
            }
            Form::Sum => self.sum(workers).map(Found::Real),
        }
    }

    /// Fills `width` entries per source.
    fn fill<T: Send>(
        &self,
        workers: usize,
        rows: &mut [T],
        width: usize,
        write: &(dyn Fn(&Outcome, &mut [T]) -> graphwright::Result<()> + Sync),
    ) -> graphwright::Result<()> {
        let work = Mutex::new(self.sources.iter().zip(rows.chunks_mut(width.max(1))));
        let each = || {
            loop {
                let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((&source, row)) = next else { return Ok(()) };
                self.one(source, |outcome| write(outcome, row))?;
            }
        };
        in_parallel(workers, &each).map(|_: Vec<()>| ())
    }

    fn sum(&self, workers: usize) -> graphwright::Result<Vec<f64>> {
        let each = || {
            let mut own = vec![0.0; self.graph.vertices()];
            loop {
                let Some(&source) = self.sources.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return Ok(own) };
                self.one(source, |outcome| {
                    let values = outcome.vector::<f64>(&self.output)?;
                    own.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                    Ok(())
                })?;
            }
        };
        let mut sums = in_parallel(workers, &each)?.into_iter();
        let mut total = sums.next().unwrap_or_default();
        sums.for_each(|own| total.iter_mut().zip(own).for_each(|(sum, value)| *sum += value));
        Ok(total)
    }

    /// One run.
    fn one<T>(&self, source: u32, read: impl FnOnce(&Outcome) -> graphwright::Result<T>) -> graphwright::Result<T> {
        let mut arguments = self.arguments.clone();
        if let Some((_, last)) = arguments.last_mut() {
            *last = graphwright::Argument::Text(source.to_string());
        }
        let mut entry = self.cache.take(&self.key, &self.program, &self.graph, &arguments)?;
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Error::Result("the runs were cancelled".to_string()));
        }
        let outcome = entry.prepared.run();
        self.cache.put(self.key.clone(), entry);
        let outcome = outcome?;
        if outcome.scalar::<bool>("too_long").unwrap_or(false) {
            return Err(Error::Result(format!("a path from {source} is too long: it does not fit the type int")));
        }
        read(&outcome)
    }

    fn figures(&self, outcome: &Outcome, row: &mut [f64]) -> graphwright::Result<()> {
        let mut add = |distance: f64| {
            row[0] += 1.0;
            row[1] += distance;
            row[2] += if distance > 0.0 { 1.0 / distance } else { 0.0 };
            row[3] = row[3].max(distance);
        };
        match outcome.vector::<i32>(&self.output) {
            Ok(hops) => hops.iter().filter(|&&d| (0..INFINITE).contains(&d)).for_each(|&d| add(f64::from(d))),
            Err(_) => {
                let distances = reals(outcome, &self.output)?;
                distances.iter().filter(|d| d.is_finite()).for_each(|&d| add(d));
            }
        }
        Ok(())
    }
}

/// A vector of reals, or of whole numbers of 64 bits as reals, the greatest of which means out of reach.
fn reals<'o>(outcome: &'o Outcome, name: &str) -> graphwright::Result<Cow<'o, [f64]>> {
    let real = |&whole: &i64| if whole == i64::MAX { f64::INFINITY } else { whole as f64 };
    match outcome.vector::<i64>(name) {
        Ok(whole) => Ok(whole.iter().map(real).collect()),
        Err(_) => outcome.vector::<f64>(name).map(Cow::Borrowed),
    }
}

/// Does the same work on several threads; the first error is that of all.
fn in_parallel<T: Send>(
    workers: usize,
    each: &(dyn Fn() -> graphwright::Result<T> + Sync),
) -> graphwright::Result<Vec<T>> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(each)).collect();
        let mut done = vec![each()];
        for other in others {
            done.push(other.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload)));
        }
        done.into_iter().collect()
    })
}
