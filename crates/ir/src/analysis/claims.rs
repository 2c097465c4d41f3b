//! Operators that claim destinations: the `to` function is `r = vec[v] == K`, and the edge function is `vec[dst] = e`.
//!
//! A push can then test and store in one step (compare-and-swap), or in two where repeats are borne. Where nothing else
//! writes the vector, a claimed destination stays claimed, which a map may remember.

use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::module::{Function, Module};
use crate::operator::{EdgeSetIterator, Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::Scalar;
use crate::walk::{bodies, bodies_mut, variables, walk_block_exprs, walk_stmts, walk_stmts_mut};

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
    let mut fixed: Vec<(Name, bool)> = Vec::new();
    for body in bodies(module) {
        walk_stmts(body, &mut |stmt| {
            if let Some(Operator::EdgeSetIterator(edges)) = stmt.operator()
                && let Some(claim) = claimed(module, edges)
            {
                let constant = matches!(claim.expect.kind, ExprKind::Int(_) | ExprKind::Float(_));
                let stays = constant && !is_written_elsewhere(module, &claim.vector, &edges.apply.name);
                fixed.push((edges.apply.name.clone(), stays));
            }
        });
    }
    // A function that several operators use must be fine with all of them.
    let stays = |name: &Name| {
        let mut all = fixed.iter().filter(|(apply, _)| apply == name).peekable();
        all.peek().is_some() && all.all(|(_, stays)| *stays)
    };
    for body in bodies_mut(module) {
        walk_stmts_mut(body, &mut |stmt| {
            if let Some(Operator::EdgeSetIterator(edges)) = stmt.operator_mut() {
                edges.meta.claims_for_good = stays(&edges.apply.name);
            }
        });
    }
}

/// Whether something besides a function writes a vector, other than statements of `main` that stand in no block;
/// captures and arguments, which give a vector a second name, and priority queues over it count as writes.
fn is_written_elsewhere(module: &Module, vector: &Name, claims: &Name) -> bool {
    let mut written = module.globals.iter().any(|g| priority_vector(module, &g.name).as_ref() == Some(vector));
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
    for body in bodies(module) {
        walk_block_exprs(body, &mut |e| {
            let references = crate::walk::function_refs(e);
            written |= references.iter().any(|(_, f)| f.captures.iter().any(|c| c.as_var() == Some(vector)));
            if let ExprKind::Call { args, .. } = &e.kind {
                written |= args.iter().any(|a| a.as_var() == Some(vector));
            }
        });
    }
    written
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
fn tested_entry(f: &Function) -> Option<(Name, Expr)> {
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
