//! The team of the machine as executables and priority queues share it.
//!
//! A team runs one task at a time. Work that its caller could finish alone does not wait for a team that is busy, so
//! a task may itself ask for help without a deadlock.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use crate::sharing::Hands;
use crate::team::{Help, Team};

/// A reference to the machine's team.
#[derive(Clone)]
pub(crate) struct Pool {
    team: Arc<Mutex<Team>>,
    /// Number of members, the caller included.
    size: usize,
}

impl Pool {
    /// A reference to this team.
    pub(crate) fn new(team: Arc<Mutex<Team>>) -> Pool {
        let size = team.lock().unwrap_or_else(PoisonError::into_inner).size();
        Pool { team, size }
    }

    /// Number of members, the caller included.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Wakes the members: there will be work soon.
    pub(crate) fn rouse(&self) {
        if let Ok(team) = self.team.try_lock() {
            team.rouse();
        }
    }

    /// Runs a task on this thread and on members; see [`Team::run`]. While the team is busy, only [`Help::Everyone`]
    /// waits for it: any other task is run by the caller alone.
    pub(crate) fn run(&self, hands: Hands, task: &(dyn Fn(usize) + Sync)) {
        let Hands { help, members } = hands;
        let team = match self.team.try_lock() {
            Err(TryLockError::WouldBlock) if help == Help::Everyone => self.team.lock(),
            Err(TryLockError::WouldBlock) => return task(0),
            Err(TryLockError::Poisoned(team)) => Err(team),
            Ok(team) => Ok(team),
        };
        team.unwrap_or_else(PoisonError::into_inner).run(help, members, task);
    }

    /// `task(0)`, ..., `task(count - 1)`, each run once by the caller or by a member. Returns the results in this
    /// order.
    pub(crate) fn map<R: Send>(&self, count: usize, task: impl Fn(usize) -> R + Sync) -> Vec<R> {
        if count < 2 {
            return (0..count).map(task).collect();
        }
        let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        self.run(Hands { help: Help::Anyone, members: count }, &|_| {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(result) = results.get(i) else { return };
                *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(task(i));
            }
        });
        results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// Runs `task` once on every item, by the caller or by a member. Returns the results in the order of the items.
    pub(crate) fn map_mut<T: Send, R: Send>(
        &self,
        items: &mut [T],
        task: impl Fn(usize, &mut T) -> R + Sync,
    ) -> Vec<R> {
        // Each lock is taken once: it tells the compiler that no two members work on one item.
        let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
        self.map(items.len(), |i| task(i, &mut items[i].lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({})", self.size)
    }
}

#[cfg(test)]
pub(crate) fn pool_of(size: usize) -> Pool {
    Pool::new(Arc::new(Mutex::new(Team::new(size))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_every_item_is_visited_once() {
        for size in [1, 2, 4] {
            let pool = pool_of(size);
            assert_eq!(pool.map(1000, |i| i * i), (0..1000).map(|i| i * i).collect::<Vec<_>>());
            let mut items = vec![0; 1000];
            assert_eq!(pool.map_mut(&mut items, |i, item| *item += i), vec![(); 1000]);
            assert_eq!(items, (0..1000).collect::<Vec<_>>());
        }
    }

    /// A task that asks the same team for help does the inner work alone.
    #[test]
    fn a_task_may_ask_for_help() {
        let pool = pool_of(3);
        let sums = pool.map(50, |i| pool.map(20, |j| i * j).into_iter().sum::<usize>());
        assert_eq!(sums, (0..50).map(|i| i * 190).collect::<Vec<_>>());
    }
}
