//! Vectors: shared, typed, densely stored cells with a stable identity.
//!
//! A [`Vector`] is a reference; cloning it shares the cells. The cells of nested vectors lie row after row in one
//! allocation. Cells are atomics that the host reads and writes with relaxed order, which costs what a plain access
//! costs, so the whole crate needs no `unsafe`.
//!
//! **For machines.** [`Vector::as_ptr`] gives the first cell. The invariant: the host touches cells only between calls
//! of the machine, so while a machine runs an operator or a claimed statement the cells are its own; its threads must
//! access a cell that two of them may share by atomic instructions. A machine that keeps the truth elsewhere (device
//! memory) marks the vector with [`Vector::set_watched`]; from then on the host announces every access through
//! [`Executable::host_will_read`](crate::Executable::host_will_read) and
//! [`Executable::host_will_write`](crate::Executable::host_will_write).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use gw_graph::ZeroedCells;
use gw_ir::types::Scalar;

use crate::error::{ErrorKind, Result};
use crate::scalar::Register;
use crate::value::Value;

/// A vector, or one row of a nested vector.
#[derive(Debug, Clone)]
pub struct Vector {
    storage: Arc<Storage>,
    start: usize,
    depth: u8,
}

/// The identity of the storage of a vector: unique in the process, never 0, never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VectorId(u64);

#[derive(Debug)]
struct Storage {
    id: u64,
    scalar: Scalar,
    /// Entries per level of nesting, outermost first.
    dims: Box<[usize]>,
    watched: AtomicBool,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    Narrow(ZeroedCells<AtomicU32>),
    Wide(ZeroedCells<AtomicU64>),
    Bytes(ZeroedCells<AtomicU8>),
}

impl Vector {
    /// A vector with these entries per level of nesting, every cell holding `fill`, given as register bits.
    pub(crate) fn filled(scalar: Scalar, dims: &[usize], fill: u64) -> Result<Vector> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let too_large = || ErrorKind::OutOfMemory { what: format!("a vector of {dims:?} entries") };
        let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).ok_or_else(too_large)?;
        let cells = match scalar {
            Scalar::Int | Scalar::Uint | Scalar::Float => {
                let cells = ZeroedCells::<AtomicU32>::new(count).ok_or_else(too_large)?;
                if fill as u32 != 0 {
                    cells.iter().for_each(|cell| cell.store(fill as u32, Relaxed));
                }
                Cells::Narrow(cells)
            }
            Scalar::Uint64 | Scalar::Double => {
                let cells = ZeroedCells::<AtomicU64>::new(count).ok_or_else(too_large)?;
                if fill != 0 {
                    cells.iter().for_each(|cell| cell.store(fill, Relaxed));
                }
                Cells::Wide(cells)
            }
            Scalar::Bool => {
                let cells = ZeroedCells::<AtomicU8>::new(count).ok_or_else(too_large)?;
                if fill != 0 {
                    cells.iter().for_each(|cell| cell.store(1, Relaxed));
                }
                Cells::Bytes(cells)
            }
            Scalar::String => return Err(ErrorKind::Unsupported("vectors of strings are not supported".into()).into()),
        };
        let storage = Storage {
            id: NEXT.fetch_add(1, Relaxed),
            scalar,
            dims: dims.into(),
            watched: AtomicBool::new(false),
            cells,
        };
        Ok(Vector { storage: Arc::new(storage), start: 0, depth: 0 })
    }

    /// A vector of zeros: one level of nesting per number in `dims`, outermost first.
    ///
    /// ```
    /// use gw_exec::{Vector, Scalar};
    /// let factors = Vector::zeros(Scalar::Double, &[10, 3]).unwrap();
    /// assert_eq!((factors.len(), factors.cells()), (10, 30));
    /// ```
    pub fn zeros(scalar: Scalar, dims: &[usize]) -> Result<Vector> {
        Vector::filled(scalar, dims, 0)
    }

    /// A vector with these entries.
    ///
    /// ```
    /// let levels = gw_exec::Vector::from_slice(&[0, 1, 1]);
    /// assert_eq!(levels.to_vec::<i32>(), Some(vec![0, 1, 1]));
    /// ```
    pub fn from_slice<T: Cell>(entries: &[T]) -> Vector {
        // A slice in memory is small enough and `Cell` types are never strings.
        match Vector::filled(T::SCALAR, &[entries.len()], 0) {
            Ok(vector) => {
                for (i, &entry) in entries.iter().enumerate() {
                    vector.store(i, entry.bits());
                }
                vector
            }
            Err(_) => unreachable!("a slice fits into memory"),
        }
    }

    /// The identity of the storage, shared by all references to it and its rows.
    pub fn id(&self) -> VectorId {
        VectorId(self.storage.id)
    }

    /// The type of the cells.
    pub fn scalar(&self) -> Scalar {
        self.storage.scalar
    }

    /// Number of entries; an entry of a nested vector is a row.
    pub fn len(&self) -> usize {
        self.dims().first().copied().unwrap_or(0)
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entries per level of nesting, outermost first.
    pub fn dims(&self) -> &[usize] {
        &self.storage.dims[self.depth as usize..]
    }

    /// Number of scalar cells.
    pub fn cells(&self) -> usize {
        self.dims().iter().product()
    }

    /// True when entries are cells, not rows.
    #[inline(always)]
    pub(crate) fn is_flat(&self) -> bool {
        self.storage.dims.len() == self.depth as usize + 1
    }

    /// Cells per entry.
    pub fn stride(&self) -> usize {
        self.dims().iter().skip(1).product()
    }

    /// The address of the first cell. See the module's invariant; the cells stay where they are while a reference lives.
    pub fn as_ptr(&self) -> *mut u8 {
        let at = self.start;
        match &self.storage.cells {
            Cells::Narrow(c) => c.get(at).map_or(std::ptr::null_mut(), |c| c.as_ptr().cast()),
            Cells::Wide(c) => c.get(at).map_or(std::ptr::null_mut(), |c| c.as_ptr().cast()),
            Cells::Bytes(c) => c.get(at).map_or(std::ptr::null_mut(), AtomicU8::as_ptr),
        }
    }

    /// Bytes per cell: 1, 4 or 8.
    pub fn cell_bytes(&self) -> usize {
        match &self.storage.cells {
            Cells::Narrow(_) => 4,
            Cells::Wide(_) => 8,
            Cells::Bytes(_) => 1,
        }
    }

    /// Asks for (or ends) announcements of host accesses to the machine.
    pub fn set_watched(&self, watched: bool) {
        self.storage.watched.store(watched, Relaxed);
    }

    /// Whether a machine asked for announcements of host accesses.
    #[inline(always)]
    pub fn is_watched(&self) -> bool {
        self.storage.watched.load(Relaxed)
    }

    /// Cell `i` as register bits. Panics out of range like a slice; the interpreter checks first.
    #[inline(always)]
    pub(crate) fn load(&self, i: usize) -> u64 {
        match &self.storage.cells {
            Cells::Narrow(c) => u64::from(c[self.start + i].load(Relaxed)),
            Cells::Wide(c) => c[self.start + i].load(Relaxed),
            Cells::Bytes(c) => u64::from(c[self.start + i].load(Relaxed)),
        }
    }

    /// Overwrites cell `i` with register bits.
    #[inline(always)]
    pub(crate) fn store(&self, i: usize, bits: u64) {
        match &self.storage.cells {
            Cells::Narrow(c) => c[self.start + i].store(bits as u32, Relaxed),
            Cells::Wide(c) => c[self.start + i].store(bits, Relaxed),
            Cells::Bytes(c) => c[self.start + i].store(bits as u8, Relaxed),
        }
    }

    /// The position of a cell of this view in the whole storage.
    #[inline(always)]
    pub(crate) fn storage_cell(&self, i: usize) -> usize {
        self.start + i
    }

    /// Row `i` of a nested vector.
    pub(crate) fn row(&self, i: usize) -> Vector {
        Vector { storage: Arc::clone(&self.storage), start: self.start + i * self.stride(), depth: self.depth + 1 }
    }

    /// Cell `i` counted over all rows; `None` out of range.
    pub fn get(&self, i: usize) -> Option<Value> {
        (i < self.cells()).then(|| Value::from_bits(self.scalar(), self.load(i)))
    }

    /// Overwrites cell `i` counted over all rows; false when out of range or of another type.
    pub fn set(&self, i: usize, value: &Value) -> bool {
        match value.bits() {
            Some(bits) if i < self.cells() && value.scalar() == Some(self.scalar()) => {
                self.store(i, bits);
                true
            }
            _ => false,
        }
    }

    /// All cells, row after row, if they are of type `T`.
    pub fn to_vec<T: Cell>(&self) -> Option<Vec<T>> {
        (T::SCALAR == self.scalar()).then(|| (0..self.cells()).map(|i| T::of_bits(self.load(i))).collect())
    }

    /// All cells as 64-bit floats, whatever their type: for comparisons and reports.
    pub fn to_f64(&self) -> Vec<f64> {
        (0..self.cells()).map(|i| crate::scalar::to_f64(self.scalar(), self.load(i))).collect()
    }

    /// Overwrites all cells; false when the number or type does not fit.
    pub fn copy_from_slice<T: Cell>(&self, cells: &[T]) -> bool {
        if T::SCALAR != self.scalar() || cells.len() != self.cells() {
            return false;
        }
        for (i, &cell) in cells.iter().enumerate() {
            self.store(i, cell.bits());
        }
        true
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

cells! { i32 = Int, u32 = Uint, u64 = Uint64, f32 = Float, f64 = Double, bool = Bool }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_share_cells_and_identity() -> Result<()> {
        let v = Vector::zeros(Scalar::Double, &[3, 2])?;
        let row = v.row(1);
        assert_eq!(row.dims(), &[2]);
        row.store(1, Register::bits(2.5f64));
        assert_eq!(v.to_vec::<f64>(), Some(vec![0.0, 0.0, 0.0, 2.5, 0.0, 0.0]));
        assert_eq!(row.id(), v.id());
        assert_ne!(v.id(), Vector::zeros(Scalar::Double, &[3, 2])?.id());
        assert_eq!(row.as_ptr() as usize - v.as_ptr() as usize, 16);
        Ok(())
    }

    #[test]
    fn wrong_types_and_sizes_are_refused() -> Result<()> {
        let v = Vector::from_slice(&[true, false]);
        assert_eq!(v.to_vec::<i32>(), None);
        assert!(!v.set(0, &Value::Int(1)));
        assert!(!v.set(2, &Value::Bool(true)));
        assert!(!v.copy_from_slice(&[true]));
        assert!(Vector::zeros(Scalar::String, &[1]).is_err());
        assert!(Vector::zeros(Scalar::Int, &[usize::MAX, 3]).is_err());
        Ok(())
    }
}
