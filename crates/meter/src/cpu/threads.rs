//! What threads cost each other: atomic additions to lines of their own and to a shared line, and waking a thread.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::clock::computed;
use crate::effort::Effort;
use crate::measured::Measured;

/// Nanoseconds of one step of a chain of dependent integer operations, each of one cycle.
pub(super) fn cycle_ns(effort: Effort) -> Measured {
    const STEPS: u64 = 500_000;
    let mut x = std::hint::black_box(1_u64);
    let mut once = || {
        // A rotation and an exclusive or, both of which wait for the step before.
        let seconds = computed(|| (0..STEPS).for_each(|i| x = x.rotate_left(7) ^ i));
        std::hint::black_box(x);
        seconds * 1e9 / (2 * STEPS) as f64
    };
    Measured::of((0..effort.pick(25, 5)).map(|_| once()).collect())
}

/// A counter alone on its line, and on the line beside it, which some processors fetch along.
#[repr(align(128))]
struct Padded(AtomicU64);

/// Nanoseconds of an atomic addition to a line that no other core touches.
pub(super) fn own_line_ns(effort: Effort) -> Measured {
    const ADDITIONS: u64 = 200_000;
    let counter = Padded(AtomicU64::new(0));
    let add = || {
        for i in 0..ADDITIONS {
            std::hint::black_box(counter.0.fetch_add(i, Ordering::Relaxed));
        }
    };
    Measured::of((0..effort.pick(25, 5)).map(|_| computed(add) * 1e9 / ADDITIONS as f64).collect())
}

/// Nanoseconds between two atomic additions to one line by `cores` threads.
pub(super) fn shared_line_ns(cores: usize, effort: Effort) -> Measured {
    const ADDITIONS: u64 = 100_000;
    let once = || {
        let (counter, start) = (Padded(AtomicU64::new(0)), Barrier::new(cores + 1));
        let began = std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..ADDITIONS {
                        std::hint::black_box(counter.0.fetch_add(1, Ordering::Relaxed));
                    }
                });
            }
            start.wait();
            Instant::now()
        });
        began.elapsed().as_secs_f64() * 1e9 / (ADDITIONS * cores as u64) as f64
    };
    Measured::of((0..effort.pick(15, 3)).map(|_| once()).collect())
}

/// Microseconds from waking a parked thread until it runs.
pub(super) fn wake_us(effort: Effort) -> Measured {
    let repeats = effort.pick(200, 20);
    let (called, answered) = (AtomicU64::new(0), AtomicU64::new(0));
    let (done, asleep) = (AtomicBool::new(false), AtomicBool::new(false));
    let zero = Instant::now();
    let now = || zero.elapsed().as_nanos() as u64;
    let mut waits = Vec::new();
    std::thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                asleep.store(true, Ordering::Release);
                std::thread::park();
                answered.store(now(), Ordering::Release);
            }
        });
        for _ in 0..repeats {
            while !asleep.swap(false, Ordering::AcqRel) {
                std::thread::yield_now();
            }
            // Long enough for the core of the sleeper to rest, as it does between two steps of a program.
            std::thread::sleep(Duration::from_micros(200));
            answered.store(0, Ordering::Release);
            called.store(now(), Ordering::Release);
            sleeper.thread().unpark();
            while answered.load(Ordering::Acquire) == 0 {
                std::hint::spin_loop();
            }
            let nanoseconds = answered.load(Ordering::Acquire).saturating_sub(called.load(Ordering::Acquire));
            waits.push(nanoseconds as f64 / 1e3);
        }
        done.store(true, Ordering::Release);
        while !sleeper.is_finished() {
            sleeper.thread().unpark();
            std::thread::yield_now();
        }
    });
    Measured::of(waits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_plausible() {
        let cycle = cycle_ns(Effort::Quick).median;
        assert!((0.05..5.0).contains(&cycle), "{cycle}");
        let own = own_line_ns(Effort::Quick).median;
        assert!(own > cycle && own < 1e3, "{own}");
        assert!(shared_line_ns(2, Effort::Quick).median > 0.0);
        let wake = wake_us(Effort::Quick);
        assert_eq!(wake.runs, 20);
        assert!(wake.median > 0.0 && wake.median < 1e5, "{wake:?}");
    }
}
