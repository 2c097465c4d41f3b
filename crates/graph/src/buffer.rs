//! `Buffer<T>`: a read-only array: owned, shared, a window into a memory-mapped file, or memory of somebody else.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::MappedFile;
use bytemuck::Pod;

/// A read-only array of plain values: owned, shared or memory-mapped.
///
/// Graph arrays are buffers, so that a `.gwg` file is used in place, arrays of a caller are used without a copy and a
/// built graph owns its memory, with no difference to the reader.
///
/// ```
/// let owned: gw_graph::Buffer<u32> = vec![1, 2, 3].into();
/// assert_eq!(&owned[1..], &[2, 3]);
/// ```
pub struct Buffer<T>(Repr<T>);

enum Repr<T> {
    Owned(Vec<T>),
    Shared(Arc<[T]>),
    Foreign(Foreign<T>),
    /// Invariant, checked by [`Buffer::mapped`]: `start` is aligned for `T` and `start + len * size_of::<T>()` lies
    /// inside the map.
    Mapped {
        map: Arc<MappedFile>,
        start: usize,
        len: usize,
        item: PhantomData<T>,
    },
}

/// Items in memory that `owner` keeps.
///
/// Invariant, promised by the caller of [`Buffer::foreign`]: the items stay where they are and unchanged while `owner`
/// lives.
struct Foreign<T> {
    #[expect(dead_code, reason = "keeps the items")]
    owner: Box<dyn Any + Send + Sync>,
    start: *const T,
    len: usize,
}

// SAFETY: nobody writes the items (invariant of `Foreign`), and the owner may be sent and shared itself.
unsafe impl<T: Sync> Send for Foreign<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Foreign<T> {}

impl<T: Pod> Buffer<T> {
    /// Items in memory that belongs to somebody else, such as an array of another language.
    ///
    /// # Safety
    /// `items` must stay valid, in place and unchanged until `owner` is dropped.
    pub unsafe fn foreign(items: *const [T], owner: Box<dyn Any + Send + Sync>) -> Self {
        Buffer(Repr::Foreign(Foreign { owner, start: items.cast(), len: items.len() }))
    }

    /// A window of `len` items at byte `start` of `map`; `None` when it does not fit or is not aligned.
    pub fn mapped(map: Arc<MappedFile>, start: usize, len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>())?;
        let window = map.get(start..start.checked_add(bytes)?)?;
        bytemuck::try_cast_slice::<u8, T>(window).ok()?;
        Some(Buffer(Repr::Mapped { map, start, len, item: PhantomData }))
    }

    /// True when the items live in a mapped file rather than in memory of this process.
    pub fn is_mapped(&self) -> bool {
        matches!(self.0, Repr::Mapped { .. })
    }

    /// Size of the items in bytes.
    pub fn bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Repr::Owned(items) => items,
            Repr::Shared(items) => items,
            // SAFETY: the invariant of `Foreign`.
            Repr::Foreign(foreign) => unsafe { std::slice::from_raw_parts(foreign.start, foreign.len) },
            Repr::Mapped { map, start, len, .. } => bytemuck::cast_slice(&map[*start..*start + *len * size_of::<T>()]),
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(items: Vec<T>) -> Self {
        Buffer(Repr::Owned(items))
    }
}

impl<T> From<Arc<[T]>> for Buffer<T> {
    fn from(items: Arc<[T]>) -> Self {
        Buffer(Repr::Shared(items))
    }
}

impl<T: Pod + PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        let mut list = f.debug_list();
        list.entries(self.iter().take(SHOWN));
        if self.len() > SHOWN {
            list.entry(&format_args!("… {} in all", self.len()));
        }
        list.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_a_caller_are_used_in_place_and_kept() {
        let shared: Arc<[u32]> = Arc::from([3, 1, 2]);
        let buffer: Buffer<u32> = Arc::clone(&shared).into();
        assert_eq!((buffer.as_ptr(), &*buffer), (shared.as_ptr(), &[3, 1, 2][..]));

        let owner = Arc::new(vec![7u32, 8]);
        // SAFETY: nobody changes the vector, and the buffer holds it.
        let buffer = unsafe { Buffer::foreign(&raw const owner[..], Box::new(Arc::clone(&owner))) };
        assert_eq!((buffer.as_ptr(), &*buffer, Arc::strong_count(&owner)), (owner.as_ptr(), &[7, 8][..], 2));
        drop(buffer);
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
