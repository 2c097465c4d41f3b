//! Kernels of a pull and the vertex operator behind it in one pass over the vertices.
//!
//! Which operators that may be is the answer of [`gw_ir::analysis::joined`].

use cranelift::prelude::*;
use gw_ir::expr::{Expr, FunctionRef};
use gw_ir::source::Name;

use super::edge::EdgeShape;
use super::inputs::Role;
use super::memory::Reason;
use super::translate::{Translator, clif_type};
use super::{EdgeOperator, Refusal};

/// What is done with a vertex when all that arrives at it is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Follow {
    /// The vertex function.
    pub(crate) function: FunctionRef,
    /// Vectors whose entries begin and end as a constant, so that they are only in registers.
    pub(crate) resting: Vec<(Name, Expr)>,
}

impl Translator<'_, '_> {
    /// The body of a kernel over the vertices `begin..end`: pulls and visits each.
    pub(crate) fn joined_kernel(
        &mut self,
        op: EdgeOperator<'_>,
        shape: EdgeShape,
        follow: &Follow,
        begin: Value,
        end: Value,
    ) -> Result<(), Refusal> {
        let zero = self.b.ins().iconst(types::I64, 0);
        let visited = self.variable(types::I64, zero);
        self.for_range(begin, end, |t, index, next| {
            let vertex = t.range_vertex(shape.range, index, next);
            t.with_vertex(vertex, |t| {
                for (vector, constant) in &follow.resting {
                    let ty = clif_type(t.scalar_of(&constant.ty)?);
                    let value = t.value(constant)?;
                    let register = t.variable(ty, value);
                    t.registers.push((vector.clone(), register));
                }
                let list = (t.b.ins().uextend(types::I64, vertex), Reason::PerVertex(vertex));
                t.pull_vertex(op, shape, vertex, list, visited, next)?;
                t.apply(&follow.function, Role::Apply, &[vertex])?;
                t.registers.retain(|(name, _)| !follow.resting.iter().any(|(vector, _)| vector == name));
                Ok(())
            })
        })?;
        self.count_edges(visited);
        Ok(())
    }
}
