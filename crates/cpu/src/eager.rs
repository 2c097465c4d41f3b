//! Ordered loops with eager buckets (delta-stepping): each worker relaxes its share of the current bucket and files
//! improved vertices into buckets of its own.
//!
//! With merging (bucket fusion, Zhang et al., CGO 2020) a worker keeps draining its own part of the current bucket
//! while that is small, without waiting for the others: deep graphs need far fewer rounds.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};

use gw_exec::{
    Condition, Environment, ErrorKind, OperatorOutcome, Queue, QueueSpec, QueueState, Result, Scalar, Value,
};
use gw_ir::meta::QueueKind;

use crate::abi::{Worker, slot};
use crate::codegen::Compiled;
use crate::executable::CpuExecutable;
use crate::ordered::LocalBuckets;

/// Entries of a local bucket that are still drained without waiting, unless the schedule says otherwise.
const MERGE_THRESHOLD: u64 = 1000;
/// The state of an eager queue between the program's questions.
#[derive(Debug)]
pub(crate) struct EagerQueue {
    spec: QueueSpec,
    finished: bool,
    current: u64,
}

impl EagerQueue {
    /// The queue for a specification, if it asks for an eager one.
    pub(crate) fn for_spec(spec: &QueueSpec) -> Result<Option<EagerQueue>> {
        let eager = matches!(spec.meta.kind, Some(QueueKind::Eager | QueueKind::EagerMerge));
        let whole = matches!(spec.priorities.scalar(), Scalar::Int | Scalar::Uint | Scalar::Uint64);
        if !eager || !whole || !spec.increasing || spec.all_vertices {
            return Ok(None);
        }
        Ok(Some(EagerQueue { spec: spec.clone(), finished: spec.start.is_none(), current: 0 }))
    }

    fn priority(&self, vertex: u32) -> Result<u64> {
        match self.spec.priorities.get(vertex as usize) {
            Some(Value::Int(p)) => {
                u64::try_from(p).map_err(|_| ErrorKind::NegativePriority { vertex, priority: f64::from(p) }.into())
            }
            Some(Value::Uint(p)) => Ok(p.into()),
            Some(Value::Uint64(p)) => Ok(p),
            _ => {
                Err(ErrorKind::VertexOutOfRange { vertex: vertex.into(), vertices: self.spec.priorities.len() }.into())
            }
        }
    }
}

impl QueueState for EagerQueue {
    fn finished(&mut self) -> Result<bool> {
        Ok(self.finished)
    }
    fn finished_node(&mut self, vertex: u32) -> Result<bool> {
        Ok(self.finished || self.priority(vertex)? / self.spec.delta.max(1) < self.current)
    }
    fn current_bucket(&mut self) -> Result<u64> {
        Ok(self.current)
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Changes the state of an eager queue.
fn update<R>(queue: &Queue, change: impl FnOnce(&mut EagerQueue) -> R) -> Option<R> {
    queue.state().as_any().downcast_mut::<EagerQueue>().map(change)
}

/// Runs the loop until the condition is false or no vertex is left.
pub(crate) fn run(
    machine: &mut CpuExecutable,
    compiled: &Compiled,
    words: &[u64],
    queue: &Queue,
    condition: Condition<'_>,
    env: &mut Environment,
) -> Result<OperatorOutcome> {
    let spec = queue.spec();
    let delta = spec.delta.max(1);
    let merge = match spec.meta.kind {
        Some(QueueKind::EagerMerge) => match spec.meta.merge_threshold {
            Some(amount) => env.amount(amount)?,
            None => MERGE_THRESHOLD,
        },
        _ => 0,
    };
    let mut buckets: Vec<LocalBuckets> = (0..machine.crew.size()).map(|_| LocalBuckets::new(delta)).collect();
    for (worker, buckets) in machine.crew.workers().zip(&mut buckets) {
        worker.buckets = buckets;
    }
    let mut frontier: Vec<u32> = spec.start.into_iter().collect();
    let mut current = match frontier.first() {
        Some(&start) => update(queue, |q| q.priority(start)).transpose()?.unwrap_or(0) / delta,
        None => 0,
    };
    let mut input = 0u64;
    let result = loop {
        update(queue, |q| {
            q.finished = frontier.is_empty();
            q.current = current;
        });
        match condition(machine, env) {
            Ok(true) if !frontier.is_empty() => {}
            Ok(_) => break Ok(()),
            Err(error) => break Err(error),
        }
        input += frontier.len() as u64;
        relax(machine, compiled, words, &frontier, current, current.saturating_mul(delta), merge);
        if let Err(error) = machine.crew.fault(&compiled.sites).and_then(|()| env.stop.check()) {
            break Err(error);
        }
        frontier.clear();
        let least = machine.crew.workers().filter_map(|w| local(w).least(current)).min();
        if let Some(least) = least {
            current = least;
            for worker in machine.crew.workers() {
                frontier.append(&mut local(worker).take(current));
            }
        }
    };
    for worker in machine.crew.workers() {
        worker.buckets = std::ptr::null_mut();
    }
    let (edges, _) = machine.crew.collect_counts();
    result?;
    Ok(OperatorOutcome { input_size: Some(input), edges: Some(edges), ..Default::default() })
}

/// The buckets of a worker, between tasks.
fn local(worker: &mut Worker) -> &mut LocalBuckets {
    // SAFETY: `run` points every worker to a bucket set that it keeps until it takes the pointers back, and calls this
    // only while no task runs or on the worker's own thread.
    unsafe { &mut *worker.buckets }
}

/// Relaxes the edges of the frontier, then drains small local buckets of the same index.
fn relax(
    machine: &mut CpuExecutable,
    compiled: &Compiled,
    words: &[u64],
    frontier: &[u32],
    current: u64,
    floor: u64,
    merge: u64,
) {
    let members = machine.crew.size();
    let grain = (frontier.len() / (8 * members)).clamp(machine.sharing.least_chunk, 256);
    // A bucket of a few vertices is relaxed by one worker.
    let alone = frontier.len() < machine.sharing.alone_vertices / 32;
    let next = AtomicUsize::new(0);
    let task = |_: usize, worker: &mut Worker| {
        let mut own = words.to_vec();
        own[slot::FLOOR] = floor;
        let mut visit = |vertices: &[u32], worker: &mut Worker| {
            own[slot::QUEUE] = vertices.as_ptr() as u64;
            // SAFETY: the slots hold what the kernel was compiled for, and the range is that of the queue.
            unsafe { (compiled.kernel)(own.as_ptr(), 0, vertices.len() as u64, worker) };
        };
        loop {
            let begin = next.fetch_add(grain, Ordering::Relaxed);
            if begin >= frontier.len() || worker.fault != 0 {
                break;
            }
            visit(&frontier[begin..(begin + grain).min(frontier.len())], worker);
        }
        while worker.fault == 0 {
            let waiting = local(worker).len(current);
            if waiting == 0 || waiting as u64 > merge {
                break;
            }
            let share = local(worker).take(current);
            visit(&share, worker);
        }
    };
    if alone { task(0, machine.crew.worker(0)) } else { machine.crew.each(&task) }
}
