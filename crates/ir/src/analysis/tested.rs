//! What a `while` loop goes on for: members of a frontier, or vertices in a priority queue.

use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::source::Name;

/// What the condition of a loop tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested<'m> {
    /// A set that is not empty: `VertexSetSize(x) != 0` or `> 0`.
    Set(&'m Name),
    /// A queue that is not finished: `not QueueFinished(q)`, `== false` or `!= true`.
    Queue(&'m Name),
}

/// What a condition tests, alone or in an `and`, sets before queues, and the conditions besides.
pub fn tested(condition: &Expr) -> Option<(Tested<'_>, Vec<&Expr>)> {
    let mut all = Vec::new();
    conjuncts(condition, &mut all);
    let mut found: Vec<Tested<'_>> = all.iter().filter_map(|e| test(e)).collect();
    found.sort_by_key(|tested| matches!(tested, Tested::Queue(_)));
    let first = *found.first()?;
    Some((first, all.into_iter().filter(|e| test(e) != Some(first)).collect()))
}

fn conjuncts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(e),
    }
}

fn test(e: &Expr) -> Option<Tested<'_>> {
    match &e.kind {
        ExprKind::Unary(_, a) => argument_of(a, Builtin::QueueFinished).map(Tested::Queue),
        ExprKind::Binary(op, a, b) => match (op, &b.kind) {
            (BinaryOp::Ne | BinaryOp::Gt, ExprKind::Int(0)) => argument_of(a, Builtin::VertexSetSize).map(Tested::Set),
            (BinaryOp::Eq, ExprKind::Bool(false)) | (BinaryOp::Ne, ExprKind::Bool(true)) => {
                argument_of(a, Builtin::QueueFinished).map(Tested::Queue)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The variable that a built-in is asked about.
fn argument_of(e: &Expr, wanted: Builtin) -> Option<&Name> {
    match &e.kind {
        ExprKind::Builtin(builtin, args) if *builtin == wanted => args.first()?.as_var(),
        _ => None,
    }
}
