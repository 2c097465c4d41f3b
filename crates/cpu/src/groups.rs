//! Tables of workers in which the neighbours of one vertex are grouped by key.
//!
//! The dense table has a word for every key, which is 0 where there is no such group: keys never meet. Where a key is
//! beyond the words, or the value of a group becomes the word 0, generated code begins the vertex anew with the hash
//! table.
//!
//! The hash table has as many slots as a power of two. A key begins at the slot `(key * SPREAD mod 2^32) >> (32 -
//! bits)` and goes on to the next slots while they hold other keys; no more than half of the slots are taken. Generated
//! code fills both tables, notes which words and slots are taken, and empties them by the notes.

use gw_ir::groups::fixed_shift;

use crate::abi::Worker;

/// The key of a slot that holds none.
pub(crate) const NO_KEY: i64 = -1;
/// Keys are spread by this number, 2^32 over the golden ratio.
pub(crate) const SPREAD: u32 = 2_654_435_769;
/// Slots of a hash table at first, as a power of two; it doubles while more than half are taken.
pub(crate) const FIRST_BITS: i64 = 9;

/// A slot.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// The key, or [`NO_KEY`].
    pub(crate) key: i64,
    /// The value of the group as a word.
    pub(crate) word: i64,
}

const EMPTY: Slot = Slot { key: NO_KEY, word: 0 };

/// The tables of a worker. Generated code knows the offsets of the pointers, of `room`, `dense_room` and `shift`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) slots: *mut Slot,
    /// The dense table.
    pub(crate) words: *mut i64,
    /// Numbers of the slots or words that are taken, and one entry more, which is written before it is known to count.
    pub(crate) taken: *mut u32,
    /// Words that there is memory for; all are 0 between two vertices.
    pub(crate) dense_room: u64,
    /// Slots that there is memory for; all are empty between two vertices.
    pub(crate) room: u64,
    /// After [`grow`]: 32 less the logarithm of the slots in use.
    pub(crate) shift: u64,
    memory: Vec<Slot>,
    dense: Vec<i64>,
    noted: Vec<u32>,
}

impl Default for Table {
    fn default() -> Table {
        let (mut memory, mut dense, mut noted) = (Vec::new(), Vec::new(), Vec::new());
        let (slots, words, taken) = (memory.as_mut_ptr(), dense.as_mut_ptr(), noted.as_mut_ptr());
        Table { slots, words, taken, dense_room: 0, room: 0, shift: 32, memory, dense, noted }
    }
}

impl Table {
    /// Makes room for so many slots, a power of two.
    pub(crate) fn reserve(&mut self, slots: u64) {
        if slots <= self.room {
            return;
        }
        self.memory.resize(slots as usize, EMPTY);
        (self.slots, self.room) = (self.memory.as_mut_ptr(), slots);
        self.note(slots);
    }

    /// Makes room for so many words.
    pub(crate) fn reserve_dense(&mut self, words: u64) {
        if words <= self.dense_room {
            return;
        }
        self.dense = vec![0; words as usize];
        (self.words, self.dense_room) = (self.dense.as_mut_ptr(), words);
        self.note(words);
    }

    /// Makes room for a note of each of so many slots or words, and for one more.
    fn note(&mut self, count: u64) {
        let wanted = count as usize + 1;
        if self.noted.len() < wanted {
            self.noted.resize(wanted, 0);
            self.taken = self.noted.as_mut_ptr();
        }
    }

    /// Empties the table after a kernel that ended with a fault.
    pub(crate) fn forget(&mut self) {
        self.memory.fill(EMPTY);
        self.dense.fill(0);
    }

    /// Spreads `count` keys over twice as many slots or more.
    fn double(&mut self, count: usize) {
        let keys: Vec<Slot> = self.noted[..count].iter().map(|&at| self.memory[at as usize]).collect();
        self.noted[..count].iter().for_each(|&at| self.memory[at as usize] = EMPTY);
        let slots = (4 * count as u64).next_power_of_two();
        self.reserve(slots);
        self.shift = 32 - u64::from(slots.trailing_zeros());
        for (noted, slot) in self.noted.iter_mut().zip(keys) {
            let mut at = ((slot.key as u32).wrapping_mul(SPREAD) >> self.shift) as usize;
            while self.memory[at].key != NO_KEY {
                at = (at + 1) & (slots as usize - 1);
            }
            self.memory[at] = slot;
            *noted = at as u32;
        }
    }
}

/// Makes room in the table of a worker for so many slots; called by generated code before it begins a vertex.
pub(crate) extern "C" fn reserve(worker: *mut Worker, slots: u64) {
    // SAFETY: generated code passes the worker it was called with, which nobody else uses meanwhile.
    unsafe { (*worker).table.reserve(slots) }
}

/// Makes room in the dense table of a worker for so many words; called by generated code before it begins a vertex.
pub(crate) extern "C" fn spread(worker: *mut Worker, words: u64) {
    // SAFETY: as above.
    unsafe { (*worker).table.reserve_dense(words) }
}

/// Makes the table larger; called by generated code when more than half of the slots are taken, `count` of them.
pub(crate) extern "C" fn grow(worker: *mut Worker, count: u64) {
    // SAFETY: as above.
    unsafe { (*worker).table.double(count as usize) }
}

/// The power of two by which values of a vertex are multiplied before they are added up; NaN where there is none.
pub(crate) extern "C" fn scale(greatest: u64, edges: u64) -> f64 {
    fixed_shift(greatest, edges).map_or(f64::NAN, |shift| f64::from_bits(((1023 + shift) as u64) << 52))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_doubles_keeps_its_keys() {
        let mut table = Table::default();
        table.reserve(4);
        for (at, key) in [(0, 7), (1, 1 << 30), (2, 0)] {
            table.memory[at] = Slot { key, word: key + 1 };
            table.noted[at.min(2)] = at as u32;
        }
        table.double(3);
        let mut found: Vec<i64> = table.noted[..3].iter().map(|&at| table.memory[at as usize].key).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 7, 1 << 30]);
        assert_eq!(table.memory.iter().filter(|slot| slot.key != NO_KEY).count(), 3);
        assert_eq!((table.room, table.shift), (16, 28));
    }
}
