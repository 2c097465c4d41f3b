//! Errors of the device as the executor reports them.

use gw_device::DeviceError;
use gw_exec::{ErrorKind, ExecError};

/// An error of the device as the executor reports it.
pub(crate) fn exec_error(error: DeviceError) -> ExecError {
    match error {
        DeviceError::OutOfMemory { needed, free } => {
            let size = |bytes: u64| gw_graph::memory::human_bytes(bytes.into());
            let (needed, free) = (size(needed), size(free));
            let what = format!("of the memory of the device {needed} more are needed and {free} are free; the run");
            ErrorKind::OutOfMemory { what }.into()
        }
        DeviceError::HostMemory(refused) => ErrorKind::Memory(refused).into(),
        DeviceError::Lacking(what) => ErrorKind::Unsupported(what).into(),
        // The executable knows whether it was the time limit.
        DeviceError::Stopped => ErrorKind::Cancelled.into(),
        other => ErrorKind::Machine(other.to_string()).into(),
    }
}
