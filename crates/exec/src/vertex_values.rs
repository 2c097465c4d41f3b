//! `load` of a vector: values of vertices from a list or a file, as cells of the vector's type.

use std::hash::Hasher;
use std::sync::Arc;
use std::time::Instant;

use gw_graph::Graph;
use gw_graph::vertex_values::{Kind, read};
use gw_ir::types::{Domain, Scalar, Type};
use rustc_hash::FxHasher;

use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::scalar::Register;
use crate::value::Value;
use crate::vector::Vector;

impl Environment {
    /// A vector over vertices with the values that a text gives; those it does not name have 0. Vertices are named as
    /// outside this run, whatever their numbers in it.
    pub(crate) fn load_vector(&mut self, text: &str, ty: &Type) -> Result<Vector> {
        let start = Instant::now();
        let graph = self.graph_of(ty)?;
        let (scalar, dims) = self.shape(ty)?;
        let renumbered = self.renumbered.as_ref();
        let named = renumbered.map_or(&graph, |(loaded, _)| loaded);
        let width = dims[1..].iter().product();
        let vector = Vector::zeros(scalar, &dims)?;
        let cells = vector.touched();
        let new_ids = renumbered.map(|(_, renumbered)| renumbered.permutation.new_ids());
        read(
            text,
            named,
            width,
            kind(scalar),
            |word| parse(scalar, word),
            |vertex, at, bits| {
                let row = new_ids.map_or(vertex, |ids| ids[vertex as usize]) as usize;
                cells.store(row * width + at, bits);
            },
        )?;
        let mut hash = FxHasher::default();
        hash.write_u64(self.loaded_values);
        (0..vector.cells()).for_each(|at| hash.write_u64(cells.load(at)));
        self.loaded_values = hash.finish();
        self.load_seconds += start.elapsed().as_secs_f64();
        Ok(vector)
    }

    /// The first graph whose vertices a vector of this type is over.
    fn graph_of(&self, ty: &Type) -> Result<Arc<Graph>> {
        let Type::Vector { domain: Domain::Element(element), .. } = ty else {
            return Err(ErrorKind::Malformed(format!("`{ty}` is not a vector over vertices")).into());
        };
        let is_over = |graph: &Type| match graph {
            Type::EdgeSet { source, target, .. } => source == element || target == element,
            _ => false,
        };
        let graph = self.global_values().find_map(|(_, ty, value)| match value {
            Value::Graph(graph) if is_over(ty) => Some(graph),
            _ => None,
        });
        Ok(graph.ok_or_else(|| ErrorKind::NoVertices { element: element.to_string() })?)
    }
}

/// What a value of this type is called in messages.
fn kind(scalar: Scalar) -> Kind<u64> {
    match scalar {
        Scalar::Int => Kind { word: "a whole number of 32 bits", one: 1i32.bits() },
        Scalar::Uint => Kind { word: "a whole number of 32 bits from 0 on", one: 1u32.bits() },
        Scalar::Int64 => Kind { word: "a whole number of 64 bits", one: 1i64.bits() },
        Scalar::Uint64 => Kind { word: "a whole number of 64 bits from 0 on", one: 1u64.bits() },
        Scalar::Bool => Kind { word: "0 or 1", one: 1 },
        Scalar::Float => Kind { word: "a number", one: 1f32.bits() },
        Scalar::Double | Scalar::String => Kind { word: "a number", one: 1f64.bits() },
    }
}

/// A text as a cell of this type.
fn parse(scalar: Scalar, word: &str) -> Option<u64> {
    let real = || word.parse().ok().filter(|number: &f64| number.is_finite());
    match scalar {
        Scalar::Int => word.parse::<i32>().ok().map(Register::bits),
        Scalar::Uint => word.parse::<u32>().ok().map(Register::bits),
        Scalar::Int64 => word.parse::<i64>().ok().map(Register::bits),
        Scalar::Uint64 => word.parse::<u64>().ok().map(Register::bits),
        Scalar::Bool => match word {
            "0" | "false" => Some(0),
            "1" | "true" => Some(1),
            _ => None,
        },
        Scalar::Float => real().map(|number| number as f32).filter(|number| number.is_finite()).map(Register::bits),
        Scalar::Double => real().map(Register::bits),
        Scalar::String => None,
    }
}
