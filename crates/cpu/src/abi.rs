//! What generated code and the runtime agree on: the shape of a kernel, of a worker and of the environment.
//!
//! A kernel works on a range. It reads its inputs from an array of 64-bit slots (pointers and scalars) and writes what
//! it produces into its worker. One worker belongs to one thread for the time of an operator.

use std::sync::atomic::AtomicBool;

use crate::groups::Table;
use crate::intersect::Marks;

/// `kernel(environment, begin, end, worker)`.
pub(crate) type Kernel = unsafe extern "C" fn(*const u64, u64, u64, *mut Worker);

/// The per-thread side of an operator call. Generated code knows the offsets of the fields.
#[repr(C)]
pub(crate) struct Worker {
    /// Output queue: start, entries, room. Generated code calls [`grow`] before writing into a full queue.
    pub(crate) out: *mut u32,
    pub(crate) out_len: u64,
    pub(crate) out_room: u64,
    /// Vertices newly marked in an output map.
    pub(crate) marked: u64,
    /// Edges visited.
    pub(crate) edges: u64,
    /// Edge positions outside `clip_begin..clip_end` are not visited: how one long list is shared by several workers.
    pub(crate) clip_begin: u64,
    pub(crate) clip_end: u64,
    /// The first fault: code (0 for none), site, offending value and limit.
    pub(crate) fault: u64,
    pub(crate) fault_site: u64,
    pub(crate) fault_value: i64,
    pub(crate) fault_limit: u64,
    /// State of the random draws of the function that is running.
    pub(crate) random: u64,
    /// Becomes true when the run shall stop: helpers that take long look at it. Set before a kernel is called.
    pub(crate) stop: *const AtomicBool,
    /// Buckets of an eager priority queue, null otherwise.
    pub(crate) buckets: *mut crate::ordered::LocalBuckets,
    /// Groups of the neighbours of the vertex at hand.
    pub(crate) table: Table,
    /// Owner of `out`.
    pub(crate) queue: Vec<u32>,
    /// The neighbours of the vertex at hand, for intersections.
    pub(crate) marks: Marks,
}

/// Kinds of faults that generated code reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Fault {
    /// An index outside its vector.
    Index = 1,
    /// Division by zero.
    Division = 2,
    /// The run was stopped.
    Stopped = 3,
    /// A sum that was to become a priority does not fit its type.
    Overflow = 4,
    /// A vertex outside its graph.
    Vertex = 5,
    /// A random neighbour of a vertex without out-neighbours.
    NoOutNeighbours = 6,
    /// A random neighbour of a vertex without in-neighbours.
    NoInNeighbours = 7,
}

/// Fixed slots of the environment of edge and vertex kernels; the inputs of the functions follow.
pub(crate) mod slot {
    /// Edge offsets.
    pub(crate) const OFFSETS: usize = 0;
    /// Edge targets (sources when pulling).
    pub(crate) const TARGETS: usize = 1;
    /// Edge weights.
    pub(crate) const WEIGHTS: usize = 2;
    /// Ids of a sparse input set.
    pub(crate) const QUEUE: usize = 3;
    /// Map of the input set.
    pub(crate) const FROM_MAP: usize = 4;
    /// Map of the `to` set.
    pub(crate) const TO_MAP: usize = 5;
    /// Map of the output set.
    pub(crate) const OUT_MAP: usize = 6;
    /// One byte per vertex that is already in the output queue.
    pub(crate) const SEEN: usize = 7;
    /// A byte that becomes 1 when the run shall stop.
    pub(crate) const STOP: usize = 8;
    /// Lowest priority that is still of interest in an ordered loop.
    pub(crate) const FLOOR: usize = 9;
    /// Number of vertices.
    pub(crate) const VERTICES: usize = 10;
    /// How often each vertex was met, 32 bits each, all 0 between operators.
    pub(crate) const COUNTS: usize = 11;
    /// What random draws depend on beside the vertex or edge: for the applied function, the `from` and the `to` filter.
    pub(crate) const DRAWS: usize = 12;
    /// The logarithm of the words of dense tables of groups; 0: keys are spread by a hash function.
    pub(crate) const TABLE_BITS: usize = 15;
    /// Number of fixed slots.
    pub(crate) const COUNT: usize = 16;
}

/// The flag of a worker that has not been given one.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Worker {
    pub(crate) fn new() -> Self {
        let mut queue = Vec::new();
        Worker {
            out: queue.as_mut_ptr(),
            out_len: 0,
            out_room: 0,
            marked: 0,
            edges: 0,
            clip_begin: 0,
            clip_end: u64::MAX,
            fault: 0,
            fault_site: 0,
            fault_value: 0,
            fault_limit: 0,
            random: 0,
            stop: &raw const NEVER,
            buckets: std::ptr::null_mut(),
            table: Table::default(),
            queue,
            marks: Marks::default(),
        }
    }

    /// The queue as filled by kernels, leaving an empty one.
    pub(crate) fn take_queue(&mut self) -> Vec<u32> {
        // SAFETY: kernels wrote `out_len <= out_room = capacity` entries at the start of the vector.
        unsafe { self.queue.set_len(self.out_len as usize) };
        let queue = std::mem::take(&mut self.queue);
        self.adopt(Vec::new());
        queue
    }

    /// Gives the worker an empty vector to fill.
    pub(crate) fn adopt(&mut self, mut queue: Vec<u32>) {
        queue.clear();
        self.out = queue.as_mut_ptr();
        self.out_len = 0;
        self.out_room = queue.capacity() as u64;
        self.queue = queue;
    }
}

// SAFETY: a worker is used by one thread at a time; the pointers lead to memory it owns or that the operator call keeps
// alive.
unsafe impl Send for Worker {}

/// Makes room in the output queue of a worker; called by generated code when `out_len == out_room`.
pub(crate) extern "C" fn grow(worker: *mut Worker) {
    // SAFETY: generated code passes the worker it was called with, which nobody else uses meanwhile.
    let worker = unsafe { &mut *worker };
    // SAFETY: as in `take_queue`.
    unsafe { worker.queue.set_len(worker.out_len as usize) };
    worker.queue.reserve(worker.queue.len().max(1 << 10));
    worker.out = worker.queue.as_mut_ptr();
    worker.out_room = worker.queue.capacity() as u64;
}
