//! The memory that tasks see: objects with addresses, values in place.

use super::code::ObjectId;

/// Bytes of a cache line.
pub const LINE: u64 = 64;
/// Addresses from here on hold what no task writes.
const READ_ONLY: u64 = 1 << 40;

/// The cells behind an object.
pub trait Cells: Send {
    /// Cell `i` as register bits; `i` is below the length.
    fn load(&self, i: usize) -> u64;
    /// Overwrites cell `i`.
    fn store(&mut self, i: usize, bits: u64);
}

impl Cells for Vec<u64> {
    fn load(&self, i: usize) -> u64 {
        self[i]
    }

    fn store(&mut self, i: usize, bits: u64) {
        self[i] = bits;
    }
}

/// An object with its place in the address space.
pub struct Object {
    base: u64,
    cell_bytes: u64,
    len: usize,
    cells: Box<dyn Cells>,
}

/// The objects of a run.
#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
}

impl Memory {
    /// Adds an object at an address.
    pub fn add(&mut self, base: u64, cell_bytes: u64, len: usize, cells: Box<dyn Cells>) -> ObjectId {
        self.objects.push(Object { base, cell_bytes, len, cells });
        (self.objects.len() - 1) as ObjectId
    }

    /// The number of cells of an object.
    #[inline(always)]
    pub fn len(&self, object: ObjectId) -> usize {
        self.objects[object as usize].len
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// A value.
    #[inline(always)]
    pub fn load(&self, object: ObjectId, index: usize) -> u64 {
        self.objects[object as usize].cells.load(index)
    }

    /// Overwrites a value.
    #[inline(always)]
    pub fn store(&mut self, object: ObjectId, index: usize, bits: u64) {
        self.objects[object as usize].cells.store(index, bits);
    }

    /// The address of a cell.
    #[inline(always)]
    pub fn address(&self, object: ObjectId, index: u64) -> u64 {
        let object = &self.objects[object as usize];
        object.base + index * object.cell_bytes
    }

    /// The line of a cell.
    #[inline(always)]
    pub fn line(&self, object: ObjectId, index: u64) -> u64 {
        self.address(object, index) / LINE
    }
}

/// Whether a line holds what no task writes.
#[inline(always)]
pub(crate) fn is_read_only(line: u64) -> bool {
    line >= READ_ONLY / LINE
}

/// Hands out addresses, line by line.
#[derive(Debug, Clone)]
pub struct AddressSpace {
    next: u64,
    next_read_only: u64,
}

impl Default for AddressSpace {
    fn default() -> AddressSpace {
        AddressSpace { next: 0, next_read_only: READ_ONLY }
    }
}

impl AddressSpace {
    /// Room for bytes that tasks write.
    pub fn writable(&mut self, bytes: u64) -> u64 {
        take(&mut self.next, bytes)
    }

    /// Room for bytes that no task writes.
    pub fn read_only(&mut self, bytes: u64) -> u64 {
        take(&mut self.next_read_only, bytes)
    }

    /// Lines that tasks can write.
    pub fn writable_lines(&self) -> usize {
        (self.next / LINE) as usize
    }
}

fn take(next: &mut u64, bytes: u64) -> u64 {
    let base = *next;
    *next += bytes.max(1).div_ceil(LINE) * LINE;
    base
}
