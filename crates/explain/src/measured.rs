//! The run measured: seconds per step.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use graphwright::Error;
use graphwright::schedule::{Compiled, Decision, Wanted};
use gw_exec::{GraphVm, Observer, StepRecord};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::subject::Subject;

/// A step as measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredStep {
    /// The kind of operator.
    pub operator: String,
    /// Label path; empty without labels.
    pub path: String,
    /// The variant of a hybrid.
    pub variant: usize,
    /// The schedule it ran with.
    pub schedule: Option<String>,
    /// Seconds: the least of all runs, which others disturbed least.
    pub seconds: f64,
}

/// A run as measured.
#[derive(Debug, Clone, Default)]
pub struct MeasuredRun {
    /// Its steps.
    pub steps: Vec<MeasuredStep>,
    /// Seconds of the fastest run.
    pub seconds: f64,
    /// Runs.
    pub runs: u32,
    /// The schedule and its reasons.
    pub decision: Option<Decision>,
}

/// Collects step records without asking for sizes, which would cost time.
#[derive(Default)]
struct Collector(Mutex<Vec<StepRecord>>);

impl Observer for Collector {
    fn step(&self, record: &StepRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record.clone());
    }

    fn wants_sizes(&self) -> bool {
        false
    }
}

/// How often a run is timed.
#[derive(Debug, Clone, Copy)]
pub struct Repeat {
    /// The most timed runs.
    pub runs: u32,
    /// No further run begins after this time; two take place in any case.
    pub limit: Duration,
}

/// Runs a program several times after a warm-up and keeps the least time of every step.
pub fn measure(subject: &Subject, wanted: &Wanted, machine: &dyn GraphVm, repeat: Repeat) -> Result<MeasuredRun> {
    let mut options = subject.options();
    options.fetch_results = false;
    let Compiled { mut program, decision } = subject.program().compile(wanted, machine, &options)?;
    let fail = |error| Error::Run { error, file: subject.program().file().clone() };
    program.run(&options).map_err(fail)?;
    let mut best = MeasuredRun { decision: Some(decision), seconds: f64::INFINITY, ..MeasuredRun::default() };
    let begin = Instant::now();
    for run in 0..repeat.runs.max(1) {
        if run >= 2 && begin.elapsed() > repeat.limit {
            break;
        }
        let collector = Arc::new(Collector::default());
        options.observer = Some(Arc::clone(&collector) as _);
        let ran = program.run(&options).map_err(fail)?;
        let records = std::mem::take(&mut *collector.0.lock().unwrap_or_else(PoisonError::into_inner));
        best.runs = run + 1;
        let same = records.len() == best.steps.len()
            && records.iter().zip(&best.steps).all(|(r, s)| r.path == s.path && r.variant == s.variant);
        match same {
            true => {
                best.steps.iter_mut().zip(&records).for_each(|(step, r)| step.seconds = step.seconds.min(r.seconds));
            }
            // Runs whose steps differ cannot be merged step by step: the faster one counts.
            false if ran.seconds < best.seconds => best.steps = records.iter().map(step).collect(),
            false => {}
        }
        best.seconds = best.seconds.min(ran.device_seconds.unwrap_or(ran.seconds));
    }
    Ok(best)
}

fn step(record: &StepRecord) -> MeasuredStep {
    MeasuredStep {
        operator: record.operator.to_string(),
        path: record.path.clone(),
        variant: record.variant,
        schedule: record.schedule.clone(),
        seconds: record.seconds,
    }
}
