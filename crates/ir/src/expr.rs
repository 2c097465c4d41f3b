//! Expressions: typed, resolved and explicit.

use crate::builtin::Builtin;
use crate::groups::NeighbourGroups;
use crate::meta::{Access, EnqueueMeta, IntersectionMeta, QueueMeta, UpdateMeta};
use crate::operator::Operator;
use crate::source::Name;
use crate::types::{Scalar, Type};

pub use gw_lang::typed::{BinaryOp, ReduceOp};

/// An expression and its type.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type: derived from the children, checked by the validator.
    pub ty: Type,
}

/// The kinds of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// Whole number; the type is `int`, `uint` or `uint_64`.
    Int(i64),
    /// Finite floating-point number; the type is `float` or `double`.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A text.
    Str(Name),
    /// A local, parameter, capture, result or global.
    Var(Name),
    /// `vector[index]`, as a value or as a place to write.
    Element {
        /// The vector: a variable, or again an element of a nested vector.
        vector: Box<Expr>,
        /// A vertex or an `int`.
        index: Box<Expr>,
        /// Result of the sharing analysis.
        access: Option<Access>,
    },
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands of the same representation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// C conversion of a scalar to the type of this expression. None stands between a vertex and an `int`.
    Convert(Box<Expr>),
    /// Call of a user or extern function.
    Call {
        /// The function and its captured values.
        function: FunctionRef,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// Built-in operation.
    Builtin(Builtin, Vec<Expr>),
    /// `place op= value`; its value is `true` iff the stored value changed (`Sum` always counts as a change).
    Reduce {
        /// The reduction.
        op: ReduceOp,
        /// Variable or vector element.
        target: Box<Expr>,
        /// Operand, of the type of the place.
        value: Box<Expr>,
        /// Atomicity.
        meta: UpdateMeta,
    },
    /// If the place holds `expect`, store `value`; its value is `true` iff it did.
    CompareAndSwap {
        /// Vector element.
        target: Box<Expr>,
        /// Expected value.
        expect: Box<Expr>,
        /// New value.
        value: Box<Expr>,
        /// Atomicity.
        meta: UpdateMeta,
    },
    /// A priority change inside an edge function; its value is `true` iff the priority changed.
    PriorityUpdate {
        /// Which update.
        op: PriorityOp,
        /// The queue.
        queue: Box<Expr>,
        /// The vertex.
        vertex: Box<Expr>,
        /// `Min`/`Max`: the priority that was read, if the program passes it. `Sum`: the floor (or ceiling).
        bound: Option<Box<Expr>>,
        /// `Min`/`Max`: the new priority. `Sum`: the difference, which may be an `int` for unsigned priorities.
        value: Box<Expr>,
        /// Atomicity and laziness.
        meta: UpdateMeta,
    },
    /// Adds a vertex to the output set of an operator; only inside functions. Type `void`.
    EnqueueVertex {
        /// The output set: a vertexset parameter of the function.
        set: Name,
        /// The vertex.
        vertex: Box<Expr>,
        /// Format and deduplication.
        meta: EnqueueMeta,
    },
    /// Number of common ids of two sorted sets: `Intersection(A, B, na, nb[, limit])`.
    Intersection {
        /// The operands as in the language: two sets, two sizes, optional limit.
        args: Vec<Expr>,
        /// Algorithm.
        meta: IntersectionMeta,
    },
    /// `IntersectNeighbor(graph, u, v)`: common out-neighbours not above `v`.
    IntersectNeighbor {
        /// Graph and two vertices.
        args: Vec<Expr>,
        /// Algorithm.
        meta: IntersectionMeta,
    },
    /// The groups of the neighbours of a vertex, and what is chosen among them: an `int`, see [`NeighbourGroups`]. It
    /// is the first value of the first variable of a function over vertices, and nowhere else.
    Groups(Box<NeighbourGroups>),
    /// A new vertex set of the type of this expression: empty for size 0, all vertices for size |E|.
    VertexSetAlloc(Box<Expr>),
    /// All vertices of the element of this vertexset type, never materialised. With a count, assigning it to a universe
    /// global says that |E| is that count; without one it means all |E| vertices there are.
    Universe(Option<Box<Expr>>),
    /// A new zero-filled vector of the type of this expression.
    VectorAlloc,
    /// A new vector of the type of this expression with every (leaf) entry set to this scalar.
    VectorFill(Box<Expr>),
    /// A new fixed vector with these entries.
    VectorLiteral(Vec<Expr>),
    /// A new empty list of the type of this expression.
    ListAlloc,
    /// A new priority queue.
    PriorityQueueAlloc(Box<PriorityQueueAlloc>),
    /// Reads a graph of the type of this expression from the named file.
    EdgeSetLoad(Box<Expr>),
    /// A new vector of the type of this expression, over the vertices of a graph, with the values that the text gives.
    VectorLoad(Box<Expr>),
    /// A new vector of the type of this expression, over the edges or the vertices of a graph, with the values of a
    /// column of its table: the graph, the name of the column, and what stands for a missing value.
    Column(Vec<Expr>),
    /// A parallel operator. Only allowed as the whole right-hand side of a declaration or assignment, or as a whole
    /// statement.
    Operator(Box<Operator>),
}

/// A function with the values of its captures.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionRef {
    /// Function name.
    pub name: Name,
    /// One value per capture.
    pub captures: Vec<Expr>,
}

impl FunctionRef {
    /// A function without captures.
    pub fn plain(name: impl Into<Name>) -> FunctionRef {
        FunctionRef { name: name.into(), captures: Vec::new() }
    }
}

/// Arguments of a new priority queue.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorityQueueAlloc {
    /// A vertex may be several times in one bucket.
    pub duplicates_within: bool,
    /// A vertex may be in several buckets.
    pub duplicates_across: bool,
    /// The vector whose entries are the priorities.
    pub vector: Name,
    /// Smallest bucket first.
    pub increasing: bool,
    /// Direction in which priorities change, as written in the program (informational).
    pub priority_order: i64,
    /// Every vertex is queued from the start.
    pub all_vertices: bool,
    /// Start vertex or -1, an `int`.
    pub start: Expr,
    /// Kind, bucket width and sizes.
    pub meta: QueueMeta,
}

/// Unary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x` on numbers.
    Neg,
    /// `not x` on bools.
    Not,
}

/// Priority updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PriorityOp {
    /// Lower to the new value.
    Min,
    /// Raise to the new value.
    Max,
    /// Add, not below the floor.
    Sum,
}

impl Expr {
    /// An expression of a given type.
    pub fn new(kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty }
    }

    /// An `int` literal.
    pub fn int(value: i64) -> Expr {
        Expr::new(ExprKind::Int(value), Type::INT)
    }

    /// A `bool` literal.
    pub fn bool(value: bool) -> Expr {
        Expr::new(ExprKind::Bool(value), Type::BOOL)
    }

    /// A variable.
    pub fn var(name: impl Into<Name>, ty: Type) -> Expr {
        Expr::new(ExprKind::Var(name.into()), ty)
    }

    /// `vector[index]`; the vector's entry type becomes the type (`void` if it is no vector, which the validator
    /// rejects).
    pub fn element(vector: Expr, index: Expr) -> Expr {
        let ty = vector.ty.item().cloned().unwrap_or(Type::Void);
        Expr::new(ExprKind::Element { vector: Box::new(vector), index: Box::new(index), access: None }, ty)
    }

    /// `lhs op rhs`.
    pub fn binary(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
        let ty = if op.is_arithmetic() { lhs.ty.arithmetic() } else { Type::BOOL };
        Expr::new(ExprKind::Binary(op, Box::new(lhs), Box::new(rhs)), ty)
    }

    /// `not operand`.
    pub fn negated(operand: Expr) -> Expr {
        Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), Type::BOOL)
    }

    /// This expression as `ty`: unchanged when it has that representation, a literal when it is one and nothing is
    /// lost.
    pub fn convert(self, ty: Type) -> Expr {
        if self.ty.same_representation(&ty) {
            return self;
        }
        match (&self.kind, &ty) {
            (ExprKind::Int(v), Type::Scalar(Scalar::Int)) if i32::try_from(*v).is_ok() => Expr::new(self.kind, ty),
            (ExprKind::Int(v), Type::Scalar(Scalar::Uint)) if u32::try_from(*v).is_ok() => Expr::new(self.kind, ty),
            (ExprKind::Int(_), Type::Scalar(Scalar::Int64)) => Expr::new(self.kind, ty),
            (ExprKind::Int(v), Type::Scalar(Scalar::Uint64)) if *v >= 0 => Expr::new(self.kind, ty),
            (ExprKind::Int(v), Type::Scalar(Scalar::Double)) if v.unsigned_abs() < 1 << 53 => {
                Expr::new(ExprKind::Float(*v as f64), ty)
            }
            (ExprKind::Int(v), Type::Scalar(Scalar::Float)) if v.unsigned_abs() < 1 << 24 => {
                Expr::new(ExprKind::Float(*v as f64), ty)
            }
            (ExprKind::Float(_), Type::Scalar(Scalar::Float | Scalar::Double)) if self.ty.is_numeric() => {
                Expr::new(self.kind, ty)
            }
            _ => Expr::new(ExprKind::Convert(Box::new(self)), ty),
        }
    }

    /// The name, when this is a plain variable.
    pub fn as_var(&self) -> Option<&Name> {
        match &self.kind {
            ExprKind::Var(name) => Some(name),
            _ => None,
        }
    }

    /// A variable or a vector element: something that can be written.
    pub fn is_place(&self) -> bool {
        matches!(self.kind, ExprKind::Var(_) | ExprKind::Element { .. })
    }

    /// The variable at the root of a place: `x` of `x`, `x[i]` and `x[i][j]`.
    pub fn place_root(&self) -> Option<&Name> {
        match &self.kind {
            ExprKind::Var(name) => Some(name),
            ExprKind::Element { vector, .. } => vector.place_root(),
            _ => None,
        }
    }
}
