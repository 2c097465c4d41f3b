//! What makes the commands of this program fail, beside what makes those of `gw` fail.

use gw_cli::error::{CliError, Failure};
use gw_graph::GraphError;
use thiserror::Error;

/// A failed command.
#[derive(Debug, Error)]
pub enum ToolError {
    /// A failure that the commands of `gw` know, too.
    #[error(transparent)]
    Shared(CliError),
    /// A suite or the choices from it are wrong.
    #[error(transparent)]
    Lab(gw_lab::LabError),
    /// A model could not be made, read or used.
    #[error(transparent)]
    Model(#[from] gw_model::ModelError),
    /// A run could not be explained.
    #[error(transparent)]
    Explain(gw_explain::ExplainError),
    /// The machine could not be measured, or a sheet not be read.
    #[error(transparent)]
    Meter(#[from] gw_meter::MeterError),
    /// A program could not be tuned.
    #[error(transparent)]
    Tune(gw_tune::TuneError),
    /// Tuning was interrupted after this many schedules; what was measured is kept.
    #[error(
        "interrupted after {0} schedules; what was measured is kept, and the same command goes on from there; runs use \
         what they used before, since the best so far was not checked"
    )]
    InterruptedTune(usize),
    /// A survey was interrupted after this many schedules; what was measured is in the lab.
    #[error("interrupted after {0} schedules; what was measured is in the lab")]
    InterruptedSurvey(usize),
    /// A device did not end a run, and the survey ended after this many schedules.
    #[error(
        "the device is still at work on a schedule that was ended: the survey ends after {0} schedules; what was \
         measured is in the lab, and the same command goes on from there"
    )]
    LostDevice(usize),
    /// A query could not be read or matched.
    #[error(transparent)]
    Pattern(gw_pattern::PatternError),
    /// A trace could not be read or mined.
    #[error(transparent)]
    Mine(gw_mine::MineError),
    /// A profiler's table could not be understood.
    #[error("{file}: {error}")]
    Criteria {
        /// The file.
        file: String,
        /// What is wrong.
        error: gw_criteria::CriteriaError,
    },
    /// Some rows of a suite failed.
    #[error("{bad} of {rows} rows failed or gave wrong results")]
    Rows {
        /// Rows that did.
        bad: usize,
        /// All rows.
        rows: usize,
    },
    /// Measuring was interrupted after this many rows.
    #[error("interrupted; rows measured: {0}")]
    Interrupted(usize),
    /// A machine is not right.
    #[error("{failed} of {runs} runs failed or gave wrong results")]
    Check {
        /// Runs that did.
        failed: u64,
        /// All runs.
        runs: u64,
    },
    /// What one run leaves behind changes another.
    #[error("{wrong} of {sequences} sequences of runs failed or gave wrong results")]
    Sequences {
        /// Sequences that did.
        wrong: u64,
        /// All sequences.
        sequences: u64,
    },
    /// A sequence of runs that was carried out again is not right.
    #[error("step {step} of the sequence: {problem}")]
    WrongSequence {
        /// The step, from 1.
        step: usize,
        /// What is wrong.
        problem: String,
    },
    /// A check was interrupted after this many runs.
    #[error("interrupted; runs checked: {0}")]
    InterruptedCheck(u64),
    /// Some runs of a lab do not come to their end, or gave wrong results.
    #[error("{bad} runs failed or gave wrong results")]
    LabRuns {
        /// Runs that did.
        bad: usize,
    },
}

impl ToolError {
    /// Arguments that do not fit together.
    pub fn usage(message: String) -> ToolError {
        ToolError::Shared(CliError::Usage(message))
    }
}

impl Failure for ToolError {
    fn exit_code(&self) -> u8 {
        match self {
            ToolError::Shared(error) => error.exit_code(),
            ToolError::Lab(error) if error.is_usage() => 2,
            ToolError::Explain(gw_explain::ExplainError::NoModel(_)) => 2,
            ToolError::Model(error) if error.is_usage() => 2,
            _ => 1,
        }
    }

    fn is_interrupt(&self) -> bool {
        matches!(
            self,
            ToolError::Interrupted(_)
                | ToolError::InterruptedCheck(_)
                | ToolError::InterruptedTune(_)
                | ToolError::InterruptedSurvey(_)
        )
    }

    fn is_stop(&self) -> bool {
        matches!(self, ToolError::LostDevice(_))
    }
}

impl From<ToolError> for CliError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Shared(error) => error,
            error => CliError::Added(Box::new(error)),
        }
    }
}

/// Failures that the commands of `gw` know.
macro_rules! shared {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for ToolError {
            fn from(error: $error) -> Self {
                ToolError::Shared(error.into())
            }
        })*
    };
}

shared!(
    GraphError,
    gw_exec::ExecError,
    gw_programs::UnknownProgram,
    graphwright::Error,
    serde_json::Error,
    std::io::Error
);

impl From<CliError> for ToolError {
    fn from(error: CliError) -> Self {
        ToolError::Shared(error)
    }
}

impl From<gw_tune::TuneError> for ToolError {
    fn from(error: gw_tune::TuneError) -> Self {
        match error {
            gw_tune::TuneError::Program(error) => error.into(),
            gw_tune::TuneError::Lab(error) => error.into(),
            other => ToolError::Tune(other),
        }
    }
}

impl From<gw_lab::LabError> for ToolError {
    /// Findings in a program are shown as everywhere, with colours where they can be seen.
    fn from(error: gw_lab::LabError) -> Self {
        match error {
            gw_lab::LabError::Program(error) => error.into(),
            other => ToolError::Lab(other),
        }
    }
}

impl From<gw_explain::ExplainError> for ToolError {
    fn from(error: gw_explain::ExplainError) -> Self {
        match error {
            gw_explain::ExplainError::Run(error) => error.into(),
            other => ToolError::Explain(other),
        }
    }
}
