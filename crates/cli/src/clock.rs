//! The clock of this process: how long the command has taken so far, as the person who started it sees it.

use std::sync::OnceLock;
use std::time::Instant;

/// When `main` began, and the seconds that had passed by then.
static BEGAN: OnceLock<(Instant, f64)> = OnceLock::new();

/// Starts the clock: the first call of `main`.
pub fn begin() {
    BEGAN.get_or_init(|| (Instant::now(), seconds_before_main()));
}

/// Seconds since the process was started.
pub fn elapsed() -> f64 {
    let (began, before) = BEGAN.get_or_init(|| (Instant::now(), seconds_before_main()));
    before + began.elapsed().as_secs_f64()
}

/// What the system's loader needed before `main`. No clock tells when a process was started to more than a hundredth
/// of a second, but loading waits for nobody: its time is the time on the processor. A process that became `gw`, as
/// `cargo run` does, brings the processor time of its earlier life along: more than a loader takes is not counted.
fn seconds_before_main() -> f64 {
    const LONGEST_LOADING: f64 = 0.05;
    let mut used = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is valid for writes.
    match unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut used) } {
        0 => Some(used.tv_sec as f64 + used.tv_nsec as f64 / 1e9).filter(|&s| s <= LONGEST_LOADING).unwrap_or(0.0),
        _ => 0.0,
    }
}
