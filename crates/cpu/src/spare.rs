//! Memory of maps that are gone, kept for the next ones: to zero it again takes a fraction of what fresh pages cost.

use std::cell::RefCell;

/// So many pieces of memory are kept per thread and kind of map.
const PIECES: usize = 3;
/// Larger ones, in bytes, are given back at once.
const LARGEST: usize = 1 << 25;

/// A cell of a map.
pub(crate) trait Cell: Copy + Default + 'static {
    /// Calls `f` with what the thread keeps; nothing when the thread is ending.
    fn with_kept<R>(f: impl FnOnce(&mut Vec<Vec<Self>>) -> R) -> Option<R>;
}

macro_rules! cell {
    ($cell:ty, $kept:ident) => {
        thread_local! {
            static $kept: RefCell<Vec<Vec<$cell>>> = const { RefCell::new(Vec::new()) };
        }
        impl Cell for $cell {
            fn with_kept<R>(f: impl FnOnce(&mut Vec<Vec<Self>>) -> R) -> Option<R> {
                $kept.try_with(|kept| f(&mut kept.borrow_mut())).ok()
            }
        }
    };
}
cell!(u64, WORDS);
cell!(u8, BYTES);

/// So many zeros.
pub(crate) fn zeros<T: Cell>(length: usize) -> Vec<T> {
    let fits = |piece: &Vec<T>| (length..=4 * length).contains(&piece.capacity());
    let kept = T::with_kept(|kept| kept.iter().position(fits).map(|at| kept.remove(at)));
    match kept.flatten() {
        Some(mut piece) => {
            piece.clear();
            piece.resize(length, T::default());
            piece
        }
        None => vec![T::default(); length],
    }
}

/// Keeps memory for later; the piece that was kept first gives way.
pub(crate) fn keep<T: Cell>(piece: Vec<T>) {
    if piece.capacity() == 0 || piece.capacity() * size_of::<T>() > LARGEST {
        return;
    }
    T::with_kept(|kept| {
        if kept.len() == PIECES {
            kept.remove(0);
        }
        kept.push(piece);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_and_is_zero() {
        let first: Vec<u64> = vec![7; 1000];
        let address = first.as_ptr();
        keep(first);
        assert_eq!(zeros::<u64>(10), [0; 10], "too large a piece");
        let again = zeros::<u64>(900);
        assert_eq!((again.as_ptr(), &again[..]), (address, &[0; 900][..]));
        let other = zeros::<u64>(900);
        assert_ne!(other.as_ptr(), address, "somebody has it");
        for length in 1..=5 {
            keep(vec![1u8; 100 * length]);
        }
        assert_eq!(u8::with_kept(|kept| kept.iter().map(Vec::len).collect::<Vec<_>>()), Some(vec![300, 400, 500]));
        keep(vec![1u8; LARGEST + 1]);
        keep(Vec::<u8>::new());
        assert_eq!(u8::with_kept(|kept| kept.len()), Some(PIECES));
    }
}
