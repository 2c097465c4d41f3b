//! Whether a program can tell that a vertex stands twice in a set.
//!
//! For a program, sets are sets. An operator may leave repeats in its output only where the program allows it (the
//! third argument of `applyModified`) *and* nothing the program does with that set shows them. What does not show
//! them: comparing the size with 0, membership, and visiting the members with a function that may as well be called
//! twice. All else, the size as a number, lists, calls, globals, counts as showing them.
//!
//! Nor may repeats multiply. An edge operator that starts from a set with repeats walks the edges of a vertex as often
//! as it stands there: so where one does, only operators that report changes ([`reports_changes`]) leave repeats.

use std::collections::BTreeSet;

use super::calls::closure;
use super::changes::reports_changes;
use crate::builtin::Builtin;
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef, ReduceOp};
use crate::module::{Function, Module};
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::Type;
use crate::walk::{bodies, bodies_mut, children, stmt_exprs, walk_expr, walk_stmts, walk_stmts_mut};

/// Takes back the permission to leave repeats where the program could tell, or where they would multiply.
pub fn settle(module: &mut Module) {
    if shows_repeats(module) {
        forbid(module, &|_| true);
    }
    let unchanging = unchanging(module);
    let is_one = |edges: &EdgeSetIterator| unchanging.contains(&place(edges));
    if loose_sets(module, &is_one).is_none_or(|sets| starts_edges(module, &sets)) {
        forbid(module, &is_one);
    }
}

/// Operators that may leave repeats though they report vertices that did not change, by their places in memory.
fn unchanging(module: &Module) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| {
            if let Some(edges) = stmt.operator().and_then(Operator::edges)
                && leaves_repeats(edges)
                && !reports_changes(module, body, edges)
            {
                found.insert(place(edges));
            }
        });
    }
    found
}

fn place(edges: &EdgeSetIterator) -> usize {
    std::ptr::from_ref(edges) as usize
}

/// Whether an edge operator starts from one of the sets.
fn starts_edges(module: &Module, sets: &BTreeSet<Name>) -> bool {
    let mut found = false;
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| {
            let edges = stmt.operator().and_then(Operator::edges);
            found |= edges.is_some_and(|e| matches!(&e.from, VertexFilter::Set(set) if is_loose(set, sets)));
        });
    }
    found
}

/// Takes back the permission of those operators.
fn forbid(module: &mut Module, which: &dyn Fn(&EdgeSetIterator) -> bool) {
    for body in bodies_mut(module) {
        walk_stmts_mut(body, &mut |stmt| {
            if let Some(edges) = stmt.operator_mut().and_then(Operator::edges_mut)
                && which(edges)
                && let EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates } = &mut edges.output
            {
                *duplicates = false;
            }
        });
    }
}

/// Whether something in the module shows repeats in a set that may hold them.
fn shows_repeats(module: &Module) -> bool {
    let Some(loose) = loose_sets(module, &leaves_repeats) else { return true };
    if loose.is_empty() {
        return false;
    }
    let mut shown = false;
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| shown |= mentions(stmt, &loose) > harmless(module, stmt, &loose));
    }
    shown
}

/// Names of the variables that may hold repeats of such operators; `None` when a set of theirs goes to something other
/// than a local variable.
fn loose_sets(module: &Module, of: &dyn Fn(&EdgeSetIterator) -> bool) -> Option<BTreeSet<Name>> {
    let mut loose: BTreeSet<Name> = BTreeSet::new();
    loop {
        let before = loose.len();
        let mut escapes = false;
        for body in bodies(module) {
            walk_stmts(body, &mut |stmt| {
                let (target, value) = match &stmt.kind {
                    StmtKind::VarDecl { name, init: Some(value), .. } => (Some(name), value),
                    StmtKind::Assign { target, value } => (target.as_var(), value),
                    _ => return,
                };
                if yields_repeats(value, &loose, of) {
                    match target.filter(|name| !outlives_its_function(module, name)) {
                        Some(name) => loose.extend([name.clone()]),
                        None => escapes = true,
                    }
                }
            });
        }
        if escapes {
            return None;
        }
        if loose.len() == before {
            return Some(loose);
        }
    }
}

/// Whether a variable of this name is a global or the result of a function.
fn outlives_its_function(module: &Module, name: &Name) -> bool {
    module.global(name).is_some() || module.functions.iter().any(|f| f.result.as_ref().is_some_and(|r| r.name == *name))
}

fn yields_repeats(value: &Expr, loose: &BTreeSet<Name>, of: &dyn Fn(&EdgeSetIterator) -> bool) -> bool {
    match &value.kind {
        ExprKind::Var(name) => loose.contains(name),
        ExprKind::Operator(op) => match &**op {
            Operator::EdgeSetIterator(edges) => of(edges),
            Operator::VertexSetFilter(filter) => is_loose(&filter.set, loose),
            _ => false,
        },
        _ => false,
    }
}

/// Whether an operator may leave repeats in its output.
fn leaves_repeats(edges: &EdgeSetIterator) -> bool {
    match edges.output {
        EdgeOutput::None => false,
        EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates } => duplicates,
    }
}

fn is_loose(expr: &Expr, loose: &BTreeSet<Name>) -> bool {
    expr.as_var().is_some_and(|name| loose.contains(name))
}

/// How often the expressions of a statement (not of the blocks inside) name such a set.
fn mentions(stmt: &Stmt, loose: &BTreeSet<Name>) -> usize {
    let mut count = 0;
    stmt_exprs(stmt, &mut |e| walk_expr(e, &mut |e| count += usize::from(is_loose(e, loose))));
    count
}

/// How many of these mentions cannot show repeats.
fn harmless(module: &Module, stmt: &Stmt, loose: &BTreeSet<Name>) -> usize {
    let mut count = 0;
    let mut fine = |yes: bool| count += usize::from(yes);
    let mut targets = 0;
    let mut whole = |e: &Expr| targets += usize::from(is_loose(e, loose));
    match &stmt.kind {
        StmtKind::Assign { target, value } => {
            whole(target);
            whole(value);
        }
        StmtKind::VarDecl { init: Some(value), .. } => whole(value),
        StmtKind::Delete(target) => whole(target),
        _ => {}
    }
    stmt_exprs(stmt, &mut |e| {
        walk_expr(e, &mut |e| match &e.kind {
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Gt, size, zero) => {
                if let (ExprKind::Builtin(Builtin::VertexSetSize, args), ExprKind::Int(0)) = (&size.kind, &zero.kind) {
                    args.iter().for_each(|set| fine(is_loose(set, loose)));
                }
            }
            ExprKind::Builtin(Builtin::AddVertex, args) => fine(args.first().is_some_and(|set| is_loose(set, loose))),
            ExprKind::Operator(op) => {
                let set_of = |filter: &VertexFilter| matches!(filter, VertexFilter::Set(set) if is_loose(set, loose));
                match &**op {
                    Operator::VertexSetIterator(v) => fine(is_loose(&v.set, loose) && bears_repeats(module, &v.apply)),
                    Operator::VertexSetFilter(v) => fine(is_loose(&v.set, loose) && bears_repeats(module, &v.filter)),
                    op => {
                        let Some(edges) = op.edges() else { return };
                        fine(set_of(&edges.to));
                        fine(set_of(&edges.from) && bears_repeats(module, &edges.apply));
                    }
                }
            }
            _ => {}
        });
    });
    count + targets
}

/// Whether calling a function twice with the same arguments is the same as calling it once: it only assigns, or takes
/// the least or greatest, and looks at nothing that it writes.
fn bears_repeats(module: &Module, function: &FunctionRef) -> bool {
    let functions: Option<Vec<&Function>> =
        closure(module, [function.name.clone()]).iter().map(|name| module.function(name)).collect();
    let Some(functions) = functions.filter(|all| all.iter().all(|f| f.body.is_some())) else { return false };
    let mut use_of = Use::default();
    for f in &functions {
        use_of.function(f);
    }
    // A vector may be known by its own name and by that of a capture.
    let mut origins = Vec::new();
    for f in &functions {
        let vectors = f.captures.iter().enumerate().filter(|(_, c)| matches!(c.ty, Type::Vector { .. }));
        for (i, _) in vectors.filter(|(_, c)| use_of.written.contains(&c.name)) {
            match function.captures.get(i).and_then(Expr::as_var).filter(|_| functions.len() == 1) {
                Some(origin) => origins.push(origin.clone()),
                None => return false,
            }
        }
    }
    use_of.written.extend(origins);
    use_of.idempotent && use_of.written.is_disjoint(&use_of.read)
}

/// What functions do to variables that outlive them.
struct Use {
    written: BTreeSet<Name>,
    read: BTreeSet<Name>,
    /// Every write is one that may be done again.
    idempotent: bool,
}

impl Default for Use {
    fn default() -> Self {
        Use { written: BTreeSet::new(), read: BTreeSet::new(), idempotent: true }
    }
}

impl Use {
    fn function(&mut self, function: &Function) {
        let mut locals: BTreeSet<Name> = function.params.iter().map(|p| p.name.clone()).collect();
        locals.extend(function.result.iter().map(|r| r.name.clone()));
        let body = function.body.as_deref().unwrap_or_default();
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::VarDecl { name, .. } | StmtKind::For { var: name, .. } | StmtKind::ParFor { var: name, .. } => {
                locals.insert(name.clone());
            }
            _ => {}
        });
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.write(target, &locals);
                self.reads(value);
            }
            // A value that tells whether something changed is another one the second time: only as a statement.
            StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, value, .. }, .. }) => {
                let is_local = target.as_var().is_some_and(|name| locals.contains(name));
                self.idempotent &= is_local || *op != ReduceOp::Sum;
                self.write(target, &locals);
                self.reads(value);
            }
            StmtKind::Eval(Expr { kind: ExprKind::CompareAndSwap { target, expect, value, .. }, .. }) => {
                self.write(target, &locals);
                self.reads(expect);
                self.reads(value);
            }
            StmtKind::Print(_) | StmtKind::Delete(_) | StmtKind::Hybrid(_) => self.idempotent = false,
            _ => stmt_exprs(stmt, &mut |e| self.reads(e)),
        });
    }

    fn write(&mut self, target: &Expr, locals: &BTreeSet<Name>) {
        if let Some(root) = target.place_root().filter(|root| !locals.contains(*root)) {
            self.written.insert(root.clone());
        }
        let mut place = target;
        while let ExprKind::Element { vector, index, .. } = &place.kind {
            self.reads(index);
            place = vector;
        }
    }

    fn reads(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(name) => {
                self.read.insert(name.clone());
            }
            ExprKind::Builtin(builtin, _) => {
                let draws = matches!(builtin, Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor);
                self.idempotent &= draws || !builtin.has_effect();
            }
            ExprKind::Reduce { .. }
            | ExprKind::CompareAndSwap { .. }
            | ExprKind::PriorityUpdate { .. }
            | ExprKind::EnqueueVertex { .. }
            | ExprKind::Operator(_) => self.idempotent = false,
            _ => {}
        }
        children(expr, &mut |child| self.reads(child));
    }
}
