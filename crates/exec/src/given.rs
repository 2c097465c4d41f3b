//! Values that a caller gives to globals: what an earlier run left behind, and what has changed since.

use gw_ir::types::{Domain, Type};

use crate::env::Environment;
use crate::error::{ErrorKind, Result};
use crate::graphs::fit_weights;
use crate::value::Value;
use crate::vector::Vector;

/// Values of globals, by name, that are there when `main` begins. They are meant for globals without an initial value:
/// initialisers of others run after graphs and scalars are given, and before vectors are.
///
/// A vector over an element may have fewer entries than there are vertices by now: the others are zero. Vectors are
/// shared with the caller, so that a run changes them.
///
/// ```
/// use gw_exec::{Given, Value};
/// let mut given = Given::default();
/// given.set("rounds", Value::Int(3));
/// assert!(!given.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Given(Vec<(String, Value)>);

impl Given {
    /// Gives a global a value; an earlier one is forgotten.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        let name = name.into();
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, value));
    }

    /// The value given to a global.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
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
            |env, name, ty, value| match (value, ty) {
                (Value::Graph(graph), Type::EdgeSet { edge, source, target, weight }) => {
                    let fitted = fit_weights(graph, *weight, name)?;
                    env.set_vertices_of(edge, fitted.edges());
                    env.set_vertices_of(source, fitted.vertices());
                    env.set_vertices_of(target, fitted.vertices());
                    Ok(Value::Graph(fitted))
                }
                _ => Ok(value.clone()),
            },
        )
    }

    /// Assigns vectors, after the start-up, when the sizes of elements are known.
    pub(crate) fn assign_vectors(&self, env: &mut Environment) -> Result<()> {
        self.assign(
            env,
            |value| value.as_vector().is_some(),
            |env, name, ty, value| match (value, ty) {
                (Value::Vector(vector), Type::Vector { domain: Domain::Element(element), .. }) => {
                    let wanted = env.vertices_of(element)?;
                    match wanted.checked_sub(vector.len()) {
                        Some(0) => Ok(value.clone()),
                        Some(_) => Ok(Value::Vector(longer(vector, wanted)?)),
                        None => {
                            let has = vector.len();
                            Err(bad(name, format!("it is given {has} entries, but there are {wanted}")))
                        }
                    }
                }
                _ => Ok(value.clone()),
            },
        )
    }

    fn assign(
        &self,
        env: &mut Environment,
        belongs: impl Fn(&Value) -> bool,
        fitted: impl Fn(&mut Environment, &str, &Type, &Value) -> Result<Value>,
    ) -> Result<()> {
        for (name, value) in self.0.iter().filter(|(_, value)| belongs(value)) {
            let ty = env.global_values().find(|(known, ..)| known == name).map(|(_, ty, _)| ty.clone());
            let ty = ty.ok_or_else(|| bad(name, "the program has no global of this name".to_string()))?;
            let value = fitted(env, name, &ty, value)?;
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

/// The same entries, and zeros behind them.
fn longer(vector: &Vector, len: usize) -> Result<Vector> {
    let mut dims = vector.dims().to_vec();
    dims[0] = len;
    let longer = Vector::zeros(vector.scalar(), &dims)?;
    (0..vector.cells()).for_each(|cell| longer.store_bits(cell, vector.load_bits(cell)));
    Ok(longer)
}
