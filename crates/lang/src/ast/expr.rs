//! Expressions as written: literals, names, calls, methods and the constructors behind `new`.

use super::operators::{BinaryOp, UnaryOp, WordOp};
use super::types::{Ident, TypeExpr};
use crate::source::Span;
use crate::types::Scalar;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which expression.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Integer literal.
    Int(i64),
    /// Integer literal beyond the greatest signed 64-bit number.
    Large(u64),
    /// Floating literal.
    Float(f64),
    /// `true` / `false`.
    Bool(bool),
    /// String literal, escapes resolved.
    Str(String),
    /// A name.
    Name(String),
    /// Unary operator.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// Binary operator.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// Binary operator on the bits of whole numbers, or `mod`.
    Word {
        /// The operator.
        op: WordOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `base[index]`.
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `f(args)` or `f[captures](args)`.
    Call {
        /// The function, with captures.
        callee: FuncRef,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `receiver.name(args)` with an ordinary method name.
    Method {
        /// The receiver.
        receiver: Box<Expr>,
        /// The method.
        name: Ident,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `receiver.name` without parentheses: a field of a tuple.
    Field {
        /// The receiver.
        receiver: Box<Expr>,
        /// The field.
        name: Ident,
    },
    /// `receiver.from(f)` and the other keyword methods that take a function.
    Operator {
        /// The receiver.
        receiver: Box<Expr>,
        /// Which keyword method.
        op: OperatorKind,
        /// Place of the keyword.
        op_span: Span,
        /// The function or vertexset named.
        func: FuncRef,
        /// The tracked vector of `applyModified`.
        tracked: Option<Ident>,
        /// The field behind it, where it is a vector of tuples.
        tracked_field: Option<Box<Ident>>,
        /// Third argument of `applyModified`: true disables deduplication.
        disable_dedup: Option<bool>,
    },
    /// `receiver.groupBy(key).count().best(g, target)` and the other chains over grouped neighbours.
    Groups(Box<Groups>),
    /// `load(path)`, `load(path, weight)`.
    Load {
        /// The text that names what is read.
        path: Box<Expr>,
        /// The weight of the edges of a graph without weights.
        weight: Option<Box<Expr>>,
    },
    /// `intersection(a, b, na, nb [, limit])`.
    Intersection(Vec<Expr>),
    /// `intersectNeighbor(edges, u, v)`.
    IntersectNeighbor(Vec<Expr>),
    /// `new vertexset{E}(size)`.
    NewVertexSet {
        /// The element.
        elem: Ident,
        /// Number of vertices; absent means 0.
        size: Option<Box<Expr>>,
    },
    /// `new edgeset{Ed}(V,V[,W])(sources, targets[, weights])`.
    NewEdgeSet {
        /// The type of the graph.
        ty: TypeExpr,
        /// The vectors that list its edges.
        vectors: Vec<Expr>,
    },
    /// `new list{T}(size)`.
    NewList {
        /// Entry type.
        item: TypeExpr,
        /// Accepted and without meaning.
        size: Option<Box<Expr>>,
    },
    /// `new vector{E}(T)()`.
    NewVector(TypeExpr),
    /// `new priority_queue{E}(T)(...)`.
    NewPriorityQueue(Box<NewPriorityQueue>),
    /// Something the parser already complained about.
    Error,
}

/// A chain over grouped neighbours: the edges, the key, how values of a group are combined, and what is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The edgeset, with its filters.
    pub receiver: Expr,
    /// The function or vector that gives the key.
    pub key: FuncRef,
    /// `count`, `sum`, `min` or `max`.
    pub combine: Ident,
    /// What is combined.
    pub values: Vec<FuncRef>,
    /// `best`, `each`, `groups` or `leastAbsent`.
    pub choice: Ident,
    /// The functions and vectors of the choice.
    pub args: Vec<FuncRef>,
}

/// The constructor arguments of a priority queue, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPriorityQueue {
    /// Element whose vertices are queued.
    pub elem: Ident,
    /// Priority type.
    pub priority: Scalar,
    /// May a vertex appear twice in a bucket.
    pub dup_within: bool,
    /// May a vertex be in several buckets.
    pub dup_across: bool,
    /// The vector that holds the priorities.
    pub vector: Ident,
    /// 1 = smallest first, 0 = largest first.
    pub bucket_order: i64,
    /// 0 decreasing, 1 increasing, 2 "lower first".
    pub priority_order: i64,
    /// Place of the two orders, for messages.
    pub order_span: Span,
    /// All vertices queued from the start.
    pub all_queued: bool,
    /// Start vertex or -1.
    pub start: Expr,
}

/// A function named in an operator or call, with the values of its captures.
#[derive(Clone, Debug, PartialEq)]
pub struct FuncRef {
    /// The name.
    pub name: Ident,
    /// Capture values, `f[a, b]`; `None` without brackets.
    pub captures: Option<Vec<Expr>>,
    /// Name and captures together.
    pub span: Span,
}

/// Keyword methods whose argument is a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperatorKind {
    /// `from` / `srcFilter`.
    From,
    /// `to` / `dstFilter`.
    To,
    /// `apply`.
    Apply,
    /// `applyModified`.
    ApplyModified,
    /// `applyUpdatePriority`.
    ApplyUpdatePriority,
    /// `applyUpdatePriorityExtern`.
    ApplyUpdatePriorityExtern,
    /// `filter` / `where`.
    Filter,
}

impl OperatorKind {
    /// The spelling used in messages and dumps.
    pub fn name(self) -> &'static str {
        match self {
            OperatorKind::From => "from",
            OperatorKind::To => "to",
            OperatorKind::Apply => "apply",
            OperatorKind::ApplyModified => "applyModified",
            OperatorKind::ApplyUpdatePriority => "applyUpdatePriority",
            OperatorKind::ApplyUpdatePriorityExtern => "applyUpdatePriorityExtern",
            OperatorKind::Filter => "filter",
        }
    }
}
