//! Vector entries of the list's owner that can be kept in registers while the edges of the list are visited.

use super::writes::{assigns, body, each_write};
use super::{End, filter_functions};
use crate::analysis::calls::closure;
use crate::expr::{Expr, ExprKind, ReduceOp};
use crate::meta::Sharing;
use crate::module::{Function, Module};
use crate::operator::EdgeSetIterator;
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::{Domain, Scalar, Type};
use crate::walk::{block_mentions, walk_block_exprs, walk_expr, walk_stmts};

/// A reduction into the entry of the list's owner, whose result nobody looks at. Several workers may share a list: each
/// gathers its part, and the parts are combined at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryReduction {
    /// The vector, by the name it has in the applied function.
    pub vector: Name,
    /// The operation.
    pub op: ReduceOp,
    /// The type of an entry.
    pub scalar: Scalar,
}

/// A global vector whose entry of the list's owner can be kept in a register and stored at the end of the list: only
/// this entry is touched, by no filter, and by no other worker.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedEntry {
    /// The vector.
    pub vector: Name,
    /// The type of the entry.
    pub ty: Type,
}

/// The reductions that can be gathered with `end` as the owner of the list.
pub(super) fn reductions(module: &Module, op: &EdgeSetIterator, end: End) -> Vec<EntryReduction> {
    let Some(apply) = module.function(&op.apply.name) else { return Vec::new() };
    let Some(owner) = apply.params.get(end.parameter()).map(|p| &p.name) else { return Vec::new() };
    if assigns(apply, owner) {
        return Vec::new();
    }
    let mut candidates: Vec<EntryReduction> = Vec::new();
    each_reduction(body(apply), owner, &mut |vector, op, scalar| {
        if scalar != Scalar::Bool && !candidates.iter().any(|c| c.vector == *vector) {
            candidates.push(EntryReduction { vector: vector.clone(), op, scalar });
        }
    });
    // Nothing else may look at the vector meanwhile: not the function, not what it calls, not the filters.
    let roots = filter_functions(op).into_iter().chain([&op.apply]).map(|f| f.name.clone());
    let functions = closure(module, roots);
    candidates.retain(|c| {
        let mut mentions = 0;
        for function in functions.iter().filter_map(|name| module.function(name)) {
            walk_block_exprs(body(function), &mut |e| mentions += usize::from(e.as_var() == Some(&c.vector)));
        }
        let mut gathers = 0;
        each_reduction(body(apply), owner, &mut |vector, op, _| {
            gathers += usize::from(*vector == c.vector && op == c.op);
        });
        gathers == mentions
    });
    candidates
}

/// Calls `visit` for every statement `vector[owner] op= value`.
fn each_reduction(block: &[Stmt], owner: &Name, visit: &mut dyn FnMut(&Name, ReduceOp, Scalar)) {
    walk_stmts(block, &mut |stmt| {
        if let StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, .. }, .. }) = &stmt.kind
            && let ExprKind::Element { vector, index, .. } = &target.kind
            && let Some(name) = vector.as_var()
            && index.as_var() == Some(owner)
            && let Some(scalar) = target.ty.scalar()
        {
            visit(name, *op, scalar);
        }
    });
}

/// The entries that can be kept in registers with `end` as the owner of the list, by vector. Uses what the sharing pass
/// found out; there are none before it, nor where two edges of one vertex may be visited at the same time.
pub(super) fn owned(module: &Module, op: &EdgeSetIterator, end: End) -> Vec<OwnedEntry> {
    let Some(function) = module.function(&op.apply.name) else { return Vec::new() };
    // A captured vector may be any global under another name, and a called function may touch anything.
    let plain = function.captures.iter().all(|c| !c.ty.is_reference()) && !calls(function);
    let owner = function.params.get(end.parameter());
    let (Some(owner), true, Some(false)) = (owner, plain, op.meta.is_edge_parallel) else { return Vec::new() };
    let filters: Vec<&Function> =
        filter_functions(op).into_iter().filter_map(|filter| module.function(&filter.name)).collect();
    let mut entries: Vec<OwnedEntry> = Vec::new();
    let mut spoiled: Vec<Name> = Vec::new();
    walk_block_exprs(body(function), &mut |expr| {
        if let ExprKind::Element { vector, index, access } = &expr.kind {
            let Some(root) = vector.place_root() else { return };
            let local = access.is_some_and(|a| a.sharing == Sharing::Local);
            let single = vector.as_var().is_some()
                && matches!(&vector.ty, Type::Vector { domain: Domain::Element(_), item } if item.scalar().is_some());
            match single && local && index.as_var() == Some(&owner.name) && module.global(root).is_some() {
                true => entries.push(OwnedEntry { vector: root.clone(), ty: expr.ty.clone() }),
                false => spoiled.push(root.clone()),
            }
        }
        // Compare-and-swap and atomic updates work on memory.
        match &expr.kind {
            ExprKind::CompareAndSwap { target, .. } => spoiled.extend(target.place_root().cloned()),
            ExprKind::Reduce { meta, .. } if meta.atomic => walk_expr(expr, &mut |e| {
                if let ExprKind::Element { vector, .. } = &e.kind {
                    spoiled.extend(vector.place_root().cloned());
                }
            }),
            _ => {}
        }
    });
    let mut written: Vec<&Name> = Vec::new();
    each_write(body(function), &mut |write| written.extend(write.target.place_root()));
    let in_filters = |name: &Name| filters.iter().any(|f| block_mentions(body(f), name) || calls(f));
    entries.sort_by(|a, b| a.vector.cmp(&b.vector));
    entries.dedup_by(|a, b| a.vector == b.vector);
    entries.retain(|e| !spoiled.contains(&e.vector) && written.contains(&&e.vector) && !in_filters(&e.vector));
    entries
}

fn calls(function: &Function) -> bool {
    let mut found = false;
    walk_block_exprs(body(function), &mut |e| {
        found |= matches!(e.kind, ExprKind::Call { .. } | ExprKind::PriorityUpdate { .. });
    });
    found
}
