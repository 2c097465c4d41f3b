//! Function contexts: what runs inside operators, what runs on the host, and what does both.

use super::{PassContext, PassError};
use crate::analysis::calls::{closure, uses_in};
use crate::module::{Context, FunctionKind, Module};
use crate::source::Name;
use crate::walk::{Use, bodies};
use std::collections::BTreeSet;

/// Sets the context of every function from the call graph.
pub fn context(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    let applied = bodies(&module)
        .flat_map(|b| uses_in(b))
        .filter(|(usage, _)| !matches!(usage, Use::Call | Use::PriorityExtern))
        .map(|(_, name)| name);
    let device: BTreeSet<Name> = closure(&module, applied);
    let mut roots: Vec<Name> = module
        .functions
        .iter()
        .filter(|f| matches!(f.kind, FunctionKind::Main | FunctionKind::Export))
        .map(|f| f.name.clone())
        .collect();
    roots.extend(crate::analysis::calls::called_in(&module.startup));
    roots.extend(bodies(&module).flat_map(|b| uses_in(b)).filter(|(u, _)| *u == Use::PriorityExtern).map(|(_, n)| n));
    let host = closure(&module, roots);
    for function in &mut module.functions {
        function.context = match (host.contains(&function.name), device.contains(&function.name)) {
            (false, false) => Context::None,
            (true, false) => Context::Host,
            (false, true) => Context::Device,
            (true, true) => Context::Both,
        };
    }
    Ok(module)
}
