//! Whether a program can tell that vertices without out-edges are missing in the output of an operator.
//!
//! Such vertices add nothing to the next step of a traversal: an operator that starts from them walks no edge. A
//! machine that leaves them out keeps one where nothing else was found, so that the output is empty only where it would
//! have been anyway. They may be left out where the output goes only to variables that are
//!
//! - the `from` set of edge operators on the same edges,
//! - assigned to each other and deleted, and
//! - compared with the empty set.
//!
//! What is a leaf is said by the graph of the operator that makes the set: it must be the one that is walked, and stay
//! the same. Everything else (the size as a number, a vertex operator, a list, a call) could tell.

use std::collections::BTreeSet;

use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::module::Module;
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{bodies, stmt_exprs, walk_expr, walk_stmts, walk_stmts_mut};

/// Notes at every edge operator of a module whether its output may lack vertices without out-edges.
pub fn note(module: &mut Module) {
    for at in 0..module.functions.len() {
        let Some(mut body) = module.functions[at].body.clone() else { continue };
        let result = module.functions[at].result.as_ref().map(|r| r.name.clone());
        let outlives = |name: &Name| module.global(name).is_some() || result.as_ref() == Some(name);
        let mut fine: Vec<(Name, Name)> = Vec::new();
        walk_stmts(&body, &mut |stmt| {
            if let Some((target, op)) = stored_output(stmt)
                && op.output != EdgeOutput::None
                && let Some(graph) = op.graph.as_var()
                && module.global(graph).is_some()
                && !is_assigned(module, graph)
                && Frontier::of(&body, target)
                    .is_some_and(|frontier| !frontier.sets.iter().any(&outlives) && frontier.hides_leaves(&body, graph))
            {
                fine.push((target.clone(), graph.clone()));
            }
        });
        walk_stmts_mut(&mut body, &mut |stmt| {
            // What is a leaf is said by the graph of the operator itself.
            let stored = stored_output(stmt).is_some_and(|(target, op)| {
                fine.iter().any(|(name, graph)| name == target && op.graph.as_var() == Some(graph))
            });
            if stored && let Some(edges) = stmt.operator_mut().and_then(Operator::edges_mut) {
                edges.meta.bears_missing_leaves = true;
            }
        });
        module.functions[at].body = Some(body);
    }
}

/// The variable that takes the output of a plain edge operator, and the operator.
fn stored_output(stmt: &Stmt) -> Option<(&Name, &EdgeSetIterator)> {
    let (target, value) = match &stmt.kind {
        StmtKind::VarDecl { name, init: Some(value), .. } => (name, value),
        StmtKind::Assign { target, value } => (target.as_var()?, value),
        _ => return None,
    };
    match &value.kind {
        ExprKind::Operator(op) => match &**op {
            Operator::EdgeSetIterator(edges) => Some((target, edges)),
            _ => None,
        },
        _ => None,
    }
}

/// The variables that an output goes to.
struct Frontier {
    sets: BTreeSet<Name>,
}

impl Frontier {
    /// From one variable on, along assignments; `None` where one goes to something that is no variable.
    fn of(body: &[Stmt], first: &Name) -> Option<Frontier> {
        let mut sets = BTreeSet::from([first.clone()]);
        loop {
            let before = sets.len();
            let mut escapes = false;
            walk_stmts(body, &mut |stmt| {
                let (target, value) = match &stmt.kind {
                    StmtKind::VarDecl { name, init: Some(value), .. } => (Some(name), value),
                    StmtKind::Assign { target, value } => (target.as_var(), value),
                    _ => return,
                };
                if value.as_var().is_some_and(|name| sets.contains(name)) {
                    match target {
                        Some(name) => sets.extend([name.clone()]),
                        None => escapes = true,
                    }
                }
            });
            match (escapes, sets.len() == before) {
                (true, _) => return None,
                (false, true) => return Some(Frontier { sets }),
                (false, false) => {}
            }
        }
    }

    fn has(&self, expr: &Expr) -> bool {
        expr.as_var().is_some_and(|name| self.sets.contains(name))
    }

    /// Whether all that the body does with the sets is in the list above.
    fn hides_leaves(&self, body: &[Stmt], graph: &Name) -> bool {
        let mut hidden = true;
        walk_stmts(body, &mut |stmt| hidden &= self.mentions(stmt) == self.harmless(stmt, graph));
        hidden
    }

    /// How often the expressions of a statement (not of the blocks inside) name one of the sets.
    fn mentions(&self, stmt: &Stmt) -> usize {
        let mut count = 0;
        stmt_exprs(stmt, &mut |e| walk_expr(e, &mut |e| count += usize::from(self.has(e))));
        count
    }

    /// How many of these mentions cannot tell.
    fn harmless(&self, stmt: &Stmt, graph: &Name) -> usize {
        let whole = |e: &Expr| usize::from(self.has(e));
        let direct = match &stmt.kind {
            StmtKind::Delete(target) => whole(target),
            StmtKind::Assign { target, value } => whole(target) + whole(value) + self.walked(value, graph),
            StmtKind::VarDecl { init: Some(value), .. } => whole(value) + self.walked(value, graph),
            StmtKind::Eval(value) => match &value.kind {
                ExprKind::Builtin(Builtin::AddVertex, args) => args.first().map_or(0, whole),
                _ => self.walked(value, graph),
            },
            _ => 0,
        };
        let mut compared = 0;
        stmt_exprs(stmt, &mut |e| walk_expr(e, &mut |e| compared += usize::from(self.is_emptiness(e))));
        direct + compared
    }

    /// 1 where an edge operator on this graph starts from one of the sets.
    fn walked(&self, value: &Expr, graph: &Name) -> usize {
        let ExprKind::Operator(op) = &value.kind else { return 0 };
        let Operator::EdgeSetIterator(edges) = &**op else { return 0 };
        let VertexFilter::Set(set) = &edges.from else { return 0 };
        usize::from(edges.graph.as_var() == Some(graph) && self.has(set))
    }

    /// `VertexSetSize(x) != 0`, `== 0` or `> 0` of one of the sets.
    fn is_emptiness(&self, condition: &Expr) -> bool {
        let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Gt, size, zero) = &condition.kind else {
            return false;
        };
        match (&size.kind, &zero.kind) {
            (ExprKind::Builtin(Builtin::VertexSetSize, args), ExprKind::Int(0)) => {
                args.first().is_some_and(|set| self.has(set))
            }
            _ => false,
        }
    }
}

/// Whether some statement gives a global another value.
fn is_assigned(module: &Module, name: &Name) -> bool {
    let mut found = false;
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| {
            found |= matches!(&stmt.kind, StmtKind::Assign { target, .. } if target.as_var() == Some(name));
        });
    }
    found
}
