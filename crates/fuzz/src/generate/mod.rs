//! Random programs as text, well typed by construction and, unless asked otherwise, free of results that depend on an
//! order.
//!
//! Inside one operator every vector and every global number has one role (`Mode`): read, or written in one way that
//! commutes with itself. `order.rs` judges the finished program without knowing these roles.
//!
//! | file | part of the language |
//! |---|---|
//! | `files` | the same program in several files |
//! | `program` | elements, graphs, globals, the frame of `main` |
//! | `tuples` | vectors of tuples |
//! | `scalars` | numbers, conditions, indices |
//! | `functions` | bodies of functions: locals, branches, loops, writes |
//! | `operators` | edge and vertex operators with their functions |
//! | `groups` | grouped neighbours |
//! | `triangles` | links, sets of edges, triangles |
//! | `host` | statements of `main`: loops, `par_for`, prints, graphs loaded again |
//! | `sets` | vertex sets and lists |
//! | `queues` | priority queues, frontiers, fixed points |

mod files;
mod functions;
mod groups;
mod host;
mod operators;
mod program;
mod queues;
mod scalars;
mod sets;
mod triangles;
mod tuples;

pub use files::{InFiles, in_files};

use crate::case::{Case, GraphData};
use crate::dice::Dice;
use gw_lang::Scalar;

/// Numbers that a program computes with.
const NUMBERS: [Scalar; 7] =
    [Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Int64, Scalar::Uint64, Scalar::Float, Scalar::Double];

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let (program, graphs) = write(Dice::new(seed, 1));
    let others = crate::graphs::others(&mut Dice::new(seed, 3), &graphs);
    Case { seed, program, graphs, others, trials: Vec::new() }
}

/// The case that bytes decide.
pub fn case_of_bytes(bytes: &[u8]) -> Case {
    let (program, graphs) = write(Dice::from_bytes(bytes));
    Case { seed: 0, program, graphs, others: Vec::new(), trials: Vec::new() }
}

fn write(dice: Dice) -> (String, Vec<GraphData>) {
    let mut writer = Writer {
        dice,
        wild: false,
        faulty: false,
        random: false,
        elements: Vec::new(),
        graphs: Vec::new(),
        links: None,
        columns: Vec::new(),
        data: Vec::new(),
        vectors: Vec::new(),
        scalars: Vec::new(),
        helpers: Vec::new(),
        functions: Vec::new(),
        names: 0,
        lengths: Vec::new(),
        assigned: Vec::new(),
    };
    let program = writer.program();
    (program, writer.data)
}

/// What is known about the program so far.
struct Writer {
    dice: Dice,
    /// Roles of vectors are not kept: the result may depend on an order.
    wild: bool,
    /// Indices may be out of range and divisors zero.
    faulty: bool,
    /// Functions draw random neighbours.
    random: bool,
    elements: Vec<Element>,
    graphs: Vec<GraphVar>,
    /// The links of a graph, under the name of the links.
    links: Option<GraphVar>,
    /// Vectors that hold the columns of edges.
    columns: Vec<String>,
    data: Vec<GraphData>,
    vectors: Vec<VectorVar>,
    scalars: Vec<ScalarVar>,
    helpers: Vec<Helper>,
    /// Lines of the functions before `main`.
    functions: Vec<String>,
    names: usize,
    /// Lengths of vectors that have a name.
    lengths: Vec<(usize, String)>,
    /// Vectors that the function at hand has assigned at one end of its edges: once is enough.
    assigned: Vec<String>,
}

#[derive(Clone)]
struct Element {
    name: &'static str,
    /// Vertices, as far as the generator knows.
    size: usize,
    /// Vertices when the program starts, which global vectors have entries for.
    start: usize,
}

/// A graph variable.
#[derive(Clone)]
struct GraphVar {
    name: String,
    element: usize,
    weight: Option<Scalar>,
    vertices: usize,
    /// Functions see it.
    global: bool,
    /// Its edges are rows of a table; some are parallel.
    rows: bool,
}

/// A vector variable.
#[derive(Clone)]
struct VectorVar {
    name: String,
    /// The element it is indexed by; `None` for a fixed length.
    element: Option<usize>,
    len: usize,
    /// Entries are rows of this length.
    row: Option<usize>,
    scalar: Scalar,
    /// Holds sums of reals, which depend on the order of summands in their last digits.
    summed: bool,
}

/// A variable that holds a number.
#[derive(Clone)]
struct ScalarVar {
    name: String,
    scalar: Scalar,
    summed: bool,
}

/// A function of numbers.
#[derive(Clone)]
struct Helper {
    name: String,
    arity: usize,
}

/// A vertex, or a number below `bound` that serves as one.
#[derive(Clone)]
struct VertexName {
    text: String,
    bound: usize,
}

/// How a vector or number is written inside one operator.
#[derive(Clone, PartialEq)]
enum Mode {
    /// `+=`
    Sum,
    /// `min=`
    Min,
    /// `max=`
    Max,
    /// `|=`, whole numbers only.
    Or,
    /// `&=`, whole numbers only.
    And,
    /// One constant, wherever it is written.
    Constant(String),
    /// The entry of this end of the edge, from what is known of that end alone.
    End(String),
    /// The entry of the one element that the function runs for; it may be read as well.
    Own(String),
    /// `compare_and_swap` between two constants.
    Swap,
    /// Anything: the result may depend on the order.
    Wild,
}

/// What the code being written can see and do.
#[derive(Clone, Default)]
struct Scope {
    vertices: Vec<VertexName>,
    /// Readable numbers: parameters, captures, locals, global scalars.
    numbers: Vec<String>,
    /// Locals that may be assigned.
    locals: Vec<ScalarVar>,
    reads: Vec<VectorVar>,
    writes: Vec<(VectorVar, Mode)>,
    scalar_writes: Vec<(ScalarVar, Mode)>,
    graphs: Vec<GraphVar>,
    /// Random neighbours may not be drawn: the function belongs to groups.
    drawless: bool,
    depth: usize,
}

/// Statements of `main` or of a block in it.
#[derive(Default)]
struct Host {
    lines: Vec<String>,
    indent: usize,
    sets: Vec<SetVar>,
    vectors: Vec<VectorVar>,
    scalars: Vec<ScalarVar>,
    graphs: Vec<GraphVar>,
    lists: Vec<ListVar>,
}

/// A vertex set.
#[derive(Clone)]
struct SetVar {
    name: String,
    element: usize,
    /// All members are below.
    bound: usize,
    /// A global that stands for all vertices.
    universe: bool,
}

/// A list of vertex sets.
#[derive(Clone)]
struct ListVar {
    name: String,
    element: usize,
    bound: usize,
    entries: usize,
}

impl Writer {
    /// A new name with this beginning.
    fn fresh(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    fn number(&mut self) -> Scalar {
        if self.dice.percent(12) { Scalar::Bool } else { *self.dice.pick(&NUMBERS) }
    }

    /// A length as it stands in types: a number, a constant, or a variable.
    fn length(&self, entries: usize) -> String {
        let named = self.lengths.iter().find(|(known, _)| *known == entries);
        named.map_or_else(|| entries.to_string(), |(_, name)| name.clone())
    }

    fn vector_type(&self, vector: &VectorVar) -> String {
        let inner = match vector.row {
            Some(k) => format!("vector[{}]({})", self.length(k), vector.scalar),
            None => vector.scalar.to_string(),
        };
        match vector.element {
            Some(e) => format!("vector{{{}}}({inner})", self.elements[e].name),
            None => format!("vector[{}]({inner})", self.length(vector.len)),
        }
    }

    /// A new vector of a random type, with its declaration as far as `= value`.
    fn new_vector(&mut self, start: &str) -> VectorVar {
        let element = if self.dice.percent(80) { Some(self.dice.below(self.elements.len())) } else { None };
        let scalar = self.number();
        let len = match element {
            Some(e) => self.elements[e].size,
            None => *self.dice.pick(&[1, 4, 8, 64, 1000]),
        };
        let rows = if element.is_some() { 15 } else { 4 };
        let row = self.dice.percent(rows).then(|| *self.dice.pick(&[2, 3, 8]));
        let summed = scalar.is_float() && self.dice.percent(50);
        VectorVar { name: self.fresh(start), element, len, row, scalar, summed }
    }
}

impl Host {
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "    ".repeat(self.indent + 1), text.as_ref()));
    }
}

impl Scope {
    /// The same scope with the writes to this variable gone.
    fn without(&self, name: &str) -> Scope {
        let mut scope = self.clone();
        scope.writes.retain(|(vector, _)| vector.name != name);
        scope
    }
}
