//! A team of threads that starts a parallel step within a microsecond.
//!
//! A deep graph has thousands of short steps. Waking a sleeping thread costs more than such a step, so members of the
//! team wait actively for a little while, then leave their cores to others who want them, and sleep at last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How long a member looks for work before it lets others have its core.
const ALERT: Duration = Duration::from_micros(50);
/// How long it looks for work before it sleeps. To wake it costs the caller 5 to 12 us on a virtual machine, as much
/// as a small step; programs that change between steps done alone and shared ones would pay that time and again.
const UP: Duration = Duration::from_millis(2);

/// Pauses between two looks: together about a third of a microsecond on Intel processors, where a pause takes 140
/// cycles. With 64 of them a member came three microseconds late to a step that may take ten.
const PAUSES: u32 = 8;

/// Threads that run one function together; the caller is member 0.
pub(crate) struct Team {
    shared: Arc<Shared>,
    members: Vec<JoinHandle<()>>,
    handles: Vec<Thread>,
    /// Tasks in a row that members slept through although they might have helped.
    missed: u32,
}

/// Many small tasks in a row are worth waking somebody, too.
const MISSED_ENOUGH: u32 = 8;

/// Whom the caller needs for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Help {
    /// Every member runs the task; those who sleep are woken and waited for.
    Everyone,
    /// Members who come in time may help; those who sleep are woken.
    Anyone,
    /// Members who are awake may help; after some such tasks in a row the others are woken.
    Awake,
}

struct Shared {
    /// Number of the current task in the upper half; [`CLOSED`] and the number of members inside below. A member enters
    /// by counting itself in, which fails once the task is closed: a member that the system keeps off its core at the
    /// moment holds nobody up.
    gate: AtomicU64,
    /// The current task: a pointer to a `&dyn Fn(usize)` on the caller's stack, valid until the task is closed and
    /// nobody is inside.
    task: AtomicPtr<&'static (dyn Fn(usize) + Sync)>,
    /// Members with lower numbers are asked for the current task.
    wanted: AtomicUsize,
    /// Members that have run the current task.
    finished: AtomicUsize,
    /// Which members sleep.
    asleep: Vec<AtomicBool>,
    /// How often all were woken without a task.
    roused: AtomicUsize,
    closing: AtomicBool,
}

const CLOSED: u64 = 1 << 31;
const INSIDE: u64 = CLOSED - 1;

impl Team {
    /// A team of `size` members, the caller included.
    pub(crate) fn new(size: usize) -> Team {
        let shared = Arc::new(Shared {
            gate: AtomicU64::new(CLOSED),
            task: AtomicPtr::new(std::ptr::null_mut()),
            wanted: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
            asleep: (0..size).map(|_| AtomicBool::new(false)).collect(),
            roused: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
        });
        let members: Vec<_> = (1..size)
            .map_while(|member| {
                let shared = Arc::clone(&shared);
                thread::Builder::new().name(format!("gw-cpu-{member}")).spawn(move || shared.serve(member)).ok()
            })
            .collect();
        let handles = members.iter().map(|m| m.thread().clone()).collect();
        Team { shared, members, handles, missed: 0 }
    }

    /// Number of members, the caller included.
    pub(crate) fn size(&self) -> usize {
        self.members.len() + 1
    }

    /// Wakes those who sleep, without a task for them yet.
    pub(crate) fn rouse(&self) {
        // As with tasks: either a member sees the new number or we see it asleep.
        self.shared.roused.fetch_add(1, Ordering::SeqCst);
        for (member, handle) in self.handles.iter().enumerate() {
            if self.shared.asleep[member + 1].load(Ordering::SeqCst) {
                handle.unpark();
            }
        }
    }

    /// Runs `task(member)` on the caller and on the members below `size`, and returns when all who began it are done.
    /// Needs `&mut`: one task at a time. Unless `Everyone` is asked for, the caller's own run must be enough to do all
    /// the work.
    pub(crate) fn run(&mut self, help: Help, size: usize, task: &(dyn Fn(usize) + Sync)) {
        let size = size.clamp(1, self.size());
        if size == 1 {
            return task(0);
        }
        // SAFETY: only the lifetime is changed; members use the reference while they are counted inside, and this
        // function does not return before the task is closed and nobody is inside.
        let mut task: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(task) };
        let shared = &*self.shared;
        shared.finished.store(0, Ordering::Relaxed);
        shared.wanted.store(size, Ordering::Relaxed);
        shared.task.store(&raw mut task, Ordering::Relaxed);
        // Sequentially consistent with the members' `asleep`: either a member sees the new task or we see it asleep.
        let number = (shared.gate.load(Ordering::Relaxed) >> 32) + 1;
        shared.gate.store(number << 32, Ordering::SeqCst);
        let asleep = |member: usize| shared.asleep[member + 1].load(Ordering::SeqCst);
        let helpers = &self.handles[..size - 1];
        if help == Help::Awake && (0..helpers.len()).any(asleep) {
            self.missed += 1;
        }
        if help != Help::Awake || self.missed >= MISSED_ENOUGH {
            self.missed = 0;
            for (member, handle) in helpers.iter().enumerate() {
                if asleep(member) {
                    handle.unpark();
                }
            }
        }
        task(0);
        if help == Help::Everyone {
            wait_until(|| shared.finished.load(Ordering::Acquire) == helpers.len());
        }
        shared.gate.fetch_or(CLOSED, Ordering::AcqRel);
        wait_until(|| shared.gate.load(Ordering::Acquire) & INSIDE == 0);
    }
}

/// Waits actively: what is waited for takes microseconds, unless the system has other plans for the core.
fn wait_until(done: impl Fn() -> bool) {
    let mut looks = 0u32;
    while !done() {
        looks += 1;
        if looks.is_multiple_of(1 << 10) { thread::yield_now() } else { std::hint::spin_loop() }
    }
}

impl Shared {
    fn serve(&self, member: usize) {
        let (mut done, mut idle) = (0, Instant::now());
        while let Some(number) = self.await_task(member, done, idle) {
            done = number;
            // A task for fewer members is none for this one, which goes on waiting or falls asleep. Where `wanted`
            // belongs to a later task already, the gate is closed for this number.
            if member < self.wanted.load(Ordering::Relaxed) && self.enter(number) {
                // SAFETY: this member is counted inside, so the caller waits and the task it stored is valid.
                let task = unsafe { *self.task.load(Ordering::Relaxed) };
                task(member);
                self.finished.fetch_add(1, Ordering::Release);
                self.gate.fetch_sub(1, Ordering::Release);
                idle = Instant::now();
            }
        }
    }

    /// Counts the member in; false when the task is over.
    fn enter(&self, number: u64) -> bool {
        let open = |gate: u64| (gate >> 32 == number && gate & CLOSED == 0).then_some(gate + 1);
        self.gate.fetch_update(Ordering::AcqRel, Ordering::Acquire, open).is_ok()
    }

    /// The number of the next task; `None` when the team is dissolved. The member has had nothing to do since `idle`.
    fn await_task(&self, member: usize, done: u64, idle: Instant) -> Option<u64> {
        let (mut start, mut roused) = (idle, self.roused.load(Ordering::Relaxed));
        loop {
            let number = self.gate.load(Ordering::Acquire) >> 32;
            if self.closing.load(Ordering::Relaxed) {
                return None;
            }
            if number != done {
                return Some(number);
            }
            for _ in 0..PAUSES {
                std::hint::spin_loop();
            }
            let waited = start.elapsed();
            if waited > ALERT {
                thread::yield_now();
            }
            if waited > UP {
                self.asleep[member].store(true, Ordering::SeqCst);
                while self.gate.load(Ordering::SeqCst) >> 32 == done
                    && self.roused.load(Ordering::SeqCst) == roused
                    && !self.closing.load(Ordering::SeqCst)
                {
                    thread::park();
                }
                (start, roused) = (Instant::now(), self.roused.load(Ordering::SeqCst));
                self.asleep[member].store(false, Ordering::SeqCst);
            }
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
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
                team.run(Help::Everyone, size, &|member| {
                    counts[member].fetch_add(1, Ordering::Relaxed);
                });
            }
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 200), "team of {size}: {counts:?}");
        }
    }

    #[test]
    fn a_roused_member_is_awake() {
        let team = Team::new(2);
        let is_asleep = || team.shared.asleep[1].load(Ordering::SeqCst);
        let start = Instant::now();
        let in_time = || assert!(start.elapsed() < Duration::from_secs(60), "asleep: {}", is_asleep());
        for _ in 0..3 {
            while !is_asleep() {
                in_time();
                thread::yield_now();
            }
            // It may fall asleep again before we look.
            while is_asleep() {
                in_time();
                team.rouse();
            }
        }
    }

    #[test]
    fn a_task_for_few_is_run_by_few() {
        let mut team = Team::new(4);
        for size in [1, 2, 3, 4, 9] {
            for round in 0..100 {
                if round == 50 {
                    // Long enough for those who are not asked to fall asleep.
                    thread::sleep(Duration::from_millis(5));
                }
                let counts: Vec<_> = (0..4).map(|_| AtomicUsize::new(0)).collect();
                team.run(Help::Everyone, size, &|member| {
                    counts[member].fetch_add(1, Ordering::Relaxed);
                });
                let ran: Vec<usize> = counts.into_iter().map(AtomicUsize::into_inner).collect();
                let expected: Vec<usize> = (0..4).map(|member| usize::from(member < size)).collect();
                assert_eq!(ran, expected, "{size} of 4");
            }
        }
    }

    #[test]
    fn help_is_welcome_but_not_needed() {
        for help in [Help::Anyone, Help::Awake] {
            let mut team = Team::new(3);
            for round in 0..2000u32 {
                if round % 500 == 499 {
                    thread::sleep(Duration::from_millis(2));
                }
                let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
                team.run(help, 3, &|_| {
                    while let i @ 0..100 = next.fetch_add(1, Ordering::Relaxed) {
                        sum.fetch_add(i, Ordering::Relaxed);
                    }
                });
                assert_eq!(sum.into_inner(), 4950);
            }
        }
    }

    /// Measures what it costs the caller to run an empty task with others, awake and asleep: the numbers behind
    /// `MEMBER_EDGES`. Prints them where long tests run.
    #[test]
    fn what_a_task_costs() {
        let rounds = if gw_testing::is_nightly() { 2000 } else { 50 };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for size in [2, 4, 8, 16].into_iter().filter(|&size| size <= cores) {
            let mut team = Team::new(size);
            let mut costs = |pause: Option<Duration>, rounds: usize| {
                let mut costs: Vec<Duration> = (0..rounds)
                    .map(|_| {
                        pause.iter().for_each(|&pause| thread::sleep(pause));
                        let start = Instant::now();
                        team.run(Help::Everyone, size, &|_| {});
                        start.elapsed()
                    })
                    .collect();
                costs.sort_unstable();
                costs[costs.len() / 2]
            };
            let awake = costs(None, rounds);
            let asleep = costs(Some(2 * UP), rounds / 10);
            eprintln!("{size} members: {awake:?} awake, {asleep:?} asleep");
            assert!(awake < Duration::from_millis(50), "an empty task for {size} members took {awake:?}");
        }
    }
}
