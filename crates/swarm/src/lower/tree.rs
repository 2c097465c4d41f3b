//! Operators as trees of tasks: a tree hands out ranges by halves, leaves visit vertices or edges.

use gw_ir::analysis::operator::FunctionFacts;
use gw_ir::expr::{BinaryOp, FunctionRef};
use gw_ir::meta::Dedup;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::types::Scalar;

use super::body::{Body, Slot};
use super::build::{Build, Built, GraphRef, ObjectRef, Ops, ParamRef, Unsupported};
use super::edge::{Captured, Edge, EdgeTask, functions_of};
use super::style::Style;
use crate::sim::code::{Code, FunctionId, Op, Reg};

/// Leaves that the last task of a tree creates.
const FAN_OUT: u64 = 8;
/// The channel of output sets.
pub const OUTPUT: u16 = 0;

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

    /// A loop: its tree makes a task of every member of the first frontier, as all others have their own.
    pub fn of_loop(
        mut build: Build<'_>,
        style: Style,
        each: impl FnOnce(&mut Build<'_>, &mut Ops, Reg, Reg) -> Built<()>,
    ) -> Built<Region> {
        let tree = build.reserve();
        let mut ops = Ops::with_args(3);
        let now = ops.timestamp();
        halves(&mut build, &mut ops, tree, now, |build, ops, at| {
            let vertex = member(build, ops, Units::Members, at);
            each(build, ops, now, vertex)
        })?;
        build.define(tree, "tree", ops);
        Ok(Region::new(build, tree, Units::Members, Style { coarsen: false, stride: false, ..style }))
    }

    /// The leaves of the tree for this number of units on this number of cores.
    pub fn leaves(&self, units: u64, cores: u64) -> u64 {
        let leaves = units.div_ceil(self.style.grain());
        let period = PERIOD_PER_CORE * cores;
        if self.style.stride { period * leaves.div_ceil(period) } else { leaves }
    }
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
        ops.land_all(out);
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
    let mut visit =
        |build: &mut Build<'_>, ops: &mut Ops, edge: &Edge, _: &[Reg]| task.visit(build, ops, edge, &mut emit);
    let hint = task.hinted(&build).filter(|_| style.hint);
    let units = match (&op.from, style.edge_tasks) {
        (VertexFilter::Set(_), _) => Units::Members,
        (_, true) => Units::Edges,
        (_, false) => Units::Vertices,
    };
    let leaf = build.reserve();
    if units == Units::Edges {
        let sources = build.object(ObjectRef::Sources(GraphRef::Own));
        let mut handed = Vec::new();
        let tree = tree(&mut build, style, |build, ops, low, high, now| {
            if style.coarsen {
                let hint = hint.clone().map(|vector| {
                    let targets = build.object(ObjectRef::Targets(GraphRef::Own));
                    (build.object(vector), ops.load(targets, low))
                });
                return ops.enqueue(leaf, now, hint, &[low, high]);
            }
            let source = ops.load(sources, low);
            let out = task.from_filter(build, ops, source)?;
            let edge = task.edge(build, ops, source, low);
            handed = task.hand_over(build, ops, source, 0);
            task.spawn(build, ops, leaf, now, &edge.with(handed.clone()), hint.clone(), &[])?;
            ops.land_all(out);
            Ok(())
        })?;
        if style.coarsen {
            let mut ops = Ops::with_args(2);
            ops.for_range(0, 1, 1, |ops, number| {
                let source = ops.load(sources, number);
                let out = task.from_filter(&mut build, ops, source)?;
                let edge = task.edge(&mut build, ops, source, number);
                visit(&mut build, ops, &edge, &[])?;
                ops.land_all(out);
                Ok(())
            })?;
            build.define(leaf, &op.apply.name, ops);
        } else {
            task.define(&mut build, leaf, style, &handed, 0, &mut visit)?;
        }
        return Ok(Region::new(build, tree, units, style));
    }
    let mut ops = Ops::with_args(2);
    ops.for_range(0, 1, 1, |ops, at| {
        let vertex = member(&mut build, ops, units, at);
        let out = task.from_filter(&mut build, ops, vertex)?;
        // Lists are handed out by lines, vertices one by one: `coarsen` and `stride` are about the smaller ones.
        task.each_edge(&mut build, ops, vertex, style, hint.clone(), &[], &mut visit)?;
        ops.land_all(out);
        Ok(())
    })?;
    build.define(leaf, &op.apply.name, ops);
    let tree = tree(&mut build, style, leaves(leaf, units, hint))?;
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
        let mut body = Body::new(&mut build, ops, None);
        let captures = Captured::ByCall.slots(&mut body, function, 0)?;
        let result = body.inline(&function.name, captures, vec![Slot::Reg(vertex)])?;
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
    let tree = tree(&mut build, style, leaves(leaf, units, None))?;
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

/// The smaller one.
pub fn smaller(ops: &mut Ops, a: Reg, b: Reg) -> Reg {
    ops.apply(u64::min, "min", a, b)
}

/// Places of the period of the spread order per core.
const PERIOD_PER_CORE: u64 = 8;

/// Position `i` of `units` in spread order: neighbours of the order are `units / period` apart. It may be too large,
/// where the period does not divide the units.
fn spread(build: &mut Build<'_>, ops: &mut Ops, i: Reg, units: Reg) -> Reg {
    let cores = ops.param(build, ParamRef::Cores);
    let period = ops.count_by(BinaryOp::Mul, cores, PERIOD_PER_CORE);
    let more = ops.count(BinaryOp::Add, units, period);
    let more = ops.count_by(BinaryOp::Sub, more, 1);
    let rows = ops.count(BinaryOp::Div, more, period);
    let column = ops.divide(Scalar::Uint64, true, i, period);
    let row = ops.count(BinaryOp::Div, i, period);
    let start = ops.count(BinaryOp::Mul, column, rows);
    ops.count(BinaryOp::Add, start, row)
}

/// Creates a leaf for a range of units; its hint is the line of its first vertex.
fn leaves(
    leaf: FunctionId,
    units: Units,
    hint: Option<ObjectRef>,
) -> impl FnOnce(&mut Build<'_>, &mut Ops, Reg, Reg, Reg) -> Built<()> {
    move |build, ops, low, high, now| {
        let hint = hint.map(|vector| {
            let index = member(build, ops, units, low);
            (build.object(vector), index)
        });
        ops.enqueue(leaf, now, hint, &[low, high])
    }
}

/// The tree above leaves: `(first leaf, last leaf + 1, units)`. `leaf` gets the units of a leaf and the timestamp.
fn tree(
    build: &mut Build<'_>,
    style: Style,
    leaf: impl FnOnce(&mut Build<'_>, &mut Ops, Reg, Reg, Reg) -> Built<()>,
) -> Built<FunctionId> {
    let tree = build.reserve();
    let mut ops = Ops::with_args(3);
    let (now, grain, total) = (ops.timestamp(), style.grain(), 2);
    halves(build, &mut ops, tree, now, |build, ops, mut at| {
        let mut out = None;
        if style.stride {
            let more = ops.count_by(BinaryOp::Add, total, grain - 1);
            let leaves = ops.count_by(BinaryOp::Div, more, grain);
            at = spread(build, ops, at, leaves);
        }
        let low = ops.count_by(BinaryOp::Mul, at, grain);
        if style.stride {
            let inside = ops.count(BinaryOp::Lt, low, total);
            out = Some(ops.jump(Some((inside, false))));
        }
        let high = ops.count_by(BinaryOp::Add, low, grain);
        let high = smaller(ops, high, total);
        leaf(build, ops, low, high, now)?;
        ops.land_all(out);
        Ok(())
    })?;
    build.define(tree, "tree", ops);
    Ok(tree)
}

/// The body of a tree with arguments `(first, last + 1, units)`: a large range becomes two tasks, `each` is written for
/// the leaves of a small one.
pub fn halves(
    build: &mut Build<'_>,
    ops: &mut Ops,
    tree: FunctionId,
    now: Reg,
    each: impl FnOnce(&mut Build<'_>, &mut Ops, Reg) -> Built<()>,
) -> Built<()> {
    let (first, last, total) = (0, 1, 2);
    let size = ops.count(BinaryOp::Sub, last, first);
    let small = ops.count_by(BinaryOp::Le, size, FAN_OUT);
    let to_leaves = ops.jump(Some((small, true)));
    let half = ops.unary(|size| size >> 1, "half", size);
    let middle = ops.count(BinaryOp::Add, first, half);
    ops.enqueue(tree, now, None, &[first, middle, total])?;
    ops.enqueue(tree, now, None, &[middle, last, total])?;
    let end = ops.jump(None);
    ops.land(to_leaves);
    ops.for_range(first, last, 1, |ops, at| each(build, ops, at))?;
    ops.land(end);
    Ok(())
}
