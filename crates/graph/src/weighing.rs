//! A graph without weights as one whose edges all weigh the same.

use std::sync::Arc;

use crate::{Graph, WeightKind, Weights};

/// A weight that all edges have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ConstantWeight {
    /// A whole number.
    Int(i32),
    /// A real number.
    Float(f32),
    /// A whole number of 64 bits.
    Int64(i64),
    /// A real number of 64 bits.
    Double(f64),
}

impl ConstantWeight {
    /// What tells it from all others.
    pub(crate) fn key(self) -> (WeightKind, u64) {
        match self {
            ConstantWeight::Int(weight) => (WeightKind::Int, weight as u64),
            ConstantWeight::Float(weight) => (WeightKind::Float, weight.to_bits().into()),
            ConstantWeight::Int64(weight) => (WeightKind::Int64, weight as u64),
            ConstantWeight::Double(weight) => (WeightKind::Double, weight.to_bits()),
        }
    }
}

impl Graph {
    /// The same edges, all with this weight. Made once and kept; the lists are shared, but copied where they stand
    /// elsewhere.
    ///
    /// ```
    /// use gw_graph::{ConstantWeight, GraphSpec, Weights};
    /// let path = GraphSpec::parse("path:3").unwrap().load(&gw_graph::progress::Silent).unwrap().graph;
    /// let weighed = path.weighing(ConstantWeight::Int(1)).unwrap();
    /// assert!(matches!(weighed.out().weights(), Weights::Int(w) if **w == [1; 4]));
    /// assert_eq!(weighed.out().targets().as_ptr(), path.out().targets().as_ptr());
    /// ```
    pub fn weighing(&self, weight: ConstantWeight) -> crate::Result<Arc<Graph>> {
        self.out().load_rows()?;
        let edges = self.edges();
        let make = || {
            let weights = match weight {
                ConstantWeight::Int(weight) => Weights::Int(vec![weight; edges].into()),
                ConstantWeight::Float(weight) => Weights::Float(vec![weight; edges].into()),
                ConstantWeight::Int64(weight) => Weights::Int64(vec![weight; edges].into()),
                ConstantWeight::Double(weight) => Weights::Double(vec![weight; edges].into()),
            };
            let out = self.shared_out().with_weights(weights);
            Graph::new(out, self.is_symmetric()).with_names(self.names().cloned()).with_columns_of(self)
        };
        let bytes = |graph: &Graph| graph.out().weights().bytes();
        self.forms.weighed(weight, (weight.key().0.bytes() * edges) as u64, bytes, make)
    }
}
