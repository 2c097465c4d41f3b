//! Ordered loops with eager buckets (delta-stepping): each worker relaxes its share of the current bucket and files
//! improved vertices into buckets of its own.
//!
//! A round has one barrier. The current bucket is not copied together: its pieces are handed out where they lie, cut
//! by edges when there are hubs, so that one of them does not keep everyone waiting. With merging (bucket fusion,
//! Zhang et al., CGO 2020) a worker keeps draining its own part of the current bucket while that is small, without
//! waiting for the others: deep graphs need far fewer rounds.

use std::any::Any;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use gw_exec::{Condition, Environment, ErrorKind, OperatorOutcome, Queue, QueueSpec, QueueState, Result};
use gw_graph::Adjacency;
use gw_ir::meta::QueueKind;

use crate::abi::{Worker, slot};
use crate::codegen::{Compiled, Source};
use crate::drive::{Next, Parts};
use crate::executable::CpuExecutable;
use crate::fetch::Ahead;
use crate::lazy::{Keys, LazyQueue, NONE};
use crate::ordered::{Entry, LocalBuckets, tag};
use crate::pool::Pool;
use crate::sharing::Sharing;
use crate::tuning::{BUCKET_PIECE, FETCH_BLOCK, FEW_ENTRIES, HUB_EDGES, MANY_ENTRIES, MERGE_THRESHOLD};

/// No edge position is left out.
const WHOLE: (u64, u64) = (0, u64::MAX);

/// The state of an eager queue between the program's questions.
#[derive(Debug)]
pub(crate) struct EagerQueue {
    pool: Pool,
    spec: QueueSpec,
    keys: Keys,
    /// The bucket dequeued last.
    current: Option<u64>,
    held: Held,
}

/// Where an eager queue keeps its vertices.
#[derive(Debug)]
enum Held {
    /// Vertices with the bucket that each was put into; those with another priority since do not count.
    Listed(Vec<(u32, u64)>),
    /// With the loop that is running; the best bucket that it knows of.
    Running(Option<u64>),
    /// Where a loop left them: the entries of the best bucket, and those of the others.
    Left { best: u64, shares: Vec<Vec<Entry>>, buckets: Vec<LocalBuckets> },
    /// In a queue of the other kind: the loop is not compiled, or vertices are moved one by one.
    Plain(LazyQueue),
}

impl EagerQueue {
    /// The queue for a specification, if it asks for an eager one. As in every queue, each vertex that has a priority
    /// is in it. `None` also when a priority is negative, which the other kind of queue reports.
    pub(crate) fn for_spec(spec: &QueueSpec, pool: &Pool) -> Option<EagerQueue> {
        let eager = matches!(spec.meta.kind, Some(QueueKind::Eager | QueueKind::EagerMerge));
        if !eager || !spec.increasing || spec.all_vertices {
            return None;
        }
        let keys = Keys::of_buckets(spec);
        let held = Held::Listed(keys.all(pool).ok()?);
        Some(EagerQueue { pool: pool.clone(), spec: spec.clone(), keys, current: None, held })
    }

    /// The vertices in the queue with their buckets, none of them twice. Not for a queue whose loop is running.
    fn members(&mut self) -> Result<Vec<(u32, u64)>> {
        let mut members = match &mut self.held {
            Held::Listed(members) => std::mem::take(members),
            Held::Plain(plain) => {
                let members = plain.members()?;
                return members.into_iter().map(|v| Ok((v, self.keys.of(v)?))).collect();
            }
            Held::Left { best, shares, buckets } => {
                // An entry with another priority than its vertex is stale.
                let keys = &self.keys;
                let counts = |e: &Entry| tag(keys.bits(*e as u32)) == (*e >> 32) as u32;
                let mut members = Vec::new();
                let mut list = |entries: &[Entry], bucket| {
                    members.extend(entries.iter().filter(|e| counts(e)).map(|&e| (e as u32, bucket)));
                };
                shares.iter().for_each(|share| list(share, *best));
                for local in buckets {
                    let (mut from, mut entries) = (*best, Vec::new());
                    while let Some(bucket) = local.least(from) {
                        local.take(bucket, &mut entries);
                        list(&entries, bucket);
                        entries.clear();
                        from = bucket;
                    }
                }
                members.sort_unstable();
                members.dedup();
                members
            }
            Held::Running(_) => return Err(changed_by_condition()),
        };
        let mut failure = Ok(());
        members.retain(|&(vertex, bucket)| match self.keys.of(vertex) {
            Ok(key) => key == bucket,
            Err(error) => {
                failure = Err(error);
                false
            }
        });
        failure.map(|()| members)
    }

    /// The members, for a loop that begins.
    fn start(&mut self) -> Result<Vec<(u32, u64)>> {
        let members = self.members()?;
        if let Held::Plain(plain) = &mut self.held {
            self.current = Some(plain.current_bucket()?);
        }
        Ok(members)
    }

    /// The members, listed.
    fn listed(&mut self) -> Result<&[(u32, u64)]> {
        let members = self.members()?;
        self.held = Held::Listed(members);
        match &self.held {
            Held::Listed(members) => Ok(members),
            _ => Ok(&[]),
        }
    }

    /// The members in a queue that moves them one by one.
    fn plain(&mut self) -> Result<&mut LazyQueue> {
        if !matches!(self.held, Held::Plain(_)) {
            let members = self.members()?;
            self.held = Held::Plain(LazyQueue::holding(&self.spec, &members, self.current, &self.pool));
        }
        match &mut self.held {
            Held::Plain(plain) => Ok(plain),
            _ => Err(ErrorKind::Malformed("a queue vanished".to_string()).into()),
        }
    }
}

#[cold]
fn changed_by_condition() -> gw_exec::ExecError {
    ErrorKind::Unsupported("the condition of an eager loop cannot change its queue: use `update=lazy`".to_string())
        .into()
}

impl QueueState for EagerQueue {
    fn finished(&mut self) -> Result<bool> {
        match &mut self.held {
            Held::Plain(plain) => plain.finished(),
            Held::Running(best) => Ok(best.is_none()),
            _ => self.listed().map(<[_]>::is_empty),
        }
    }
    fn finished_node(&mut self, vertex: u32) -> Result<bool> {
        let best = match &mut self.held {
            Held::Plain(plain) => return plain.finished_node(vertex),
            Held::Running(best) => *best,
            _ => self.listed()?.iter().map(|&(_, bucket)| bucket).min(),
        };
        // The key of a vertex without a priority is greater than all buckets.
        best.map_or(Ok(true), |best| Ok(self.keys.of(vertex)? < best))
    }
    fn current_bucket(&mut self) -> Result<u64> {
        match &mut self.held {
            Held::Plain(plain) => plain.current_bucket(),
            _ => Ok(self.current.unwrap_or(0)),
        }
    }
    fn rebucket(&mut self, vertices: &[u32]) -> Result<()> {
        self.plain()?.rebucket(vertices)
    }
    fn dequeue(&mut self) -> Result<Vec<u32>> {
        self.plain()?.dequeue()
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Changes the state of an eager queue.
fn update<R>(queue: &Queue, change: impl FnOnce(&mut EagerQueue) -> R) -> Option<R> {
    queue.state().as_any().downcast_mut::<EagerQueue>().map(change)
}

/// A compiled ordered loop with its inputs.
pub(crate) struct Ordered<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) words: &'a [u64],
    pub(crate) adjacency: &'a Adjacency,
    /// Several members may work at the same time.
    pub(crate) parallel: bool,
    /// Several members may work on the edges of one vertex.
    pub(crate) split: bool,
    /// The greatest out-degree.
    pub(crate) greatest_degree: usize,
}

/// What a member keeps from round to round.
struct Bench {
    words: Vec<u64>,
    list: Vec<Entry>,
}

/// Some entries of a share, or some edges of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    share: usize,
    begin: usize,
    end: usize,
    /// Edge positions that count.
    clip: (u64, u64),
}

/// Runs the loop until the condition is false or no vertex is left.
pub(crate) fn run(
    machine: &mut CpuExecutable,
    ordered: &Ordered<'_>,
    queue: &Queue,
    condition: Condition<'_>,
    env: &mut Environment,
) -> Result<OperatorOutcome> {
    let spec = queue.spec();
    let merge = merge_threshold(spec, env)?;
    let members = machine.crew.size();
    let mut buckets: Vec<LocalBuckets> =
        (0..members).map(|_| LocalBuckets::new(spec.priorities.scalar(), spec.width_word())).collect();
    let benches: Vec<Mutex<Bench>> =
        (0..members).map(|_| Mutex::new(Bench { words: ordered.words.to_vec(), list: Vec::new() })).collect();
    let mut round = Round {
        ordered,
        ahead: Ahead::new(ordered.adjacency, &spec.priorities),
        has_hubs: ordered.greatest_degree > HUB_EDGES,
        next: (0..members).map(|_| Next::default()).collect(),
        benches: &benches,
        shares: vec![Vec::new(); members],
        pieces: Vec::new(),
        merge,
    };
    // Every entry of a bucket has a priority. Where there are more of these than vertices, it need not be a vertex of
    // the graph.
    let vertices = ordered.adjacency.vertices();
    let foreign = spec.priorities.len() > vertices;
    if foreign {
        round.merge = 0;
    }
    // What was queued before: most often one vertex.
    let keys = Keys::of_buckets(spec);
    for (vertex, _) in update(queue, EagerQueue::start).transpose()?.unwrap_or_default() {
        buckets[0].push(vertex, keys.bits(vertex));
    }
    lend(&mut buckets, machine);
    let mut input = 0u64;
    let mut best = round.open(machine, &keys, 0);
    let result = loop {
        let bucket = match &best {
            Ok(bucket) => *bucket,
            Err(_) => break best.map(|_| None),
        };
        update(queue, |q| q.held = Held::Running(bucket));
        let current = match (condition(machine, env), bucket) {
            (Ok(true), Some(current)) => current,
            (Ok(_), left) => break Ok(left),
            (Err(error), _) => break Err(error),
        };
        update(queue, |q| q.current = Some(current));
        // The condition may have run operators of its own, with the same workers.
        lend(&mut buckets, machine);
        if foreign && let Err(error) = round.check_entries(vertices) {
            break Err(error);
        }
        input += round.shares.iter().map(Vec::len).sum::<usize>() as u64;
        let floor = local_floor(machine, current);
        round.relax(machine, current, floor);
        if let Err(error) = machine.crew.fault(&ordered.compiled.sites).and_then(|()| env.stop.check()) {
            break Err(error);
        }
        best = round.open(machine, &keys, current);
    };
    for worker in machine.crew.workers() {
        worker.buckets = std::ptr::null_mut();
    }
    let (edges, _) = machine.crew.collect_counts();
    let shares = std::mem::take(&mut round.shares);
    let held = match result? {
        Some(best) => Held::Left { best, shares, buckets },
        None => Held::Listed(Vec::new()),
    };
    update(queue, |q| q.held = held);
    Ok(OperatorOutcome { input_size: Some(input), edges: Some(edges), ..Default::default() })
}

/// The entries of a worker's current bucket up to which it drains the bucket without waiting for the others.
fn merge_threshold(spec: &QueueSpec, env: &Environment) -> Result<u64> {
    match (spec.meta.kind, spec.meta.merge_threshold) {
        (Some(QueueKind::EagerMerge), Some(amount)) => env.amount(amount),
        (Some(QueueKind::EagerMerge), None) => Ok(MERGE_THRESHOLD),
        _ => Ok(0),
    }
}

/// Gives every worker its buckets.
fn lend(buckets: &mut [LocalBuckets], machine: &mut CpuExecutable) {
    for (worker, buckets) in machine.crew.workers().zip(buckets) {
        worker.buckets = buckets;
    }
}

/// Bits that no priority of the bucket is below.
fn local_floor(machine: &mut CpuExecutable, bucket: u64) -> u64 {
    machine.crew.workers().next().map_or(0, |worker| local(worker).floor(bucket))
}

/// The buckets of a worker.
fn local(worker: &mut Worker) -> &mut LocalBuckets {
    // SAFETY: `run` points every worker to a bucket set that it keeps until it takes the pointers back, and this is
    // called only while no task runs or on the worker's own thread.
    unsafe { &mut *worker.buckets }
}

/// The current bucket and what is needed to relax it.
struct Round<'a> {
    ordered: &'a Ordered<'a>,
    ahead: Ahead<'a>,
    /// Some vertex has so many edges that it counts when work is shared.
    has_hubs: bool,
    benches: &'a [Mutex<Bench>],
    /// The entries that each member found.
    shares: Vec<Vec<Entry>>,
    pieces: Vec<Piece>,
    /// The next piece of each member's part.
    next: Vec<Next>,
    merge: u64,
}

impl Round<'_> {
    /// Opens the best bucket from `from` on with an entry that counts; buckets without are dropped on the way.
    fn open(&mut self, machine: &mut CpuExecutable, keys: &Keys, mut from: u64) -> Result<Option<u64>> {
        loop {
            let best = machine.crew.workers().filter_map(|w| local(w).least(from)).min();
            for (share, worker) in self.shares.iter_mut().zip(machine.crew.workers()) {
                share.clear();
                if let Some(best) = best {
                    local(worker).take(best, share);
                }
            }
            let Some(best) = best else { return Ok(None) };
            for &e in self.shares.iter().flatten() {
                let key = keys.of(e as u32)?;
                if key >= best && key != NONE {
                    return Ok(Some(best));
                }
            }
            from = best;
        }
    }

    /// An error where an entry of the bucket is no vertex of the graph.
    fn check_entries(&self, vertices: usize) -> Result<()> {
        match self.shares.iter().flatten().map(|&e| e as u32).max() {
            Some(greatest) if greatest as usize >= vertices => {
                Err(ErrorKind::VertexOutOfRange { vertex: greatest.into(), vertices }.into())
            }
            _ => Ok(()),
        }
    }

    /// Relaxes the edges of the bucket, then drains small local buckets of the same index.
    fn relax(&mut self, machine: &mut CpuExecutable, current: u64, floor: u64) {
        let Ordered { compiled, adjacency, split, .. } = *self.ordered;
        let (sharing, members) = (machine.sharing, machine.crew.size());
        let total: usize = self.shares.iter().map(Vec::len).sum();
        self.pieces.clear();
        let edges = if self.has_hubs && total <= MANY_ENTRIES {
            cut_by_edges(&self.shares, |v| adjacency.positions(v), split, sharing, members, &mut self.pieces)
        } else {
            cut_by_entries(&self.shares, total, sharing, members, &mut self.pieces);
            total.saturating_mul(1 + adjacency.edges() / adjacency.vertices().max(1))
        };
        let hands = sharing.hands(edges, sharing.member_edges, members).filter(|_| self.ordered.parallel);
        let bucket_slots = compiled.inputs.iter().enumerate().filter(|(_, i)| matches!(i.0, Source::CurrentBucket(..)));
        let bucket_slots: Vec<usize> = bucket_slots.map(|(i, _)| slot::COUNT + i).collect();
        let stop = Arc::clone(machine.crew.stop_flag());
        let stops = || stop.load(Ordering::Relaxed);
        let parts = Parts::new(&self.next[..hands.map_or(1, |hands| hands.members)], self.pieces.len());
        let (pieces, shares, merge) = (&self.pieces, &self.shares, self.merge);
        let task = |member: usize, worker: &mut Worker| {
            // Only this member locks its bench.
            let Ok(mut bench) = self.benches[member].lock() else { return };
            let Bench { words, list } = &mut *bench;
            words[slot::FLOOR] = floor;
            for &slot in &bucket_slots {
                words[slot] = current;
            }
            let visit = |words: &mut Vec<u64>, entries: &[Entry], worker: &mut Worker| {
                words[slot::QUEUE] = entries.as_ptr() as u64;
                if entries.len() < FEW_ENTRIES {
                    // SAFETY: the slots hold what the kernel was compiled for, and the range is that of the list.
                    unsafe { (compiled.kernel)(words.as_ptr(), 0, entries.len() as u64, worker) };
                    return;
                }
                let block = |i: usize| {
                    &entries[(i * FETCH_BLOCK).min(entries.len())..((i + 1) * FETCH_BLOCK).min(entries.len())]
                };
                self.ahead.vertices(block(0));
                self.ahead.vertices(block(1));
                self.ahead.lists(block(0));
                for i in 0..entries.len().div_ceil(FETCH_BLOCK) {
                    self.ahead.vertices(block(i + 2));
                    self.ahead.lists(block(i + 1));
                    let (begin, end) = (i * FETCH_BLOCK, ((i + 1) * FETCH_BLOCK).min(entries.len()));
                    // SAFETY: the slots hold what the kernel was compiled for, and the range lies in the list.
                    unsafe { (compiled.kernel)(words.as_ptr(), begin as u64, end as u64, worker) };
                    if worker.fault != 0 || stops() {
                        return;
                    }
                }
            };
            for piece in parts.of(member).map(|piece| &pieces[piece]) {
                if stops() {
                    break;
                }
                (worker.clip_begin, worker.clip_end) = piece.clip;
                visit(words, &shares[piece.share][piece.begin..piece.end], worker);
                if worker.fault != 0 {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            (worker.clip_begin, worker.clip_end) = (0, u64::MAX);
            while worker.fault == 0 && !stops() {
                let waiting = local(worker).len(current);
                if waiting == 0 || waiting as u64 > merge {
                    break;
                }
                list.clear();
                local(worker).take(current, list);
                visit(words, list, worker);
            }
            list.clear();
        };
        match hands {
            None => task(0, machine.crew.worker(0)),
            Some(hands) => machine.crew.with(hands, &task),
        }
    }
}

/// Cuts the shares into pieces of equally many entries.
fn cut_by_entries(shares: &[Vec<Entry>], total: usize, sharing: Sharing, members: usize, pieces: &mut Vec<Piece>) {
    let grain = (total / (8 * members)).clamp(sharing.least_chunk.div_ceil(4), BUCKET_PIECE);
    for (share, entries) in shares.iter().enumerate() {
        let piece = |begin| Piece { share, begin, end: (begin + grain).min(entries.len()), clip: WHOLE };
        pieces.extend((0..entries.len()).step_by(grain).map(piece));
    }
}

/// Cuts the shares into pieces of about equally many edges, which stand where `list` says. The result is the number of
/// edges and vertices.
fn cut_by_edges(
    shares: &[Vec<Entry>],
    list: impl Fn(u32) -> std::ops::Range<usize>,
    split: bool,
    sharing: Sharing,
    members: usize,
    pieces: &mut Vec<Piece>,
) -> usize {
    let weight = |e: &Entry| list(*e as u32).len() + 1;
    let edges: usize = shares.iter().flatten().map(weight).sum();
    let budget = (edges / (8 * members)).clamp(16 * sharing.least_chunk, 1 << 14);
    for (share, entries) in shares.iter().enumerate() {
        let (mut begin, mut load) = (0, 0);
        for (i, e) in entries.iter().enumerate() {
            let range = list(*e as u32);
            if split && range.len() > 2 * budget {
                if begin < i {
                    pieces.push(Piece { share, begin, end: i, clip: WHOLE });
                }
                let cuts = range.clone().step_by(budget);
                let part = |from: usize| (from as u64, (from + budget).min(range.end) as u64);
                pieces.extend(cuts.map(|from| Piece { share, begin: i, end: i + 1, clip: part(from) }));
                (begin, load) = (i + 1, 0);
                continue;
            }
            load += range.len() + 1;
            if load >= budget {
                pieces.push(Piece { share, begin, end: i + 1, clip: WHOLE });
                (begin, load) = (i + 1, 0);
            }
        }
        if begin < entries.len() {
            pieces.push(Piece { share, begin, end: entries.len(), clip: WHOLE });
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordered::entry;
    use gw_graph::Offsets;
    use proptest::prelude::*;

    proptest! {
        /// Every edge of every entry lies in exactly one piece.
        #[test]
        fn pieces_cover_every_edge_once(
            degrees in prop::collection::vec(prop_oneof![0u32..5, 0u32..3000], 1..200),
            picks in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..300), 1..4),
            split in any::<bool>(),
            by_edges in any::<bool>(),
            members in 1usize..5,
        ) {
            let offsets = Offsets::from_degrees(&degrees);
            let shares: Vec<Vec<Entry>> =
                picks.iter().map(|p| p.iter().map(|i| entry(i.index(degrees.len()) as u32, 7)).collect()).collect();
            let mut pieces = Vec::new();
            for sharing in [Sharing::USUAL, Sharing::TINY] {
                pieces.clear();
                match by_edges {
                    true => _ = cut_by_edges(&shares, |v| offsets.range(v), split, sharing, members, &mut pieces),
                    false => cut_by_entries(&shares, shares.iter().map(Vec::len).sum(), sharing, members, &mut pieces),
                }
                let mut seen: Vec<Vec<usize>> = shares.iter().map(|s| vec![0; s.len()]).collect();
                for piece in &pieces {
                    for i in piece.begin..piece.end {
                        let range = offsets.range(shares[piece.share][i] as u32);
                        let from = range.start.max(piece.clip.0 as usize);
                        let to = range.end.min(piece.clip.1.min(usize::MAX as u64) as usize);
                        seen[piece.share][i] += to.saturating_sub(from) + usize::from(from == range.start);
                    }
                }
                for (share, seen) in shares.iter().zip(seen) {
                    for (e, seen) in share.iter().zip(seen) {
                        prop_assert_eq!(seen, offsets.range(*e as u32).len() + 1);
                    }
                }
            }
        }
    }
}
