//! Functions that only care for edges in one direction of the numbering, `if src > dst ... end`: because lists are
//! ascending, such edges are the beginning or the end of every list, and the rest of it need not be read.

use cranelift::prelude::IntCC;
use gw_ir::expr::{BinaryOp, Expr, ExprKind};
use gw_ir::meta::Direction;
use gw_ir::module::Module;
use gw_ir::operator::EdgeSetIterator;
use gw_ir::stmt::StmtKind;

/// The part of every list that an edge function cares for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guard {
    /// How the other end of an edge compares with the owner of the list.
    pub(crate) other_to_owner: IntCC,
    /// The part is the end of the list.
    pub(crate) at_end: bool,
}

/// The guard of an operator, if all its function does is inside one.
pub(crate) fn guard(module: &Module, op: &EdgeSetIterator, direction: Direction) -> Option<Guard> {
    let function = module.function(&op.apply.name)?;
    let [src, dst] = [function.params.first()?, function.params.get(1)?].map(|p| &p.name);
    let [statement] = function.body.as_deref()? else { return None };
    let StmtKind::If { condition, otherwise, .. } = &statement.kind else { return None };
    let ExprKind::Binary(op, a, b) = &condition.kind else { return None };
    let is = |e: &Expr, name| e.as_var() == Some(name);
    let source_greater = match op {
        BinaryOp::Gt if is(a, src) && is(b, dst) => true,
        BinaryOp::Gt if is(a, dst) && is(b, src) => false,
        BinaryOp::Lt if is(a, src) && is(b, dst) => false,
        BinaryOp::Lt if is(a, dst) && is(b, src) => true,
        _ => return None,
    };
    if !otherwise.is_empty() {
        return None;
    }
    // The other end is the source when pulling.
    let other_greater = source_greater == (direction == Direction::Pull);
    let other_to_owner = if other_greater { IntCC::UnsignedGreaterThan } else { IntCC::UnsignedLessThan };
    Some(Guard { other_to_owner, at_end: other_greater })
}
