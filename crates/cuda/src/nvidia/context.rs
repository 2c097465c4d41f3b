//! The primary context of a GPU with the one stream of work, and events in that stream.

use std::sync::Arc;

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUevent, CUresult, CUstream};

use super::driver::{self, call};
use crate::device::DeviceError;

/// A primary context and a stream of its own. What lives in the context (modules, events, memory) holds an `Arc` of it, so that it
/// goes last.
pub(super) struct Context {
    device: CUdevice,
    context: CUcontext,
    stream: CUstream,
}

// SAFETY: the driver's functions may be called from any thread once the context is current there (`enter`); the handles are never
// changed after `open`.
unsafe impl Send for Context {}
unsafe impl Sync for Context {}

impl Context {
    /// Opens the context of a GPU. The driver must be started.
    pub fn open(device: CUdevice) -> Result<Arc<Context>, DeviceError> {
        let mut opened = Context { device, context: std::ptr::null_mut(), stream: std::ptr::null_mut() };
        // SAFETY: the places are valid for writes. `opened` gives back on drop what was made until an error.
        unsafe {
            call!(cuDevicePrimaryCtxRetain(&mut opened.context, device))?;
            opened.enter()?;
            // Not blocking: no waiting for the legacy default stream, which other code in the process may use.
            let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
            call!(cuStreamCreate(&mut opened.stream, flags))?;
        }
        Ok(Arc::new(opened))
    }

    /// Makes the context current on this thread. Every function that calls the driver begins with it.
    pub fn enter(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is retained.
        unsafe { call!(cuCtxSetCurrent(self.context)) }
    }

    /// The context.
    pub fn handle(&self) -> CUcontext {
        self.context
    }

    /// The stream.
    pub fn stream(&self) -> CUstream {
        self.stream
    }

    /// The GPU.
    pub fn device(&self) -> CUdevice {
        self.device
    }

    /// Waits for all work in the stream.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the stream is alive.
        unsafe { call!(cuStreamSynchronize(self.stream)) }
    }

    /// Free and total bytes of the GPU's memory.
    pub fn memory(&self) -> Result<(u64, u64), DeviceError> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the places are valid for writes.
        unsafe { call!(cuMemGetInfo_v2(&mut free, &mut total)) }?;
        Ok((free as u64, total as u64))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.context.is_null() {
            return;
        }
        // Nobody is left to tell of an error.
        // SAFETY: both were made in `open` and nothing uses them any more.
        unsafe {
            if !self.stream.is_null() && self.enter().is_ok() {
                let _ = call!(cuStreamDestroy_v2(self.stream));
            }
            let _ = call!(cuDevicePrimaryCtxRelease_v2(self.device));
        }
    }
}

/// A point in the stream.
pub(super) struct Event {
    event: CUevent,
    context: Arc<Context>,
}

// SAFETY: as for `Context`.
unsafe impl Send for Event {}
unsafe impl Sync for Event {}

impl Event {
    /// A new event; only a timed one can be used with [`Event::seconds_until`].
    pub fn new(context: &Arc<Context>, timed: bool) -> Result<Event, DeviceError> {
        context.enter()?;
        let flags = match timed {
            true => sys::CUevent_flags_enum::CU_EVENT_DEFAULT,
            false => sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING,
        };
        let mut event = std::ptr::null_mut();
        // SAFETY: the place is valid for writes.
        unsafe { call!(cuEventCreate(&mut event, flags as u32)) }?;
        Ok(Event { event, context: Arc::clone(context) })
    }

    /// Moves the event to the end of the work enqueued so far.
    pub fn record(&self) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: event and stream are alive and of one context.
        unsafe { call!(cuEventRecord(self.event, self.context.stream())) }
    }

    /// Whether the work before it is done. True when it was never recorded.
    pub fn happened(&self) -> Result<bool, DeviceError> {
        self.context.enter()?;
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(self.event) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => driver::check("cuEventQuery", result).map(|()| true),
        }
    }

    /// Waits until the work before it is done.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: the event is alive.
        unsafe { call!(cuEventSynchronize(self.event)) }
    }

    /// Seconds from this event to a later one; waits for that. Both must be timed.
    pub fn seconds_until(&self, later: &Event) -> Result<f64, DeviceError> {
        later.wait()?;
        // SAFETY: both events are alive.
        let milliseconds = unsafe { driver::milliseconds(self.event, later.event) }?;
        Ok(f64::from(milliseconds) / 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            // SAFETY: made in `new`; the driver keeps it until work in flight is past it.
            let _ = unsafe { call!(cuEventDestroy_v2(self.event)) };
        }
    }
}
