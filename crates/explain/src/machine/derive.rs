//! From an operator of GraphIR and its schedule to its machine.

use gw_ir::analysis::operator::EdgeFacts;
use gw_ir::meta::{Direction, IntersectionKind, Representation};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_ir::{expr::ExprKind, walk};
use gw_schedule::{EdgeForm, LoadBalance, Parallelism, Param, Schedule, SimpleSchedule};
use serde::Serialize;

use super::Server;

/// How the input set reaches the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputForm {
    /// There is no set: all vertices.
    All,
    /// A list of vertices, read in order.
    List,
    /// A map over all vertices with this many bits for each, asked per vertex or per edge.
    Map {
        /// 1 for a bit map, 8 for a byte map, 32 for a map of rounds.
        bits: u32,
    },
}

/// How edges are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeLists {
    /// Offsets and neighbours.
    Csr,
    /// A pair of offsets per vertex and neighbours.
    CsrPairs,
    /// Both ends of every edge.
    EdgeList,
}

/// A server of a machine and how the schedule implements it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerPlan {
    /// The server.
    pub server: Server,
    /// Its implementation, in words.
    pub how: String,
}

/// The machine of one operator.
#[derive(Debug, Clone, Serialize)]
pub struct OperatorMachine {
    /// The kind of operator.
    pub operator: &'static str,
    /// Its servers, in the order in which an edge meets them.
    pub servers: Vec<ServerPlan>,
    /// Which way edges are walked; `None` for vertex operators.
    #[serde(skip)]
    pub direction: Option<Direction>,
    /// How the input set is stored.
    pub input: InputForm,
    /// How edges are stored.
    pub lists: EdgeLists,
    /// Bits per vertex of an output map; `None` for a list or no output.
    pub output_map_bits: Option<u32>,
    /// Vertices are looked up in a map before they are appended to the output list.
    pub dedup: bool,
    /// Updates of vertex data are atomic.
    pub atomic: bool,
    /// How lists are intersected.
    #[serde(skip)]
    pub intersection: Option<IntersectionKind>,
    /// How edges are given to the threads of a GPU.
    pub load_balance: Option<LoadBalance>,
    /// How a processor splits the operator over its cores.
    pub parallelism: Option<Parallelism>,
    /// Cache segments of a pull; 1 without.
    pub segments: u32,
    /// Vertices of a chunk of work on a processor.
    pub grain: u64,
    /// The first function that looks up neighbours on its own: these accesses have no server and are not counted.
    pub uncounted: Option<String>,
}

/// Vertices of a chunk where the schedule does not say.
const USUAL_GRAIN: u64 = 1024;

impl OperatorMachine {
    /// The machine of an operator of a module that went through all passes.
    pub fn of(module: &Module, operator: &Operator) -> OperatorMachine {
        match operator.edges() {
            Some(edges) => of_edges(module, operator.name(), edges),
            None => of_vertices(module, operator),
        }
    }

    /// How many lists the edges of a vertex make when they are cut into cache segments: the segments that so many
    /// neighbours, spread evenly, lie in. 0 without segments.
    pub fn lists_of(&self, degree: usize) -> u64 {
        if self.segments < 2 {
            return 0;
        }
        let segments = f64::from(self.segments);
        (segments * (1.0 - (1.0 - 1.0 / segments).powf(degree as f64))).round() as u64
    }

    /// The server of this name, where the machine has it.
    pub fn server(&self, server: Server) -> Option<&ServerPlan> {
        self.servers.iter().find(|plan| plan.server == server)
    }
}

fn of_edges(module: &Module, name: &'static str, edges: &EdgeSetIterator) -> OperatorMachine {
    let meta = &edges.meta;
    let facts = EdgeFacts::of(module, edges);
    let simple = meta.schedule.as_ref().and_then(|s| simple(s));
    let direction = meta.direction.unwrap_or(Direction::Push);
    let has_set = matches!(edges.from, VertexFilter::Set(_));
    let ordered = name == "OrderedProcessing";
    let lists = match simple.and_then(|s| s.edges) {
        Some(form) if form.is_edge_list() => EdgeLists::EdgeList,
        Some(EdgeForm::CsrM) => EdgeLists::CsrPairs,
        _ => EdgeLists::Csr,
    };
    let input = match (has_set || ordered, direction) {
        (false, _) => InputForm::All,
        (true, Direction::Push) if lists != EdgeLists::EdgeList => InputForm::List,
        (true, _) => InputForm::Map { bits: map_bits(meta.pull_input_frontier).unwrap_or(8) },
    };
    let output_map_bits = meta.requires_output.then(|| map_bits(meta.output_representation)).flatten();
    let dedup = meta.requires_output && output_map_bits.is_none() && meta.dedup != gw_ir::meta::Dedup::None;
    let mut machine = OperatorMachine {
        operator: name,
        servers: Vec::new(),
        direction: Some(direction),
        input,
        lists,
        output_map_bits,
        dedup,
        atomic: facts.writes_atomically,
        intersection: intersection_of(module, &facts),
        load_balance: simple.and_then(|s| s.load_balance),
        parallelism: simple.and_then(|s| s.parallelism),
        segments: match simple.and_then(|s| s.segments) {
            Some(Param::Value(segments)) if direction == Direction::Pull => {
                u32::try_from(segments).unwrap_or(u32::MAX).max(1)
            }
            _ => 1,
        },
        grain: match simple.and_then(|s| s.grain) {
            Some(Param::Value(grain)) if grain > 0 => grain,
            _ => USUAL_GRAIN,
        },
        uncounted: facts.functions.functions.iter().find(|f| looks_up_neighbours(module, f)).map(|f| f.to_string()),
    };
    machine.servers = servers_of_edges(edges, &facts, &machine);
    machine
}

/// The servers that an edge meets, in their order, on a machine whose other parts are known.
fn servers_of_edges(edges: &EdgeSetIterator, facts: &EdgeFacts, machine: &OperatorMachine) -> Vec<ServerPlan> {
    let OperatorMachine { input, lists, output_map_bits, dedup, atomic, intersection, .. } = *machine;
    let direction = machine.direction.unwrap_or(Direction::Push);
    let mut servers = Vec::new();
    let mut add = |server, how: String| servers.push(ServerPlan { server, how });
    let pull = direction == Direction::Pull;
    add(
        Server::Input,
        match pull {
            true => "all vertices as destinations".to_string(),
            false => input_words(input, direction),
        },
    );
    let (own, other) = if pull { (&edges.to, &edges.from) } else { (&edges.from, &edges.to) };
    let folded = edges.meta.to_folded && !pull;
    let own_map = direction == Direction::DensePush && matches!(edges.from, VertexFilter::Set(_));
    match (own, own_map) {
        (_, true) => add(Server::OwnFilter, "membership in the input map".into()),
        (VertexFilter::Function(f), _) => add(Server::OwnFilter, format!("function {}", f.name)),
        (VertexFilter::Set(_), _) if pull => add(Server::OwnFilter, "membership in a set".into()),
        _ => {}
    }
    match lists {
        EdgeLists::Csr => add(Server::EdgeRange, "two offsets per vertex".into()),
        EdgeLists::CsrPairs => add(Server::EdgeRange, "a pair of offsets per vertex".into()),
        EdgeLists::EdgeList => {}
    }
    let way = if pull { "in-edges" } else { "out-edges" };
    add(
        Server::Neighbour,
        match lists {
            EdgeLists::EdgeList => "both ends, from the edge list".into(),
            _ => format!("one per edge, along {way}"),
        },
    );
    match other {
        VertexFilter::Function(f) if !folded || pull => {
            add(Server::NeighbourFilter, format!("function {}", f.name));
        }
        VertexFilter::Set(_) if pull || own_set(other, edges) => {
            add(Server::NeighbourFilter, input_words(input, direction));
        }
        _ => {}
    }
    if facts.weight.is_some() {
        add(Server::Weight, "one per edge that passed the filters".into());
    }
    if facts.vectors.values().any(|v| v.read != gw_ir::analysis::operator::Places::NONE) {
        add(Server::Read, vectors(facts, |v| v.read != gw_ir::analysis::operator::Places::NONE));
    }
    let written = vectors(facts, |v| v.written != gw_ir::analysis::operator::Places::NONE);
    if !written.is_empty() || facts.priorities.is_some() {
        let written = match &facts.priorities {
            Some(priorities) if written.is_empty() => priorities.vector.to_string(),
            _ => written,
        };
        add(if atomic { Server::Atomic } else { Server::Write }, written);
    }
    if let Some(kind) = intersection {
        add(Server::Intersect, format!("{kind:?}").to_lowercase());
    }
    if edges.meta.requires_output {
        add(
            Server::Output,
            match (output_map_bits, dedup) {
                (Some(bits), _) => format!("map, {}", bits_words(bits)),
                (None, true) => "list, with a map against repeats".into(),
                (None, false) => "list".into(),
            },
        );
    }
    servers
}

/// How the functions of an operator intersect lists, where they do.
fn intersection_of(module: &Module, facts: &EdgeFacts) -> Option<IntersectionKind> {
    let mut intersection = None;
    for function in facts.functions.functions.iter().filter_map(|f| module.function(f)) {
        walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| {
            if let ExprKind::IntersectNeighbor { meta, .. } = &e.kind {
                intersection = Some(meta.kind.unwrap_or(IntersectionKind::Naive));
            }
        });
    }
    intersection
}

/// Whether the filter is a set of its own, not the input set that a push reads as a list.
fn own_set(filter: &VertexFilter, edges: &EdgeSetIterator) -> bool {
    std::ptr::eq(filter, &edges.to)
}

fn of_vertices(module: &Module, operator: &Operator) -> OperatorMachine {
    let (input, function, filters) = match operator {
        Operator::VertexSetIterator(v) => (is_all(v.meta.is_all_vertices), Some(&v.apply), false),
        Operator::VertexSetFilter(v) => (is_all(v.meta.is_all_vertices), Some(&v.filter), true),
        _ => (InputForm::List, None, false),
    };
    let touched = function.map(|f| gw_ir::analysis::operator::Touched::by(module, f));
    let names = |names: &std::collections::BTreeSet<gw_ir::source::Name>| {
        let names: Vec<&str> = names.iter().filter(|n| is_vector(module, n)).map(|n| &**n).collect();
        names.join(", ")
    };
    let mut servers = vec![ServerPlan { server: Server::Input, how: input_words(input, Direction::Push) }];
    if let Some(touched) = touched {
        let (reads, writes) = (names(&touched.reads), names(&touched.writes));
        let with = |server, how: String| (!how.is_empty()).then_some(ServerPlan { server, how });
        servers.extend(with(Server::Read, reads));
        servers.extend(with(Server::Write, writes));
    }
    if filters {
        servers.push(ServerPlan { server: Server::Output, how: "list".into() });
    }
    OperatorMachine {
        operator: operator.name(),
        servers,
        direction: None,
        input,
        lists: EdgeLists::Csr,
        output_map_bits: None,
        dedup: false,
        atomic: false,
        intersection: None,
        load_balance: None,
        parallelism: None,
        segments: 1,
        grain: USUAL_GRAIN,
        uncounted: function.and_then(|f| called(module, &f.name).into_iter().find(|f| looks_up_neighbours(module, f))),
    }
}

/// Whether a function asks for single neighbours or edges, as a random walk does.
fn looks_up_neighbours(module: &Module, function: &str) -> bool {
    let mut found = false;
    let body = module.function(function).and_then(|function| function.body.as_deref()).unwrap_or_default();
    walk::walk_block_exprs(body, &mut |expr| {
        use gw_ir::builtin::Builtin::{EdgeIndex, Neighbors, OutNeighbor, RandomInNeighbor, RandomOutNeighbor};
        found |= matches!(
            expr.kind,
            ExprKind::Builtin(OutNeighbor | RandomOutNeighbor | RandomInNeighbor | Neighbors | EdgeIndex, _)
        );
    });
    found
}

/// A function and all that it calls, each once.
fn called(module: &Module, function: &str) -> Vec<String> {
    let mut all = vec![function.to_string()];
    let mut at = 0;
    while let Some(name) = all.get(at).cloned() {
        at += 1;
        let body = module.function(&name).and_then(|function| function.body.as_deref()).unwrap_or_default();
        walk::walk_block_exprs(body, &mut |expr| {
            if let ExprKind::Call { function, .. } = &expr.kind
                && !all.iter().any(|known| *known == *function.name)
            {
                all.push(function.name.to_string());
            }
        });
    }
    all
}

fn is_vector(module: &Module, name: &str) -> bool {
    module.global(name).is_some_and(|global| matches!(global.ty, gw_ir::types::Type::Vector { .. }))
}

fn is_all(all: bool) -> InputForm {
    if all { InputForm::All } else { InputForm::List }
}

fn vectors(facts: &EdgeFacts, wanted: impl Fn(&gw_ir::analysis::operator::VectorUse) -> bool) -> String {
    let names: Vec<&str> = facts.vectors.iter().filter(|(_, v)| wanted(v)).map(|(name, _)| &**name).collect();
    names.join(", ")
}

fn input_words(input: InputForm, direction: Direction) -> String {
    match (input, direction) {
        (InputForm::All, _) => "all vertices".into(),
        (InputForm::List, _) => "list of vertices".into(),
        (InputForm::Map { bits }, Direction::Pull) => format!("in the input map, {}", bits_words(bits)),
        (InputForm::Map { bits }, _) => format!("map, {}", bits_words(bits)),
    }
}

fn bits_words(bits: u32) -> String {
    format!("{bits} bit{} per vertex", if bits == 1 { "" } else { "s" })
}

fn map_bits(form: Option<Representation>) -> Option<u32> {
    match form? {
        Representation::Sparse => None,
        Representation::Boolmap => Some(8),
        Representation::Bitmap => Some(1),
        Representation::LevelMask => Some(32),
    }
}

/// The simple schedule of an operator; variants of hybrids were bound to operators of their own.
fn simple(schedule: &Schedule) -> Option<&SimpleSchedule> {
    schedule.as_simple()
}
