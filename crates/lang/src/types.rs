//! Types of the language and the ids that stand for resolved names; the tree that uses them is in `typed.rs`.

use std::fmt;

/// An element kind, index into [`TypedProgram::elements`](crate::typed::TypedProgram::elements).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElemId(pub u32);

/// A global variable, index into [`TypedProgram::globals`](crate::typed::TypedProgram::globals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// A function, index into [`TypedProgram::functions`](crate::typed::TypedProgram::functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

/// A local of one function (capture, parameter, result, variable), index into
/// [`Function::locals`](crate::typed::Function::locals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// The scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `int`, 32 bits signed.
    Int,
    /// `uint`, 32 bits unsigned.
    Uint,
    /// `int_64`, 64 bits signed.
    Int64,
    /// `uint_64`, 64 bits unsigned.
    Uint64,
    /// `float`, 32 bits.
    Float,
    /// `double`, 64 bits.
    Double,
    /// `bool`, one byte.
    Bool,
    /// `string`, host only.
    String,
}

impl Scalar {
    /// The spelling in source text.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Int => "int",
            Scalar::Uint => "uint",
            Scalar::Int64 => "int_64",
            Scalar::Uint64 => "uint_64",
            Scalar::Float => "float",
            Scalar::Double => "double",
            Scalar::Bool => "bool",
            Scalar::String => "string",
        }
    }

    /// Everything but strings: can take part in arithmetic.
    pub fn is_numeric(self) -> bool {
        self != Scalar::String
    }

    /// `float` or `double`.
    pub fn is_floating(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }

    /// `int`, `uint`, `int_64`, `uint_64` or `bool`.
    pub fn is_integral(self) -> bool {
        self.is_numeric() && !self.is_floating()
    }

    /// The type C arithmetic on the two operands is done in; `bool` counts as `int`.
    ///
    /// ```
    /// use gw_lang::Scalar;
    /// assert_eq!(Scalar::Int.common(Scalar::Float), Some(Scalar::Float));
    /// assert_eq!(Scalar::Int.common(Scalar::Uint), Some(Scalar::Uint));
    /// assert_eq!(Scalar::Int64.common(Scalar::Uint), Some(Scalar::Int64));
    /// assert_eq!(Scalar::Bool.common(Scalar::Bool), Some(Scalar::Int));
    /// assert_eq!(Scalar::String.common(Scalar::Int), None);
    /// ```
    pub fn common(self, other: Scalar) -> Option<Scalar> {
        use Scalar::*;
        if self == String || other == String {
            return None;
        }
        // Ordered by C's usual arithmetic conversions.
        for candidate in [Double, Float, Uint64, Int64, Uint] {
            if self == candidate || other == candidate {
                return Some(candidate);
            }
        }
        Some(Int)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a vector is indexed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// One entry per vertex of the element.
    Element(ElemId),
    /// A fixed number of entries.
    Fixed(u32),
}

/// The type of an edgeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EdgeSetType {
    /// Edge element.
    pub edge: ElemId,
    /// Source element.
    pub src: ElemId,
    /// Destination element.
    pub dst: ElemId,
    /// Weight type; `None` for an unweighted graph.
    pub weight: Option<Scalar>,
}

/// A resolved type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value: statements-only calls.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// A vertex id; represented as and interchangeable with `int`.
    Element(ElemId),
    /// A set of vertices.
    VertexSet(ElemId),
    /// A graph.
    EdgeSet(EdgeSetType),
    /// A vector of scalars, vertex ids, or fixed-size vectors of those.
    Vector {
        /// Element or fixed length.
        index: IndexKind,
        /// Type of one entry.
        item: Box<Type>,
    },
    /// A last-in first-out list of scalars or vertexsets.
    List(Box<Type>),
    /// A priority queue over the vertices of an element.
    PriorityQueue {
        /// Element whose vertices are queued.
        elem: ElemId,
        /// Priority type.
        priority: Scalar,
    },
}

impl Type {
    /// `int`.
    pub const INT: Type = Type::Scalar(Scalar::Int);
    /// `bool`.
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `double`.
    pub const DOUBLE: Type = Type::Scalar(Scalar::Double);
    /// `float`.
    pub const FLOAT: Type = Type::Scalar(Scalar::Float);
    /// `string`.
    pub const STRING: Type = Type::Scalar(Scalar::String);

    /// The scalar that represents a value of this type: itself for scalars, `int` for vertex ids.
    pub fn repr(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Element(_) => Some(Scalar::Int),
            _ => None,
        }
    }

    /// [`Type::repr`], unless it is a string.
    pub fn numeric(&self) -> Option<Scalar> {
        self.repr().filter(|scalar| scalar.is_numeric())
    }

    /// The type at the bottom of a (nested) vector; the type itself otherwise.
    pub fn leaf(&self) -> &Type {
        match self {
            Type::Vector { item, .. } => item.leaf(),
            other => other,
        }
    }
}
