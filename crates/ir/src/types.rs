//! The types of GraphIR values.

use crate::source::Name;
use std::fmt;

pub use gw_lang::types::Scalar;

/// What a vector is indexed by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Domain {
    /// One entry per element of this kind: `vector{Node}(int)`.
    Element(Name),
    /// A fixed number of entries: `vector[3](int)`.
    Fixed(u32),
    /// As many entries as this global variable says when the vector is made: `vector[length](int)`.
    Counted(Name),
}

/// The type of a value, variable or expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value: the type of effects such as `EnqueueVertex` and of functions without result.
    Void,
    /// A machine scalar.
    Scalar(Scalar),
    /// A vertex id of this element kind: represented as, and interchangeable with, `int`.
    Vertex(Name),
    /// A set of vertices.
    VertexSet(Name),
    /// A directed graph with its in- and out-adjacency.
    EdgeSet {
        /// Edge element.
        edge: Name,
        /// Source vertex element.
        source: Name,
        /// Destination vertex element.
        target: Name,
        /// Weight type, when weighted.
        weight: Option<Scalar>,
    },
    /// A vector; assignment copies the reference.
    Vector {
        /// What indexes it.
        domain: Domain,
        /// Entry type: a scalar, a vertex or a vector of those.
        item: Box<Type>,
    },
    /// A last-in first-out list.
    List(Box<Type>),
    /// A bucketed priority queue over vertices.
    PriorityQueue {
        /// Vertex element.
        element: Name,
        /// Type of the priorities.
        priority: Scalar,
    },
}

impl Type {
    /// `int`.
    pub const INT: Type = Type::Scalar(Scalar::Int);
    /// `bool`.
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `string`.
    pub const STRING: Type = Type::Scalar(Scalar::String);

    /// The scalar with which a value of this type is represented: scalars themselves, `int` for vertices.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) => Some(*s),
            Type::Vertex(_) => Some(Scalar::Int),
            _ => None,
        }
    }

    /// Whether values of the two types are stored alike: equal types, or vertex ids and `int`.
    pub fn same_representation(&self, other: &Type) -> bool {
        self == other || (self.scalar().is_some() && self.scalar() == other.scalar())
    }

    /// The type of a sum of two values of this type: a vertex id plus something is an `int`.
    pub fn arithmetic(&self) -> Type {
        self.scalar().map_or(Type::Void, Type::Scalar)
    }

    /// The type at the bottom of (nested) vectors; the type itself otherwise.
    pub fn leaf(&self) -> &Type {
        match self {
            Type::Vector { item, .. } => item.leaf(),
            other => other,
        }
    }

    /// Numbers and vertex ids: what arithmetic and ordering accept.
    pub fn is_numeric(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_numeric)
    }

    /// True for `bool`.
    pub fn is_bool(&self) -> bool {
        *self == Type::BOOL
    }

    /// The entry type of a vector.
    pub fn item(&self) -> Option<&Type> {
        match self {
            Type::Vector { item, .. } => Some(item),
            _ => None,
        }
    }

    /// The weight type of a weighted edgeset.
    pub fn weight(&self) -> Option<Scalar> {
        match self {
            Type::EdgeSet { weight, .. } => *weight,
            _ => None,
        }
    }

    /// Whether the length of a vector, or of its rows, is the value of a global.
    pub fn is_counted(&self) -> bool {
        match self {
            Type::Vector { domain, item } => matches!(domain, Domain::Counted(_)) || item.is_counted(),
            _ => false,
        }
    }

    /// Vectors, sets, graphs, lists and queues: assignment and parameter passing share the object.
    pub fn is_reference(&self) -> bool {
        !matches!(self, Type::Void | Type::Scalar(_) | Type::Vertex(_))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => write!(f, "void"),
            Type::Scalar(s) => write!(f, "{}", s.keyword()),
            Type::Vertex(e) => write!(f, "{e}"),
            Type::VertexSet(e) => write!(f, "vertexset{{{e}}}"),
            Type::EdgeSet { edge, source, target, weight } => {
                write!(f, "edgeset{{{edge}}}({source}, {target}")?;
                if let Some(w) = weight {
                    write!(f, ", {}", w.keyword())?;
                }
                write!(f, ")")
            }
            Type::Vector { domain: Domain::Element(e), item } => write!(f, "vector{{{e}}}({item})"),
            Type::Vector { domain: Domain::Fixed(n), item } => write!(f, "vector[{n}]({item})"),
            Type::Vector { domain: Domain::Counted(n), item } => write!(f, "vector[{n}]({item})"),
            Type::List(item) => write!(f, "list{{{item}}}"),
            Type::PriorityQueue { element, priority } => {
                write!(f, "priority_queue{{{element}}}({})", priority.keyword())
            }
        }
    }
}
