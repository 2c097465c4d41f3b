//! Operators that claim destinations: the `to` function is `r = vec[v] == K`, and the edge function is `vec[dst] = e`.
//!
//! A push can then test and store in one step (compare-and-swap), or in two where repeats are borne. Where nothing else
//! writes the vector, a claimed destination stays claimed, which a map may remember.

use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::module::{Function, GlobalInit, Module};
use crate::operator::{EdgeSetIterator, Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::Scalar;
use crate::walk::{bodies, bodies_mut, function_refs, variables, walk_block_exprs, walk_stmts, walk_stmts_mut};

use super::operator::each_write;
use super::priority::priority_vector;

/// What an operator claims.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// The vector, a global.
    pub vector: Name,
    /// What an entry holds while nobody has claimed it.
    pub expect: Expr,
}

/// What an operator claims, if that is all it does.
pub fn claimed(module: &Module, edges: &EdgeSetIterator) -> Option<Claimed> {
    let VertexFilter::Function(to) = &edges.to else { return None };
    let (vector, value) = stored_at_destination(module.function(&edges.apply.name)?)?;
    let (tested, expect) = tested_entry(module.function(&to.name)?)?;
    // Both sides must mean the same vector: a global, since captures are named differently in the two functions.
    let known = module.global(&vector).is_some() && vector == tested;
    let literal = match &expect.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Var(name) => module.global(name).is_some_and(|g| g.ty.scalar().is_some()),
        _ => false,
    };
    let swappable = expect.ty.scalar().is_some_and(|s| !matches!(s, Scalar::Bool | Scalar::String));
    // A value that reads the vector itself could see a change between test and store.
    let reads_vector = variables(value).contains(&vector);
    (known && literal && swappable && !reads_vector).then_some(Claimed { vector, expect })
}

/// Notes at every edge operator whether what it claims stays claimed while a loop or an operator runs: the value of an
/// entry that is free is a constant, and nothing but such operators and statements of `main` outside of loops writes
/// the vector.
pub fn note(module: &mut Module) {
    // Every use of a function, with what it claims; calls and operators of other kinds claim nothing.
    let mut uses: Vec<(Name, Option<Claimed>)> = Vec::new();
    for body in bodies(module) {
        walk_block_exprs(body, &mut |e| {
            let claim = match &e.kind {
                ExprKind::Operator(op) => match &**op {
                    Operator::EdgeSetIterator(edges) => claimed(module, edges).filter(|claim| {
                        matches!(claim.expect.kind, ExprKind::Int(_) | ExprKind::Float(_))
                            && !is_written_elsewhere(module, &claim.vector, &edges.apply.name)
                    }),
                    _ => None,
                },
                _ => None,
            };
            uses.extend(function_refs(e).into_iter().map(|(_, f)| (f.name.clone(), claim.clone())));
        });
    }
    // All who use a function must claim the same by it: one without the test, or with another constant, may free an
    // entry.
    let stays = |name: &Name| {
        let mut all = uses.iter().filter(|(used, _)| used == name).map(|(_, claim)| claim);
        all.next().is_some_and(|first| first.is_some() && all.all(|claim| claim == first))
    };
    for body in bodies_mut(module) {
        walk_stmts_mut(body, &mut |stmt| {
            if let Some(Operator::EdgeSetIterator(edges)) = stmt.operator_mut() {
                edges.meta.claims_for_good = stays(&edges.apply.name);
            }
        });
    }
}

/// Whether something besides a function writes a vector, other than statements of `main` that stand in no block.
/// Whatever gives the vector a second name counts as a write: captures, arguments, assignments of the vector as a
/// whole. So do priority queues over it.
fn is_written_elsewhere(module: &Module, vector: &Name, claims: &Name) -> bool {
    let mut written = module.globals.iter().any(|g| priority_vector(module, &g.name).as_ref() == Some(vector));
    written |= has_other_name(module, vector);
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| {
            written |= matches!(&stmt.kind, StmtKind::Assign { target, .. } if target.as_var() == Some(vector));
        });
    }
    let is_it = |target: &Expr| target.place_root() == Some(vector);
    let main = module.main().map(|f| f.name.clone());
    for function in module.functions.iter().filter(|f| f.name != *claims) {
        let Some(body) = function.body.as_deref() else { continue };
        let mut note = |block: &[Stmt]| each_write(block, &mut |write| written |= is_it(write.target));
        match main.as_ref() == Some(&function.name) {
            true => body.iter().flat_map(Stmt::blocks).for_each(|block| note(block)),
            false => note(body),
        }
    }
    written
}

/// Whether a vector is made where it stands, so that it has no name yet.
fn is_fresh(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::VectorAlloc | ExprKind::VectorFill(_) | ExprKind::VectorLiteral(_) | ExprKind::Builtin(..)
    )
}

/// Whether a vector may be known by a second name: by captures, arguments or assignments of the vector as a whole.
pub(super) fn has_other_name(module: &Module, vector: &Name) -> bool {
    let is_whole = |e: &Expr| e.as_var() == Some(vector);
    let mut named = module.globals.iter().any(|g| matches!(&g.init, Some(GlobalInit::Value(value)) if is_whole(value)));
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { target, value } => {
                named |= is_whole(value) || (is_whole(target) && !is_fresh(value));
            }
            StmtKind::VarDecl { init: Some(value), .. } => named |= is_whole(value),
            _ => {}
        });
        walk_block_exprs(body, &mut |e| {
            named |= function_refs(e).iter().any(|(_, f)| f.captures.iter().any(is_whole));
            if let ExprKind::Call { args, .. } = &e.kind {
                named |= args.iter().any(is_whole);
            }
        });
    }
    named
}

/// `vec[dst] = e` as the whole body.
fn stored_at_destination(f: &Function) -> Option<(Name, &Expr)> {
    let [stmt] = f.body.as_deref()? else { return None };
    let StmtKind::Assign { target, value } = &stmt.kind else { return None };
    let ExprKind::Element { vector, index, .. } = &target.kind else { return None };
    let destination = f.params.get(1).map(|p| &p.name);
    (index.as_var() == destination).then_some(())?;
    Some((vector.as_var()?.clone(), value))
}

/// `r = vec[v] == K` as the whole body.
pub(super) fn tested_entry(f: &Function) -> Option<(Name, Expr)> {
    let [stmt] = f.body.as_deref()? else { return None };
    let StmtKind::Assign { target, value } = &stmt.kind else { return None };
    if target.as_var() != f.result.as_ref().map(|r| &r.name) {
        return None;
    }
    let ExprKind::Binary(BinaryOp::Eq, lhs, rhs) = &value.kind else { return None };
    let ExprKind::Element { vector, index, .. } = &lhs.kind else { return None };
    (index.as_var() == f.params.first().map(|p| &p.name)).then_some(())?;
    Some((vector.as_var()?.clone(), (**rhs).clone()))
}
