//! What can be wrong with a suite, with the choices made from it, or with a lab file.

use std::path::PathBuf;

use thiserror::Error;

/// Shorthand for results of this crate.
pub type Result<T, E = LabError> = std::result::Result<T, E>;

/// A suite that cannot be run, or a lab that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// No suite of this name comes with Graphwright.
    #[error("there is no suite `{name}`{}; suites: {known}, or a .toml file of your own", hint(nearest))]
    UnknownSuite {
        /// The name asked for.
        name: String,
        /// A name that is nearly the same.
        nearest: Option<String>,
        /// The suites there are.
        known: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A suite breaks its format; the message has the line.
    #[error("suite {suite}: {message}")]
    Format {
        /// The suite's name or file.
        suite: String,
        /// What is wrong and where.
        message: String,
    },
    /// A suite that can be read, but not carried out.
    #[error("suite {suite}: {place}: {message}")]
    Suite {
        /// The suite's name.
        suite: String,
        /// The graph, entry or option at fault.
        place: String,
        /// What is wrong and the mend.
        message: String,
    },
    /// A choice names something that the suite does not have.
    #[error("the suite {suite} has no {kind} `{name}`{}; it has {known}", hint(nearest))]
    UnknownName {
        /// The suite's name.
        suite: String,
        /// What was looked for: graph, program, schedule, parameter.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// A name that is nearly the same.
        nearest: Option<String>,
        /// The names there are.
        known: String,
    },
    /// Choices that leave nothing to run.
    #[error("nothing to run: {0}")]
    Nothing(String),
    /// A graph's file is missing or its spec is wrong.
    #[error("graph `{name}`: {source}")]
    Graph {
        /// The name of the graph in the suite.
        name: String,
        /// What is wrong.
        source: gw_graph::GraphError,
    },
    /// A model file that cannot be used.
    #[error("model {file}: {message}")]
    Model {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// There is no lab file.
    #[error("there is no lab {}; `gw lab init` makes one", path.display())]
    NoLab {
        /// The file.
        path: PathBuf,
    },
    /// A lab must not be overwritten.
    #[error("{} is there already; choose another name", path.display())]
    LabExists {
        /// The file.
        path: PathBuf,
    },
    /// A file is something else.
    #[error("{} is not a lab: {reason}", path.display())]
    NotALab {
        /// The file.
        path: PathBuf,
        /// What it is.
        reason: String,
    },
    /// A lab may not be written.
    #[error(
        "{} cannot be written, and labs are changed by most commands; copy it, with the file {}-wal where there is \
         one, to a folder of yours and use the copy",
        path.display(),
        path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A lab was written by a newer Graphwright.
    #[error("{} has version {found} of the lab's tables, this Graphwright knows {known}; use a newer one", path.display())]
    NewerLab {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// Something that shall go into a lab, or be found in it, is wrong.
    #[error("{place}: {message}")]
    Entry {
        /// The graph, option, line or name at fault.
        place: String,
        /// What is wrong and the mend.
        message: String,
    },
    /// SQLite could not do its work.
    #[error("the lab cannot be read or written: {0}")]
    Database(#[from] rusqlite::Error),
    /// The computer cannot be measured.
    #[error("cannot measure the memory bandwidth: {0}")]
    Meter(#[from] gw_meter::MeterError),
    /// A table cannot be written.
    #[error(transparent)]
    Sheet(#[from] crate::SheetError),
    /// A report cannot be written as JSON.
    #[error("cannot write the data of the report: {0}")]
    ReportData(serde_json::Error),
    /// A program or schedule that cannot be used.
    #[error(transparent)]
    Program(#[from] graphwright::Error),
}

impl LabError {
    /// True for mistakes on the command line rather than in files.
    pub fn is_usage(&self) -> bool {
        match self {
            LabError::UnknownSuite { .. } | LabError::UnknownName { .. } | LabError::Nothing(_) => true,
            LabError::Program(graphwright::Error::UnknownProgram(_)) | LabError::Entry { .. } => true,
            LabError::NoLab { .. } | LabError::LabExists { .. } => true,
            LabError::Graph { source, .. } => source.is_usage(),
            _ => false,
        }
    }

    /// True when another process was writing for as long as this one waits.
    pub fn is_busy(&self) -> bool {
        matches!(self, LabError::Database(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy))
    }

    /// `name` is none of `known`.
    pub(crate) fn unknown(suite: &str, kind: &'static str, name: &str, known: &[&str]) -> LabError {
        LabError::UnknownName {
            suite: suite.to_string(),
            kind,
            name: name.to_string(),
            nearest: gw_lang::suggest::nearest(name, known.iter().copied()).map(str::to_string),
            known: if known.is_empty() { "none".to_string() } else { known.join(", ") },
        }
    }
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}
