//! What makes a command fail, and with which exit code: 1 the run failed, 2 wrong usage.

use std::process::ExitCode;

use gw_graph::GraphError;
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
    /// Arguments that do not fit together.
    #[error("{0}")]
    Usage(String),
}

impl CliError {
    /// The code the process ends with.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            CliError::Usage(_) => ExitCode::from(2),
            CliError::Graph(error) if error.is_usage() => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }

    /// True when the reader of our output went away, as `head` does: no reason to complain.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, CliError::Print(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
