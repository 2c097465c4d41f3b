//! Time that a thread has computed, and the date of a measurement.

use std::time::SystemTime;

/// The present moment as `2026-01-31T23:59:59Z`.
pub(crate) fn utc_now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// Seconds that this thread has computed. Unlike the time on the wall they stand still while another process has the
/// core, so that a busy machine does not falsify what one thread measures.
#[cfg(unix)]
pub(crate) fn thread_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is valid for writes, and the clock exists on every system that has threads.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds on the wall, where the system does not tell what a thread has computed.
#[cfg(not(unix))]
pub(crate) fn thread_seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Seconds that a thread computed for some work.
pub(crate) fn computed(work: impl FnOnce()) -> f64 {
    let start = thread_seconds();
    work();
    thread_seconds() - start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_is_not_computing() {
        let slept = computed(|| std::thread::sleep(std::time::Duration::from_millis(30)));
        assert!(slept < 0.02 || cfg!(not(unix)), "{slept}");
        let mut x = 1_u64;
        let worked = computed(|| (0..20_000_000_u64).for_each(|i| x = std::hint::black_box(x.rotate_left(3) ^ i)));
        assert!(worked > 1e-3, "{worked}");
    }
}
