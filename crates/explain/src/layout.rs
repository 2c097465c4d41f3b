//! Virtual addresses: where arrays would lie, so that a cache can be simulated.
//!
//! Every array gets a region of its own, far from the others. The regions of offsets, neighbours and frontiers are
//! those that the machines allocate; vectors appear when they are first accessed.

use gw_exec::VectorId;

/// An array of the graph or of a frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Array {
    /// Offsets; the number tells out-edges (0) from in-edges (1).
    Offsets(u8),
    /// Neighbours.
    Neighbours(u8),
    /// Weights.
    Weights(u8),
    /// The other ends of an edge list.
    Owners(u8),
    /// The input list.
    Input,
    /// The input map.
    InputMap,
    /// The output list.
    Output,
    /// The output map.
    OutputMap,
    /// The map that finds repeats.
    Dedup,
    /// Marks of a neighbour list.
    Marks,
}

/// The regions handed out so far.
#[derive(Debug)]
pub(crate) struct Layout {
    arrays: [u64; Array::COUNT],
    vectors: Vec<(VectorId, u64)>,
    regions: u64,
}

impl Array {
    const COUNT: usize = 14;

    fn index(self) -> usize {
        match self {
            Array::Offsets(side) => side as usize,
            Array::Neighbours(side) => 2 + side as usize,
            Array::Weights(side) => 4 + side as usize,
            Array::Owners(side) => 6 + side as usize,
            Array::Input => 8,
            Array::InputMap => 9,
            Array::Output => 10,
            Array::OutputMap => 11,
            Array::Dedup => 12,
            Array::Marks => 13,
        }
    }
}

impl Default for Layout {
    fn default() -> Layout {
        let mut regions = 0;
        Layout { arrays: std::array::from_fn(|_| next(&mut regions)), vectors: Vec::new(), regions }
    }
}

/// Bytes between two regions. More than any array has.
pub(crate) const REGION: u64 = 1 << 38;
/// Regions begin at different sets of a cache, as allocations do.
const STAGGER: u64 = 4096 * 37 + 64 * 11;

impl Layout {
    /// The address of an array.
    pub(crate) fn array(&self, array: Array) -> u64 {
        self.arrays[array.index()]
    }

    /// The address of a vector.
    pub(crate) fn vector(&mut self, vector: VectorId) -> u64 {
        if let Some(&(_, base)) = self.vectors.iter().find(|(id, _)| *id == vector) {
            return base;
        }
        let base = next(&mut self.regions);
        self.vectors.push((vector, base));
        base
    }

    /// Input and output change places when a frontier loop goes on.
    pub(crate) fn swap_frontiers(&mut self) {
        for (a, b) in [(Array::Input, Array::Output), (Array::InputMap, Array::OutputMap)] {
            self.arrays.swap(a.index(), b.index());
        }
    }
}

fn next(regions: &mut u64) -> u64 {
    *regions += 1;
    *regions * REGION + *regions * STAGGER
}
