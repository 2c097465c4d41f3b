//! Whether an operator reports a vertex only for a write that changes its entry.
//!
//! `applyModified` reports every write to the tracked vector: `mark[dst] = 1` at every edge, though the entry holds 1
//! already. Where repeats stay in the output of such an operator and the next one starts from it, they multiply: the
//! hub of a star stands in a frontier once per leaf, and each time all its edges are walked. A write that changes the
//! entry is followed by no further report of the same value, so that repeats come from races and improvements alone.
//! Such are
//!
//! - `vec[x] min= e` and `max=`, which report where the entry became less or greater, and
//! - `vec[dst] = e` where the `to` function is `r = vec[v] == K` and `e` never is K.

use super::calls::closure;
use super::claims::tested_entry;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef, ReduceOp};
use crate::module::{Function, Module};
use crate::operator::{EdgeOutput, EdgeSetIterator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{variables, walk_block_exprs, walk_stmts};

/// Whether each report of an operator that stands in `body`, the body of a function, tells of a change.
pub fn reports_changes(module: &Module, body: &[Stmt], edges: &EdgeSetIterator) -> bool {
    let EdgeOutput::Modified { vector, .. } = &edges.output else { return false };
    let expect = match &edges.to {
        VertexFilter::Function(to) => module.function(&to.name).and_then(tested_entry),
        _ => None,
    };
    let expect = expect.filter(|(tested, _)| tested == vector && module.global(vector).is_some()).map(|(_, k)| k);
    closure(module, [edges.apply.name.clone()]).iter().all(|name| {
        let Some(function) = module.function(name) else { return false };
        let Some(writes) = function.body.as_deref() else { return false };
        // A vector may be known by the name of a capture.
        let is_tracked = |target: &Expr| {
            target.as_var().is_none() && target.place_root().is_some_and(|n| n == vector || module.global(n).is_none())
        };
        let mut changes = true;
        walk_stmts(writes, &mut |stmt| {
            if let StmtKind::Assign { target, value } = &stmt.kind
                && is_tracked(target)
            {
                let claims = *name == edges.apply.name && is_destination(function, target);
                let other = |k| is_never(value, k, function, &edges.apply, body);
                changes &= claims && expect.as_ref().is_some_and(other);
            }
        });
        walk_block_exprs(writes, &mut |e| match &e.kind {
            ExprKind::Reduce { op, target, .. } if is_tracked(target) => changes &= *op != ReduceOp::Sum,
            ExprKind::CompareAndSwap { target, .. } if is_tracked(target) => changes = false,
            _ => {}
        });
        changes
    })
}

/// `vec[dst]` of a function of edges.
fn is_destination(function: &Function, target: &Expr) -> bool {
    let ExprKind::Element { vector, index, .. } = &target.kind else { return false };
    vector.as_var().is_some() && index.as_var() == function.params.get(1).map(|p| &p.name)
}

/// Whether the value that a function stores is never the constant `k`: another constant, an end of the edge where `k`
/// is negative, or a captured variable of the caller that never is `k`.
fn is_never(value: &Expr, k: &Expr, function: &Function, call: &FunctionRef, body: &[Stmt]) -> bool {
    match (&value.kind, &k.kind) {
        (ExprKind::Int(a), ExprKind::Int(b)) => a != b,
        (ExprKind::Float(a), ExprKind::Float(b)) => a != b,
        (ExprKind::Var(name), ExprKind::Int(k)) => {
            let is_end = function.params.iter().take(2).any(|p| p.name == *name);
            let captured = function.captures.iter().position(|c| c.name == *name);
            match captured.and_then(|at| call.captures.get(at)) {
                Some(Expr { kind: ExprKind::Int(a), .. }) => a != k,
                Some(Expr { kind: ExprKind::Var(local), .. }) => Definitions::of(body, local).never(*k),
                _ => is_end && *k < 0,
            }
        }
        _ => false,
    }
}

/// All values that a variable is given in the body of a function.
struct Definitions<'b> {
    name: &'b Name,
    values: Vec<&'b Expr>,
    /// What is added to it, or what it counts from.
    added: Vec<&'b Expr>,
    /// It is given values in other ways.
    others: bool,
}

impl<'b> Definitions<'b> {
    fn of(body: &'b [Stmt], name: &'b Name) -> Definitions<'b> {
        let mut found = Definitions { name, values: Vec::new(), added: Vec::new(), others: false };
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::VarDecl { name: declared, init, .. } if declared == name => match init {
                Some(init) => found.values.push(init),
                None => found.others = true,
            },
            StmtKind::Assign { target, value } if target.as_var() == Some(name) => found.values.push(value),
            StmtKind::For { var, .. } | StmtKind::ParFor { var, .. } if var == name => found.others = true,
            _ => {}
        });
        walk_block_exprs(body, &mut |e| match &e.kind {
            ExprKind::Reduce { op, target, value, .. } if target.as_var() == Some(name) => match op {
                ReduceOp::Sum => found.added.push(value),
                _ => found.others = true,
            },
            ExprKind::CompareAndSwap { target, .. } if target.as_var() == Some(name) => found.others = true,
            _ => {}
        });
        found
    }

    /// Whether none of them is `k`, as far as is easily told: it counts up from zero or more and `k` is negative (after
    /// 2^31 rounds numbers wrap around; repeats that come then are an error of a machine with too little room, no
    /// more), or it goes round among few constants.
    fn never(&self, k: i64) -> bool {
        if self.values.is_empty() || self.others {
            return false;
        }
        let counts_up = self.values.iter().chain(&self.added).all(|value| self.is_at_least_0(value));
        (k < 0 && counts_up) || (self.added.is_empty() && self.few_values().is_some_and(|all| !all.contains(&k)))
    }

    fn is_at_least_0(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Int(n) => *n >= 0,
            ExprKind::Var(name) => name == self.name,
            ExprKind::Binary(BinaryOp::Add, a, b) => self.is_at_least_0(a) && self.is_at_least_0(b),
            _ => false,
        }
    }

    /// All values, where they are few.
    fn few_values(&self) -> Option<Vec<i64>> {
        let mut all: Vec<i64> = Vec::new();
        loop {
            let before = all.len();
            for value in &self.values {
                let starts = if variables(value).contains(self.name) { all.clone() } else { vec![0] };
                for start in starts {
                    let next = self.at(value, start)?;
                    if !all.contains(&next) {
                        all.push(next);
                    }
                }
            }
            match all.len() {
                n if n == before => return Some(all),
                n if n > 8 => return None,
                _ => {}
            }
        }
    }

    /// A value where the variable has another.
    fn at(&self, value: &Expr, held: i64) -> Option<i64> {
        match &value.kind {
            ExprKind::Int(n) => Some(*n),
            ExprKind::Var(name) => (name == self.name).then_some(held),
            ExprKind::Binary(BinaryOp::Add, a, b) => self.at(a, held)?.checked_add(self.at(b, held)?),
            ExprKind::Binary(BinaryOp::Sub, a, b) => self.at(a, held)?.checked_sub(self.at(b, held)?),
            _ => None,
        }
    }
}
