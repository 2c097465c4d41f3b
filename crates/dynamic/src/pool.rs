//! Blocks of 2^k slots: given out, taken back, used again.

/// The smallest block has 2^2 slots: one quarter of a cache line.
const SMALLEST: u8 = 2;
/// The number of sizes: a list has at most 2^31 entries.
pub(crate) const SIZES: usize = 32;

/// Where a list stands: the first slot of its block and the size of the block, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block(u64);

impl Block {
    /// No block: the list is empty.
    pub(crate) const NONE: Block = Block(63);

    pub(crate) fn new(begin: usize, size: u8) -> Block {
        Block((begin as u64) << 6 | u64::from(size))
    }

    /// The first slot; 0 without a block.
    pub(crate) fn begin(self) -> usize {
        if self == Block::NONE { 0 } else { (self.0 >> 6) as usize }
    }

    /// The logarithm of the number of slots.
    pub(crate) fn size(self) -> Option<u8> {
        (self != Block::NONE).then_some((self.0 & 63) as u8)
    }

    /// The number of slots.
    pub(crate) fn slots(self) -> usize {
        self.size().map_or(0, |size| 1 << size)
    }

    /// Whether a list of this length belongs here: it fits, and fills half of the block unless that is the smallest.
    pub(crate) fn suits(self, len: usize) -> bool {
        match self.size() {
            None => len == 0,
            Some(size) => len <= self.slots() && (len * 2 >= self.slots() || (size == SMALLEST && len > 0)),
        }
    }
}

/// The size of block that a list of this length gets; none when it is empty.
pub(crate) fn size_for(len: usize) -> Option<u8> {
    (len > 0).then(|| (len.next_power_of_two().trailing_zeros() as u8).max(SMALLEST))
}

/// Slots of so many blocks per size.
pub(crate) fn slots_of(counts: &[usize; SIZES]) -> usize {
    counts.iter().enumerate().map(|(size, &count)| count << size).sum()
}

/// Which slots of a region are in which blocks.
pub(crate) struct Pool {
    slots: usize,
    /// Slots from here on have never been given out.
    end: usize,
    /// Blocks that were given back, by size.
    free: [Vec<usize>; SIZES],
    /// Slots of blocks in use.
    used: usize,
}

impl Pool {
    /// A region of so many slots, none of them in use.
    pub(crate) fn new(slots: usize) -> Self {
        Pool { slots, end: 0, free: std::array::from_fn(|_| Vec::new()), used: 0 }
    }

    /// Whether so many blocks per size can be given out.
    pub(crate) fn has(&self, counts: &[usize; SIZES]) -> bool {
        let missing = |(size, &count): (usize, &usize)| count.saturating_sub(self.free[size].len()) << size;
        self.end + counts.iter().enumerate().map(missing).sum::<usize>() <= self.slots
    }

    /// A block of this size. The caller has asked [`Pool::has`].
    pub(crate) fn take(&mut self, size: u8) -> Block {
        let begin = self.free[usize::from(size)].pop().unwrap_or_else(|| {
            let begin = self.end;
            self.end += 1 << size;
            assert!(self.end <= self.slots, "the pool was asked whether it has the block");
            begin
        });
        self.used += 1 << size;
        Block::new(begin, size)
    }

    /// So many blocks of this size side by side, of slots that were never given out; where they begin. The caller has
    /// asked [`Pool::has`].
    pub(crate) fn take_row(&mut self, size: u8, count: usize) -> usize {
        let begin = self.end;
        self.end += count << size;
        self.used += count << size;
        assert!(self.end <= self.slots, "the pool was asked whether it has the blocks");
        begin
    }

    /// Takes a block back that nobody reads any more.
    pub(crate) fn give_back(&mut self, block: Block) {
        self.forget(block);
        self.reuse(block);
    }

    /// A block that no list uses, though readers may: it does not count as used, and cannot be taken yet.
    pub(crate) fn forget(&mut self, block: Block) {
        self.used -= block.slots();
    }

    /// A forgotten block can be taken again.
    pub(crate) fn reuse(&mut self, block: Block) {
        if let Some(size) = block.size() {
            self.free[usize::from(size)].push(block.begin());
        }
    }

    /// Slots of blocks in use.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Slots that were given out at some time: the memory that was written.
    pub(crate) fn touched(&self) -> usize {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_next_power_of_two() {
        let sizes = [0, 1, 4, 5, 8, 9, 1 << 20].map(size_for);
        assert_eq!(sizes, [None, Some(2), Some(2), Some(3), Some(3), Some(4), Some(20)]);
        let block = Block::new(64, 4);
        assert_eq!([0, 7, 8, 16, 17].map(|len| block.suits(len)), [false, false, true, true, false]);
        assert_eq!([0, 1, 4].map(|len| Block::new(0, 2).suits(len)), [false, true, true]);
    }

    #[test]
    fn blocks_are_used_again() {
        let mut counts = [0; SIZES];
        counts[3] = 2;
        let mut pool = Pool::new(slots_of(&counts));
        assert!(pool.has(&counts));
        let (first, second) = (pool.take(3), pool.take(3));
        assert_eq!((first.begin(), second.begin(), pool.used(), pool.has(&counts)), (0, 8, 16, false));
        pool.give_back(first);
        assert_eq!((pool.used(), pool.take(3), pool.touched()), (8, first, 16));
        assert_eq!((Block::NONE.begin(), Block::NONE.slots(), second.size()), (0, 0, Some(3)));
    }
}
