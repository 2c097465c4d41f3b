//! A region: the statements that become one kernel, with what goes in and what comes out.
//!
//! A single operator is a region of one statement; a fused loop is a region with a loop. Statements outside operators
//! run alike in every thread; operators are shared out among all threads of the grid.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gw_ir::analysis::calls::closure;
use gw_ir::analysis::classes::tracked_extreme;
use gw_ir::analysis::operator::written_scalars;
use gw_ir::analysis::region::counted_graph;
use gw_ir::expr::ExprKind;
use gw_ir::meta::QueueKind;
use gw_ir::module::Module;
use gw_ir::source::Name;
use gw_ir::stmt::Block;
use gw_ir::types::{Scalar, Type};
use gw_ir::walk;

use super::access::{Access, Requirement, VectorCode, has_rows};
use super::edge_plan::schedule_of;
use super::inputs::{Apart, GraphInput, Inputs, Source};
use super::sets::{Insert, insert_of};
use super::text::{c_name, type_name};

/// What the host knows about a graph variable when a region is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GraphShape {
    /// Offsets are 64 bits wide.
    pub(crate) wide: bool,
    /// Type of the stored weights.
    pub(crate) weight: Option<Scalar>,
    /// Lists stand apart, in blocks, and are found by pairs alone.
    pub(crate) apart: Apart,
    /// Lists are short: steps are small and many, and what counts is the time of one memory access after the other.
    pub(crate) flat: bool,
}

impl GraphShape {
    /// Narrow compressed rows with the weights that a type declares.
    pub(crate) fn declared(ty: &Type) -> GraphShape {
        let weight = ty.weight().map(|w| if w.is_float() { Scalar::Float } else { Scalar::Int });
        GraphShape { wide: false, weight, apart: Apart::default(), flat: false }
    }
}

/// A value that the kernel hands back, in the order of its results.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// A global scalar.
    Global(Name, Scalar),
    /// A scalar parameter.
    Local(Name, Scalar),
    /// The place of a set variable.
    Set(Name),
    /// The forms of all places.
    Forms,
    /// The round of deduplication.
    Round,
    /// Sets on a list, and ids used.
    List(Name),
    /// A queue: the first of the words that it reports.
    Queue(Name),
    /// Another word of the queue before.
    QueueWord,
    /// Whether the loop ended because a set outgrew its block.
    Outgrown,
}

/// The parameters and analysis of a region while code is made for it.
pub(crate) struct Region<'m> {
    pub(crate) module: &'m Module,
    pub(crate) inputs: Inputs,
    /// Variables of the host function that the region uses.
    pub(crate) params: HashMap<Name, Type>,
    /// Global scalars that operators of the region write: they live in memory.
    pub(crate) cells: HashSet<Name>,
    /// Global vectors whose entries stand in words with the rounds of their last changes while the kernel runs.
    pub(crate) words: BTreeSet<Name>,
    /// Graph variables.
    pub(crate) shapes: HashMap<Name, GraphShape>,
    /// Forms of sets that the region makes or needs.
    pub(crate) forms: u32,
    /// Form of the output made last, and forms that inputs are brought into.
    pub(crate) output: u32,
    pub(crate) input: u32,
    /// Some queue may get more members than there are vertices.
    pub(crate) unbounded: bool,
    /// Places in the code that take a new round.
    pub(crate) rounds: u32,
    /// Words of scratch memory per vertex and per block that balancers need.
    pub(crate) scratch: bool,
    /// All graphs have short lists.
    pub(crate) flat: bool,
    /// Headers to include.
    pub(crate) headers: Vec<&'static str>,
    /// The blocks of the grid wait for each other.
    pub(crate) cooperative: bool,
    /// Sets made from this graph know how many edges leave them: choices between variants look at that.
    pub(crate) counted: Option<Name>,
    /// The output made last does.
    pub(crate) output_counted: bool,
    /// Loops that have counters of their own.
    pub(crate) loops: usize,
    /// Functions of the program may fault.
    pub(crate) faults: bool,
    /// No index is taken to be in range: every access carries its check.
    pub(crate) careful: bool,
    /// What the host must compare before a launch.
    pub(crate) requires: Vec<Requirement>,
    /// All accesses by indices of the program.
    pub(crate) accesses: Vec<Access>,
    /// Vectors that checks name, with their numbers.
    pub(crate) vector_numbers: BTreeMap<Name, usize>,
}

impl<'m> Region<'m> {
    pub(crate) fn new(
        module: &'m Module,
        params: HashMap<Name, Type>,
        shapes: HashMap<Name, GraphShape>,
        body: &Block,
    ) -> Self {
        let cells = written_by_operators(module, body);
        let flat = !shapes.is_empty() && shapes.values().all(|shape| shape.flat);
        Region {
            module,
            inputs: Inputs::default(),
            params,
            cells,
            words: kept_in_words(module, body),
            shapes,
            forms: 0,
            output: 0,
            input: 0,
            unbounded: false,
            rounds: 0,
            scratch: false,
            flat,
            headers: Vec::new(),
            cooperative: false,
            counted: counted_graph(body),
            output_counted: false,
            loops: 0,
            faults: false,
            careful: false,
            requires: Vec::new(),
            accesses: Vec::new(),
            vector_numbers: BTreeMap::new(),
        }
    }

    /// The constant by which a check names a vector: faults carry its number.
    pub(crate) fn vector_number(&mut self, name: &Name) -> String {
        let number = vector_names(self.module).iter().position(|known| known == name).map_or(0, |at| at + 1);
        self.vector_numbers.insert(name.clone(), number);
        vector_constant(name)
    }

    pub(crate) fn include(&mut self, header: &'static str) {
        if !self.headers.contains(&header) {
            self.headers.push(header);
        }
    }

    /// A global scalar: its value, or its cell when operators write it.
    pub(crate) fn global_scalar(&mut self, name: &Name, scalar: Scalar) -> Result<String, String> {
        if self.module.global(name).is_none() {
            return match self.params.contains_key(name) {
                true => Err(format!("`{name}` belongs to the host function; pass it as a capture")),
                false => Err(format!("`{name}` is not visible in operator functions")),
            };
        }
        let ty = type_name(scalar);
        Ok(match self.cells.contains(name) {
            true => self.inputs.member(Source::GlobalCell(name.clone()), &format!("{ty}*"), &c_name(name)),
            false => self.inputs.member(Source::GlobalScalar(name.clone()), ty, &c_name(name)),
        })
    }

    /// Base and length of a vector variable.
    pub(crate) fn vector(&mut self, name: &Name, vector: &Type) -> Result<VectorCode, String> {
        let scalar = vector.leaf().scalar().ok_or_else(|| format!("`{name}` is not a vector"))?;
        let ty = format!("{}*", type_name(scalar));
        let length = self.length_source(name);
        let length = length.ok_or_else(|| format!("`{name}` is not visible in operator functions"))?;
        let base = match &length {
            Source::LocalLength(_) => Source::LocalVector(name.clone()),
            _ => Source::GlobalVector(name.clone()),
        };
        let c = c_name(name);
        let words = self.words.contains(name) && matches!(length, Source::GlobalLength(_));
        let mut base = self.inputs.member(base, &ty, &c);
        let lengths = vec![length.clone()];
        let length = self.inputs.member(length, "unsigned long long", &format!("{c}_length"));
        if words {
            self.include("value_round.cuh");
            self.cooperative = true;
            base = self.inputs.member(Source::GlobalWords(name.clone()), &ty, &format!("{c}_words"));
        }
        let row = has_rows(vector).then(|| {
            let source = match &lengths[0] {
                Source::LocalLength(_) => Source::LocalRow(name.clone()),
                _ => Source::GlobalRow(name.clone()),
            };
            self.inputs.member(source, "unsigned long long", &format!("{c}_row"))
        });
        Ok(VectorCode { base, length, lengths, row, words })
    }

    /// The map of claimed entries of a vector. It is empty when the kernel begins.
    pub(crate) fn visited(&mut self, vector: &Name) -> String {
        self.include("visited.cuh");
        self.cooperative = true;
        self.inputs.member(Source::VisitedMap(vector.clone()), "unsigned char*", &format!("visited_{}", c_name(vector)))
    }

    /// A graph variable.
    pub(crate) fn graph(&mut self, name: &Name) -> Result<String, String> {
        let shape = self.shape(name)?;
        let ty = graph_type(offset_type(shape), shape);
        let GraphShape { wide, weight, apart, .. } = shape;
        let source = Source::Graph(GraphInput { name: name.clone(), wide, weight, apart });
        self.include("graph.cuh");
        Ok(self.inputs.member(source, &ty, &c_name(name)))
    }

    /// The shape of a graph variable; without a word about it, narrow and with the declared weights.
    pub(crate) fn shape(&self, name: &Name) -> Result<GraphShape, String> {
        let ty = self.params.get(name).or_else(|| self.module.global(name).map(|g| &g.ty));
        match (self.shapes.get(name), ty) {
            (Some(shape), _) => Ok(*shape),
            (None, Some(ty @ Type::EdgeSet { .. })) => Ok(GraphShape::declared(ty)),
            _ => Err(format!("`{name}` is not a graph")),
        }
    }

    /// The number of edges that leave a set of this graph, which the code has under the name `graph`.
    pub(crate) fn edges_of(&self, set: &str, name: &Name, graph: &str) -> Result<String, String> {
        let lists = match self.shape(name)?.apart.out {
            true => format!("{graph}.out_ranges, {graph}.edges"),
            false => format!("{graph}.out_offsets"),
        };
        Ok(format!("(double)run.edges_of({set}, {lists}, live())"))
    }

    /// A priority queue.
    pub(crate) fn queue(&mut self, name: &Name) -> Result<String, String> {
        let vector = gw_ir::analysis::priority::priority_vector(self.module, name)
            .ok_or_else(|| format!("`{name}` is not a queue over one vector"))?;
        let scalar = self.module.global(&vector).and_then(|g| g.ty.leaf().scalar());
        let scalar = scalar.ok_or_else(|| format!("`{vector}` is not a vector of numbers"))?;
        let made = gw_ir::analysis::priority::allocations(self.module, name);
        let far = made.iter().filter(|q| q.meta.kind == Some(QueueKind::NearFar)).count();
        if far != 0 && far != made.len() {
            return Err(format!("`{name}` is a near-far queue in one place and not in another"));
        }
        self.include("priority.cuh");
        let ty = crate::queue::type_of(type_name(scalar), far > 0);
        Ok(self.inputs.member(Source::Queue(name.clone()), &ty, &c_name(name)))
    }
}

/// The names that vectors have in a module, globals first; a fault tells the number of one, counted from 1.
pub(crate) fn vector_names(module: &Module) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    let mut note = |name: &Name, ty: &Type| {
        if matches!(ty, Type::Vector { .. }) && !names.contains(name) {
            names.push(name.clone());
        }
    };
    module.globals.iter().for_each(|global| note(&global.name, &global.ty));
    for function in &module.functions {
        let locals = function.locals();
        let all = function.captures.iter().chain(&function.params).chain(&locals);
        all.for_each(|param| note(&param.name, &param.ty));
    }
    names
}

/// The constant that stands for a vector in checks.
pub(crate) fn vector_constant(name: &str) -> String {
    format!("VECTOR_{name}")
}

/// The C++ type of a graph, with this name for the type of positions.
pub(crate) fn graph_type(offset: &str, shape: GraphShape) -> String {
    let apart = match shape.apart {
        Apart { out: false, incoming: false } => String::new(),
        Apart { out, incoming } => format!(", {out}, {incoming}"),
    };
    format!("gw::Graph<{offset}, {}{apart}>", weight_type(shape))
}

/// The C++ type of edge positions.
pub(crate) fn offset_type(shape: GraphShape) -> &'static str {
    if shape.wide { "unsigned long long" } else { "unsigned" }
}

/// The C++ type of stored weights; bytes stand for none.
fn weight_type(shape: GraphShape) -> &'static str {
    match shape.weight {
        None => "char",
        Some(Scalar::Double) => "double",
        Some(Scalar::Float) => "float",
        Some(Scalar::Int64 | Scalar::Uint64) => "long long",
        Some(_) => "int",
    }
}

/// The vectors that operators in this code deduplicate by.
fn kept_in_words(module: &Module, body: &Block) -> BTreeSet<Name> {
    let mut words = BTreeSet::new();
    walk::walk_block_exprs(body, &mut |e| {
        if let ExprKind::Operator(op) = &e.kind
            && let Some(edges) = op.edges()
            && matches!(insert_of(edges, &schedule_of(edges), false), Insert::Words)
        {
            words.extend(tracked_extreme(module, edges).cloned());
        }
    });
    words
}

/// Global scalars that functions of operators in this code write.
fn written_by_operators(module: &Module, body: &Block) -> HashSet<Name> {
    let mut roots: Vec<Name> = Vec::new();
    walk::walk_block_exprs(body, &mut |e| {
        if matches!(e.kind, ExprKind::Operator(_)) {
            roots.extend(walk::function_refs(e).iter().map(|(_, f)| f.name.clone()));
        }
    });
    written_scalars(module, &closure(module, roots)).into_iter().collect()
}
