//! Patterns in labelled graphs: where does a small graph, the *query*, occur in a large one, the *target*?
//!
//! [`find`] answers approximately. The method is APPAGATO's (Bonnici et al., Bioinformatics 32(14), 2016; Busato, PhD
//! thesis, chapter 10): seeds are drawn by a similarity of labels, degrees and neighbourhoods, and each seed grows,
//! pair by pair, into a match that may have wrong labels, missing edges and unmatched nodes, at a [`Cost`].
//! [`exact()`] answers exactly by backtracking. [`statistics`] judges matches, [`picture()`] draws them.
//!
//! ```
//! use gw_pattern::{Labels, Options, find, format};
//! let mut labels = Labels::default();
//! let target = format::list::parse("v a red\nv b green\nv c blue\nv d red\ne a b\ne b c\ne c a\ne c d", &mut labels)?;
//! let query = format::list::parse("v x green\nv y blue\nv z red\ne x y\ne y z\ne z x", &mut labels)?;
//! let found = find(&query, &target, None, &Options { solutions: 20, ..Options::default() })?;
//! assert_eq!(found.matches[0].cost.total, 0.0);
//! # Ok::<(), gw_pattern::PatternError>(())
//! ```

mod cost;
#[cfg(feature = "cuda")]
pub mod device;
mod error;
mod exact;
mod extend;
mod find;
pub mod format;
mod graph;
mod labels;
mod layout;
mod perturb;
mod picture;
pub mod plant;
pub mod report;
pub mod score;
mod similarity;
pub mod statistics;
pub mod survey;

pub use cost::Cost;
pub use error::PatternError;
pub use exact::{Exact, ExactOptions, exact};
pub use find::{Found, Match, Options, Seconds, find, find_with};
pub use graph::LabelledGraph;
pub use labels::{LabelId, Labels};
pub use perturb::perturb;
pub use picture::picture;
pub use score::{DeviceScoring, Released, Scoring, Thesis, scoring};
pub use similarity::{Matrix, Similarity};

/// What functions of this crate return.
pub type Result<T> = std::result::Result<T, PatternError>;
