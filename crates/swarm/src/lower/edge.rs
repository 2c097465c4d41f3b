//! An edge operator inside tasks: the edges of a vertex are visited by its task, or by tasks of their own.
//!
//! A task of one edge is handed all that does not change meanwhile or may be read before (its ends, the weight, entries
//! of the source), so that it touches the destination only: what an abort throws away is small, and a hint that names
//! the line of the destination names all that the task writes.

use gw_ir::analysis::operator::{each_write, filter_functions, handed_entries, weight};
use gw_ir::expr::{BinaryOp, FunctionRef};
use gw_ir::module::{Module, Param};
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::types::Type;

use super::body::{Body, Enqueue, Slot};
use super::build::{Build, Built, GraphRef, ObjectRef, Ops, ParamRef, Unsupported};
use super::expr::list;
use super::style::Style;
use super::tree::smaller;
use crate::sim::code::{FunctionId, MAX_ARGS, Reg};

/// Edges that one task makes tasks of: a multiple of what a coarse task takes.
const SHORT_LIST: u64 = 16;

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
                let slot = |(i, capture): (usize, Param)| match capture.ty {
                    Type::Vector { .. } => Slot::Object(ObjectRef::Capture(role, i as u8)),
                    _ => Slot::Reg(body.ops.param(body.build, ParamRef::Capture(role, i as u8))),
                };
                Ok(types.into_iter().enumerate().map(slot).collect())
            }
        }
    }
}

/// An edge in registers.
pub struct Edge {
    source: Reg,
    /// Where it ends.
    pub target: Reg,
    weight: Option<Reg>,
    /// Entries of the source, by their vectors.
    handed: Vec<(Name, Reg)>,
}

impl Edge {
    /// The same edge with these entries of its source.
    pub fn with(&self, handed: Vec<(Name, Reg)>) -> Edge {
        Edge { source: self.source, target: self.target, weight: self.weight, handed }
    }
}

/// What happens on an edge; the registers are the numbers that travel with its task.
pub type Visit<'v> = &'v mut dyn FnMut(&mut Build<'_>, &mut Ops, &Edge, &[Reg]) -> Built<()>;

/// Some edges of a vertex in registers: `low..high`.
#[derive(Clone)]
pub struct Range {
    source: Reg,
    low: Reg,
    high: Reg,
    /// Entries of the source, by their vectors.
    handed: Vec<(Name, Reg)>,
}

/// What happens with an edge, or with some where there is none; the registers are the numbers that travel along.
pub type Each<'e> = &'e mut dyn FnMut(&mut Build<'_>, &mut Ops, &Range, Option<&Edge>, &[Reg]) -> Built<()>;

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

impl<'a> EdgeTask<'a> {
    /// The operator of a loop: its graph is a variable, its captures are expressions.
    pub fn in_loop(op: &'a EdgeSetIterator, bucket: Option<Reg>) -> EdgeTask<'a> {
        let graph = op.graph.as_var().map_or(GraphRef::Own, |name| GraphRef::Named(name.clone()));
        EdgeTask { op, graph, captured: Captured::Expressions, bucket }
    }

    /// A jump that is taken where the source does not pass the `from` function.
    pub fn from_filter(&self, build: &mut Build<'_>, ops: &mut Ops, source: Reg) -> Built<Option<usize>> {
        let VertexFilter::Function(filter) = &self.op.from else { return Ok(None) };
        let mut body = Body::new(build, ops, self.bucket);
        let captures = self.captured.slots(&mut body, filter, 1)?;
        let passes = body.filter(filter, captures, source)?;
        Ok(Some(ops.jump(Some((passes, false)))))
    }

    fn params<'m>(&self, module: &'m Module) -> &'m [Param] {
        module.function(&self.op.apply.name).map_or(&[], |f| &f.params)
    }

    /// Reads an edge by its number.
    pub fn edge(&self, build: &mut Build<'_>, ops: &mut Ops, source: Reg, number: Reg) -> Edge {
        let targets = build.object(ObjectRef::Targets(self.graph.clone()));
        let target = ops.load(targets, number);
        let weight = weight(build.module, self.op).map(|wanted| {
            let weights = build.object(ObjectRef::Weights(self.graph.clone(), wanted));
            ops.load(weights, number)
        });
        Edge { source, target, weight, handed: Vec::new() }
    }

    /// Reads what is handed to the tasks of a source's edges, as far as there is room beside other arguments.
    pub fn hand_over(&self, build: &mut Build<'_>, ops: &mut Ops, source: Reg, others: usize) -> Vec<(Name, Reg)> {
        let names = handed_entries(build.module, self.op).into_iter();
        let read = |name: Name| {
            let object = build.object(ObjectRef::Vector(name.clone()));
            (name, ops.load(object, source))
        };
        names.take(MAX_ARGS.saturating_sub(3 + others)).map(read).collect()
    }

    /// The arguments of the applied function on an edge.
    fn args(&self, module: &Module, edge: &Edge) -> Vec<Slot> {
        let further = self.params(module).iter().skip(2).map(|param| match (&param.ty, edge.weight) {
            (Type::VertexSet(_), _) | (_, None) => Slot::Output,
            (_, Some(weight)) => Slot::Reg(weight),
        });
        [Slot::Reg(edge.source), Slot::Reg(edge.target)].into_iter().chain(further).collect()
    }

    /// Writes something that needs the names of the applied function.
    pub fn with_body<T>(
        &self,
        build: &mut Build<'_>,
        ops: &mut Ops,
        edge: &Edge,
        enqueue: Option<Enqueue<'_>>,
        write: impl FnOnce(&mut Body<'_, '_, '_>, Vec<Slot>, Vec<Slot>) -> Built<T>,
    ) -> Built<T> {
        let args = self.args(build.module, edge);
        let mut body = Body { enqueue, handed: &edge.handed, ..Body::new(build, ops, self.bucket) };
        let captures = self.captured.slots(&mut body, &self.op.apply, 0)?;
        write(&mut body, captures, args)
    }

    /// Jumps that are taken where the destination does not pass the `to` filter.
    pub fn to_filter(&self, build: &mut Build<'_>, ops: &mut Ops, edge: &Edge) -> Built<Option<usize>> {
        let passes = match &self.op.to {
            VertexFilter::Set(_) => {
                let members = build.object(ObjectRef::ToSet);
                ops.load(members, edge.target)
            }
            VertexFilter::Function(filter) if !self.op.meta.to_folded => {
                let mut body = Body::new(build, ops, self.bucket);
                let captures = self.captured.slots(&mut body, filter, 2)?;
                body.filter(filter, captures, edge.target)?
            }
            _ => return Ok(None),
        };
        Ok(Some(ops.jump(Some((passes, false)))))
    }

    /// What happens on an edge. `emit` is called with a vertex that goes into the output.
    pub fn visit(&self, build: &mut Build<'_>, ops: &mut Ops, edge: &Edge, emit: Enqueue<'_>) -> Built<()> {
        let op = self.op;
        if matches!(op.output, EdgeOutput::Modified { .. }) && !op.meta.udf_enqueues {
            return Err(Unsupported("a module before the pass `tracking`".into()));
        }
        let out = self.to_filter(build, ops, edge)?;
        let result = self.with_body(build, ops, edge, Some(&mut *emit), |body, captures, args| {
            body.inline(&op.apply.name, captures, args)
        })?;
        let accepted = matches!(op.output, EdgeOutput::Accepted { .. }) && !op.meta.udf_enqueues;
        if let Some(result) = result.filter(|_| accepted) {
            let over = ops.jump(Some((result, false)));
            emit(build, ops, edge.target)?;
            ops.land(over);
        }
        ops.land_all(out);
        Ok(())
    }

    /// The vector whose lines are the hints: the one that is tracked, else the first that is written.
    pub fn hinted(&self, build: &Build<'_>) -> Option<ObjectRef> {
        let module = build.module;
        let name = match &self.op.output {
            EdgeOutput::Modified { vector, .. } => module.global(vector).is_some().then(|| vector.clone()),
            _ => written_vector(module, &self.op.apply.name),
        };
        name.map(ObjectRef::Vector)
    }

    /// Visits the edges of a vertex: in its own task, or in tasks that take the numbers of `extra` along.
    #[expect(clippy::too_many_arguments, reason = "the parts of one list")]
    pub fn each_edge(
        &self,
        build: &mut Build<'_>,
        ops: &mut Ops,
        source: Reg,
        style: Style,
        hint: Option<ObjectRef>,
        extra: &[Reg],
        visit: Visit<'_>,
    ) -> Built<()> {
        if !style.edge_tasks {
            let (low, high) = list(build, ops, &self.graph, source);
            return ops.for_range(low, high, 1, |ops, number| {
                let edge = self.edge(build, ops, source, number);
                visit(build, ops, &edge, extra)
            });
        }
        let task = build.reserve();
        let handed = self.hand_over(build, ops, source, extra.len());
        self.spawn_all(build, ops, source, style.grain(), &handed, extra, &mut |build, ops, range, edge, extra| {
            let now = ops.timestamp();
            if let Some(edge) = edge {
                return self.spawn(build, ops, task, now, edge, hint.clone(), extra);
            }
            let Range { source, low, high, handed } = range;
            let hint = hint.clone().map(|vector| {
                let targets = build.object(ObjectRef::Targets(self.graph.clone()));
                (build.object(vector), ops.load(targets, *low))
            });
            let numbers = handed.iter().map(|&(_, reg)| reg).chain(extra.iter().copied());
            let args: Vec<Reg> = [*source, *low, *high].into_iter().chain(numbers).collect();
            ops.enqueue(task, now, hint, &args)
        })?;
        self.define(build, task, style, &handed, extra.len(), visit)
    }

    /// Calls `each` for every edge of a vertex, or every `grain` of them: in this task where the list is short, else in
    /// tasks that hand it out by halves, so that a vertex with many edges keeps nobody waiting.
    #[expect(clippy::too_many_arguments, reason = "the parts of one list")]
    pub fn spawn_all(
        &self,
        build: &mut Build<'_>,
        ops: &mut Ops,
        source: Reg,
        grain: u64,
        handed: &[(Name, Reg)],
        extra: &[Reg],
        each: Each<'_>,
    ) -> Built<()> {
        let (low, high) = list(build, ops, &self.graph, source);
        let part = build.reserve();
        let short = SHORT_LIST.max(grain);
        let mut hand_out = |build: &mut Build<'_>, ops: &mut Ops, range: Range, extra: &[Reg], halves: bool| {
            let size = ops.count(BinaryOp::Sub, range.high, range.low);
            let is_short = ops.count_by(BinaryOp::Le, size, short);
            let here = ops.jump(Some((is_short, true)));
            let now = ops.timestamp();
            let numbers: Vec<Reg> = range.handed.iter().map(|&(_, reg)| reg).chain(extra.iter().copied()).collect();
            let send = |ops: &mut Ops, low: Reg, high: Reg| {
                let args: Vec<Reg> = [range.source, low, high].into_iter().chain(numbers.iter().copied()).collect();
                ops.enqueue(part, now, None, &args)
            };
            if halves {
                let half = ops.unary(|size| (size / 2).next_multiple_of(SHORT_LIST), "half", size);
                let middle = ops.count(BinaryOp::Add, range.low, half);
                send(ops, range.low, middle)?;
                send(ops, middle, range.high)?;
            } else {
                send(ops, range.low, range.high)?;
            }
            let end = ops.jump(None);
            ops.land(here);
            ops.for_range(range.low, range.high, grain, |ops, at| {
                if grain == 1 {
                    let edge = self.edge(build, ops, range.source, at).with(range.handed.clone());
                    return each(build, ops, &range, Some(&edge), extra);
                }
                let end = ops.count_by(BinaryOp::Add, at, grain);
                let piece = Range { low: at, high: smaller(ops, end, range.high), ..range.clone() };
                each(build, ops, &piece, None, extra)
            })?;
            ops.land(end);
            Ok(())
        };
        hand_out(build, ops, Range { source, low, high, handed: handed.to_vec() }, extra, false)?;
        let mut ops = Ops::with_args(3 + handed.len() + extra.len());
        let names = handed.iter().map(|(name, _)| name.clone());
        let own: Vec<(Name, Reg)> = names.zip(3..).collect();
        let extra: Vec<Reg> = (0..extra.len()).map(|i| (3 + own.len() + i) as Reg).collect();
        hand_out(build, &mut ops, Range { source: 0, low: 1, high: 2, handed: own }, &extra, true)?;
        build.define(part, "part", ops);
        Ok(())
    }

    /// Creates the task of an edge: `(source, target, weight, entries of the source, extra)`.
    #[expect(clippy::too_many_arguments, reason = "the parts of one task")]
    pub fn spawn(
        &self,
        build: &mut Build<'_>,
        ops: &mut Ops,
        task: FunctionId,
        now: Reg,
        edge: &Edge,
        hint: Option<ObjectRef>,
        extra: &[Reg],
    ) -> Built<()> {
        let hint = hint.map(|vector| (build.object(vector), edge.target));
        let numbers = edge.weight.into_iter().chain(edge.handed.iter().map(|&(_, reg)| reg));
        let args: Vec<Reg> =
            [edge.source, edge.target].into_iter().chain(numbers).chain(extra.iter().copied()).collect();
        ops.enqueue(task, now, hint, &args)
    }

    /// Writes the task of an edge or of a line of edges.
    pub fn define(
        &self,
        build: &mut Build<'_>,
        task: FunctionId,
        style: Style,
        handed: &[(Name, Reg)],
        extra: usize,
        visit: Visit<'_>,
    ) -> Built<()> {
        let weighted = weight(build.module, self.op).is_some();
        let single = style.grain() == 1;
        let fixed = if single { 2 + usize::from(weighted) } else { 3 };
        let mut ops = Ops::with_args(fixed + handed.len() + extra);
        let names = handed.iter().map(|(name, _)| name.clone());
        let handed: Vec<(Name, Reg)> = names.zip(fixed as Reg..).collect();
        let extra: Vec<Reg> = (0..extra).map(|i| (fixed + handed.len() + i) as Reg).collect();
        if single {
            let edge = Edge { source: 0, target: 1, weight: weighted.then_some(2), handed };
            visit(build, &mut ops, &edge, &extra)?;
        } else {
            ops.for_range(1, 2, 1, |ops, number| {
                let edge = self.edge(build, ops, 0, number).with(handed.clone());
                visit(build, ops, &edge, &extra)
            })?;
        }
        build.define(task, "edges", ops);
        Ok(())
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

/// The functions of an edge operator.
pub fn functions_of(op: &EdgeSetIterator) -> Vec<Name> {
    filter_functions(op).into_iter().chain([&op.apply]).map(|f| f.name.clone()).collect()
}
