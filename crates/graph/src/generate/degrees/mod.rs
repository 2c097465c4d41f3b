//! Graphs with a prescribed degree distribution, built directly.
//!
//! 1. Degrees are spread over the distribution's quantiles, one vertex each, and dealt to ids at random.
//! 2. Half-edges are paired at random (configuration model); loops and parallel edges are swapped away.
//! 3. Components are joined, by swaps that keep all degrees where cycles allow it.
//! 4. A Kolmogorov-Smirnov test accepts the outcome, or generation fails with the distance reached.

mod connect;
mod distribution;
mod ks;
mod pairing;

use super::{Generator, Params, Size};
use crate::progress::Progress;
use crate::rng::Rng;
use crate::{EdgeList, GraphError, Result};

pub(super) use connect::DisjointSets;
pub use connect::connect;
pub use distribution::{Distribution, Target};
pub use ks::{Significance, distance};
pub(super) use pairing::pair;

/// A simple graph whose degrees follow a distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Degrees {
    /// Number of vertices.
    pub vertices: u64,
    /// The target.
    pub distribution: Distribution,
    /// The test's level.
    pub significance: Significance,
    /// Join all components.
    pub connected: bool,
}

impl Degrees {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let unconnected = params.flag("unconnected");
        let significance = params.named("p")?.unwrap_or_default();
        let (vertices, distribution) = target_from_params(params)?;
        Ok(Degrees { vertices, distribution, significance, connected: !unconnected })
    }
}

/// Reads `VERTICES:DISTRIBUTION`.
pub(super) fn target_from_params(params: &mut Params) -> Result<(u64, Distribution)> {
    let vertices: u64 = params.required("VERTICES")?;
    params.check(vertices > 0, || "at least one vertex is needed".into())?;
    let distribution = Distribution::from_params(params)?;
    Ok((vertices, distribution))
}

impl Generator for Degrees {
    fn spec(&self) -> String {
        let mut spec = format!("degrees:{}:{}", self.vertices, self.distribution);
        if self.significance != Significance::default() {
            spec += &format!(":p={}", self.significance);
        }
        if !self.connected {
            spec += ":unconnected";
        }
        spec
    }

    fn size(&self) -> Size {
        // Pairing and joining hold several words per edge beside the list itself.
        let edges = self.distribution.mean_bound(self.vertices) * self.vertices as f64 / 2.0;
        Size::new(self.vertices.into(), 4 * edges as u128)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let target = self.distribution.target(self.vertices, self.connected)?;
        let vertices = self.vertices as usize;
        progress.begin("pairing half-edges", None);
        let mut rng = Rng::new(seed, 0);
        let mut edges = pair(&target.degrees(vertices, &mut rng), &mut rng);
        if self.connected {
            progress.begin("joining components", None);
            connect(vertices, &mut edges, &mut rng);
        }

        let distance = distance(&degree_counts(vertices, &edges), &target);
        let limit = self.significance.limit(vertices);
        if distance > limit {
            return Err(GraphError::Generate(format!(
                "{}: the degrees reached differ from the target by {distance:.4}, more than {limit:.4}, which the \
                 Kolmogorov-Smirnov test allows at p={}; {}",
                self.spec(),
                self.significance,
                if self.connected {
                    "a connected simple graph may be impossible with these degrees: try `unconnected`"
                } else {
                    "a simple graph may be impossible with these degrees"
                }
            )));
        }
        Ok(EdgeList::from_pairs(vertices, edges))
    }
}

/// How many vertices have each degree.
pub fn degree_counts(vertices: usize, edges: &[(u32, u32)]) -> Vec<u64> {
    let mut degrees = vec![0u32; vertices];
    for &(a, b) in edges {
        degrees[a as usize] += 1;
        degrees[b as usize] += 1;
    }
    let mut counts = vec![0; degrees.iter().max().map_or(0, |&d| d as usize + 1)];
    for degree in degrees {
        counts[degree as usize] += 1;
    }
    counts
}
