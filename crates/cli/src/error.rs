//! What makes a command fail, and with which exit code: 1 the run failed, 2 wrong usage.

use gw_graph::GraphError;
use gw_ir::{PassError, PassProblem};
use gw_lang::{Diagnostic, SourceFile};
use thiserror::Error;

/// A failed command.
#[derive(Debug, Error)]
pub enum CliError {
    /// A graph could not be made, read, written or trusted.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The threads asked for could not be started.
    #[error("cannot start the threads: {0}{room}", room = room_for_threads())]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Ctrl-C could not be prepared for.
    #[error("cannot install the handler of Ctrl-C: {0}{room}", room = room_for_threads())]
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
    /// A graph that changes could not be changed or kept.
    #[error(transparent)]
    Dynamic(#[from] gw_dynamic::DynamicError),
    /// A file of changes cannot be taken as it is.
    #[error("{0}")]
    Updates(String),
    /// Some of several programs failed, each of which was told; the results of the others were written.
    #[error("{}", programs_in_words(bad, *of, *not_written))]
    Programs {
        /// Names of programs that failed, or whose result is wrong or does not exist.
        bad: Vec<String>,
        /// Number of all programs.
        of: usize,
        /// Files that could not be written for that.
        not_written: usize,
    },
    /// Arguments that do not fit together.
    #[error("{0}")]
    Usage(String),
    /// The failure of a command that another program adds to these.
    #[error("{0}")]
    Added(Box<dyn Failure>),
}

/// The failure of a command that stands outside of this crate.
pub trait Failure: std::error::Error + Send + Sync {
    /// The code the process ends with, unless a person has interrupted the command.
    fn exit_code(&self) -> u8 {
        1
    }

    /// Whether a person has interrupted the command.
    fn is_interrupt(&self) -> bool {
        false
    }

    /// Whether a device may still be at work.
    fn is_stop(&self) -> bool {
        false
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
            Error::Path(error) => error.into(),
            Error::UnknownAim { ref word } => CliError::Usage(format!("--schedule auto:{word}: {error}")),
            error @ (Error::UnknownArgument { .. } | Error::UnknownMachine { .. }) => {
                CliError::Usage(error.to_string())
            }
            error => CliError::Library(error),
        }
    }
}

impl From<gw_programs::PathError> for CliError {
    /// What was asked for wrongly is told apart from what the run does not give.
    fn from(error: gw_programs::PathError) -> Self {
        use gw_programs::PathError;
        match error {
            PathError::NoPaths { .. } | PathError::OtherTarget { .. } | PathError::NoVertex { .. } => {
                CliError::Usage(format!("--path: {error}"))
            }
            PathError::InParts => CliError::Unsupported(format!("--path: {error}")),
            PathError::NoResult(why) => CliError::NoResult(why),
            PathError::Wrong(invalid) => CliError::Wrong(invalid.to_string()),
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
            _ if self.is_interrupt() => crate::stop::interrupted() as u8,
            CliError::Usage(_) | CliError::UnknownProgram(_) => 2,
            CliError::Pipeline(gw_ir::PipelineError::UnknownPass(_)) => 2,
            CliError::Added(error) => error.exit_code(),
            CliError::Graph(error) if error.is_usage() => 2,
            CliError::Run { error, .. } if error.is_usage() => 2,
            _ => 1,
        }
    }

    fn is_interrupt(&self) -> bool {
        match self {
            CliError::Added(error) => error.is_interrupt(),
            CliError::Run { error, .. } => matches!(error.kind(), gw_exec::ErrorKind::Cancelled),
            _ => false,
        }
    }

    /// True when work was stopped before its end; a device may still be at it.
    pub fn is_stop(&self) -> bool {
        let timed_out = |error: &gw_exec::ExecError| matches!(error.kind(), gw_exec::ErrorKind::TimedOut { .. });
        match self {
            CliError::Added(error) if error.is_stop() => true,
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
        Some(mut diagnostic) => {
            diagnostic.message = file.lines_in_words(&diagnostic.message);
            diagnostic.render(file, crate::output::color())
        }
        // Another worker tells of its line.
        None if matches!(error.kind(), gw_exec::ErrorKind::Elsewhere(_)) => file.lines_in_words(&error.to_string()),
        None => error.to_string(),
    }
}

/// What to do where a thread cannot be started.
fn room_for_threads() -> &'static str {
    match gw_graph::memory::is_address_space_limited() {
        true => "; the address space of this process is limited, and a thread takes some of it: raise `ulimit -v`",
        false => "",
    }
}

/// Which programs failed.
fn programs_in_words(bad: &[String], of: usize, not_written: usize) -> String {
    let files = if not_written > 0 { "; not all files were written" } else { "" };
    format!("{} of {of} programs failed: {}{files}", bad.len(), bad.join(", "))
}
