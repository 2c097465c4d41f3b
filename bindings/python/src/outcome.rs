//! Results of a run as Python sees them.

use graphwright::results::{Entry as Cell, PathNumber};
use graphwright::{Outcome, StepRecord, Value};
use numpy::Element;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::view;
use crate::errors::raise;

/// A finished run.
#[pyclass(frozen, module = "graphwright._native")]
pub struct NativeOutcome {
    /// The run.
    pub outcome: Outcome,
    /// The record of every operator call, where these were asked for.
    pub trace: Vec<StepRecord>,
    /// The results of an update, which also leaves what the next one needs: no others can be had.
    pub taken: Option<Vec<String>>,
}

#[pymethods]
impl NativeOutcome {
    /// The vectors, scalars and vertex sets that the program left, by name, in the order of the program.
    #[getter]
    fn names(&self) -> Vec<(String, &'static str)> {
        let kind = |value: &Value| match value {
            value if value.as_vector().is_some() => Some("vector"),
            value if value.as_set().is_some() => Some("set"),
            value if value.scalar().is_some() => Some("scalar"),
            _ => None,
        };
        let globals = self.outcome.globals().iter().filter(|(name, _)| self.has(name));
        globals.filter_map(|(name, value)| Some((name.to_string(), kind(value)?))).collect()
    }

    /// A result: a read-only array over the memory of the run, or a number.
    fn get<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        let Some(value) = own.outcome.globals().get(name).filter(|_| own.has(name)) else {
            return Err(PyKeyError::new_err(name.to_string()));
        };
        if value.as_vector().is_some() {
            let array = vector::<f64>(slf, name)
                .or_else(|| vector::<i32>(slf, name))
                .or_else(|| vector::<f32>(slf, name))
                .or_else(|| vector::<i64>(slf, name))
                .or_else(|| vector::<u64>(slf, name))
                .or_else(|| vector::<u32>(slf, name))
                .or_else(|| vector::<bool>(slf, name));
            return array.unwrap_or_else(|| Err(raise(own.outcome.vector::<f64>(name).map(|_| ()).unwrap_err())));
        }
        if value.as_set().is_some() {
            let ids = own.outcome.set(name).map_err(raise)?;
            return Ok(numpy::PyArray1::from_vec(py, ids).into_any());
        }
        Ok(match value {
            Value::Int(x) => x.into_pyobject(py)?.into_any(),
            Value::Uint(x) => x.into_pyobject(py)?.into_any(),
            Value::Int64(x) => x.into_pyobject(py)?.into_any(),
            Value::Uint64(x) => x.into_pyobject(py)?.into_any(),
            Value::Float(x) => f64::from(*x).into_pyobject(py)?.into_any(),
            Value::Double(x) => x.into_pyobject(py)?.into_any(),
            Value::Bool(x) => x.into_pyobject(py)?.to_owned().into_any(),
            Value::Str(x) => x.to_string().into_pyobject(py)?.into_any(),
            _ => return Err(PyKeyError::new_err(format!("{name} is neither a number nor a vector"))),
        })
    }

    /// A shortest path to a vertex: its length and its vertices.
    fn path<'py>(&self, py: Python<'py>, target: u32) -> PyResult<Option<(Bound<'py, PyAny>, Vec<u32>)>> {
        let path = py.detach(|| self.outcome.path(target)).map_err(raise)?;
        path.map(|path| Ok((length(py, path.length)?, path.vertices))).transpose()
    }

    /// The vertex before each on a shortest path.
    fn parents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parents = py.detach(|| self.outcome.parents()).map_err(raise)?;
        Ok(numpy::PyArray1::from_vec(py, parents).into_any())
    }

    /// The paths of a program that lists some: lengths and vertices.
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, Vec<u32>)>> {
        let paths = py.detach(|| self.outcome.paths()).map_err(raise)?;
        paths.into_iter().map(|path| Ok((length(py, path.length)?, path.vertices))).collect()
    }

    /// Checks the result of a standard program.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        if self.taken.is_some() {
            return Err(PyValueError::new_err("an update is checked when it is made: update(verify=True)"));
        }
        py.detach(|| self.outcome.verify()).map_err(raise)
    }

    /// The program.
    #[getter]
    fn program(&self) -> &str {
        &self.outcome.program
    }

    /// The machine.
    #[getter]
    fn machine(&self) -> &str {
        &self.outcome.machine
    }

    /// The schedule in canonical text.
    #[getter]
    fn schedule(&self) -> String {
        self.outcome.decision.schedule.to_string()
    }

    /// Why the machine chose its schedule, a sentence per place.
    #[getter]
    fn reasons(&self) -> Vec<String> {
        self.outcome.decision.reasons.iter().map(|reason| format!("{reason:?}")).collect()
    }

    /// Operator calls.
    #[getter]
    fn steps(&self) -> u64 {
        self.outcome.steps
    }

    /// What was not as given.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.outcome.notes.iter().map(ToString::to_string).collect()
    }

    /// What the program printed.
    #[getter]
    fn printed(&self) -> &str {
        &self.outcome.printed
    }

    /// Seconds by part of the run.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let times = &self.outcome.times;
        let seconds = PyDict::new(py);
        seconds.set_item("load", times.load)?;
        seconds.set_item("compile", times.compile)?;
        seconds.set_item("run", times.counted())?;
        seconds.set_item("device", times.device)?;
        Ok(seconds)
    }

    /// Step records: (label, operator, vertices in, vertices out, edges, schedule, seconds).
    #[getter]
    #[allow(clippy::type_complexity)]
    fn trace(&self) -> Vec<(String, String, Option<u64>, Option<u64>, Option<u64>, Option<String>, f64)> {
        let tell = |r: &StepRecord| {
            (r.path.clone(), r.operator.to_string(), r.input, r.output, r.edges, r.schedule.clone(), r.seconds)
        };
        self.trace.iter().map(tell).collect()
    }
}

impl NativeOutcome {
    fn has(&self, name: &str) -> bool {
        self.taken.as_ref().is_none_or(|taken| taken.iter().any(|known| known == name))
    }
}

/// The length of a path as a number of Python.
fn length(py: Python<'_>, length: PathNumber) -> PyResult<Bound<'_, PyAny>> {
    Ok(match length {
        PathNumber::Integer(whole) => whole.into_pyobject(py)?.into_any(),
        PathNumber::Real(real) => real.into_pyobject(py)?.into_any(),
    })
}

/// A vector as an array, if its entries are of this type.
fn vector<'py, T: Cell + Element>(slf: &Bound<'py, NativeOutcome>, name: &str) -> Option<PyResult<Bound<'py, PyAny>>> {
    let items = slf.get().outcome.vector::<T>(name).ok()?;
    // SAFETY: the outcome keeps the entries unchanged, and the array keeps the outcome.
    Some(unsafe { view(items, slf.as_any()) })
}
