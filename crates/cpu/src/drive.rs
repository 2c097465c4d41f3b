//! Driving a kernel over a range: chunks for the members of the team, faults, and what the workers produced.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gw_exec::{ErrorKind, ExecError, Result, Stop};
use gw_graph::Adjacency;

use crate::abi::{Fault, Kernel, Worker, slot};
use crate::codegen::FaultSite;
use crate::pool::Pool;
use crate::sharing::Hands;
use crate::team::{Help, Team};

/// The machine's team, with workers of one executable for its members.
pub(crate) struct Crew {
    pool: Pool,
    workers: Vec<Desk>,
    /// The next chunk of each member's part of a range.
    next: Vec<Next>,
    /// The flag of the run that the crew works for: true when the run shall stop, or cannot go on because of a fault.
    stop: Arc<AtomicBool>,
}

/// A counter on cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Next(AtomicUsize);

/// The parts of a range of chunks, one per member. A member begins with its own part, which is about the same one from
/// step to step, so that its caches know it; then it helps with the parts of others.
pub(crate) struct Parts<'a> {
    next: &'a [Next],
    chunks: usize,
}

impl<'a> Parts<'a> {
    /// As many parts as there are counters.
    pub(crate) fn new(next: &'a [Next], chunks: usize) -> Parts<'a> {
        let parts = Parts { next, chunks };
        for (part, next) in next.iter().enumerate() {
            next.0.store(parts.begin(part), Ordering::Relaxed);
        }
        parts
    }

    fn begin(&self, part: usize) -> usize {
        self.chunks * part / self.next.len().max(1)
    }

    /// The chunks that are left for a member, one after another.
    pub(crate) fn of(&self, member: usize) -> impl Iterator<Item = usize> + '_ {
        let own = member.min(self.next.len());
        (own..self.next.len()).chain(0..own).flat_map(move |part| {
            let (end, next) = (self.begin(part + 1), &self.next[part].0);
            std::iter::from_fn(move || {
                // To look first keeps the counter of an empty part in the caches of all.
                let some = next.load(Ordering::Relaxed) < end;
                some.then(|| next.fetch_add(1, Ordering::Relaxed)).filter(|&chunk| chunk < end)
            })
        })
    }
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
    /// The positions in memory ([`Adjacency::positions`]) that a chunk is clipped to, for kernels that look at them.
    fn clip(&self, _chunk: usize) -> (u64, u64) {
        (0, u64::MAX)
    }
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

/// Chunks of lists with about equally many edges. Cut at multiples of `align`: 64 vertices where no two chunks may
/// share a word of a bitmap.
pub(crate) struct ByEdges<'a> {
    pub(crate) offsets: &'a gw_graph::Offsets,
    pub(crate) chunks: usize,
    pub(crate) align: usize,
    /// The lists that may have edges.
    pub(crate) within: std::ops::Range<usize>,
}

impl<'a> ByEdges<'a> {
    /// Chunks of all lists of an adjacency that may have edges.
    pub(crate) fn of(adjacency: &'a Adjacency, chunks: usize) -> ByEdges<'a> {
        ByEdges { offsets: adjacency.offsets(), chunks, align: 64, within: adjacency.walked() }
    }
}

impl ByEdges<'_> {
    fn cut(&self, chunk: usize) -> u64 {
        let (start, end) = (self.within.start, self.within.end);
        // The first chunk may begin before: at a word of a bitmap that is nobody else's.
        if chunk == 0 {
            return (start / self.align * self.align) as u64;
        }
        if chunk >= self.chunks {
            return end as u64;
        }
        // Vertices count a little, too: empty lists also take time.
        let weight = |v: usize| self.offsets.at(v) + v;
        let whole = (weight(end) - weight(start)) as u128;
        let share = weight(start) + (whole * chunk as u128 / self.chunks as u128) as usize;
        let (mut low, mut high) = (start, end);
        while low < high {
            let middle = (low + high) / 2;
            if weight(middle) < share { low = middle + 1 } else { high = middle }
        }
        low.next_multiple_of(self.align).min(end) as u64
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

/// Chunks of queued vertices with about equally many edges.
pub(crate) struct ByDegrees(Vec<u64>);

impl ByDegrees {
    /// About `chunks` of them; fewer when vertices have very many edges.
    pub(crate) fn new(queue: &[u32], adjacency: &Adjacency, chunks: usize) -> ByDegrees {
        const LEAST: usize = 512;
        let work = |v: &u32| adjacency.degree(*v) + 1;
        let share = (queue.iter().map(work).sum::<usize>() / chunks.max(1)).max(LEAST);
        let mut cuts = vec![0];
        let mut gathered = 0;
        for (i, v) in queue.iter().enumerate() {
            gathered += work(v);
            if gathered >= share || i + 1 == queue.len() {
                cuts.push(i as u64 + 1);
                gathered = 0;
            }
        }
        ByDegrees(cuts)
    }
}

impl Chunks for ByDegrees {
    fn count(&self) -> usize {
        self.0.len() - 1
    }
    fn bounds(&self, chunk: usize) -> (u64, u64) {
        (self.0[chunk], self.0[chunk + 1])
    }
}

/// Chunks of about equally many edges: a list may be shared by several.
pub(crate) struct Clipped(Vec<Piece>);

struct Piece {
    range: (u64, u64),
    clip: (u64, u64),
}

/// More pieces than this are not made, whatever grain is asked for.
const MOST_PIECES: usize = 1 << 20;

impl Clipped {
    /// All lists of an adjacency, in pieces of `grain` edges, or in about `pieces`.
    pub(crate) fn vertices(adjacency: &Adjacency, grain: Option<usize>, pieces: usize, least: usize) -> Clipped {
        let (edges, offsets) = (adjacency.edges(), adjacency.offsets());
        let step = Clipped::step(edges, grain, pieces, least);
        // The list that an edge position lies in: the last one that begins at or before it.
        let owner = |edge: usize| {
            let (mut low, mut high) = (0, offsets.lists());
            while low < high {
                let middle = (low + high) / 2;
                if offsets.at(middle + 1) <= edge { low = middle + 1 } else { high = middle }
            }
            low as u64
        };
        let mut cut = Vec::new();
        for begin in (0..edges).step_by(step) {
            let end = (begin + step).min(edges);
            let (first, last) = (owner(begin), owner(end - 1));
            match adjacency.spans() {
                None => cut.push(Piece { range: (first, last + 1), clip: (begin as u64, end as u64) }),
                Some(_) => spread(adjacency, first..last + 1, begin..end, &mut cut),
            }
        }
        Clipped(cut)
    }

    /// The lists of queued vertices: short ones together, long ones in several pieces.
    pub(crate) fn queue(
        queue: &[u32],
        adjacency: &Adjacency,
        grain: Option<usize>,
        pieces: usize,
        least: usize,
    ) -> Clipped {
        let edges = queue.iter().map(|&v| adjacency.degree(v)).sum();
        let step = Clipped::step(edges, grain, pieces, least);
        let mut cut = Vec::new();
        let (mut first, mut gathered) = (0, 0);
        let together = |first: usize, end: usize| Piece { range: (first as u64, end as u64), clip: (0, u64::MAX) };
        for (i, &v) in queue.iter().enumerate() {
            let list = adjacency.positions(v);
            if list.len() > step {
                if first < i {
                    cut.push(together(first, i));
                }
                for begin in list.clone().step_by(step) {
                    let clip = (begin as u64, (begin + step).min(list.end) as u64);
                    cut.push(Piece { range: (i as u64, i as u64 + 1), clip });
                }
                (first, gathered) = (i + 1, 0);
                continue;
            }
            gathered += list.len() + 1;
            if gathered >= step {
                cut.push(together(first, i + 1));
                (first, gathered) = (i + 1, 0);
            }
        }
        if first < queue.len() {
            cut.push(together(first, queue.len()));
        }
        Clipped(cut)
    }

    fn step(edges: usize, grain: Option<usize>, pieces: usize, least: usize) -> usize {
        grain.unwrap_or((edges / pieces).max(64 * least)).max(edges / MOST_PIECES).max(1)
    }
}

/// The edges `edges`, all of them of the lists `lists`, where lists stand apart in memory: lists in the middle are
/// whole, and those at the ends are clipped.
fn spread(adjacency: &Adjacency, lists: std::ops::Range<u64>, edges: std::ops::Range<usize>, cut: &mut Vec<Piece>) {
    let mut whole = lists.start;
    let mut together = |end: u64, cut: &mut Vec<Piece>| {
        if whole < end {
            cut.push(Piece { range: (whole, end), clip: (0, u64::MAX) });
        }
        whole = end + 1;
    };
    let ends = [lists.start, lists.end - 1];
    for v in &ends[..if ends[0] == ends[1] { 1 } else { 2 }] {
        let (list, stands) = (adjacency.range(*v as u32), adjacency.positions(*v as u32));
        let (begin, end) = (edges.start.max(list.start), edges.end.min(list.end));
        if (begin, end) != (list.start, list.end) {
            together(*v, cut);
            let at = |edge: usize| (stands.start + edge - list.start) as u64;
            cut.push(Piece { range: (*v, v + 1), clip: (at(begin), at(end)) });
        }
    }
    together(lists.end, cut);
}

impl Chunks for Clipped {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn bounds(&self, chunk: usize) -> (u64, u64) {
        self.0[chunk].range
    }
    fn clip(&self, chunk: usize) -> (u64, u64) {
        self.0[chunk].clip
    }
}

impl Crew {
    /// A worker for each member of a team, which several crews may share.
    pub(crate) fn new(team: Arc<Mutex<Team>>) -> Crew {
        let pool = Pool::new(team);
        let size = pool.size();
        let workers = (0..size).map(|_| Desk(UnsafeCell::new(Worker::new()))).collect();
        let next = (0..size).map(|_| Next::default()).collect();
        Crew { pool, workers, next, stop: Arc::new(AtomicBool::new(false)) }
    }

    /// Number of members.
    pub(crate) fn size(&self) -> usize {
        self.workers.len()
    }

    /// The team, for what needs no workers.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Wakes the members: there will be work soon.
    pub(crate) fn rouse(&self) {
        self.pool.rouse();
    }

    /// Works for a run from here on: kernels and helpers look at its flag.
    pub(crate) fn heed(&mut self, stop: &Stop) {
        self.stop = Arc::clone(stop.flag());
        let flag = Arc::as_ptr(&self.stop);
        self.workers().for_each(|worker| worker.stop = flag);
    }

    /// The flag of the run.
    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
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

    /// Runs `kernel` over all chunks, alone or with the help of the team.
    ///
    /// # Safety
    /// `words` must hold the inputs that the kernel was compiled for, valid for all indices of the chunks.
    pub(crate) unsafe fn drive(
        &mut self,
        kernel: Kernel,
        words: &[u64],
        chunks: &dyn Chunks,
        hands: Option<Hands>,
        stop: &Stop,
    ) -> Result<()> {
        let counters = &self.next[..hands.map_or(1, |hands| hands.members)];
        let parts = Parts::new(counters, chunks.count());
        let (workers, flag) = (&self.workers, &*self.stop);
        let work = |member: usize| {
            let worker = workers[member].0.get();
            for chunk in parts.of(member) {
                if flag.load(Ordering::Relaxed) {
                    return;
                }
                let ((begin, end), clip) = (chunks.bounds(chunk), chunks.clip(chunk));
                // SAFETY: by the contract of `drive`; the worker is this member's own.
                let fault = unsafe {
                    ((*worker).clip_begin, (*worker).clip_end) = clip;
                    kernel(words.as_ptr(), begin, end, worker);
                    (*worker).fault
                };
                if fault != 0 {
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        match hands {
            None => work(0),
            Some(hands) => self.pool.run(hands, &work),
        }
        stop.check()
    }

    /// Runs `task(member, worker)` on this thread and on members; see [`Team::run`] for who takes part.
    pub(crate) fn with(&mut self, hands: Hands, task: &(dyn Fn(usize, &mut Worker) + Sync)) {
        let workers = &self.workers;
        // SAFETY: member `i` alone uses desk `i` for the time of the task.
        self.pool.run(hands, &|member| task(member, unsafe { &mut *workers[member].0.get() }));
    }

    /// Runs a task that takes its work, of so many pieces, from a common counter, with whoever comes in time.
    pub(crate) fn share(&mut self, pieces: usize, task: &(dyn Fn() + Sync)) {
        self.pool.run(Hands { help: Help::Anyone, members: pieces }, &|_| task());
    }

    /// The first fault of the last task as an error; clears all.
    pub(crate) fn fault(&mut self, sites: &[FaultSite]) -> Result<()> {
        let mut result = Ok(());
        for worker in self.workers() {
            // Who only stopped, because the run shall stop or another worker has a fault, has nothing to report.
            if worker.fault != 0 && worker.fault != Fault::Stopped as u64 && result.is_ok() {
                let site = sites.get(worker.fault_site as usize);
                let span = site.map(|s| s.span).unwrap_or_default();
                result = Err(ExecError::new(error(worker, site), span));
            }
            if std::mem::take(&mut worker.fault) != 0 {
                worker.table.forget();
            }
            worker.marks.forget();
        }
        result
    }

    /// The queues of all workers, in the order of the workers: each then begins near where it was at work.
    pub(crate) fn collect_queues(&mut self) -> Vec<u32> {
        let mut queues = self.workers().filter(|w| w.out_len > 0).map(Worker::take_queue);
        let Some(mut all) = queues.next() else { return Vec::new() };
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

/// The fault of a worker as an error.
fn error(worker: &Worker, site: Option<&FaultSite>) -> ErrorKind {
    let is = |fault: Fault| worker.fault == fault as u64;
    let vertex = worker.fault_value as u32;
    match worker.fault {
        _ if is(Fault::Index) => ErrorKind::IndexOutOfRange {
            index: worker.fault_value,
            len: worker.fault_limit as usize,
            vector: site.map(|s| s.vector.clone()).unwrap_or_default(),
        },
        _ if is(Fault::Vertex) => {
            ErrorKind::VertexOutOfRange { vertex: worker.fault_value, vertices: worker.fault_limit as usize }
        }
        _ if is(Fault::NoOutNeighbours) => ErrorKind::NoNeighbours { vertex: vertex.into(), side: "out" },
        _ if is(Fault::NoInNeighbours) => ErrorKind::NoNeighbours { vertex: vertex.into(), side: "in" },
        _ if is(Fault::Division) => ErrorKind::DivisionByZero,
        _ if is(Fault::Overflow) => ErrorKind::PriorityOverflow,
        code => ErrorKind::Malformed(format!("a kernel ended with the unknown fault {code}")),
    }
}

/// Sets the slots that every kernel has.
pub(crate) fn common_slots(words: &mut [u64], crew: &Crew, vertices: usize) {
    words[slot::STOP] = crew.stop_address();
    words[slot::VERTICES] = vertices as u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every edge of the range lies in exactly one chunk.
    fn edges_of(chunks: &dyn Chunks, adjacency: &Adjacency, vertex: impl Fn(u64) -> u32) -> Vec<u64> {
        let mut edges = Vec::new();
        for chunk in 0..chunks.count() {
            let ((begin, end), (low, high)) = (chunks.bounds(chunk), chunks.clip(chunk));
            for i in begin..end {
                let list = adjacency.range(vertex(i));
                edges.extend((list.start as u64..list.end as u64).filter(|e| (low..high).contains(e)));
            }
        }
        edges.sort_unstable();
        edges
    }

    #[test]
    fn clipped_chunks_hold_every_edge_once() {
        let spec = gw_graph::GraphSpec::parse("kron:7").unwrap();
        let graph = spec.load(&gw_graph::progress::Silent).unwrap().graph;
        let all: Vec<u64> = (0..graph.edges() as u64).collect();
        let queue: Vec<u32> = (0..graph.vertices() as u32).rev().step_by(3).collect();
        let queued: Vec<u64> = {
            let mut edges: Vec<u64> = queue.iter().flat_map(|&v| graph.out().range(v)).map(|e| e as u64).collect();
            edges.sort_unstable();
            edges
        };
        for grain in [None, Some(1), Some(7), Some(100_000)] {
            let chunks = Clipped::vertices(graph.out(), grain, 5, 1);
            assert_eq!(edges_of(&chunks, graph.out(), |i| i as u32), all, "{grain:?}");
            let chunks = Clipped::queue(&queue, graph.out(), grain, 5, 1);
            assert_eq!(edges_of(&chunks, graph.out(), |i| queue[i as usize]), queued, "{grain:?}");
        }
        for pieces in [1, 3, 1000] {
            let chunks = ByDegrees::new(&queue, graph.out(), pieces);
            assert_eq!(edges_of(&chunks, graph.out(), |i| queue[i as usize]), queued, "{pieces}");
        }
        assert_eq!(ByDegrees::new(&[], graph.out(), 4).count(), 0);
    }
}
