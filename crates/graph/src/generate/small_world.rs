//! Small-world graphs (Watts and Strogatz, Nature 393, 1998).

use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// A ring in which every vertex is joined to its `neighbours` nearest ones; the far end of each edge then moves to a
/// random vertex with probability `rewire`. An edge rewired onto another one merges with it when the graph is built.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallWorld {
    /// Number of vertices.
    pub vertices: u64,
    /// Even number of nearest neighbours, below the number of vertices.
    pub neighbours: u64,
    /// Probability to rewire an edge.
    pub rewire: f64,
}

impl SmallWorld {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let vertices = params.required("VERTICES")?;
        let neighbours: u64 = params.optional("NEIGHBOURS", 10)?;
        let rewire = params.optional("REWIRE", 0.1)?;
        let rewire = params.probability("REWIRE", rewire)?;
        params.check(neighbours.is_multiple_of(2) && neighbours < vertices, || {
            format!("NEIGHBOURS is {neighbours} but must be even and below the number of vertices ({vertices})")
        })?;
        Ok(SmallWorld { vertices, neighbours, rewire })
    }
}

impl Generator for SmallWorld {
    fn spec(&self) -> String {
        format!("smallworld:{}:{}:{}", self.vertices, self.neighbours, self.rewire)
    }

    fn size(&self) -> Size {
        Size::new(self.vertices.into(), u128::from(self.vertices) * u128::from(self.neighbours / 2))
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let SmallWorld { vertices, neighbours, rewire } = *self;
        let half = neighbours / 2;
        Ok(blocks::per_item(vertices, vertices, half as usize, seed, progress, |rng, v, edges| {
            for step in 1..=half {
                let target = if rng.unit() < rewire {
                    // Any vertex but v itself.
                    (v + 1 + rng.below(vertices - 1)) % vertices
                } else {
                    (v + step) % vertices
                };
                edges.push((v as u32, target as u32));
            }
        }))
    }
}
