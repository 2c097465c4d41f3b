//! The hardware-independent passes, one file each; their order is in [`crate::pipeline`].

pub mod apply_fusion;
pub mod atomics;
pub mod binding;
pub mod check_schedule;
pub mod context;
pub mod filter_graphs;
pub mod frontier_reuse;
pub mod hybrid;
pub mod layout;
pub mod loop_fuse;
pub mod loop_fusion;
pub mod loop_split;
pub mod merge_reduce;
pub mod nested;
pub mod priority;
pub mod sharing;
pub mod startup;
pub mod tracking;
pub mod transforms;
pub mod udf_duplication;

use crate::source::Span;
use crate::validate::ValidateError;
use gw_schedule::{Family, ProgramSchedule, Reason};

/// What every pass may look at besides the module.
pub struct PassContext<'s> {
    /// The schedule of the program.
    pub schedule: &'s ProgramSchedule,
    /// The family of machines whose defaults fill what the schedule leaves open.
    pub family: Family,
    /// Labels in the schedule that the program does not have are passed over instead of refused.
    pub allow_unknown_labels: bool,
}

/// A pass that could not do its work.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}{problem}", at_line(*span))]
pub struct PassError {
    /// The pass.
    pub pass: &'static str,
    /// Where in the source, when known.
    pub span: Span,
    /// What is wrong.
    pub problem: PassProblem,
}

fn at_line(span: Span) -> String {
    if span.line > 0 { format!("line {}: ", span.line) } else { String::new() }
}

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PassProblem {
    /// A schedule that may not be put where its label says.
    #[error("the schedule of `{path}` is not legal: {}", sentences(reasons))]
    Illegal {
        /// Label path, or `(no label)`.
        path: String,
        /// Why.
        reasons: Vec<Reason>,
    },
    /// A schedule without label that is legal nowhere.
    #[error("the schedule fits no place of the program: {}", sentences(reasons))]
    NowhereLegal {
        /// Why it does not fit the first candidate.
        reasons: Vec<Reason>,
    },
    /// A label that no statement has.
    #[error("no statement has the label `{label}`{}", suggestion(nearest))]
    UnknownLabel {
        /// The label path of the schedule.
        label: String,
        /// The nearest label path there is.
        nearest: Option<String>,
    },
    /// A label on a statement that takes no schedule.
    #[error("the statement labelled `{0}` takes no schedule")]
    NotSchedulable(String),
    /// A transform that cannot be made.
    #[error("{0}")]
    Transform(String),
    /// A module that a pass left ill-formed: a defect of the pass.
    #[error("the pass left an ill-formed module: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<ValidateError>),
}

fn sentences(reasons: &[Reason]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?"))
}

impl PassError {
    /// A transform that cannot be made.
    pub(crate) fn transform(pass: &'static str, span: Span, message: impl Into<String>) -> PassError {
        PassError { pass, span, problem: PassProblem::Transform(message.into()) }
    }

    /// A schedule that is not legal.
    pub(crate) fn illegal(pass: &'static str, span: Span, path: Option<&str>, reasons: Vec<Reason>) -> PassError {
        let path = path.unwrap_or("(no label)").to_string();
        PassError { pass, span, problem: PassProblem::Illegal { path, reasons } }
    }
}
