//! Operator calls: the evaluated inputs of one operator, a type per kind of operator, and what comes back.

use std::sync::Arc;

use gw_graph::Graph;

use crate::env::Environment;
use crate::error::Result;
use crate::queue::Queue;
use crate::set::VertexSet;
use crate::value::Value;
use crate::vm::Executable;

/// The evaluated inputs of an operator. The variant follows the kind of the operator's node.
pub enum OperatorCall<'a> {
    /// `EdgeSetIterator`.
    Edges(EdgeCall),
    /// `UpdatePriorityEdgeSetIterator`.
    PriorityEdges {
        /// The traversal.
        edges: EdgeCall,
        /// The queue whose priorities the function updates.
        queue: Queue,
    },
    /// `OrderedProcessing`.
    Ordered {
        /// The traversal of a round. Its sources are the vertices dequeued in the round.
        edges: EdgeCall,
        /// The queue.
        queue: Queue,
        /// The condition of the loop.
        condition: Condition<'a>,
    },
    /// `VertexSetIterator` and `VertexSetFilter`.
    Vertices(VertexCall),
    /// `VertexSetDedup`.
    Dedup {
        /// The set, changed in place.
        set: VertexSet,
    },
    /// `UpdateBuckets`.
    UpdateBuckets {
        /// The vertices whose priorities changed.
        set: VertexSet,
        /// The queue.
        queue: Queue,
    },
    /// `UpdatePriorityExtern`.
    PriorityExtern {
        /// The set that the extern function is called with, and the captures of the function.
        vertices: VertexCall,
        /// The queue.
        queue: Queue,
    },
}

/// The inputs of an edge traversal.
pub struct EdgeCall {
    /// The graph. Weights may be integers where the program says `float` or `double`.
    pub graph: Arc<Graph>,
    /// Which sources take part.
    pub from: Selection,
    /// Which destinations take part.
    pub to: Selection,
    /// Captures of the applied function.
    pub captures: Vec<Value>,
}

/// Which vertices at one end of the edges take part.
pub enum Selection {
    /// All.
    All,
    /// The members of a set.
    Set(VertexSet),
    /// Those that pass the function of the operator's node, which has these captures.
    Function(Vec<Value>),
}

impl Selection {
    /// The set, if it is one.
    pub fn set(&self) -> Option<&VertexSet> {
        match self {
            Selection::Set(set) => Some(set),
            Selection::All | Selection::Function(_) => None,
        }
    }

    /// Captures of the function; none without a function.
    pub fn captures(&self) -> &[Value] {
        match self {
            Selection::Function(captures) => captures,
            Selection::All | Selection::Set(_) => &[],
        }
    }
}

/// The inputs of a function over a set.
pub struct VertexCall {
    /// The set.
    pub set: VertexSet,
    /// Captures of the function.
    pub captures: Vec<Value>,
}

/// The captured values of a call, by the role of the function.
#[derive(Debug, Clone, Copy, Default)]
pub struct Captures<'c> {
    /// Of the applied (or filtering) function.
    pub apply: &'c [Value],
    /// Of the `from` function.
    pub from: &'c [Value],
    /// Of the `to` function.
    pub to: &'c [Value],
}

impl EdgeCall {
    /// The captured values.
    pub fn captures(&self) -> Captures<'_> {
        Captures { apply: &self.captures, from: self.from.captures(), to: self.to.captures() }
    }
}

impl VertexCall {
    /// The captured values.
    pub fn captures(&self) -> Captures<'_> {
        Captures { apply: &self.captures, ..Captures::default() }
    }
}

impl OperatorCall<'_> {
    /// The edge traversal, of operators that have one.
    pub fn edges(&self) -> Option<&EdgeCall> {
        match self {
            OperatorCall::Edges(edges)
            | OperatorCall::PriorityEdges { edges, .. }
            | OperatorCall::Ordered { edges, .. } => Some(edges),
            _ => None,
        }
    }

    /// The captured values.
    pub fn captures(&self) -> Captures<'_> {
        match self {
            OperatorCall::Vertices(vertices) | OperatorCall::PriorityExtern { vertices, .. } => vertices.captures(),
            call => call.edges().map(EdgeCall::captures).unwrap_or_default(),
        }
    }
}

/// Evaluates the condition of an ordered loop on the host; the machine passes itself, to be asked about its queues.
pub type Condition<'a> = &'a mut dyn FnMut(&mut dyn Executable, &mut Environment) -> Result<bool>;

/// What an operator returns and what is known about its work.
#[derive(Debug, Default)]
pub struct OperatorOutcome {
    /// The output set, of operators that have one.
    pub output: Option<VertexSet>,
    /// Entries of the input set.
    pub input_size: Option<u64>,
    /// Entries of the output set, when known without extra work.
    pub output_size: Option<u64>,
    /// Edges touched, when known.
    pub edges: Option<u64>,
    /// Time of the call by the clock of the device; asked for only when somebody listens.
    pub seconds: Option<f64>,
    /// Bytes that the call told other workers, of machines that have some.
    pub told: Option<u64>,
}
