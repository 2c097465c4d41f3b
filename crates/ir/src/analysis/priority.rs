//! What edge functions do to priorities, and loops that ordered processing can replace.

use super::calls::closure;
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind, PriorityOp, PriorityQueueAlloc};
use crate::module::Module;
use crate::operator::{Operator, UpdatePriorityEdgeSetIterator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::walk_block_exprs;
use gw_schedule::PriorityChange;
use std::collections::BTreeSet;

/// The priority updates made by a function and its callees: `(op, the added or new value, deferred)`.
pub fn updates<'m>(module: &'m Module, function: &str) -> Vec<(PriorityOp, &'m Expr, bool)> {
    let mut found = Vec::new();
    for name in closure(module, [function.into()]) {
        let Some(body) = module.function(&name).and_then(|f| f.body.as_ref()) else { continue };
        walk_block_exprs(body, &mut |e| {
            if let ExprKind::PriorityUpdate { op, value, meta, .. } = &e.kind {
                found.push((*op, &**value, meta.deferred));
            }
        });
    }
    found
}

/// The one kind of change a function makes to priorities; `None` when it makes none or several kinds.
pub fn change(module: &Module, function: &str) -> Option<PriorityChange> {
    let updates = updates(module, function);
    let (first, value, _) = *updates.first()?;
    if updates.iter().any(|(op, v, _)| *op != first || (first == PriorityOp::Sum && *v != value)) {
        return None;
    }
    Some(match first {
        PriorityOp::Min => PriorityChange::Min,
        PriorityOp::Max => PriorityChange::Max,
        PriorityOp::Sum if matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_)) => PriorityChange::ConstantSum,
        PriorityOp::Sum => PriorityChange::Sum,
    })
}

/// The parts of a loop `while c { var fr = dequeue; edges.from(fr).applyUpdatePriority(f); [delete fr;] }`.
pub struct EagerLoop<'s> {
    /// The loop condition.
    pub condition: &'s Expr,
    /// The statement of the operator, whose label carries the schedule.
    pub statement: &'s Stmt,
    /// The operator.
    pub operator: &'s UpdatePriorityEdgeSetIterator,
}

/// Recognises the loop shape that ordered processing replaces.
pub fn eager_loop(stmt: &Stmt) -> Option<EagerLoop<'_>> {
    let StmtKind::While { condition, body, .. } = &stmt.kind else { return None };
    let (dequeue, apply, rest) = match body.as_slice() {
        [dequeue, apply, rest @ ..] if rest.len() <= 1 => (dequeue, apply, rest),
        _ => return None,
    };
    let StmtKind::VarDecl { name: frontier, init: Some(init), .. } = &dequeue.kind else { return None };
    let ExprKind::Builtin(Builtin::DequeueReadySet, args) = &init.kind else { return None };
    let StmtKind::Eval(_) = apply.kind else { return None };
    let Some(Operator::UpdatePriorityEdgeSetIterator(operator)) = apply.operator() else { return None };
    let is_frontier = |e: &Expr| e.as_var() == Some(frontier);
    let from_frontier = matches!(&operator.edges.from, VertexFilter::Set(set) if is_frontier(set));
    let same_queue = args.first() == Some(&operator.queue);
    let deleted = rest.iter().all(|s| matches!(&s.kind, StmtKind::Delete(e) if is_frontier(e)));
    (from_frontier && same_queue && deleted).then_some(EagerLoop { condition, statement: apply, operator })
}

/// The one queue that functions update the priorities of; `None` when they update none, several or an unknown one.
pub fn updated_queue(module: &Module, functions: &BTreeSet<Name>) -> Option<Name> {
    let mut queues: Vec<Option<&Name>> = Vec::new();
    for body in functions.iter().filter_map(|name| module.function(name)).filter_map(|f| f.body.as_ref()) {
        walk_block_exprs(body, &mut |e| {
            if let ExprKind::PriorityUpdate { queue, .. } = &e.kind {
                queues.push(queue.as_var());
            }
        });
    }
    let first = (*queues.first()?)?;
    queues.iter().all(|queue| *queue == Some(first)).then(|| first.clone())
}

/// The vector that holds the priorities of a queue variable, when every queue assigned to it uses the same one.
pub fn priority_vector(module: &Module, queue: &str) -> Option<Name> {
    let made = allocations(module, queue);
    let first = made.first()?;
    made.iter().all(|q| q.vector == first.vector).then(|| first.vector.clone())
}

/// The places where a queue is made.
pub fn allocations<'m>(module: &'m Module, queue: &str) -> Vec<&'m PriorityQueueAlloc> {
    let mut made: Vec<&'m PriorityQueueAlloc> = Vec::new();
    let mut look = |target: &str, value: &'m Expr| {
        if let (true, ExprKind::PriorityQueueAlloc(q)) = (target == queue, &value.kind) {
            made.push(q);
        }
    };
    for global in &module.globals {
        if let Some(crate::module::GlobalInit::Value(e)) = &global.init {
            look(&global.name, e);
        }
    }
    for body in crate::walk::bodies(module) {
        crate::walk::walk_stmts(body, &mut |s| match &s.kind {
            StmtKind::VarDecl { name, init: Some(e), .. } => look(name, e),
            StmtKind::Assign { target, value } => {
                if let Some(name) = target.as_var() {
                    look(name, value);
                }
            }
            _ => {}
        });
    }
    made
}
