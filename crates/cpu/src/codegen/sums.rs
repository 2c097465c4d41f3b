//! Reductions into global scalars, and into one cell of a small vector: every kernel call accumulates in a register and
//! combines the whole with memory at its end.
//!
//! Without it every vertex or edge would update the same cell atomically, and the members of the team would wait for
//! its cache line. It is possible where the functions of the kernel do nothing else with the cell, so that nobody sees
//! the partial results.

use cranelift::prelude::*;
use gw_ir::analysis::operator::FunctionFacts;
use gw_ir::expr::{Expr, ExprKind, ReduceOp};
use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type as IrType};

use super::Refusal;
use super::translate::{Translator, clif_type};

/// A reduction in a register.
#[derive(Clone)]
pub(crate) struct Sum {
    register: Variable,
    op: ReduceOp,
    scalar: Scalar,
    /// The place in memory as the program names it.
    target: Expr,
}

impl Translator<'_, '_> {
    /// Gives every scalar that is only reduced into a register: sums start at zero, largest and smallest values at
    /// what is known so far.
    pub(super) fn begin_sums(&mut self, facts: &FunctionFacts) -> Result<(), Refusal> {
        for reduction in facts.scalar_reductions.iter().filter(|r| r.op == ReduceOp::Sum || !r.result_used) {
            let target = Expr::var(reduction.name.clone(), IrType::Scalar(reduction.scalar));
            self.begin_sum(reduction.name.clone(), reduction.op, reduction.scalar, target)?;
        }
        if let Some(cell) = &facts.cell_reduction {
            self.begin_sum(cell.vector.clone(), cell.op, cell.scalar, cell.cell.clone())?;
        }
        Ok(())
    }

    fn begin_sum(&mut self, name: Name, op: ReduceOp, scalar: Scalar, target: Expr) -> Result<(), Refusal> {
        let ty = clif_type(scalar);
        let start = match op {
            ReduceOp::Sum => self.zero(ty),
            _ => {
                let (place, _) = self.place(&target)?;
                self.load(ty, &place)
            }
        };
        let register = self.variable(ty, start);
        self.sums.insert(name, Sum { register, op, scalar, target });
        Ok(())
    }

    /// Reduces into the register of a scalar or cell, if it has one.
    pub(super) fn add_to_sum(&mut self, op: ReduceOp, target: &Expr, value: Value) -> Option<Value> {
        let root = match &target.kind {
            ExprKind::Element { vector, .. } => vector.as_var()?,
            _ => target.as_var()?,
        };
        let name = Some(root).filter(|name| !self.names.contains_key(*name))?;
        let sum = self.sums.get(name).filter(|sum| sum.op == op)?.clone();
        let old = self.b.use_var(sum.register);
        let (new, changed) = self.combine(op, sum.scalar, old, value);
        self.b.def_var(sum.register, new);
        Some(changed)
    }

    /// Combines the registers with their scalars and cells.
    pub(super) fn end_sums(&mut self) -> Result<(), Refusal> {
        let mut sums: Vec<(Name, Sum)> = self.sums.drain().collect();
        sums.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, sum) in sums {
            let value = self.b.use_var(sum.register);
            let (place, scalar) = self.place(&sum.target)?;
            self.reduce_at(sum.op, &place, scalar, value, self.target.parallel);
        }
        Ok(())
    }
}
