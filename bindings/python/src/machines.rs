//! Machines by the names that Python knows them by.

use graphwright::machine::{Machines, Target};
use pyo3::prelude::*;

use crate::worker::detached;

/// The devices that this package knows: name, what it is, and why it cannot be used here (None when it can).
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<(String, String, Option<String>)>> {
    detached(py, || {
        let machines = Machines::standard();
        let tell = machines.iter().map(|kind| {
            let lacks = Target::named(kind.name()).shared(None).err().map(|error| error.to_string());
            (kind.name().to_string(), kind.about().to_string(), lacks)
        });
        tell.collect()
    })
}
