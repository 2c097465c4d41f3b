//! Random regular graphs: simple, every vertex of the same degree.

use super::degrees::pair;
use super::{Generator, Params, Size};
use crate::progress::Progress;
use crate::rng::Rng;
use crate::{EdgeList, GraphError, Result};

/// A random graph in which every vertex has the same degree.
#[derive(Debug, Clone, PartialEq)]
pub struct Regular {
    /// Number of vertices.
    pub vertices: u64,
    /// Degree of each; below the number of vertices, and even if that is odd.
    pub degree: u64,
}

/// Pairings tried; a failed one is rare, two in a row are rarer.
const ATTEMPTS: u64 = 20;

impl Regular {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let (vertices, degree): (u64, u64) = (params.required("VERTICES")?, params.required("DEGREE")?);
        params.check(degree < vertices.max(1), || {
            format!("DEGREE {degree} must be below the number of vertices ({vertices})")
        })?;
        params.check(vertices % 2 == 0 || degree % 2 == 0, || {
            format!("{vertices} vertices of degree {degree} are impossible: their product must be even")
        })?;
        Ok(Regular { vertices, degree })
    }
}

impl Generator for Regular {
    fn spec(&self) -> String {
        format!("regular:{}:{}", self.vertices, self.degree)
    }

    fn size(&self) -> Size {
        Size::new(self.vertices.into(), u128::from(self.vertices) * u128::from(self.degree) / 2)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        progress.begin("pairing half-edges", None);
        let vertices = self.vertices as usize;
        // A dense graph is the complement of a sparse one, which pairs without trouble.
        let dense = 2 * self.degree >= self.vertices;
        let degree = if dense { self.vertices.saturating_sub(self.degree + 1) } else { self.degree };
        let wanted = (self.vertices * degree / 2) as usize;
        let edges = (0..ATTEMPTS)
            .map(|attempt| pair(&vec![degree as u32; vertices], &mut Rng::new(seed, attempt)))
            .find(|edges| edges.len() == wanted)
            .ok_or_else(|| GraphError::Generate(format!("{}: no simple pairing was found", self.spec())))?;
        Ok(EdgeList::from_pairs(vertices, if dense { complement(vertices as u32, edges) } else { edges }))
    }
}

/// The pairs that are not among `edges` (all from lower to higher id).
fn complement(vertices: u32, mut edges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    edges.sort_unstable();
    let mut missing = edges.into_iter().peekable();
    let pairs = (0..vertices).flat_map(|a| (a + 1..vertices).map(move |b| (a, b)));
    pairs.filter(|pair| missing.next_if_eq(pair).is_none()).collect()
}
