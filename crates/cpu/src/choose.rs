//! The schedule that this machine takes when nobody gives one: a rule per operator, from the program and from cheap facts
//! about the graph and the processor. Every choice comes with its reason.
//!
//! | place | choice |
//! |---|---|
//! | edge operator from a set | push, and pull where much work lies ahead; only push where the mean degree is below 4 |
//! | edge operator over all edges that writes destinations | pull, shared by edges; cache segments where the vectors it reads by source outgrow the second-level cache |
//! | other edge operators | push, chunks of vertices |
//! | least-priority updates in an ordered loop | eager buckets with merging; width from mean weight and mean degree |
//! | sums of a constant | one update per vertex and round |
//! | other priority updates | lazy buckets |
//! | intersections | by the lengths of the lists |
//! | vertex operators | chunks of vertices |

use std::fmt;

use gw_graph::{Graph, Weights};
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::{Function, GlobalInit, Module};
use gw_ir::operator::{EdgeSetIterator, Operator};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Block, Stmt, StmtKind};
use gw_ir::{points, walk};
use gw_schedule::{
    Direction, FrontierForm, Hybrid, Intersection, Parallelism, Param, PointKind, PriorityChange, PriorityUpdate,
    ProgramPoint, ProgramSchedule, Schedule, SimpleSchedule, Sources,
};

use crate::capability::capabilities;
use crate::codegen::cell_bytes;

/// What the rule knows about a graph. Cheap to find, whatever the size.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphFacts {
    /// Vertices.
    pub vertices: usize,
    /// Stored edges.
    pub edges: usize,
    /// Every edge is stored in both directions.
    pub symmetric: bool,
    /// Mean weight, of a sample.
    pub mean_weight: Option<f64>,
}

impl GraphFacts {
    /// The facts about a graph.
    pub fn of(graph: &Graph) -> GraphFacts {
        const SAMPLE: usize = 1 << 12;
        let stride = (graph.edges() / SAMPLE).max(1);
        let mean = |sum: f64| sum / graph.edges().div_ceil(stride) as f64;
        let mean_weight = match graph.out().weights() {
            Weights::None => None,
            _ if graph.edges() == 0 => None,
            Weights::Int(w) => Some(mean(w.iter().step_by(stride).map(|&w| f64::from(w)).sum())),
            Weights::Float(w) => Some(mean(w.iter().step_by(stride).map(|&w| f64::from(w)).sum())),
        };
        GraphFacts { vertices: graph.vertices(), edges: graph.edges(), symmetric: graph.is_symmetric(), mean_weight }
    }

    /// Edges per vertex.
    pub fn mean_degree(&self) -> f64 {
        self.edges as f64 / self.vertices.max(1) as f64
    }
}

/// A chosen schedule and why.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The schedule, by label. Operators without a label of their own were given one.
    pub schedule: ProgramSchedule,
    /// One entry per place that got a schedule.
    pub reasons: Vec<Reason>,
}

/// Why a place got its schedule.
#[derive(Debug, Clone)]
pub struct Reason {
    /// Label path.
    pub path: String,
    /// The statement.
    pub span: Span,
    /// What stands there.
    pub what: &'static str,
    /// The schedule in canonical text.
    pub schedule: String,
    /// The reason, in words.
    pub because: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, `{}` ({}): {}\n    {}", self.span.line, self.path, self.what, self.schedule, self.because)
    }
}

/// The text that names the first graph a module loads, given its command line; `None` when it is computed.
pub fn graph_text(module: &Module, argv: &[String]) -> Option<String> {
    let mut text = None;
    let mut look = |expr: &Expr| {
        if let (ExprKind::EdgeSetLoad(file), None) = (&expr.kind, &text) {
            text = match &file.kind {
                ExprKind::Str(path) => Some(path.to_string()),
                ExprKind::Builtin(Builtin::Argv, args) => match args.first().map(|a| &a.kind) {
                    Some(ExprKind::Int(k)) => usize::try_from(*k).ok().and_then(|k| argv.get(k).cloned()),
                    _ => None,
                },
                _ => None,
            };
        }
    };
    for global in &module.globals {
        if let Some(GlobalInit::Value(init) | GlobalInit::PerEntry(init)) = &global.init {
            walk::walk_expr(init, &mut look);
        }
    }
    for body in walk::bodies(module) {
        walk::walk_block_exprs(body, &mut look);
    }
    text
}

/// Chooses a schedule for a module as lowered, before any pass. Returns the module with a label on every operator.
pub fn choose(mut module: Module, graph: &GraphFacts) -> (Module, Choice) {
    label_operators(&mut module);
    let mut choice = Choice::default();
    for place in points::program_points(&module) {
        let Some(path) = place.path.as_deref() else { continue };
        let operator = operator_at(&module, place.span);
        let Some((schedule, because)) = rule(&module, &place.point, operator, graph) else { continue };
        // A rule that the point or this machine forbids leaves the point to the defaults.
        if schedule.is_default()
            || schedule.legal(&place.point).is_err()
            || !capabilities().unsupported(&schedule).is_empty()
        {
            continue;
        }
        let reason = Reason {
            path: path.to_string(),
            span: place.span,
            what: place.point.kind.phrase(),
            schedule: schedule.to_string(),
            because,
        };
        if choice.schedule.set(path, schedule).is_ok() {
            choice.reasons.push(reason);
        }
    }
    (module, choice)
}

fn rule(
    module: &Module,
    point: &ProgramPoint,
    operator: Option<&EdgeSetIterator>,
    graph: &GraphFacts,
) -> Option<(Schedule, String)> {
    match point.kind {
        PointKind::EdgeOperator => Some(edge_rule(module, point, operator?, graph)),
        PointKind::PriorityOperator => Some(priority_rule(point, graph)),
        PointKind::Intersection => {
            let schedule = SimpleSchedule { intersection: Some(Intersection::Combined), ..SimpleSchedule::default() };
            Some((schedule.into(), "merge lists of similar length, search the longer one otherwise".to_string()))
        }
        _ => None,
    }
}

fn edge_rule(module: &Module, point: &ProgramPoint, op: &EdgeSetIterator, graph: &GraphFacts) -> (Schedule, String) {
    let degree = graph.mean_degree();
    let push = parallel(Direction::Push, Parallelism::Dynamic);
    let writes = writes(module, op);
    match point.from {
        Sources::Set if degree < FLAT_DEGREE => {
            (push.into(), format!("mean degree {degree:.1}: frontiers stay small, so it always pushes"))
        }
        Sources::Set => {
            let pull = SimpleSchedule {
                frontier: Some(FrontierForm::Bitmap),
                ..parallel(Direction::Pull, Parallelism::Dynamic)
            };
            let hybrid = Schedule::from(Hybrid { first: push, second: pull, ..Hybrid::push_pull() });
            match hybrid.legal(point) {
                Ok(()) => (hybrid, format!("mean degree {degree:.1}: pulls while a twentieth of the edges lies ahead")),
                Err(_) => (push.into(), "pulling is not possible here".to_string()),
            }
        }
        Sources::All if writes == Writes::Destination => {
            let pull = parallel(Direction::Pull, Parallelism::EdgeAware);
            let bytes = bytes_by_source(module, op) * graph.vertices;
            let cache = second_level_cache();
            let segments = bytes.div_ceil(cache);
            let segmented = SimpleSchedule { segments: Some(Param::Value(segments as u64)), ..pull };
            if segments > 1 && degree >= DENSE_DEGREE && segmented.legal(point).is_ok() {
                let because = format!(
                    "all edges, destinations owned; {} of vectors read by source against a cache of {}",
                    mib(bytes),
                    mib(cache)
                );
                return (segmented.into(), because);
            }
            (pull.into(), "all edges: pulling owns its destinations, no atomics".to_string())
        }
        _ => (push.into(), "its writes are not owned by destinations".to_string()),
    }
}

/// Below this mean degree frontiers of a search stay small.
const FLAT_DEGREE: f64 = 4.0;
/// From this mean degree on, segments save more than their extra lists cost.
const DENSE_DEGREE: f64 = 8.0;

fn priority_rule(point: &ProgramPoint, graph: &GraphFacts) -> (Schedule, String) {
    let push = parallel(Direction::Push, Parallelism::Dynamic);
    let eager = SimpleSchedule {
        update: Some(PriorityUpdate::EagerWithMerge),
        delta: Some(Param::Value(bucket_width(graph))),
        ..push
    };
    if point.priority_change == Some(PriorityChange::Min) && point.eager_loop && eager.legal(point).is_ok() {
        let weight = graph.mean_weight.unwrap_or(1.0);
        let because =
            format!("mean weight {weight:.0}, mean degree {:.1}: bucket width from both", graph.mean_degree());
        return (eager.into(), because);
    }
    let counted = SimpleSchedule { update: Some(PriorityUpdate::ConstantSum), ..push };
    if point.priority_change == Some(PriorityChange::ConstantSum) && graph.symmetric && counted.legal(point).is_ok() {
        return (counted.into(), "a constant per edge: counted first, one update per vertex and round".to_string());
    }
    (push.into(), "lazy buckets".to_string())
}

/// Dense graphs settle a bucket in one or two rounds, so narrow ones avoid wasted work; flat ones have so few vertices
/// per bucket that wide ones are needed to keep all cores at work. The factors are measured (bench/cpu-choice.md).
fn bucket_width(graph: &GraphFacts) -> u64 {
    let weight = graph.mean_weight.unwrap_or(1.0).max(1.0);
    let factor = if graph.mean_degree() < FLAT_DEGREE { 32.0 } else { 4.0 / graph.mean_degree().min(32.0) };
    ((weight * factor).round() as u64).max(1)
}

fn parallel(direction: Direction, parallelism: Parallelism) -> SimpleSchedule {
    SimpleSchedule { parallelism: Some(parallelism), ..SimpleSchedule::with_direction(direction) }
}

fn mib(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// Bytes of the second-level cache of a core; 1 MiB where the system does not tell.
fn second_level_cache() -> usize {
    let told = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index2/size").ok();
    let size = told.and_then(|text| text.trim().strip_suffix('K')?.parse::<usize>().ok());
    size.map_or(1 << 20, |kib| kib << 10).max(1 << 16)
}

/// Whose entries an edge function writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    Destination,
    Other,
}

fn writes(module: &Module, op: &EdgeSetIterator) -> Writes {
    let Some(function) = module.function(&op.apply.name) else { return Writes::Other };
    let Some(destination) = function.params.get(1) else { return Writes::Other };
    let mut only = true;
    let mut some = false;
    each_write(function, &mut |target| {
        if let ExprKind::Element { index, .. } = &target.kind {
            some = true;
            only &= index.as_var() == Some(&destination.name);
        }
    });
    let calls = walks(function, |e| matches!(e.kind, ExprKind::Call { .. }));
    if some && only && !calls { Writes::Destination } else { Writes::Other }
}

/// Bytes per vertex of the vectors that an edge function reads at its source.
fn bytes_by_source(module: &Module, op: &EdgeSetIterator) -> usize {
    let Some(function) = module.function(&op.apply.name) else { return 0 };
    let Some(source) = function.params.first() else { return 0 };
    let mut vectors: Vec<(Name, usize)> = Vec::new();
    walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| {
        if let ExprKind::Element { vector, index, .. } = &e.kind
            && index.as_var() == Some(&source.name)
            && let Some(name) = vector.place_root()
        {
            vectors.push((name.clone(), e.ty.scalar().map_or(8, |s| cell_bytes(s) as usize)));
        }
    });
    vectors.sort();
    vectors.dedup();
    vectors.iter().map(|(_, bytes)| bytes).sum()
}

fn each_write(function: &Function, visit: &mut dyn FnMut(&Expr)) {
    let body = function.body.as_deref().unwrap_or_default();
    walk::walk_stmts(body, &mut |stmt| {
        if let StmtKind::Assign { target, .. } = &stmt.kind {
            visit(target);
        }
    });
    walk::walk_block_exprs(body, &mut |e| {
        if let ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } = &e.kind {
            visit(target);
        }
    });
}

fn walks(function: &Function, test: impl Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    walk::walk_block_exprs(function.body.as_deref().unwrap_or_default(), &mut |e| found |= test(e));
    found
}

/// The edge operator of the statement at a place.
fn operator_at(module: &Module, span: Span) -> Option<&EdgeSetIterator> {
    walk::bodies(module).find_map(|body| {
        let mut found = None;
        walk::walk_stmts(body, &mut |stmt| {
            if stmt.span == span && found.is_none() {
                found = stmt.operator().and_then(Operator::edges);
            }
        });
        found
    })
}

/// Gives every operator statement without a label one, so that a schedule can name it.
fn label_operators(module: &mut Module) {
    let mut taken: Vec<String> = points::label_paths(module);
    let mut next = 0;
    let mut fresh = || loop {
        next += 1;
        let label = format!("op{next}");
        if !taken.iter().any(|path| path.split(':').any(|part| part == label)) {
            taken.push(label.clone());
            return label;
        }
    };
    fn visit(block: &mut Block, fresh: &mut dyn FnMut() -> String) {
        for stmt in block {
            if stmt.label.is_none() && takes_schedule(stmt) {
                stmt.label = Some(fresh().as_str().into());
            }
            for inner in stmt.blocks_mut() {
                visit(inner, fresh);
            }
        }
    }
    for body in walk::bodies_mut(module) {
        visit(body, &mut fresh);
    }
}

fn takes_schedule(stmt: &Stmt) -> bool {
    let mut intersects = false;
    walk::stmt_exprs(stmt, &mut |e| {
        walk::walk_expr(e, &mut |e| {
            intersects |= matches!(e.kind, ExprKind::Intersection { .. } | ExprKind::IntersectNeighbor { .. });
        });
    });
    intersects || stmt.operator().is_some_and(|op| op.edges().is_some())
}
