//! What stands between operators, never inside one.
//!
//! Graphs change between operators: an operator walks the edges of one graph, on many threads, and a change in the
//! middle of that would have no order. `threads()` is asked between operators: inside one it says nothing about the
//! work at hand, and machines compile no function that asks.

use super::Checker;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{ExprKind, Filter, Function, Stmt, StmtKind};
use crate::types::FuncId;
use crate::visit;

/// What must not stand inside an operator.
#[derive(Clone, Copy)]
struct Misplaced {
    builtins: &'static [Builtin],
    message: &'static str,
    label: &'static str,
    help: &'static str,
}

const MISPLACED: [Misplaced; 3] = [
    Misplaced {
        builtins: &[Builtin::MakeEdges],
        message: "a graph is made between operators, not inside one",
        label: "makes a graph",
        help: "let the operator write the ends of edges into vectors, and make the graph in `main`",
    },
    Misplaced {
        builtins: &[Builtin::InsertEdges, Builtin::DeleteEdges],
        message: "edges come and go between operators, not inside one",
        label: "changes a graph",
        help: "change the graph in `main`, before or after the operator",
    },
    Misplaced {
        builtins: &[Builtin::Threads],
        message: "`threads()` means nothing inside an operator",
        label: "asked for every vertex or edge",
        help: "ask in `main`, and keep the number in a global or hand it over as a capture: `f[threads()]`",
    },
];

/// What matters about statements: the first misplaced built-in, the functions called, and the functions applied.
#[derive(Default)]
struct Facts {
    change: Option<Span>,
    calls: Vec<FuncId>,
    applied: Vec<(FuncId, Span)>,
}

impl Checker {
    /// Reports what stands inside operators and `par_for` loops and must not.
    pub(super) fn judge_changes(&mut self) {
        MISPLACED.iter().for_each(|what| self.judge_misplaced(what));
    }

    fn judge_misplaced(&mut self, what: &Misplaced) {
        let functions = &self.program.functions;
        let facts: Vec<Facts> = functions.iter().map(|function| facts(&function.body, what)).collect();
        if facts.iter().all(|facts| facts.change.is_none()) {
            return;
        }
        let changes = changes(&facts);
        let of = |func: FuncId| changes[func.0 as usize];
        let mut found = Vec::new();
        for &(func, span) in facts.iter().flat_map(|facts| &facts.applied) {
            found.extend(of(func).map(|change| (change, span, "applied here")));
        }
        for (inside, span) in self.program.functions.iter().flat_map(|function| parallel_loops(function, what)) {
            let change = inside.change.or_else(|| inside.calls.iter().find_map(|&func| of(func)));
            found.extend(change.map(|change| (change, span, "rounds may run at the same time")));
        }
        for (change, span, label) in found {
            if self.saturated() {
                return;
            }
            self.report(Diagnostic::error(what.message, change, what.label).also(span, label).help(what.help));
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
fn parallel_loops(function: &Function, what: &Misplaced) -> Vec<(Facts, Span)> {
    let mut loops = Vec::new();
    visit::stmts(&function.body, &mut |stmt| {
        if let StmtKind::For { parallel: true, body, .. } = &stmt.kind {
            loops.push((facts(body, what), stmt.span));
        }
    });
    loops
}

fn facts(body: &[Stmt], what: &Misplaced) -> Facts {
    let mut facts = Facts::default();
    visit::stmts(body, &mut |stmt| {
        visit::exprs(stmt, &mut |expr| match &expr.kind {
            ExprKind::Builtin { builtin, .. } if what.builtins.contains(builtin) => {
                facts.change.get_or_insert(expr.span);
            }
            ExprKind::Call { func, .. } => facts.calls.push(func.func),
            ExprKind::EdgeApply(apply) => {
                let filters = [&apply.from, &apply.to].into_iter().flatten().filter_map(|filter| match filter {
                    Filter::Func(func) => Some(func),
                    Filter::Set(_) => None,
                });
                let functions = filters.chain([&apply.func]);
                facts.applied.extend(functions.map(|func| (func.func, func.span)));
            }
            ExprKind::Groups(apply) => facts.applied.extend(apply.functions().map(|func| (func.func, func.span))),
            ExprKind::VertexApply { func, .. } | ExprKind::VertexFilter { func, .. } => {
                facts.applied.push((func.func, func.span));
            }
            _ => {}
        });
    });
    facts
}
