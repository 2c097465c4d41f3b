//! Sums over sets and vectors, and degrees: kernels that are the same in all programs.

use std::sync::Arc;

use gw_device::{Address, Buffer};
use gw_exec::{Reduction, Result, Scalar, SetForm, Value, Vector, VertexSet};
use gw_graph::Graph;
use gw_ir::source::Span;

use crate::bindings::Bindings;
use crate::codegen::inputs::GraphParts;
use crate::error::exec_error;
use crate::executable::{CudaExecutable, Key};
use crate::kernels::{self, ListForm};
use crate::residency::{GraphWords, Wanted};
use crate::set::{DeviceSet, with_device_set};

impl CudaExecutable {
    /// Out-edges of a set.
    pub(crate) fn edges_of(&mut self, set: &VertexSet, graph: &Arc<Graph>) -> Result<u64> {
        // The operator that made the set may have counted. What is still on the host is a source or a few.
        if let Some(edges) = with_device_set(set, |own| own.edges_of(graph)).transpose().map_err(exec_error)?.flatten()
        {
            return Ok(edges);
        }
        if let Some(edges) = edges_of_few(set, graph) {
            return Ok(edges);
        }
        with_device_set(set, DeviceSet::forget_count).unwrap_or(Ok(())).map_err(exec_error)?;
        let vertices = graph.vertices();
        let (form, lists) = self.out_lists(graph)?;
        let loaded = self.loaded(Key::FrontierEdges(form), |_, _| Ok(kernels::frontier_edges(form)))?;
        let mut bindings = Bindings::new(vertices);
        self.bind_set(&mut bindings, &"set".into(), set, vertices)?;
        bindings.address("offsets".into(), lists.0);
        bindings.length("edges".into(), graph.edges() as u64);
        let outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        let results = self.collect(&outcomes, Span::NONE)?;
        outcomes.give_back(&self.launcher.spares);
        Ok(results[0])
    }

    /// How out-lists are found, the array that says it, and what keeps that.
    fn out_lists(&self, graph: &Arc<Graph>) -> Result<(ListForm, (Address, GraphWords))> {
        let shape = self.shape_of(graph);
        let parts = GraphParts { out: true, ..Default::default() };
        let wanted = Wanted { parts, apart: shape.apart, wide: shape.wide, block: 0 };
        let words = self.context.residency.words(graph, wanted).map_err(exec_error)?;
        let array = Address(words.words[if shape.apart.out { 13 } else { 0 }]);
        Ok((ListForm { wide: shape.wide, apart: shape.apart.out }, (array, words)))
    }

    /// Sum, maximum, minimum or count of the cells of a vector.
    pub(crate) fn reduce_vector(&mut self, reduction: Reduction, vector: &Vector) -> Result<Value> {
        let scalar = vector.scalar();
        let number = match reduction {
            Reduction::Sum => 0,
            Reduction::Max => 1,
            Reduction::Min => 2,
            Reduction::Count => 3,
        };
        let loaded = self.loaded(Key::Reduce(number, scalar), |_, _| Ok(kernels::reduce(reduction, scalar)))?;
        let address = self.vectors.for_reading(vector)?;
        let mut bindings = Bindings::new(0);
        bindings.address("cells".into(), address);
        bindings.length("cells".into(), vector.cells() as u64);
        let outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        let words = self.collect(&outcomes, Span::NONE)?;
        outcomes.give_back(&self.launcher.spares);
        let out = match reduction {
            Reduction::Count => Scalar::Int,
            Reduction::Sum if scalar.is_float() => Scalar::Double,
            Reduction::Sum => Scalar::Uint64,
            Reduction::Max | Reduction::Min => scalar,
        };
        Ok(Value::from_bits(out, words[0]))
    }

    /// The out-degrees of all vertices.
    pub(crate) fn degrees(&mut self, graph: &Arc<Graph>, scalar: Scalar) -> Result<Vector> {
        let vertices = graph.vertices();
        let vector = Vector::zeros(scalar, &[vertices])?;
        if vertices == 0 {
            return Ok(vector);
        }
        let (form, lists) = self.out_lists(graph)?;
        let loaded = self.loaded(Key::OutDegrees(form), |_, _| Ok(kernels::out_degrees(form)))?;
        let buffer = Buffer::new(&self.context.device, 4 * vertices).map_err(exec_error)?;
        let mut bindings = Bindings::new(vertices);
        bindings.address("offsets".into(), lists.0);
        bindings.address("degrees".into(), buffer.address());
        let outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, None)?;
        outcomes.give_back(&self.launcher.spares);
        self.vectors.adopt(&vector, buffer);
        Ok(vector)
    }
}

/// Out-edges of a small set that is not on the device.
fn edges_of_few(set: &VertexSet, graph: &Graph) -> Option<u64> {
    const FEW: usize = 64;
    set.with(|form| match form {
        SetForm::Ids(ids) if ids.len() <= FEW => {
            let inside = ids.iter().filter(|&&v| (v as usize) < graph.vertices());
            Some(inside.map(|&v| graph.out().degree(v) as u64).sum())
        }
        _ => None,
    })
}
