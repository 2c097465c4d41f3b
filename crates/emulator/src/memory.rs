//! Memory of the emulated device: allocations with red zones and poisoned content, so that misuse shows.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;

use gw_device::{Address, DeviceError};

use crate::machine::Range;

const ALIGNMENT: usize = 256;
/// Bytes before and after an allocation that nobody may write.
const RED: usize = 256;
const RED_BYTE: u8 = 0x5e;
/// What memory holds that nobody has written, and that was given back.
const POISON: u8 = 0xa5;

/// All allocations of a device, by address.
pub struct Memory {
    blocks: BTreeMap<u64, usize>,
    used: u64,
    total: u64,
}

impl Memory {
    pub fn new(total: u64) -> Memory {
        Memory { blocks: BTreeMap::new(), used: 0, total }
    }

    pub fn free(&self) -> u64 {
        self.total - self.used
    }

    pub fn allocate(&mut self, bytes: usize) -> Result<Address, DeviceError> {
        if bytes as u64 > self.free() {
            return Err(DeviceError::OutOfMemory { needed: bytes as u64, free: self.free() });
        }
        // SAFETY: the layout has a size above zero: two red zones.
        let start = unsafe { alloc(layout(bytes)) };
        if start.is_null() {
            return Err(DeviceError::OutOfMemory { needed: bytes as u64, free: self.free() });
        }
        // SAFETY: the allocation holds the red zones and the bytes between them.
        unsafe {
            start.write_bytes(RED_BYTE, RED);
            start.add(RED).write_bytes(POISON, bytes);
            start.add(RED + bytes).write_bytes(RED_BYTE, RED);
        }
        let address = start as u64 + RED as u64;
        self.blocks.insert(address, bytes);
        self.used += bytes as u64;
        Ok(Address(address))
    }

    /// Gives an allocation back; says so when its red zones were written or it is not one.
    pub fn release(&mut self, address: Address) -> Result<(), String> {
        let bytes =
            self.blocks.remove(&address.0).ok_or_else(|| format!("{address:?} is released but not allocated"))?;
        self.used -= bytes as u64;
        let data = address.0 as *mut u8;
        // SAFETY: `blocks` holds exactly what `allocate` returned and nobody released.
        unsafe {
            let zones =
                [std::slice::from_raw_parts(data.sub(RED), RED), std::slice::from_raw_parts(data.add(bytes), RED)];
            let damaged = zones.iter().any(|zone| zone.iter().any(|&byte| byte != RED_BYTE));
            data.write_bytes(POISON, bytes);
            dealloc(data.sub(RED), layout(bytes));
            if damaged {
                return Err(format!("memory before or after the {bytes} bytes at {address:?} was written"));
            }
        }
        Ok(())
    }

    /// The pointer to a range, when it lies in one allocation.
    pub fn pointer(&self, address: Address, bytes: usize) -> Result<*mut u8, String> {
        let inside = self.blocks.range(..=address.0).next_back().is_some_and(|(&start, &size)| {
            address.0 - start <= size as u64 && bytes as u64 <= size as u64 - (address.0 - start)
        });
        if inside || bytes == 0 {
            Ok(address.0 as *mut u8)
        } else {
            Err(format!("{bytes} bytes at {address:?} are not in allocated memory"))
        }
    }

    /// All allocations, sorted.
    pub fn ranges(&self) -> Vec<Range> {
        self.blocks.iter().map(|(&begin, &bytes)| Range { begin, end: begin + bytes as u64 }).collect()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for (&address, &bytes) in &self.blocks {
            // SAFETY: as in `release`.
            unsafe { dealloc((address as *mut u8).sub(RED), layout(bytes)) }
        }
    }
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes + 2 * RED, ALIGNMENT).expect("sizes of tests are small")
}
