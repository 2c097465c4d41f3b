//! How large a generated graph will be, and the refusal of what cannot fit.

use crate::vertex_limit::checked_vertices;
use crate::{GraphError, Result, WeightKind, memory};

/// Expected size of a generated graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of undirected edges (an upper bound or an expectation).
    pub edges: u64,
}

impl Size {
    /// From numbers that may exceed 64 bits; those saturate.
    pub fn new(vertices: u128, edges: u128) -> Self {
        let clip = |x: u128| u64::try_from(x).unwrap_or(u64::MAX);
        Size { vertices: clip(vertices), edges: clip(edges) }
    }

    /// Most memory in use while the graph is made: the edge list, then the larger of the builder's buffer and the
    /// finished arrays with their weights.
    pub fn peak_bytes(&self, directed: bool, weights: WeightKind) -> u128 {
        let (vertices, edges) = (u128::from(self.vertices), u128::from(self.edges));
        let stored = if directed { edges } else { 2 * edges };
        let building = 8 * edges + 8 * stored;
        let weight = weights.bytes() as u128;
        let weighing = if weight > 0 { (8 + weight) * stored } else { 0 };
        building.max(weighing) + 12 * vertices
    }

    /// Refuses a graph that needs more ids than there are, or whose making needs more memory than may be used.
    pub fn check(&self, spec: &str, directed: bool, weights: WeightKind) -> Result<()> {
        let Size { vertices, edges } = self;
        if let Err(error) = checked_vertices(*vertices) {
            let message = error.to_string();
            return Err(GraphError::Spec { spec: spec.to_owned(), message });
        }
        let needed = u64::try_from(self.peak_bytes(directed, weights)).unwrap_or(u64::MAX);
        memory::allow(needed, format_args!("the graph `{spec}` of about {vertices} vertices and {edges} edges"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_sizes_are_refused_without_overflow() {
        let absurd = Size::new(u128::MAX, u128::MAX);
        let message = absurd.check("x", false, WeightKind::Int).unwrap_err().to_string();
        assert!(message.contains("vertices are too many: a graph has at most 2147483647"), "{message}");
        let dense = Size::new(1000, u128::MAX);
        let message = dense.check("x", false, WeightKind::Int).unwrap_err().to_string();
        assert!(message.contains("edges needs 16.0 EiB of memory, but only "), "{message}");
        assert!(Size::new(1000, 5000).check("x", false, WeightKind::Int).is_ok());
    }
}
