//! Long work away from the thread that called: the caller waits without the GIL, hears Ctrl-C and keeps the time limit.
//!
//! Only the main thread of Python learns of signals, and only when it asks. So the work runs on a thread of ours, and
//! the caller asks every few hundredths of a second. Threads are kept for the next call: a call costs two wake-ups,
//! not a new thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyTimeoutError};
use pyo3::prelude::*;

use crate::errors::InternalError;

/// Time between two looks at signals.
const PERIOD: Duration = Duration::from_millis(30);

type Work = Box<dyn FnOnce() + Send>;

/// The threads that wait for work.
static IDLE: Mutex<Vec<Sender<Work>>> = Mutex::new(Vec::new());

/// The process that uses this module; 0 before the first use.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Refuses to work in a process that was forked off after the threads of this module were started: they are not there.
pub fn check_process() -> PyResult<()> {
    let process = std::process::id();
    match OWNER.compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Ok(()),
        Err(owner) if owner == process => Ok(()),
        Err(_) => Err(PyRuntimeError::new_err(
            "graphwright was used before this process was forked, and its threads are not in the copy; \
             start processes with multiprocessing.get_context(\"spawn\") or \"forkserver\"",
        )),
    }
}

/// Does work that cannot be stopped, without the GIL.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    check_process()?;
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(panicked)
}

/// Does work that cannot be stopped, without the GIL. At Ctrl-C the caller goes on at once: the work goes on to its end
/// on its own thread, and what it made is dropped.
pub fn left_alone<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    check_process()?;
    let (send, mut answer) = channel();
    hand_over(Box::new(move || {
        // Nobody receives what was made after Ctrl-C.
        let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
    }))?;
    loop {
        match py.detach(|| receive(&mut answer, PERIOD)) {
            Ok(done) => return done.map_err(panicked),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(InternalError::new_err("a thread ended without an answer"));
            }
        }
    }
}

/// Does work without the GIL. `cancel` is raised at Ctrl-C and after `timeout`, and then the work shall end soon.
/// `tick` is called with the seconds so far while the work goes on.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Arc<AtomicBool>,
    timeout: Option<Duration>,
    tick: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    check_process()?;
    let start = Instant::now();
    let deadline = timeout.and_then(|limit| Instant::now().checked_add(limit));
    let (send, mut answer) = channel();
    hand_over(Box::new(move || {
        // The receiver waits until it has the answer.
        let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
    }))?;
    let mut interrupt = None;
    loop {
        let patience = deadline.map_or(PERIOD, |end| PERIOD.min(end.saturating_duration_since(Instant::now())));
        let heard = py.detach(|| receive(&mut answer, patience));
        let over = deadline.is_some_and(|end| Instant::now() >= end);
        match heard {
            Ok(done) => {
                let done = done.map_err(panicked);
                return match interrupt {
                    Some(error) => Err(error),
                    None if over && cancel.load(Ordering::Relaxed) => Err(too_long(timeout)),
                    None => done,
                };
            }
            Err(RecvTimeoutError::Timeout) => {
                if over {
                    cancel.store(true, Ordering::Relaxed);
                }
                let report = || tick.map_or(Ok(()), |tick| tick.call1((start.elapsed().as_secs_f64(),)).map(|_| ()));
                if interrupt.is_none()
                    && let Err(error) = py.check_signals().and_then(|()| report())
                {
                    cancel.store(true, Ordering::Relaxed);
                    interrupt = Some(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(InternalError::new_err("a thread ended without an answer"));
            }
        }
    }
}

fn receive<T>(answer: &mut Receiver<T>, patience: Duration) -> Result<T, RecvTimeoutError> {
    answer.recv_timeout(patience.max(Duration::from_millis(1)))
}

fn too_long(timeout: Option<Duration>) -> PyErr {
    let seconds = timeout.unwrap_or_default().as_secs_f64();
    PyTimeoutError::new_err(format!("the run was stopped after its time limit of {seconds} s"))
}

/// Gives work to a waiting thread, or to a new one.
fn hand_over(work: Work) -> PyResult<()> {
    let waiting = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work = match waiting {
        Some(thread) => match thread.send(work) {
            Ok(()) => return Ok(()),
            Err(refused) => refused.0,
        },
        None => work,
    };
    let (send, receive) = channel::<Work>();
    let name = std::thread::Builder::new().name("gw-python".into());
    let again = send.clone();
    let body = move || {
        while let Ok(work) = receive.recv() {
            work();
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(again.clone());
        }
    };
    name.spawn(body).map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    send.send(work).map_err(|_| InternalError::new_err("a new thread takes no work"))
}

/// The exception for a panic.
pub fn panicked(payload: Box<dyn Any + Send>) -> PyErr {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message");
    InternalError::new_err(text.to_string())
}
