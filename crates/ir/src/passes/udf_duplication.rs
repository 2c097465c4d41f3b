//! UDF duplication: every edge operator gets an edge function of its own, so that later passes can rewrite it freely.

use super::{PassContext, PassError};
use crate::analysis::calls::uses_in;
use crate::module::{FunctionKind, Module};
use crate::rewrite::fresh;
use crate::source::Name;
use crate::stmt::Stmt;
use crate::walk::{Use, bodies, bodies_mut, function_refs_mut, stmt_exprs_mut};
use std::collections::HashSet;

/// Clones functions that are applied to edges more than once, or also used in another way.
pub fn udf_duplication(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    let cloneable: HashSet<Name> =
        module.functions.iter().filter(|f| f.kind == FunctionKind::User).map(|f| f.name.clone()).collect();
    let mut claimed: HashSet<Name> = bodies(&module)
        .flat_map(|b| uses_in(b))
        .filter(|(usage, _)| *usage != Use::EdgeApply)
        .map(|(_, name)| name)
        .collect();
    let mut taken: HashSet<Name> = module.functions.iter().map(|f| f.name.clone()).collect();
    taken.extend(module.globals.iter().map(|g| g.name.clone()));
    taken.extend(module.functions.iter().flat_map(|f| f.locals()).map(|l| l.name));
    let mut clones: Vec<(Name, Name)> = Vec::new();
    for body in bodies_mut(&mut module) {
        edge_functions(body, &mut |name| {
            if cloneable.contains(name) && !claimed.insert(name.clone()) {
                let copy = fresh(&mut taken, name);
                clones.push((name.clone(), copy.clone()));
                *name = copy;
            }
        });
    }
    for (original, copy) in clones.into_iter().rev() {
        if let Some(at) = module.functions.iter().position(|f| f.name == original) {
            let mut function = module.functions[at].clone();
            function.name = copy;
            module.functions.insert(at + 1, function);
        }
    }
    Ok(module)
}

/// Visits the name of the edge function of every edge operator, in textual order.
fn edge_functions(body: &mut [Stmt], visit: &mut dyn FnMut(&mut Name)) {
    for stmt in body {
        // Operators are whole values of statements, never nested.
        stmt_exprs_mut(stmt, &mut |e| {
            for (usage, reference) in function_refs_mut(e) {
                if usage == Use::EdgeApply {
                    visit(&mut reference.name);
                }
            }
        });
        for inner in stmt.blocks_mut() {
            edge_functions(inner, visit);
        }
    }
}
