//! Why a run ends before its time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gw_exec::{Result, Stop};

/// Set when this process ended a run since another one failed or was lost.
static HEARD: AtomicBool = AtomicBool::new(false);

/// Whether a run of this process ended since another process failed or was lost: the reason is that of the other.
pub fn heard_of_failure() -> bool {
    HEARD.load(Ordering::Acquire)
}

/// The end of a run in this process, told by the first who knows of it.
#[derive(Debug, Default)]
pub(crate) struct End {
    over: AtomicBool,
    known: Mutex<Known>,
    /// How the caller of the leader ends the run: by cancelling it, also when the run of the leader is over, while its
    /// followers are still at their last statements; or by its time limit.
    caller: OnceLock<Stop>,
}

#[derive(Debug, Default)]
struct Known {
    reason: Option<String>,
    /// Raised when the run ends, so that kernels that are running stop.
    flags: Vec<Arc<AtomicBool>>,
}

impl End {
    /// Ends the run of all workers of this process. The first reason counts.
    pub(crate) fn tell(&self, reason: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.reason.get_or_insert_with(|| reason.to_string());
        known.flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        self.over.store(true, Ordering::Release);
    }

    /// As [`End::tell`], by what was heard or not heard of another process.
    pub(crate) fn tell_of_other(&self, reason: &str) {
        if !self.is_told() {
            HEARD.store(true, Ordering::Release);
        }
        self.tell(reason);
    }

    /// How the caller of the leader ends the run.
    pub(crate) fn listens_to(&self, caller: Stop) {
        // A run has one caller.
        let _ = self.caller.set(caller);
    }

    /// An error when the caller has cancelled the run or its time is over. Only the leader asks, and only while its run
    /// goes on.
    pub(crate) fn check_caller(&self) -> Result<()> {
        self.caller.get().map_or(Ok(()), Stop::check)
    }

    /// Ends the run if its caller wants no more. Only the leader looks, and only while its run goes on.
    pub(crate) fn look_at_caller(&self) {
        if self.is_told() {
            return;
        }
        if let Err(error) = self.check_caller() {
            self.tell(&error.to_string());
        }
    }

    /// Raises a flag of a run when the end is told.
    pub(crate) fn raises(&self, flag: &Arc<AtomicBool>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_told() {
            flag.store(true, Ordering::Relaxed);
        }
        known.flags.push(Arc::clone(flag));
    }

    /// Why the run ends.
    pub(crate) fn reason(&self) -> String {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.reason.clone().unwrap_or_else(|| "the connection to another worker was lost".to_string())
    }

    pub(crate) fn is_told(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_and_flags_are_raised() {
        let (end, early, late) = (End::default(), Arc::default(), Arc::default());
        end.raises(&early);
        assert!(!end.is_told() && !early.load(Ordering::Relaxed));
        end.tell("one");
        end.tell("two");
        end.raises(&late);
        assert!(end.is_told() && early.load(Ordering::Relaxed) && late.load(Ordering::Relaxed));
        assert_eq!(end.reason(), "one");
    }
}
