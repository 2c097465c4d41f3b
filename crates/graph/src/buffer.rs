//! `Buffer<T>`: a read-only array that is either owned or a window into a memory-mapped file.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::MappedFile;
use bytemuck::Pod;

/// A read-only array of plain values, owned or memory-mapped.
///
/// Graph arrays are buffers, so that a `.gwg` file is used in place and a built graph owns its memory, with no
/// difference to the reader.
///
/// ```
/// let owned: gw_graph::Buffer<u32> = vec![1, 2, 3].into();
/// assert_eq!(&owned[1..], &[2, 3]);
/// ```
pub struct Buffer<T>(Repr<T>);

enum Repr<T> {
    Owned(Vec<T>),
    /// Invariant, checked by [`Buffer::mapped`]: `start` is aligned for `T` and `start + len * size_of::<T>()` lies
    /// inside the map.
    Mapped {
        map: Arc<MappedFile>,
        start: usize,
        len: usize,
        item: PhantomData<T>,
    },
}

impl<T: Pod> Buffer<T> {
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
            Repr::Mapped { map, start, len, .. } => bytemuck::cast_slice(&map[*start..*start + *len * size_of::<T>()]),
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(items: Vec<T>) -> Self {
        Buffer(Repr::Owned(items))
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
