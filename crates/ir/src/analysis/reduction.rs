//! Edge functions whose only shared writes are one reduction, so that partial results can be merged later.

use super::calls::called_in;
use super::effects::Effects;
use crate::expr::{ExprKind, ReduceOp};
use crate::module::{Function, Module};
use crate::source::Name;
use crate::walk::{walk_block_exprs, walk_stmts};

/// The vector and the reduction, when every write of the edge function to anything but its own locals is
/// `vector[destination] op= value`, always the same `op`, and the function does not read that vector otherwise.
pub fn extractable(module: &Module, function: &Function) -> Option<(Name, ReduceOp)> {
    let found = only_reduction(module, function)?;
    let mut mentioned = 0;
    walk_block_exprs(function.body.as_ref()?, &mut |e| mentioned += usize::from(e.as_var() == Some(&found.vector)));
    (mentioned == found.writes).then_some((found.vector, found.op))
}

/// Whether private copies of the vector can be accumulated and merged: as [`extractable`]; and with all reductions but
/// `+=` the function may also read the vector, and the operator may yield the changed vertices. A copy that lags behind
/// holds a value the entry had earlier in the same round, which an edge function may see anyway, and reducing into it
/// once more changes nothing.
pub fn mergeable(module: &Module, function: &Function, has_output: bool) -> bool {
    match only_reduction(module, function) {
        Some(found) if found.op != ReduceOp::Sum => true,
        _ => !has_output && extractable(module, function).is_some(),
    }
}

/// The one reduction of an edge function.
struct OnlyReduction {
    vector: Name,
    op: ReduceOp,
    /// How many statements reduce.
    writes: usize,
}

/// The one reduction, when every write of the edge function to anything but its own locals is
/// `vector[destination] op= value`, always the same `op`.
fn only_reduction(module: &Module, function: &Function) -> Option<OnlyReduction> {
    let body = function.body.as_ref()?;
    let destination = &function.params.get(1)?.name;
    if !called_in(body).is_empty() || Effects::of(module, body).outside {
        return None;
    }
    let locals: Vec<Name> = function.locals().into_iter().map(|l| l.name).collect();
    let is_local = |n: &Name| locals.contains(n) || function.result.as_ref().is_some_and(|r| r.name == *n);
    let mut found: Vec<(Name, ReduceOp)> = Vec::new();
    let mut fits = true;
    walk_block_exprs(body, &mut |e| match &e.kind {
        ExprKind::Reduce { op, target, .. } => match (&target.kind, target.place_root()) {
            (_, Some(root)) if is_local(root) => {}
            (ExprKind::Element { vector, index, .. }, Some(root))
                if vector.as_var().is_some() && index.as_var() == Some(destination) =>
            {
                found.push((root.clone(), *op));
            }
            _ => fits = false,
        },
        ExprKind::CompareAndSwap { .. } | ExprKind::PriorityUpdate { .. } | ExprKind::EnqueueVertex { .. } => {
            fits = false
        }
        _ => {}
    });
    walk_stmts(body, &mut |s| {
        if let crate::stmt::StmtKind::Assign { target, .. } = &s.kind {
            fits &= target.place_root().is_some_and(is_local);
        }
    });
    let (vector, op) = found.first()?.clone();
    let same = found.iter().all(|(v, o)| *v == vector && *o == op);
    (fits && same).then_some(OnlyReduction { vector, op, writes: found.len() })
}
