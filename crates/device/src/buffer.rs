//! Device memory with an owner: released when it is dropped.

use std::sync::Arc;

use crate::{Address, Device, DeviceError};

/// A piece of device memory.
pub struct Buffer {
    device: Arc<dyn Device>,
    address: Address,
    bytes: usize,
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

    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
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
