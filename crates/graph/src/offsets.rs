//! Edge offsets of an adjacency: 32 bits wide when the graph allows it, 64 bits otherwise.

use std::ops::Range;

use rayon::prelude::*;

use crate::Buffer;

/// `vertices + 1` ascending positions; the edges of vertex `v` are `offsets[v]..offsets[v + 1]`.
#[derive(Debug)]
pub enum Offsets {
    /// Fewer than 2^32 edges.
    Narrow(Buffer<u32>),
    /// Any number of edges.
    Wide(Buffer<u64>),
}

impl Offsets {
    /// Offsets of consecutive lists with these lengths, as narrow as the total allows.
    ///
    /// ```
    /// let offsets = gw_graph::Offsets::from_degrees(&[2, 0, 3]);
    /// assert_eq!(offsets.range(2), 2..5);
    /// ```
    pub fn from_degrees(degrees: &[u32]) -> Self {
        let total: u64 = degrees.par_iter().map(|&d| u64::from(d)).sum();
        if u32::try_from(total).is_ok() {
            let mut offsets = Vec::with_capacity(degrees.len() + 1);
            let mut sum = 0u32;
            offsets.push(0);
            offsets.extend(degrees.iter().map(|&d| {
                sum += d;
                sum
            }));
            Offsets::Narrow(offsets.into())
        } else {
            let mut offsets = Vec::with_capacity(degrees.len() + 1);
            let mut sum = 0u64;
            offsets.push(0);
            offsets.extend(degrees.iter().map(|&d| {
                sum += u64::from(d);
                sum
            }));
            Offsets::Wide(offsets.into())
        }
    }

    /// Offsets given as 64-bit positions, narrowed when possible.
    pub fn from_positions(positions: Vec<u64>) -> Self {
        match positions.last() {
            Some(&last) if u32::try_from(last).is_err() => Offsets::Wide(positions.into()),
            _ => Offsets::Narrow(positions.into_iter().map(|p| p as u32).collect::<Vec<_>>().into()),
        }
    }

    /// The position at index `i` (`0..=vertices`).
    #[inline]
    pub fn at(&self, i: usize) -> usize {
        match self {
            Offsets::Narrow(o) => o[i] as usize,
            Offsets::Wide(o) => o[i] as usize,
        }
    }

    /// The edge positions of vertex `v`.
    #[inline]
    pub fn range(&self, v: u32) -> Range<usize> {
        self.at(v as usize)..self.at(v as usize + 1)
    }

    /// The list that holds this position.
    pub fn list_at(&self, position: usize) -> usize {
        let (mut low, mut high) = (0, self.lists());
        while low < high {
            let middle = (low + high) / 2;
            if self.at(middle + 1) <= position {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Number of lists, that is vertices.
    pub fn lists(&self) -> usize {
        let len = match self {
            Offsets::Narrow(o) => o.len(),
            Offsets::Wide(o) => o.len(),
        };
        len.saturating_sub(1)
    }

    /// True without any position, not even the first: no adjacency has such offsets.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Offsets::Narrow(o) => o.is_empty(),
            Offsets::Wide(o) => o.is_empty(),
        }
    }

    /// Number of edges.
    pub fn total(&self) -> usize {
        self.at(self.lists())
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Offsets::Narrow(o) => o.bytes(),
            Offsets::Wide(o) => o.bytes(),
        }
    }
}

impl PartialEq for Offsets {
    /// Equal positions, whatever the width.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Offsets::Narrow(a), Offsets::Narrow(b)) => a == b,
            (Offsets::Wide(a), Offsets::Wide(b)) => a == b,
            (Offsets::Narrow(a), Offsets::Wide(b)) | (Offsets::Wide(b), Offsets::Narrow(a)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(&x, &y)| u64::from(x) == y)
            }
        }
    }
}
