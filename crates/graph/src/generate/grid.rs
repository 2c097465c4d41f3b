//! Regular grids in two or three dimensions.

use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// A grid: vertex `(x, y, z)` has the id `x + width * (y + height * z)` and is joined to its neighbours along each
/// axis. A 2-D grid has depth 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Extent along x.
    pub width: u64,
    /// Extent along y.
    pub height: u64,
    /// Extent along z.
    pub depth: u64,
}

impl Grid {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let extents = extents(params)?;
        params.check(matches!(extents.len(), 2 | 3), || "a grid has two or three extents: grid:100x100x100".into())?;
        Ok(Grid { width: extents[0], height: extents[1], depth: extents.get(2).copied().unwrap_or(1) })
    }
}

/// Reads `AxB` or `AxBxC`, each at least 1.
pub(super) fn extents(params: &mut Params) -> Result<Vec<u64>> {
    let text: String = params.required("WIDTHxHEIGHT")?;
    let extents = text.split('x').map(|part| params.value("extent", part)).collect::<Result<Vec<u64>>>()?;
    params.check(extents.iter().all(|&e| e > 0), || "every extent must be at least 1".into())?;
    Ok(extents)
}

/// Vertices and edges of a grid.
pub(super) fn grid_size(width: u64, height: u64, depth: u64) -> Size {
    let [w, h, d] = [width, height, depth].map(u128::from);
    let vertices = w.saturating_mul(h).saturating_mul(d);
    Size::new(vertices, vertices.saturating_mul(if depth > 1 { 3 } else { 2 }))
}

impl Generator for Grid {
    fn spec(&self) -> String {
        match self.depth {
            1 => format!("grid:{}x{}", self.width, self.height),
            depth => format!("grid:{}x{}x{depth}", self.width, self.height),
        }
    }

    fn size(&self) -> Size {
        grid_size(self.width, self.height, self.depth)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let vertices = self.size().vertices;
        let Grid { width, height, depth } = *self;
        let dimensions = if depth > 1 { 3 } else { 2 };
        Ok(blocks::per_item(vertices, vertices, dimensions, seed, progress, |_, v, edges| {
            let (x, y, z) = (v % width, v / width % height, v / (width * height));
            let mut join = |step: u64| edges.push((v as u32, (v + step) as u32));
            if x + 1 < width {
                join(1);
            }
            if y + 1 < height {
                join(width);
            }
            if z + 1 < depth {
                join(width * height);
            }
        }))
    }
}
