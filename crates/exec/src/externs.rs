//! Extern functions: Rust closures registered by name.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use gw_graph::Graph;

use crate::cells::Cell;
use crate::set::VertexSet;
use crate::value::Value;
use crate::vector::Vector;

/// What an extern closure returns: the result ([`Value::Nothing`] without one), or a sentence that says what failed.
pub type ExternResult = std::result::Result<Value, String>;

type Closure = dyn Fn(&ExternCall<'_>) -> ExternResult + Send + Sync;

/// The extern functions of a run.
///
/// ```
/// use gw_exec::{Externs, Value};
/// let mut externs = Externs::new();
/// externs.register("twice", |call| Ok(Value::Int(2 * call.int(0)?)));
/// assert!(externs.contains("twice"));
/// ```
#[derive(Clone, Default)]
pub struct Externs(HashMap<String, Arc<Closure>>);

impl Externs {
    /// None.
    pub fn new() -> Self {
        Externs::default()
    }

    /// Implements the extern function `name`. Operators may call it once per edge or vertex; a parallel machine, from
    /// several threads at once.
    pub fn register(
        &mut self,
        name: impl Into<String>,
        closure: impl Fn(&ExternCall<'_>) -> ExternResult + Send + Sync + 'static,
    ) -> &mut Self {
        self.0.insert(name.into(), Arc::new(closure));
        self
    }

    /// Whether the function is implemented.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Closure>> {
        self.0.get(name).cloned()
    }
}

impl fmt::Debug for Externs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// A call of an extern function: its arguments, and the globals of the program. Vectors, sets and lists are shared with
/// the program, so writing to them is seen by it.
pub struct ExternCall<'a> {
    args: &'a [Value],
    global: &'a dyn Fn(&str) -> Option<Value>,
}

impl<'a> ExternCall<'a> {
    pub(crate) fn new(args: &'a [Value], global: &'a dyn Fn(&str) -> Option<Value>) -> Self {
        ExternCall { args, global }
    }

    /// All arguments.
    pub fn args(&self) -> &[Value] {
        self.args
    }

    /// The value of a global variable.
    pub fn global(&self, name: &str) -> Option<Value> {
        (self.global)(name)
    }

    /// Argument `i`, an `int` or vertex.
    pub fn int(&self, i: usize) -> std::result::Result<i32, String> {
        self.arg(i, "int", Value::as_int)
    }

    /// Argument `i`, any number or bool, as a 64-bit float.
    pub fn number(&self, i: usize) -> std::result::Result<f64, String> {
        self.arg(i, "number", Value::as_f64)
    }

    /// Argument `i`, a string.
    pub fn text(&self, i: usize) -> std::result::Result<Arc<str>, String> {
        self.arg(i, "string", |v| match v {
            Value::Str(text) => Some(Arc::clone(text)),
            _ => None,
        })
    }

    /// Argument `i`, a vector with cells of type `T`.
    pub fn vector<T: Cell>(&self, i: usize) -> std::result::Result<Vector, String> {
        let expected = format!("vector of {}", T::SCALAR.keyword());
        self.arg(i, &expected, |v| v.as_vector().filter(|v| v.scalar() == T::SCALAR).cloned())
    }

    /// Argument `i`, a vertex set.
    pub fn set(&self, i: usize) -> std::result::Result<VertexSet, String> {
        self.arg(i, "vertexset", |v| v.as_set().cloned())
    }

    /// Argument `i`, a graph.
    pub fn graph(&self, i: usize) -> std::result::Result<Arc<Graph>, String> {
        self.arg(i, "edgeset", |v| v.as_graph().cloned())
    }

    fn arg<T>(&self, i: usize, expected: &str, get: impl Fn(&Value) -> Option<T>) -> std::result::Result<T, String> {
        let given = self.args.get(i);
        given.and_then(get).ok_or_else(|| match given {
            None => format!("argument {i} is missing, a {expected} is needed"),
            Some(value) => format!("argument {i} is a {}, a {expected} is needed", value.kind()),
        })
    }
}
