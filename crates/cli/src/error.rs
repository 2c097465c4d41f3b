//! What makes a command fail, and with which exit code: 1 the run failed, 2 wrong usage.

use gw_graph::GraphError;
use gw_ir::{PassError, PassProblem};
use gw_lang::{Diagnostic, SourceFile};
use thiserror::Error;

/// Exit code after Ctrl-C, as shells have it.
pub const INTERRUPTED: i32 = 130;

/// A failed command.
#[derive(Debug, Error)]
pub enum CliError {
    /// A graph could not be made, read, written or trusted.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The threads asked for could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Ctrl-C could not be prepared for.
    #[error("cannot install the handler of Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
    /// Standard output is closed or full.
    #[error("cannot print: {0}")]
    Print(#[from] std::io::Error),
    /// Data that cannot be written as JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// There is no such standard program.
    #[error(transparent)]
    UnknownProgram(#[from] gw_programs::UnknownProgram),
    /// A program or schedule has errors, shown with its text.
    #[error("{}", gw_lang::diagnostic::render(found, file, crate::output::color()))]
    Program {
        /// The findings.
        found: Vec<Diagnostic>,
        /// Where they are.
        file: SourceFile,
    },
    /// A pass refused the program or its schedule.
    #[error(transparent)]
    Pipeline(gw_ir::PipelineError),
    /// A program that cannot be lowered.
    #[error(transparent)]
    Lower(#[from] gw_ir::LowerError),
    /// A machine could not be made ready.
    #[error(transparent)]
    Prepare(#[from] gw_exec::ExecError),
    /// A program failed while running.
    #[error("{}", shown(error, file))]
    Run {
        /// What happened.
        error: gw_exec::ExecError,
        /// The program.
        file: SourceFile,
    },
    /// Something of the library that has no text of its own here.
    #[error(transparent)]
    Library(graphwright::Error),
    /// The machine cannot run the schedule.
    #[error("{0}")]
    Unsupported(String),
    /// A result did not pass its check.
    #[error("the result is wrong: {0}")]
    Wrong(String),
    /// A run came to its end, but what was asked for does not exist or cannot be told.
    #[error("{0}")]
    NoResult(String),
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
    /// A graph that changes could not be changed or kept.
    #[error(transparent)]
    Dynamic(#[from] gw_dynamic::DynamicError),
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
    /// A check was interrupted after this many runs.
    #[error("interrupted; runs checked: {0}")]
    InterruptedCheck(u64),
    /// Some runs of a lab do not come to their end, or gave wrong results.
    #[error("{bad} runs failed or gave wrong results")]
    LabRuns {
        /// Runs that did.
        bad: usize,
    },
    /// Processes that were started here did not come to a good end.
    #[error("{}", .0.message.as_deref().unwrap_or_default())]
    Processes(gw_flow::Ended),
    /// Arguments that do not fit together.
    #[error("{0}")]
    Usage(String),
}

impl From<gw_tune::TuneError> for CliError {
    fn from(error: gw_tune::TuneError) -> Self {
        match error {
            gw_tune::TuneError::Program(error) => error.into(),
            gw_tune::TuneError::Lab(error) => error.into(),
            other => CliError::Tune(other),
        }
    }
}

impl From<gw_lab::LabError> for CliError {
    /// Findings in a program are shown as everywhere, with colours where they can be seen.
    fn from(error: gw_lab::LabError) -> Self {
        match error {
            gw_lab::LabError::Program(error) => error.into(),
            other => CliError::Lab(other),
        }
    }
}

impl From<gw_explain::ExplainError> for CliError {
    fn from(error: gw_explain::ExplainError) -> Self {
        match error {
            gw_explain::ExplainError::Run(error) => error.into(),
            other => CliError::Explain(other),
        }
    }
}

impl From<graphwright::Error> for CliError {
    /// What a person did wrong on the command line is told apart from what went wrong later.
    fn from(error: graphwright::Error) -> Self {
        use graphwright::Error;
        match error {
            Error::UnknownProgram(error) => error.into(),
            Error::Program { found, file } => CliError::Program { found, file },
            Error::Lower(error) => error.into(),
            Error::Pipeline(error) => error.into(),
            Error::Prepare(error) => error.into(),
            Error::Run { error, file } => CliError::Run { error, file },
            Error::Graph(error) => error.into(),
            Error::Refused(reasons) => CliError::Unsupported(reasons.join("\n")),
            Error::Unsuitable(error) => CliError::Unsupported(error.to_string()),
            Error::Argument(error) => CliError::Usage(error.to_string()),
            error @ (Error::UnknownArgument { .. } | Error::UnknownMachine { .. }) => {
                CliError::Usage(error.to_string())
            }
            error => CliError::Library(error),
        }
    }
}

impl From<gw_ir::PipelineError> for CliError {
    /// A schedule without a label, none of whose settings means anything in the program, is refused without reasons:
    /// `push` where all operators are vertex operators.
    fn from(error: gw_ir::PipelineError) -> Self {
        match &error {
            gw_ir::PipelineError::Pass(PassError { problem: PassProblem::NowhereLegal { reasons }, .. })
                if reasons.is_empty() =>
            {
                let message = "the schedule fits no place of the program: none of its settings has a meaning for any \
                               operator or loop there";
                CliError::Unsupported(message.to_string())
            }
            _ => CliError::Pipeline(error),
        }
    }
}

impl CliError {
    /// The code the process ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            _ if self.is_interrupt() => INTERRUPTED as u8,
            CliError::Usage(_) | CliError::UnknownProgram(_) => 2,
            CliError::Processes(ended) => ended.code,
            CliError::Pipeline(gw_ir::PipelineError::UnknownPass(_)) => 2,
            CliError::Lab(error) if error.is_usage() => 2,
            CliError::Explain(gw_explain::ExplainError::NoModel(_)) => 2,
            CliError::Model(error) if error.is_usage() => 2,
            CliError::Graph(error) if error.is_usage() => 2,
            CliError::Run { error, .. } if error.is_usage() => 2,
            _ => 1,
        }
    }

    fn is_interrupt(&self) -> bool {
        match self {
            CliError::Interrupted(_) | CliError::InterruptedCheck(_) => true,
            CliError::InterruptedTune(_) | CliError::InterruptedSurvey(_) => true,
            CliError::Run { error, .. } => matches!(error.kind(), gw_exec::ErrorKind::Cancelled),
            _ => false,
        }
    }

    /// True when work was stopped before its end; a device may still be at it.
    pub fn is_stop(&self) -> bool {
        let timed_out = |error: &gw_exec::ExecError| matches!(error.kind(), gw_exec::ErrorKind::TimedOut { .. });
        match self {
            CliError::LostDevice(_) => true,
            CliError::Run { error, .. } if timed_out(error) => true,
            _ => self.is_interrupt(),
        }
    }

    /// True when the reader of our output went away, as `head` does: no reason to complain.
    pub fn is_broken_pipe(&self) -> bool {
        let error = match self {
            CliError::Print(error) => error,
            CliError::Run { error, .. } => match error.kind() {
                gw_exec::ErrorKind::Output(error) => error,
                _ => return false,
            },
            _ => return false,
        };
        error.kind() == std::io::ErrorKind::BrokenPipe
    }
}

/// A run-time error with the line of the program, where that is known.
fn shown(error: &gw_exec::ExecError, file: &SourceFile) -> String {
    match error.diagnostic() {
        Some(diagnostic) => diagnostic.render(file, crate::output::color()),
        None => error.to_string(),
    }
}
