//! Trees: complete ones of a given arity, and random recursive ones.

use super::{Generator, Params, Size, blocks};
use crate::progress::Progress;
use crate::{EdgeList, Result};

/// A tree rooted at vertex 0; edges lead from parent to child.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Number of vertices.
    pub vertices: u64,
    /// Children per inner vertex, filled level by level; `None` picks each vertex's parent uniformly among those
    /// with lower ids.
    pub arity: Option<u64>,
}

const ARITY: u64 = 2;

impl Tree {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let random = params.flag("random");
        let vertices = params.required("VERTICES")?;
        let arity = if random { None } else { Some(params.optional("ARITY", ARITY)?) };
        params.check(arity != Some(0), || "ARITY must be at least 1".into())?;
        Ok(Tree { vertices, arity })
    }
}

impl Generator for Tree {
    fn spec(&self) -> String {
        match self.arity {
            Some(ARITY) => format!("tree:{}", self.vertices),
            Some(arity) => format!("tree:{}:{arity}", self.vertices),
            None => format!("tree:{}:random", self.vertices),
        }
    }

    fn size(&self) -> Size {
        Size::new(self.vertices.into(), self.vertices.saturating_sub(1).into())
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let edges = self.vertices.saturating_sub(1);
        Ok(blocks::per_item(self.vertices, edges, 1, seed, progress, |rng, item, edges| {
            let child = item + 1;
            let parent = match self.arity {
                Some(arity) => (child - 1) / arity,
                None => rng.below(child),
            };
            edges.push((parent as u32, child as u32));
        }))
    }
}
