//! Machines by the names that Python knows them by: opened once, shared by all runs.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use graphwright::{Machine, MachineOptions, Machines};
use pyo3::prelude::*;

use crate::worker::detached;

/// How a machine is opened: its name and the number of threads, 0 for all cores.
pub type Which = (String, usize);

static OPEN: Mutex<Option<HashMap<Which, Machine>>> = Mutex::new(None);

/// The machine of this name.
pub fn machine(name: &str, threads: usize) -> graphwright::Result<Machine> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    let which = (name.to_string(), threads);
    if let Some(machine) = open.get(&which) {
        return Ok(machine.clone());
    }
    let machine = Machines::standard().open(name, &MachineOptions { threads })?;
    open.insert(which, machine.clone());
    Ok(machine)
}

/// The devices that this package knows: name, what it is, and why it cannot be used here (None when it can).
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<(String, String, Option<String>)>> {
    detached(py, || {
        let machines = Machines::standard();
        let tell = machines.iter().map(|kind| {
            let lacks = machine(kind.name(), 0).err().map(|error| error.to_string());
            (kind.name().to_string(), kind.about().to_string(), lacks)
        });
        tell.collect()
    })
}
