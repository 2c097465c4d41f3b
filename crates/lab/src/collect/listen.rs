//! Step records of a run: the steps, and nothing else.

use std::sync::{Mutex, PoisonError};

use gw_exec::{Observer, StepRecord};

use super::compiled::Compiled;

/// A step as its record tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) seconds: f64,
    pub(super) frontier: Option<u64>,
    pub(super) edges: Option<u64>,
}

/// Collects the steps of a run.
#[derive(Debug)]
pub(super) struct Steps {
    path: String,
    heard: Mutex<Heard>,
}

/// What was heard.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Heard {
    pub(super) steps: Vec<Step>,
    /// Seconds of loops that ran as a whole, steps included: a fused loop has no steps that the host sees.
    pub(super) whole_loops: f64,
}

impl Steps {
    /// Listens to the operator at this label path.
    pub(super) fn new(path: &str) -> Steps {
        Steps { path: path.to_string(), heard: Mutex::default() }
    }

    /// What was heard since the last time.
    pub(super) fn take(&self) -> Heard {
        std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Steps {
    fn step(&self, record: &StepRecord) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if Compiled::is_step(&self.path, &record.path) {
            heard.steps.push(Step { seconds: record.seconds, frontier: record.input, edges: record.edges });
        } else if record.operator == "While" && self.path.strip_prefix(&record.path).is_some_and(|r| r.starts_with(':'))
        {
            heard.whole_loops += record.seconds;
        }
    }
}

impl Heard {
    /// Seconds of the computation: all steps, and loops as a whole.
    pub(super) fn computation(&self) -> f64 {
        self.steps.iter().map(|step| step.seconds).sum::<f64>() + self.whole_loops
    }
}
