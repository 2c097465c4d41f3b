//! The changes of a batch, and the memory in which it is sorted and applied.

use std::sync::Arc;

use gw_device::{Address, Buffer, Device, DeviceError};

use super::units::BLOCK;

/// The device's keys per sorted tile, and digits of a key (`device/radix.cuh`).
pub(super) const SORT_TILE: usize = 16 * BLOCK as usize;
const RADIX: usize = 256;

/// Changes of one batch at most: positions are 32 bits wide.
pub(super) const MOST_CHANGES: usize = 1 << 30;

/// Changes of edges in their order, as the device takes them: the last change of an edge counts.
///
/// ```
/// let mut changes = gw_cuda::EdgeChanges::default();
/// changes.insert(3, 7, 0).delete(7, 3);
/// assert_eq!(changes.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeChanges {
    pub(super) keys: Vec<u64>,
    /// The bits of weights, beside every key.
    pub(super) weights: Vec<u32>,
}

impl EdgeChanges {
    /// The edge is there afterwards, with a weight of these bits where the lists have weights.
    pub fn insert(&mut self, source: u32, target: u32, weight: u32) -> &mut Self {
        self.keys.push(Self::key(source, target, false));
        self.weights.push(weight);
        self
    }

    /// The edge is not there afterwards.
    pub fn delete(&mut self, source: u32, target: u32) -> &mut Self {
        self.keys.push(Self::key(source, target, true));
        self.weights.push(0);
        self
    }

    /// A change as one number; vertices are below 2^31.
    pub fn key(source: u32, target: u32, deletes: bool) -> u64 {
        u64::from(source) << 32 | u64::from(target) << 1 | u64::from(deletes)
    }

    /// The changes as numbers, in their order.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Without changes.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Takes all changes away; the memory stays.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.weights.clear();
    }
}

/// Addresses of the arrays of a batch, in one piece of memory.
pub(super) struct Room {
    #[expect(dead_code, reason = "keeps the arrays")]
    memory: Buffer,
    changes: usize,
    lists: usize,
    grid: u32,
    pub(super) input: Address,
    pub(super) input_values: Address,
    pub(super) keys: [Address; 2],
    pub(super) values: [Address; 2],
    pub(super) counts: Address,
    pub(super) found: Address,
    pub(super) op_target: Address,
    pub(super) op_place: Address,
    pub(super) op_before: Address,
    pub(super) op_weight: Address,
    pub(super) source: Address,
    pub(super) first_op: Address,
    pub(super) list: Address,
    pub(super) of_team: [Address; 3],
    pub(super) of_grid: Address,
    pub(super) sums: Address,
}

impl Room {
    /// Room for batches of so many changes of so many lists, by grids of so many blocks of threads.
    pub(super) fn new(
        device: &Arc<dyn Device>,
        changes: usize,
        lists: usize,
        grid: u32,
        weighted: bool,
    ) -> Result<Room, DeviceError> {
        let blocks = grid as usize;
        let values = if weighted { 4 * changes } else { 0 };
        let bytes = [
            8 * changes,
            values,
            8 * changes,
            8 * changes,
            values,
            values,
            4 * (RADIX * blocks + RADIX),
            4 * changes,
            4 * changes,
            4 * changes,
            4 * (changes + 1),
            values,
            4 * lists,
            4 * (lists + 1),
            40 * lists,
            4 * lists,
            4 * lists,
            4 * lists,
            8 * lists,
            24 * blocks,
        ];
        let aligned = |bytes: usize| bytes.next_multiple_of(256);
        let memory = Buffer::new(device, bytes.iter().map(|&bytes| aligned(bytes)).sum())?;
        let mut at = memory.address();
        let places = bytes.map(|bytes| {
            let place = at;
            at = at.offset(aligned(bytes));
            place
        });
        let or_none = |place: Address| if weighted { place } else { Address::default() };
        let [input, input_values, first, second, values_first, values_second, counts, found, rest @ ..] = places;
        let [op_target, op_place, op_before, op_weight, source, first_op, list, lanes, warps, team, of_grid, sums] =
            rest;
        Ok(Room {
            memory,
            changes,
            lists,
            grid,
            input,
            input_values: or_none(input_values),
            keys: [first, second],
            values: [values_first, values_second].map(or_none),
            counts,
            found,
            op_target,
            op_place,
            op_before,
            op_weight: or_none(op_weight),
            source,
            first_op,
            list,
            of_team: [lanes, warps, team],
            of_grid,
            sums,
        })
    }

    /// Whether a batch fits.
    pub(super) fn fits(&self, changes: usize, lists: usize, grid: u32) -> bool {
        self.changes >= changes && self.lists >= lists && self.grid >= grid
    }
}
