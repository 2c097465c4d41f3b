//! `Scatter`: writes from several threads to distinct places of one array.

use std::cell::UnsafeCell;

/// A slice that several threads write into at once, each position by at most one of them.
pub(crate) struct Scatter<'a, T>(&'a [UnsafeCell<T>]);

// SAFETY: the only access is `write`, whose contract forbids two threads on one position.
unsafe impl<T: Send> Sync for Scatter<'_, T> {}

impl<'a, T: Copy> Scatter<'a, T> {
    /// Takes the slice for the life of the scatter.
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        let cells: *const [UnsafeCell<T>] = std::ptr::from_mut(slice) as *const [UnsafeCell<T>];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the exclusive borrow lasts as long as the result.
        Scatter(unsafe { &*cells })
    }

    /// Writes one item.
    ///
    /// # Safety
    /// No other thread accesses position `at` while this scatter lives, and `at` is inside the slice.
    #[inline]
    pub(crate) unsafe fn write(&self, at: usize, value: T) {
        debug_assert!(at < self.0.len());
        // SAFETY: in bounds and unshared by the contract.
        unsafe { *self.0.get_unchecked(at).get() = value };
    }
}
