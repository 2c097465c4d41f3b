//! Lazy priority queues: vertices change buckets once per round, all together.
//!
//! A window of buckets is open; vertices beyond it wait in one list and are looked at again when the window is used
//! up. Where a vertex is queued is kept in one array, so that moving it is appending it elsewhere: the entry left
//! behind is recognised when its bucket is opened. Every member of the machine's team has a shelf, and shelves are
//! filled side by side.
//!
//! Reference: Dhulipala, Blelloch, Shun: Julienne, a framework for parallel graph algorithms using work-efficient
//! bucketing, SPAA 2017.

use std::any::Any;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use gw_exec::{Cell, ErrorKind, QueueSpec, QueueState, Result, Scalar, Vector, bucket_of_real};

use crate::pool::Pool;

/// Buckets kept apart unless the schedule says otherwise, the list of the others included.
const BUCKETS: u64 = 128;
/// Fewer vertices than this are moved by one thread.
const FEW: usize = 1 << 13;
/// The key of a vertex that is not queued.
pub(crate) const NONE: u64 = u64::MAX;
/// Buckets from here on are one, so that a window can be opened behind every other.
const LAST: u64 = 1 << 62;

/// A queue whose buckets are brought up to date between rounds.
#[derive(Debug)]
pub(crate) struct LazyQueue {
    pool: Pool,
    keys: Keys,
    /// The key each vertex is queued under.
    queued: Vec<AtomicU64>,
    /// Key of the first open bucket.
    base: u64,
    /// Number of open buckets.
    open: u64,
    /// Open buckets before this one are empty.
    from: usize,
    shelves: Vec<Shelf>,
    /// Key of the bucket dequeued last.
    current: Option<u64>,
}

/// The entries that one thread filed.
#[derive(Debug)]
struct Shelf {
    open: Vec<Vec<u32>>,
    /// Vertices behind the window, in any order. Their keys are in `queued`.
    beyond: Vec<u32>,
    /// Vertices before the window, which is opened anew for them.
    before: Vec<u32>,
    /// The first open bucket that got an entry since it was last looked at.
    least: usize,
}

impl LazyQueue {
    /// Queues every vertex that has a priority other than the largest value of its type. `buckets` is the number of
    /// buckets kept apart.
    pub(crate) fn new(spec: &QueueSpec, buckets: Option<u64>, pool: &Pool) -> Result<LazyQueue> {
        let keys = Keys::new(spec);
        let mut queued: Vec<AtomicU64> = Vec::new();
        queued.resize_with(spec.priorities.len(), || AtomicU64::new(NONE));
        let mut parts: Vec<&mut [AtomicU64]> = queued.chunks_mut(FEW).collect();
        let fill = |part: usize, slots: &mut &mut [AtomicU64]| {
            let first = (part * FEW) as u32;
            (first..).zip(slots.iter_mut()).try_for_each(|(v, slot)| keys.of(v).map(|key| *slot.get_mut() = key))
        };
        pool.map_mut(&mut parts, fill).into_iter().collect::<Result<()>>()?;
        Ok(LazyQueue::with(keys, queued, buckets, pool))
    }

    /// A queue with the given vertices and no others, each in the bucket next to it. `current` is the bucket dequeued
    /// last.
    pub(crate) fn holding(spec: &QueueSpec, members: &[(u32, u64)], current: Option<u64>, pool: &Pool) -> LazyQueue {
        let keys = Keys::new(spec);
        let mut queued: Vec<AtomicU64> = (0..spec.priorities.len()).map(|_| AtomicU64::new(NONE)).collect();
        for &(vertex, bucket) in members {
            queued[vertex as usize] = AtomicU64::new(keys.bucket(bucket.min(LAST)));
        }
        let current = current.map(|bucket| keys.bucket(bucket.min(LAST)));
        LazyQueue { current, ..LazyQueue::with(keys, queued, None, pool) }
    }

    /// The vertices in the queue.
    pub(crate) fn members(&self) -> Result<Vec<u32>> {
        let mut members = Vec::new();
        for (vertex, key) in self.queued.iter().enumerate() {
            let key = key.load(Relaxed);
            if key != NONE && self.is_live(vertex as u32, key)? {
                members.push(vertex as u32);
            }
        }
        Ok(members)
    }

    /// A queue with the vertices that have a key.
    fn with(keys: Keys, queued: Vec<AtomicU64>, buckets: Option<u64>, pool: &Pool) -> LazyQueue {
        let open = buckets.unwrap_or(BUCKETS).clamp(2, 1 << 16) - 1;
        let shelf = || Shelf {
            open: vec![Vec::new(); open as usize],
            beyond: Vec::new(),
            before: Vec::new(),
            least: open as usize,
        };
        let vertices = queued.len();
        let mut queue = LazyQueue {
            pool: pool.clone(),
            keys,
            queued,
            base: 0,
            open,
            from: open as usize,
            shelves: (0..pool.size()).map(|_| shelf()).collect(),
            current: None,
        };
        let share = vertices.div_ceil(queue.shelves.len()).max(1);
        let queued = &queue.queued;
        pool.map_mut(&mut queue.shelves, |i, shelf| {
            let range = (i * share).min(vertices)..((i + 1) * share).min(vertices);
            shelf.beyond = range.filter(|&v| queued[v].load(Relaxed) != NONE).map(|v| v as u32).collect();
        });
        queue.reopen(0);
        queue
    }

    /// Whether an entry filed under a key still counts.
    fn is_live(&self, vertex: u32, key: u64) -> Result<bool> {
        Ok(self.queued[vertex as usize].load(Relaxed) == key && self.keys.of(vertex)? == key)
    }

    /// Drops stale entries from the end of a list until a live one shows.
    fn trim(&self, list: &mut Vec<u32>) -> Result<bool> {
        while let Some(&vertex) = list.last() {
            let key = self.queued[vertex as usize].load(Relaxed);
            if key != NONE && self.keys.of(vertex)? == key {
                return Ok(true);
            }
            list.pop();
        }
        Ok(false)
    }

    /// The first open bucket with a live entry.
    fn first_open(&mut self) -> Result<Option<usize>> {
        for shelf in &mut self.shelves {
            self.from = self.from.min(shelf.least);
            shelf.least = self.open as usize;
        }
        while self.from < self.open as usize {
            let (at, key) = (self.from, self.base + self.from as u64);
            for i in 0..self.shelves.len() {
                while let Some(&vertex) = self.shelves[i].open[at].last() {
                    if self.is_live(vertex, key)? {
                        return Ok(Some(at));
                    }
                    self.shelves[i].open[at].pop();
                }
            }
            self.from += 1;
        }
        Ok(None)
    }

    /// Whether a list of all shelves has a live entry.
    fn any_live(&mut self, list: impl Fn(&mut Shelf) -> &mut Vec<u32>) -> Result<bool> {
        for i in 0..self.shelves.len() {
            let mut entries = std::mem::take(list(&mut self.shelves[i]));
            let live = self.trim(&mut entries);
            *list(&mut self.shelves[i]) = entries;
            if live? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The key of the best bucket with a live entry, which is open then.
    fn best(&mut self) -> Result<Option<u64>> {
        if self.any_live(|shelf| &mut shelf.before)? {
            // Something came before the window: everything is filed anew.
            for shelf in &mut self.shelves {
                let Shelf { open, beyond, before, .. } = shelf;
                beyond.append(before);
                open.iter_mut().for_each(|bucket| beyond.append(bucket));
            }
            self.reopen(0);
        }
        loop {
            if let Some(at) = self.first_open()? {
                return Ok(Some(self.base + at as u64));
            }
            if !self.any_live(|shelf| &mut shelf.beyond)? {
                return Ok(None);
            }
            self.reopen(self.base + self.open);
        }
    }

    /// Opens the window at the least key from `start` on and files what waited for it.
    fn reopen(&mut self, start: u64) {
        let (queued, open) = (&self.queued, self.open);
        let key = |v: &u32| queued[*v as usize].load(Relaxed);
        let waits = |v: &u32| Some(key(v)).filter(|&key| key != NONE && key >= start);
        let many = self.shelves.iter().map(|shelf| shelf.beyond.len()).sum::<usize>() > FEW;
        let least = |shelf: &Shelf| shelf.beyond.iter().filter_map(waits).min();
        let base = match many {
            true => self.pool.map_mut(&mut self.shelves, |_, shelf| least(shelf)).into_iter().flatten().min(),
            false => self.shelves.iter().filter_map(least).min(),
        };
        self.base = base.unwrap_or(start);
        let base = self.base;
        let file = |shelf: &mut Shelf| {
            let Shelf { open: buckets, beyond, .. } = shelf;
            beyond.retain(|v| match key(v) {
                NONE => false,
                key if key < base => false,
                key if key - base < open => {
                    buckets[(key - base) as usize].push(*v);
                    false
                }
                _ => true,
            });
        };
        match many {
            true => drop(self.pool.map_mut(&mut self.shelves, |_, shelf| file(shelf))),
            false => self.shelves.iter_mut().for_each(file),
        }
        self.from = 0;
    }
}

/// Files a vertex under the key of its present priority.
fn file(queued: &[AtomicU64], keys: &Keys, base: u64, open: u64, shelf: &mut Shelf, vertex: u32) -> Result<()> {
    let Some(slot) = queued.get(vertex as usize) else {
        return Err(ErrorKind::VertexOutOfRange { vertex: vertex.into(), vertices: queued.len() }.into());
    };
    let (old, new) = (slot.load(Relaxed), keys.of(vertex)?);
    if old == new {
        return Ok(());
    }
    slot.store(new, Relaxed);
    if new == NONE {
        return Ok(());
    }
    match new.checked_sub(base) {
        None => shelf.before.push(vertex),
        Some(ahead) if ahead < open => {
            shelf.least = shelf.least.min(ahead as usize);
            shelf.open[ahead as usize].push(vertex);
        }
        // A vertex that was beyond the window has its entry there already.
        Some(_) if old != NONE && old >= base + open => {}
        Some(_) => shelf.beyond.push(vertex),
    }
    Ok(())
}

impl QueueState for LazyQueue {
    fn finished(&mut self) -> Result<bool> {
        let live = self.first_open()?.is_some()
            || self.any_live(|shelf| &mut shelf.before)?
            || self.any_live(|shelf| &mut shelf.beyond)?;
        Ok(!live)
    }

    fn finished_node(&mut self, vertex: u32) -> Result<bool> {
        let Some(best) = self.best()? else { return Ok(true) };
        Ok(match self.keys.of(vertex)? {
            NONE => !self.keys.increasing,
            own => own < best,
        })
    }

    fn current_bucket(&mut self) -> Result<u64> {
        Ok(self.current.map_or(0, |key| self.keys.bucket(key)))
    }

    fn rebucket(&mut self, vertices: &[u32]) -> Result<()> {
        let (queued, keys, base, open) = (&self.queued, &self.keys, self.base, self.open);
        let fill = |shelf: &mut Shelf, vertices: &[u32]| {
            vertices.iter().try_for_each(|&v| file(queued, keys, base, open, shelf, v))
        };
        if vertices.len() < FEW {
            return fill(&mut self.shelves[0], vertices);
        }
        let share = vertices.len().div_ceil(self.shelves.len());
        let part = |i: usize| &vertices[(i * share).min(vertices.len())..((i + 1) * share).min(vertices.len())];
        self.pool.map_mut(&mut self.shelves, |i, shelf| fill(shelf, part(i))).into_iter().collect()
    }

    fn dequeue(&mut self) -> Result<Vec<u32>> {
        let Some(key) = self.best()? else { return Ok(Vec::new()) };
        self.current = Some(key);
        let at = (key - self.base) as usize;
        let mut lists: Vec<Vec<u32>> =
            self.shelves.iter_mut().map(|shelf| std::mem::take(&mut shelf.open[at])).collect();
        let (queued, keys) = (&self.queued, &self.keys);
        // Whoever takes a vertex out makes its other entries stale.
        let take = |v: &u32| -> Result<bool> {
            let slot = &queued[*v as usize];
            Ok(slot.load(Relaxed) == key && keys.of(*v)? == key && slot.swap(NONE, Relaxed) == key)
        };
        let keep = |list: &mut Vec<u32>| {
            let mut failure = Ok(());
            list.retain(|v| {
                take(v).unwrap_or_else(|error| {
                    failure = Err(error);
                    false
                })
            });
            failure
        };
        match lists.iter().map(Vec::len).sum::<usize>() < FEW {
            true => lists.iter_mut().try_for_each(keep)?,
            false => self.pool.map_mut(&mut lists, |_, list| keep(list)).into_iter().collect::<Result<()>>()?,
        }
        Ok(lists.concat())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Sort keys of priorities: the bucket, or its complement when the largest comes first.
#[derive(Debug)]
pub(crate) struct Keys {
    priorities: Vector,
    /// [`QueueSpec::width_word`].
    delta: u64,
    /// `Some(shift)` when delta is a power of two: a shift is much cheaper than a division.
    shift: Option<u32>,
    increasing: bool,
    /// Buckets from here on are one.
    last: u64,
}

impl Keys {
    fn new(spec: &QueueSpec) -> Keys {
        let delta = spec.width_word();
        let shift = delta.is_power_of_two().then(|| delta.trailing_zeros());
        Keys { priorities: spec.priorities.clone(), delta, shift, increasing: spec.increasing, last: LAST }
    }

    /// Keys of a queue with the least first that keeps all buckets apart: a key is a bucket.
    pub(crate) fn of_buckets(spec: &QueueSpec) -> Keys {
        Keys { increasing: true, last: NONE, ..Keys::new(spec) }
    }

    fn divide(&self, priority: u64) -> u64 {
        match self.shift {
            Some(shift) => priority >> shift,
            None => priority / self.delta,
        }
    }

    /// The vertices that have a key now, with their keys.
    pub(crate) fn all(&self, pool: &Pool) -> Result<Vec<(u32, u64)>> {
        let queued = |v: u32| self.of(v).map(|key| (key != NONE).then_some((v, key))).transpose();
        let vertices = self.priorities.len();
        let part = |i: usize| (i * FEW) as u32..((i + 1) * FEW).min(vertices) as u32;
        let parts = pool.map(vertices.div_ceil(FEW), |i| part(i).filter_map(queued).collect::<Result<Vec<_>>>());
        Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.concat())
    }

    /// The bits of a priority, which must exist.
    #[inline]
    pub(crate) fn bits(&self, vertex: u32) -> u64 {
        let (at, cells) = (vertex as usize, self.priorities.as_ptr());
        assert!(at < self.priorities.len(), "a queued vertex has a priority");
        // SAFETY: the vector has this entry, of 4 or 8 bytes, and keeps it in place; cells are only accessed
        // atomically.
        unsafe {
            match self.priorities.cell_bytes() {
                8 => (*cells.cast::<AtomicU64>().add(at)).load(Relaxed),
                _ => (*cells.cast::<AtomicU32>().add(at)).load(Relaxed).into(),
            }
        }
    }

    /// The key of a vertex by its present priority; [`NONE`] for the sentinel.
    #[inline]
    pub(crate) fn of(&self, vertex: u32) -> Result<u64> {
        let bits = self.bits(vertex);
        let bucket = match self.priorities.scalar() {
            Scalar::Int => match bits as u32 as i32 {
                i32::MAX => return Ok(NONE),
                p if p < 0 => return Err(negative(vertex, p.into())),
                p => self.divide(p as u64),
            },
            Scalar::Int64 => match bits as i64 {
                i64::MAX => return Ok(NONE),
                p if p < 0 => return Err(negative(vertex, p as f64)),
                p => self.divide(p as u64),
            },
            Scalar::Uint if bits == u64::from(u32::MAX) => return Ok(NONE),
            Scalar::Uint64 if bits == u64::MAX => return Ok(NONE),
            Scalar::Float => match f32::of_bits(bits) {
                p if p >= f32::MAX => return Ok(NONE),
                p if p >= 0.0 => bucket_of_real(f64::from(p), self.delta),
                p => return Err(negative(vertex, p.into())),
            },
            Scalar::Double => match f64::of_bits(bits) {
                p if p >= f64::MAX => return Ok(NONE),
                p if p >= 0.0 => bucket_of_real(p, self.delta),
                p => return Err(negative(vertex, p)),
            },
            _ => self.divide(bits),
        };
        Ok(self.bucket(bucket.min(self.last)))
    }

    /// The bucket of a key and the key of a bucket.
    fn bucket(&self, key: u64) -> u64 {
        if self.increasing { key } else { LAST - key }
    }
}

#[cold]
fn negative(vertex: u32, priority: f64) -> gw_exec::ExecError {
    ErrorKind::NegativePriority { vertex: vertex.into(), priority }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::pool_of;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn spec(priorities: &Vector, increasing: bool, delta: u64) -> QueueSpec {
        QueueSpec {
            priorities: priorities.clone(),
            increasing,
            all_vertices: false,
            start: None,
            delta,
            width: delta as f64,
            meta: Default::default(),
        }
    }

    fn sorted(mut ids: Vec<u32>) -> Vec<u32> {
        ids.sort_unstable();
        ids
    }

    #[test]
    fn both_orders_and_the_sentinel() -> Result<()> {
        let p = Vector::from_slice(&[7, i32::MAX, 0, 5]);
        let mut up = LazyQueue::new(&spec(&p, true, 5), None, &pool_of(2))?;
        assert_eq!(up.dequeue()?, [2]);
        assert!(up.finished_node(2)? && !up.finished_node(0)? && !up.finished_node(1)?);
        assert_eq!((sorted(up.dequeue()?), up.current_bucket()?), (vec![0, 3], 1));
        assert!(up.finished()? && up.finished_node(1)?);
        assert!(up.dequeue()?.is_empty());
        let mut down = LazyQueue::new(&spec(&p, false, 5), None, &pool_of(2))?;
        assert_eq!(sorted(down.dequeue()?), [0, 3]);
        assert_eq!((down.dequeue()?, down.current_bucket()?), (vec![2], 0));
        Ok(())
    }

    #[test]
    fn a_raised_vertex_does_not_revive_old_entries() -> Result<()> {
        let p = Vector::from_slice(&[6]);
        let mut queue = LazyQueue::new(&spec(&p, true, 1), None, &pool_of(2))?;
        p.copy_from_slice(&[2]);
        queue.rebucket(&[0])?;
        assert_eq!(queue.dequeue()?, [0]);
        p.copy_from_slice(&[6]);
        assert!(queue.finished()?);
        Ok(())
    }

    #[test]
    fn bad_priorities_and_vertices_are_refused() -> Result<()> {
        assert!(LazyQueue::new(&spec(&Vector::from_slice(&[1, -3]), true, 1), None, &pool_of(2)).is_err());
        let mut queue =
            LazyQueue::new(&spec(&Vector::from_slice(&[1.5f32, f32::INFINITY]), true, 1), None, &pool_of(2))?;
        assert!(queue.rebucket(&[2]).is_err());
        assert_eq!((queue.dequeue()?, queue.current_bucket()?), (vec![0], 1));
        Ok(())
    }

    proptest! {
        /// Against a sorted map, with few open buckets so that the window moves in both directions.
        #[test]
        fn agrees_with_a_sorted_map(
            start in prop::collection::vec(prop_oneof![0i32..300, Just(i32::MAX)], 1..60),
            rounds in prop::collection::vec(
                prop::collection::vec((0usize..60, prop_oneof![0i32..300, Just(i32::MAX)]), 0..12), 0..20),
            increasing in any::<bool>(),
            delta in 1u64..9,
            buckets in 2u64..9,
        ) {
            let vector = Vector::from_slice(&start);
            let mut queue = LazyQueue::new(&spec(&vector, increasing, delta), Some(buckets), &pool_of(2)).unwrap();
            let mut model: BTreeMap<u32, u64> = BTreeMap::new();
            let mut priorities = start.clone();
            let enter = |model: &mut BTreeMap<u32, u64>, v: u32, p: i32| {
                model.remove(&v);
                if p != i32::MAX {
                    model.insert(v, p as u64 / delta);
                }
            };
            for (v, &p) in start.iter().enumerate() {
                enter(&mut model, v as u32, p);
            }
            for changes in rounds {
                prop_assert_eq!(queue.finished().unwrap(), model.is_empty());
                let best = if increasing { model.values().min() } else { model.values().max() }.copied();
                let expected: Vec<u32> = model.iter().filter(|(_, b)| Some(**b) == best).map(|(v, _)| *v).collect();
                for (v, &priority) in priorities.iter().enumerate() {
                    let own = (priority != i32::MAX).then_some(priority as u64 / delta);
                    let done = match (best, own) {
                        (None, _) => true,
                        (Some(_), None) => !increasing,
                        (Some(best), Some(own)) => if increasing { own < best } else { own > best },
                    };
                    prop_assert_eq!(queue.finished_node(v as u32).unwrap(), done);
                }
                prop_assert_eq!(sorted(queue.dequeue().unwrap()), expected.clone());
                if let Some(best) = best {
                    prop_assert_eq!(queue.current_bucket().unwrap(), best);
                }
                model.retain(|v, _| !expected.contains(v));
                let mut moved = Vec::new();
                for (v, p) in changes {
                    if v < priorities.len() {
                        priorities[v] = p;
                        moved.push(v as u32);
                    }
                }
                vector.copy_from_slice(&priorities);
                queue.rebucket(&moved).unwrap();
                for &v in &moved {
                    enter(&mut model, v, priorities[v as usize]);
                }
            }
        }
    }
}
