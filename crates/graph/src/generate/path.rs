//! Paths and cycles: the deepest graphs, one vertex per search level.

use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// The chain `0 - 1 - 2 - ...`.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Number of vertices.
    pub vertices: u64,
}

/// A chain closed by an edge from the last vertex to the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Number of vertices, at least 3.
    pub vertices: u64,
}

impl Path {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        Ok(Path { vertices: params.required("VERTICES")? })
    }
}

impl Cycle {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let vertices = params.required("VERTICES")?;
        params.check(vertices >= 3, || "a cycle has at least 3 vertices".into())?;
        Ok(Cycle { vertices })
    }
}

impl Generator for Path {
    fn spec(&self) -> String {
        format!("path:{}", self.vertices)
    }

    fn size(&self) -> Size {
        Size::new(self.vertices.into(), self.vertices.saturating_sub(1).into())
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let edges = self.vertices.saturating_sub(1);
        Ok(blocks::per_item(self.vertices, edges, 1, seed, progress, |_, v, edges| {
            edges.push((v as u32, v as u32 + 1));
        }))
    }
}

impl Generator for Cycle {
    fn spec(&self) -> String {
        format!("cycle:{}", self.vertices)
    }

    fn size(&self) -> Size {
        Size::new(self.vertices.into(), self.vertices.into())
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let vertices = self.vertices;
        Ok(blocks::per_item(vertices, vertices, 1, seed, progress, |_, v, edges| {
            edges.push((v as u32, ((v + 1) % vertices) as u32));
        }))
    }
}
