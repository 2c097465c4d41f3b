//! Where the time in the driver goes, call by call: told after a run when `GW_DRIVER_TIMES` is set.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Calls and their time, by the name of the function.
static TIMES: Mutex<BTreeMap<&'static str, (u32, Duration)>> = Mutex::new(BTreeMap::new());

fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os("GW_DRIVER_TIMES").is_some_and(|value| !value.is_empty()))
}

/// Makes a call, and notes its time where that is wanted.
pub(super) fn timed<T>(name: &'static str, call: impl FnOnce() -> T) -> T {
    if !is_wanted() {
        return call();
    }
    let start = Instant::now();
    let result = call();
    let mut times = TIMES.lock().unwrap_or_else(PoisonError::into_inner);
    let (calls, time) = times.entry(name).or_default();
    *calls += 1;
    *time += start.elapsed();
    result
}

/// A line per function, the longest time first; `None` where times are not wanted.
pub(super) fn report() -> Option<String> {
    is_wanted().then(|| {
        let times = TIMES.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<_> = times.iter().collect();
        lines.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
        let mut text = "driver:\n".to_string();
        for (name, (calls, time)) in lines {
            let _ = writeln!(text, "{:>10.3} ms in {calls:>6} calls of {name}", time.as_secs_f64() * 1e3);
        }
        text
    })
}
