//! Complete graphs: the densest case.

use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// Every pair of vertices joined; edges lead from the lower to the higher id.
#[derive(Debug, Clone, PartialEq)]
pub struct Complete {
    /// Number of vertices.
    pub vertices: u64,
}

impl Complete {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        Ok(Complete { vertices: params.required("VERTICES")? })
    }
}

impl Generator for Complete {
    fn spec(&self) -> String {
        format!("complete:{}", self.vertices)
    }

    fn size(&self) -> Size {
        let n = u128::from(self.vertices);
        Size::new(n, n * n.saturating_sub(1) / 2)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let n = self.vertices;
        // Row v of the upper triangle is paired with row n - 2 - v, so that each item makes n - 1 or so edges.
        let rows = n.saturating_sub(1).div_ceil(2);
        Ok(blocks::per_item(n, rows, n as usize, seed, progress, |_, v, edges| {
            let mirror = n - 2 - v;
            edges.extend((v + 1..n).map(|t| (v as u32, t as u32)));
            if mirror != v {
                edges.extend((mirror + 1..n).map(|t| (mirror as u32, t as u32)));
            }
        }))
    }
}
