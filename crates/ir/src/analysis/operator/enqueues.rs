//! Which vertices an edge function enqueues.

use super::writes::{assigns, body};
use crate::analysis::calls::closure;
use crate::expr::{ExprKind, FunctionRef};
use crate::module::Module;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{stmt_exprs, walk_block_exprs, walk_expr};

/// Which vertices a function enqueues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    /// None.
    Nothing,
    /// The source of the edge and nothing else.
    Source,
    /// The destination of the edge and nothing else.
    Destination,
    /// Any.
    Anything,
}

/// What an edge function enqueues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enqueues {
    /// Which vertices.
    pub vertices: Enqueued,
    /// One call may enqueue several vertices, or one vertex several times.
    pub several: bool,
}

impl Enqueues {
    pub(super) fn of(module: &Module, apply: &FunctionRef) -> Enqueues {
        Enqueues { vertices: vertices(module, apply), several: several(module, apply) }
    }
}

fn vertices(module: &Module, apply: &FunctionRef) -> Enqueued {
    let mut found: Vec<Enqueued> = Vec::new();
    for function in closure(module, [apply.name.clone()]).iter().filter_map(|name| module.function(name)) {
        // Only the parameters of the applied function itself are ends of the edge.
        let end = |at: usize| {
            let param = function.params.get(at).map(|p| &p.name);
            param.filter(|name| function.name == apply.name && !assigns(function, name))
        };
        let (source, destination) = (end(0), end(1));
        walk_block_exprs(body(function), &mut |e| {
            if let ExprKind::EnqueueVertex { vertex, .. } = &e.kind {
                found.push(match vertex.as_var() {
                    name if name.is_some() && name == source => Enqueued::Source,
                    name if name.is_some() && name == destination => Enqueued::Destination,
                    _ => Enqueued::Anything,
                });
            }
        });
    }
    match found.first() {
        None => Enqueued::Nothing,
        Some(first) if found.iter().all(|v| v == first) => *first,
        Some(_) => Enqueued::Anything,
    }
}

fn several(module: &Module, apply: &FunctionRef) -> bool {
    closure(module, [apply.name.clone()]).iter().filter_map(|name| module.function(name)).any(|function| {
        // A called function may be called several times.
        most(body(function)) > usize::from(function.name == apply.name)
    })
}

/// The most vertices that a block enqueues; 2 stands for any number above 1.
fn most(block: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| {
        let mut own = 0;
        stmt_exprs(stmt, &mut |e| {
            walk_expr(e, &mut |e| own += usize::from(matches!(e.kind, ExprKind::EnqueueVertex { .. })));
        });
        let mut nested = stmt.blocks().into_iter().map(|block| most(block));
        match &stmt.kind {
            StmtKind::If { .. } => own + nested.max().unwrap_or(0),
            StmtKind::Scope(_) => own + nested.sum::<usize>(),
            _ => own + 2 * usize::from(nested.any(|most| most > 0)),
        }
    };
    block.iter().map(of).sum::<usize>().min(2)
}
