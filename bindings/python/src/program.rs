//! Programs: the standard ones and texts of the user.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use graphwright::{Program, programs};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raise;

/// A checked program.
#[pyclass(frozen, module = "graphwright._native")]
pub struct NativeProgram {
    /// The program.
    pub program: Arc<Program>,
    /// Distinguishes programs in caches.
    pub serial: u64,
}

#[pymethods]
impl NativeProgram {
    /// A program from its text; `name` stands in messages, and paths of files that it uses begin at `folder`.
    #[staticmethod]
    #[pyo3(signature = (name, text, folder=None))]
    fn parse(name: &str, text: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        let program = match folder {
            Some(folder) => Program::parse_in(name, text, &folder),
            None => Program::parse(name, text),
        };
        program.map(Self::new).map_err(raise)
    }

    /// The file of a program, with the files that it uses.
    #[staticmethod]
    fn open(name: &str, path: PathBuf) -> PyResult<Self> {
        Program::open(name, &path).map(Self::new).map_err(raise)
    }

    /// A standard program, or the file of a program by its path.
    #[staticmethod]
    fn find(name: &str) -> PyResult<Self> {
        Program::find(name).map(Self::new).map_err(raise)
    }

    /// The name shown to people.
    #[getter]
    fn name(&self) -> String {
        self.program.name().to_string()
    }

    /// The text.
    #[getter]
    fn text(&self) -> String {
        self.program.file().text.to_string()
    }

    /// The results of a standard program as (name, type, meaning, entries are vertices); None for a program of one's
    /// own.
    #[getter]
    fn results(&self) -> Option<Vec<(String, String, String, bool)>> {
        let standard = self.program.as_standard()?;
        let results = standard.results.iter();
        let tell = results.map(|r| (r.name.to_string(), r.ty.to_string(), r.meaning.to_string(), r.holds_vertices));
        Some(tell.collect())
    }

    /// The names of the vectors with an entry per edge of the graph.
    #[getter]
    fn edge_valued(&self) -> Vec<String> {
        self.program.edge_vectors().map(str::to_string).collect()
    }

    /// Whether a check of the result comes with the program.
    #[getter]
    fn is_standard(&self) -> bool {
        self.program.as_standard().is_some()
    }
}

impl NativeProgram {
    fn new(program: Program) -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        NativeProgram { program: Arc::new(program), serial: SERIAL.fetch_add(1, Ordering::Relaxed) }
    }
}

/// What is known about each standard program, for documentation: a dictionary per program.
#[pyfunction]
pub fn standard_programs(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let tell = |program: &'static graphwright::StandardProgram| {
        let entry = PyDict::new(py);
        entry.set_item("name", program.name)?;
        entry.set_item("summary", program.summary)?;
        entry.set_item("header", program.header())?;
        let args = program.args.iter().map(|arg| (arg.name, arg.meaning, arg.default));
        entry.set_item("arguments", args.collect::<Vec<_>>())?;
        let results = program.results.iter().map(|r| (r.name, r.ty, r.meaning));
        entry.set_item("results", results.collect::<Vec<_>>())?;
        entry.set_item("needs_weights", program.needs_weights)?;
        entry.set_item("needs_symmetric", program.needs_symmetric)?;
        Ok(entry)
    };
    programs().iter().map(tell).collect()
}
