//! Global scalars that functions write, and those that can be accumulated in a register.

use std::collections::BTreeSet;

use super::writes::{body, each_write};
use crate::expr::{Expr, ExprKind, ReduceOp};
use crate::module::Module;
use crate::source::Name;
use crate::stmt::StmtKind;
use crate::types::Scalar;
use crate::walk::{walk_block_exprs, walk_stmts};

/// A global scalar that functions reduce into, always by the same operation, and do not touch otherwise. Workers can
/// accumulate partial results and combine them at the end: nobody sees the partial results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalarReduction {
    /// The scalar.
    pub name: Name,
    /// The operation.
    pub op: ReduceOp,
    /// The type of the scalar.
    pub scalar: Scalar,
    /// Some reduction is part of an expression that looks at whether the scalar changed.
    pub result_used: bool,
}

/// Global scalars that functions assign, reduce into or swap.
pub fn written_scalars(module: &Module, functions: &BTreeSet<Name>) -> BTreeSet<Name> {
    let mut written = BTreeSet::new();
    for function in functions.iter().filter_map(|name| module.function(name)) {
        each_write(body(function), &mut |write| {
            let name = write.target.as_var();
            written.extend(name.filter(|n| module.global(n).is_some_and(|g| g.ty.scalar().is_some())).cloned());
        });
    }
    written
}

/// The scalars that can be accumulated, by name.
pub(super) fn reductions(module: &Module, functions: &BTreeSet<Name>) -> Vec<ScalarReduction> {
    let candidates = written_scalars(module, functions);
    candidates.into_iter().filter_map(|name| reduction(module, functions, name)).collect()
}

fn reduction(module: &Module, functions: &BTreeSet<Name>, name: Name) -> Option<ScalarReduction> {
    let scalar = module.global(&name)?.ty.scalar()?;
    if matches!(scalar, Scalar::Bool | Scalar::String) {
        return None;
    }
    let mut ops: Vec<ReduceOp> = Vec::new();
    let (mut statements, mut mentions) = (0, 0);
    for function in functions.iter().filter_map(|name| module.function(name)) {
        // A variable of the function that has the scalar's name hides it.
        let own = function.params.iter().chain(&function.captures).chain(&function.result);
        if own.map(|p| &p.name).any(|n| *n == name) || function.locals().iter().any(|l| l.name == name) {
            return None;
        }
        walk_block_exprs(body(function), &mut |e| match &e.kind {
            ExprKind::Var(n) if *n == name => mentions += 1,
            ExprKind::Reduce { op, target, .. } if target.as_var() == Some(&name) => ops.push(*op),
            _ => {}
        });
        walk_stmts(body(function), &mut |stmt| {
            if let StmtKind::Eval(Expr { kind: ExprKind::Reduce { target, .. }, .. }) = &stmt.kind {
                statements += usize::from(target.as_var() == Some(&name));
            }
        });
    }
    let op = *ops.first()?;
    let only_reduced = ops.len() == mentions && ops.iter().all(|o| *o == op);
    only_reduced.then_some(ScalarReduction { name, op, scalar, result_used: statements < ops.len() })
}
