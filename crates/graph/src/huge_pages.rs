//! Asks the operating system for huge pages under large arrays, which graph algorithms read at random.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use memmap2::MmapMut;

/// Hints that `items` deserve huge pages. Worth calling on large arrays before their first use; elsewhere than Linux
/// it does nothing.
pub(crate) fn prefer_huge_pages<T>(items: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 12;
        let start = items.as_ptr() as usize;
        let first = start.next_multiple_of(PAGE);
        let last = (start + size_of_val(items)) / PAGE * PAGE;
        if first < last {
            // SAFETY: the range lies inside memory owned by `items`; the advice never changes contents. A refusal is
            // harmless, so the result is ignored.
            unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = items;
}

/// Cells that may start as zero bytes.
///
/// # Safety
/// All-zero bytes must be a value of the type, and it must need no drop.
pub unsafe trait Zeroed {}
// SAFETY: an atomic integer of zero bytes is zero.
unsafe impl Zeroed for AtomicU8 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: as above.
unsafe impl Zeroed for AtomicU64 {}

/// A fixed number of zeroed cells, on huge pages when they are many. Pages come into being when first touched.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// let cells = gw_graph::ZeroedCells::<AtomicU32>::new(1 << 20).unwrap();
/// assert_eq!(cells[(1 << 20) - 1].load(Relaxed), 0);
/// ```
pub struct ZeroedCells<T: Zeroed> {
    start: NonNull<T>,
    length: usize,
    home: Home,
}

/// Who owns the memory.
enum Home {
    /// The allocator, under this layout; nobody when that is of size zero.
    Allocator(Layout),
    /// A mapping of its own.
    Map(#[expect(dead_code, reason = "owns the memory until it is dropped")] MmapMut),
}

// SAFETY: the cells are owned like those of a boxed slice.
unsafe impl<T: Zeroed + Send> Send for ZeroedCells<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroed + Sync> Sync for ZeroedCells<T> {}

const HUGE_PAGE: usize = 1 << 21;

/// How far apart in their pages the first cells of two arrays made one after the other lie. Loops walk over several
/// arrays at once. Where entry `i` of each lies at the same place of a page, processors take a load for one that must
/// wait for a store to another array (Intel: the lower 12 bits of the addresses are compared), or find only one of the
/// lines in their first cache (AMD: lines are looked up by a hash of the address).
const STAGGER: usize = 256;
const SMALL_PAGE: usize = 1 << 12;

/// Where the next array begins in its first page: another place than the last fifteen.
fn stagger() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed) % (SMALL_PAGE / STAGGER) * STAGGER
}

impl<T: Zeroed> ZeroedCells<T> {
    /// So many cells; `None` when the system has no memory for them.
    pub fn new(length: usize) -> Option<Self> {
        let layout = Layout::array::<T>(length).ok()?;
        if layout.size() == 0 {
            return Some(ZeroedCells { start: NonNull::dangling(), length, home: Home::Allocator(layout) });
        }
        if layout.size() < HUGE_PAGE / 2 {
            // SAFETY: the layout is not of size zero.
            let start = NonNull::new(unsafe { alloc_zeroed(layout) })?.cast();
            return Some(ZeroedCells { start, length, home: Home::Allocator(layout) });
        }
        // A huge page can only lie under memory that covers all of it, so the cells begin in the first small page of
        // one. The allocator would write zeros to memory that is aligned like this; a fresh mapping is zero without
        // being touched.
        let mut map = MmapMut::map_anon(layout.size().checked_add(HUGE_PAGE + SMALL_PAGE)?).ok()?;
        let (skipped, place) = (map.as_ptr().align_offset(HUGE_PAGE), stagger());
        let pages = map.get_mut(skipped..skipped.checked_add(layout.size())?.checked_add(place)?)?;
        prefer_huge_pages(pages);
        let cells = pages.get_mut(place..)?;
        let start = NonNull::new(cells.as_mut_ptr())?.cast();
        Some(ZeroedCells { start, length, home: Home::Map(map) })
    }
}

impl<T: Zeroed> Deref for ZeroedCells<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `length` cells lie at `start`, initialised by zeroing.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<T: Zeroed> Drop for ZeroedCells<T> {
    fn drop(&mut self) {
        if let Home::Allocator(layout) = &self.home
            && layout.size() > 0
        {
            // SAFETY: allocated with this layout in `new`.
            unsafe { dealloc(self.start.as_ptr().cast(), *layout) };
        }
    }
}

impl<T: Zeroed + fmt::Debug> fmt::Debug for ZeroedCells<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn cells_are_zero_and_apart() {
        for length in [0, 1, 7, 1 << 10, (1 << 19) + 3, 1 << 20] {
            let cells = ZeroedCells::<AtomicU32>::new(length).unwrap();
            assert_eq!(cells.len(), length);
            cells.iter().enumerate().for_each(|(i, cell)| cell.store(i as u32, Relaxed));
            assert!(cells.iter().enumerate().all(|(i, cell)| cell.load(Relaxed) == i as u32));
        }
    }

    #[test]
    fn arrays_begin_at_different_places_of_their_pages() {
        let arrays: Vec<_> = (0..4).map(|_| ZeroedCells::<AtomicU64>::new(1 << 20).unwrap()).collect();
        let mut places: Vec<usize> = arrays.iter().map(|a| a.as_ptr() as usize % SMALL_PAGE).collect();
        places.sort_unstable();
        places.dedup();
        // Others may make arrays meanwhile, so two of these can lie alike, but not all.
        assert!(places.len() > 1, "{places:?}");
    }

    #[test]
    fn too_much_memory_is_no_panic() {
        assert!(ZeroedCells::<AtomicU64>::new(usize::MAX / 4).is_none());
        assert!(ZeroedCells::<AtomicU64>::new(1 << 58).is_none());
    }
}
