//! Renaming, cloning and fresh names, for passes that move code about.

use crate::expr::{Expr, ExprKind};
use crate::module::{Function, Module};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{stmt_exprs_mut, walk_expr_mut, walk_stmts_mut};
use std::collections::{HashMap, HashSet};

/// Replaces variable names everywhere in a block, declarations included.
pub fn rename(block: &mut [Stmt], names: &HashMap<Name, Name>) {
    if names.is_empty() {
        return;
    }
    let swap = |name: &mut Name| {
        if let Some(new) = names.get(name) {
            *name = new.clone();
        }
    };
    walk_stmts_mut(block, &mut |stmt| {
        match &mut stmt.kind {
            StmtKind::VarDecl { name, .. } => swap(name),
            StmtKind::For { var, .. } | StmtKind::ParFor { var, .. } => swap(var),
            StmtKind::While { meta, .. } => meta.hoisted.iter_mut().chain(&mut meta.queues).for_each(swap),
            _ => {}
        }
        stmt_exprs_mut(stmt, &mut |e| walk_expr_mut(e, &mut |e| rename_node(e, &swap)));
    });
}

fn rename_node(expr: &mut Expr, swap: &dyn Fn(&mut Name)) {
    match &mut expr.kind {
        ExprKind::Var(name) | ExprKind::EnqueueVertex { set: name, .. } => swap(name),
        ExprKind::PriorityQueueAlloc(q) => swap(&mut q.vector),
        _ => {}
    }
}

/// The names that a new local of `function` must not take: its own, and all globals and functions.
pub fn taken(module: &Module, function: Option<&Function>) -> HashSet<Name> {
    let mut names: HashSet<Name> = module.globals.iter().map(|g| g.name.clone()).collect();
    names.extend(module.functions.iter().map(|f| f.name.clone()));
    if let Some(f) = function {
        names.extend(f.captures.iter().chain(&f.params).chain(&f.result).map(|p| p.name.clone()));
        names.extend(f.locals().into_iter().map(|l| l.name));
    }
    names
}

/// `base`, `base_2`, `base_3`, ...: the first that is not taken, which is then taken.
pub fn fresh(taken: &mut HashSet<Name>, base: &str) -> Name {
    let mut name: Name = base.into();
    let mut n = 1;
    while !taken.insert(name.clone()) {
        n += 1;
        name = format!("{base}_{n}").as_str().into();
    }
    name
}

/// Adds a copy of a function under a new name right behind the original; `None` when there is no such function.
pub fn clone_function(module: &mut Module, name: &str, base: &str) -> Option<Name> {
    let at = module.functions.iter().position(|f| &*f.name == name)?;
    let new = module.fresh_name(base);
    let mut copy = module.functions[at].clone();
    copy.name = new.clone();
    module.functions.insert(at + 1, copy);
    Some(new)
}
