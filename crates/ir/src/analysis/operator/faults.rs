//! Whether a filter may fault.
//!
//! Filters do not write, so a machine may call them in any order and for any vertex, unless one of them can fault: then
//! an answer that nobody needed could end the run, and whether it does would depend on the schedule.

use super::writes::{assigns, body};
use crate::analysis::calls::closure;
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::module::{Function, Module};
use crate::source::Name;
use crate::types::{Domain, Scalar, Type};
use crate::walk::walk_block_exprs;

/// Whether a call of a filter may be a fault, so that it matters for which vertices the filter is called. A filter that
/// indexes vectors only by the vertex it is called for cannot fault: machines compare the lengths of these vectors with
/// the number of vertices before the operator. `careful` code is for calls that fail this comparison.
pub fn filter_may_fault(module: &Module, filter: &Name, careful: bool) -> bool {
    closure(module, [filter.clone()]).iter().any(|name| match module.function(name) {
        Some(function) => {
            // Only the filter itself is called with the vertex of the operator.
            let vertex = function.params.first().map(|p| &p.name);
            let vertex = vertex.filter(|v| name == filter && !careful && !assigns(function, v));
            function_may_fault(function, vertex)
        }
        None => true,
    })
}

/// `vertex` is the variable that is known to hold a vertex of the operator.
fn function_may_fault(function: &Function, vertex: Option<&Name>) -> bool {
    let is_vertex = |e: &Expr| vertex.is_some() && e.as_var() == vertex;
    // What an extern function does is unknown.
    let mut found = function.body.is_none();
    walk_block_exprs(body(function), &mut |e| {
        found |= match &e.kind {
            ExprKind::Element { vector, index, .. } => match (&vector.ty, &index.kind) {
                (Type::Vector { domain: Domain::Fixed(n), .. }, ExprKind::Int(i)) => !(0..i64::from(*n)).contains(i),
                // Entries of a row are counted by the row alone.
                (Type::Vector { domain: Domain::Element(_), .. }, _) => !is_vertex(index) || vector.as_var().is_none(),
                _ => true,
            },
            ExprKind::Binary(BinaryOp::Div, _, divisor) => may_be_zero(e, divisor),
            ExprKind::Builtin(Builtin::Mod, args) => args.get(1).is_none_or(|divisor| may_be_zero(e, divisor)),
            ExprKind::Builtin(Builtin::OutDegree, args) => !args.get(1).is_some_and(is_vertex),
            ExprKind::Builtin(Builtin::EdgeIndex, args) => !args.iter().skip(1).all(is_vertex),
            ExprKind::Builtin(Builtin::OutNeighbor | Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, _)
            | ExprKind::IntersectNeighbor { .. }
            | ExprKind::Groups(_)
            | ExprKind::PriorityUpdate { .. } => true,
            _ => false,
        };
    });
    found
}

/// Whether a division can be one of whole numbers by zero.
fn may_be_zero(quotient: &Expr, divisor: &Expr) -> bool {
    let float = quotient.ty.scalar().is_some_and(Scalar::is_float);
    !float && !matches!(divisor.kind, ExprKind::Int(n) if n != 0)
}
