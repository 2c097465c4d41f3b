//! How a command is stopped: by a signal (Ctrl-C, SIGTERM, SIGHUP), by a time limit, and at its end, when nothing needs
//! to be tidied up.
//!
//! Whoever works looks at a flag and ends in good order. What does not look (a kernel of a device that never ends, a
//! compiler, a validator) is not waited for: a moment later the process ends as it stands. Files are written under
//! another name first and labs in transactions, so that nothing half-done stays behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// How long work that was told to stop may take to end in good order.
const GRACE: Duration = Duration::from_millis(800);
/// The number of Ctrl-C.
const INTERRUPT: i32 = 2;

/// The signal that asked the command to end; 0 before there was one.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// The command was asked to end.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Sets `cancel` when the person or the system asks the command to end. While `cancel` is true already, because nobody
/// would look at it, the process ends at once.
pub fn on_signals(cancel: Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || stop(&cancel))?;
    #[cfg(unix)]
    numbers::note();
    Ok(())
}

/// Stops the command as a signal does.
pub fn stop(cancel: &AtomicBool) -> ! {
    while ASKED.swap(true, Ordering::Relaxed) {
        // Another thread was asked before, and ends the process when it is time.
        std::thread::sleep(GRACE);
    }
    if !cancel.swap(true, Ordering::Relaxed) {
        std::thread::sleep(GRACE);
        eprintln!("error: interrupted; what was running did not end in good order within {GRACE:?}");
    }
    end_process(interrupted());
}

/// The exit code of a command that a signal has ended: 128 and the number of the signal, as shells have it. That of
/// Ctrl-C where a run was cancelled without a signal.
pub fn interrupted() -> i32 {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => 128 + INTERRUPT,
        signal => 128 + signal,
    }
}

/// Which signal came: the handlers of `ctrlc` do not tell.
#[cfg(unix)]
mod numbers {
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The handler of `ctrlc`, which wakes its thread.
    static NEXT: AtomicUsize = AtomicUsize::new(0);

    /// Notes the number of each signal before the handler that is there is called.
    pub fn note() {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: the structure is plain data and valid when zeroed; the handler installed is a function for the
            // life of the process that touches atomics only, and keeps the flags of the one it replaces.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, std::ptr::null(), &mut action) != 0 {
                    continue;
                }
                NEXT.store(action.sa_sigaction, Ordering::Relaxed);
                action.sa_sigaction = handle as extern "C" fn(libc::c_int) as usize;
                let _ = libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
    }

    extern "C" fn handle(signal: libc::c_int) {
        super::SIGNAL.store(signal, Ordering::Relaxed);
        let next = NEXT.load(Ordering::Relaxed);
        // SAFETY: `ctrlc` has installed one function for all three signals; it takes the number of the signal and is
        // safe to call in a handler.
        unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(next)(signal) }
    }
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
    gw_graph::partial_file::remove_partial_files();
    // SAFETY: `_exit` takes any code, ends the process and runs nothing of ours.
    unsafe { libc::_exit(code) }
}
