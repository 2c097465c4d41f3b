//! The call graph: which functions run as part of which.

use crate::builtin::Builtin;
use crate::expr::ExprKind;
use crate::module::{Function, Module};
use crate::source::Name;
use crate::stmt::Stmt;
use crate::walk::{Use, function_refs, walk_block_exprs};
use std::collections::BTreeSet;

/// Functions that a block names in plain calls, in order, with repeats.
pub fn called_in(block: &[Stmt]) -> Vec<Name> {
    uses_in(block).into_iter().filter(|(u, _)| *u == Use::Call).map(|(_, n)| n).collect()
}

/// Functions that a block names, and how.
pub fn uses_in(block: &[Stmt]) -> Vec<(Use, Name)> {
    let mut uses = Vec::new();
    walk_block_exprs(block, &mut |e| uses.extend(function_refs(e).into_iter().map(|(u, f)| (u, f.name.clone()))));
    uses
}

/// `roots` and everything they call, directly or not.
pub fn closure(module: &Module, roots: impl IntoIterator<Item = Name>) -> BTreeSet<Name> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<Name> = roots.into_iter().collect();
    while let Some(name) = open.pop() {
        if !reached.insert(name.clone()) {
            continue;
        }
        if let Some(body) = module.function(&name).and_then(|f| f.body.as_ref()) {
            open.extend(called_in(body));
        }
    }
    reached
}

/// Whether a function, or one that it calls, draws random neighbours.
pub fn draws(module: &Module, name: &Name) -> bool {
    closure(module, [name.clone()]).iter().filter_map(|name| module.function(name)).any(draws_itself)
}

/// Whether the body of a function draws random neighbours, calls left aside.
pub fn draws_itself(function: &Function) -> bool {
    let mut found = false;
    walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| {
        found |= matches!(&e.kind, ExprKind::Builtin(Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, _));
    });
    found
}

/// Whether a function that may not be one of the module, but made of one, draws random neighbours.
pub fn draws_in(module: &Module, function: &Function) -> bool {
    draws_itself(function) || draws(module, &function.name)
}

/// Whether any function of a module draws random neighbours.
pub fn module_draws(module: &Module) -> bool {
    module.functions.iter().any(draws_itself)
}
