//! The primary context of a GPU with the one stream of work, and events in that stream.
//!
//! A kernel may never end, and no call of the driver that waits can be interrupted. So nothing here waits inside the
//! driver: the host asks whether the work is done, again and again, and looks at the flag of the run in between. When
//! the flag is raised the kernel is stop_sent so; when that does not help either, the device is *lost*: nobody calls
//! the driver any more, memory is left to the end of the process, which ends the kernel, too.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUevent, CUresult, CUstream};

use super::driver::{self, call};
use super::staging::Pinned;
use crate::{Address, DeviceError};

/// How long a kernel may take to end after it was told to.
const GRACE: Duration = Duration::from_millis(300);
/// The host asks without a pause for so long: most kernels are short, and what follows them shall not be late.
const SPIN: Duration = Duration::from_micros(500);
/// Then it rests between two questions, for a part of the time that it has waited already and at most this long.
const REST: Duration = Duration::from_millis(1);

/// A primary context and a stream of its own. What lives in the context (modules, events, memory) holds an `Arc` of
/// it, so that it goes last.
pub(super) struct Context {
    device: CUdevice,
    context: CUcontext,
    stream: CUstream,
    /// Another stream, to reach a kernel that is running.
    aside: CUstream,
    watched: Mutex<Watched>,
    /// A kernel does not end: the driver is not called any more.
    lost: AtomicBool,
}

/// Who may stop the work, and how kernels are stop_sent.
#[derive(Default)]
struct Watched {
    stop: Option<Arc<AtomicBool>>,
    /// The word in device memory that kernels look at.
    word: Address,
    /// A one in memory of the host that the driver can copy from while a kernel runs.
    one: Option<Pinned>,
}

// SAFETY: the driver's functions may be called from any thread once the context is current there (`enter`); the
// handles are never changed after `open`.
unsafe impl Send for Context {}
// SAFETY: as for `Send`; nothing is changed through a shared reference without a lock of the driver.
unsafe impl Sync for Context {}

impl Context {
    /// Opens the context of a GPU. The driver must be started.
    pub fn open(device: CUdevice) -> Result<Arc<Context>, DeviceError> {
        let (watched, lost) = (Mutex::default(), AtomicBool::new(false));
        let mut opened = Context { device, context: null_mut(), stream: null_mut(), aside: null_mut(), watched, lost };
        // SAFETY: the places are valid for writes. `opened` gives back on drop what was made until an error.
        unsafe {
            call!(cuDevicePrimaryCtxRetain(&mut opened.context, device))?;
            opened.enter()?;
            // Not blocking: no waiting for the legacy default stream, which other code in the process may use.
            let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
            call!(cuStreamCreate(&mut opened.stream, flags))?;
            call!(cuStreamCreate(&mut opened.aside, flags))?;
        }
        Ok(Arc::new(opened))
    }

    /// Makes the context current on this thread. Every function that calls the driver begins with it.
    pub fn enter(&self) -> Result<(), DeviceError> {
        if self.is_lost() {
            return Err(DeviceError::Lost);
        }
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

    /// Whether a kernel was given up that did not end.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Sets the flag that ends all waiting, and the word by which kernels are stop_sent.
    pub fn watch(&self, stop: Option<Arc<AtomicBool>>, word: Address) {
        let mut watched = self.watched();
        (watched.stop, watched.word) = (stop, word);
    }

    fn watched(&self) -> std::sync::MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all work in the stream.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the stream is alive.
        self.until("cuStreamQuery", || unsafe { sys::cuStreamQuery(self.stream) })
    }

    /// Asks until the answer is no longer that something is not ready, or until the run is stopped.
    fn until(&self, call: &'static str, ask: impl Fn() -> CUresult) -> Result<(), DeviceError> {
        let start = Instant::now();
        let stop = self.watched().stop.clone();
        let raised = || stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let mut stop_sent: Option<Instant> = None;
        loop {
            match ask() {
                CUresult::CUDA_ERROR_NOT_READY => {}
                result if stop_sent.is_none() => return driver::check(call, result),
                // What the kernel did not finish is of no use.
                result => {
                    driver::check(call, result)?;
                    self.wait_for_stop_word();
                    return Err(DeviceError::Stopped);
                }
            }
            match stop_sent {
                None if raised() => {
                    self.send_stop();
                    stop_sent = Some(Instant::now());
                }
                Some(since) if since.elapsed() > GRACE => {
                    self.lost.store(true, Ordering::Relaxed);
                    return Err(DeviceError::Stopped);
                }
                _ => {}
            }
            let waited = start.elapsed();
            match waited < SPIN {
                true => std::hint::spin_loop(),
                false => std::thread::sleep((waited / 32).min(REST)),
            }
        }
    }

    /// Tells the running kernel to end. Whoever does not listen is given up later.
    fn send_stop(&self) {
        let watched = self.watched();
        if let Some(one) = watched.one.as_ref().filter(|_| watched.word != Address::default()) {
            // A copy, not a fill: a fill may be a kernel, which waits for a place on the device.
            // SAFETY: both places are valid for four bytes as long as the device is used.
            let _ = unsafe { call!(cuMemcpyHtoDAsync_v2(watched.word.0, one.start.cast(), 4, self.aside)) };
        }
    }

    /// Waits until the word is written, so that it does not stop the kernels of the next run.
    fn wait_for_stop_word(&self) {
        let start = Instant::now();
        // SAFETY: the stream is alive.
        while unsafe { sys::cuStreamQuery(self.aside) } == CUresult::CUDA_ERROR_NOT_READY && start.elapsed() < GRACE {
            std::thread::yield_now();
        }
    }

    /// Takes the memory from which kernels are stop_sent.
    pub fn prepare_to_tell(self: &Arc<Context>) -> Result<(), DeviceError> {
        let one = Pinned::new(self, 4)?;
        // SAFETY: the memory has four bytes and is aligned to a page.
        unsafe { one.start.cast::<u32>().write(1) };
        self.watched().one = Some(one);
        Ok(())
    }

    /// Lets go of the memory from which kernels are stop_sent: it holds the context.
    pub fn no_longer_tell(&self) {
        let one = self.watched().one.take();
        drop(one);
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
        // A lost device is left alone: every call would wait for its kernel.
        if self.context.is_null() || self.is_lost() {
            return;
        }
        // Nobody is left to tell of an error.
        // SAFETY: both were made in `open` and nothing uses them any more.
        unsafe {
            for stream in [self.stream, self.aside] {
                if !stream.is_null() && self.enter().is_ok() {
                    let _ = call!(cuStreamDestroy_v2(stream));
                }
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
// SAFETY: as for `Context`.
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
        self.context.until("cuEventQuery", || unsafe { sys::cuEventQuery(self.event) })
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
