//! What came of a check: counts per program and class of graphs, failures that can be repeated, and refusals.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::sequence::SequenceReport;

/// The whole.
#[derive(Debug, Default, Serialize)]
pub struct CheckReport {
    /// The machine.
    pub target: String,
    /// The seed of the schedules.
    pub seed: u64,
    /// The short matrix was run.
    pub quick: bool,
    /// Classes of graphs, in the order of the table.
    pub classes: Vec<String>,
    /// Programs, in the order of the table.
    pub programs: Vec<CheckedProgram>,
    /// All runs together.
    pub total: Tally,
    /// Runs that went wrong.
    pub failures: Vec<Failure>,
    /// Why schedules were refused.
    pub refusals: Vec<Refusal>,
    /// Run after run: what sequences of runs came to, where some were asked for.
    pub sequences: SequenceReport,
    /// Seconds spent on compiling.
    pub compile_seconds: f64,
    /// Seconds in all.
    pub seconds: f64,
    /// The check was cancelled before its end.
    pub interrupted: bool,
}

/// A row of the table.
#[derive(Debug, Default, Serialize)]
pub struct CheckedProgram {
    /// The program.
    pub program: String,
    /// Schedules tried, its own and the machine's choices counted.
    pub schedules: usize,
    /// By class; a class whose graphs do not suit the program is missing.
    pub classes: BTreeMap<String, Tally>,
}

/// How many runs ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The validator accepted the result.
    pub passed: u64,
    /// The result is wrong, or the run failed.
    pub failed: u64,
    /// The compiler or the machine refused, with a reason, what is legal.
    pub refused: u64,
}

/// A run that went wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Failure {
    /// The program.
    pub program: String,
    /// The class of its graph.
    pub class: String,
    /// The spec of its graph.
    pub graph: String,
    /// The schedule in canonical text.
    pub schedule: String,
    /// What is wrong.
    pub problem: String,
    /// The command that repeats it.
    pub command: String,
}

/// A reason for refusing, and how often it was given.
#[derive(Debug, Clone, Serialize)]
pub struct Refusal {
    /// The reason.
    pub reason: String,
    /// Runs it concerns.
    pub runs: u64,
    /// The programs.
    pub programs: Vec<String>,
    /// The command that shows it.
    pub command: String,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    Passed,
    Failed(String),
    Refused(String),
}

impl Verdict {
    pub(super) fn reason(&self) -> &str {
        match self {
            Verdict::Passed => "",
            Verdict::Failed(reason) | Verdict::Refused(reason) => reason,
        }
    }
}

impl Tally {
    /// All runs.
    pub fn runs(&self) -> u64 {
        self.passed + self.failed + self.refused
    }

    fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Refused(_) => self.refused += 1,
        }
    }
}

impl CheckReport {
    /// True when something ran, nothing was wrong and nothing was left out.
    pub fn is_good(&self) -> bool {
        let right = self.total.failed == 0 && self.sequences.failures.is_empty();
        right && self.total.passed > 0 && !self.interrupted && !self.sequences.interrupted
    }

    /// Enters a run of the program in the last row.
    pub(super) fn enter(&mut self, verdict: &Verdict, class: &str, run: impl FnOnce() -> Failure) {
        let Some(row) = self.programs.last_mut() else { return };
        self.total.count(verdict);
        row.classes.entry(class.to_string()).or_default().count(verdict);
        match verdict {
            Verdict::Passed => {}
            Verdict::Failed(_) => self.failures.push(run()),
            Verdict::Refused(reason) => match self.refusals.iter_mut().find(|refusal| refusal.reason == *reason) {
                Some(refusal) => {
                    refusal.runs += 1;
                    if refusal.programs.last() != Some(&row.program) {
                        refusal.programs.push(row.program.clone());
                    }
                }
                None => {
                    let (programs, command) = (vec![row.program.clone()], run().command);
                    self.refusals.push(Refusal { reason: reason.clone(), runs: 1, programs, command });
                }
            },
        }
    }
}
