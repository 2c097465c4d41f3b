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
        if n < 2 {
            return Ok(EdgeList::from_pairs(n as usize, Vec::new()));
        }
        // Folding the upper triangle makes a rectangle whose cells are the pairs: a row r is followed by the row
        // that has what r lacks.
        let odd = n % 2;
        let width = n - 1 + odd;
        Ok(blocks::per_item(n, self.size().edges, 1, seed, progress, |_, pair, edges| {
            let (row, column) = (pair / width, pair % width);
            let length = n - 1 - row;
            let (source, target) = if column < length {
                (row, row + 1 + column)
            } else {
                let mirror = n - 1 - odd - row;
                (mirror, mirror + 1 + column - length)
            };
            edges.push((source as u32, target as u32));
        }))
    }
}
