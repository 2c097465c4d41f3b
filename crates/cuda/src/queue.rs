//! Priority queues on the device: what of them the host keeps between kernels.

use std::any::Any;
use std::sync::Arc;

use gw_exec::{ErrorKind, QueueSpec, QueueState, Result};

use crate::device::{Address, Device};
use crate::memory::{Buffer, exec_error};
use crate::set::DeviceSet;

/// A queue whose buckets are on the device.
#[derive(Debug)]
pub(crate) struct DeviceQueue {
    pub(crate) pending: Buffer,
    pub(crate) marks: Buffer,
    pub(crate) cells: Buffer,
    pub(crate) delta: u64,
    pub(crate) increasing: bool,
    /// The open bucket.
    pub(crate) current: u64,
    pub(crate) turn: u32,
    pub(crate) searches: u32,
    /// Vertices dequeued that the device still counts.
    pub(crate) taken: u64,
    /// Vertices that fell into the open bucket since it was last taken.
    pub(crate) near: Option<DeviceSet>,
}

impl DeviceQueue {
    /// An empty queue; a kernel fills it.
    pub(crate) fn new(device: &Arc<dyn Device>, spec: &QueueSpec) -> Result<DeviceQueue> {
        let vertices = spec.priorities.len();
        Ok(DeviceQueue {
            pending: Buffer::zeroed(device, 4 * vertices.div_ceil(32)).map_err(exec_error)?,
            marks: Buffer::zeroed(device, 4 * vertices).map_err(exec_error)?,
            cells: Buffer::zeroed(device, 40).map_err(exec_error)?,
            delta: spec.delta.max(1),
            increasing: spec.increasing,
            current: 0,
            turn: 0,
            searches: 0,
            taken: 0,
            near: None,
        })
    }

    /// The same queue under a new owner: this one is left empty.
    pub(crate) fn moved(&mut self, device: &Arc<dyn Device>) -> Result<DeviceQueue> {
        let nothing = || Buffer::new(device, 4).map_err(exec_error);
        Ok(DeviceQueue {
            pending: std::mem::replace(&mut self.pending, nothing()?),
            marks: std::mem::replace(&mut self.marks, nothing()?),
            cells: std::mem::replace(&mut self.cells, nothing()?),
            near: self.near.take(),
            ..*self
        })
    }

    /// Its words in the arguments of a kernel.
    pub(crate) fn words(&self, priorities: Address, near_place: i32) -> [u64; 13] {
        [
            priorities.0,
            self.pending.address.0,
            self.marks.address.0,
            self.cells.address.0,
            self.delta,
            self.current,
            u64::MAX,
            u64::from(near_place as u32),
            u64::from(self.increasing),
            0,
            u64::from(self.turn),
            u64::from(self.searches),
            self.taken,
        ]
    }
}

/// The executable answers for the queue: it has the kernels.
fn asked_wrongly<T>() -> Result<T> {
    Err(ErrorKind::Unsupported("a queue on the device is asked through its machine".into()).into())
}

impl QueueState for DeviceQueue {
    fn finished(&mut self) -> Result<bool> {
        asked_wrongly()
    }
    fn finished_node(&mut self, _vertex: u32) -> Result<bool> {
        asked_wrongly()
    }
    fn current_bucket(&mut self) -> Result<u64> {
        Ok(self.current)
    }
    fn rebucket(&mut self, _vertices: &[u32]) -> Result<()> {
        asked_wrongly()
    }
    fn dequeue(&mut self) -> Result<Vec<u32>> {
        asked_wrongly()
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
