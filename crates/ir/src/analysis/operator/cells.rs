//! Single cells of small global vectors that functions reduce into, and that can be accumulated in a register.

use std::collections::BTreeSet;

use super::writes::body;
use crate::expr::{Expr, ExprKind, ReduceOp};
use crate::module::Module;
use crate::source::Name;
use crate::stmt::StmtKind;
use crate::types::{Domain, Scalar, Type};
use crate::walk::{walk_block_exprs, walk_stmts};

/// A cell `vector[index]` of a global vector of fixed length that functions reduce into, always by the same operation
/// and without looking at the result, and that they do not touch otherwise. Nor do they touch another vector of fixed
/// length, which might be the same one under another name.
#[derive(Debug, Clone, PartialEq)]
pub struct CellReduction {
    /// The vector.
    pub vector: Name,
    /// The cell as functions write it.
    pub cell: Expr,
    /// The operation.
    pub op: ReduceOp,
    /// The type of the cell.
    pub scalar: Scalar,
}

/// The one cell that these functions accumulate into.
pub(super) fn reduction(module: &Module, functions: &BTreeSet<Name>) -> Option<CellReduction> {
    let mut found: Option<CellReduction> = None;
    let (mut fits, mut statements, mut mentions) = (true, 0, 0);
    for function in functions.iter().filter_map(|name| module.function(name)) {
        fits &= function.captures.iter().all(|c| !c.ty.is_reference());
        walk_block_exprs(body(function), &mut |e| {
            mentions += usize::from(e.as_var().is_some() && fixed_length(&e.ty).is_some());
        });
        walk_stmts(body(function), &mut |stmt| {
            let Some(reduction) = statement(module, &stmt.kind) else { return };
            statements += 1;
            let known = found.get_or_insert_with(|| reduction.clone());
            fits &= same_cell(&known.cell, &reduction.cell) && known.op == reduction.op;
        });
    }
    found.filter(|_| fits && statements == mentions)
}

/// The reduction that a statement `vector[constant] op= value` is.
fn statement(module: &Module, stmt: &StmtKind) -> Option<CellReduction> {
    let StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, .. }, .. }) = stmt else { return None };
    let ExprKind::Element { vector, index, .. } = &target.kind else { return None };
    let ExprKind::Int(position) = index.kind else { return None };
    let inside = u64::try_from(position).is_ok_and(|at| fixed_length(&vector.ty).is_some_and(|length| at < length));
    let name = vector.as_var().filter(|name| inside && module.global(name).is_some())?;
    let scalar = target.ty.scalar().filter(|scalar| !matches!(scalar, Scalar::Bool | Scalar::String))?;
    Some(CellReduction { vector: name.clone(), cell: Expr::clone(target), op: *op, scalar })
}

/// The number of entries of a vector of fixed length.
fn fixed_length(ty: &Type) -> Option<u64> {
    match ty {
        Type::Vector { domain: Domain::Fixed(length), .. } => Some(u64::from(*length)),
        _ => None,
    }
}

fn same_cell(a: &Expr, b: &Expr) -> bool {
    let parts = |e: &Expr| match &e.kind {
        ExprKind::Element { vector, index, .. } => Some((vector.as_var().cloned(), index.kind.clone())),
        _ => None,
    };
    parts(a) == parts(b)
}
