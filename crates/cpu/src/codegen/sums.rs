//! Sums into global scalars: every kernel call adds up in a register and adds the whole to the scalar at its end.
//!
//! Without it every vertex or edge would update the same cell atomically. It is possible where the functions of the
//! kernel do nothing else with the scalar, so that nobody sees the partial sums.

use cranelift::prelude::*;
use gw_ir::expr::{Expr, ExprKind, ReduceOp};
use gw_ir::module::Module;
use gw_ir::source::Name;
use gw_ir::stmt::StmtKind;
use gw_ir::types::{Scalar, Type as IrType};
use gw_ir::walk;

use super::translate::{Translator, clif_type};
use super::{Body, Refusal, functions_of};

/// A sum in a register.
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    register: Variable,
    scalar: Scalar,
}

/// The global scalars that a kernel only adds to.
pub(super) fn summed_scalars(ir: &Module, body: Body<'_>) -> Vec<(Name, Scalar)> {
    let (mut summed, mut spoiled): (Vec<(Name, Scalar)>, Vec<Name>) = (Vec::new(), Vec::new());
    let global = |e: &Expr| -> Option<(Name, Scalar)> {
        let name = e.as_var().filter(|name| ir.global(name).is_some())?;
        let scalar = e.ty.scalar().filter(|s| !matches!(s, Scalar::Bool | Scalar::String))?;
        Some((name.clone(), scalar))
    };
    for name in functions_of(ir, body) {
        let Some(function) = ir.function(&name) else { continue };
        let block = function.body.as_deref().unwrap_or_default();
        walk::walk_stmts(block, &mut |stmt| {
            if let StmtKind::Assign { target, .. } = &stmt.kind {
                spoiled.extend(target.place_root().cloned());
            }
        });
        // A sum mentions its scalar once, as the target; every further mention is a use of another kind.
        let (mut mentions, mut targets): (Vec<Name>, Vec<Name>) = (Vec::new(), Vec::new());
        walk::walk_block_exprs(block, &mut |e| match &e.kind {
            ExprKind::Var(name) => mentions.push(name.clone()),
            ExprKind::Reduce { op: ReduceOp::Sum, target, .. } => {
                if let Some((name, scalar)) = global(target) {
                    targets.push(name.clone());
                    summed.push((name, scalar));
                }
            }
            _ => {}
        });
        let count = |names: &[Name], name: &Name| names.iter().filter(|n| *n == name).count();
        spoiled.extend(mentions.iter().filter(|name| count(&mentions, name) > count(&targets, name)).cloned());
    }
    summed.sort_by(|a, b| a.0.cmp(&b.0));
    summed.dedup_by(|a, b| a.0 == b.0);
    summed.retain(|(name, _)| !spoiled.contains(name));
    summed
}

impl Translator<'_, '_> {
    /// Gives every scalar a register that starts at zero.
    pub(super) fn begin_sums(&mut self, scalars: Vec<(Name, Scalar)>) {
        for (name, scalar) in scalars {
            let ty = clif_type(scalar);
            let zero = self.zero(ty);
            let register = self.variable(ty, zero);
            self.sums.insert(name, Sum { register, scalar });
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
