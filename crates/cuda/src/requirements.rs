//! What kernels require of a call, compared with the values at hand: once per launch, in place of a check per access.

use std::sync::Arc;

use gw_exec::{Environment, Value};
use gw_graph::Graph;
use gw_ir::source::Name;

use crate::bindings::Bindings;
use crate::codegen::access::Requirement;
use crate::codegen::inputs::Source;

/// Whether all requirements of a kernel hold. What is not set yet does not: whoever uses it says so.
pub(crate) fn hold(requires: &[Requirement], bindings: &Bindings, env: &Environment) -> bool {
    requires.iter().all(|requirement| holds(requirement, bindings, env))
}

fn holds(requirement: &Requirement, bindings: &Bindings, env: &Environment) -> bool {
    let vertices = bindings.vertices;
    let entries = |value: Option<&Value>| match value {
        Some(Value::Vector(vector)) => vector.len() >= vertices,
        _ => false,
    };
    match requirement {
        Requirement::Entries(Source::GlobalLength(name)) => entries(env.global(name).as_ref()),
        Requirement::Entries(Source::LocalLength(name)) => entries(bindings.values.get(name)),
        Requirement::Entries(_) => false,
        Requirement::Queried(name) => graph(name, bindings, env).is_some_and(|graph| graph.vertices() >= vertices),
        Requirement::Walked(_) | Requirement::Element(_) | Requirement::All(_) | Requirement::Queue(_) => {
            number(requirement, &|name| graph(name, bindings, env), env) == Some(vertices)
        }
    }
}

fn graph(name: &Name, bindings: &Bindings, env: &Environment) -> Option<Arc<Graph>> {
    match bindings.graphs.get(name) {
        Some(graph) => Some(Arc::clone(graph)),
        None => env.global(name).and_then(|value| value.as_graph().cloned()),
    }
}

/// The number of vertices that a kernel must have to meet a requirement; `None` for requirements that only set a limit.
pub(crate) fn number(
    requirement: &Requirement,
    graph: &dyn Fn(&Name) -> Option<Arc<Graph>>,
    env: &Environment,
) -> Option<usize> {
    match requirement {
        Requirement::Entries(_) | Requirement::Queried(_) => None,
        Requirement::Walked(name) => graph(name).map(|graph| graph.vertices()),
        Requirement::Element(element) => env.vertices_of(element).ok(),
        Requirement::All(name) => match env.global(name)? {
            Value::Set(set) => set.universe(),
            _ => None,
        },
        Requirement::Queue(name) => match env.global(name)? {
            Value::Queue(queue) => Some(queue.spec().priorities.len()),
            _ => None,
        },
    }
}
