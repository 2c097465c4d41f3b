//! An allocator that puts every piece of memory at the end of a page behind which nothing can be accessed: the first
//! stray access behind a vector, a map, an array of a graph or a queue ends the process. Freed memory cannot be
//! accessed, either.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const PAGE: usize = 1 << 12;
/// Address space for all that is ever allocated; no address is used twice.
const ARENA: usize = 1 << 38;
/// Smaller pieces are left to the system, unless they are asked for as zeros, as the cells of vectors and maps are:
/// the system has room for some ten thousand pieces only.
const LEAST: usize = 256;

pub struct Guarded;

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The first address of the arena, which is reserved when it is first needed.
fn arena() -> usize {
    static START: OnceLock<usize> = OnceLock::new();
    *START.get_or_init(|| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping touches no memory of others.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), ARENA, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED { 0 } else { start as usize }
    })
}

/// Zeroed memory in pages of its own, as near to the page behind them as its alignment allows; sizes of arrays are
/// multiples of theirs.
fn guarded(layout: Layout) -> *mut u8 {
    let pages = layout.size().next_multiple_of(PAGE);
    let at = NEXT.fetch_add(pages + PAGE, Ordering::Relaxed);
    let start = arena();
    if start == 0 || at + pages + PAGE > ARENA {
        return std::ptr::null_mut();
    }
    // SAFETY: these pages of the arena are nobody else's.
    let done = unsafe { libc::mprotect((start + at) as *mut _, pages, libc::PROT_READ | libc::PROT_WRITE) };
    if done != 0 {
        return std::ptr::null_mut();
    }
    (start + at + (pages - layout.size()) / layout.align() * layout.align()) as *mut u8
}

// SAFETY: pieces lie in pages of their own inside the arena, large enough and aligned; the rest is the system's.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.size() < LEAST || layout.align() > PAGE {
            // SAFETY: by the contract of the trait.
            true => unsafe { System.alloc(layout) },
            false => guarded(layout),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match layout.align() > PAGE {
            // SAFETY: by the contract of the trait.
            true => unsafe { System.alloc_zeroed(layout) },
            false => guarded(layout),
        }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        let start = arena();
        if !(start..start + ARENA).contains(&(piece as usize)) {
            // SAFETY: what is not of the arena is the system's.
            return unsafe { System.dealloc(piece, layout) };
        }
        let first = (piece as usize) / PAGE * PAGE;
        let pages = layout.size().next_multiple_of(PAGE);
        // SAFETY: the pages are those of this piece, which nobody uses any more.
        unsafe {
            libc::madvise(first as *mut _, pages, libc::MADV_DONTNEED);
            libc::mprotect(first as *mut _, pages, libc::PROT_NONE);
        }
    }
}

/// The allocator does what it is for: a read behind a piece kills the process.
#[test]
fn one_stray_access_ends_the_process() {
    use std::os::unix::process::ExitStatusExt;
    const ASKED: &str = "GW_TEST_STRAY_ACCESS";
    if std::env::var_os(ASKED).is_some() {
        let piece = std::hint::black_box(vec![0u8; 100]);
        // SAFETY: none; this must not return.
        let byte = unsafe { std::ptr::read_volatile(piece.as_ptr().add(100)) };
        panic!("read {byte} behind the end");
    }
    let this = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(this);
    child.args(["guard::one_stray_access_ends_the_process", "--exact"]).env(ASKED, "1");
    let status = child.output().unwrap().status;
    assert_eq!(status.signal(), Some(libc::SIGSEGV), "{status}");
}
