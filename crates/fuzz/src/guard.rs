//! An allocator that puts a page without access behind every block that a run allocates, so that the first stray
//! access of compiled code ends the process instead of changing somebody else's memory.
//!
//! The pages come from one reserved range of addresses that is given out once, from bottom to top: a freed block stays
//! without access, too. When the range is used up, the usual allocator serves what follows.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Addresses reserved; memory is used only by the blocks that live.
const RANGE: usize = 1 << 38;
const PAGE: usize = 4096;
/// Smaller blocks are guarded only if they are asked for zeroed, as vectors are: the interpreter allocates all the
/// time.
const SMALL: usize = 512;
/// Larger blocks are left to the usual allocator, which maps them by themselves.
const LARGEST: usize = 64 << 20;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

static START: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the `gw-fuzz` command; elsewhere [`guarded`] has no effect.
pub struct GuardAllocator;

/// Reserves the addresses. Without this call nothing is guarded.
pub fn enable() {
    // SAFETY: a fresh mapping without access, at an address of the kernel's choice.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            RANGE,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if start != libc::MAP_FAILED {
        NEXT.store(start as usize, Ordering::Relaxed);
        START.store(start as usize, Ordering::Release);
    }
}

/// Runs `f` with guard pages behind what this thread allocates.
pub fn guarded<T>(f: impl FnOnce() -> T) -> T {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            GUARDED.set(false);
        }
    }
    GUARDED.set(true);
    let _reset = Reset;
    f()
}

fn pages(bytes: usize) -> usize {
    bytes.div_ceil(PAGE) * PAGE
}

fn inside(address: usize) -> bool {
    let start = START.load(Ordering::Relaxed);
    start != 0 && (start..start + RANGE).contains(&address)
}

// SAFETY: blocks lie in pages of their own, made accessible before they are given out and never given out twice; all
// others are the system allocator's.
unsafe impl GlobalAlloc for GuardAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of this function.
        unsafe { if layout.size() < SMALL { System.alloc(layout) } else { guarded_block(layout) } }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if !inside(pointer as usize) {
            // SAFETY: it came from the system allocator.
            return unsafe { System.dealloc(pointer, layout) };
        }
        let base = pointer as usize & !(PAGE - 1);
        // SAFETY: the pages belong to this block alone. New pages without access replace them.
        unsafe {
            libc::mmap(
                base as *mut libc::c_void,
                pages(layout.size()),
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
                -1,
                0,
            );
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        let pointer = unsafe { guarded_block(layout) };
        if !pointer.is_null() && !inside(pointer as usize) {
            // Fresh pages are zero; other memory may not be.
            // SAFETY: the block was just allocated with this size.
            unsafe { pointer.write_bytes(0, layout.size()) };
        }
        pointer
    }
}

/// A block with a guard page behind it, where that is wanted and possible.
///
/// # Safety
/// As [`GlobalAlloc::alloc`].
unsafe fn guarded_block(layout: Layout) -> *mut u8 {
    let wanted = START.load(Ordering::Acquire) != 0
        && layout.size() > 0
        && layout.size() <= LARGEST
        && layout.align() <= PAGE
        && GUARDED.try_with(Cell::get).unwrap_or(false);
    if !wanted {
        // SAFETY: the caller keeps the rules of this function.
        return unsafe { System.alloc(layout) };
    }
    let bytes = pages(layout.size());
    let base = NEXT.fetch_add(bytes + PAGE, Ordering::Relaxed);
    if base + bytes + PAGE > START.load(Ordering::Relaxed) + RANGE {
        // SAFETY: as above.
        return unsafe { System.alloc(layout) };
    }
    // SAFETY: the pages are reserved and nobody else's.
    let opened = unsafe { libc::mprotect(base as *mut libc::c_void, bytes, libc::PROT_READ | libc::PROT_WRITE) };
    if opened != 0 {
        // SAFETY: as above.
        return unsafe { System.alloc(layout) };
    }
    // The block ends where the pages end, as far as its alignment allows.
    ((base + bytes - layout.size()) & !(layout.align() - 1)) as *mut u8
}
