//! Loops whose end does not depend on the way: monotone fixed points and queues that are drained.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, PriorityOp, ReduceOp};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::stmt::{Stmt, StmtKind};

use super::region::{DST, How, Region, SRC};

/// Judges a loop of one of the two shapes; `None` for any other statement, which is then judged piece by piece.
pub(super) fn judge(module: &Module, stmt: &Stmt) -> Option<Result<(), String>> {
    let StmtKind::While { condition, body, .. } = &stmt.kind else { return None };
    if let Some(queue) = drains(condition) {
        return Some(drained(module, &queue, body));
    }
    let frontier = tests_frontier(condition)?;
    fixed_point(module, &frontier, body)
}

/// The queue of `queue.finished() == false`.
fn drains(condition: &Expr) -> Option<gw_ir::source::Name> {
    let finished = |e: &Expr| match &e.kind {
        ExprKind::Builtin(Builtin::QueueFinished, args) => args.first()?.as_var().cloned(),
        _ => None,
    };
    match &condition.kind {
        ExprKind::Binary(BinaryOp::Eq, a, b) if b.kind == ExprKind::Bool(false) => finished(a),
        ExprKind::Unary(_, a) => finished(a),
        _ => None,
    }
}

/// The set of `set.getVertexSetSize() != 0`.
fn tests_frontier(condition: &Expr) -> Option<gw_ir::source::Name> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::Ne | BinaryOp::Gt, a, b) if b.kind == ExprKind::Int(0) => match &a.kind {
            ExprKind::Builtin(Builtin::VertexSetSize, args) => args.first()?.as_var().cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// `next = edges.from(frontier).applyModified(f, x); frontier = next;` where `f` does nothing but `x[dst] min=
/// e(x[src])`, and `e` grows with `x[src]`: the least fixed point, whichever way it is reached. That `e` grows is
/// taken from its form: the entry itself, or the entry plus something that is no part of `x`. Sums that wrap around
/// do not grow.
fn fixed_point(module: &Module, frontier: &str, body: &[Stmt]) -> Option<Result<(), String>> {
    let mut edges = None;
    for stmt in body {
        match &stmt.kind {
            StmtKind::Delete(_) => {}
            StmtKind::Assign { target, value } if &**target.as_var()? == frontier && value.as_var().is_some() => {}
            _ => match stmt.operator()? {
                Operator::EdgeSetIterator(e) if edges.is_none() => edges = Some(e),
                _ => return None,
            },
        }
    }
    let edges = edges?;
    let starts_there = matches!(&edges.from, VertexFilter::Set(set) if set.as_var().is_some_and(|n| &**n == frontier));
    let EdgeOutput::Modified { vector, .. } = &edges.output else { return None };
    if !starts_there || edges.to != VertexFilter::All || !edges.apply.captures.is_empty() {
        return None;
    }
    let value = only_reduction(module, edges, vector)?;
    let region = Region::of_edges(module, edges);
    let own = region.accesses.iter().filter(|access| access.root == *vector);
    let fits = own.clone().all(|access| match access.how {
        How::Read => access.end == SRC,
        How::Reduce { op: ReduceOp::Min | ReduceOp::Max, used: false, .. } => access.end == DST,
        _ => false,
    });
    let nothing_else = region.accesses.iter().all(|a| a.root == *vector || matches!(a.how, How::Read));
    (fits && nothing_else && grows(value, vector)).then_some(Ok(()))
}

/// The value of the one statement of the function, a reduction.
fn only_reduction<'m>(module: &'m Module, edges: &EdgeSetIterator, vector: &str) -> Option<&'m Expr> {
    let [Stmt { kind: StmtKind::Eval(expr), .. }] = module.function(&edges.apply.name)?.body.as_deref()? else {
        return None;
    };
    match &expr.kind {
        ExprKind::Reduce { target, value, .. } if &**target.place_root()? == vector => Some(value),
        _ => None,
    }
}

fn grows(value: &Expr, vector: &str) -> bool {
    let is_entry =
        |e: &Expr| matches!(&e.kind, ExprKind::Element { .. }) && e.place_root().is_some_and(|n| &**n == vector);
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) => is_entry(a) && !gw_ir::walk::mentions(b, vector),
        ExprKind::Convert(inner) => grows(inner, vector),
        _ => is_entry(value),
    }
}

/// A loop that takes buckets from a queue until there are none: what it leaves in the priorities does not depend on
/// the width of buckets or the order inside one, if updates only lower (or only raise, or count down) and nothing
/// else is done.
fn drained(module: &Module, queue: &str, body: &[Stmt]) -> Result<(), String> {
    let other = || Err("a loop over a queue does something else as well".to_string());
    for stmt in body {
        match &stmt.kind {
            StmtKind::Delete(_) => continue,
            StmtKind::VarDecl { init: Some(init), .. }
                if matches!(init.kind, ExprKind::Builtin(Builtin::DequeueReadySet, _)) =>
            {
                continue;
            }
            _ => {}
        }
        match stmt.operator() {
            Some(Operator::UpdatePriorityEdgeSetIterator(update)) => updates(module, queue, &update.edges)?,
            // Vertices come out at least once, how often depends on the schedule: only constants may be left behind.
            Some(operator @ Operator::VertexSetIterator(_)) => {
                let region = Region::of_operator(module, operator);
                let constant = |access: &super::region::Access| match &access.how {
                    How::Assign(value, _) => matches!(value.kind, ExprKind::Bool(_) | ExprKind::Int(_)),
                    _ => false,
                };
                if region.verdict().problem.is_some() || !region.accesses.iter().all(constant) {
                    return other();
                }
            }
            _ => return other(),
        }
    }
    Ok(())
}

fn updates(module: &Module, queue: &str, edges: &EdgeSetIterator) -> Result<(), String> {
    if edges.to != VertexFilter::All {
        return Err("a queue's operator has a filter".into());
    }
    let vector = priorities(module, queue).ok_or("a queue without a vector")?;
    let region = Region::of_edges(module, edges);
    let [update] = region.updates.as_slice() else { return Err("several priority updates".into()) };
    if update.end != DST || region.accesses.iter().any(|access| !matches!(access.how, How::Read)) {
        return Err("a queue's function writes something else".into());
    }
    let mut own = region.accesses.iter().filter(|access| *access.root == *vector);
    let fits = match update.op {
        PriorityOp::Min | PriorityOp::Max => own.all(|access| access.end == SRC) && !asks_bucket(module, edges),
        PriorityOp::Sum => own.next().is_none() && matches!(update.value.kind, ExprKind::Int(_)),
    };
    if fits { Ok(()) } else { Err("a queue's function reads priorities that change".into()) }
}

/// Whether the function looks at the number of the bucket, which depends on the width of buckets.
fn asks_bucket(module: &Module, edges: &EdgeSetIterator) -> bool {
    let mut asks = false;
    if let Some(body) = module.function(&edges.apply.name).and_then(|f| f.body.as_ref()) {
        gw_ir::walk::walk_block_exprs(body, &mut |e| {
            asks |= matches!(e.kind, ExprKind::Builtin(Builtin::CurrentPriority, _));
        });
    }
    asks
}

/// The vector that a queue keeps its priorities in.
fn priorities(module: &Module, queue: &str) -> Option<gw_ir::source::Name> {
    let mut found = None;
    for body in gw_ir::walk::bodies(module) {
        gw_ir::walk::walk_stmts(body, &mut |stmt| {
            if let StmtKind::Assign { target, value } = &stmt.kind
                && target.as_var().is_some_and(|name| &**name == queue)
                && let ExprKind::PriorityQueueAlloc(alloc) = &value.kind
            {
                found = Some(alloc.vector.clone());
            }
        });
    }
    found
}
