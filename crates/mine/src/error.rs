//! What can go wrong: files that break their format, and traces that cannot be mined.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum MineError {
    /// The operating system refused to read a file.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A line of a file breaks its format.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: u64,
        /// What is wrong and, where known, the mend.
        message: String,
    },
    /// A file as a whole cannot be used.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and the mend.
        message: String,
    },
    /// Memory does not suffice.
    #[error(transparent)]
    Memory(#[from] gw_graph::memory::OutOfMemory),
    /// There are more candidates or invariants than there is memory for.
    #[error(
        "more than {most} {what} of {variables} variables are to be kept, and these alone need {} of memory, which is \
         all that may still be used: leave columns out, ask for fewer variables in an invariant (--arity 2), or for less \
         (--templates 1)",
        gw_graph::memory::human_bytes((*bytes).into())
    )]
    TooMany {
        /// Candidates or invariants.
        what: &'static str,
        /// Variables they are about.
        variables: u32,
        /// How many there is memory for.
        most: u64,
        /// Bytes that these take.
        bytes: u64,
    },
    /// The GPU is missing or refused something.
    #[cfg(feature = "cuda")]
    #[error("{0}")]
    Device(String),
    /// Arguments that do not fit together.
    #[error("{0}")]
    Argument(String),
}

impl MineError {
    pub(crate) fn read(path: &Path, source: std::io::Error) -> MineError {
        MineError::Read { path: path.to_owned(), source }
    }

    pub(crate) fn line(path: &Path, line: u64, message: impl Into<String>) -> MineError {
        MineError::Line { path: path.to_owned(), line, message: message.into() }
    }

    pub(crate) fn file(path: &Path, message: impl Into<String>) -> MineError {
        MineError::File { path: path.to_owned(), message: message.into() }
    }

    /// True when a person gave arguments that do not fit together.
    pub fn is_usage(&self) -> bool {
        matches!(self, MineError::Argument(_))
    }
}

/// How many things of so many bytes the memory that may still be used has room for.
pub(crate) fn most_in_memory(bytes: u64) -> u64 {
    // What everything else may still need.
    const RESERVE: u64 = 64 << 20;
    gw_graph::memory::room().map_or(u64::MAX, |room| room.bytes.saturating_sub(RESERVE) / bytes)
}
