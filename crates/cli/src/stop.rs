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

/// Whether something was left to the end of the process.
static HURRIED: AtomicBool = AtomicBool::new(false);

/// Leaves what is not needed any more to the system, which takes memory, files and devices back at the end of the
/// process: giving back the kernels, buffers and the context of a GPU one by one takes longer than that.
pub fn leave_to_the_system<T>(thing: T) {
    HURRIED.store(true, Ordering::Relaxed);
    std::mem::forget(thing);
}

/// Whether the process is to end at once after its work: what was left to the system may have threads, and exit
/// handlers of a driver would tidy it up after all.
pub fn is_hurried() -> bool {
    HURRIED.load(Ordering::Relaxed)
}

/// Ends the process without a wait for anything: exit handlers of a driver may wait for a kernel that never ends.
pub fn end_process(code: i32) -> ! {
    gw_graph::format::remove_partial_files();
    // SAFETY: `_exit` takes any code, ends the process and runs nothing of ours.
    unsafe { libc::_exit(code) }
}
