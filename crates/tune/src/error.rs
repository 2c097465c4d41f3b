//! What can go wrong with tuning.

use std::path::PathBuf;

use thiserror::Error;

/// Shorthand for results of this crate.
pub type Result<T, E = TuneError> = std::result::Result<T, E>;

/// Why nothing could be tuned.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The program, its arguments or its graph are wrong.
    #[error(transparent)]
    Program(#[from] graphwright::Error),
    /// The lab cannot be used.
    #[error(transparent)]
    Lab(#[from] gw_lab::LabError),
    /// Energy is wanted and cannot be metered.
    #[error("the energy of {machine} cannot be metered: {reason}; `--objective time` needs no meter")]
    NoMeter {
        /// The machine.
        machine: String,
        /// Why not, and what helps.
        reason: String,
    },
    /// The machine's own choice does not run, so that there is nothing to compare with.
    #[error("the machine's own schedule does not run: {0}")]
    Baseline(#[from] crate::search::NoBaseline),
    /// No place of the program takes a schedule that this machine could run in more than one way.
    #[error("nothing to tune: no operator of {program} can run in more than one way on {machine}")]
    NothingToTune {
        /// The program.
        program: String,
        /// The machine.
        machine: String,
    },
    /// The graph of the program is not known before it runs.
    #[error("the program names no graph that is known before it runs; pass the graph as an argument and load(argv[1])")]
    NoGraph,
    /// Another process writes the journal.
    #[error("{}: another search for the same program, graph and machine is at work on this journal", path.display())]
    JournalInUse {
        /// The journal.
        path: PathBuf,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}
