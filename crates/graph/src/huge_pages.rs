//! Asks the operating system for huge pages under large arrays, which graph algorithms read at random.

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
