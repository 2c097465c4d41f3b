//! Functions that only care for edges in one direction of the numbering: `if src > dst ... end`.

use super::writes::body;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef};
use crate::module::Module;
use crate::stmt::StmtKind;

/// For which edges an edge function does something, by the numbers of their ends. Lists are ascending, so these edges
/// are the beginning or the end of every list, and the rest of the list need not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EdgeOrder {
    /// Any.
    #[default]
    Any,
    /// Edges from a smaller to a greater number.
    SourceLess,
    /// Edges from a greater to a smaller number.
    SourceGreater,
}

impl EdgeOrder {
    /// The order that the condition around a whole edge function asks for.
    pub fn of(module: &Module, apply: &FunctionRef) -> EdgeOrder {
        let Some(function) = module.function(&apply.name) else { return EdgeOrder::Any };
        let [src, dst, ..] = function.params.as_slice() else { return EdgeOrder::Any };
        let [statement] = body(function) else { return EdgeOrder::Any };
        let StmtKind::If { condition, otherwise, .. } = &statement.kind else { return EdgeOrder::Any };
        let ExprKind::Binary(op, a, b) = &condition.kind else { return EdgeOrder::Any };
        let is = |e: &Expr, param: &crate::module::Param| e.as_var() == Some(&param.name);
        match op {
            _ if !otherwise.is_empty() => EdgeOrder::Any,
            BinaryOp::Gt if is(a, src) && is(b, dst) => EdgeOrder::SourceGreater,
            BinaryOp::Lt if is(a, dst) && is(b, src) => EdgeOrder::SourceGreater,
            BinaryOp::Lt if is(a, src) && is(b, dst) => EdgeOrder::SourceLess,
            BinaryOp::Gt if is(a, dst) && is(b, src) => EdgeOrder::SourceLess,
            _ => EdgeOrder::Any,
        }
    }
}
