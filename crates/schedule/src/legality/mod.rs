//! Legality: which schedules may be put on a program point, and in plain words why not.

mod bind;
mod compose;
mod rules;

use crate::simple::Axis;
use std::fmt;

pub use bind::{Binding, Origin};

/// Why a schedule cannot be used, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reason {
    /// The key of the axis at fault, or `hybrid`, `adaptive`.
    pub axis: &'static str,
    /// What is wrong, as a sentence without its full stop.
    pub problem: String,
    /// What would mend it.
    pub mend: String,
    /// The setting does not contradict anything, it merely has no meaning at this point; dropping
    /// it changes nothing.
    pub idle: bool,
}

impl Reason {
    /// A contradiction.
    pub fn new(axis: &'static str, problem: impl Into<String>, mend: impl Into<String>) -> Reason {
        Reason { axis, problem: problem.into(), mend: mend.into(), idle: false }
    }

    /// A setting without meaning here.
    pub(crate) fn idle(axis: Axis, problem: impl Into<String>) -> Reason {
        Reason { axis: axis.key(), problem: problem.into(), mend: format!("drop `{}`", axis.key()), idle: true }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.problem, self.mend)
    }
}
