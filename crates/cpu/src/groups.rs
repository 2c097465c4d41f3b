//! Tables of workers in which the neighbours of one vertex are grouped by key.
//!
//! A table has as many slots as a power of two. A key begins at the slot `(key * multiplier mod 2^32) >> (32 - bits)` and
//! goes on to the next slots while they hold other keys; no more than half of the slots are taken. With the multiplier
//! `2^(32 - bits)` the slot of a key is the key itself, so that keys below the number of slots never meet: the dense
//! table. Generated code probes and fills the table, and empties the slots that it noted.

use gw_ir::groups::fixed_shift;

use crate::abi::Worker;

/// The key of a slot that holds none.
pub(crate) const NO_KEY: i64 = -1;
/// Keys are spread by this number, 2^32 over the golden ratio.
pub(crate) const SPREAD: u32 = 2_654_435_769;
/// Slots of a table at first, as a power of two; it doubles while more than half are taken.
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

/// The table of a worker. Generated code knows the offsets of the pointers, of `room` and of `shift`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) slots: *mut Slot,
    /// Numbers of the slots that are taken, and one entry more, which a dense table writes to before it knows.
    pub(crate) taken: *mut u32,
    /// Slots that there is memory for; all are empty between two vertices.
    pub(crate) room: u64,
    /// After [`grow`]: 32 less the logarithm of the slots in use.
    pub(crate) shift: u64,
    memory: Vec<Slot>,
    noted: Vec<u32>,
}

impl Default for Table {
    fn default() -> Table {
        let (mut memory, mut noted) = (Vec::new(), Vec::new());
        Table { slots: memory.as_mut_ptr(), taken: noted.as_mut_ptr(), room: 0, shift: 32, memory, noted }
    }
}

impl Table {
    /// Makes room for so many slots, a power of two.
    pub(crate) fn reserve(&mut self, slots: u64) {
        if slots <= self.room {
            return;
        }
        self.memory.resize(slots as usize, EMPTY);
        self.noted.resize(slots as usize + 1, 0);
        (self.slots, self.taken, self.room) = (self.memory.as_mut_ptr(), self.noted.as_mut_ptr(), slots);
    }

    /// Empties the table after a kernel that ended with a fault.
    pub(crate) fn forget(&mut self) {
        self.memory.fill(EMPTY);
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
