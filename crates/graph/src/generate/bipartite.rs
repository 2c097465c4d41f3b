//! Bipartite graphs, random or complete.

use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// Vertices `0..left` on one side, the next `right` on the other; edges lead from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Bipartite {
    /// Vertices on the left.
    pub left: u64,
    /// Vertices on the right.
    pub right: u64,
    /// Edges drawn at random; all pairs when `None`.
    pub edges: Option<u64>,
}

impl Bipartite {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let left = params.required("LEFT")?;
        let right = params.required("RIGHT")?;
        let edges = params.next_text().map(|text| params.value("EDGES", &text)).transpose()?;
        let drawn = edges.unwrap_or(0) > 0;
        params.check(!drawn || (left > 0 && right > 0), || "edges need a vertex on both sides".into())?;
        Ok(Bipartite { left, right, edges })
    }
}

impl Generator for Bipartite {
    fn spec(&self) -> String {
        match self.edges {
            Some(edges) => format!("bipartite:{}:{}:{edges}", self.left, self.right),
            None => format!("bipartite:{}:{}", self.left, self.right),
        }
    }

    fn size(&self) -> Size {
        let (left, right) = (u128::from(self.left), u128::from(self.right));
        Size::new(left + right, self.edges.map_or(left * right, u128::from))
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let Size { vertices, edges: all } = self.size();
        let Bipartite { left, right, .. } = *self;
        Ok(match self.edges {
            Some(edges) => blocks::draw(vertices, edges, seed, progress, |rng| {
                (rng.below(left) as u32, (left + rng.below(right)) as u32)
            }),
            None => blocks::per_item(vertices, all, 1, seed, progress, |_, pair, edges| {
                edges.push(((pair / right) as u32, (left + pair % right) as u32));
            }),
        })
    }
}
