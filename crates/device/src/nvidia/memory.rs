//! Device memory from a pool: the driver's, in the order of the stream, or lists of free blocks where the driver has
//! none.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{
    self, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemoryPool,
    CUresult,
};

use super::calls;
use super::context::Context;
use super::driver::{self, call};
use super::facts;
use crate::{Address, DeviceError};

/// Blocks are multiples of this; so is what the driver's pool gives.
const GRAIN: usize = 512;

/// The memory of a device.
pub(super) struct Memory {
    source: Source,
    /// Blocks that are in use, with their sizes.
    used: Mutex<HashMap<u64, usize>>,
    context: Arc<Context>,
}

enum Source {
    /// The driver's pool.
    Pool(CUmemoryPool),
    /// Free blocks kept here.
    Lists(Mutex<FreeLists>),
}

// SAFETY: as for `Context`: the pool's handle never changes, and the driver locks the pool itself.
unsafe impl Send for Memory {}
// SAFETY: as for `Send`.
unsafe impl Sync for Memory {}

impl Memory {
    /// The memory of a device, none of it taken yet.
    pub fn new(context: &Arc<Context>) -> Result<Memory, DeviceError> {
        context.enter()?;
        let source = match facts::has_pools(context.device()) {
            true => Source::Pool(new_pool(context)?),
            false => Source::Lists(Mutex::default()),
        };
        Ok(Memory { source, used: Mutex::default(), context: Arc::clone(context) })
    }

    /// Takes memory. When there is none, what the pool keeps for later goes back to the driver before a second attempt.
    pub fn allocate(&self, bytes: usize) -> Result<Address, DeviceError> {
        self.context.enter()?;
        let out_of_memory = || {
            let free = self.free_bytes().unwrap_or(0);
            DeviceError::OutOfMemory { needed: bytes as u64, free }
        };
        let Some(size) = self.rounded(bytes) else { return Err(out_of_memory()) };
        let address = match self.take(size)? {
            Some(address) => address,
            None => {
                self.trim()?;
                self.take(size)?.ok_or_else(out_of_memory)?
            }
        };
        self.used().insert(address, size);
        Ok(Address(address))
    }

    /// Gives memory back. What is enqueued already may still use it: whoever gets it next comes later in the stream.
    pub fn release(&self, address: Address) {
        let Some(size) = self.used().remove(&address.0) else {
            debug_assert_eq!(address, Address::default(), "the block is not in use");
            return;
        };
        match &self.source {
            // An error here is one of work enqueued before; the next call that returns something tells of it.
            Source::Pool(_) if self.context.enter().is_ok() => {
                // SAFETY: the block came from the pool and is given back once, as `used` knew it.
                let _ = unsafe { call!(cuMemFreeAsync(address.0, self.context.stream())) };
            }
            Source::Pool(_) => {}
            Source::Lists(lists) => lists.lock().unwrap_or_else(PoisonError::into_inner).put(size, address.0),
        }
    }

    /// Bytes that could still be taken: free in the driver, or kept in the pool.
    pub fn free_bytes(&self) -> Result<u64, DeviceError> {
        let (free, _) = self.context.memory()?;
        let kept = match &self.source {
            Source::Pool(pool) => {
                let mut reserved: u64 = 0;
                let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
                // SAFETY: this attribute is a 64-bit number.
                unsafe { call!(cuMemPoolGetAttribute(*pool, attribute, (&raw mut reserved).cast())) }?;
                // The driver's own count of used bytes lags behind the blocks given back in the stream.
                reserved.saturating_sub(self.used().values().map(|&size| size as u64).sum())
            }
            Source::Lists(lists) => lists.lock().unwrap_or_else(PoisonError::into_inner).bytes,
        };
        Ok(free + kept)
    }

    fn used(&self) -> std::sync::MutexGuard<'_, HashMap<u64, usize>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The size of the block for so many bytes; `None` for sizes that no device has.
    fn rounded(&self, bytes: usize) -> Option<usize> {
        let size = bytes.max(1).checked_next_multiple_of(GRAIN)?;
        match self.source {
            Source::Pool(_) => Some(size),
            Source::Lists(_) => size_class(size),
        }
    }

    /// A block from the pool; `None` when there is no memory.
    fn take(&self, size: usize) -> Result<Option<u64>, DeviceError> {
        let mut address = 0;
        let (call, result) = match &self.source {
            // SAFETY: pool, stream and the place are valid.
            Source::Pool(pool) => ("cuMemAllocFromPoolAsync", unsafe {
                let stream = self.context.stream();
                calls::timed("cuMemAllocFromPoolAsync", || {
                    sys::cuMemAllocFromPoolAsync(&mut address, size, *pool, stream)
                })
            }),
            Source::Lists(lists) => {
                if let Some(address) = lists.lock().unwrap_or_else(PoisonError::into_inner).take(size) {
                    return Ok(Some(address));
                }
                // SAFETY: the place is valid.
                ("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, size) })
            }
        };
        match result {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Ok(None),
            result => driver::check(call, result).map(|()| Some(address)),
        }
    }

    /// Gives everything that is free back to the driver.
    fn trim(&self) -> Result<(), DeviceError> {
        // Blocks given back in the stream are free only after the work before.
        self.context.wait()?;
        match &self.source {
            // SAFETY: the pool is alive; blocks in use are not touched.
            Source::Pool(pool) => unsafe { call!(cuMemPoolTrimTo(*pool, 0)) },
            Source::Lists(lists) => {
                for address in lists.lock().unwrap_or_else(PoisonError::into_inner).drain() {
                    // SAFETY: the block came from `cuMemAlloc` and is in no list any more.
                    unsafe { call!(cuMemFree_v2(address)) }?;
                }
                Ok(())
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Nobody is left to tell of an error.
        let used: Vec<u64> = self.used().keys().copied().collect();
        used.into_iter().for_each(|address| self.release(Address(address)));
        let _ = self.trim();
        if let Source::Pool(pool) = self.source
            && self.context.enter().is_ok()
        {
            // SAFETY: made in `new`; all blocks were given back.
            let _ = unsafe { call!(cuMemPoolDestroy(pool)) };
        }
    }
}

/// A pool of its own that keeps what is given back.
fn new_pool(context: &Context) -> Result<CUmemoryPool, DeviceError> {
    // SAFETY: all-zero bytes are a valid value of this C struct: its enums have a variant 0.
    let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE;
    properties.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = context.device();
    let mut pool = std::ptr::null_mut();
    let mut keep = u64::MAX;
    // SAFETY: the places are valid; this attribute is a 64-bit number.
    unsafe {
        call!(cuMemPoolCreate(&mut pool, &properties))?;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        call!(cuMemPoolSetAttribute(pool, attribute, (&raw mut keep).cast::<c_void>()))?;
    }
    Ok(pool)
}

/// Free blocks by size.
#[derive(Default)]
struct FreeLists {
    blocks: BTreeMap<usize, Vec<u64>>,
    bytes: u64,
}

impl FreeLists {
    /// A free block of exactly this size class.
    fn take(&mut self, size: usize) -> Option<u64> {
        let address = self.blocks.get_mut(&size)?.pop()?;
        self.bytes -= size as u64;
        Some(address)
    }

    fn put(&mut self, size: usize, address: u64) {
        self.blocks.entry(size).or_default().push(address);
        self.bytes += size as u64;
    }

    fn drain(&mut self) -> Vec<u64> {
        self.bytes = 0;
        std::mem::take(&mut self.blocks).into_values().flatten().collect()
    }
}

/// Rounds up to a multiple of an eighth of the power of two below: few classes, and at most an eighth is wasted.
fn size_class(size: usize) -> Option<usize> {
    let eighth = (1 << size.max(1).ilog2()) / 8;
    size.checked_next_multiple_of(eighth.max(GRAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_waste_little() {
        assert_eq!(size_class(1), Some(GRAIN));
        assert_eq!(size_class(GRAIN), Some(GRAIN));
        assert_eq!(size_class(1 << 20), Some(1 << 20));
        assert_eq!(size_class((1 << 20) + 1), Some((1 << 20) + (1 << 17)));
        assert_eq!(size_class(usize::MAX), None);
        for size in (GRAIN..10 << 20).step_by(GRAIN * 7) {
            let class = size_class(size).unwrap();
            assert!(class >= size && class - size <= (size / 8).max(GRAIN), "{size} {class}");
            assert_eq!(size_class(class), Some(class), "a class is its own");
        }
    }

    #[test]
    fn free_blocks_are_found_by_their_class() {
        let mut lists = FreeLists::default();
        lists.put(512, 1);
        lists.put(1024, 2);
        lists.put(1024, 3);
        assert_eq!(lists.bytes, 2560);
        assert_eq!((lists.take(1024), lists.take(1024), lists.take(1024)), (Some(3), Some(2), None));
        assert_eq!((lists.drain(), lists.bytes), (vec![1], 0));
    }
}
