//! Why a run ends before its time.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Says why the caller of a run wants no more of it, if so.
type Caller = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The end of a run in this process, told by the first who knows of it.
#[derive(Default)]
pub struct End {
    over: AtomicBool,
    known: Mutex<Known>,
    caller: OnceLock<Caller>,
}

#[derive(Default)]
struct Known {
    reason: Option<String>,
    /// Raised when the run ends, so that kernels that are running stop.
    flags: Vec<Arc<AtomicBool>>,
}

impl End {
    /// Ends the run of all workers of this process. The first reason counts.
    pub fn tell(&self, reason: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.reason.get_or_insert_with(|| reason.to_string());
        known.flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        self.over.store(true, Ordering::Release);
    }

    /// Asks `caller` now and then why the run is to end, until it has a reason.
    pub fn listens_to(&self, caller: impl Fn() -> Option<String> + Send + Sync + 'static) {
        // A run has one caller.
        let _ = self.caller.set(Box::new(caller));
    }

    /// Ends the run if its caller wants no more.
    pub fn look_at_caller(&self) {
        if !self.is_told()
            && let Some(reason) = self.caller.get().and_then(|caller| caller())
        {
            self.tell(&reason);
        }
    }

    /// Raises a flag of a run when the end is told.
    pub fn raises(&self, flag: &Arc<AtomicBool>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_told() {
            flag.store(true, Ordering::Relaxed);
        }
        known.flags.push(Arc::clone(flag));
    }

    /// Why the run ends.
    pub fn reason(&self) -> String {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.reason.clone().unwrap_or_else(|| "the run is over".to_string())
    }

    /// Whether the run is over.
    pub fn is_told(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("End").field("is_told", &self.is_told()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_and_flags_are_raised() {
        let (end, early, late) = (End::default(), Arc::default(), Arc::default());
        end.raises(&early);
        end.look_at_caller();
        assert!(!end.is_told() && !early.load(Ordering::Relaxed));
        end.listens_to(|| Some("one".to_string()));
        end.look_at_caller();
        end.tell("two");
        end.raises(&late);
        assert!(end.is_told() && early.load(Ordering::Relaxed) && late.load(Ordering::Relaxed));
        assert_eq!(end.reason(), "one");
    }
}
