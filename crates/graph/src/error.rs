//! Everything that can go wrong with graphs, with the place at fault.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Shorthand for results of this crate.
pub type Result<T, E = GraphError> = std::result::Result<T, E>;

/// An error about a graph, its file or its specification.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "read", "write", "create"...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A text file breaks its format.
    #[error("{}:{line}: {message}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: u64,
        /// What is wrong and, where known, the mend.
        message: String,
    },
    /// A document (GraphML, GEXF, JSON) breaks its format.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: u64,
        /// 1-based character in the line.
        column: u64,
        /// What is wrong and, where known, the mend.
        message: String,
    },
    /// A binary file breaks its format.
    #[error("{}: at byte {offset}: {message}", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// 0-based offset.
        offset: u64,
        /// What is wrong.
        message: String,
    },
    /// A file as a whole cannot be used (unknown suffix, empty, unsupported kind).
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and the mend.
        message: String,
    },
    /// A graph specification such as `kron:20:seed=7` is wrong.
    #[error("graph spec `{spec}`: {message}")]
    Spec {
        /// The whole specification.
        spec: String,
        /// What is wrong and the mend.
        message: String,
    },
    /// An id is not below the number of vertices.
    #[error("vertex {vertex} is out of range: the graph has {vertices} vertices")]
    VertexOutOfRange {
        /// The id.
        vertex: u64,
        /// The number of vertices.
        vertices: usize,
    },
    /// More vertices than programs can number.
    #[error("{0} vertices are too many: a graph has at most {most}", most = crate::MAX_VERTICES)]
    TooManyVertices(u64),
    /// A graph breaks an invariant of storage.
    #[error("the graph is not well formed: {0}")]
    Malformed(String),
    /// More memory would be needed than this process may use.
    #[error(transparent)]
    Memory(#[from] crate::memory::OutOfMemory),
    /// Lists that a machine made in its memory cannot be brought to the host any more.
    #[error("the lists of a graph cannot be read from the device: {0}")]
    Remote(String),
    /// Options or parameters that do not fit together.
    #[error("{0}")]
    Usage(String),
    /// A generator did not reach its target.
    #[error("{0}")]
    Generate(String),
}

impl GraphError {
    /// An I/O error while doing `action` on `path`.
    pub fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        GraphError::Io { action, path: path.to_path_buf(), source }
    }

    /// A format error in a text file.
    pub fn text(path: &Path, line: u64, message: impl Into<String>) -> Self {
        GraphError::Text { path: path.to_path_buf(), line, message: message.into() }
    }

    /// A format error in a document: at a byte of its text.
    pub(crate) fn document(path: &Path, text: &[u8], at: usize, message: impl Into<String>) -> Self {
        let before = &text[..at.min(text.len())];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
        // Bytes that go on with a character do not count.
        let column = 1 + before[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64;
        GraphError::Document { path: path.to_path_buf(), line, column, message: message.into() }
    }

    /// A format error in a binary file.
    pub fn binary(path: &Path, offset: u64, message: impl Into<String>) -> Self {
        GraphError::Binary { path: path.to_path_buf(), offset, message: message.into() }
    }

    /// An error about a file as a whole.
    pub fn file(path: &Path, message: impl Into<String>) -> Self {
        GraphError::File { path: path.to_path_buf(), message: message.into() }
    }

    /// True for mistakes on the command line rather than in data.
    pub fn is_usage(&self) -> bool {
        matches!(self, GraphError::Spec { .. } | GraphError::Usage(_))
    }
}
