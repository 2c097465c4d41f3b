//! Sums into global scalars: every kernel call adds up in a register and adds the whole to the scalar at its end.
//!
//! Without it every vertex or edge would update the same cell atomically. It is possible where the functions of the
//! kernel do nothing else with the scalar, so that nobody sees the partial sums.

use cranelift::prelude::*;
use gw_ir::analysis::operator::ScalarReduction;
use gw_ir::expr::{Expr, ReduceOp};
use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type as IrType};

use super::Refusal;
use super::translate::{Translator, clif_type};

/// A sum in a register.
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    register: Variable,
    scalar: Scalar,
}

impl Translator<'_, '_> {
    /// Gives every scalar that is only added to a register that starts at zero.
    pub(super) fn begin_sums(&mut self, reductions: &[ScalarReduction]) {
        for ScalarReduction { name, scalar, .. } in reductions.iter().filter(|r| r.op == ReduceOp::Sum) {
            let ty = clif_type(*scalar);
            let zero = self.zero(ty);
            let register = self.variable(ty, zero);
            self.sums.insert(name.clone(), Sum { register, scalar: *scalar });
        }
    }

    /// Adds to the register of a scalar, if it has one.
    pub(super) fn add_to_sum(&mut self, target: &Expr, value: Value) -> Option<Value> {
        let name = target.as_var().filter(|name| !self.names.contains_key(*name))?;
        let sum = *self.sums.get(name)?;
        let old = self.b.use_var(sum.register);
        let (new, changed) = self.combine(ReduceOp::Sum, sum.scalar, old, value);
        self.b.def_var(sum.register, new);
        Some(changed)
    }

    /// Adds the registers to their scalars.
    pub(super) fn end_sums(&mut self) -> Result<(), Refusal> {
        let mut sums: Vec<(Name, Sum)> = self.sums.drain().collect();
        sums.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, sum) in sums {
            let value = self.b.use_var(sum.register);
            let (place, scalar) = self.place(&Expr::var(name, IrType::Scalar(sum.scalar)))?;
            self.reduce_at(ReduceOp::Sum, &place, scalar, value, self.target.parallel);
        }
        Ok(())
    }
}
