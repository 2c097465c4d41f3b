//! The writes of functions, one by one.

use std::collections::BTreeSet;

use crate::expr::{Expr, ExprKind};
use crate::meta::Sharing;
use crate::module::{Function, Module};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{walk_block_exprs, walk_stmts};

/// One write: an assignment, a reduction or a compare-and-swap. Priority updates are no writes of this kind, since
/// they name a queue and not a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Write<'m> {
    /// The place that is written.
    pub target: &'m Expr,
    /// The write is one atomic step.
    pub atomic: bool,
    /// The write is an assignment.
    pub assigns: bool,
}

impl Write<'_> {
    /// Whether only this invocation can touch the entry, by the sharing pass.
    pub fn is_local(&self) -> bool {
        matches!(&self.target.kind, ExprKind::Element { access: Some(access), .. } if access.sharing == Sharing::Local)
    }
}

/// Calls `visit` for every write in a block, assignments first.
pub fn each_write<'m>(block: &'m [Stmt], visit: &mut dyn FnMut(Write<'m>)) {
    walk_stmts(block, &mut |stmt| {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            visit(Write { target, atomic: false, assigns: true });
        }
    });
    walk_block_exprs(block, &mut |e| {
        if let ExprKind::Reduce { target, meta, .. } | ExprKind::CompareAndSwap { target, meta, .. } = &e.kind {
            visit(Write { target, atomic: meta.atomic, assigns: false });
        }
    });
}

/// The writes of functions to anything but their own scalar variables.
pub(super) fn memory_writes<'m>(module: &'m Module, functions: &BTreeSet<Name>) -> Vec<Write<'m>> {
    let mut found = Vec::new();
    for function in functions.iter().filter_map(|name| module.function(name)) {
        each_write(body(function), &mut |write| {
            if write.target.as_var().is_none_or(|name| module.global(name).is_some()) {
                found.push(write);
            }
        });
    }
    found
}

/// Whether a function gives a parameter another value, or another variable the parameter's name.
pub fn assigns(function: &Function, name: &str) -> bool {
    let mut found = function.locals().iter().any(|local| *local.name == *name);
    each_write(body(function), &mut |write| found |= write.target.as_var().is_some_and(|n| **n == *name));
    found
}

/// The body of a function; nothing for an extern function.
pub(super) fn body(function: &Function) -> &[Stmt] {
    function.body.as_deref().unwrap_or_default()
}
