//! Memory that kernels work in and that lasts from kernel to kernel: it is made when a kernel first needs it, and made
//! anew where a later one needs more.

use std::collections::HashMap;
use std::sync::Arc;

use gw_device::{Address, Buffer, Device};
use gw_exec::Result;
use gw_ir::source::Name;

use crate::error::exec_error;

/// The work memory of one executable.
pub(crate) struct WorkMemory {
    device: Arc<dyn Device>,
    /// Round counters of deduplication, and a map for it.
    marks: Option<Buffer>,
    seen: Option<Buffer>,
    /// Words of numbers and rounds, by vector.
    words: HashMap<Name, Option<Buffer>>,
    /// Maps of claimed destinations, by vector.
    visited: HashMap<Name, Option<Buffer>>,
    scratch: Option<Buffer>,
    /// Tables for groups of neighbours: zeros between two kernels.
    tables: Option<Buffer>,
}

impl WorkMemory {
    pub(crate) fn new(device: &Arc<dyn Device>) -> WorkMemory {
        WorkMemory {
            device: Arc::clone(device),
            marks: None,
            seen: None,
            words: HashMap::new(),
            visited: HashMap::new(),
            scratch: None,
            tables: None,
        }
    }

    /// Sets the round counters of deduplication to 0.
    pub(crate) fn clear_counters(&self) -> Result<()> {
        match &self.marks {
            Some(marks) => self.device.fill(marks.address(), 0, 4, marks.bytes() / 4).map_err(exec_error),
            None => Ok(()),
        }
    }

    /// Round counters of deduplication, one per vertex.
    pub(crate) fn counters(&mut self, vertices: usize) -> Result<Address> {
        lasting(&mut self.marks, &self.device, 4 * vertices, true)
    }

    /// A map for deduplication.
    pub(crate) fn seen_map(&mut self, vertices: usize) -> Result<Address> {
        lasting(&mut self.seen, &self.device, vertices + 64, false)
    }

    /// Words of the numbers of a vector with `len` entries and of the rounds of their last changes.
    pub(crate) fn words(&mut self, vector: &Name, len: usize) -> Result<Address> {
        let slot = self.words.entry(vector.clone()).or_default();
        lasting(slot, &self.device, 8 * len.max(1), false)
    }

    /// A map of the destinations that operators have claimed in a vector.
    pub(crate) fn visited_map(&mut self, vector: &Name, vertices: usize) -> Result<Address> {
        let slot = self.visited.entry(vector.clone()).or_default();
        lasting(slot, &self.device, vertices / 8 + 64, false)
    }

    /// A piece of memory for balancers, of `count` words of 32 bits.
    pub(crate) fn scratch(&mut self, count: usize) -> Result<Address> {
        lasting(&mut self.scratch, &self.device, 4 * count, true)
    }

    /// Tables for groups of neighbours.
    pub(crate) fn tables(&mut self, bytes: usize) -> Result<Address> {
        lasting(&mut self.tables, &self.device, bytes, true)
    }
}

/// A buffer that lasts from kernel to kernel and grows when it must.
fn lasting(slot: &mut Option<Buffer>, device: &Arc<dyn Device>, bytes: usize, zero: bool) -> Result<Address> {
    if slot.as_ref().is_none_or(|b| b.bytes() < bytes) {
        *slot = None;
        let made = if zero { Buffer::zeroed(device, bytes) } else { Buffer::new(device, bytes.next_multiple_of(4)) };
        *slot = Some(made.map_err(exec_error)?);
    }
    Ok(slot.as_ref().map_or(Address(0), |b| b.address()))
}
