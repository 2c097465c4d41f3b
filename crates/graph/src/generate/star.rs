//! Stars: the worst case of load balancing.

use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// Vertex 0 joined to all others; edges lead away from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Star {
    /// Number of vertices, centre included.
    pub vertices: u64,
}

impl Star {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        Ok(Star { vertices: params.required("VERTICES")? })
    }
}

impl Generator for Star {
    fn spec(&self) -> String {
        format!("star:{}", self.vertices)
    }

    fn size(&self) -> Size {
        Size::new(self.vertices.into(), self.vertices.saturating_sub(1).into())
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let leaves = self.vertices.saturating_sub(1);
        Ok(blocks::per_item(self.vertices, leaves, 1, seed, progress, |_, leaf, edges| {
            edges.push((0, leaf as u32 + 1));
        }))
    }
}
