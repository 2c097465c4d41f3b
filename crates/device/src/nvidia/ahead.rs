//! Kernels that are compiled before they are asked for, side by side on several threads.
//!
//! Only machine code is made here, without the driver: loading it waits for the work on the device, which may never
//! end, and so is left to the thread that runs the program. Whoever asks for a kernel that nobody has begun with makes
//! it at once; for one that is being made it waits.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use super::compiler::Compiler;
use super::nvrtc::Nvrtc;
use crate::{DeviceError, Unit};

/// Machine code, and whether it had to be compiled.
pub(super) type Made = Result<(Vec<u8>, bool), DeviceError>;

/// A place for the code of one unit. Whoever makes the code holds the lock meanwhile.
type Place = Arc<Mutex<Option<Made>>>;

/// Compiles on demand and ahead of it.
pub(super) struct Ahead {
    compiler: Arc<Compiler>,
    places: Mutex<HashMap<Unit, Place>>,
    waiting: Arc<Mutex<VecDeque<(Unit, Place)>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Threads that compile: one core is left to whoever runs programs meanwhile, and compiles when it cannot wait.
fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).max(1)
}

impl Ahead {
    /// Nothing is made yet.
    pub fn new(compiler: Compiler) -> Ahead {
        Ahead {
            compiler: Arc::new(compiler),
            places: Mutex::default(),
            waiting: Arc::default(),
            threads: Mutex::default(),
        }
    }

    /// Begins to make the code of units that are not in the cache, on all cores. Units that were begun with before are
    /// not made twice.
    pub fn begin(&self, units: Vec<Unit>) {
        let mut added = 0;
        for unit in units.into_iter().filter(|unit| !self.compiler.is_cached(unit)) {
            if let Entry::Vacant(vacant) = locked(&self.places).entry(unit) {
                let unit = vacant.key().clone();
                let place = Arc::clone(vacant.insert(Place::default()));
                locked(&self.waiting).push_back((unit, place));
                added += 1;
            }
        }
        let mut threads = locked(&self.threads);
        threads.retain(|thread| !thread.is_finished());
        for _ in 0..most_threads().saturating_sub(threads.len()).min(added) {
            let (compiler, waiting) = (Arc::clone(&self.compiler), Arc::clone(&self.waiting));
            let working = Working::begin();
            let work = move || {
                let _working = working;
                wait_at_exit();
                loop {
                    let Some((unit, place)) = locked(&waiting).pop_front() else { return };
                    // A place that is locked belongs to somebody who could not wait.
                    if let Ok(mut place) = place.try_lock()
                        && place.is_none()
                        && !is_over()
                    {
                        *place = Some(compiler.cubin(&unit));
                    }
                }
            };
            // A system without threads to spare compiles when asked.
            let thread = std::thread::Builder::new().name("gw-nvrtc".into()).spawn(work);
            threads.extend(thread);
        }
    }

    /// The code of a unit.
    pub fn get(&self, unit: &Unit) -> Made {
        let Some(place) = locked(&self.places).remove(unit) else { return self.compiler.cubin(unit) };
        let mut place = locked(&place);
        place.take().unwrap_or_else(|| self.compiler.cubin(unit))
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // What nobody has begun with is not needed any more. What is being made is waited for: the process may be about
        // to end.
        locked(&self.waiting).clear();
        for thread in locked(&self.threads).drain(..) {
            drop(thread.join());
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Threads at work, in the whole process.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);
/// Added to the threads at work when the process ends: nobody begins with another unit.
const OVER: usize = 1 << 32;

fn is_over() -> bool {
    AT_WORK.load(Ordering::Acquire) >= OVER
}

/// A thread at work, until it is dropped.
struct Working;

impl Working {
    fn begin() -> Working {
        AT_WORK.fetch_add(1, Ordering::AcqRel);
        Working
    }
}

/// Sees to it that a process does not end while the compiler is at work, even where a device is never dropped: the exit
/// handlers of the compiler take apart what it uses. Handlers run in the opposite order of their setting, and the
/// compiler sets some when it first compiles: so a kernel that does nothing is compiled before.
fn wait_at_exit() {
    static PREPARED: OnceLock<()> = OnceLock::new();
    extern "C" fn wait_for_all() {
        AT_WORK.fetch_add(OVER, Ordering::AcqRel);
        while AT_WORK.load(Ordering::Acquire) > OVER {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    PREPARED.get_or_init(|| {
        let Ok(nvrtc) = Nvrtc::get() else { return };
        // What is wrong with the compiler is told by the first kernel that is needed.
        drop(nvrtc.compile("nothing", "extern \"C\" __global__ void nothing() {}", &[], &[]));
        // SAFETY: the function is there until the process ends, and neither panics nor ends the process.
        unsafe { libc::atexit(wait_for_all) };
    });
}

impl Drop for Working {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::super::cache::Cache;
    use super::super::known::Known;
    use super::*;

    fn unit(number: usize) -> Unit {
        let name = format!("kernel_{number}");
        let source = format!("extern \"C\" __global__ void {name}(int* at) {{ *at = {number}; }}\n");
        Unit { name, source, block: 256 }
    }

    #[test]
    fn units_that_are_told_again_and_again_are_made_once() {
        let nvrtc = match Nvrtc::get() {
            Ok(nvrtc) => nvrtc,
            Err(error) if std::env::var_os("GW_NVRTC").is_none() => return eprintln!("not tested: {error}"),
            Err(error) => panic!("{error}"),
        };
        let ahead = Ahead::new(Compiler::new(Known::of(nvrtc), "sm_90", Cache::none(), (0, 0)));
        for _ in 0..3 {
            ahead.begin((0..12).map(unit).collect());
        }
        assert!(locked(&ahead.waiting).len() <= 12 && locked(&ahead.places).len() == 12);
        assert!(locked(&ahead.threads).len() <= most_threads());
        for number in (0..12).rev() {
            let (code, compiled) = ahead.get(&unit(number)).unwrap();
            assert!(compiled && code.starts_with(b"\x7fELF"), "{number}");
        }
        assert!(locked(&ahead.places).is_empty());
        // Whoever was not told of is made at once.
        assert!(ahead.get(&unit(12)).is_ok_and(|(_, compiled)| compiled));
    }
}
