//! Sets of query nodes as bits, 64 to a word.

/// Words for so many bits.
pub fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// Rows of bits, all of the same length.
#[derive(Debug, Clone)]
pub struct BitRows {
    words: Vec<u64>,
    width: usize,
}

impl BitRows {
    /// Rows without any bit.
    pub fn new(rows: usize, bits: usize) -> BitRows {
        BitRows { words: vec![0; rows * words(bits)], width: words(bits) }
    }

    /// All rows, one after the other.
    #[cfg(feature = "cuda")]
    pub fn all(&self) -> &[u64] {
        &self.words
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..(row + 1) * self.width]
    }

    /// A row to change.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.width..(row + 1) * self.width]
    }

    /// Sets a bit.
    pub fn set(&mut self, row: usize, bit: usize) {
        self.row_mut(row)[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether a bit is set.
    #[inline]
    pub fn has(&self, row: usize, bit: usize) -> bool {
        self.row(row)[bit / 64] >> (bit % 64) & 1 == 1
    }
}

/// The bits of a set, ascending.
pub fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| {
        std::iter::successors((word != 0).then_some(word), |rest| {
            let rest = rest & (rest - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |rest| at * 64 + rest.trailing_zeros() as usize)
    })
}

/// Whether two sets have a bit in common.
#[inline]
pub fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}
