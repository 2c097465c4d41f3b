//! The cells of vectors: bytes, words of 32 bits or words of 64 bits in one allocation. The Rust types that cells hold.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use gw_graph::ZeroedCells;
use gw_ir::types::Scalar;

use crate::scalar::Register;

/// Bytes of a cell.
pub(crate) fn bytes_of(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Int | Scalar::Uint | Scalar::Float => 4,
        Scalar::Int64 | Scalar::Uint64 | Scalar::Double => 8,
        Scalar::Bool | Scalar::String => 1,
    }
}

/// Cells of one width.
#[derive(Debug)]
pub(crate) enum Cells {
    Narrow(ZeroedCells<AtomicU32>),
    Wide(ZeroedCells<AtomicU64>),
    Bytes(ZeroedCells<AtomicU8>),
}

impl Cells {
    /// Zeros; `None` when the system has no memory for them.
    pub(crate) fn new(scalar: Scalar, count: usize) -> Option<Cells> {
        match bytes_of(scalar) {
            1 => ZeroedCells::new(count).map(Cells::Bytes),
            4 => ZeroedCells::new(count).map(Cells::Narrow),
            _ => ZeroedCells::new(count).map(Cells::Wide),
        }
    }

    /// Stores the value with these register bits into all cells, which are zeros.
    pub(crate) fn fill(&self, bits: u64) {
        match self {
            // Zeroed cells are zero already; not to write them leaves their pages to whoever needs them.
            _ if bits == 0 => {}
            Cells::Narrow(cells) => cells.iter().for_each(|cell| cell.store(bits as u32, Relaxed)),
            Cells::Wide(cells) => cells.iter().for_each(|cell| cell.store(bits, Relaxed)),
            Cells::Bytes(cells) => cells.iter().for_each(|cell| cell.store(bits as u8, Relaxed)),
        }
    }

    /// Stores whole numbers into the first cells, as many as there are.
    pub(crate) fn copy(&self, numbers: &[i32]) {
        if let Cells::Narrow(cells) = self {
            cells.iter().zip(numbers).for_each(|(cell, &number)| cell.store(number as u32, Relaxed));
        }
    }

    /// The address of a cell; null beyond the last.
    pub(crate) fn address(&self, at: usize) -> *mut u8 {
        match self {
            Cells::Narrow(c) => c.get(at).map_or(std::ptr::null_mut(), |c| c.as_ptr().cast()),
            Cells::Wide(c) => c.get(at).map_or(std::ptr::null_mut(), |c| c.as_ptr().cast()),
            Cells::Bytes(c) => c.get(at).map_or(std::ptr::null_mut(), AtomicU8::as_ptr),
        }
    }
}

/// A Rust type that is a cell of vectors.
pub trait Cell: Copy {
    /// The scalar it represents.
    const SCALAR: Scalar;
    /// Its register bits.
    fn bits(self) -> u64;
    /// The value with these register bits.
    fn of_bits(bits: u64) -> Self;
}

macro_rules! cells {
    ($($t:ty = $scalar:ident),*) => {$(
        impl Cell for $t {
            const SCALAR: Scalar = Scalar::$scalar;
            fn bits(self) -> u64 {
                Register::bits(self)
            }
            fn of_bits(bits: u64) -> Self {
                Register::of(bits)
            }
        }
    )*};
}

cells! { i32 = Int, u32 = Uint, i64 = Int64, u64 = Uint64, f32 = Float, f64 = Double, bool = Bool }
