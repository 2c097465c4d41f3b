//! What can be wrong with a program, its schedule, its arguments, its graph or its run.

use std::path::PathBuf;

use gw_exec::ExecError;
use gw_lang::{Diagnostic, SourceFile};
use gw_programs::{ArgumentError, Invalid, PathError, UnknownProgram, Unsuitable};
use thiserror::Error;

use crate::machine::Missing;
use crate::schedule::Aim;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be run, or why a result cannot be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no standard program of this name.
    #[error(transparent)]
    UnknownProgram(#[from] UnknownProgram),
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A program or schedule has errors, shown with its text.
    #[error("{}", gw_lang::diagnostic::render(found, file, false))]
    Program {
        /// The findings.
        found: Vec<Diagnostic>,
        /// Where they are.
        file: SourceFile,
    },
    /// A model file that cannot be used.
    #[error(transparent)]
    Model(#[from] gw_learned::model::ModelError),
    /// A program that cannot be lowered to GraphIR.
    #[error(transparent)]
    Lower(#[from] gw_ir::LowerError),
    /// A pass of the compiler refused the program or its schedule.
    #[error(transparent)]
    Pipeline(#[from] gw_ir::PipelineError),
    /// A schedule such as `auto:WORD`, for which nothing can have been tuned.
    #[error("nothing is tuned for `{word}`; known are {}", Aim::ALL.map(Aim::word).join(", "))]
    UnknownAim {
        /// The word.
        word: String,
    },
    /// The machine cannot run the schedule: one reason per place.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// No machine of this name is registered.
    #[error(
        "there is no machine `{name}`{}; machines: {known}",
        nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
    )]
    UnknownMachine {
        /// The name asked for.
        name: String,
        /// A name that is nearly the same.
        nearest: Option<String>,
        /// The machines there are.
        known: String,
    },
    /// A machine that cannot be used here.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// A graph could not be made or read.
    #[error(transparent)]
    Graph(#[from] gw_graph::GraphError),
    /// An argument that the program cannot take.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// An argument given by a name that the program does not have.
    #[error("{program} has no argument `{name}`; its arguments are {known}")]
    UnknownArgument {
        /// The program.
        program: String,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The graph does not suit the program.
    #[error(transparent)]
    Unsuitable(#[from] Unsuitable),
    /// The machine could not compile the program.
    #[error(transparent)]
    Prepare(ExecError),
    /// The program failed while running.
    #[error("{}", shown(error, file))]
    Run {
        /// What happened.
        error: ExecError,
        /// The program.
        file: SourceFile,
    },
    /// A result that does not exist or has another type.
    #[error("{0}")]
    Result(String),
    /// A path that cannot be told.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A result that is not right.
    #[error("the result is wrong: {0}")]
    Wrong(#[from] Invalid),
}

impl Error {
    /// True when the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Error::Run { error, .. } if matches!(error.kind(), gw_exec::ErrorKind::Cancelled))
    }

    /// True when the run took longer than it was allowed to.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Error::Run { error, .. } if matches!(error.kind(), gw_exec::ErrorKind::TimedOut { .. }))
    }

    /// True when the graph or the vectors of a run are too large for the memory of the machine.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::Graph(gw_graph::GraphError::Memory(_)) => true,
            Error::Prepare(error) | Error::Run { error, .. } => {
                use gw_exec::ErrorKind;
                use gw_graph::GraphError;
                matches!(
                    error.kind(),
                    ErrorKind::OutOfMemory { .. } | ErrorKind::Memory(_) | ErrorKind::Graph(GraphError::Memory(_))
                )
            }
            _ => false,
        }
    }
}

/// A run-time error with the line of the program, where that is known.
fn shown(error: &ExecError, file: &SourceFile) -> String {
    match error.diagnostic() {
        Some(diagnostic) => diagnostic.render(file, false),
        None => error.to_string(),
    }
}
