//! Uniform random graphs: both ends of every edge drawn uniformly (Erdős-Rényi with a fixed number of draws).

use super::kron::{EDGE_FACTOR, scaled_size};
use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// `2^scale` vertices and `edge_factor * 2^scale` drawn edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Urand {
    /// Logarithm of the number of vertices.
    pub scale: u32,
    /// Drawn edges per vertex.
    pub edge_factor: u64,
}

impl Urand {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        Ok(Urand { scale: params.required("SCALE")?, edge_factor: params.optional("EDGE_FACTOR", EDGE_FACTOR)? })
    }
}

impl Generator for Urand {
    fn spec(&self) -> String {
        match self.edge_factor {
            EDGE_FACTOR => format!("urand:{}", self.scale),
            factor => format!("urand:{}:{factor}", self.scale),
        }
    }

    fn size(&self) -> Size {
        scaled_size(self.scale, self.edge_factor)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let size = self.size();
        let mask = (size.vertices - 1) as u32;
        Ok(blocks::draw(size.vertices, size.edges, seed, progress, |rng| {
            let word = rng.next_u64();
            (word as u32 & mask, (word >> 32) as u32 & mask)
        }))
    }
}
