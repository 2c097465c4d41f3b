//! What workers tell each other, as bytes: numbers in little-endian order, one after the other.

use gw_exec::Scalar;
use gw_exec::Vector;

/// A message that is being written.
#[derive(Debug, Default, Clone)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

/// A message that is being read. What is missing reads as 0 and is noted.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    /// The message was shorter than what was read from it.
    pub(crate) is_short: bool,
}

impl Writer {
    pub(crate) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A cell of this many bytes.
    pub(crate) fn cell(&mut self, bits: u64, width: usize) {
        self.0.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, is_short: false }
    }

    /// Bytes that were not read yet.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn bytes(&mut self, count: usize) -> &'b [u8] {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            self.is_short = true;
            self.bytes = &[];
            return &[];
        };
        self.bytes = rest;
        taken
    }

    pub(crate) fn u8(&mut self) -> u8 {
        self.cell(1) as u8
    }

    pub(crate) fn u32(&mut self) -> u32 {
        self.cell(4) as u32
    }

    pub(crate) fn u64(&mut self) -> u64 {
        self.cell(8)
    }

    /// A cell of this many bytes.
    pub(crate) fn cell(&mut self, width: usize) -> u64 {
        let mut bits = [0; 8];
        let taken = self.bytes(width);
        bits[..taken.len()].copy_from_slice(taken);
        u64::from_le_bytes(bits)
    }
}

/// Bytes of a cell.
pub(crate) fn width(vector: &Vector) -> usize {
    match vector.scalar() {
        Scalar::Bool => 1,
        Scalar::Int64 | Scalar::Uint64 | Scalar::Double => 8,
        Scalar::Int | Scalar::Uint | Scalar::Float | Scalar::String => 4,
    }
}

/// Writes cells of a vector, one after the other.
pub(crate) fn write_cells(message: &mut Writer, vector: &Vector, cells: impl Iterator<Item = usize>) {
    fn write<const W: usize>(message: &mut Writer, vector: &Vector, cells: impl Iterator<Item = usize>) {
        message.0.reserve(cells.size_hint().0 * W);
        cells.for_each(|cell| message.0.extend_from_slice(&vector.load_bits(cell).to_le_bytes()[..W]));
    }
    // The width is known to the compiler in each of them.
    match width(vector) {
        1 => write::<1>(message, vector, cells),
        4 => write::<4>(message, vector, cells),
        _ => write::<8>(message, vector, cells),
    }
}

/// Reads as many cells of a vector as were written. Nothing is stored where one of them is missing.
pub(crate) fn read_cells(reader: &mut Reader<'_>, vector: &Vector, count: usize, cells: impl Iterator<Item = usize>) {
    fn store<const W: usize>(bytes: &[u8], vector: &Vector, cells: impl Iterator<Item = usize>) {
        for (cell, bytes) in cells.zip(bytes.chunks_exact(W)) {
            let mut bits = [0; 8];
            bits[..W].copy_from_slice(bytes);
            vector.store_bits(cell, u64::from_le_bytes(bits));
        }
    }
    let width = width(vector);
    let bytes = reader.bytes(count.saturating_mul(width));
    match width {
        1 => store::<1>(bytes, vector, cells),
        4 => store::<4>(bytes, vector, cells),
        _ => store::<8>(bytes, vector, cells),
    }
}
