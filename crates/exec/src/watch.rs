//! The watcher: one thread of the process that raises the flags of runs that shall stop.
//!
//! Compiled code cannot ask for the time at every step of a loop, and a thread that is inside a function of the program
//! cannot ask anybody. It can look at a byte. The watcher looks at the cancel flags and deadlines of all runs every few
//! milliseconds and raises the byte of each run that is over. It sleeps while there are no runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(10);

/// A run that the watcher looks after, for as long as somebody holds its flag.
struct Watched {
    cancel: Arc<AtomicBool>,
    deadline: Option<Instant>,
    flag: Weak<AtomicBool>,
}

#[derive(Default)]
struct Watcher {
    runs: Mutex<Vec<Watched>>,
    added: Condvar,
}

/// Has `flag` raised within a few milliseconds after `cancel` became true or the deadline passed.
///
/// Where no thread can be started, nobody raises the flag: runs then stop between operators only.
pub(crate) fn watch(cancel: &Arc<AtomicBool>, deadline: Option<Instant>, flag: &Arc<AtomicBool>) {
    static WATCHER: OnceLock<Arc<Watcher>> = OnceLock::new();
    let watcher = WATCHER.get_or_init(|| {
        let watcher = Arc::new(Watcher::default());
        let inside = Arc::clone(&watcher);
        let _ = std::thread::Builder::new().name("gw-watch".into()).spawn(move || inside.run());
        watcher
    });
    let watched = Watched { cancel: Arc::clone(cancel), deadline, flag: Arc::downgrade(flag) };
    watcher.runs.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
    watcher.added.notify_one();
}

impl Watcher {
    fn run(&self) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            runs.retain(|run| {
                let Some(flag) = run.flag.upgrade() else { return false };
                let over = run.cancel.load(Ordering::Relaxed) || run.deadline.is_some_and(|deadline| now >= deadline);
                if over {
                    flag.store(true, Ordering::Relaxed);
                }
                !over
            });
            runs = match runs.is_empty() {
                true => self.added.wait(runs).unwrap_or_else(PoisonError::into_inner),
                false => self.added.wait_timeout(runs, PERIOD).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised_within(flag: &AtomicBool, limit: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < limit {
            if flag.load(Ordering::Relaxed) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    #[test]
    fn flags_are_raised_by_cancelling_and_by_deadlines_and_by_nothing_else() {
        let flags: Vec<_> = (0..3).map(|_| Arc::new(AtomicBool::new(false))).collect();
        let (cancel, never) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        watch(&cancel, None, &flags[0]);
        watch(&never, Some(Instant::now() + Duration::from_millis(20)), &flags[1]);
        watch(&never, Some(Instant::now() + Duration::from_secs(3600)), &flags[2]);
        assert!(raised_within(&flags[1], Duration::from_secs(10)));
        assert!(!flags[0].load(Ordering::Relaxed));
        cancel.store(true, Ordering::Relaxed);
        assert!(raised_within(&flags[0], Duration::from_secs(10)));
        assert!(!flags[2].load(Ordering::Relaxed));
    }
}
