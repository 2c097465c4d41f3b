//! The globals of a finished run as results for validators.

use gw_exec::{Globals, Scalar, Value, Vector};

use crate::results::{Number, Results, Values};

impl Results for Globals {
    fn vector(&self, name: &str) -> Option<Values<'_>> {
        Values::of(Globals::vector(self, name)?)
    }

    fn scalar(&self, name: &str) -> Option<Number> {
        Some(match *self.get(name)? {
            Value::Int(v) => Number::Integer(v.into()),
            Value::Uint(v) => Number::Integer(v.into()),
            Value::Int64(v) => Number::Integer(v.into()),
            Value::Uint64(v) => Number::Integer(v.into()),
            Value::Bool(v) => Number::Integer(v.into()),
            Value::Float(v) => Number::Real(v.into()),
            Value::Double(v) => Number::Real(v),
            _ => return None,
        })
    }
}

impl Values<'static> {
    /// The entries of a vector of a finished run; `None` for strings.
    pub fn of(vector: &Vector) -> Option<Values<'static>> {
        Some(match vector.scalar() {
            Scalar::Int => vector.to_vec::<i32>()?.into(),
            Scalar::Uint => vector.to_vec::<u32>()?.into(),
            Scalar::Int64 => vector.to_vec::<i64>()?.into(),
            Scalar::Uint64 => vector.to_vec::<u64>()?.into(),
            Scalar::Float => vector.to_vec::<f32>()?.into(),
            Scalar::Double => vector.to_vec::<f64>()?.into(),
            Scalar::Bool => vector.to_vec::<bool>()?.into(),
            Scalar::String => return None,
        })
    }
}
