//! Road-like graphs: a grid with streets missing and a few shortcuts, always connected.
//!
//! Every vertex but the corner keeps one of its edges to the left and upper neighbours, chosen at random: these edges
//! form a spanning tree (as in a binary-tree maze), so the graph is connected, and the corner reaches every vertex by
//! a shortest possible walk: the depth of a search from vertex 0 is `width + height - 2`. The other edges are
//! dropped at random so that the share `drop` of all grid edges goes. The default of 5 % gives 4000x4000 about
//! 60.78 million directed edges and mean degree 3.8; `drop=0.35` brings the mean degree to 2.6, as in street networks.

use super::grid::{extents, grid_size};
use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// A perturbed grid. Ids run along the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Road {
    /// Vertices per row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Share of the grid's edges that is missing, at most about a half (then a tree is left).
    pub drop: f64,
    /// Share of the cells that get one of their two diagonals.
    pub diagonals: f64,
}

const DROP: f64 = 0.05;

impl Road {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let extents = extents(params)?;
        params.check(extents.len() == 2, || "a road graph has two extents: road:1000x1000".into())?;
        let drop: f64 = params.named("drop")?.unwrap_or(DROP);
        params.check((0.0..=0.5).contains(&drop), || {
            format!("drop is {drop} but must lie between 0 and 0.5, where only a tree is left")
        })?;
        let diagonals = params.named("diagonals")?.unwrap_or(0.0);
        let diagonals = params.probability("diagonals", diagonals)?;
        Ok(Road { width: extents[0], height: extents[1], drop, diagonals })
    }

    /// Probability to drop an edge that the spanning tree does not need.
    fn drop_rate(&self) -> f64 {
        let (w, h) = (self.width as f64, self.height as f64);
        let all = 2.0 * w * h - w - h;
        let droppable = all - (w * h - 1.0);
        if droppable < 1.0 { 0.0 } else { (self.drop * all / droppable).min(1.0) }
    }
}

impl Generator for Road {
    fn spec(&self) -> String {
        let mut spec = format!("road:{}x{}", self.width, self.height);
        if self.drop != DROP {
            spec += &format!(":drop={}", self.drop);
        }
        if self.diagonals != 0.0 {
            spec += &format!(":diagonals={}", self.diagonals);
        }
        spec
    }

    fn size(&self) -> Size {
        let grid = grid_size(self.width, self.height, 1);
        Size::new(grid.vertices.into(), u128::from(grid.edges) + (grid.vertices as f64 * self.diagonals) as u128)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let vertices = self.size().vertices;
        let width = self.width;
        let keep = 1.0 - self.drop_rate();
        Ok(blocks::per_item(vertices, vertices, 2, seed, progress, |rng, v, edges| {
            let (left, up) = (v % width > 0, v >= width);
            let mut join = |from: u64, to: u64| edges.push((from as u32, to as u32));
            // Drawn for every vertex, so that the stream does not depend on the shape.
            let word = rng.next_u64();
            let tree_goes_left = word & 1 == 0;
            let keeps_other = (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64) < keep;
            if left && (!up || tree_goes_left || keeps_other) {
                join(v - 1, v);
            }
            if up && (!left || !tree_goes_left || keeps_other) {
                join(v - width, v);
            }
            if self.diagonals > 0.0 && left && up && rng.unit() < self.diagonals {
                if word & 2 == 0 {
                    join(v - width - 1, v);
                } else {
                    join(v - width, v - 1);
                }
            }
        }))
    }
}
