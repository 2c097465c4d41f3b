//! The values that are given to one launch: those bound to the parameters of the kernel, and the globals of the run.

use std::sync::Arc;

use gw_exec::{Environment, ErrorKind, ExecError, Result, Value, Vector, VertexSet};
use gw_graph::Graph;
use gw_ir::source::Name;

use crate::bindings::{Bindings, External};
use crate::codegen::Generated;
use crate::set::with_device_set;

/// The code of a kernel and the values of a launch of it.
pub(crate) struct LaunchValues<'g> {
    pub(crate) code: &'g Generated,
    pub(crate) bindings: &'g Bindings,
    /// The run; kernels that belong to no program have none.
    pub(crate) env: Option<&'g Environment>,
}

impl<'g> LaunchValues<'g> {
    /// The run, for kernels that need one.
    pub(crate) fn env(&self) -> Result<&'g Environment> {
        self.env.ok_or_else(|| ErrorKind::Malformed("a kernel without a program".into()).into())
    }

    /// The value of a global, which must be set.
    pub(crate) fn global(&self, name: &Name) -> Result<Value> {
        match self.env()?.global(name) {
            Some(Value::Nothing) | None => Err(unset(name)),
            Some(value) => Ok(value),
        }
    }

    /// A global vector.
    pub(crate) fn global_vector(&self, name: &Name) -> Result<Vector> {
        match self.global(name)? {
            Value::Vector(vector) => Ok(vector),
            _ => Err(unset(name)),
        }
    }

    /// A global set.
    pub(crate) fn global_set(&self, name: &Name) -> Result<VertexSet> {
        match self.global(name)? {
            Value::Set(set) => Ok(set),
            _ => Err(unset(name)),
        }
    }

    /// A vector bound to a parameter.
    pub(crate) fn local_vector(&self, name: &Name) -> Result<&'g Vector> {
        match self.bindings.values.get(name) {
            Some(Value::Vector(vector)) => Ok(vector),
            _ => Err(unset(name)),
        }
    }

    /// A graph: bound to a parameter, or a global.
    pub(crate) fn graph(&self, name: &Name) -> Result<Arc<Graph>> {
        match self.bindings.graphs.get(name) {
            Some(graph) => Ok(Arc::clone(graph)),
            None => match self.global(name)? {
                Value::Graph(graph) => Ok(graph),
                _ => Err(unset(name)),
            },
        }
    }

    /// Edges of the largest graph that the kernel walks.
    pub(crate) fn most_edges(&self) -> usize {
        let edges_of = |name: &Name| match (self.bindings.graphs.get(name), self.env.and_then(|env| env.global(name))) {
            (Some(graph), _) => graph.edges(),
            (None, Some(Value::Graph(graph))) => graph.edges(),
            _ => 0,
        };
        self.code.parts.iter().map(|(name, _)| edges_of(name)).max().unwrap_or(0)
    }

    /// How many ids the sets may have that come from the host. Where nobody can tell, they have repeats, and more
    /// members than there are vertices.
    pub(crate) fn sets_capacity(&self) -> usize {
        let capacity = |external: &External| match external {
            External::Set(set) => with_device_set(set, |own| own.capacity()).unwrap_or(0),
            External::Near(near) => near.as_ref().map_or(0, |near| near.capacity()),
        };
        self.bindings.external.iter().map(capacity).max().unwrap_or(0)
    }
}

/// The error of a name without a value, or with a value of another kind.
pub(crate) fn unset(name: &Name) -> ExecError {
    ErrorKind::Unset { name: name.to_string() }.into()
}
