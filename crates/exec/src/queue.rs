//! Priority queues as the executor sees them: what was asked for, and a state that belongs to the machine.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_ir::meta::QueueMeta;

use crate::error::Result;
use crate::vector::Vector;

/// A priority queue; clones share it.
#[derive(Debug, Clone)]
pub struct Queue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    spec: QueueSpec,
    state: Mutex<Box<dyn QueueState>>,
}

/// What the program asked for when it made the queue.
#[derive(Debug, Clone)]
pub struct QueueSpec {
    /// The priority of vertex `v` is entry `v` of this vector.
    pub priorities: Vector,
    /// Smallest bucket first.
    pub increasing: bool,
    /// Every vertex is queued from the start.
    pub all_vertices: bool,
    /// A vertex that is queued from the start.
    pub start: Option<u32>,
    /// Bucket width of priorities that are whole numbers, at least 1; arguments of the command line are resolved.
    pub delta: u64,
    /// Bucket width of priorities that are reals, greater than 0.
    pub width: f64,
    /// The rest of what schedules say.
    pub meta: QueueMeta,
}

impl QueueSpec {
    /// The bucket width as machines store it in 64 bits: the bits of a real where priorities are reals.
    pub fn width_word(&self) -> u64 {
        if self.priorities.scalar().is_float() { self.width.to_bits() } else { self.delta.max(1) }
    }
}

/// The bucket of a priority that is a real; `word` is [`QueueSpec::width_word`].
#[inline]
pub fn bucket_of_real(priority: f64, word: u64) -> u64 {
    (priority / f64::from_bits(word)) as u64
}

/// The part of a queue that a machine keeps.
pub trait QueueState: Any + Send + fmt::Debug {
    /// No vertex is queued.
    fn finished(&mut self) -> Result<bool>;
    /// The priority of the vertex can no longer change for the better: nothing queued comes before or with its bucket.
    fn finished_node(&mut self, vertex: u32) -> Result<bool>;
    /// The index of the bucket dequeued last, 0 before the first.
    fn current_bucket(&mut self) -> Result<u64>;
    /// Moves vertices to the buckets of their present priorities; one whose priority is the sentinel leaves the queue.
    fn rebucket(&mut self, vertices: &[u32]) -> Result<()>;
    /// Removes and returns the vertices of the best bucket, ascending; none when nothing is queued.
    fn dequeue(&mut self) -> Result<Vec<u32>>;
    /// For the machine to get at its own type.
    fn as_any(&mut self) -> &mut dyn Any;
}

impl Queue {
    /// A queue with the state of a machine.
    pub fn new(spec: QueueSpec, state: Box<dyn QueueState>) -> Queue {
        Queue(Arc::new(Inner { spec, state: Mutex::new(state) }))
    }

    /// What the program asked for.
    pub fn spec(&self) -> &QueueSpec {
        &self.0.spec
    }

    /// The machine's part, locked.
    pub fn state(&self) -> MutexGuard<'_, Box<dyn QueueState>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
