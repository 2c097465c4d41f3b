//! The distinct cache lines that a step touches: the bytes that must move at least once.

use crate::layout::REGION;

/// A set of lines of `line` bytes, a bit map per region of the layout.
#[derive(Debug)]
pub(crate) struct Footprint {
    line: u64,
    regions: Vec<Vec<u64>>,
    lines: u64,
}

impl Footprint {
    /// No lines yet.
    pub(crate) fn new(line: u64) -> Footprint {
        Footprint { line, regions: Vec::new(), lines: 0 }
    }

    /// Adds a line, by its number.
    #[inline]
    pub(crate) fn add(&mut self, line: u64) {
        let per_region = REGION / self.line;
        let (region, within) = ((line / per_region) as usize, line % per_region);
        let (word, bit) = ((within / 64) as usize, 1u64 << (within % 64));
        if self.regions.len() <= region {
            self.regions.resize_with(region + 1, Vec::new);
        }
        let map = &mut self.regions[region];
        if map.len() <= word {
            map.resize(word + 1, 0);
        }
        self.lines += u64::from(map[word] & bit == 0);
        map[word] |= bit;
    }

    /// The bytes of all lines, and forgets them.
    pub(crate) fn take(&mut self) -> u64 {
        self.regions.iter_mut().for_each(Vec::clear);
        std::mem::take(&mut self.lines) * self.line
    }
}
