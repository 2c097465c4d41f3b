//! Graphs change between operators: a function that an operator applies neither inserts edges nor deletes any.
//!
//! An operator walks the edges of one graph, on many threads. A change in the middle of that would have no order.

use super::Checker;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{ExprKind, Function, Stmt, StmtKind};
use crate::types::FuncId;
use crate::visit;

/// What matters about statements: the first change of edges, the functions called, and the functions applied.
#[derive(Default)]
struct Facts {
    change: Option<Span>,
    calls: Vec<FuncId>,
    applied: Vec<(FuncId, Span)>,
}

impl Checker {
    /// Reports changes of edges inside operators and `par_for` loops.
    pub(super) fn judge_changes(&mut self) {
        let facts: Vec<Facts> = self.program.functions.iter().map(|function| facts(&function.body)).collect();
        if facts.iter().all(|facts| facts.change.is_none()) {
            return;
        }
        let changes = changes(&facts);
        let of = |func: FuncId| changes[func.0 as usize];
        let mut found = Vec::new();
        for &(func, span) in facts.iter().flat_map(|facts| &facts.applied) {
            found.extend(of(func).map(|change| (change, span, "applied here")));
        }
        for (inside, span) in self.program.functions.iter().flat_map(parallel_loops) {
            let change = inside.change.or_else(|| inside.calls.iter().find_map(|&func| of(func)));
            found.extend(change.map(|change| (change, span, "rounds may run at the same time")));
        }
        for (change, span, label) in found {
            if self.saturated() {
                return;
            }
            self.report(
                Diagnostic::error("edges come and go between operators, not inside one", change, "changes a graph")
                    .also(span, label)
                    .help("change the graph in `main`, before or after the operator"),
            );
        }
    }
}

/// A change that every function makes, itself or through what it calls.
fn changes(facts: &[Facts]) -> Vec<Option<Span>> {
    let mut callers = vec![Vec::new(); facts.len()];
    for (caller, facts) in facts.iter().enumerate() {
        facts.calls.iter().for_each(|callee| callers[callee.0 as usize].push(caller));
    }
    let mut changes: Vec<Option<Span>> = facts.iter().map(|facts| facts.change).collect();
    let mut work: Vec<usize> = (0..facts.len()).filter(|&func| changes[func].is_some()).collect();
    while let Some(callee) = work.pop() {
        for &caller in &callers[callee] {
            if changes[caller].is_none() {
                changes[caller] = changes[callee];
                work.push(caller);
            }
        }
    }
    changes
}

/// The bodies of `par_for` loops, each with its place.
fn parallel_loops(function: &Function) -> Vec<(Facts, Span)> {
    let mut loops = Vec::new();
    visit::stmts(&function.body, &mut |stmt| {
        if let StmtKind::For { parallel: true, body, .. } = &stmt.kind {
            loops.push((facts(body), stmt.span));
        }
    });
    loops
}

fn facts(body: &[Stmt]) -> Facts {
    let mut facts = Facts::default();
    visit::stmts(body, &mut |stmt| {
        visit::exprs(stmt, &mut |expr| match &expr.kind {
            ExprKind::Builtin { builtin: Builtin::InsertEdges | Builtin::DeleteEdges, .. } => {
                facts.change.get_or_insert(expr.span);
            }
            ExprKind::Call { func, .. } => facts.calls.push(func.func),
            ExprKind::EdgeApply(apply) => facts.applied.push((apply.func.func, apply.func.span)),
            ExprKind::VertexApply { func, .. } | ExprKind::VertexFilter { func, .. } => {
                facts.applied.push((func.func, func.span));
            }
            _ => {}
        });
    });
    facts
}
