//! Expressions of the typed program: values, calls and operators, with the places that statements assign to.

use crate::ast::BinaryOp;
use crate::builtin::Builtin;
use crate::source::Span;
use crate::types::{EdgeSetType, ElemId, FuncId, GlobalId, LocalId, Scalar, Type};

/// A resolved variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Var {
    /// A global.
    Global(GlobalId),
    /// A local of the enclosing function.
    Local(LocalId),
}

/// Something assignable: a variable, or an entry of a vector variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub var: Var,
    /// No index for the variable itself, one for a vector entry, two for an entry of a nested vector.
    pub indices: Vec<Expr>,
    /// Type of the place.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which expression.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Integer literal, value already fitting the node's integral type (wrapped for `int`).
    Int(i64),
    /// Floating literal.
    Float(f64),
    /// Truth value.
    Bool(bool),
    /// String literal.
    Str(String),
    /// A variable's value.
    Var(Var),
    /// `argv[i]`, a string.
    Argv(Box<Expr>),
    /// Numeric conversion to the node's type, as C does it.
    Convert(Box<Expr>),
    /// Entry of a vector.
    Index {
        /// A vector-typed expression.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `-x`.
    Neg(Box<Expr>),
    /// `not x`.
    Not(Box<Expr>),
    /// Binary operator.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// Call of a function of the program (possibly extern).
    Call {
        /// The function and its captures.
        func: FuncUse,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// A built-in; the receiver of a method is the first argument.
    Builtin {
        /// Which one.
        builtin: Builtin,
        /// Receiver and arguments.
        args: Vec<Expr>,
    },
    /// An edge operator; a vertexset when it yields one, void otherwise.
    EdgeApply(Box<EdgeApply>),
    /// A choice among the groups of neighbours; a vertexset when it assigns, void otherwise.
    Groups(Box<GroupApply>),
    /// `set.apply(f)`, void.
    VertexApply {
        /// The set.
        set: Box<Expr>,
        /// The vertex function.
        func: FuncUse,
    },
    /// `set.filter(f)`, a vertexset.
    VertexFilter {
        /// The set.
        set: Box<Expr>,
        /// The predicate.
        func: FuncUse,
    },
    /// `set.applyUpdatePriorityExtern(g)`, void.
    VertexApplyExtern {
        /// The set.
        set: Box<Expr>,
        /// The extern function vertexset -> vertexset.
        func: FuncUse,
    },
    /// `load(path)`, `load(path, weight)`: an edgeset, or a vector over vertices.
    Load {
        /// The text that names what is read.
        path: Box<Expr>,
        /// The weight of the edges of a graph without weights, of the type of the edgeset's weights.
        weight: Option<Box<Expr>>,
    },
    /// A fresh vertexset: empty for size 0, all vertices for size |V|; other sizes are a run-time error.
    NewVertexSet {
        /// The element.
        elem: ElemId,
        /// The size.
        size: Box<Expr>,
    },
    /// A fresh empty list.
    NewList,
    /// A fresh zero-filled vector.
    NewVector,
    /// A fresh priority queue.
    NewPriorityQueue(Box<NewPriorityQueue>),
}

/// An operator over edges.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeApply {
    /// The graph, edgeset-typed.
    pub graph: Expr,
    /// Its type.
    pub graph_type: EdgeSetType,
    /// Restriction of the sources.
    pub from: Option<Filter>,
    /// Restriction of the destinations.
    pub to: Option<Filter>,
    /// What kind of apply.
    pub kind: ApplyKind,
    /// The edge function, `(src, dst)` or `(src, dst, weight)`.
    pub func: FuncUse,
    /// True if the function takes the weight.
    pub weighted: bool,
}

/// An operator over the groups of neighbours of every vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupApply {
    /// The graph, a global edgeset.
    pub graph: Expr,
    /// Its type.
    pub graph_type: EdgeSetType,
    /// The vertices whose neighbours are grouped.
    pub from: Option<Filter>,
    /// The neighbours that take part: those for which the function is true.
    pub to: Option<FuncUse>,
    /// The key of an edge, a number; negative keys leave the edge out.
    pub key: EdgeValue,
    /// How the values of a group become one.
    pub combine: Combine,
    /// The value of an edge; `None` counts edges.
    pub value: Option<EdgeValue>,
    /// What is made of the groups.
    pub choice: GroupChoice,
}

/// A number of an edge from a vertex to its neighbour.
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeValue {
    /// The entry of the neighbour in a vector over vertices.
    Vector(Expr),
    /// The weight of the edge.
    Weight,
    /// A function `(v, n)` or `(v, n, weight)`.
    Func {
        /// The function.
        func: FuncUse,
        /// True if the function takes the weight.
        weighted: bool,
    },
}

/// How the values of a group become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    /// `count()` and `sum(..)`.
    Sum,
    /// `min(..)`.
    Min,
    /// `max(..)`.
    Max,
}

/// What is made of the groups of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupChoice {
    /// `best(g, target[, own])`: assigns the key with the greatest `g(v, key, value)`, the least among equals.
    Best {
        /// The function `(v, key, value) -> double`.
        score: FuncUse,
        /// The vector that gets the key.
        target: Expr,
        /// A vector whose key is offered with the value 0 where no neighbour has it.
        own: Option<Expr>,
    },
    /// `each(f)`: calls `f(v, key, value)` for every group.
    Each(FuncUse),
    /// `groups(vector)`: assigns the number of groups.
    Groups(Expr),
    /// `leastAbsent(vector)`: assigns the least number from 0 on that is no key.
    LeastAbsent(Expr),
}

/// Restriction of one end of the edges.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Members of a vertexset.
    Set(Expr),
    /// Vertices for which the function is true.
    Func(FuncUse),
}

/// Kinds of edge operators.
#[derive(Clone, Debug, PartialEq)]
pub enum ApplyKind {
    /// `apply` without a result.
    Apply,
    /// `apply` with a bool-valued function: yields the destinations for which it was true.
    ApplyCollect,
    /// `applyModified`: yields the vertices whose tracked entry changed.
    Modified {
        /// The tracked vector.
        vector: Tracked,
        /// True if the result may hold repeats.
        disable_dedup: bool,
    },
    /// `applyUpdatePriority`.
    UpdatePriority,
}

/// The vector that `applyModified` watches, as the edge function sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tracked {
    /// A global vector.
    Global(GlobalId),
    /// A capture of the edge function, by position in [`Function::captures`](super::Function::captures).
    Capture(u32),
}

/// A function named somewhere, with the values bound to its captures there.
#[derive(Clone, Debug, PartialEq)]
pub struct FuncUse {
    /// The function.
    pub func: FuncId,
    /// One value per capture.
    pub captures: Vec<Expr>,
    /// Where it is named.
    pub span: Span,
}

/// Construction of a priority queue.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPriorityQueue {
    /// Element whose vertices are queued.
    pub elem: ElemId,
    /// Priority type.
    pub priority: Scalar,
    /// May a vertex appear twice in a bucket (recorded, no effect).
    pub dup_within: bool,
    /// May a vertex be in several buckets (recorded, no effect).
    pub dup_across: bool,
    /// The vector that holds the priorities.
    pub vector: Expr,
    /// Smallest bucket first.
    pub increasing: bool,
    /// 0, 1 or 2 as written (informational).
    pub priority_order: u8,
    /// All vertices are queued from the start.
    pub all_queued: bool,
    /// Start vertex or -1.
    pub start: Expr,
}

impl GroupApply {
    /// The functions that are called for edges and groups.
    pub fn functions(&self) -> impl Iterator<Item = &FuncUse> {
        let of_choice = match &self.choice {
            GroupChoice::Best { score: func, .. } | GroupChoice::Each(func) => Some(func),
            GroupChoice::Groups(_) | GroupChoice::LeastAbsent(_) => None,
        };
        self.edge_functions().chain(of_choice)
    }

    /// The functions that are called for edges: the `to` filter, the key and the value.
    pub fn edge_functions(&self) -> impl Iterator<Item = &FuncUse> {
        let values = [Some(&self.key), self.value.as_ref()].into_iter().flatten();
        self.to.iter().chain(values.filter_map(|value| match value {
            EdgeValue::Func { func, .. } => Some(func),
            EdgeValue::Vector(_) | EdgeValue::Weight => None,
        }))
    }

    /// The vectors that are named beside functions.
    pub fn vectors(&self) -> impl Iterator<Item = &Expr> {
        let values = [Some(&self.key), self.value.as_ref()].into_iter().flatten();
        let read = values.filter_map(|value| match value {
            EdgeValue::Vector(vector) => Some(vector),
            EdgeValue::Func { .. } | EdgeValue::Weight => None,
        });
        let own = match &self.choice {
            GroupChoice::Best { own, .. } => own.as_ref(),
            _ => None,
        };
        read.chain(own).chain(self.choice.target())
    }
}

impl GroupChoice {
    /// The vector that is assigned.
    pub fn target(&self) -> Option<&Expr> {
        match self {
            GroupChoice::Best { target, .. } | GroupChoice::Groups(target) | GroupChoice::LeastAbsent(target) => {
                Some(target)
            }
            GroupChoice::Each(_) => None,
        }
    }
}
