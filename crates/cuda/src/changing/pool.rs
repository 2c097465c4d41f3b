//! The memory of blocks: slots for targets and weights, and stacks of free blocks.

use std::sync::Arc;

use gw_device::{Address, Buffer, Device, DeviceError};

use super::state::{SIZES, State};

/// Slots of blocks, and which of the blocks are free.
pub(super) struct Pool {
    device: Arc<dyn Device>,
    wide: bool,
    pub(super) capacity: u64,
    pub(super) targets: Buffer,
    pub(super) weights: Option<Buffer>,
    /// With how many blocks each has room for.
    stacks: [Option<(Buffer, u32)>; SIZES],
}

impl Pool {
    /// A pool with room for so many slots and some more.
    pub(super) fn new(device: &Arc<dyn Device>, slots: u64, weighted: bool, wide: bool) -> Result<Pool, DeviceError> {
        let capacity = with_slack(slots, wide);
        let slots = || Buffer::new(device, 4 * capacity as usize);
        let targets = slots()?;
        let weights = weighted.then(slots).transpose()?;
        let stacks = std::array::from_fn(|_| None);
        Ok(Pool { device: Arc::clone(device), wide, capacity, targets, weights, stacks })
    }

    /// Makes the pool larger: what is in blocks moves along, on the device.
    pub(super) fn grow(&mut self, needed: u64, state: &State) -> Result<(), DeviceError> {
        if !self.wide && needed > u64::from(u32::MAX) {
            let message = format!(
                "a batch needs {needed} slots for neighbours, but the lists are made for fewer than 2^32; make them anew"
            );
            return Err(DeviceError::Lacking(message));
        }
        let capacity = with_slack(needed.max(self.capacity), self.wide);
        for buffer in [Some(&mut self.targets), self.weights.as_mut()].into_iter().flatten() {
            let larger = Buffer::new(&self.device, 4 * capacity as usize)?;
            self.device.copy(larger.address(), buffer.address(), 4 * state.end as usize)?;
            *buffer = larger;
        }
        self.capacity = capacity;
        Ok(())
    }

    /// Stacks with room for all blocks that the next batch may give back: those that are there.
    pub(super) fn ready_stacks(&mut self, state: &State) -> Result<(), DeviceError> {
        for (size, slot) in self.stacks.iter_mut().enumerate() {
            let (made, free) = (state.made[size], state.free[size]);
            if slot.as_ref().map_or(0, |(_, room)| *room) >= made {
                continue;
            }
            let room = made.max(16).saturating_add(made / 2);
            let larger = Buffer::new(&self.device, 4 * room as usize)?;
            if let Some((smaller, _)) = slot.as_ref().filter(|_| free > 0) {
                self.device.copy(larger.address(), smaller.address(), 4 * free as usize)?;
            }
            *slot = Some((larger, room));
        }
        Ok(())
    }

    /// The addresses of the stacks.
    pub(super) fn stacks(&self) -> [Address; SIZES] {
        std::array::from_fn(|size| self.stacks[size].as_ref().map_or(Address::default(), |(stack, _)| stack.address()))
    }

    /// A stack, for tests.
    pub(super) fn stack(&self, size: usize) -> Option<&Buffer> {
        self.stacks[size].as_ref().map(|(stack, _)| stack)
    }

    /// Bytes of all.
    pub(super) fn bytes(&self) -> usize {
        let stacks = self.stacks.iter().flatten().map(|(stack, _)| stack.bytes());
        self.targets.bytes() + self.weights.as_ref().map_or(0, |weights| weights.bytes()) + stacks.sum::<usize>()
    }
}

/// An eighth more than is needed, so that not every batch makes the pool larger. Slots of narrow lists have numbers of
/// 32 bits, and so have the ends of lists.
fn with_slack(slots: u64, wide: bool) -> u64 {
    let most = if wide { u64::MAX } else { u64::from(u32::MAX) };
    (slots + slots / 8 + 1024).min(most)
}
