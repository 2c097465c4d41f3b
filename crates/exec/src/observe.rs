//! Step records: the one instrumentation hook. Tracing, the lab and adaptive schedules all listen here.

use serde::Serialize;

/// What one call of an operator did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRecord {
    /// Position in the run, from 0.
    pub step: u64,
    /// The kind of operator, such as `EdgeSetIterator`, or `DequeueReadySet`.
    pub operator: &'static str,
    /// Label path in its function; empty without labels.
    pub path: String,
    /// The function the operator stands in; `None` in the start-up block.
    pub function: Option<String>,
    /// Entries of the input set (all vertices without one), when known.
    pub input: Option<u64>,
    /// Entries of the output set, when there is one and its size is known.
    pub output: Option<u64>,
    /// Edges touched, when known.
    pub edges: Option<u64>,
    /// Bytes that this worker told others, of machines that have several.
    pub told: Option<u64>,
    /// The schedule the operator ran with, in canonical text; `None` without one.
    pub schedule: Option<String>,
    /// Which variant of a hybrid or adaptive schedule ran; 0 otherwise.
    pub variant: usize,
    /// Time of the call: by the clock of the device for machines that have one, else by that of the host. Where a
    /// variant was chosen first, with the time that took.
    pub seconds: f64,
}

/// Receives the record of every operator call, on the thread that runs the program.
pub trait Observer: Send + Sync {
    /// An operator finished.
    fn step(&self, record: &StepRecord);

    /// The run begins again on another machine: what was told of its steps does not count.
    fn begin_again(&self) {}

    /// Whether sizes and edges are wanted. To find them out may cost as much as the step itself, so whoever measures
    /// times goes without.
    fn wants_sizes(&self) -> bool {
        true
    }
}

impl<F: Fn(&StepRecord) + Send + Sync> Observer for F {
    fn step(&self, record: &StepRecord) {
        self(record);
    }
}
