//! Device memory with an owner: released when it is dropped.

use std::sync::Arc;

use gw_exec::{ErrorKind, ExecError};

use crate::device::{Address, Device, DeviceError};

/// A piece of device memory.
pub struct Buffer {
    device: Arc<dyn Device>,
    pub(crate) address: Address,
    pub(crate) bytes: usize,
}

impl Buffer {
    /// Memory with whatever was in it. At least one byte, so that every buffer has an address.
    pub fn new(device: &Arc<dyn Device>, bytes: usize) -> Result<Buffer, DeviceError> {
        let address = device.allocate(bytes.max(1))?;
        Ok(Buffer { device: Arc::clone(device), address, bytes })
    }

    /// Memory full of zeros.
    pub fn zeroed(device: &Arc<dyn Device>, bytes: usize) -> Result<Buffer, DeviceError> {
        let bytes = bytes.next_multiple_of(4);
        let buffer = Buffer::new(device, bytes)?;
        device.fill(buffer.address, 0, 4, bytes / 4)?;
        Ok(buffer)
    }

    /// Memory with these contents.
    pub fn with(device: &Arc<dyn Device>, contents: &[u8]) -> Result<Buffer, DeviceError> {
        let buffer = Buffer::new(device, contents.len())?;
        device.upload(buffer.address, contents)?;
        Ok(buffer)
    }

    /// Where it begins.
    pub fn address(&self) -> Address {
        self.address
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.release(self.address);
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.bytes)
    }
}

/// An error of the device as the executor reports it.
pub(crate) fn exec_error(error: DeviceError) -> ExecError {
    match error {
        DeviceError::OutOfMemory { needed, free } => {
            let size = |bytes: u64| gw_graph::memory::human_bytes(bytes.into());
            let (needed, free) = (size(needed), size(free));
            let what = format!("of the memory of the device {needed} more are needed and {free} are free; the run");
            ErrorKind::OutOfMemory { what }.into()
        }
        DeviceError::Lacking(what) => ErrorKind::Unsupported(what).into(),
        // The executable knows whether it was the time limit.
        DeviceError::Stopped => ErrorKind::Cancelled.into(),
        other => ErrorKind::Machine(other.to_string()).into(),
    }
}

/// The bytes of a slice of plain numbers.
pub(crate) fn bytes_of<T: Copy>(slice: &[T]) -> &[u8] {
    // SAFETY: used with integers and floats only, which have no padding; the bytes live as long as the slice.
    unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), std::mem::size_of_val(slice)) }
}
