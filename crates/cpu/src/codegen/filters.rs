//! In which order the filters of an edge operator are asked.
//!
//! The language asks the filter `from` for the source of an edge that the sets select, then `to` for its destination, and no other
//! vertices.
//! Filters do not write, so a kernel may ask them in any order and for any vertex, unless one of them can fault: then an
//! answer that nobody needed could end the run, and which do would depend on the schedule.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind};
use gw_ir::module::{Function, Module};
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::StmtKind;
use gw_ir::walk;

/// Whether the filters of an operator must be asked edge by edge, `from` first. A careful kernel checks every index.
pub(crate) fn in_order(module: &Module, op: &EdgeSetIterator, careful: bool) -> bool {
    [&op.from, &op.to].into_iter().any(|filter| match filter {
        VertexFilter::Function(f) => module.function(&f.name).is_none_or(|f| may_fault(f, careful)),
        VertexFilter::All | VertexFilter::Set(_) => false,
    })
}

fn may_fault(filter: &Function, careful: bool) -> bool {
    let block = filter.body.as_deref().unwrap_or_default();
    let vertex = filter.params.first().map(|p| &p.name).filter(|name| !assigns(filter, name));
    let is_vertex = |e: &Expr| !careful && e.as_var().is_some_and(|name| Some(name) == vertex);
    let mut found = false;
    walk::walk_block_exprs(block, &mut |e| {
        found |= match &e.kind {
            // What a called function does with its arguments is not looked into.
            ExprKind::Call { .. } | ExprKind::PriorityUpdate { .. } => true,
            ExprKind::Element { index, .. } => !is_vertex(index),
            ExprKind::Binary(BinaryOp::Div, _, divisor) => divides(e, divisor),
            ExprKind::Builtin(Builtin::Mod, args) => args.get(1).is_none_or(|divisor| divides(e, divisor)),
            ExprKind::Builtin(Builtin::OutDegree, args) => args.get(1).is_none_or(|v| !is_vertex(v)),
            ExprKind::IntersectNeighbor { args, .. } => args.iter().skip(1).any(|v| !is_vertex(v)),
            ExprKind::Builtin(builtin, _) => {
                matches!(builtin, Builtin::OutNeighbor | Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor)
            }
            _ => false,
        };
    });
    found
}

/// Whether a division can be one by zero.
fn divides(quotient: &Expr, divisor: &Expr) -> bool {
    let float = quotient.ty.scalar().is_some_and(|s| s.is_float());
    !float && !matches!(divisor.kind, ExprKind::Int(n) if n != 0)
}

fn assigns(function: &Function, name: &Name) -> bool {
    let block = function.body.as_deref().unwrap_or_default();
    let mut found = false;
    walk::walk_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign { target, .. } => found |= target.as_var() == Some(name),
        StmtKind::VarDecl { name: declared, .. } => found |= declared == name,
        StmtKind::For { var, .. } | StmtKind::ParFor { var, .. } => found |= var == name,
        _ => {}
    });
    walk::walk_block_exprs(block, &mut |e| {
        if let ExprKind::Reduce { target, .. } = &e.kind {
            found |= target.as_var() == Some(name);
        }
    });
    found
}
