//! Atomic insertion: reductions and priority updates on shared places become atomic, and the filter-then-assign idiom
//! becomes compare-and-swap.
//!
//! The idiom: the operator's `to` function is `r = vec[v] == K`, the edge function is `vec[dst] = e`, and the entry is
//! shared. Then `CompareAndSwap(vec[dst], K, e)` is test and assignment in one step; a push need not test `to` before.

use super::{PassContext, PassError};
use crate::analysis::claims::claimed;
use crate::analysis::ownership::{Marker, Role, roles};
use crate::analysis::priority::priority_vector;
use crate::expr::{Expr, ExprKind};
use crate::meta::{Access, AccessMode, Direction, Sharing, UpdateMeta};
use crate::module::{Function, Module};
use crate::operator::EdgeSetIterator;
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::Type;
use crate::walk::{bodies, bodies_mut, stmt_exprs_mut, walk_expr_mut, walk_stmts, walk_stmts_mut};
use std::collections::{HashMap, HashSet};

/// Makes shared updates atomic.
pub fn atomics(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    compare_and_swap(&mut module);
    let roles = roles(&module);
    let globals: HashSet<Name> = module.globals.iter().map(|g| g.name.clone()).collect();
    let queues: HashMap<Name, Name> =
        module.globals.iter().filter_map(|g| Some((g.name.clone(), priority_vector(&module, &g.name)?))).collect();
    let markers: Vec<Option<Marker>> = module
        .functions
        .iter()
        .map(|f| match roles.get(&f.name) {
            Some(role @ Role::Parallel(_)) => Some(Marker::new(&module, f, role)),
            _ => None,
        })
        .collect();
    for (function, marker) in module.functions.iter_mut().zip(markers) {
        if let (Some(marker), Some(body)) = (marker, &mut function.body) {
            walk_stmts_mut(body, &mut |s| {
                stmt_exprs_mut(s, &mut |e| walk_expr_mut(e, &mut |e| update(e, &marker, &globals, &queues)));
            });
        }
    }
    for body in bodies_mut(&mut module) {
        par_for_reductions(body);
    }
    Ok(module)
}

fn update(expr: &mut Expr, marker: &Marker, globals: &HashSet<Name>, queues: &HashMap<Name, Name>) {
    match &mut expr.kind {
        ExprKind::Reduce { target, meta, .. } => {
            meta.atomic |= match &target.kind {
                ExprKind::Var(name) => globals.contains(name),
                _ => marker.sharing(target) == Sharing::Shared,
            };
        }
        ExprKind::PriorityUpdate { queue, vertex, meta, .. } => {
            let vector = queue.as_var().and_then(|q| queues.get(q));
            meta.atomic |= !marker.independent(vertex) || vector.is_none_or(|v| marker.is_contested(v));
        }
        _ => {}
    }
}

/// Reductions in a `par_for` body into anything declared outside of it, other than the entry of its own iteration.
fn par_for_reductions(block: &mut [Stmt]) {
    for stmt in block {
        if let StmtKind::ParFor { var, body, .. } = &mut stmt.kind {
            let private: HashSet<Name> = super::loop_split::declared(body).into_iter().collect();
            let var = var.clone();
            crate::walk::walk_block_exprs_mut(body, &mut |e| {
                if let ExprKind::Reduce { target, meta, .. } = &mut e.kind {
                    let own = matches!(&target.kind, ExprKind::Element { vector, index, .. }
                        if vector.as_var().is_some() && index.as_var() == Some(&var));
                    meta.atomic |= !own && target.place_root().is_some_and(|n| !private.contains(n));
                }
            });
        }
        for inner in stmt.blocks_mut() {
            par_for_reductions(inner);
        }
    }
}

/// Rewrites the idiom for every operator that has it.
fn compare_and_swap(module: &mut Module) {
    let mut rewrites: HashMap<Name, Expr> = HashMap::new();
    for body in bodies(module) {
        walk_stmts(body, &mut |s| {
            if let Some(edges) = s.operator().and_then(|op| op.edges())
                && let Some(expect) = idiom(module, edges)
            {
                rewrites.insert(edges.apply.name.clone(), expect);
            }
        });
    }
    if rewrites.is_empty() {
        return;
    }
    for body in bodies_mut(module) {
        walk_stmts_mut(body, &mut |s| {
            if let Some(edges) = s.operator_mut().and_then(|op| op.edges_mut())
                && rewrites.contains_key(&edges.apply.name)
            {
                edges.meta.to_folded = edges.meta.direction == Some(Direction::Push);
            }
        });
    }
    for (name, expect) in rewrites {
        let Some(body) = module.function_mut(&name).and_then(|f| f.body.as_mut()) else { continue };
        let [stmt] = body.as_mut_slice() else { continue };
        let old = std::mem::replace(&mut stmt.kind, StmtKind::Break);
        stmt.kind = match old {
            StmtKind::Assign { mut target, value } => {
                if let ExprKind::Element { access, .. } = &mut target.kind {
                    *access = Some(Access { sharing: Sharing::Shared, mode: AccessMode::ReadWrite });
                }
                let kind = ExprKind::CompareAndSwap {
                    target: Box::new(target),
                    expect: Box::new(expect),
                    value: Box::new(value),
                    meta: UpdateMeta { atomic: true, ..UpdateMeta::default() },
                };
                StmtKind::Eval(Expr::new(kind, Type::BOOL))
            }
            other => other,
        };
    }
}

/// The expected value `K`, when the operator has the idiom.
fn idiom(module: &Module, edges: &EdgeSetIterator) -> Option<Expr> {
    assigns_shared_destination(module.function(&edges.apply.name)?).then_some(())?;
    claimed(module, edges).map(|claim| claim.expect)
}

/// Whether the whole body is an assignment to a shared entry.
fn assigns_shared_destination(f: &Function) -> bool {
    let Some([Stmt { kind: StmtKind::Assign { target, .. }, .. }]) = f.body.as_deref() else { return false };
    let ExprKind::Element { access, .. } = &target.kind else { return false };
    access.is_some_and(|a| a.sharing == Sharing::Shared)
}
