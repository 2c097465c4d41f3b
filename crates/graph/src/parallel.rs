//! Coarse pieces of work on all threads.
//!
//! Parallel iterators are compiled anew for every closure they are given. That pays where the pieces are single edges.
//! Where a piece is thousands of edges, the one loop here does as well: it calls the closure through a pointer and is
//! compiled once. The builders exist once per kind of weight and stream: with them, readers and generators on this loop
//! the crate has 1.02 in place of 1.25 million lines of LLVM IR, and 159 in place of 284 parallel loops.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// Does `work` for every number below `count`, each in a task of its own.
pub(crate) fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(work);
}

/// The results of `work` for every number below `count`, in order.
pub(crate) fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    each(count, &|at| {
        let result = work(at);
        *lock(&results[at]) = Some(result);
    });
    // Every number was worked on: none is missing.
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// The results of `work` for every item, in order; each item is a task of its own.
pub(crate) fn map_items<I: Send, T: Send>(items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let items: Vec<Mutex<Option<I>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let taken = |at: usize| lock(&items[at]).take();
    map(items.len(), |at| taken(at).map(&work)).into_iter().flatten().collect()
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
    }
}
