//! Which loops could run wholly on a device, and what stands in the way of the others.

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
    let mut search = Search { module, visited: BTreeSet::new() };
    condition.and_then(|c| search.expr(c, false)).or_else(|| search.block(body, false))
}

/// A walk through code and the functions it names, each function once per way of running it.
struct Search<'m> {
    module: &'m Module,
    visited: BTreeSet<(Name, bool)>,
}

impl Search<'_> {
    fn block(&mut self, body: &[Stmt], in_operator: bool) -> Option<String> {
        let mut found = None;
        walk_stmts(body, &mut |stmt| {
            if found.is_some() {
                return;
            }
            found = match stmt.kind {
                StmtKind::ParFor { .. } => Some("it contains a par_for".into()),
                StmtKind::Print(_) if in_operator => Some("it prints inside an operator".into()),
                _ => None,
            };
            stmt_exprs(stmt, &mut |e| {
                if found.is_none() {
                    found = self.expr(e, in_operator);
                }
            });
        });
        found
    }

    fn expr(&mut self, expr: &Expr, in_operator: bool) -> Option<String> {
        let mut found = None;
        walk_expr(expr, &mut |e| {
            if found.is_none() {
                found = host_only(e).or_else(|| self.functions(e, in_operator));
            }
        });
        found
    }

    fn functions(&mut self, expr: &Expr, in_operator: bool) -> Option<String> {
        for (usage, reference) in function_refs(expr) {
            let in_operator = in_operator || usage != Use::Call;
            if !self.visited.insert((reference.name.clone(), in_operator)) {
                continue;
            }
            let Some(function) = self.module.function(&reference.name) else { continue };
            if function.kind == FunctionKind::Extern {
                return Some(format!("it calls the extern function `{}`", function.name));
            }
            let found = self.block(function.body.as_deref().unwrap_or_default(), in_operator);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// What a node itself does that only the host can do.
fn host_only(expr: &Expr) -> Option<String> {
    let sentence = match &expr.kind {
        ExprKind::EdgeSetLoad(_) => "it loads a graph",
        ExprKind::VectorLoad(_) => "it loads values of vertices",
        ExprKind::Column(_) => "it reads a column of a table",
        ExprKind::VectorAlloc | ExprKind::VectorFill(_) | ExprKind::VectorLiteral(_) => "it allocates a vector",
        ExprKind::ListAlloc => "it allocates a list",
        ExprKind::PriorityQueueAlloc(_) => "it allocates a priority queue",
        ExprKind::Operator(op) if matches!(**op, Operator::UpdatePriorityExtern(_)) => {
            "it hands a set to an extern function"
        }
        ExprKind::Builtin(b, _) => {
            use Builtin::*;
            let host = matches!(
                b,
                Argv | Atoi
                    | Atof
                    | Date
                    | FindVertex
                    | EdgeCode
                    | ByNumber
                    | VertexCode
                    | StartTimer
                    | StopTimer
                    | Threads
                    | OutDegrees
                    | OutDegreesUint
                    | Transpose
                    | Both
                    | Links
                    | Undirected
                    | Upward
                    | Ranked
                    | LinkLoops
                    | RankedNumbers
                    | LinkNumbers
                    | EdgeSources
                    | EdgeTargets
                    | EdgeWeights
                    | FirstEdges
                    | SetUnion
                    | SetMinus
                    | Relabel
                    | SelectEdges
                    | MakeEdges
                    | Contract
                    | InsertEdges
                    | DeleteEdges
                    | Weigh
                    | Text
                    | Join
                    | SetMembers
                    | ListGet
                    | VectorSum
                    | VectorMax
                    | VectorMin
                    | VectorCount
                    | VectorArgMax
                    | VectorArgMin
                    | VectorRanks
                    | SerialMinimumSpanningTree
                    | SerialSweepCut
            );
            return host.then(|| format!("it uses {}, which runs on the host", b.name()));
        }
        _ => return None,
    };
    Some(sentence.into())
}
