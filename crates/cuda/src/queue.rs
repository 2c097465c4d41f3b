//! Priority queues on the device: what of them the host keeps between kernels.

use std::any::Any;
use std::sync::Arc;

use gw_device::{Address, Buffer, Device};
use gw_exec::{ErrorKind, QueueSpec, QueueState, Result};
use gw_ir::meta::QueueKind;

use crate::error::exec_error;
use crate::set::DeviceSet;

/// Words of a queue in the arguments of a kernel.
pub(crate) const WORDS: usize = 17;

/// Cells of a queue that its kernels share; `priority.cuh` says what for.
const CELLS: usize = 11;

/// Whether a queue keeps a far list.
pub(crate) fn is_near_far(spec: &QueueSpec) -> bool {
    spec.meta.kind == Some(QueueKind::NearFar)
}

/// The C++ type of a queue.
pub(crate) fn type_of(priority: &str, near_far: bool) -> String {
    let kind = if near_far { "gw::NEAR_FAR" } else { "gw::LAZY" };
    format!("gw::Queue<{priority}, {kind}>")
}

/// A queue whose buckets are on the device.
#[derive(Debug)]
pub(crate) struct DeviceQueue {
    pub(crate) pending: Buffer,
    pub(crate) marks: Buffer,
    pub(crate) cells: Buffer,
    /// The bucket width: bits of a real where priorities are reals.
    pub(crate) delta: u64,
    pub(crate) increasing: bool,
    /// The open bucket.
    pub(crate) current: u64,
    pub(crate) turn: u32,
    pub(crate) passes: u32,
    /// Vertices dequeued that the device still counts.
    pub(crate) taken: u64,
    /// Vertices that fell into the open bucket since it was last taken.
    pub(crate) near: Option<DeviceSet>,
    /// Rank that nothing queued comes before, but the near set; 0 when nothing is known.
    bound: u64,
    /// Of a near-far queue.
    far: Option<FarList>,
}

/// The vertices queued outside the near set, as a list.
#[derive(Debug)]
struct FarList {
    /// Two lists, of which a split reads one and fills the other.
    sides: Buffer,
    /// Bits of the vertices that are on it.
    listed: Buffer,
    splits: u32,
}

/// Words that a kernel reports of a queue: the bucket first, then the place of the near set.
pub(crate) const REPORTED: usize = 6;

/// The code of those words, for a queue of this name in the code.
pub(crate) fn reports(queue: &str, near: &str) -> [String; REPORTED] {
    [
        format!("{queue}.current"),
        near.to_string(),
        format!("(unsigned long long){queue}.turn << 32 | {queue}.passes"),
        format!("{queue}.taken"),
        format!("{queue}.bound"),
        format!("{queue}.far.splits"),
    ]
}

/// Where a kernel that goes on takes them up again.
pub(crate) fn taken(queue: &str, near: &str) -> [String; REPORTED] {
    [
        format!("{queue}.current"),
        near.to_string(),
        format!("{queue}.turn, {queue}.passes"),
        format!("{queue}.taken"),
        format!("{queue}.bound"),
        format!("{queue}.far.splits"),
    ]
}

impl DeviceQueue {
    /// An empty queue; a kernel fills it.
    pub(crate) fn new(device: &Arc<dyn Device>, spec: &QueueSpec) -> Result<DeviceQueue> {
        let vertices = spec.priorities.len();
        Ok(DeviceQueue {
            pending: Buffer::zeroed(device, 4 * vertices.div_ceil(32)).map_err(exec_error)?,
            marks: Buffer::zeroed(device, 4 * vertices).map_err(exec_error)?,
            cells: Buffer::zeroed(device, 8 * CELLS).map_err(exec_error)?,
            delta: spec.width_word(),
            increasing: spec.increasing,
            current: 0,
            turn: 0,
            passes: 0,
            taken: 0,
            near: None,
            bound: 0,
            far: match is_near_far(spec) {
                true => Some(FarList {
                    sides: Buffer::new(device, 8 * vertices).map_err(exec_error)?,
                    listed: Buffer::zeroed(device, 4 * vertices.div_ceil(32)).map_err(exec_error)?,
                    splits: 0,
                }),
                false => None,
            },
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
            far: self.far.take(),
            ..*self
        })
    }

    /// What a kernel reported, in the order of [`reports`]; the near set is the caller's business.
    pub(crate) fn note(&mut self, words: &[u64]) {
        if let [current, _, turn, taken, bound, splits, ..] = *words {
            self.current = current;
            (self.turn, self.passes) = ((turn >> 32) as u32, turn as u32);
            self.taken = taken;
            self.bound = bound;
            if let Some(far) = &mut self.far {
                far.splits = splits as u32;
            }
        }
    }

    /// Its words in the arguments of a kernel.
    pub(crate) fn words(&self, priorities: Address, near_place: i32) -> [u64; WORDS] {
        let far = self.far.as_ref();
        [
            priorities.0,
            self.pending.address().0,
            self.marks.address().0,
            self.cells.address().0,
            self.delta,
            self.current,
            u64::MAX,
            u64::from(near_place as u32),
            u64::from(self.increasing),
            0,
            u64::from(self.turn),
            u64::from(self.passes),
            self.taken,
            self.bound,
            far.map_or(0, |far| far.sides.address().0),
            far.map_or(0, |far| far.listed.address().0),
            far.map_or(0, |far| u64::from(far.splits)),
        ]
    }
}

/// The executable answers for the queue: it has the kernels.
fn needs_its_machine<T>() -> Result<T> {
    Err(ErrorKind::Unsupported("a queue on the device is asked through its machine".into()).into())
}

impl QueueState for DeviceQueue {
    fn finished(&mut self) -> Result<bool> {
        needs_its_machine()
    }
    fn finished_node(&mut self, _vertex: u32) -> Result<bool> {
        needs_its_machine()
    }
    fn current_bucket(&mut self) -> Result<u64> {
        Ok(self.current)
    }
    fn rebucket(&mut self, _vertices: &[u32]) -> Result<()> {
        needs_its_machine()
    }
    fn dequeue(&mut self) -> Result<Vec<u32>> {
        needs_its_machine()
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
