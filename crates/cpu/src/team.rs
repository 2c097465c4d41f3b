//! A team of threads that starts a parallel step within a microsecond.
//!
//! A deep graph has thousands of short steps. Waking a sleeping thread costs more than such a step, so members of the
//! team wait actively for a little while before they sleep.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How long a member looks for work before it sleeps.
const ALERT: Duration = Duration::from_micros(50);

/// Threads that run one function together; the caller is member 0.
pub(crate) struct Team {
    shared: Arc<Shared>,
    members: Vec<JoinHandle<()>>,
    handles: Vec<Thread>,
}

struct Shared {
    /// Number of the current task; members run each number once.
    epoch: AtomicU64,
    /// The current task: a pointer to a `&dyn Fn(usize)` on the caller's stack, valid until `busy` is 0.
    task: AtomicPtr<&'static (dyn Fn(usize) + Sync)>,
    /// Members still at work.
    busy: AtomicUsize,
    /// Which members sleep.
    asleep: Vec<AtomicBool>,
    closing: AtomicBool,
}

impl Team {
    /// A team of `size` members, the caller included.
    pub(crate) fn new(size: usize) -> Team {
        let shared = Arc::new(Shared {
            epoch: AtomicU64::new(0),
            task: AtomicPtr::new(std::ptr::null_mut()),
            busy: AtomicUsize::new(0),
            asleep: (0..size).map(|_| AtomicBool::new(false)).collect(),
            closing: AtomicBool::new(false),
        });
        let members: Vec<_> = (1..size)
            .map_while(|member| {
                let shared = Arc::clone(&shared);
                thread::Builder::new().name(format!("gw-cpu-{member}")).spawn(move || shared.serve(member)).ok()
            })
            .collect();
        let handles = members.iter().map(|m| m.thread().clone()).collect();
        Team { shared, members, handles }
    }

    /// Number of members, the caller included.
    pub(crate) fn size(&self) -> usize {
        self.members.len() + 1
    }

    /// Runs `task(member)` on every member and returns when all are done. Needs `&mut`: one task at a time.
    pub(crate) fn run(&mut self, task: &(dyn Fn(usize) + Sync)) {
        if self.members.is_empty() {
            return task(0);
        }
        // SAFETY: only the lifetime is changed; members use the reference before they leave `busy`, and this function
        // does not return before `busy` is 0.
        let mut task: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(task) };
        let shared = &*self.shared;
        shared.busy.store(self.members.len(), Ordering::Relaxed);
        shared.task.store(&raw mut task, Ordering::Relaxed);
        // Sequentially consistent with the members' `asleep`: either a member sees the new epoch or we see it asleep.
        shared.epoch.fetch_add(1, Ordering::SeqCst);
        for (member, handle) in self.handles.iter().enumerate() {
            if shared.asleep[member + 1].load(Ordering::SeqCst) {
                handle.unpark();
            }
        }
        task(0);
        let mut looks = 0u32;
        while shared.busy.load(Ordering::Acquire) != 0 {
            looks += 1;
            if looks.is_multiple_of(1 << 12) { thread::yield_now() } else { std::hint::spin_loop() }
        }
    }
}

impl Shared {
    fn serve(&self, member: usize) {
        let mut done = 0;
        loop {
            self.await_task(member, done);
            if self.closing.load(Ordering::Relaxed) {
                return;
            }
            done = self.epoch.load(Ordering::SeqCst);
            // SAFETY: the epoch moved on, so the caller stored a task that stays valid until this member leaves `busy`.
            let task = unsafe { *self.task.load(Ordering::Relaxed) };
            task(member);
            self.busy.fetch_sub(1, Ordering::Release);
        }
    }

    fn await_task(&self, member: usize, done: u64) {
        let start = Instant::now();
        while self.epoch.load(Ordering::Acquire) == done {
            for _ in 0..64 {
                std::hint::spin_loop();
            }
            if start.elapsed() > ALERT {
                self.asleep[member].store(true, Ordering::SeqCst);
                while self.epoch.load(Ordering::SeqCst) == done {
                    thread::park();
                }
                self.asleep[member].store(false, Ordering::SeqCst);
            }
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        self.shared.epoch.fetch_add(1, Ordering::SeqCst);
        for (handle, member) in self.handles.iter().zip(self.members.drain(..)) {
            handle.unpark();
            // A member never panics outside a task, and a task that panicked has been reported by then.
            let _ = member.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_runs_every_task_once() {
        for size in [1, 2, 5] {
            let mut team = Team::new(size);
            let counts: Vec<_> = (0..size).map(|_| AtomicUsize::new(0)).collect();
            for round in 0..200 {
                if round % 50 == 49 {
                    // Long enough for the members to fall asleep.
                    thread::sleep(Duration::from_millis(2));
                }
                team.run(&|member| {
                    counts[member].fetch_add(1, Ordering::Relaxed);
                });
            }
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 200), "team of {size}: {counts:?}");
        }
    }
}
