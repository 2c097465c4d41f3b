//! How a command is stopped: by Ctrl-C or SIGTERM, by a time limit, and at its end, when nothing needs to be tidied up.
//!
//! Whoever works looks at a flag and ends in good order. What does not look (a kernel of a device that never ends, a
//! compiler, a validator) is not waited for: a moment later the process ends as it stands. Files are written under
//! another name first and labs in transactions, so that nothing half-done stays behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::INTERRUPTED;

/// How long work that was told to stop may take to end in good order.
const GRACE: Duration = Duration::from_millis(800);

/// Sets `cancel` when the person or the system asks the command to end. While `cancel` is true already, because nobody
/// would look at it, the process ends at once.
pub fn on_signals(cancel: Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        if !cancel.swap(true, Ordering::Relaxed) {
            std::thread::sleep(GRACE);
            eprintln!("error: interrupted; what was running did not end in good order within {GRACE:?}");
        }
        end_process(INTERRUPTED);
    })
}

/// Ends the process a moment after a time limit, counted from now, unless it has ended by then.
pub fn end_after(limit: Duration) -> std::io::Result<()> {
    let watchdog = move || {
        std::thread::sleep(limit.saturating_add(GRACE));
        eprintln!("error: stopped after the time limit of {} s", limit.as_secs_f64());
        end_process(1);
    };
    std::thread::Builder::new().name("gw-watchdog".into()).spawn(watchdog).map(|_| ())
}

/// Whether the process ends at once after its work.
static HURRIED: AtomicBool = AtomicBool::new(false);

/// From now on the process ends at once after its work, in good order or not: a driver has threads, and its exit
/// handlers would tidy up what the system takes back anyway.
pub fn hurry() {
    HURRIED.store(true, Ordering::Relaxed);
}

/// Leaves what is not needed any more to the system, which takes memory, files and devices back at the end of the
/// process: giving back the kernels, buffers and the context of a GPU one by one takes longer than that.
pub fn leave_to_the_system<T>(thing: T) {
    hurry();
    std::mem::forget(thing);
}

/// Something that may be left to the system when it goes out of scope.
pub struct Left<T>(Option<T>, bool);

impl<T> Left<T> {
    /// Leaves the thing to the system if `is_left` says so.
    pub fn new(thing: T, is_left: impl FnOnce(&T) -> bool) -> Left<T> {
        let left = is_left(&thing);
        Left(Some(thing), left)
    }
}

impl<T> std::ops::Deref for Left<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // Taken out only on drop.
        self.0.as_ref().unwrap_or_else(|| unreachable!())
    }
}

impl<T> Drop for Left<T> {
    fn drop(&mut self) {
        if self.1 {
            leave_to_the_system(self.0.take());
        }
    }
}

/// Whether the process is to end at once after its work.
pub fn is_hurried() -> bool {
    HURRIED.load(Ordering::Relaxed)
}

/// Ends the process without a wait for anything: exit handlers of a driver may wait for a kernel that never ends.
pub fn end_process(code: i32) -> ! {
    gw_graph::format::remove_partial_files();
    // SAFETY: `_exit` takes any code, ends the process and runs nothing of ours.
    unsafe { libc::_exit(code) }
}
