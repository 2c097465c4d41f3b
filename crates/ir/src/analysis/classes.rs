//! What the class of an edge allows a push: after H-BF (Busato, 2018, section 8.3).
//!
//! - An edge that is the *only one to its destination* is the only writer of an entry of the destination, where all
//!   writes to that vector are reductions at the destination and no edge is visited twice in a call. Such a reduction
//!   needs no atomics. A `from` set with repeats would visit edges twice, at the same time.
//! - A *self-loop* changes nothing where all that the function does is `vec[dst] min= vec[src]`, or the same with
//!   `max=`, or with a value that never beats `vec[src]`. Shortest paths are no such case: a self-loop of negative
//!   weight is a negative cycle.

use std::collections::BTreeSet;

use super::calls::closure;
use super::claims::has_other_name;
use super::operator::{assigns, each_write};
use super::priority::priority_vector;
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind, ReduceOp};
use crate::module::Module;
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::{Scalar, Type};
use crate::walk::{bodies, bodies_mut, walk_block_exprs, walk_stmts, walk_stmts_mut};

/// Whether some class of edges makes a difference to an operator.
pub fn has_classes(module: &Module, edges: &EdgeSetIterator) -> bool {
    idle_loops(module, edges) || (edges.meta.visits_once && !destination_vectors(module, edges).is_empty())
}

/// The vectors that an operator writes by sums, least or greatest values at the destination of an edge and nowhere
/// else.
pub fn destination_vectors(module: &Module, edges: &EdgeSetIterator) -> BTreeSet<Name> {
    let (mut found, mut others) = (BTreeSet::new(), BTreeSet::new());
    for name in closure(module, [edges.apply.name.clone()]) {
        let Some(function) = module.function(&name) else { return BTreeSet::new() };
        let Some(body) = function.body.as_deref() else { return BTreeSet::new() };
        let destination = function.params.get(1).map(|p| &p.name);
        let is_kept = destination.is_some_and(|d| !assigns(function, d));
        let mut hidden = false;
        each_write(body, &mut |write| {
            let ExprKind::Element { vector, index, .. } = &write.target.kind else { return };
            match vector.as_var().filter(|name| module.global(name).is_some()) {
                Some(vector) => {
                    let at_destination = name == edges.apply.name && is_kept && index.as_var() == destination;
                    let set = if at_destination && !write.assigns { &mut found } else { &mut others };
                    set.insert(vector.clone());
                }
                // A vector by another name, or a row of one.
                None => hidden = true,
            }
        });
        if hidden {
            return BTreeSet::new();
        }
        walk_block_exprs(body, &mut |e| {
            if let ExprKind::Reduce { op: ReduceOp::Or | ReduceOp::And, target, .. } = &e.kind {
                others.extend(target.place_root().cloned());
            }
        });
    }
    let is_queue =
        |vector: &Name| module.globals.iter().any(|g| priority_vector(module, &g.name).as_ref() == Some(vector));
    found.retain(|vector| !others.contains(vector) && !is_queue(vector) && !has_other_name(module, vector));
    found
}

/// The vector of an operator whose output holds the vertices at which a `min=`, or a `max=`, changed a whole number of
/// 32 bits, where no other write of the operator goes there. The number and the round of its last change then fit one
/// word, which one atomic changes: the operator learns at once whether the vertex is in the output already.
pub fn tracked_extreme<'m>(module: &Module, edges: &'m EdgeSetIterator) -> Option<&'m Name> {
    let EdgeOutput::Modified { vector, .. } = &edges.output else { return None };
    let Type::Vector { item, .. } = &module.global(vector)?.ty else { return None };
    matches!(item.scalar(), Some(Scalar::Int | Scalar::Uint)).then_some(())?;
    destination_vectors(module, edges).contains(vector).then_some(())?;
    let mut found = Vec::new();
    walk_block_exprs(module.function(&edges.apply.name)?.body.as_deref()?, &mut |e| match &e.kind {
        ExprKind::Reduce { op, target, .. } if target.place_root() == Some(vector) => found.push(Some(*op)),
        ExprKind::CompareAndSwap { target, .. } if target.place_root() == Some(vector) => found.push(None),
        _ => {}
    });
    let first = (*found.first()?)?;
    let is_extreme = matches!(first, ReduceOp::Min | ReduceOp::Max);
    (is_extreme && found.iter().all(|op| *op == Some(first))).then_some(vector)
}

/// Whether a self-loop changes nothing: the function is one reduction of the destination's entry by the source's.
pub fn idle_loops(module: &Module, edges: &EdgeSetIterator) -> bool {
    let Some(function) = module.function(&edges.apply.name) else { return false };
    let [source, destination, ..] = function.params.as_slice() else { return false };
    let Some([Stmt { kind, .. }]) = function.body.as_deref() else { return false };
    let reduction = match kind {
        StmtKind::Eval(reduction) => reduction,
        // Behind the pass that makes the function enqueue what it changes.
        StmtKind::If { condition, otherwise, .. } if otherwise.is_empty() && edges.meta.udf_enqueues => condition,
        _ => return false,
    };
    let ExprKind::Reduce { op, target, value, .. } = &reduction.kind else { return false };
    let ExprKind::Element { vector, index, .. } = &target.kind else { return false };
    let (Some(vector), Some(index)) = (vector.as_var(), index.as_var()) else { return false };
    // What a function accepts may be more than what it changes.
    let reports_changes = !matches!(edges.output, EdgeOutput::Accepted { .. });
    reports_changes && *index == destination.name && never_beats(*op, value, vector, &source.name)
}

/// Whether a value never changes the entry of the source by this reduction.
fn never_beats(op: ReduceOp, value: &Expr, vector: &Name, source: &Name) -> bool {
    let bound = match op {
        ReduceOp::Sum | ReduceOp::Or | ReduceOp::And => return false,
        ReduceOp::Min => Builtin::Max,
        ReduceOp::Max => Builtin::Min,
    };
    match &value.kind {
        ExprKind::Element { vector: read, index, .. } => {
            read.as_var() == Some(vector) && index.as_var() == Some(source) && !is_real(value)
        }
        ExprKind::Builtin(builtin, args) if *builtin == bound => {
            args.iter().any(|arg| never_beats(op, arg, vector, source))
        }
        _ => false,
    }
}

/// Whether a value may be no number, which compares as nothing else does.
fn is_real(value: &Expr) -> bool {
    value.ty.scalar().is_some_and(|scalar| scalar.is_float())
}

/// Notes at every edge operator whether a call visits each edge at most once: its `from` set has no repeats.
pub fn note(module: &mut Module) {
    let doubtful = doubtful_sets(module);
    for body in bodies_mut(module) {
        walk_stmts_mut(body, &mut |stmt| {
            if let Some(Operator::EdgeSetIterator(edges)) = stmt.operator_mut() {
                edges.meta.visits_once = match &edges.from {
                    VertexFilter::Set(set) => set.as_var().is_some_and(|name| !doubtful.contains(name)),
                    _ => true,
                };
            }
        });
    }
}

/// Names of sets that may hold a vertex twice, as far as is easily told: all but those that are made by operators
/// without repeats, by filters of such sets, or empty.
fn doubtful_sets(module: &Module) -> BTreeSet<Name> {
    let params = module.functions.iter().flat_map(|f| f.params.iter().chain(&f.captures).chain(&f.result));
    let globals = module.globals.iter().filter(|g| !g.universe).map(|g| &g.name);
    let mut doubtful: BTreeSet<Name> = params.map(|p| &p.name).chain(globals).cloned().collect();
    loop {
        let before = doubtful.len();
        for body in bodies(module) {
            walk_stmts(body, &mut |stmt| {
                let (target, value) = match &stmt.kind {
                    StmtKind::VarDecl { name, init: Some(value), .. } => (Some(name), value),
                    StmtKind::Assign { target, value } => (target.as_var(), value),
                    _ => return,
                };
                if let Some(target) = target.filter(|_| may_repeat(value, &doubtful)) {
                    doubtful.insert(target.clone());
                }
            });
        }
        if doubtful.len() == before {
            return doubtful;
        }
    }
}

/// Whether a value may be a set with repeats.
fn may_repeat(value: &Expr, doubtful: &BTreeSet<Name>) -> bool {
    let is_doubtful = |set: &Expr| set.as_var().is_none_or(|name| doubtful.contains(name));
    match &value.kind {
        ExprKind::Var(name) => doubtful.contains(name),
        ExprKind::VertexSetAlloc(_) | ExprKind::Universe(_) => false,
        ExprKind::Operator(op) => match &**op {
            Operator::EdgeSetIterator(edges) => match edges.output {
                EdgeOutput::None => false,
                EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates } => duplicates,
            },
            Operator::VertexSetFilter(filter) => is_doubtful(&filter.set),
            _ => true,
        },
        _ => true,
    }
}
