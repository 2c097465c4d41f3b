//! How pairs of nodes are judged, in both phases that draw at random: seeds, and the pairs that a match grows by.
//!
//! | scoring | seeds | growing |
//! |---|---|---|
//! | [`Released`], the default | product of degree, label and neighbourhood | label times kept query edges |
//! | [`Thesis`] | sum of degree, label and neighbourhood, per query node | label times agreement of all edges and non-edges |
//!
//! The text of the thesis and the program its authors released differ. On the released data only the program's scoring
//! gives costs in the published range, so that scoring is the default.

mod bits;
mod released;
mod thesis;

pub(crate) use released::degree_similarity;
pub use released::{NeighbourhoodScores, Released};
pub use thesis::{Terms, Thesis};

use gw_graph::rng::Rng;

use crate::similarity::Similarity;
use crate::{PatternError, Result};

/// The weight of a query node and target node whose labels differ (the released program's constant).
pub const MISMATCH_FLOOR: f64 = 0.005;

/// Draws seeds: pairs of a query node and a target node, by weight.
pub trait Seeds: Sync {
    /// A pair by the numbers of `rng`.
    fn draw(&self, rng: &mut Rng) -> (u32, u32);

    /// The probability of a pair, for tests and for people who want to see the distribution.
    fn probability(&self, query: u32, target: u32) -> f64;
}

/// Edges around a candidate pair while a match grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Links {
    /// Pairs in the match so far.
    pub pairs: usize,
    /// Those whose query node is a neighbour of the candidate query node.
    pub query: usize,
    /// Those whose target node is a neighbour of the candidate target node.
    pub target: usize,
    /// Those of which both are true.
    pub common: usize,
}

/// The scorings that a GPU knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DeviceScoring {
    /// [`Released`].
    Released,
    /// This one of the thesis.
    Thesis(Thesis),
}

/// A way of judging pairs.
pub trait Scoring: Sync {
    /// Its name.
    fn name(&self) -> String;

    /// Phase 1: the weights of all pairs as seeds. `depth` is the number of edges from a node that its neighbourhood
    /// reaches, at least 1.
    fn seeds<'a>(&self, similarity: &Similarity<'a>, depth: usize) -> Result<Box<dyn Seeds + 'a>>;

    /// The similarity of a pair with unequal labels while a match grows.
    fn floor(&self) -> f64;

    /// Phase 3: the weight of a candidate pair with this similarity and these links.
    fn growth(&self, similarity: f64, links: Links) -> f64;

    /// True when candidates without a common link have the weight 0 and need not be looked at.
    fn needs_common_link(&self) -> bool;

    /// What a GPU has to do to judge in the same way; `None` where it cannot.
    fn on_device(&self) -> Option<DeviceScoring> {
        None
    }
}

/// The scoring of a name: `released`, `thesis`, or `thesis:` with the similarities that seeds are drawn by, such as
/// `thesis:label+bfs`.
pub fn scoring(name: &str) -> Result<Box<dyn Scoring>> {
    match name.split_once(':') {
        None if name == "released" => Ok(Box::new(Released)),
        None if name == "thesis" => Ok(Box::new(Thesis::default())),
        Some(("thesis", terms)) => Ok(Box::new(Thesis { terms: terms.parse()?, ..Thesis::default() })),
        _ => {
            let message =
                format!("there is no scoring `{name}`: released and thesis are scorings, and thesis:label+bfs");
            Err(PatternError::Argument(message))
        }
    }
}
