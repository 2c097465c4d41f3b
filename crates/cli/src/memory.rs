//! The end of memory: a sentence and exit code 1 instead of an abort.
//!
//! Large allocations are checked before they are made (`gw_graph::memory`). This is the net below: an allocation that
//! fails all the same, under `ulimit -v` for instance, makes the Rust runtime abort. The allocator here notes the
//! failure, and a handler of the abort tells it from other aborts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, which notes failures.
struct Noting;

/// Bytes of the last allocation that failed; 0 as long as none has.
static FAILED: AtomicUsize = AtomicUsize::new(0);

#[inline]
fn noted(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        FAILED.store(bytes, Relaxed);
    }
    pointer
}

// SAFETY: every call is handed on unchanged to the system's allocator; the note does not touch memory.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the promise of the caller is handed on.
        noted(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the promise of the caller is handed on.
        noted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the promise of the caller is handed on.
        noted(unsafe { System.realloc(pointer, layout, size) }, size)
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the promise of the caller is handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Noting = Noting;

/// Prepares for the end of memory; for the start of the program.
pub fn prepare() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if gw_graph::memory::is_address_space_limited() {
        // By default each thread reserves 64 MiB of addresses for its small allocations, which count against the limit.
        // SAFETY: sets a number in the allocator; no other thread runs yet.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
    #[cfg(unix)]
    // SAFETY: the handler calls only functions that are safe in a signal handler.
    unsafe {
        libc::signal(libc::SIGABRT, aborted as extern "C" fn(libc::c_int) as libc::sighandler_t);
    }
}

/// Ends the process with a sentence if memory ran out; otherwise the abort goes on.
#[cfg(unix)]
extern "C" fn aborted(_: libc::c_int) {
    let failed = FAILED.load(Relaxed);
    if failed == 0 {
        return;
    }
    // Digits without an allocation.
    let mut digits = [0u8; 20];
    let mut first = digits.len();
    let mut rest = failed;
    while rest > 0 {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let texts: [&[u8]; 3] = [
        b"gw: memory ran out: the system refused ",
        &digits[first..],
        b" bytes more; use a smaller graph or fewer threads, or raise the limit of memory (`ulimit -v`, `ulimit -d`)\n",
    ];
    for text in texts {
        // SAFETY: `write` reads `text.len()` bytes of `text`.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(1) };
}
