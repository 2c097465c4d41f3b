//! What can go wrong with models and their training.

use std::path::PathBuf;

use gw_schedule::Feature;
use thiserror::Error;

/// Shorthand for results of this crate.
pub type Result<T, E = ModelError> = std::result::Result<T, E>;

/// A model that cannot be made, read or used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// An option has a value that makes no sense.
    #[error("{option}: {problem}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong and the mend.
        problem: String,
    },
    /// There is nothing to learn from.
    #[error("nothing to learn from: {0}")]
    NothingToLearn(String),
    /// A row has no value for a feature.
    #[error(
        "the graph `{graph}` has no value for the feature `{feature}`: measure its properties, or leave the feature out"
    )]
    MissingFeature {
        /// The graph.
        graph: String,
        /// The feature.
        feature: Feature,
    },
    /// Nothing is held out.
    #[error("{0}")]
    NothingHeldOut(String),
    /// The table does not have what the model needs.
    #[error("the model `{model}` does not fit the measurements: {problem}")]
    Unfit {
        /// The model.
        model: String,
        /// What is missing.
        problem: String,
    },
    /// No such variant was measured.
    #[error("no variant `{config}` of the graph `{graph}` was measured; {known}")]
    UnknownVariant {
        /// The graph asked for.
        graph: String,
        /// The configuration asked for.
        config: String,
        /// What there is.
        known: String,
    },
    /// A model file could not be read.
    #[error("cannot read the model {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A model file could not be written; what was there before is unharmed.
    #[error("cannot write the model {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The lab could not be asked.
    #[error(transparent)]
    Lab(#[from] gw_lab::LabError),
    /// A text that is no model.
    #[error("{place} is not a model: {problem}")]
    Format {
        /// The file, or the place in the lab.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

impl ModelError {
    /// True for mistakes on the command line rather than in files or measurements.
    pub fn is_usage(&self) -> bool {
        match self {
            ModelError::Option { .. } | ModelError::UnknownVariant { .. } | ModelError::NothingHeldOut(_) => true,
            ModelError::Lab(error) => error.is_usage(),
            _ => false,
        }
    }
}
