//! The sharing pass: marks every vector access of functions that run inside operators as local or shared, by the rules
//! of [`ownership`](crate::analysis::ownership).

use super::{PassContext, PassError};
use crate::analysis::ownership::{Marker, roles};
use crate::expr::{Expr, ExprKind};
use crate::meta::{Access, AccessMode};
use crate::module::{Function, Module};
use crate::stmt::StmtKind;
use crate::walk::{children_mut, stmt_exprs_mut, walk_stmts_mut};

/// Marks the accesses of all functions that run inside operators.
pub fn sharing(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    let roles = roles(&module);
    let markers: Vec<Option<Marker>> =
        module.functions.iter().map(|f| roles.get(&f.name).map(|role| Marker::new(&module, f, role))).collect();
    for (function, marker) in module.functions.iter_mut().zip(markers) {
        if let Some(marker) = marker {
            mark_function(function, &marker);
        }
    }
    Ok(module)
}

fn mark_function(function: &mut Function, marker: &Marker) {
    if let Some(body) = &mut function.body {
        walk_stmts_mut(body, &mut |stmt| {
            if let StmtKind::Assign { target, value } = &mut stmt.kind {
                mark(marker, target, AccessMode::Write);
                mark(marker, value, AccessMode::Read);
            } else {
                stmt_exprs_mut(stmt, &mut |e| mark(marker, e, AccessMode::Read));
            }
        });
    }
}

fn mark(marker: &Marker, expr: &mut Expr, mode: AccessMode) {
    if matches!(expr.kind, ExprKind::Element { .. }) {
        let sharing = marker.sharing(expr);
        mark_element(marker, expr, Access { sharing, mode });
        return;
    }
    match &mut expr.kind {
        ExprKind::Reduce { target, value, .. } => {
            mark(marker, target, AccessMode::ReadWrite);
            mark(marker, value, AccessMode::Read);
        }
        ExprKind::CompareAndSwap { target, expect, value, .. } => {
            mark(marker, target, AccessMode::ReadWrite);
            mark(marker, expect, AccessMode::Read);
            mark(marker, value, AccessMode::Read);
        }
        _ => children_mut(expr, &mut |child| mark(marker, child, AccessMode::Read)),
    }
}

/// Marks the whole access `x[i]` or `x[i][j]` once, at its outside.
fn mark_element(marker: &Marker, expr: &mut Expr, whole: Access) {
    let mut outer = Some(whole);
    let mut at = expr;
    while let ExprKind::Element { vector, index, access } = &mut at.kind {
        *access = outer.take();
        mark(marker, index, AccessMode::Read);
        at = vector;
    }
}
