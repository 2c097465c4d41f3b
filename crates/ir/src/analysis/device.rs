//! Which loops could run wholly on a device, and what stands in the way of the others.

use super::calls::closure;
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind};
use crate::module::{FunctionKind, Module};
use crate::operator::Operator;
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{Use, function_refs, stmt_exprs, walk_expr, walk_stmts};
use std::collections::BTreeSet;

/// Why this code cannot run on a device, as half a sentence; `None` when it can.
pub fn obstacle(module: &Module, condition: Option<&Expr>, body: &[Stmt]) -> Option<String> {
    let mut visited = BTreeSet::new();
    let mut found = condition.and_then(|c| expr_obstacle(module, c, &mut visited));
    walk_stmts(body, &mut |stmt| {
        if found.is_some() {
            return;
        }
        if matches!(stmt.kind, StmtKind::ParFor { .. }) {
            found = Some("it contains a par_for".into());
            return;
        }
        stmt_exprs(stmt, &mut |e| {
            if found.is_none() {
                found = expr_obstacle(module, e, &mut visited);
            }
        });
    });
    found
}

fn expr_obstacle(module: &Module, expr: &Expr, visited: &mut BTreeSet<Name>) -> Option<String> {
    let mut found = None;
    walk_expr(expr, &mut |e| {
        if found.is_none() {
            found = node_obstacle(module, e, visited);
        }
    });
    found
}

fn node_obstacle(module: &Module, expr: &Expr, visited: &mut BTreeSet<Name>) -> Option<String> {
    match &expr.kind {
        ExprKind::EdgeSetLoad(_) => return Some("it loads a graph".into()),
        ExprKind::VectorAlloc | ExprKind::VectorFill(_) | ExprKind::VectorLiteral(_) => {
            return Some("it allocates a vector".into());
        }
        ExprKind::ListAlloc => return Some("it allocates a list".into()),
        ExprKind::PriorityQueueAlloc(_) => return Some("it allocates a priority queue".into()),
        ExprKind::Builtin(b, _) => {
            use Builtin::*;
            let host_only = matches!(
                b,
                Argv | Atoi
                    | StartTimer
                    | StopTimer
                    | OutDegrees
                    | OutDegreesUint
                    | Transpose
                    | Relabel
                    | SerialMinimumSpanningTree
                    | SerialSweepCut
            );
            if host_only {
                return Some(format!("it uses {}, which runs on the host", b.name()));
            }
        }
        ExprKind::Operator(op) if matches!(**op, Operator::UpdatePriorityExtern(_)) => {
            return Some("it hands a set to an extern function".into());
        }
        _ => {}
    }
    for (usage, reference) in function_refs(expr) {
        if !visited.insert(reference.name.clone()) {
            continue;
        }
        for name in closure(module, [reference.name.clone()]) {
            let Some(function) = module.function(&name) else { continue };
            if function.kind == FunctionKind::Extern {
                return Some(format!("it calls the extern function `{name}`"));
            }
            let body = function.body.as_deref().unwrap_or_default();
            if usage != Use::Call {
                let mut prints = false;
                walk_stmts(body, &mut |s| prints |= matches!(s.kind, StmtKind::Print(_)));
                if prints {
                    return Some(format!("`{name}` prints inside an operator"));
                }
            }
            if let Some(why) = obstacle(module, None, body) {
                return Some(why);
            }
        }
    }
    None
}
