//! What can go wrong: files that break their format, and arguments that do not fit together.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum PatternError {
    /// The operating system refused to read a file.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A text breaks its format.
    #[error("line {line}: {message}")]
    Text {
        /// 1-based line.
        line: usize,
        /// What is wrong and, where known, the mend.
        message: String,
    },
    /// A text in a file breaks its format.
    #[error("{}:{line}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// What is wrong and, where known, the mend.
        message: String,
    },
    /// A graph could not be read or made.
    #[error(transparent)]
    Graph(#[from] gw_graph::GraphError),
    /// Memory does not suffice.
    #[error(transparent)]
    Memory(#[from] gw_graph::memory::OutOfMemory),
    /// An exact search found more matches than there is memory for.
    #[error(
        "there are more than {matches} exact matches, and these alone need {} of memory, which is all that may still be \
         used: ask for fewer (--solutions)",
        gw_graph::memory::human_bytes((*bytes).into())
    )]
    TooManyMatches {
        /// Matches for which there is memory.
        matches: u64,
        /// Bytes that they take.
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

impl PatternError {
    /// An error in a line of a text; lines count from 1.
    pub(crate) fn text(line: usize, message: impl Into<String>) -> PatternError {
        PatternError::Text { line, message: message.into() }
    }

    /// The same error with the file in which the line stands.
    pub(crate) fn in_file(self, path: &Path) -> PatternError {
        match self {
            PatternError::Text { line, message } => PatternError::File { path: path.to_owned(), line, message },
            other => other,
        }
    }

    /// True when a person gave arguments that do not fit together.
    pub fn is_usage(&self) -> bool {
        match self {
            PatternError::Argument(_) => true,
            PatternError::Graph(error) => error.is_usage(),
            _ => false,
        }
    }
}
