//! Memory that one writer fills while readers of older versions look at other parts of it.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

/// A fixed number of slots. The region itself hands out parts of its memory on the word of its users: which slots are
/// written and which are read is for the pool and the lists to keep apart.
pub(crate) struct Region<T> {
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
}

// SAFETY: slots are only reached through `read` and `write`, whose callers promise that nobody reads a slot while it is
// written.
unsafe impl<T: Send + Sync> Sync for Region<T> {}

impl<T: Copy> Region<T> {
    /// So many slots without contents. The system provides the memory when it is first written.
    pub(crate) fn new(slots: usize) -> Self {
        let mut cells = Vec::with_capacity(slots);
        // SAFETY: a `MaybeUninit` needs no contents, and the vector has room for all of them.
        unsafe { cells.set_len(slots) };
        Region { slots: cells.into_boxed_slice() }
    }

    /// The contents of `len` slots from `at` on.
    ///
    /// # Safety
    /// The slots have been written, and nobody writes to them while the slice is in use.
    pub(crate) unsafe fn read(&self, at: usize, len: usize) -> &[T] {
        let slots = &self.slots[at..at + len];
        // SAFETY: the slots have contents and stay unchanged (promise of the caller); both wrappers are transparent.
        unsafe { std::slice::from_raw_parts(slots.as_ptr().cast::<T>(), len) }
    }

    /// All slots. Only those with contents that nobody writes may be read.
    pub(crate) fn slots(&self) -> *const [T] {
        std::ptr::slice_from_raw_parts(UnsafeCell::raw_get(self.slots.as_ptr()).cast::<T>(), self.slots.len())
    }

    /// Writes `items` from `at` on.
    ///
    /// # Safety
    /// Nobody else reads or writes these slots at the same time.
    pub(crate) unsafe fn write(&self, at: usize, items: &[T]) {
        let slots = &self.slots[at..at + items.len()];
        let start = UnsafeCell::raw_get(slots.as_ptr()).cast::<T>();
        // SAFETY: the slots are in bounds and ours alone (promise of the caller); `items` is borrowed, so it lies
        // elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(items.as_ptr(), start, items.len()) };
    }

    /// Copies `len` slots from `from` on to `to` on; both may overlap.
    ///
    /// # Safety
    /// The first ones have been written, and nobody else reads or writes any of them at the same time.
    pub(crate) unsafe fn shift(&self, from: usize, to: usize, len: usize) {
        let (from, to) = (&self.slots[from..from + len], &self.slots[to..to + len]);
        let target = UnsafeCell::raw_get(to.as_ptr());
        // SAFETY: both are in bounds and ours alone (promise of the caller); `copy` allows them to overlap.
        unsafe { std::ptr::copy(UnsafeCell::raw_get(from.as_ptr()), target, len) };
    }
}
