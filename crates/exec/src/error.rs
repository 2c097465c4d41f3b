//! Everything that can go wrong while a program runs, with the place in the source.

use std::fmt;

use gw_graph::WeightKind;
use gw_ir::source::Span;
use thiserror::Error;

use crate::graphs::{how_to_weigh, shown_graph};

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, ExecError>;

/// A run-time error: what happened and which statement was running.
///
/// One pointer wide, so that the interpreter's results stay in registers.
#[derive(Debug)]
pub struct ExecError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    span: Span,
}

/// What happened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `argv[i]` was read but not given.
    #[error("Did not provide argv[{index}] as part of the command line input")]
    MissingArgument {
        /// The index.
        index: i64,
    },
    /// A command-line argument that must be a number is none.
    #[error("argv[{index}] must be {expected}, but it is `{text}`")]
    BadArgument {
        /// The index.
        index: u32,
        /// What it holds.
        text: String,
        /// What is needed.
        expected: &'static str,
    },
    /// A text holds a number that `int` cannot hold.
    #[error(
        "`{text}` does not fit an `int`, which holds numbers from -2147483648 to 2147483647; `atof` reads larger ones"
    )]
    NoInt {
        /// The text.
        text: String,
    },
    /// A vertex id is negative or not below the number of vertices.
    #[error("vertex {vertex} is out of range: there are {vertices} vertices")]
    VertexOutOfRange {
        /// The id.
        vertex: i64,
        /// The number of vertices.
        vertices: usize,
    },
    /// An index is negative or not below the length of the vector.
    #[error("index {index} is out of range: `{vector}` has {len} entries")]
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// The number of entries.
        len: usize,
        /// The vector as the program names it.
        vector: String,
    },
    /// A vector over edges does not belong to the graph at hand.
    #[error(
        "the vector has {entries} entries, but this graph has {edges} edges; a vector over edges belongs to the graph \
         that was assigned last when the vector was made"
    )]
    EdgeVector {
        /// Entries of the vector.
        entries: usize,
        /// Edges of the graph.
        edges: usize,
    },
    /// The vectors of which a graph is made have different lengths.
    #[error("the vectors that list the edges of a graph have {first} and {other} entries; each edge needs one in all")]
    EdgeLists {
        /// Entries of the first.
        first: usize,
        /// Entries of another.
        other: usize,
    },
    /// Integer division or remainder by zero.
    #[error("integer division by zero")]
    DivisionByZero,
    /// A checkpoint cannot be written or does not belong to this run.
    #[error("the checkpoint {path} {problem}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Something that went wrong elsewhere, with no place in the text of the program: another process was lost.
    #[error("{0}")]
    Elsewhere(String),
    /// The run was cancelled from outside.
    #[error("the run was cancelled")]
    Cancelled,
    /// The run took longer than allowed.
    #[error("the run was stopped after its time limit of {seconds} s")]
    TimedOut {
        /// The limit.
        seconds: f64,
    },
    /// A graph could not be loaded or used.
    #[error(transparent)]
    Graph(#[from] gw_graph::GraphError),
    /// A weighted edgeset was given a graph without weights.
    #[error("the program needs edge weights, but {} has none; {}", shown_graph(graph), how_to_weigh(graph))]
    Unweighted {
        /// The graph as named by the program's argument.
        graph: String,
    },
    /// The graph has weights that the type of the program's weights does not hold.
    #[error("the program needs {wanted} weights, but {} has the weight {weight}", shown_graph(graph))]
    UnfitWeight {
        /// The graph as named by the program's argument.
        graph: String,
        /// The weights that the program needs.
        wanted: &'static str,
        /// The first weight that does not fit.
        weight: String,
    },
    /// A graph cannot be changed.
    #[error(transparent)]
    Change(#[from] gw_dynamic::DynamicError),
    /// A batch has an edge at a vertex that the graph to be changed lacks.
    #[error(
        "the batch has an edge at vertex {vertex}, which is not among the {vertices} vertices of the graph; vertices \
         cannot be added inside a program: begin with a graph that has them all"
    )]
    VertexOfBatch {
        /// The vertex by its original id.
        vertex: String,
        /// The number of vertices.
        vertices: usize,
    },
    /// A weight that the common type of the weights of a graph and a batch does not hold.
    #[error(
        "the weight {weight} does not fit the type {kind}, which is that of the weights of the graph and the batch \
         together; read the graph with `:as=double`"
    )]
    WeightOfBatch {
        /// The weight.
        weight: String,
        /// The common type.
        kind: WeightKind,
    },
    /// The number of vertices of an element is asked for before a graph is loaded.
    #[error("the number of vertices of `{element}` is not known yet: load a graph or set its vertexset first")]
    UnknownSize {
        /// The element.
        element: String,
    },
    /// A global that is the length of a vector is no number of entries.
    #[error("`{name}` is {length}, but the length of a vector is a number from 0 to 2147483647")]
    BadLength {
        /// The global.
        name: String,
        /// Its value.
        length: String,
    },
    /// Values of vertices are loaded for a vector that is not over the vertices of a graph.
    #[error("`load` reads values of vertices, but `{element}` is no vertex of a graph of this program")]
    NoVertices {
        /// The element.
        element: String,
    },
    /// A text is no date.
    #[error("`date`: `{text}` is no point in time; write a date as `2026-11-19`, a time as `2026-11-19T12:30:00Z`")]
    NoDate {
        /// The text.
        text: String,
    },
    /// No vertex has the id that a program looks up.
    #[error("no vertex has the id `{id}`: the graph {ids}")]
    NoVertex {
        /// The id.
        id: String,
        /// Which ids there are.
        ids: String,
    },
    /// A column cannot be a vector of the program.
    #[error("{0}")]
    Column(String),
    /// A new vertexset must be empty or full.
    #[error("a new vertexset holds 0 or all {vertices} vertices, not {size}")]
    SetSize {
        /// The size asked for.
        size: i64,
        /// All vertices.
        vertices: usize,
    },
    /// An extern function has no implementation.
    #[error("the extern function `{signature}` is not registered: register a closure named `{name}`")]
    MissingExtern {
        /// Its name.
        name: String,
        /// Its declaration.
        signature: String,
    },
    /// An extern function reports a failure or returned the wrong type.
    #[error("extern function `{name}`: {message}")]
    Extern {
        /// Its name.
        name: String,
        /// What it says.
        message: String,
    },
    /// The program has no `main`.
    #[error("the program has no `main`; call one of its export functions")]
    NoMain,
    /// A function was called by a name that is not exported.
    #[error("`{name}` is not an export function of this program{}", listed(exports))]
    UnknownFunction {
        /// The name.
        name: String,
        /// What there is.
        exports: Vec<String>,
    },
    /// Arguments of an export function do not fit.
    #[error("`{function}`: {message}")]
    BadCall {
        /// The function.
        function: String,
        /// What does not fit.
        message: String,
    },
    /// A value that the caller gives to a global does not fit.
    #[error("the global `{name}`: {message}")]
    BadGiven {
        /// The global.
        name: String,
        /// What does not fit.
        message: String,
    },
    /// A priority queue met a negative priority.
    #[error(
        "vertex {vertex} has the negative priority {priority}: buckets are priority / delta and start at 0, \
         so shift the priorities to be non-negative"
    )]
    NegativePriority {
        /// The vertex.
        vertex: VertexAt,
        /// Its priority.
        priority: f64,
    },
    /// A graph with negative weights was given to an operator that lowers priorities in order.
    #[error(
        "the graph has the negative weight {weight}, but a vertex that is handed out in order of its priority must not \
         come nearer afterwards: use weights of 0 or more, or a program without order such as `sssp` (Bellman-Ford)"
    )]
    NegativeWeight {
        /// The least weight.
        weight: f64,
    },
    /// A priority would be negative, most likely a sum that does not fit its type, or as large as "not queued".
    #[error(
        "a vertex would get a negative priority or one that is too large: priorities of type `int` go from 0 to \
         2147483646, as 2147483647 means \"not queued\", and a distance that overflows `int` wraps around to a \
         negative one; use smaller weights"
    )]
    PriorityOverflow,
    /// The sum of a vector of whole numbers does not fit the type that the program wants.
    #[error(
        "the sum of the entries is {sum}, which `{wanted}` cannot hold: take it as `uint_64` or `double`, \
         for example `var total : uint_64 = x.sum();`"
    )]
    SumOverflow {
        /// The sum.
        sum: i128,
        /// The type wanted.
        wanted: &'static str,
    },
    /// An entry was taken from an empty list.
    #[error("the list is empty")]
    EmptyList,
    /// The maximum or minimum of no entries.
    #[error("a vector without entries has no {0}")]
    EmptyVector(&'static str),
    /// A random neighbour of a vertex without neighbours.
    #[error("vertex {vertex} has no {side}-neighbours to choose from")]
    NoNeighbours {
        /// The vertex.
        vertex: VertexAt,
        /// `out` or `in`.
        side: &'static str,
    },
    /// A set, vector, graph, list or queue is used before it is assigned or after it was deleted.
    #[error("`{name}` holds nothing here: it was never assigned, or was deleted")]
    Unset {
        /// The variable.
        name: String,
    },
    /// Functions call each other too deeply.
    #[error("functions call each other more than {limit} levels deep")]
    Recursion {
        /// The limit.
        limit: usize,
    },
    /// Output could not be written.
    #[error("cannot write the program's output: {0}")]
    Output(#[from] std::io::Error),
    /// There is no memory for something.
    #[error("out of memory: {what} does not fit; use a smaller graph or a machine with more memory")]
    OutOfMemory {
        /// What was to be stored.
        what: String,
    },
    /// More memory is needed than may be used.
    #[error("out of memory: {0}")]
    Memory(#[from] gw_graph::memory::OutOfMemory),
    /// The machine cannot do something.
    #[error("{0}")]
    Unsupported(String),
    /// The machine itself failed: a driver, a compiler, a device.
    #[error("{0}")]
    Machine(String),
    /// The module breaks a rule of GraphIR (its validator tells more).
    #[error("ill-formed GraphIR: {0}")]
    Malformed(String),
}

/// The vertex that an error is about. Machines know it by its number in the run; [`Program`](crate::Program) adds how
/// people know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexAt {
    /// Its number in the run.
    pub number: u32,
    /// Its original id, or its number in the graph as loaded.
    pub known_as: Option<String>,
}

impl From<u32> for VertexAt {
    fn from(number: u32) -> Self {
        VertexAt { number, known_as: None }
    }
}

impl fmt::Display for VertexAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.known_as {
            Some(known_as) => f.write_str(known_as),
            None => self.number.fmt(f),
        }
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "; it has none".to_string(),
        names => format!("; it has {}", names.join(", ")),
    }
}

impl ExecError {
    /// An error with its place.
    pub fn new(kind: ErrorKind, span: Span) -> Self {
        ExecError(Box::new(Inner { kind, span }))
    }

    /// What happened.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The statement that was running; [`Span::NONE`] when unknown.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// The same error at `span`, unless it knows its place already.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        if self.0.span.line == 0 {
            self.0.span = span;
        }
        self
    }

    /// The error as the front end shows errors, with the source line; `None` when the place is unknown.
    pub fn diagnostic(&self) -> Option<gw_lang::diagnostic::Diagnostic> {
        let span = self.span();
        if span.line == 0 || matches!(self.kind(), ErrorKind::Elsewhere(_) | ErrorKind::Checkpoint { .. }) {
            return None;
        }
        let place = gw_lang::Span::new(span.start as usize, span.end as usize);
        let label = if matches!(self.kind(), ErrorKind::Unsupported(_)) { "here" } else { "while running this" };
        Some(gw_lang::diagnostic::Diagnostic::error(self.to_string(), place, label))
    }

    /// The same error about a vertex as people know it.
    #[must_use]
    pub(crate) fn with_vertex_known(mut self, known_as: impl FnOnce(u32) -> Option<String>) -> Self {
        if let ErrorKind::NegativePriority { vertex, .. } | ErrorKind::NoNeighbours { vertex, .. } = &mut self.0.kind
            && vertex.known_as.is_none()
        {
            vertex.known_as = known_as(vertex.number);
        }
        self
    }

    /// True when the run was stopped from outside, by cancelling or by the time limit.
    pub fn is_stop(&self) -> bool {
        matches!(self.kind(), ErrorKind::Cancelled | ErrorKind::TimedOut { .. })
    }

    /// True for mistakes on the command line: arguments that are missing or wrong.
    pub fn is_usage(&self) -> bool {
        match self.kind() {
            ErrorKind::MissingArgument { .. } | ErrorKind::BadArgument { .. } => true,
            ErrorKind::Graph(e) => e.is_usage(),
            _ => false,
        }
    }
}

impl fmt::Display for ExecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)
    }
}

impl std::error::Error for ExecError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.kind.source()
    }
}

impl<K: Into<ErrorKind>> From<K> for ExecError {
    #[cold]
    fn from(kind: K) -> Self {
        ExecError::new(kind.into(), Span::NONE)
    }
}

/// A vertex id that a program computed, checked against the number of vertices.
#[inline]
pub(crate) fn checked_vertex(id: i32, vertices: usize) -> Result<u32> {
    if id >= 0 && (id as usize) < vertices { Ok(id as u32) } else { Err(out_of_range(id, vertices)) }
}

#[cold]
fn out_of_range(id: i32, vertices: usize) -> ExecError {
    ErrorKind::VertexOutOfRange { vertex: i64::from(id), vertices }.into()
}
