//! What the functions of an operator do, as far as its code depends on it.

use std::collections::BTreeSet;

use gw_ir::analysis::calls::{closure, draws, draws_itself};
use gw_ir::analysis::effects::Effects;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef};
use gw_ir::module::{Function, Module};
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Domain, Scalar, Type};
use gw_ir::walk;

use super::function::{Gathered, Summed};
use super::region::Region;

/// The filters of an operator that are functions.
pub(super) fn filters(op: &EdgeSetIterator) -> Vec<&Name> {
    [&op.from, &op.to]
        .into_iter()
        .filter_map(|f| match f {
            VertexFilter::Function(f) => Some(&f.name),
            _ => None,
        })
        .collect()
}

/// Whether any function of a module draws random neighbours.
pub(crate) fn module_draws(module: &Module) -> bool {
    module.functions.iter().any(draws_itself)
}

/// Whether a function that may not be one of the module, but made of one, draws random neighbours.
pub(super) fn draws_in(module: &Module, function: &Function) -> bool {
    draws_itself(function) || draws(module, &function.name)
}

/// Whether a call of a filter may be a fault, so that it matters for which vertices it is called. Not so where everything it reads is
/// indexed by the vertex it is called for: lengths are compared before.
pub(super) fn may_fault(region: &Region<'_>, filter: &Name) -> bool {
    let module = region.module;
    closure(module, [filter.clone()]).iter().filter_map(|name| module.function(name)).any(|function| {
        let own = function.name == *filter && !region.careful;
        let vertex = function.params.first().map(|p| &p.name).filter(|_| own);
        let known = |index: &Expr| vertex.is_some() && index.as_var() == vertex;
        let body = function.body.as_deref().unwrap_or_default();
        let mut found = vertex.is_some_and(|vertex| assigned(body, vertex));
        walk::walk_block_exprs(body, &mut |e| {
            found |= match &e.kind {
                ExprKind::Element { vector, index, .. } => match (&vector.ty, &index.kind) {
                    (Type::Vector { domain: Domain::Fixed(n), .. }, ExprKind::Int(i)) => {
                        !(0..i64::from(*n)).contains(i)
                    }
                    (Type::Vector { domain: Domain::Element(_), .. }, _) => !known(index),
                    _ => true,
                },
                ExprKind::Binary(BinaryOp::Div, _, b) => !b.ty.scalar().is_some_and(Scalar::is_float),
                ExprKind::Builtin(Builtin::Mod, args) => {
                    let divisor = args.get(1);
                    let float = divisor.and_then(|d| d.ty.scalar()).is_some_and(Scalar::is_float);
                    !float && !divisor.is_some_and(|d| matches!(d.kind, ExprKind::Int(n) if n != 0))
                }
                ExprKind::Builtin(Builtin::OutDegree, args) => !args.get(1).is_some_and(known),
                ExprKind::Builtin(Builtin::OutNeighbor | Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, _)
                | ExprKind::IntersectNeighbor { .. } => true,
                _ => false,
            };
        });
        found
    })
}

/// Whether a visit of an edge can make the destination not want more.
pub(super) fn exits_early(region: &Region<'_>, op: &EdgeSetIterator) -> bool {
    let VertexFilter::Function(to) = &op.to else { return false };
    let effects = |name: &Name| {
        let mut reads = BTreeSet::new();
        let mut writes = BTreeSet::new();
        for f in closure(region.module, [name.clone()]) {
            if let Some(body) = region.module.function(&f).and_then(|f| f.body.as_ref()) {
                let effects = Effects::of(region.module, body);
                reads.extend(effects.reads);
                writes.extend(effects.writes);
            }
        }
        (reads, writes)
    };
    let (reads, _) = effects(&to.name);
    let (_, writes) = effects(&op.apply.name);
    let is_global = |n: &&Name| region.module.global(n).is_some();
    reads.intersection(&writes).any(|n| is_global(&n))
}

/// Whether a function enqueues its owner and nothing else.
pub(super) fn enqueues_only(region: &Region<'_>, apply: &FunctionRef, owner: Option<&Name>) -> bool {
    let Some(owner) = owner else { return false };
    let mut found = false;
    let mut only = true;
    for name in closure(region.module, [apply.name.clone()]) {
        let Some(function) = region.module.function(&name) else { continue };
        walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| {
            if let ExprKind::EnqueueVertex { vertex, .. } = &e.kind {
                found = true;
                only &= name == apply.name && vertex.as_var() == Some(owner);
            }
        });
    }
    found && only
}

/// Whether one call of a function may enqueue several vertices, or one several times.
pub(super) fn enqueues_often(module: &Module, apply: &Name) -> bool {
    closure(module, [apply.clone()]).iter().filter_map(|name| module.function(name)).any(|function| {
        let body = function.body.as_deref().unwrap_or_default();
        // What other functions enqueue, they may be called for several times.
        most_enqueues(body) > usize::from(function.name == *apply)
    })
}

/// The most vertices that a block enqueues; two stand for more, too.
fn most_enqueues(block: &[Stmt]) -> usize {
    let of = |stmt: &Stmt| {
        let mut own = 0;
        walk::stmt_exprs(stmt, &mut |e| {
            walk::walk_expr(e, &mut |e| own += usize::from(matches!(e.kind, ExprKind::EnqueueVertex { .. })));
        });
        let mut nested = stmt.blocks().into_iter().map(|block| most_enqueues(block));
        match &stmt.kind {
            StmtKind::If { .. } => own + nested.max().unwrap_or(0),
            StmtKind::Scope(_) => own + nested.sum::<usize>(),
            _ => own + 2 * usize::from(nested.any(|most| most > 0)),
        }
    };
    block.iter().map(of).sum::<usize>().min(2)
}

/// Reductions into the owner's entries whose result nobody looks at.
pub(super) fn gathered(region: &Region<'_>, op: &EdgeSetIterator, owner: Option<&Name>) -> Vec<Gathered> {
    let module = region.module;
    let (Some(owner), Some(apply)) = (owner, module.function(&op.apply.name)) else { return Vec::new() };
    let body = apply.body.as_deref().unwrap_or_default();
    let mut candidates: Vec<Gathered> = Vec::new();
    walk::walk_stmts(body, &mut |s: &Stmt| {
        if let StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, .. }, .. }) = &s.kind
            && let ExprKind::Element { vector, index, .. } = &target.kind
            && let Some(name) = vector.as_var()
            && index.as_var() == Some(owner)
            && let Some(scalar) = target.ty.scalar()
            && scalar != Scalar::Bool
            && !candidates.iter().any(|c| c.vector == *name)
        {
            candidates.push(Gathered { vector: name.clone(), op: *op, scalar, base: String::new() });
        }
    });
    // Nothing else may look at the vector meanwhile: not the function, not what it calls, not the filters.
    candidates.retain(|c| {
        let mut others = 0;
        let mut gathers = 0;
        for name in closure(module, std::iter::once(op.apply.name.clone()).chain(filters(op).into_iter().cloned())) {
            let Some(function) = module.function(&name) else { continue };
            let body = function.body.as_deref().unwrap_or_default();
            walk::walk_block_exprs(body, &mut |e| others += usize::from(e.as_var() == Some(&c.vector)));
            if name == op.apply.name {
                walk::walk_stmts(body, &mut |s| {
                    if let StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, .. }, .. }) = &s.kind
                        && let ExprKind::Element { vector, index, .. } = &target.kind
                        && vector.as_var() == Some(&c.vector)
                        && index.as_var() == Some(owner)
                        && *op == c.op
                    {
                        gathers += 1;
                    }
                });
            }
        }
        let assigned = assigned(body, owner);
        gathers == others && !assigned
    });
    candidates
}

fn assigned(body: &[Stmt], name: &Name) -> bool {
    let mut found = false;
    walk::walk_stmts(body, &mut |s| {
        if let StmtKind::Assign { target, .. } = &s.kind {
            found |= target.as_var() == Some(name);
        }
    });
    found
}

/// Global scalars that the functions of an operator reduce into and do not otherwise touch.
pub(super) fn summed(region: &Region<'_>, apply: &[&Name], filters: &[&Name]) -> Vec<Summed> {
    let module = region.module;
    let roots = apply.iter().chain(filters).map(|n| (*n).clone());
    let functions: Vec<_> = closure(module, roots).into_iter().filter_map(|n| module.function(&n)).collect();
    let mut found: Vec<Summed> = Vec::new();
    for cell in &region.cells {
        let mut op_of = None;
        let (mut reductions, mut mentions) = (0, 0);
        let mut same = true;
        for function in &functions {
            let body = function.body.as_deref().unwrap_or_default();
            walk::walk_stmts(body, &mut |s| {
                if let StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, .. }, .. }) = &s.kind
                    && target.as_var() == Some(cell)
                {
                    reductions += 1;
                    same &= *op_of.get_or_insert(*op) == *op;
                }
            });
            walk::walk_block_exprs(body, &mut |e| mentions += usize::from(e.as_var() == Some(cell)));
        }
        let scalar = module.global(cell).and_then(|g| g.ty.scalar());
        if let (Some(op), Some(scalar)) = (op_of, scalar)
            && same
            && reductions == mentions
            && scalar != Scalar::Bool
        {
            found.push(Summed { name: cell.clone(), op, scalar });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
