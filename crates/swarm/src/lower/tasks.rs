//! Operators as trees of tasks: a tree hands out ranges by halves, leaves visit vertices or edges.

use std::collections::HashMap;

use gw_ir::analysis::operator::{FunctionFacts, each_write};
use gw_ir::expr::{BinaryOp, FunctionRef};
use gw_ir::meta::Dedup;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::types::{Scalar, Type};
use gw_schedule::{LoadBalance, Schedule, SimpleSchedule, SwarmQueue, Toggle};

use super::body::{Body, Enqueue, Slot};
use super::build::{Build, Built, GraphRef, ObjectRef, Ops, ParamRef, Unsupported};
use crate::sim::code::{Code, FunctionId, ObjectId, Op, Reg};

/// Entries of 4 bytes in a cache line: the work of a coarse task.
pub const COARSE: u64 = 16;
/// Leaves that the last task of a tree creates.
const FAN_OUT: u64 = 8;
/// The channel of output sets.
pub const OUTPUT: u16 = 0;

/// What a schedule says about tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// A task per edge (or line of edges) instead of one per vertex.
    pub edge_tasks: bool,
    /// A line of work per task instead of one element.
    pub coarsen: bool,
    /// Tasks go to the tile that owns the line they write.
    pub hint: bool,
    /// Neighbouring tasks work far apart.
    pub stride: bool,
    /// Repeats are kept out of ordered queues.
    pub dedup: bool,
    /// The queue of a loop, where the schedule names one.
    pub queue: Option<SwarmQueue>,
}

impl Style {
    /// The style of a bound schedule; the defaults without one.
    pub fn of(schedule: Option<&Schedule>) -> Style {
        let default = SimpleSchedule::default();
        let simple = schedule.and_then(Schedule::as_simple).unwrap_or(&default);
        let is_on = |toggle: Option<Toggle>| toggle == Some(Toggle::On);
        Style {
            edge_tasks: simple.load_balance == Some(LoadBalance::EdgeBased),
            coarsen: is_on(simple.coarsen),
            hint: is_on(simple.hint),
            stride: is_on(simple.stride),
            dedup: simple.dedup == Some(gw_schedule::Dedup::On),
            queue: simple.queue,
        }
    }

    /// Elements per leaf.
    pub fn grain(&self) -> u64 {
        if self.coarsen { COARSE } else { 1 }
    }
}

/// What the leaves of an operator count through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// Vertices of the graph or element.
    Vertices,
    /// Members of the input set.
    Members,
    /// Edges of the graph.
    Edges,
}

/// A task program and where it begins.
#[derive(Debug)]
pub struct Region {
    /// The program.
    pub code: Code,
    /// What object numbers stand for.
    pub objects: Vec<ObjectRef>,
    /// What parameter numbers stand for.
    pub params: Vec<ParamRef>,
    /// The tree: `(first leaf, last leaf + 1, units)`.
    pub tree: FunctionId,
    /// What the leaves count through.
    pub units: Units,
    /// How it is cut into tasks.
    pub style: Style,
}

impl Region {
    /// The finished program.
    pub fn new(build: Build<'_>, tree: FunctionId, units: Units, style: Style) -> Region {
        Region { code: build.code, objects: build.objects, params: build.params, tree, units, style }
    }

    /// The leaves of the tree for this number of units on this number of cores.
    pub fn leaves(&self, units: u64, cores: u64) -> u64 {
        let leaves = units.div_ceil(self.style.grain());
        match self.style.stride {
            true => (8 * cores) * leaves.div_ceil(8 * cores),
            false => leaves,
        }
    }
}

/// How captures get their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Captured {
    /// They come with the operator call.
    ByCall,
    /// They are expressions of the host function around the operator.
    Expressions,
}

impl Captured {
    /// The captures of a function in role 0 (apply), 1 (from) or 2 (to).
    pub fn slots(self, body: &mut Body<'_, '_, '_>, function: &FunctionRef, role: u8) -> Built<Vec<Slot>> {
        match self {
            Captured::Expressions => body.slots(&function.captures),
            Captured::ByCall => {
                let types = body.build.module.function(&function.name).map(|f| f.captures.clone()).unwrap_or_default();
                let slot = |(i, capture): (usize, gw_ir::module::Param)| match capture.ty {
                    Type::Vector { .. } => Slot::Object(ObjectRef::Capture(role, i as u8)),
                    _ => Slot::Reg(body.ops.param(body.build, ParamRef::Capture(role, i as u8))),
                };
                Ok(types.into_iter().enumerate().map(slot).collect())
            }
        }
    }
}

/// An edge operator inside a task.
pub struct EdgeTask<'a> {
    /// The operator.
    pub op: &'a EdgeSetIterator,
    /// Its graph.
    pub graph: GraphRef,
    /// Its captures.
    pub captured: Captured,
    /// The bucket of the task in an ordered loop.
    pub bucket: Option<Reg>,
}

impl EdgeTask<'_> {
    /// The range of edges of a vertex.
    pub fn range(&self, build: &mut Build<'_>, ops: &mut Ops, vertex: Reg) -> (Reg, Reg) {
        let offsets = build.object(ObjectRef::Offsets(self.graph.clone()));
        let low = ops.load(offsets, vertex);
        let one = ops.constant(1);
        let next = ops.count(BinaryOp::Add, vertex, one);
        (low, ops.load(offsets, next))
    }

    /// A jump that is taken where the source does not pass the `from` function.
    pub fn from_filter(&self, build: &mut Build<'_>, ops: &mut Ops, source: Reg) -> Built<Option<usize>> {
        let VertexFilter::Function(filter) = &self.op.from else { return Ok(None) };
        let mut nothing = nothing_to_enqueue;
        let mut body = Body::new(build, ops, HashMap::new(), self.bucket, &mut nothing);
        let captures = self.captured.slots(&mut body, filter, 1)?;
        let passes = body.call(filter, captures, vec![Slot::Reg(source)])?;
        let passes = passes.ok_or_else(|| Unsupported("a filter without a result".into()))?;
        Ok(Some(ops.jump(Some((passes, false)))))
    }

    /// What happens on an edge. `emit` is called with a vertex that goes into the output.
    pub fn edge(&self, build: &mut Build<'_>, ops: &mut Ops, source: Reg, edge: Reg, emit: Enqueue<'_>) -> Built<()> {
        let op = self.op;
        let targets = build.object(ObjectRef::Targets(self.graph.clone()));
        let target = ops.load(targets, edge);
        let mut outs = Vec::new();
        if matches!(op.to, VertexFilter::Set(_)) {
            let members = build.object(ObjectRef::ToSet);
            let inside = ops.load(members, target);
            outs.push(ops.jump(Some((inside, false))));
        }
        let weight = op.graph.ty.weight();
        let function = build.module.function(&op.apply.name);
        let params = function.map(|f| f.params.clone()).unwrap_or_default();
        let mut args = vec![Slot::Reg(source), Slot::Reg(target)];
        for param in params.iter().skip(2) {
            args.push(match (&param.ty, weight) {
                (Type::VertexSet(_), _) => Slot::Output,
                (ty, Some(_)) => {
                    let wanted = ty.scalar().unwrap_or(Scalar::Int);
                    let weights = build.object(ObjectRef::Weights(self.graph.clone(), wanted));
                    Slot::Reg(ops.load(weights, edge))
                }
                _ => return Err(Unsupported("a weight that the graph does not have".into())),
            });
        }
        if let (VertexFilter::Function(filter), false) = (&op.to, op.meta.to_folded) {
            let mut nothing = nothing_to_enqueue;
            let mut body = Body::new(build, ops, HashMap::new(), self.bucket, &mut nothing);
            let captures = self.captured.slots(&mut body, filter, 2)?;
            let passes = body.call(filter, captures, vec![Slot::Reg(target)])?;
            let passes = passes.ok_or_else(|| Unsupported("a filter without a result".into()))?;
            outs.push(ops.jump(Some((passes, false))));
        }
        let accepted = matches!(op.output, EdgeOutput::Accepted { .. }) && !op.meta.udf_enqueues;
        if matches!(op.output, EdgeOutput::Modified { .. }) && !op.meta.udf_enqueues {
            return Err(Unsupported("a module before the pass `tracking`".into()));
        }
        let result = {
            let mut body = Body::new(build, ops, HashMap::new(), self.bucket, &mut *emit);
            let captures = self.captured.slots(&mut body, &op.apply, 0)?;
            body.call(&op.apply, captures, args)?
        };
        if let Some(result) = result.filter(|_| accepted) {
            let over = ops.jump(Some((result, false)));
            emit(build, ops, target)?;
            ops.land(over);
        }
        outs.into_iter().for_each(|out| ops.land(out));
        Ok(())
    }

    /// The vector whose lines are the hints: the one that is tracked, else the first that is written.
    pub fn hinted(&self, build: &Build<'_>) -> Option<Name> {
        if let EdgeOutput::Modified { vector, .. } = &self.op.output {
            return build.module.global(vector).is_some().then(|| vector.clone());
        }
        written_vector(build.module, &self.op.apply.name)
    }
}

/// The first global vector that a function writes.
fn written_vector(module: &Module, function: &str) -> Option<Name> {
    let body = module.function(function)?.body.as_ref()?;
    let mut found = None;
    each_write(body, &mut |write| {
        let root = write.target.place_root().filter(|_| write.target.as_var().is_none());
        let root = root.filter(|name| module.global(name).is_some_and(|g| matches!(g.ty, Type::Vector { .. })));
        found = found.take().or_else(|| root.cloned());
    });
    found
}

/// Filters enqueue nothing.
fn nothing_to_enqueue(_: &mut Build<'_>, _: &mut Ops, _: Reg) -> Built<()> {
    Err(Unsupported("a filter that enqueues".into()))
}

/// Puts a vertex into the output set, each once where repeats must go.
fn into_output(dedup: bool) -> impl FnMut(&mut Build<'_>, &mut Ops, Reg) -> Built<()> {
    move |build, ops, vertex| {
        let mut out = None;
        if dedup {
            let notes = build.object(ObjectRef::Notes);
            let known = ops.load(notes, vertex);
            out = Some(ops.jump(Some((known, true))));
            let one = ops.constant(1);
            ops.push(Op::Store { object: notes, index: vertex, from: one });
        }
        ops.push(Op::Emit { channel: OUTPUT, from: vertex });
        out.into_iter().for_each(|out| ops.land(out));
        Ok(())
    }
}

/// Which global scalars functions write, and which of them can be kept in parts.
pub fn note_scalars(build: &mut Build<'_>, functions: impl IntoIterator<Item = Name>) {
    let facts = FunctionFacts::of(build.module, functions);
    let reductions = facts.scalar_reductions.iter().filter(|r| !r.result_used);
    build.reductions = reductions.map(|r| (r.name.clone(), r.op)).collect();
    build.written = facts.written_scalars.into_iter().collect();
}

/// The functions of an edge operator.
pub fn functions_of(op: &EdgeSetIterator) -> Vec<Name> {
    let filters = [&op.from, &op.to].into_iter().filter_map(|filter| match filter {
        VertexFilter::Function(f) => Some(f.name.clone()),
        _ => None,
    });
    filters.chain([op.apply.name.clone()]).collect()
}

/// The task program of an operator.
pub fn operator(module: &Module, operator: &Operator) -> Built<Region> {
    match operator {
        Operator::EdgeSetIterator(op) => edges(module, op),
        Operator::VertexSetIterator(op) => {
            let style = Style::of(op.meta.schedule.as_deref());
            vertices(module, &op.apply, style, false, op.meta.is_all_vertices)
        }
        Operator::VertexSetFilter(op) => {
            let style = Style::of(op.meta.schedule.as_deref());
            vertices(module, &op.filter, style, true, op.meta.is_all_vertices)
        }
        other => Err(Unsupported(format!("{} as tasks of its own", other.name()))),
    }
}

fn edges(module: &Module, op: &EdgeSetIterator) -> Built<Region> {
    let style = Style::of(op.meta.schedule.as_deref());
    let mut build = Build::new(module);
    note_scalars(&mut build, functions_of(op));
    let task = EdgeTask { op, graph: GraphRef::Own, captured: Captured::ByCall, bucket: None };
    let mut emit = into_output(op.meta.dedup != Dedup::None);
    let hinted = task.hinted(&build).filter(|_| style.hint).map(ObjectRef::Vector);
    let units = match (&op.from, style.edge_tasks) {
        (VertexFilter::Set(_), _) => Units::Members,
        (_, true) => Units::Edges,
        (_, false) => Units::Vertices,
    };
    let leaf = build.reserve();
    let mut ops = Ops::with_args(2);
    if units == Units::Edges {
        let sources = build.object(ObjectRef::Sources(GraphRef::Own));
        ops.for_range(0, 1, 1, |ops, edge| {
            let source = ops.load(sources, edge);
            let out = task.from_filter(&mut build, ops, source)?;
            task.edge(&mut build, ops, source, edge, &mut emit)?;
            out.into_iter().for_each(|out| ops.land(out));
            Ok(())
        })?;
    } else {
        let inner = style.edge_tasks.then(|| build.reserve());
        ops.for_range(0, 1, 1, |ops, at| {
            let vertex = member(&mut build, ops, units, at);
            let (low, high) = task.range(&mut build, ops, vertex);
            let some = ops.count(BinaryOp::Lt, low, high);
            let mut outs = vec![ops.jump(Some((some, false)))];
            outs.extend(task.from_filter(&mut build, ops, vertex)?);
            match inner {
                None => ops.for_range(low, high, 1, |ops, edge| task.edge(&mut build, ops, vertex, edge, &mut emit))?,
                Some(inner) => {
                    let now = timestamp(ops);
                    let hint = hinted.clone();
                    spawn_edges(&mut build, ops, &task.graph, (low, high), style, |build, ops, low, high, first| {
                        let hint = hint.clone().map(|vector| (build.object(vector), first));
                        ops.enqueue(inner, now, hint, &[vertex, low, high])
                    })?;
                }
            }
            outs.into_iter().for_each(|out| ops.land(out));
            Ok(())
        })?;
        if let Some(inner) = inner {
            let mut ops = Ops::with_args(3);
            ops.for_range(1, 2, 1, |ops, edge| task.edge(&mut build, ops, 0, edge, &mut emit))?;
            build.define(inner, "edges", ops);
        }
    }
    build.define(leaf, &op.apply.name, ops);
    let tree = tree(&mut build, leaf, units, style, hinted)?;
    Ok(Region::new(build, tree, units, style))
}

fn vertices(module: &Module, function: &FunctionRef, style: Style, filter: bool, all: bool) -> Built<Region> {
    let mut build = Build::new(module);
    note_scalars(&mut build, [function.name.clone()]);
    let units = if all { Units::Vertices } else { Units::Members };
    let leaf = build.reserve();
    let mut ops = Ops::with_args(2);
    ops.for_range(0, 1, 1, |ops, at| {
        let vertex = member(&mut build, ops, units, at);
        let mut nothing = nothing_to_enqueue;
        let mut body = Body::new(&mut build, ops, HashMap::new(), None, &mut nothing);
        let captures = Captured::ByCall.slots(&mut body, function, 0)?;
        let result = body.call(function, captures, vec![Slot::Reg(vertex)])?;
        if let Some(result) = result.filter(|_| filter) {
            let out = ops.jump(Some((result, false)));
            ops.push(Op::Emit { channel: OUTPUT, from: vertex });
            ops.land(out);
        }
        Ok(())
    })?;
    build.define(leaf, &function.name, ops);
    // Vertex operators take no swarm settings; a line of vertices per task is the cheapest fair share.
    let style = Style { coarsen: true, ..style };
    let tree = tree(&mut build, leaf, units, style, None)?;
    Ok(Region::new(build, tree, units, style))
}

/// Unit number `at`: itself, or a member of the input set.
pub fn member(build: &mut Build<'_>, ops: &mut Ops, units: Units, at: Reg) -> Reg {
    match units {
        Units::Members => {
            let members = build.object(ObjectRef::Members);
            ops.load(members, at)
        }
        Units::Vertices | Units::Edges => ops.copy(at),
    }
}

/// The timestamp of the task.
pub fn timestamp(ops: &mut Ops) -> Reg {
    let to = ops.reg();
    ops.push(Op::Timestamp { to });
    to
}

/// Position `i` of `units` in spread order: neighbours of the order are `units / period` apart. The result may be too
/// large, where the period does not divide the units.
fn spread(build: &mut Build<'_>, ops: &mut Ops, i: Reg, units: Reg) -> Reg {
    let cores = ops.param(build, ParamRef::Cores);
    let eight = ops.constant(8);
    let period = ops.count(BinaryOp::Mul, cores, eight);
    let one = ops.constant(1);
    let more = ops.count(BinaryOp::Add, units, period);
    let more = ops.count(BinaryOp::Sub, more, one);
    let rows = ops.count(BinaryOp::Div, more, period);
    let column = ops.reg();
    ops.push(Op::Divide { scalar: Scalar::Uint64, remainder: true, to: column, a: i, b: period });
    let row = ops.count(BinaryOp::Div, i, period);
    let start = ops.count(BinaryOp::Mul, column, rows);
    ops.count(BinaryOp::Add, start, row)
}

/// Creates tasks for the edges of a list, one or a line each; `spawn` gets the range and the destination of its first
/// edge.
pub fn spawn_edges(
    build: &mut Build<'_>,
    ops: &mut Ops,
    graph: &GraphRef,
    (low, high): (Reg, Reg),
    style: Style,
    mut spawn: impl FnMut(&mut Build<'_>, &mut Ops, Reg, Reg, Reg) -> Built<()>,
) -> Built<()> {
    let targets = build.object(ObjectRef::Targets(graph.clone()));
    let grain = style.grain();
    ops.for_range(low, high, grain, |ops, edge| {
        let step = ops.constant(grain);
        let end = ops.count(BinaryOp::Add, edge, step);
        let end = smaller(ops, end, high);
        let first = if style.hint { ops.load(targets, edge) } else { edge };
        spawn(build, ops, edge, end, first)
    })
}

fn smaller(ops: &mut Ops, a: Reg, b: Reg) -> Reg {
    let to = ops.reg();
    ops.push(Op::Binary { f: |a, b| a.min(b), to, a, b });
    to
}

/// The tree above leaves: `(first leaf, last leaf + 1, units)`.
fn tree(
    build: &mut Build<'_>,
    leaf: FunctionId,
    units: Units,
    style: Style,
    hinted: Option<ObjectRef>,
) -> Built<FunctionId> {
    let tree = build.reserve();
    let mut ops = Ops::with_args(3);
    let (first, last, total) = (0, 1, 2);
    let now = timestamp(&mut ops);
    let hint_of = |build: &mut Build<'_>, ops: &mut Ops, low: Reg| -> Option<(ObjectId, Reg)> {
        let vector = hinted.clone()?;
        let index = match units {
            Units::Edges => {
                let targets = build.object(ObjectRef::Targets(GraphRef::Own));
                ops.load(targets, low)
            }
            units => member(build, ops, units, low),
        };
        Some((build.object(vector), index))
    };
    halves(build, &mut ops, tree, now, (first, last, total), |build, ops, at| {
        let grain = ops.constant(style.grain());
        let one = ops.constant(1);
        let more = ops.count(BinaryOp::Add, total, grain);
        let more = ops.count(BinaryOp::Sub, more, one);
        let leaves = ops.count(BinaryOp::Div, more, grain);
        let at = if style.stride { spread(build, ops, at, leaves) } else { at };
        let low = ops.count(BinaryOp::Mul, at, grain);
        let inside = ops.count(BinaryOp::Lt, low, total);
        let out = ops.jump(Some((inside, false)));
        let high = ops.count(BinaryOp::Add, low, grain);
        let high = smaller(ops, high, total);
        let hint = hint_of(build, ops, low);
        ops.enqueue(leaf, now, hint, &[low, high])?;
        ops.land(out);
        Ok(())
    })?;
    build.define(tree, "tree", ops);
    Ok(tree)
}

/// The body of a tree: a large range becomes two tasks, `each` is written for the leaves of a small one.
pub fn halves(
    build: &mut Build<'_>,
    ops: &mut Ops,
    tree: FunctionId,
    now: Reg,
    (first, last, total): (Reg, Reg, Reg),
    each: impl FnOnce(&mut Build<'_>, &mut Ops, Reg) -> Built<()>,
) -> Built<()> {
    let size = ops.count(BinaryOp::Sub, last, first);
    let few = ops.constant(FAN_OUT);
    let small = ops.count(BinaryOp::Le, size, few);
    let to_leaves = ops.jump(Some((small, true)));
    let two = ops.constant(1);
    let half = ops.reg();
    ops.push(Op::Binary { f: |a, b| a >> b, to: half, a: size, b: two });
    let middle = ops.count(BinaryOp::Add, first, half);
    ops.enqueue(tree, now, None, &[first, middle, total])?;
    ops.enqueue(tree, now, None, &[middle, last, total])?;
    let end = ops.jump(None);
    ops.land(to_leaves);
    ops.for_range(first, last, 1, |ops, at| each(build, ops, at))?;
    ops.land(end);
    Ok(())
}
