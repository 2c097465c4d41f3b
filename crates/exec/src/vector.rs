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
//! [`RemoteMemory::host_will_read`](crate::RemoteMemory::host_will_read) and
//! [`RemoteMemory::host_will_write`](crate::RemoteMemory::host_will_write), or asks for single cells through
//! [`RemoteMemory::host_element`](crate::RemoteMemory::host_element) and
//! [`RemoteMemory::set_host_element`](crate::RemoteMemory::set_host_element).
//!
//! **Untouched cells.** A new vector reserves address space, a small one not even that, and no cell is written before
//! the host, or a machine by [`Vector::as_ptr`], asks for one: only then the fill value is stored. Until then
//! [`Vector::untouched`] gives that value, with which a machine fills its own copy. A copy belongs to the whole
//! storage, [`Vector::storage`], of which a row is a view that begins at [`Vector::storage_cell`]`(0)`.

use std::alloc::{Layout, handle_alloc_error};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU64};
use std::sync::{Arc, Once, OnceLock};

use gw_graph::{Graph, GraphId, Permutation};
use gw_ir::types::Scalar;

use crate::cells::{Cell, Cells, bytes_of};
use crate::error::{ErrorKind, Result};
use crate::links;
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

/// What a vector holds that is worked out from a graph. The host works it out when it first needs it; a machine may
/// keep its copy of it with the graph.
#[derive(Clone)]
pub struct Origin {
    /// The graph.
    pub graph: Arc<Graph>,
    /// What of it: vectors of one form of one graph are equal.
    pub form: Derived,
    /// The graph whose edges are numbered, for numbers of links.
    pub beside: Option<Arc<Graph>>,
}

/// Vectors that are worked out from a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Derived {
    /// The source of every edge.
    Sources,
    /// The destination of every edge.
    Targets,
    /// The position of the first edge of every vertex.
    FirstEdges,
    /// The number of every vertex by falling degree.
    RankedNumbers,
    /// The link of every edge of another graph, among the links that this graph is.
    LinkNumbers,
}

impl Origin {
    /// What distinguishes the vector from all others.
    pub fn key(&self) -> (GraphId, Derived, Option<GraphId>) {
        (self.graph.id(), self.form, self.beside.as_ref().map(|graph| graph.id()))
    }
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.key())
    }
}

#[derive(Debug)]
struct Storage {
    id: u64,
    scalar: Scalar,
    /// Entries per level of nesting, outermost first.
    dims: Box<[usize]>,
    /// What every cell holds before it is written, as register bits.
    fill: u64,
    /// [`WATCHED`] and [`UNTOUCHED`]; 0 for a vector that the host may use at once.
    state: AtomicU8,
    /// Done when the cells hold the fill value or what came after it.
    touched: Once,
    /// Those of a small vector are made when the host first needs them: the allocator writes zeros to small memory, and
    /// a machine with memory of its own may never ask.
    cells: OnceLock<Cells>,
    /// The graph that the cells are worked out from, until the first write.
    origin: OnceLock<Origin>,
}

/// Bytes from which on fresh memory is mapped and costs nothing until it is written.
const LARGE: usize = 1 << 20;

/// A vector by its entries per level of nesting.
pub(crate) fn described(dims: &[usize]) -> String {
    let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
    format!("a vector of {} entries", dims.join(" x "))
}

/// A machine wants to hear of host accesses.
const WATCHED: u8 = 1;
/// The cells are zero bytes still, whatever the fill value.
const UNTOUCHED: u8 = 2;

impl Vector {
    /// A vector with these entries per level of nesting, every cell holding `fill`, given as register bits. The cells
    /// are reserved here, so that a lack of memory is an error here, and filled when they are first needed.
    pub(crate) fn filled(scalar: Scalar, dims: &[usize], fill: u64) -> Result<Vector> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let too_large = || ErrorKind::OutOfMemory { what: described(dims) };
        let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).ok_or_else(too_large)?;
        if scalar == Scalar::String {
            return Err(ErrorKind::Unsupported("vectors of strings are not supported".into()).into());
        }
        let cells = OnceLock::new();
        if count >= LARGE / bytes_of(scalar) {
            let _ = cells.set(Cells::new(scalar, count).ok_or_else(too_large)?);
        }
        let storage = Storage {
            id: NEXT.fetch_add(1, Relaxed),
            scalar,
            dims: dims.into(),
            fill,
            state: AtomicU8::new(UNTOUCHED),
            touched: Once::new(),
            cells,
            origin: OnceLock::new(),
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
                let cells = vector.touched();
                entries.iter().enumerate().for_each(|(i, &entry)| cells.store(i, entry.bits()));
                vector
            }
            Err(_) => unreachable!("a slice fits into memory"),
        }
    }

    /// A vector of `len` whole numbers, worked out from a graph when the host first needs them.
    pub(crate) fn derived(origin: Origin, len: usize) -> Result<Vector> {
        let vector = Vector::filled(Scalar::Int, &[len], 0)?;
        let _ = vector.storage.origin.set(origin);
        Ok(vector)
    }

    /// The graph that the cells are worked out from; they equal it until the first write.
    pub fn origin(&self) -> Option<&Origin> {
        self.storage.origin.get()
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

    /// The address of the first cell, filled if it was not yet. See the module's invariant; the cells stay where they
    /// are while a reference lives.
    pub fn as_ptr(&self) -> *mut u8 {
        self.touch();
        self.storage.cells().address(self.start)
    }

    /// The address of the first cell of the whole storage for a machine that overwrites every cell of it: nothing is
    /// filled before. The vector counts as touched from here on.
    pub fn as_ptr_to_overwrite(&self) -> *mut u8 {
        self.storage.touched.call_once(|| self.storage.end_untouched());
        self.storage.cells().address(0)
    }

    /// The vector that this is a row of, or the vector itself: all cells of the storage. It has the same identity.
    pub fn storage(&self) -> Vector {
        Vector { storage: Arc::clone(&self.storage), start: 0, depth: 0 }
    }

    /// The value of every cell of the storage, as register bits, while no cell was ever needed on the host. Numbers
    /// of 32 bits stand in the low half; a bool is 0 or 1.
    ///
    /// ```
    /// let ranks = gw_exec::Vector::zeros(gw_exec::Scalar::Double, &[1 << 20]).unwrap();
    /// assert_eq!(ranks.untouched(), Some(0));
    /// ranks.get(7);
    /// assert_eq!(ranks.untouched(), None);
    /// ```
    pub fn untouched(&self) -> Option<u64> {
        let is_filled = self.storage.state.load(Acquire) & UNTOUCHED != 0 && self.storage.origin.get().is_none();
        is_filled.then_some(self.storage.fill)
    }

    /// True while there are more than `mine` references to the storage, rows counted. A machine that holds `mine` of
    /// them can give up its copy when this becomes false: the program can no longer reach the vector.
    pub fn is_shared_beyond(&self, mine: usize) -> bool {
        Arc::strong_count(&self.storage) > mine
    }

    /// Fills the cells unless that was done before.
    #[inline]
    pub(crate) fn touch(&self) {
        if self.storage.state.load(Acquire) & UNTOUCHED != 0 {
            self.storage.touch();
        }
    }

    /// Bytes per cell: 1, 4 or 8.
    pub fn cell_bytes(&self) -> usize {
        bytes_of(self.storage.scalar)
    }

    /// Asks for (or ends) announcements of host accesses to the machine.
    pub fn set_watched(&self, watched: bool) {
        match watched {
            true => self.storage.state.fetch_or(WATCHED, AcqRel),
            false => self.storage.state.fetch_and(!WATCHED, AcqRel),
        };
    }

    /// Whether a machine asked for announcements of host accesses.
    #[inline(always)]
    pub fn is_watched(&self) -> bool {
        self.storage.state.load(Relaxed) & WATCHED != 0
    }

    /// The cells for the host, unless a machine must be asked first or they are not filled yet: the one test on the hot
    /// path of the interpreter.
    #[inline(always)]
    pub(crate) fn plain(&self) -> Option<Plain<'_>> {
        (self.storage.state.load(Acquire) == 0).then_some(Plain(self))
    }

    /// The cells, filled if they were not yet. The host asks the machine before, when the vector is watched.
    #[inline(always)]
    pub(crate) fn touched(&self) -> Plain<'_> {
        self.touch();
        Plain(self)
    }

    /// The position of a cell of this view in the whole storage.
    #[inline(always)]
    pub fn storage_cell(&self, i: usize) -> usize {
        self.start + i
    }

    /// Row `i` of a nested vector.
    pub(crate) fn row(&self, i: usize) -> Vector {
        Vector { storage: Arc::clone(&self.storage), start: self.start + i * self.stride(), depth: self.depth + 1 }
    }

    /// Cell `i` counted over all rows; `None` out of range.
    pub fn get(&self, i: usize) -> Option<Value> {
        (i < self.cells()).then(|| Value::from_bits(self.scalar(), self.touched().load(i)))
    }

    /// Register bits of cell `i` counted over all rows ([`scalar`](crate::scalar)).
    ///
    /// # Panics
    /// Out of range, like a slice.
    #[inline]
    pub fn load_bits(&self, i: usize) -> u64 {
        self.touched().load(i)
    }

    /// Overwrites cell `i` counted over all rows with register bits of its type.
    ///
    /// # Panics
    /// Out of range, like a slice.
    #[inline]
    pub fn store_bits(&self, i: usize, bits: u64) {
        self.touched().store(i, bits);
    }

    /// Overwrites cell `i` counted over all rows; false when out of range or of another type.
    pub fn set(&self, i: usize, value: &Value) -> bool {
        match value.bits() {
            Some(bits) if i < self.cells() && value.scalar() == Some(self.scalar()) => {
                self.touched().store(i, bits);
                true
            }
            _ => false,
        }
    }

    /// All cells, row after row, if they are of type `T`.
    pub fn to_vec<T: Cell>(&self) -> Option<Vec<T>> {
        let cells = self.touched();
        (T::SCALAR == self.scalar()).then(|| (0..self.cells()).map(|i| T::of_bits(cells.load(i))).collect())
    }

    /// A vector of its own with the same entries, `len` of them: zeros behind those that there are, none of
    /// those beyond.
    pub(crate) fn copy(&self, len: usize) -> Result<Vector> {
        let mut dims = self.dims().to_vec();
        if let Some(entries) = dims.first_mut() {
            *entries = len;
        }
        if let (Some(fill), true) = (self.untouched(), len == self.len()) {
            return Vector::filled(self.scalar(), &dims, fill);
        }
        let copy = Vector::zeros(self.scalar(), &dims)?;
        self.touch();
        copy.touch();
        let cells = self.cells().min(copy.cells());
        let from = self.start..self.start + cells;
        // A loop per width: the width is not asked for at every cell.
        match (self.storage.cells(), copy.storage.cells()) {
            (Cells::Narrow(old), Cells::Narrow(new)) => {
                old[from].iter().zip(new.iter()).for_each(|(old, new)| new.store(old.load(Relaxed), Relaxed));
            }
            (Cells::Wide(old), Cells::Wide(new)) => {
                old[from].iter().zip(new.iter()).for_each(|(old, new)| new.store(old.load(Relaxed), Relaxed));
            }
            (Cells::Bytes(old), Cells::Bytes(new)) => {
                old[from].iter().zip(new.iter()).for_each(|(old, new)| new.store(old.load(Relaxed), Relaxed));
            }
            _ => unreachable!("both have the same scalar"),
        }
        Ok(copy)
    }

    /// True for two references to the same cells.
    pub(crate) fn is_same_part(&self, other: &Vector) -> bool {
        self.id() == other.id() && self.start == other.start && self.depth == other.depth
    }

    /// The same rows, each where its vertex was before it was renumbered.
    pub(crate) fn by_old_numbers(&self, permutation: &Permutation) -> Result<Vector> {
        let (rows, ids) = (self.len(), permutation.new_ids());
        if rows != ids.len() {
            return Ok(self.clone());
        }
        let old = Vector::zeros(self.scalar(), self.dims())?;
        let (width, from, to) = (self.cells() / rows.max(1), self.touched(), old.touched());
        for (row, &new) in ids.iter().enumerate() {
            for at in 0..width {
                to.store(row * width + at, from.load(new as usize * width + at));
            }
        }
        Ok(old)
    }

    /// All cells as 64-bit floats, whatever their type: for comparisons and reports.
    pub fn to_f64(&self) -> Vec<f64> {
        let cells = self.touched();
        (0..self.cells()).map(|i| crate::scalar::to_f64(self.scalar(), cells.load(i))).collect()
    }

    /// Overwrites all cells; false when the number or type does not fit.
    pub fn copy_from_slice<T: Cell>(&self, cells: &[T]) -> bool {
        if T::SCALAR != self.scalar() || cells.len() != self.cells() {
            return false;
        }
        let own = self.touched();
        cells.iter().enumerate().for_each(|(i, &cell)| own.store(i, cell.bits()));
        true
    }
}

/// The cells of a vector, or of a row, known to be filled.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'v>(&'v Vector);

impl Plain<'_> {
    /// Cell `i` as register bits. Panics out of range like a slice; the interpreter checks first.
    #[inline(always)]
    pub(crate) fn load(self, i: usize) -> u64 {
        let i = self.0.start + i;
        match self.0.storage.cells() {
            Cells::Narrow(c) => u64::from(c[i].load(Relaxed)),
            Cells::Wide(c) => c[i].load(Relaxed),
            Cells::Bytes(c) => u64::from(c[i].load(Relaxed)),
        }
    }

    /// Overwrites cell `i` with register bits.
    #[inline(always)]
    pub(crate) fn store(self, i: usize, bits: u64) {
        let i = self.0.start + i;
        match self.0.storage.cells() {
            Cells::Narrow(c) => c[i].store(bits as u32, Relaxed),
            Cells::Wide(c) => c[i].store(bits, Relaxed),
            Cells::Bytes(c) => c[i].store(bits as u8, Relaxed),
        }
    }
}

impl Storage {
    #[inline(always)]
    fn cells(&self) -> &Cells {
        match self.cells.get() {
            Some(cells) => cells,
            None => self.make_cells(),
        }
    }

    /// The cells of a small vector.
    #[cold]
    fn make_cells(&self) -> &Cells {
        let count = self.dims.iter().product();
        self.cells.get_or_init(|| match Cells::new(self.scalar, count) {
            Some(cells) => cells,
            // As for every other small allocation.
            None => match Layout::array::<u64>(count) {
                Ok(layout) => handle_alloc_error(layout),
                Err(_) => handle_alloc_error(Layout::new::<u64>()),
            },
        })
    }

    #[cold]
    fn touch(&self) {
        self.touched.call_once(|| {
            match self.origin.get() {
                Some(origin) => self.cells().copy(&links::entries(origin)),
                None => self.cells().fill(self.fill),
            }
            self.end_untouched();
        });
    }

    fn end_untouched(&self) {
        self.state.fetch_and(!UNTOUCHED, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Register;

    #[test]
    fn rows_share_cells_and_identity() -> Result<()> {
        let v = Vector::zeros(Scalar::Double, &[3, 2])?;
        let row = v.row(1);
        assert_eq!(row.dims(), &[2]);
        row.touched().store(1, Register::bits(2.5f64));
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

    #[test]
    fn too_large_is_an_error_when_the_vector_is_made() {
        let kind = |dims: &[usize]| Vector::filled(Scalar::Double, dims, 1).map_err(|e| e.to_string());
        for dims in [&[usize::MAX, 3][..], &[usize::MAX / 16], &[1 << 58]] {
            assert!(kind(dims).is_err_and(|e| e.contains("out of memory")), "{dims:?}");
        }
    }

    #[test]
    fn cells_are_filled_when_first_needed() -> Result<()> {
        let minus_one = Register::bits(-1i32);
        let fresh = || Vector::filled(Scalar::Int, &[3, 2], minus_one);
        let v = fresh()?;
        let row = v.row(1);
        assert_eq!((v.untouched(), row.untouched()), (Some(minus_one), Some(minus_one)));
        assert!(v.plain().is_none());
        // A row touches the storage that it shares.
        assert_eq!(row.get(0).and_then(|v| v.as_int()), Some(-1));
        assert_eq!((v.untouched(), row.untouched()), (None, None));
        assert!(v.plain().is_some());
        assert_eq!(v.to_vec::<i32>(), Some(vec![-1; 6]));
        let by_pointer = fresh()?;
        assert!(!by_pointer.as_ptr().is_null());
        assert_eq!((by_pointer.untouched(), by_pointer.to_vec::<i32>()), (None, Some(vec![-1; 6])));
        Ok(())
    }

    #[test]
    fn a_machine_that_overwrites_everything_finds_nothing_filled() -> Result<()> {
        let v = Vector::filled(Scalar::Bool, &[2, 2], 1)?;
        let row = v.row(1);
        assert_eq!(row.storage().cells(), 4);
        assert_eq!(row.storage_cell(0), 2);
        assert_eq!(row.as_ptr_to_overwrite(), v.as_ptr_to_overwrite());
        assert_eq!((v.untouched(), v.to_vec::<bool>()), (None, Some(vec![false; 4])));
        Ok(())
    }

    #[test]
    fn threads_agree_on_the_fill_value() -> Result<()> {
        for _ in 0..200 {
            let v = Vector::filled(Scalar::Uint64, &[5000], 9)?;
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| assert_eq!(v.get(4999).and_then(|x| x.bits()), Some(9)));
                }
            });
        }
        Ok(())
    }

    #[test]
    fn watched_vectors_are_not_plain() -> Result<()> {
        let v = Vector::from_slice(&[1, 2]);
        v.set_watched(true);
        assert!(v.is_watched() && v.plain().is_none());
        v.set_watched(false);
        assert!(!v.is_watched() && v.plain().is_some());
        let own = v.clone();
        assert!(v.is_shared_beyond(1) && !v.is_shared_beyond(2));
        drop(own);
        assert!(!v.is_shared_beyond(1));
        Ok(())
    }
}
