//! Vectors of a run: which copy is right, the host's or the device's.

use std::collections::HashMap;
use std::sync::Arc;

use gw_device::{Address, Buffer, Device, DeviceError};
use gw_exec::{Result, Value, Vector, VectorId};

use crate::context::Context;
use crate::error::exec_error;

struct Copies {
    /// The whole storage, all rows.
    vector: Vector,
    buffer: Buffer,
    host: bool,
    device: bool,
}

/// The vectors of one run that the device knows.
pub(crate) struct Vectors {
    context: Arc<Context>,
    device: Arc<dyn Device>,
    known: HashMap<VectorId, Copies>,
}

impl Vectors {
    pub(crate) fn new(context: &Arc<Context>) -> Vectors {
        Vectors { context: Arc::clone(context), device: Arc::clone(&context.device), known: HashMap::new() }
    }

    /// Forgets all vectors of the last run.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }

    /// The address of a vector's first cell for a kernel, which may write it.
    pub(crate) fn for_kernel(&mut self, vector: &Vector) -> Result<Address> {
        let start = vector.storage_cell(0) * vector.cell_bytes();
        let device = Arc::clone(&self.device);
        let copies = self.copies(vector)?;
        if !copies.device {
            device.upload(copies.buffer.address(), host_bytes(&copies.vector)).map_err(exec_error)?;
            copies.device = true;
        }
        copies.host = false;
        Ok(copies.buffer.address().offset(start))
    }

    /// A new vector that begins on the device.
    pub(crate) fn adopt(&mut self, vector: &Vector, buffer: Buffer) {
        vector.set_watched(true);
        let copies = Copies { vector: vector.storage(), buffer, host: false, device: true };
        self.known.insert(vector.id(), copies);
    }

    fn copies(&mut self, vector: &Vector) -> Result<&mut Copies> {
        use std::collections::hash_map::Entry;
        match self.known.entry(vector.id()) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let whole = vector.storage();
                // A check that fails lets entry 0 stand in, so there is one even in a vector without entries.
                let bytes = (whole.cells() * whole.cell_bytes()).max(8);
                let buffer = Buffer::new(&self.device, bytes).map_err(exec_error)?;
                // Changes are reported only while the vector is watched, which it is not between runs.
                let is_as_made = vector.is_watched();
                vector.set_watched(true);
                let untouched = whole.untouched();
                if let Some(fill) = untouched {
                    fill_cells(&*self.device, buffer.address(), &whole, fill).map_err(exec_error)?;
                }
                let kept = is_as_made && copy_of_kept(&self.context, vector, &buffer).map_err(exec_error)?;
                let device = kept || untouched.is_some();
                let copies = Copies { vector: whole, buffer, host: untouched.is_none(), device };
                Ok(entry.insert(copies))
            }
        }
    }

    /// Brings the host's copy up to date.
    pub(crate) fn fetch(&mut self, vector: &Vector) -> Result<()> {
        let Some(copies) = self.known.get_mut(&vector.id()) else { return Ok(()) };
        if !copies.host {
            let bytes = host_bytes_mut(&copies.vector);
            self.device.download(bytes, copies.buffer.address()).map_err(exec_error)?;
            copies.host = true;
        }
        Ok(())
    }

    /// The host is about to write its copy.
    pub(crate) fn host_writes(&mut self, vector: &Vector) -> Result<()> {
        self.fetch(vector)?;
        if vector.origin().is_some() && !self.known.contains_key(&vector.id()) {
            // From here on it is not what is kept with its graph.
            self.copies(vector)?;
        }
        if let Some(copies) = self.known.get_mut(&vector.id()) {
            copies.device = false;
        }
        Ok(())
    }

    /// One cell, where the device's copy is the right one.
    pub(crate) fn get(&mut self, vector: &Vector, cell: usize) -> Option<Result<Value>> {
        let at = vector.storage_cell(cell);
        let copies = self.known.get(&vector.id()).filter(|c| c.device && !c.host)?;
        let bytes = vector.cell_bytes();
        let mut raw = [0; 8];
        let outcome = self.device.download(&mut raw[..bytes], copies.buffer.address().offset(at * bytes));
        Some(outcome.map_err(exec_error).map(|()| Value::from_bits(vector.scalar(), u64::from_ne_bytes(raw))))
    }

    /// Writes one cell of the device's copy, which then is the right one.
    pub(crate) fn set(&mut self, vector: &Vector, cell: usize, value: &Value) -> Option<Result<()>> {
        if self.known.get(&vector.id()).is_none_or(|c| !c.device) && vector.storage().untouched().is_none() {
            return None;
        }
        let at = vector.storage_cell(cell);
        let bytes = vector.cell_bytes();
        let raw = bits_of(value).to_ne_bytes();
        let device = Arc::clone(&self.device);
        Some(self.copies(vector).and_then(|copies| {
            copies.host = false;
            device.upload(copies.buffer.address().offset(at * bytes), &raw[..bytes]).map_err(exec_error)
        }))
    }

    /// Where a vector lies on the device, without a claim to write it.
    pub(crate) fn for_reading(&mut self, vector: &Vector) -> Result<Address> {
        let host = self.known.get(&vector.id()).is_some_and(|c| c.host);
        let address = self.for_kernel(vector)?;
        if host && let Some(copies) = self.known.get_mut(&vector.id()) {
            copies.host = true;
        }
        Ok(address)
    }
}

/// Fills the buffer of a vector that is worked out from a graph with what is kept here for later runs; false where
/// there is no memory to keep it, or nothing to keep.
fn copy_of_kept(context: &Context, vector: &Vector, buffer: &Buffer) -> std::result::Result<bool, DeviceError> {
    let Some(origin) = vector.origin() else { return Ok(false) };
    let whole = vector.storage();
    let bytes = whole.cells() * whole.cell_bytes();
    if bytes == 0 {
        return Ok(false);
    }
    match context.residency.derived(origin, || host_bytes(&whole)) {
        Err(DeviceError::OutOfMemory { .. }) => Ok(false),
        kept => context.device.copy(buffer.address(), kept?.address(), bytes).map(|()| true),
    }
}

/// Fills cells of 1, 4 or 8 bytes.
fn fill_cells(device: &dyn Device, to: Address, vector: &Vector, fill: u64) -> std::result::Result<(), DeviceError> {
    match vector.cell_bytes() {
        1 => device.fill(to, fill as u32, 1, vector.cells()),
        4 => device.fill(to, fill as u32, 4, vector.cells()),
        _ if fill as u32 == (fill >> 32) as u32 => device.fill(to, fill as u32, 4, 2 * vector.cells()),
        _ => device.upload(to, bytemuck::cast_slice(&vec![fill; vector.cells()])),
    }
}

/// The cells of the host's copy as bytes. A vector without cells has no memory: those over the edges of a graph without
/// edges, for example.
fn host_bytes(vector: &Vector) -> &[u8] {
    if vector.cells() == 0 {
        return &[];
    }
    // SAFETY: the storage has this many cells of this size, and the host touches them only between calls of the machine
    // (invariant of `gw_exec::Vector`).
    unsafe { std::slice::from_raw_parts(vector.as_ptr(), vector.cells() * vector.cell_bytes()) }
}

/// The cells of the host's copy, to be overwritten.
#[expect(clippy::mut_from_ref, reason = "cells are shared by nature; see the invariant of `gw_exec::Vector`")]
fn host_bytes_mut(vector: &Vector) -> &mut [u8] {
    let bytes = vector.cells() * vector.cell_bytes();
    if bytes == 0 {
        return &mut [];
    }
    // SAFETY: as in `host_bytes`; the machine has the cells to itself while it runs.
    unsafe { std::slice::from_raw_parts_mut(vector.as_ptr_to_overwrite(), bytes) }
}

/// A scalar as the bits of a word; 0 for what is no scalar.
pub(crate) fn bits_of(value: &Value) -> u64 {
    value.bits().unwrap_or(0)
}
