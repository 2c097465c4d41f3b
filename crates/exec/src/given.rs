//! Values that a caller gives to globals: what an earlier run left behind, and what has changed since.

use std::sync::Arc;

use gw_ir::types::{Domain, Type};

use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::graphs::fit_weights;
use crate::value::Value;
use crate::vector::Vector;

/// Values of globals, by name, that are there when `main` begins. They are meant for globals without an initial value:
/// initialisers of others run after graphs and scalars are given, and before vectors are.
///
/// A run has what it is given to itself: vectors, sets and lists are copied, so that the caller's stay as they are,
/// the same options can be given to any number of runs, and workers that walk one program side by side
/// ([`Environment::replica_options`]) do not write into each other's. Two globals that are given one vector share one.
/// A vector over an element may have fewer entries than there are vertices by now: the others are zero.
///
/// ```
/// use gw_exec::{Given, Value};
/// let mut given = Given::default();
/// given.set("rounds", Value::Int(3));
/// assert!(!given.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Given(Arc<Vec<Entry>>);

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    value: Value,
    is_left: bool,
}

impl Given {
    /// Gives a global a value; an earlier one is forgotten.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.enter(Entry { name: name.into(), value, is_left: false });
    }

    /// As [`Given::set`], and leaves a vector to the run: where nothing else refers to the vector, and one run alone
    /// has it, the run changes it where it is, which saves the copy. Options that leave something are good for one run.
    pub fn leave(&mut self, name: impl Into<String>, value: Value) {
        self.enter(Entry { name: name.into(), value, is_left: true });
    }

    fn enter(&mut self, entry: Entry) {
        let entries = Arc::make_mut(&mut self.0);
        entries.retain(|known| known.name != entry.name);
        entries.push(entry);
    }

    /// The value given to a global.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|entry| entry.name == name).map(|entry| &entry.value)
    }

    /// True when nothing is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Assigns graphs and scalars, before the start-up: sizes of elements follow from graphs.
    pub(crate) fn assign_first(&self, env: &mut Environment) -> Result<()> {
        self.assign(
            env,
            |value| value.as_vector().is_none(),
            |env, Entry { name, value, .. }, ty| match (value, ty) {
                (Value::Graph(graph), Type::EdgeSet { edge, source, target, weight }) => {
                    let fitted = fit_weights(graph, *weight, name)?;
                    env.set_vertices_of(edge, fitted.edges());
                    env.set_vertices_of(source, fitted.vertices());
                    env.set_vertices_of(target, fitted.vertices());
                    Ok(Value::Graph(fitted))
                }
                _ => owned(name, value),
            },
        )
    }

    /// Assigns vectors, after the start-up, when the sizes of elements are known. `alone`: no other run is given the
    /// same.
    pub(crate) fn assign_vectors(&self, env: &mut Environment, alone: bool) -> Result<()> {
        let mut made: Vec<(Vector, Vector)> = Vec::new();
        self.assign(
            env,
            |value| value.as_vector().is_some(),
            |env, Entry { name, value, is_left }, ty| {
                let Value::Vector(vector) = value else { return owned(name, value) };
                let wanted = match ty {
                    Type::Vector { domain: Domain::Element(element), .. } => env.vertices_of(element)?,
                    _ => vector.len(),
                };
                let has = vector.len();
                if has > wanted {
                    return Err(bad(name, format!("it is given {has} entries, but there are {wanted}")));
                }
                if *is_left && alone && has == wanted && !vector.is_shared_beyond(1) {
                    return Ok(value.clone());
                }
                let known = made.iter().find(|(given, own)| given.is_same_part(vector) && own.len() == wanted);
                let own = match known {
                    Some((_, own)) => own.clone(),
                    None => vector.copy(wanted)?,
                };
                made.push((vector.clone(), own.clone()));
                Ok(Value::Vector(own))
            },
        )
    }

    fn assign(
        &self,
        env: &mut Environment,
        belongs: impl Fn(&Value) -> bool,
        mut fitted: impl FnMut(&mut Environment, &Entry, &Type) -> Result<Value>,
    ) -> Result<()> {
        for entry in self.0.iter().filter(|entry| belongs(&entry.value)) {
            let name = &entry.name;
            let ty = env.global_values().find(|(known, ..)| known == name).map(|(_, ty, _)| ty.clone());
            let ty = ty.ok_or_else(|| bad(name, "the program has no global of this name".to_string()))?;
            let value = fitted(env, entry, &ty)?;
            if !value.fits(&ty) || !env.set_global(name, value.clone()) {
                return Err(bad(name, format!("a {} is given, a {ty} is needed", value.kind())));
            }
        }
        Ok(())
    }
}

fn bad(name: &str, message: String) -> crate::ExecError {
    ErrorKind::BadGiven { name: name.to_string(), message }.into()
}

/// The value as one that the run alone has.
fn owned(name: &str, value: &Value) -> Result<Value> {
    value.own()?.ok_or_else(|| bad(name, "a priority queue belongs to the run that made it".to_string()))
}
