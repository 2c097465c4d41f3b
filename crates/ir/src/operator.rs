//! Operators: the nodes in which all parallelism lives.

use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::meta::{EdgeMeta, Extra, QueueMeta, VertexMeta};
use crate::source::Name;
use crate::types::Type;

/// A parallel operator. See the single structs for meaning.
#[derive(Debug, Clone, PartialEq)]
pub enum Operator {
    /// Runs a function on edges.
    EdgeSetIterator(EdgeSetIterator),
    /// Runs a function on edges and lets it change priorities.
    UpdatePriorityEdgeSetIterator(UpdatePriorityEdgeSetIterator),
    /// Runs a function on vertices.
    VertexSetIterator(VertexSetIterator),
    /// Keeps the vertices that satisfy a function.
    VertexSetFilter(VertexSetFilter),
    /// Removes repeats from a set, in place.
    VertexSetDedup(VertexSetDedup),
    /// Hands a set to an extern function that edits priorities, then re-buckets.
    UpdatePriorityExtern(UpdatePriorityExtern),
    /// Moves the vertices of a set to the buckets of their present priority.
    UpdateBuckets(UpdateBuckets),
    /// A whole ordered loop: while the condition holds, dequeue the best bucket and relax its edges.
    OrderedProcessing(OrderedProcessing),
}

/// Which vertices of one side take part.
#[derive(Debug, Clone, PartialEq)]
pub enum VertexFilter {
    /// All.
    All,
    /// Members of a set (a variable).
    Set(Expr),
    /// Those for which a `(vertex) -> bool` function is true at the time of the test.
    Function(FunctionRef),
}

/// The set an edge operator returns.
#[derive(Debug, Clone, PartialEq)]
pub enum EdgeOutput {
    /// Nothing.
    None,
    /// The indices of all entries of `vector` that the function modified. Plain assignment and `+=` always modify;
    /// `min=`, `max=`, compare-and-swap and priority updates when the stored value changed.
    Modified {
        /// The tracked vector as the function sees it: a global, or one of its captures.
        vector: Name,
        /// The algorithm tolerates repeats in the result.
        duplicates: bool,
    },
    /// Destinations for which some call of the (bool) function was true.
    Accepted {
        /// The algorithm tolerates repeats in the result.
        duplicates: bool,
    },
}

/// `apply(src, dst[, weight])` once for every edge whose source passes `from` and whose destination passes `to`, in no
/// particular order, each vector update being atomic by itself. Filters see live values.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeSetIterator {
    /// The graph, a variable.
    pub graph: Expr,
    /// Sources.
    pub from: VertexFilter,
    /// Destinations.
    pub to: VertexFilter,
    /// The edge function.
    pub apply: FunctionRef,
    /// What is returned.
    pub output: EdgeOutput,
    /// Schedule and analysis.
    pub meta: EdgeMeta,
}

/// An edge operator whose function changes priorities of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatePriorityEdgeSetIterator {
    /// The operator; its output is [`EdgeOutput::None`].
    pub edges: EdgeSetIterator,
    /// The queue whose priorities the function updates.
    pub queue: Expr,
    /// Bucket width and kind.
    pub queue_meta: QueueMeta,
}

/// `apply(v)` once for every member.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexSetIterator {
    /// A set: a variable or a `Universe`.
    pub set: Expr,
    /// The vertex function.
    pub apply: FunctionRef,
    /// Schedule.
    pub meta: VertexMeta,
}

/// The members for which `filter(v)` is true; the function runs once per member and may have effects.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexSetFilter {
    /// A set: a variable or a `Universe`.
    pub set: Expr,
    /// The `(vertex) -> bool` function.
    pub filter: FunctionRef,
    /// Schedule.
    pub meta: VertexMeta,
}

/// Removes repeats from a set, in place. Semantically idempotent.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexSetDedup {
    /// The set, a variable.
    pub set: Expr,
    /// All repeats must go, not only the cheap ones.
    pub perfect: bool,
    /// Machine-specific entries.
    pub extra: Extra,
}

/// `function(set)` returns the vertices it processed; they are re-bucketed from their present priority.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatePriorityExtern {
    /// The set, a variable.
    pub set: Expr,
    /// Extern function from vertexset to vertexset.
    pub function: FunctionRef,
    /// The queue.
    pub queue: Expr,
    /// Bucket width and kind.
    pub meta: QueueMeta,
}

/// Moves each vertex of `modified` to the bucket of its present priority.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateBuckets {
    /// The queue.
    pub queue: Expr,
    /// The changed vertices, a variable.
    pub modified: Expr,
    /// Bucket width and kind.
    pub meta: QueueMeta,
}

/// `while condition { frontier = DequeueReadySet(queue); edges from frontier: apply }` as one operator, in which the
/// function's priority updates move vertices between buckets at once.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderedProcessing {
    /// The queue.
    pub queue: Expr,
    /// Tested before every round.
    pub condition: Expr,
    /// The edge operator of a round. Its `from` is [`VertexFilter::All`] here and means the dequeued set.
    pub edges: EdgeSetIterator,
    /// Kind, bucket width and merge threshold.
    pub meta: QueueMeta,
}

impl Operator {
    /// The name of the node in the text form.
    pub fn name(&self) -> &'static str {
        match self {
            Operator::EdgeSetIterator(_) => "EdgeSetIterator",
            Operator::UpdatePriorityEdgeSetIterator(_) => "UpdatePriorityEdgeSetIterator",
            Operator::VertexSetIterator(_) => "VertexSetIterator",
            Operator::VertexSetFilter(_) => "VertexSetFilter",
            Operator::VertexSetDedup(_) => "VertexSetDedup",
            Operator::UpdatePriorityExtern(_) => "UpdatePriorityExtern",
            Operator::UpdateBuckets(_) => "UpdateBuckets",
            Operator::OrderedProcessing(_) => "OrderedProcessing",
        }
    }

    /// The edge traversal inside, for the three operators that have one.
    pub fn edges(&self) -> Option<&EdgeSetIterator> {
        match self {
            Operator::EdgeSetIterator(e) => Some(e),
            Operator::UpdatePriorityEdgeSetIterator(u) => Some(&u.edges),
            Operator::OrderedProcessing(o) => Some(&o.edges),
            _ => None,
        }
    }

    /// The edge traversal inside, to change it.
    pub fn edges_mut(&mut self) -> Option<&mut EdgeSetIterator> {
        match self {
            Operator::EdgeSetIterator(e) => Some(e),
            Operator::UpdatePriorityEdgeSetIterator(u) => Some(&mut u.edges),
            Operator::OrderedProcessing(o) => Some(&mut o.edges),
            _ => None,
        }
    }
}

impl Operator {
    /// The type of the operator as an expression: a vertexset when it yields one, `void` otherwise.
    pub fn result_type(&self) -> Type {
        match self {
            Operator::EdgeSetIterator(e) => match (&e.output, &e.graph.ty) {
                (EdgeOutput::None, _) => Type::Void,
                (_, Type::EdgeSet { target, .. }) => Type::VertexSet(target.clone()),
                _ => Type::Void,
            },
            Operator::VertexSetFilter(f) => f.set.ty.clone(),
            _ => Type::Void,
        }
    }

    /// The operator as an expression.
    pub fn into_expr(self) -> Expr {
        let ty = self.result_type();
        Expr::new(ExprKind::Operator(Box::new(self)), ty)
    }
}
