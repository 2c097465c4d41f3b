//! Kernels of a pull and the vertex operator behind it in one pass over the vertices.
//!
//! Which operators that may be is the answer of [`gw_ir::analysis::joined`].

use cranelift::prelude::*;
use gw_ir::analysis::joined::Visit;
use gw_ir::expr::{Expr, FunctionRef};
use gw_ir::source::Name;

use super::edge::EdgeShape;
use super::inputs::Role;
use super::memory::{Place, Reason};
use super::translate::{Translator, clif_type};
use super::{EdgeOperator, Refusal};

/// What is done with a vertex when all that arrives at it is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Follow {
    /// The vertex function.
    pub(crate) function: FunctionRef,
    /// Vectors whose entries begin and end as a constant, so that they are only in registers.
    pub(crate) resting: Vec<(Name, Expr)>,
    /// The entries that the function touches.
    pub(crate) visits: Vec<Visit>,
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
                // All edges are visited: nobody needs to count them.
                t.pull_vertex(op, shape, vertex, list, None, next)?;
                let touched = t.load_visited(&follow.visits, vertex)?;
                t.apply(&follow.function, Role::Apply, &[vertex])?;
                for (register, place) in touched {
                    let value = t.b.use_var(register);
                    t.store(value, &place);
                }
                t.registers.clear();
                Ok(())
            })
        })
    }

    /// Puts the entries of a vertex that its function touches into registers. No other vertex touches them, and every
    /// vector is an object of its own. Returns the registers that must be stored, with their places.
    fn load_visited(&mut self, visits: &[Visit], vertex: Value) -> Result<Vec<(Variable, Place)>, Refusal> {
        let mut written = Vec::new();
        for visit in visits {
            if self.registers.iter().any(|(name, _)| *name == visit.vector) {
                continue;
            }
            let ty = clif_type(self.scalar_of(&visit.ty)?);
            let place = self.entry_of(&visit.vector, vertex, ty)?;
            let value = if visit.overwritten { self.zero(ty) } else { self.load(ty, &place) };
            let register = self.variable(ty, value);
            self.registers.push((visit.vector.clone(), register));
            if visit.written {
                written.push((register, place));
            }
        }
        Ok(written)
    }
}
