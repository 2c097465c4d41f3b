//! Measuring one job: a program with its inputs, under a schedule, on a machine.
//!
//! The clock is the same for every machine and everybody who measures: [`Times::counted`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use graphwright::schedule::Decision;
use graphwright::{Job, Observer, StepRecord, Times};

use crate::stats::Summary;

/// How often a job is run.
#[derive(Debug, Clone, Copy)]
pub struct Repeats {
    /// Runs before the first that counts: they compile kernels and bring the graph to a device.
    pub warm_ups: usize,
    /// Runs that count.
    pub timed: usize,
    /// Check the result of the first timed run of a standard program.
    pub verify: bool,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats { warm_ups: 1, timed: 5, verify: false }
    }
}

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// The times of the timed runs, in order.
    pub runs: Vec<Times>,
    /// Median and spread of the time that counts.
    pub summary: Summary,
    /// The schedule and how it came about.
    pub decision: Decision,
    /// Every operator that was called, by its label path; an operator without a label has its kind as path. Taken
    /// from one more run, since records cost time. A loop that a machine runs as a whole is one entry.
    pub operators: BTreeMap<String, OperatorTime>,
}

/// The calls of one operator in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OperatorTime {
    /// Number of calls.
    pub calls: u64,
    /// Seconds of all calls.
    pub seconds: f64,
}

/// Measures a job.
///
/// ```
/// use graphwright::{Graph, Program};
/// use gw_lab::{Repeats, measure};
/// let (bfs, graph) = (Program::find("bfs").unwrap(), Graph::open("grid:20x20").unwrap());
/// let measured = measure(bfs.on(&graph).arg("source", 0), Repeats::default()).unwrap();
/// assert_eq!((measured.runs.len(), measured.operators["s0:s1"].calls), (5, 39));
/// ```
pub fn measure(job: Job, repeats: Repeats) -> graphwright::Result<Measured> {
    let mut prepared = job.prepare()?;
    for _ in 0..repeats.warm_ups {
        prepared.run()?;
    }
    let mut runs = Vec::with_capacity(repeats.timed.max(1));
    for at in 0..repeats.timed.max(1) {
        let outcome = prepared.run()?;
        runs.push(outcome.times);
        if repeats.verify && at == 0 {
            outcome.verify()?;
        }
    }
    let operators = Arc::new(Operators::default());
    prepared.run_observed(Arc::clone(&operators) as _)?;
    let seconds: Vec<f64> = runs.iter().map(Times::counted).collect();
    let Some(summary) = Summary::of(&seconds) else { unreachable!("there is at least one run") };
    let operators = std::mem::take(&mut *operators.0.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Measured { runs, summary, decision: prepared.decision().clone(), operators })
}

#[derive(Default)]
struct Operators(Mutex<BTreeMap<String, OperatorTime>>);

impl Observer for Operators {
    fn wants_sizes(&self) -> bool {
        false
    }

    fn step(&self, record: &StepRecord) {
        let path = if record.path.is_empty() { record.operator } else { &record.path };
        let mut operators = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let operator = operators.entry(path.to_string()).or_default();
        operator.calls += 1;
        operator.seconds += record.seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use graphwright::{Graph, Program};

    #[test]
    fn any_program_with_any_arguments_can_be_measured() {
        let graph = Graph::open("grid:6x6:weights=1..9").unwrap();
        let ppsp = Program::find("ppsp").unwrap();
        let job = ppsp.on(&graph).arg("source", 0).arg("target", 35).arg("delta", 3);
        let repeats = Repeats { warm_ups: 0, timed: 2, verify: true };
        let measured = measure(job, repeats).unwrap();
        assert_eq!(measured.runs.len(), 2);
        assert!(measured.operators.values().all(|operator| operator.calls > 0) && !measured.operators.is_empty());
        assert!(measured.summary.min <= measured.summary.median && measured.summary.median > 0.0);
    }

    #[test]
    fn what_cannot_run_is_an_error() {
        let graph = Graph::open("path:3").unwrap();
        let bfs = Program::find("bfs").unwrap();
        assert!(measure(bfs.on(&graph).arg("source", 7), Repeats::default()).is_err());
    }
}
