//! Types as written, and the names in them.

use crate::source::Span;
use crate::types::Scalar;

/// A name as written, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// Which type.
    pub kind: TypeExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The shapes of written types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// `int`, `double`, `string`, ...
    Scalar(Scalar),
    /// An element name.
    Named(Ident),
    /// `vertexset{E}`.
    VertexSet(Ident),
    /// `edgeset{Ed}(S,D[,W])`.
    EdgeSet {
        /// Edge element.
        edge: Ident,
        /// Source element.
        src: Ident,
        /// Destination element.
        dst: Ident,
        /// Edge-weight type.
        weight: Option<Scalar>,
    },
    /// `vector{E}(T)` or `vector[k](T)`.
    Vector {
        /// Element or fixed length.
        index: VectorIndex,
        /// Type of one entry.
        item: Box<TypeExpr>,
    },
    /// `list{T}`.
    List(Box<TypeExpr>),
    /// `priority_queue{E}(T)`.
    PriorityQueue {
        /// Element whose vertices are queued.
        elem: Ident,
        /// Priority type.
        priority: Scalar,
    },
    /// Something the parser already complained about.
    Error,
}

/// What a vector is indexed by, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorIndex {
    /// One entry per element of this name.
    Element(Ident),
    /// A fixed number of entries.
    Fixed(i64),
    /// As many entries as a constant or a global variable of this name says.
    Named(Ident),
}
