//! Copies between host and device through page-locked buffers, so that they run at the speed of the bus.
//!
//! The driver can only copy at full speed, and beside other work, from page-locked memory. Data therefore go piece by
//! piece through a few such buffers; while one is on its way, the next is filled. From [`BULK`] bytes on several
//! threads do that, each with buffers of its own (a *lane*), because one thread cannot copy in memory as fast as the
//! bus takes it. They are threads of their own and not rayon's: a rayon thread that waits may take up other work that
//! wants the lane it holds.
//!
//! Memory of the caller is never seen by the device; when a call returns, it may do with it what it likes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys;

use super::context::{Context, Event};
use super::driver::call;
use crate::{Address, DeviceError};

/// Downloads up to this size take the shortest way.
pub(super) const TINY: usize = 64 << 10;
/// From this size on several threads copy.
const BULK: usize = 8 << 20;
/// Bytes of a buffer. A lane has two.
const BUFFER: usize = 4 << 20;
/// Bytes copied at once on the way up: half a buffer, so that copying and sending overlap even in one buffer.
const PIECE: usize = BUFFER / 2;
/// Threads of a bulk copy.
const LANES: usize = 4;

/// All buffers of a device. They are taken when first needed.
pub(super) struct Staging {
    lanes: [Mutex<Lane>; LANES],
    answer: Mutex<Option<Pinned>>,
    context: Arc<Context>,
}

impl Staging {
    /// No buffers yet.
    pub fn new(context: &Arc<Context>) -> Staging {
        let lanes = std::array::from_fn(|_| Mutex::new(Lane::new(Arc::clone(context))));
        Staging { lanes, answer: Mutex::new(None), context: Arc::clone(context) }
    }

    /// Copies to the device. A bulk copy is done when this returns, a smaller one may be on its way. Returns whether
    /// it waited for the device.
    ///
    /// # Safety
    /// `from.len()` bytes from `to` on are memory of this device.
    pub unsafe fn upload(&self, to: Address, from: &[u8]) -> Result<bool, DeviceError> {
        self.context.enter()?;
        let pieces = from.chunks(PIECE).enumerate().map(|(i, piece)| (to.offset(i * PIECE), piece));
        if from.len() < BULK {
            let mut lane = locked(&self.lanes[0]);
            let mut waited = false;
            for (to, piece) in pieces {
                // SAFETY: the piece is a part of what the caller vouches for.
                waited |= unsafe { lane.upload(to, piece) }?;
            }
            return Ok(waited);
        }
        let pieces = Mutex::new(pieces);
        self.in_lanes(&|lane| {
            loop {
                let Some((to, piece)) = locked(&pieces).next() else { return Ok(()) };
                // SAFETY: as above; no two lanes get the same piece.
                unsafe { lane.upload(to, piece) }?;
            }
        })?;
        self.context.wait()?;
        Ok(true)
    }

    /// Copies from the device, after all work enqueued before.
    ///
    /// # Safety
    /// `to.len()` bytes from `from` on are memory of this device.
    pub unsafe fn download(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError> {
        self.context.enter()?;
        if to.len() <= TINY {
            // SAFETY: the caller's promise.
            return unsafe { self.download_tiny(to, from) };
        }
        let bulk = to.len() >= BULK;
        let mut pieces = to.chunks_mut(BUFFER).enumerate().map(|(i, piece)| (from.offset(i * BUFFER), piece));
        if !bulk {
            // SAFETY: each piece is a part of what the caller vouches for.
            return unsafe { locked(&self.lanes[0]).download(|| pieces.next()) };
        }
        let pieces = Mutex::new(pieces);
        self.in_lanes(&|lane| {
            // SAFETY: as above; no two lanes get the same piece.
            unsafe { lane.download(|| locked(&pieces).next()) }
        })
    }

    unsafe fn download_tiny(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError> {
        let mut answer = locked(&self.answer);
        let buffer = match &mut *answer {
            Some(buffer) => buffer,
            none => none.insert(Pinned::new(&self.context, TINY)?),
        };
        // SAFETY: the buffer has `TINY` bytes, which nobody else uses while it is locked; after the wait the copy is
        // done.
        unsafe {
            call!(cuMemcpyDtoHAsync_v2(buffer.start.cast(), from.0, to.len(), self.context.stream()))?;
            self.context.wait()?;
            std::ptr::copy_nonoverlapping(buffer.start, to.as_mut_ptr(), to.len());
        }
        Ok(())
    }

    /// Does something in all lanes at once.
    fn in_lanes(&self, work: &(dyn Fn(&mut Lane) -> Result<(), DeviceError> + Sync)) -> Result<(), DeviceError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(LANES);
        std::thread::scope(|scope| {
            let in_lane = |lane| {
                self.context.enter()?;
                work(&mut locked(lane))
            };
            let others: Vec<_> = self.lanes[1..threads].iter().map(|lane| scope.spawn(move || in_lane(lane))).collect();
            let mut outcome = in_lane(&self.lanes[0]);
            for other in others {
                let result = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                outcome = outcome.and(result);
            }
            outcome
        })
    }
}

/// A lock that no panic breaks: a lane is usable after any of its steps.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Page-locked memory of the host.
pub(super) struct Pinned {
    pub(super) start: *mut u8,
    context: Arc<Context>,
}

// SAFETY: it is plain memory with one owner.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Pinned, DeviceError> {
        context.enter()?;
        let mut start = std::ptr::null_mut();
        // SAFETY: the place is valid for writes.
        unsafe { call!(cuMemHostAlloc(&mut start, bytes, sys::CU_MEMHOSTALLOC_PORTABLE)) }?;
        Ok(Pinned { start: start.cast(), context: Arc::clone(context) })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // Not of a lost device, whose kernel may still write here.
        if self.context.enter().is_ok() {
            // SAFETY: made in `new`; the device waits for the stream before it drops its buffers.
            let _ = unsafe { call!(cuMemFreeHost(self.start.cast())) };
        }
    }
}

/// A buffer with the event after its last use by the device.
struct Buffer {
    memory: Pinned,
    used: Event,
}

/// Two buffers that take turns. Uploads fill the current one from the front.
struct Lane {
    buffers: [Option<Buffer>; 2],
    current: usize,
    filled: usize,
    context: Arc<Context>,
}

impl Lane {
    fn new(context: Arc<Context>) -> Lane {
        Lane { buffers: [None, None], current: 0, filled: 0, context }
    }

    /// Sends at most [`PIECE`] bytes; returns whether it waited for the device.
    ///
    /// # Safety
    /// `from.len()` bytes from `to` on are memory of this device.
    unsafe fn upload(&mut self, to: Address, from: &[u8]) -> Result<bool, DeviceError> {
        let mut waited = false;
        if self.filled + from.len() > BUFFER {
            // The bytes in front may still be on their way: this event tells when they have left.
            if let Some(buffer) = &self.buffers[self.current] {
                buffer.used.record()?;
            }
            self.current = 1 - self.current;
            self.filled = 0;
            if let Some(buffer) = &self.buffers[self.current]
                && !buffer.used.happened()?
            {
                buffer.used.wait()?;
                waited = true;
            }
        }
        let start = self.buffer(self.current)?.memory.start;
        // SAFETY: `filled + from.len() <= BUFFER`, and no copy in flight uses the bytes from `filled` on: they were
        // waited for when the lane turned to this buffer.
        unsafe {
            let start = start.add(self.filled);
            std::ptr::copy_nonoverlapping(from.as_ptr(), start, from.len());
            // Filled before the call: should it fail after all it enqueued, the bytes are not used again too early.
            self.filled += from.len().next_multiple_of(64);
            call!(cuMemcpyHtoDAsync_v2(to.0, start.cast(), from.len(), self.context.stream()))?;
        }
        Ok(waited)
    }

    /// Fetches pieces of at most [`BUFFER`] bytes until there are no more: while one is copied out, the next is on
    /// its way.
    ///
    /// # Safety
    /// Each piece is as long as memory of this device from its address on.
    unsafe fn download<'a>(
        &mut self,
        mut next: impl FnMut() -> Option<(Address, &'a mut [u8])>,
    ) -> Result<(), DeviceError> {
        // Both before the first copy: none is under way if there is no memory for a buffer.
        self.buffer(0)?;
        self.buffer(1)?;
        let mut on_its_way: Option<(usize, &mut [u8])> = None;
        let mut slot = self.current;
        loop {
            let piece = next();
            let ended = piece.is_none();
            let mut enqueued = None;
            if let Some((from, to)) = piece {
                slot = 1 - slot;
                let stream = self.context.stream();
                let buffer = self.buffer(slot)?;
                // SAFETY: uploads from this buffer come earlier in the stream; its last download was copied out below.
                unsafe { call!(cuMemcpyDtoHAsync_v2(buffer.memory.start.cast(), from.0, to.len(), stream)) }?;
                buffer.used.record()?;
                enqueued = Some((slot, to));
            }
            if let Some((slot, to)) = std::mem::replace(&mut on_its_way, enqueued) {
                let buffer = self.buffer(slot)?;
                buffer.used.wait()?;
                // SAFETY: the copy into the buffer is done, and `to.len()` bytes of it were asked for.
                unsafe { std::ptr::copy_nonoverlapping(buffer.memory.start, to.as_mut_ptr(), to.len()) };
                // What was enqueued before this piece is done, uploads from both buffers too.
                self.filled = 0;
            }
            if ended {
                return Ok(());
            }
        }
    }

    fn buffer(&mut self, slot: usize) -> Result<&Buffer, DeviceError> {
        match &mut self.buffers[slot] {
            Some(buffer) => Ok(buffer),
            none => {
                let memory = Pinned::new(&self.context, BUFFER)?;
                let used = Event::new(&self.context, false)?;
                Ok(none.insert(Buffer { memory, used }))
            }
        }
    }
}
