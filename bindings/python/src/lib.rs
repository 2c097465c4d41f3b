//! The extension module `graphwright._native`: graphs, programs and runs for Python.
//!
//! The package `graphwright` (Python) stands on this module and on nothing else of Graphwright. This module knows
//! arrays, ids as numbers and texts; names, defaults, documentation and NetworkX's rules live in Python. What NetworkX
//! fixes and no program can promise is here in Rust: the order of a search, labels by classes of colors, squares.

mod arrays;
mod arrow;
mod cache;
mod columns;
mod dynamic;
mod errors;
mod follower;
mod graph;
mod ids;
mod machines;
mod neighbourhoods;
mod networkx;
mod ordered;
mod outcome;
mod program;
mod propagation;
mod sweep;
mod worker;

use pyo3::prelude::*;

/// The compiled part of `graphwright`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arrow::arrow_stream;
    #[pymodule_export]
    use super::dynamic::NativeDynamic;
    #[pymodule_export]
    use super::errors::{DeviceError, GraphwrightError, InternalError, ProgramError, VerificationError};
    #[pymodule_export]
    use super::follower::NativeFollower;
    #[pymodule_export]
    use super::graph::NativeGraph;
    #[pymodule_export]
    use super::ids::{number_integers, number_objects, number_texts};
    #[pymodule_export]
    use super::machines::devices;
    #[pymodule_export]
    use super::neighbourhoods::{common_neighbours, squares};
    #[pymodule_export]
    use super::networkx::{walk_adjacency, with_long_weights};
    #[pymodule_export]
    use super::ordered::{ordered_bfs, ordered_dijkstra};
    #[pymodule_export]
    use super::outcome::NativeOutcome;
    #[pymodule_export]
    use super::program::{NativeProgram, standard_programs};
    #[pymodule_export]
    use super::propagation::propagate_labels;
    #[pymodule_export]
    use super::sweep::sweep;

    use numpy::PyArrayMethods;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // NumPy's functions are looked up now: where Ctrl-C interrupts that later, the crate numpy panics.
        numpy::PyArray1::<u8>::zeros(module.py(), 0, false).try_readonly().map(drop).map_err(PyErr::from)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
