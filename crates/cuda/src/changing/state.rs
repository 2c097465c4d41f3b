//! What the device says of a pool after a batch: `PoolState` of `device/blocks.cuh`.

/// Sizes of blocks, by the logarithm of their slots.
pub(super) const SIZES: usize = 32;

/// The smallest block has 2^2 slots.
pub(super) const SMALLEST: u32 = 2;

/// The size of the block of an empty list.
pub(super) const NO_BLOCK: u8 = 255;

const NUMBERS: usize = 10;

/// Bytes of the state on the device.
pub(super) const BYTES: usize = 8 * NUMBERS + 4 * 4 * SIZES + 8 + 4 * 4;

/// The state of a pool between two batches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Slots from here on were never in a block.
    pub(super) end: u64,
    /// Slots of blocks that hold lists.
    pub(super) used: u64,
    pub(super) edges: u64,
    /// Slots that the pool must have for a batch that waits for them; 0: the batch is applied.
    pub(super) needed: u64,
    /// By the last batch.
    pub(super) inserted: u64,
    pub(super) deleted: u64,
    /// By all batches.
    pub(super) reweighted: u64,
    pub(super) unknown: u64,
    /// No list is or was longer.
    pub(super) greatest: u64,
    /// Blocks on the stack of each size.
    pub(super) free: [u32; SIZES],
    /// Blocks ever made of each size.
    pub(super) made: [u32; SIZES],
}

impl State {
    /// As the device has it between two batches.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let numbers = [
            self.end,
            self.used,
            self.edges,
            self.needed,
            self.inserted,
            self.deleted,
            self.reweighted,
            self.unknown,
            self.greatest,
            0,
        ];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        bytes.extend(self.free.iter().chain(&self.made).flat_map(|count| count.to_ne_bytes()));
        bytes.resize(BYTES, 0);
        bytes
    }

    /// As the device left it.
    pub(super) fn of_bytes(bytes: &[u8]) -> State {
        let word = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[4 * at..4 * at + 4]);
            u32::from_ne_bytes(word)
        };
        let number = |at: usize| {
            u64::from_ne_bytes({
                let mut number = [0; 8];
                number.copy_from_slice(&bytes[8 * at..8 * at + 8]);
                number
            })
        };
        State {
            end: number(0),
            used: number(1),
            edges: number(2),
            needed: number(3),
            inserted: number(4),
            deleted: number(5),
            reweighted: number(6),
            unknown: number(7),
            greatest: number(8),
            free: std::array::from_fn(|size| word(2 * NUMBERS + size)),
            made: std::array::from_fn(|size| word(2 * NUMBERS + SIZES + size)),
        }
    }
}

/// The size of block that a list of this length gets.
pub(super) fn size_for(length: usize) -> u8 {
    match length {
        0 => NO_BLOCK,
        _ => length.next_power_of_two().trailing_zeros().max(SMALLEST) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_survives_its_bytes() {
        let mut state = State { end: 1, used: 2, edges: 3, needed: 4, inserted: 5, ..State::default() };
        (state.deleted, state.reweighted, state.unknown, state.greatest) = (6, 7, 8, u64::MAX);
        state.free[31] = 9;
        state.made[0] = 10;
        assert_eq!(State::of_bytes(&state.to_bytes()), state);
    }

    #[test]
    fn sizes_are_the_next_power_of_two() {
        assert_eq!([0, 1, 4, 5, 8, 9, 1 << 20].map(size_for), [NO_BLOCK, 2, 2, 3, 3, 4, 20]);
    }
}
