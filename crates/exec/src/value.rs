//! Run-time values: scalars with C widths, and references to strings, vectors, sets, graphs, lists and queues.

use std::sync::Arc;

use gw_graph::Graph;
use gw_ir::types::{Domain, Scalar, Type};

use crate::format::format_float;
use crate::list::List;
use crate::queue::Queue;
use crate::scalar::Register;
use crate::set::VertexSet;
use crate::vector::Vector;

/// A value of a program. Everything but scalars is a reference: clones share the object.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// Nothing: a variable that was never assigned or was deleted, or the result of a function without one.
    #[default]
    Nothing,
    /// `int`, and vertex ids.
    Int(i32),
    /// `uint`.
    Uint(u32),
    /// `int_64`.
    Int64(i64),
    /// `uint_64`.
    Uint64(u64),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
    /// `bool`.
    Bool(bool),
    /// `string`.
    Str(Arc<str>),
    /// `vector`.
    Vector(Vector),
    /// `vertexset`.
    Set(VertexSet),
    /// `edgeset`.
    Graph(Arc<Graph>),
    /// `list`.
    List(List),
    /// `priority_queue`.
    Queue(Queue),
}

impl Value {
    /// The scalar type of this value; `None` for references to objects and for nothing.
    pub fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            Value::Int(_) => Scalar::Int,
            Value::Uint(_) => Scalar::Uint,
            Value::Int64(_) => Scalar::Int64,
            Value::Uint64(_) => Scalar::Uint64,
            Value::Float(_) => Scalar::Float,
            Value::Double(_) => Scalar::Double,
            Value::Bool(_) => Scalar::Bool,
            Value::Str(_) => Scalar::String,
            _ => return None,
        })
    }

    /// Register bits of a number or bool.
    pub fn bits(&self) -> Option<u64> {
        Some(match self {
            Value::Int(v) => v.bits(),
            Value::Uint(v) => v.bits(),
            Value::Int64(v) => v.bits(),
            Value::Uint64(v) => v.bits(),
            Value::Float(v) => v.bits(),
            Value::Double(v) => v.bits(),
            Value::Bool(v) => v.bits(),
            _ => return None,
        })
    }

    /// The value with these register bits; nothing for strings, which are no register values.
    pub fn from_bits(scalar: Scalar, bits: u64) -> Value {
        match scalar {
            Scalar::Int => Value::Int(Register::of(bits)),
            Scalar::Uint => Value::Uint(Register::of(bits)),
            Scalar::Int64 => Value::Int64(Register::of(bits)),
            Scalar::Uint64 => Value::Uint64(bits),
            Scalar::Float => Value::Float(Register::of(bits)),
            Scalar::Double => Value::Double(Register::of(bits)),
            // A bool is a byte; a device leaves the others of a word as they were.
            Scalar::Bool => Value::Bool(bits as u8 != 0),
            Scalar::String => Value::Nothing,
        }
    }

    /// A number or bool as a 64-bit float.
    pub fn as_f64(&self) -> Option<f64> {
        Some(crate::scalar::to_f64(self.scalar()?, self.bits()?))
    }

    /// The value of an `int` or vertex.
    pub fn as_int(&self) -> Option<i32> {
        match self {
            Value::Int(v) => Some(*v),
            _ => None,
        }
    }

    /// The vector.
    pub fn as_vector(&self) -> Option<&Vector> {
        match self {
            Value::Vector(v) => Some(v),
            _ => None,
        }
    }

    /// The vertex set.
    pub fn as_set(&self) -> Option<&VertexSet> {
        match self {
            Value::Set(s) => Some(s),
            _ => None,
        }
    }

    /// The graph.
    pub fn as_graph(&self) -> Option<&Arc<Graph>> {
        match self {
            Value::Graph(g) => Some(g),
            _ => None,
        }
    }

    /// What kind of value this is, in one word of the language.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Nothing => "nothing",
            Value::Vector(_) => "vector",
            Value::Set(_) => "vertexset",
            Value::Graph(_) => "edgeset",
            Value::List(_) => "list",
            Value::Queue(_) => "priority_queue",
            scalar => scalar.scalar().map_or("nothing", Scalar::keyword),
        }
    }

    /// Whether this value can be held by a variable of type `ty`. Lengths per element are not looked at.
    pub fn fits(&self, ty: &Type) -> bool {
        match (self, ty) {
            (Value::Vector(v), Type::Vector { .. }) => {
                let mut levels = 0;
                let mut inner = ty;
                while let Type::Vector { domain, item } = inner {
                    let len = v.dims().get(levels);
                    if len.is_none() || matches!(domain, Domain::Fixed(n) if len != Some(&(*n as usize))) {
                        return false;
                    }
                    levels += 1;
                    inner = item;
                }
                levels == v.dims().len() && inner.scalar() == Some(v.scalar())
            }
            (Value::Set(_), Type::VertexSet(_))
            | (Value::List(_), Type::List(_))
            | (Value::Queue(_), Type::PriorityQueue { .. }) => true,
            (Value::Graph(g), Type::EdgeSet { weight, .. }) => weight.is_none() || g.is_weighted(),
            (Value::Nothing, Type::Void) => true,
            (value, ty) => ty.scalar().is_some() && value.scalar() == ty.scalar(),
        }
    }

    /// A copy that shares nothing that the program could change: vertex sets are copied, all else is as it is.
    pub(crate) fn contents(&self) -> crate::Result<Value> {
        Ok(match self {
            Value::Set(set) => Value::Set(set.copy()?),
            other => other.clone(),
        })
    }

    /// The value with vectors, sets and lists that are shared with nothing else; `None` for a priority queue, of which
    /// the machine that made it keeps a part.
    pub(crate) fn own(&self) -> crate::Result<Option<Value>> {
        Ok(Some(match self {
            Value::Vector(vector) => Value::Vector(vector.copy(vector.len())?),
            Value::Set(set) => Value::Set(set.copy()?),
            Value::List(list) => {
                let entries: Option<Vec<Value>> =
                    list.entries().iter().map(Value::own).collect::<crate::Result<_>>()?;
                let Some(entries) = entries else { return Ok(None) };
                Value::List(List::of(entries.into_iter())?)
            }
            Value::Queue(_) => return Ok(None),
            other => other.clone(),
        }))
    }

    /// Adds the watched vectors that this value leads to.
    pub(crate) fn collect_watched(&self, found: &mut Vec<Vector>) {
        match self {
            Value::Vector(vector) if vector.is_watched() => found.push(vector.clone()),
            Value::List(list) => list.entries().iter().for_each(|entry| entry.collect_watched(found)),
            _ => {}
        }
    }

    /// The text that `print` writes, without the newline; `None` for what cannot be printed.
    pub fn printed(&self) -> Option<String> {
        Some(match self {
            Value::Int(v) => v.to_string(),
            Value::Uint(v) => v.to_string(),
            Value::Int64(v) => v.to_string(),
            Value::Uint64(v) => v.to_string(),
            Value::Float(v) => format_float(f64::from(*v)),
            Value::Double(v) => format_float(*v),
            Value::Bool(v) => u8::from(*v).to_string(),
            Value::Str(text) => text.to_string(),
            _ => return None,
        })
    }
}

macro_rules! from {
    ($($t:ty => $variant:ident),*) => {$(
        impl From<$t> for Value {
            fn from(value: $t) -> Value {
                Value::$variant(value)
            }
        }
    )*};
}

from! {
    i32 => Int, u32 => Uint, i64 => Int64, u64 => Uint64, f32 => Float, f64 => Double, bool => Bool, Vector => Vector,
    VertexSet => Set, Arc<Graph> => Graph, List => List, Queue => Queue
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Str(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing() {
        let printed = |v: Value| v.printed().unwrap_or_default();
        assert_eq!(printed(Value::Bool(true)), "1");
        assert_eq!(printed(Value::Uint(4294967295)), "4294967295");
        assert_eq!(printed(Value::Float(0.1)), "0.1");
        assert_eq!(printed(Value::from("done")), "done");
        assert_eq!(Value::Set(VertexSet::empty()).printed(), None);
    }

    #[test]
    fn fitting() -> crate::Result<()> {
        let fixed = |n, item| Type::Vector { domain: Domain::Fixed(n), item: Box::new(item) };
        let per_node = |item| Type::Vector { domain: Domain::Element("Node".into()), item: Box::new(item) };
        let nested = Value::Vector(Vector::zeros(Scalar::Double, &[7, 3])?);
        assert!(nested.fits(&per_node(fixed(3, Type::Scalar(Scalar::Double)))));
        assert!(!nested.fits(&per_node(fixed(2, Type::Scalar(Scalar::Double)))));
        assert!(!nested.fits(&per_node(Type::Scalar(Scalar::Double))));
        assert!(!nested.fits(&per_node(fixed(3, Type::INT))));
        assert!(Value::Int(3).fits(&Type::Vertex("Node".into())));
        assert!(!Value::Uint(3).fits(&Type::INT));
        Ok(())
    }
}
