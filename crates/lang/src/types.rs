//! Types of the language and the ids that stand for resolved names; the tree that uses them is in `typed/`.

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

/// The scalar types of programs and of GraphIR. Arithmetic on them is C's, with wrap-around for the integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `int`, 32 bits signed.
    Int,
    /// `uint`, 32 bits unsigned.
    Uint,
    /// `int_64`, 64 bits signed.
    Int64,
    /// `uint_64`, 64 bits unsigned.
    Uint64,
    /// `float`, 32 bits IEEE.
    Float,
    /// `double`, 64 bits IEEE.
    Double,
    /// `bool`, one byte, 0 or 1.
    Bool,
    /// `string`, host only.
    String,
}

impl Scalar {
    /// All scalars, for tables and tests.
    pub const ALL: [Scalar; 8] = [
        Scalar::Int,
        Scalar::Uint,
        Scalar::Int64,
        Scalar::Uint64,
        Scalar::Float,
        Scalar::Double,
        Scalar::Bool,
        Scalar::String,
    ];

    /// The spelling in programs and in the text form of GraphIR.
    pub fn keyword(self) -> &'static str {
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

    /// The scalar written `keyword`.
    pub fn from_keyword(keyword: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.keyword() == keyword)
    }

    /// Integers and floating-point numbers, not bool and string.
    pub fn is_numeric(self) -> bool {
        !matches!(self, Scalar::Bool | Scalar::String)
    }

    /// `int`, `uint`, `int_64` or `uint_64`.
    pub fn is_whole(self) -> bool {
        self.is_numeric() && !self.is_float()
    }

    /// `int` or `int_64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Int | Scalar::Int64)
    }

    /// `float` or `double`.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
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
        f.write_str(self.keyword())
    }
}

/// What a vector is indexed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// One entry per vertex of the element.
    Element(ElemId),
    /// A fixed number of entries.
    Fixed(u32),
    /// As many entries as a global variable of whole numbers says when the vector is made.
    Counted(GlobalId),
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
    /// A vector of scalars, vertex ids, or rows of those.
    Vector {
        /// Element, or length.
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

    /// [`Type::repr`], unless it is a string: what can take part in arithmetic, where `bool` counts as `int`.
    pub fn numeric(&self) -> Option<Scalar> {
        self.repr().filter(|scalar| *scalar != Scalar::String)
    }

    /// The type at the bottom of a (nested) vector; the type itself otherwise.
    pub fn leaf(&self) -> &Type {
        match self {
            Type::Vector { item, .. } => item.leaf(),
            other => other,
        }
    }
}
