//! What can go wrong when a machine is measured or a sheet is read.

use std::path::PathBuf;

use crate::sheet::Target;

/// The result of a function of this crate.
pub type Result<T, E = MeterError> = std::result::Result<T, E>;

/// What can go wrong when a machine is measured or a sheet is read.
#[derive(Debug, thiserror::Error)]
pub enum MeterError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no sheet.
    #[error("{}: this is no sheet of `gw meter`: {reason}", path.display())]
    NoSheet {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// A sheet was written by another version.
    #[error(
        "{}: this sheet has version {found}, this `gw` reads version {wanted}; measure again with `gw meter --target {target}`",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Version in the file.
        found: u64,
        /// Version that this program reads.
        wanted: u64,
        /// Target to measure again.
        target: String,
    },
    /// A sheet is about another kind of machine than the one asked for.
    #[error("{}: this sheet is about target {found}, and one about {wanted} is needed; `gw meter --target {wanted}` measures it", path.display())]
    WrongTarget {
        /// The file.
        path: PathBuf,
        /// What the sheet is about.
        found: Target,
        /// What was asked for.
        wanted: Target,
    },
    /// No sheet has been measured yet.
    #[error("this machine has no sheet for target {target} yet; `gw meter --target {target}` measures it")]
    NotMeasured {
        /// What was asked for.
        target: Target,
    },
    /// There is no folder where sheets could be kept.
    #[error(
        "there is no folder for sheets: GW_CACHE is empty, or neither XDG_CACHE_HOME nor HOME is set; give one with --out"
    )]
    NoFolder,
    /// Memory for a benchmark is missing.
    #[error("no memory for the benchmarks: {0}")]
    Memory(std::io::Error),
    /// A thread cannot be started.
    #[error("a thread for the benchmarks cannot be started: {0}")]
    Thread(std::io::Error),
    /// A device fails.
    #[error("{0}")]
    Device(String),
}
