//! Fields fusion: vectors over the same element that the schedule names together become fields of one array of
//! structs. Only the layout is recorded; accesses and their atomics stay as they are.

use super::{PassContext, PassError};
use crate::module::Module;
use crate::source::{Name, Span};
use crate::types::{Domain, Type};
use gw_schedule::Transform;

const PASS: &str = "layout";

/// Records the fused layout of vectors.
pub fn layout(mut module: Module, context: &PassContext) -> Result<Module, PassError> {
    for transform in context.schedule.transforms() {
        if let Transform::FuseFields(names) = transform {
            let names: Vec<Name> = names.iter().map(|n| n.as_str().into()).collect();
            fuse(&mut module, &names)?;
        }
    }
    Ok(module)
}

fn fuse(module: &mut Module, names: &[Name]) -> Result<(), PassError> {
    let fail = |message: String| Err(PassError::transform(PASS, Span::NONE, message));
    let mut element: Option<Name> = None;
    for name in names {
        let Some(global) = module.global(name) else { return fail(format!("there is no vector `{name}` to fuse")) };
        let Type::Vector { domain: Domain::Element(e), .. } = &global.ty else {
            return fail(format!("`{name}` is not a vector over an element, so it cannot be a field"));
        };
        if let Some(into) = &global.meta.fused_into {
            return fail(format!("`{name}` is already a field of `{into}`"));
        }
        match &element {
            None => element = Some(e.clone()),
            Some(first) if first == e => {}
            Some(first) => return fail(format!("`{name}` is indexed by {e}, the fields before it by {first}")),
        }
    }
    let joined = names.iter().map(|n| n.to_string()).collect::<Vec<_>>().join("_");
    let structure = module.fresh_name(&joined);
    for global in module.globals.iter_mut().filter(|g| names.contains(&g.name)) {
        global.meta.fused_into = Some(structure.clone());
    }
    Ok(())
}
