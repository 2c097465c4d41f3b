//! Results as validators see them: global vectors and scalars of a finished run, by name.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// The results of a run. Machines implement this for what they return; [`ResultMap`] serves everything else.
pub trait Results {
    /// The global vector of this name; the rows of a nested vector one after another.
    fn vector(&self, name: &str) -> Option<Values<'_>>;
    /// The global scalar of this name.
    fn scalar(&self, name: &str) -> Option<Number>;
}

/// The entries of a vector.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// `int` and vertex ids.
    Int(Cow<'a, [i32]>),
    /// `uint`.
    Uint(Cow<'a, [u32]>),
    /// `int_64`.
    Int64(Cow<'a, [i64]>),
    /// `uint_64`.
    Uint64(Cow<'a, [u64]>),
    /// `float`.
    Float(Cow<'a, [f32]>),
    /// `double`.
    Double(Cow<'a, [f64]>),
    /// `bool`.
    Bool(Cow<'a, [bool]>),
}

impl Values<'_> {
    /// The type's name in the language.
    pub fn type_name(&self) -> &'static str {
        match self {
            Values::Int(_) => "int",
            Values::Uint(_) => "uint",
            Values::Int64(_) => "int_64",
            Values::Uint64(_) => "uint_64",
            Values::Float(_) => "float",
            Values::Double(_) => "double",
            Values::Bool(_) => "bool",
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        match self {
            Values::Int(v) => v.len(),
            Values::Uint(v) => v.len(),
            Values::Int64(v) => v.len(),
            Values::Uint64(v) => v.len(),
            Values::Float(v) => v.len(),
            Values::Double(v) => v.len(),
            Values::Bool(v) => v.len(),
        }
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! values_from {
    ($($t:ty => $variant:ident),*) => {$(
        impl From<Vec<$t>> for Values<'_> {
            fn from(entries: Vec<$t>) -> Self {
                Values::$variant(Cow::Owned(entries))
            }
        }
        impl<'a> From<&'a [$t]> for Values<'a> {
            fn from(entries: &'a [$t]) -> Self {
                Values::$variant(Cow::Borrowed(entries))
            }
        }
    )*};
}

values_from! { i32 => Int, u32 => Uint, i64 => Int64, u64 => Uint64, f32 => Float, f64 => Double, bool => Bool }

/// A scalar result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Any of the integer types, and `bool` as 0 or 1.
    Integer(i128),
    /// `float` or `double`.
    Real(f64),
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Number::Integer(value.into())
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Number::Integer(value.into())
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Number::Integer(value.into())
    }
}

impl From<bool> for Number {
    fn from(value: bool) -> Self {
        Number::Integer(value.into())
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number::Real(value)
    }
}

/// Results put together by hand.
///
/// ```
/// use gw_programs::{ResultMap, Results, Number};
/// let results = ResultMap::new().with_vector("level", vec![0, 1, 1]).with_scalar("depth", 1);
/// assert_eq!(results.scalar("depth"), Some(Number::Integer(1)));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultMap {
    vectors: BTreeMap<String, Values<'static>>,
    scalars: BTreeMap<String, Number>,
}

impl ResultMap {
    /// No results yet.
    pub fn new() -> Self {
        ResultMap::default()
    }

    /// With this vector, replacing one of the same name.
    #[must_use]
    pub fn with_vector(mut self, name: &str, values: impl Into<Values<'static>>) -> Self {
        self.vectors.insert(name.into(), values.into());
        self
    }

    /// With this scalar, replacing one of the same name.
    #[must_use]
    pub fn with_scalar(mut self, name: &str, value: impl Into<Number>) -> Self {
        self.scalars.insert(name.into(), value.into());
        self
    }
}

impl Results for ResultMap {
    fn vector(&self, name: &str) -> Option<Values<'_>> {
        self.vectors.get(name).cloned()
    }

    fn scalar(&self, name: &str) -> Option<Number> {
        self.scalars.get(name).copied()
    }
}
