//! Coarse pieces of work on all threads.
//!
//! Parallel iterators are compiled anew for every closure they are given. That pays where the pieces are single edges.
//! Where a piece is thousands of edges, the one loop here does as well: it calls the closure through a pointer and is
//! compiled once, and what gathers results once per type. With builders, readers, checks and derived forms on it, which
//! exist once per kind of weight, the crate has 1.20 in place of 1.85 million lines of LLVM IR, and 54 in place of 314
//! parallel loops.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// Numbers in a piece of [`list`], [`first`] and their kind, where each takes a few instructions.
pub(crate) const PIECE: usize = 1 << 14;

/// Does `work` for every number below `count`, each in a task of its own.
pub(crate) fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    match count {
        0 => (),
        1 => work(0),
        _ => (0..count).into_par_iter().with_max_len(1).for_each(work),
    }
}

/// The results of `work` for every number below `count`, in order.
pub(crate) fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_by(count, &work)
}

fn map_by<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut results: Vec<Mutex<Option<T>>> = Vec::with_capacity(count);
    results.resize_with(count, || Mutex::new(None));
    each(count, &|at| {
        let result = work(at);
        *lock(&results[at]) = Some(result);
    });
    let mut list = Vec::with_capacity(count);
    for result in results {
        // Every number was worked on: none is missing.
        list.extend(result.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    list
}

/// The results of `work` for every item, in order; each item is a task of its own.
pub(crate) fn map_items<I: Send, T: Send>(items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    map_items_by(items, &work)
}

fn map_items_by<I: Send, T: Send>(items: Vec<I>, work: &(dyn Fn(I) -> T + Sync)) -> Vec<T> {
    let mut waiting = Vec::with_capacity(items.len());
    for item in items {
        waiting.push(Mutex::new(Some(item)));
    }
    let mut list = Vec::with_capacity(waiting.len());
    // Every item is there when its number comes.
    for result in map_by(waiting.len(), &|at| lock(&waiting[at]).take().map(work)) {
        list.extend(result);
    }
    list
}

/// The results of `work` for the runs of `piece` numbers below `count`, in order.
pub(crate) fn pieces<T: Send>(count: usize, piece: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    map_by(count.div_ceil(piece), &|at| work(at * piece..((at + 1) * piece).min(count)))
}

/// The first answer in the order of the runs of `piece` numbers below `count`. Runs behind one that has an answer are
/// passed over.
pub(crate) fn first<T: Send>(count: usize, piece: usize, look: impl Fn(Range<usize>) -> Option<T> + Sync) -> Option<T> {
    first_by(count, piece, &look)
}

fn first_by<T: Send>(count: usize, piece: usize, look: &(dyn Fn(Range<usize>) -> Option<T> + Sync)) -> Option<T> {
    let best: Mutex<Option<(usize, T)>> = Mutex::new(None);
    let start_of_best = AtomicUsize::new(usize::MAX);
    each(count.div_ceil(piece), &|at| {
        let start = at * piece;
        if start > start_of_best.load(Ordering::Relaxed) {
            return;
        }
        if let Some(answer) = look(start..(start + piece).min(count)) {
            let mut best = lock(&best);
            if best.as_ref().is_none_or(|&(other, _)| start < other) {
                *best = Some((start, answer));
                start_of_best.store(start, Ordering::Relaxed);
            }
        }
    });
    let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
    best.map(|(_, answer)| answer)
}

/// Does `work` for the runs of `piece` entries of a list: `work(place of the first entry, entries)`.
pub(crate) fn chunks<T: Send>(list: &mut [T], piece: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    chunks_by(list, piece, &work);
}

fn chunks_by<T: Send>(list: &mut [T], piece: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let mut chunks = Vec::with_capacity(list.len().div_ceil(piece));
    for chunk in list.chunks_mut(piece) {
        chunks.push(Mutex::new(chunk));
    }
    each(chunks.len(), &|at| work(at * piece, &mut lock(&chunks[at])));
}

/// A list of `count` entries.
pub(crate) fn list<T: Copy + Default + Send>(count: usize, entry: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut list = vec![T::default(); count];
    chunks(&mut list, PIECE, |start, chunk| {
        for (at, slot) in chunk.iter_mut().enumerate() {
            *slot = entry(start + at);
        }
    });
    list
}

/// Makes something that is made once, at the first look, and that others who look meanwhile wait for.
///
/// A task that waits for tasks of its own takes up others of its pool, which may be those that look: the thread would
/// wait for itself. So a look from within a parallel loop makes the thing on other threads, in a pool of its own, and
/// does nothing meanwhile.
pub(crate) fn once<T: Send>(make: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_none() {
        return make();
    }
    let threads = rayon::current_num_threads();
    let made = std::thread::scope(|scope| {
        let apart = || match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool.install(make),
            // Without further threads there is this one, which is in no pool.
            Err(_) => make(),
        };
        scope.spawn(apart).join()
    });
    made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        assert_eq!(map(1000, |at| 2 * at), (0..1000).map(|at| 2 * at).collect::<Vec<_>>());
        let words: Vec<String> = (0..100).map(|at| at.to_string()).collect();
        assert_eq!(map_items(words.clone(), |word| word), words);
        let runs = pieces(10, 4, |range| range);
        assert_eq!(runs, [0..4, 4..8, 8..10]);
        assert_eq!(list(3 * PIECE + 5, |at| at), (0..3 * PIECE + 5).collect::<Vec<_>>());
        assert!(map(0, |at| at).is_empty() && pieces(0, 4, |range| range).is_empty());
    }

    #[test]
    fn the_first_answer_is_found() {
        let at_or_after = |least: usize| first(1 << 20, 1 << 8, |mut range| range.find(|&at| at >= least));
        assert_eq!([0, 77, 1 << 19].map(at_or_after), [Some(0), Some(77), Some(1 << 19)]);
        assert_eq!(at_or_after(1 << 20), None);
        let empty = first(0, 1 << 8, |mut range| range.next());
        assert_eq!(empty, None);
    }
}
