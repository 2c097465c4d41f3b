//! Driving a kernel over a range: chunks for the members of the team, faults, and what the workers produced.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use gw_exec::{ErrorKind, ExecError, Result, Stop};

use crate::abi::{Fault, Kernel, Worker, slot};
use crate::codegen::FaultSite;
use crate::team::Team;

/// The team with a worker for each member.
pub(crate) struct Crew {
    team: Team,
    workers: Vec<Desk>,
    stop: Box<AtomicBool>,
}

/// A worker on cache lines of its own.
#[repr(align(128))]
struct Desk(UnsafeCell<Worker>);

// SAFETY: member `i` of the team alone uses desk `i` while a task runs; otherwise the crew is borrowed exclusively.
unsafe impl Sync for Desk {}

/// A cut of a range into chunks.
pub(crate) trait Chunks: Sync {
    /// Number of chunks.
    fn count(&self) -> usize;
    /// Begin and end of a chunk.
    fn bounds(&self, chunk: usize) -> (u64, u64);
}

/// Chunks of equal length.
pub(crate) struct Even {
    pub(crate) length: usize,
    pub(crate) grain: usize,
}

impl Chunks for Even {
    fn count(&self) -> usize {
        self.length.div_ceil(self.grain.max(1))
    }
    fn bounds(&self, chunk: usize) -> (u64, u64) {
        let begin = chunk * self.grain;
        (begin as u64, (begin + self.grain).min(self.length) as u64)
    }
}

/// Chunks of vertices with about equally many edges, cut at multiples of 64 vertices so that no two share a word of a
/// bitmap.
pub(crate) struct ByEdges<'a> {
    pub(crate) offsets: &'a gw_graph::Offsets,
    pub(crate) chunks: usize,
}

impl ByEdges<'_> {
    fn cut(&self, chunk: usize) -> u64 {
        let vertices = self.offsets.lists();
        if chunk >= self.chunks {
            return vertices as u64;
        }
        // Vertices count a little, too: empty lists also take time.
        let weight = |v: usize| self.offsets.at(v) + v;
        let share = (weight(vertices) as u128 * chunk as u128 / self.chunks as u128) as usize;
        let (mut low, mut high) = (0, vertices);
        while low < high {
            let middle = (low + high) / 2;
            if weight(middle) < share { low = middle + 1 } else { high = middle }
        }
        (low.next_multiple_of(64)).min(vertices) as u64
    }
}

impl Chunks for ByEdges<'_> {
    fn count(&self) -> usize {
        self.chunks
    }
    fn bounds(&self, chunk: usize) -> (u64, u64) {
        (self.cut(chunk), self.cut(chunk + 1))
    }
}

impl Crew {
    /// A crew of `size` members.
    pub(crate) fn new(size: usize) -> Crew {
        let team = Team::new(size.max(1));
        let workers = (0..team.size()).map(|_| Desk(UnsafeCell::new(Worker::new()))).collect();
        Crew { team, workers, stop: Box::new(AtomicBool::new(false)) }
    }

    /// Number of members.
    pub(crate) fn size(&self) -> usize {
        self.team.size()
    }

    /// Starts the random numbers of all workers anew. Which worker visits which vertex is not fixed, so that with several
    /// members the same seed need not pick the same neighbours.
    pub(crate) fn seed(&mut self, seed: u64) {
        for (member, worker) in self.workers().enumerate() {
            worker.random = gw_graph::rng::mix(seed ^ (member as u64) << 32);
        }
    }

    /// The worker of a member, between tasks.
    pub(crate) fn worker(&mut self, member: usize) -> &mut Worker {
        self.workers[member].0.get_mut()
    }

    /// All workers, between tasks.
    pub(crate) fn workers(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.workers.iter_mut().map(|desk| desk.0.get_mut())
    }

    /// Address of the stop flag, for the environment of kernels.
    pub(crate) fn stop_address(&self) -> u64 {
        self.stop.as_ptr() as u64
    }

    /// Runs `kernel` over all chunks, alone or with the whole team.
    ///
    /// # Safety
    /// `words` must hold the inputs that the kernel was compiled for, valid for all indices of the chunks.
    pub(crate) unsafe fn drive(
        &mut self,
        kernel: Kernel,
        words: &[u64],
        chunks: &dyn Chunks,
        alone: bool,
        stop: &Stop,
    ) -> Result<()> {
        self.stop.store(false, Ordering::Relaxed);
        let next = AtomicUsize::new(0);
        let (workers, flag) = (&self.workers, &*self.stop);
        let work = |member: usize| {
            let worker = workers[member].0.get();
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                if chunk >= chunks.count() || flag.load(Ordering::Relaxed) {
                    return;
                }
                if member == 0 && stop.check().is_err() {
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
                let (begin, end) = chunks.bounds(chunk);
                // SAFETY: by the contract of `drive`; the worker is this member's own.
                let fault = unsafe {
                    kernel(words.as_ptr(), begin, end, worker);
                    (*worker).fault
                };
                if fault != 0 {
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        if alone {
            work(0)
        } else {
            self.team.run(&work)
        }
        stop.check()
    }

    /// Runs `task(member, worker)` on every member.
    pub(crate) fn each(&mut self, task: &(dyn Fn(usize, &mut Worker) + Sync)) {
        let workers = &self.workers;
        // SAFETY: member `i` alone uses desk `i` for the time of the task.
        self.team.run(&|member| task(member, unsafe { &mut *workers[member].0.get() }));
    }

    /// The first fault of the last task as an error; clears all.
    pub(crate) fn fault(&mut self, sites: &[FaultSite]) -> Result<()> {
        let mut result = Ok(());
        for worker in self.workers() {
            if worker.fault != 0 && result.is_ok() {
                let site = sites.get(worker.fault_site as usize);
                let kind = match worker.fault {
                    f if f == Fault::Index as u64 => ErrorKind::IndexOutOfRange {
                        index: worker.fault_value,
                        len: worker.fault_limit as usize,
                        vector: site.map(|s| s.vector.clone()).unwrap_or_default(),
                    },
                    f if f == Fault::Division as u64 => ErrorKind::DivisionByZero,
                    _ => ErrorKind::Cancelled,
                };
                let span = site.map(|s| s.span).unwrap_or_default();
                result = Err(ExecError::new(kind, span));
            }
            worker.fault = 0;
        }
        result
    }

    /// The queues of all workers, one after another.
    pub(crate) fn collect_queues(&mut self) -> Vec<u32> {
        let mut queues: Vec<Vec<u32>> = self.workers().filter(|w| w.out_len > 0).map(Worker::take_queue).collect();
        let Some(mut all) = queues.pop() else { return Vec::new() };
        all.reserve(queues.iter().map(Vec::len).sum());
        for queue in queues {
            all.extend_from_slice(&queue);
        }
        all
    }

    /// Edges visited and vertices marked since the last call.
    pub(crate) fn collect_counts(&mut self) -> (u64, u64) {
        let (mut edges, mut marked) = (0, 0);
        for worker in self.workers() {
            edges += std::mem::take(&mut worker.edges);
            marked += std::mem::take(&mut worker.marked);
        }
        (edges, marked)
    }
}

/// Sets the slots that every kernel has.
pub(crate) fn common_slots(words: &mut [u64], crew: &Crew, vertices: usize) {
    words[slot::STOP] = crew.stop_address();
    words[slot::VERTICES] = vertices as u64;
}
