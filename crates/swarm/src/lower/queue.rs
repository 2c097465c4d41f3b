//! Loops over priority queues as tasks.
//!
//! The timestamp of a task is the bucket of its vertex (or its distance from a large number where large buckets come
//! first). Two forms:
//!
//! - *visits*: a task visits a vertex and updates the priorities that its edges lead to; who improves gets a task in
//!   the bucket of the new priority. Tasks of edges update in the bucket of their source.
//! - *updates*: where an edge only offers the destination a priority that follows from the source, the task of an edge
//!   carries the offer and runs in the bucket of the offered priority. It takes the offer or ends, and whoever takes
//!   one goes on with the edges of its vertex. Offers come in the order of priorities, as in the Swarm programs of
//!   Jeffrey and others (MICRO 2015): no task reads what its neighbours may still change.

use gw_ir::analysis::operator::handed_entries;
use gw_ir::analysis::priority::{allocations, updates};
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, PriorityOp};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::walk::walk_expr;

use super::body::Body;
use super::build::{Build, Built, ObjectRef, Ops, Taker, Unsupported};
use super::edge::{Edge, EdgeTask, functions_of};
use super::loops::{LoopTasks, Over, edges_from, stop_unless};
use super::priority::{bucket_of, bucket_of_value, finite, fits, priority_scalar};
use super::style::Style;
use super::tree::{Region, note_scalars};
use crate::sim::code::{Op, Reg};

/// Timestamps count down from here where large buckets come first.
const LAST: u64 = 1 << 40;

/// A loop over a priority queue.
pub fn lower(module: &Module, queue: &Name, conditions: &[&Expr], body: &[Stmt]) -> Built<LoopTasks> {
    let op = relaxation(queue, body)?;
    let increasing = increasing(module, queue)?;
    let style = Style::of(op.meta.schedule.as_deref());
    let mut build = Build::new(module);
    note_scalars(&mut build, functions_of(op));
    // Where priorities only improve, an entry is stale when the priority is no longer that of the entry. Elsewhere, and
    // where the schedule wants no repeats, the bucket of each vertex is noted.
    let better = better(increasing);
    let improves = updates(module, &op.apply.name).iter().all(|(op, ..)| *op == better);
    let offer = offer(module, op, queue);
    let noted = offer.is_none() && (!improves || style.dedup);
    let notes = noted.then(|| build.object(ObjectRef::Notes));
    let hint = style.hint.then(|| ObjectRef::Priorities(queue.clone()));
    let visit = Taker { task: build.reserve(), hint };
    let tasks = Tasks { queue, visit, increasing, notes, better };
    match offer {
        Some(offer) => tasks.updates(&mut build, op, offer, conditions)?,
        None => tasks.visits(&mut build, op, style, conditions)?,
    }
    let region = Region::of_loop(build, style, |build, ops, _, vertex| tasks.push(build, ops, vertex, Start::First))?;
    let over = Over::Queue { name: queue.clone(), offers: offer.is_some() };
    Ok(LoopTasks { region, over, round: None, idle: style.idle_in_order() })
}

/// The edge operator of `near = dequeue; modified = edges from near; update buckets`.
fn relaxation<'m>(queue: &Name, body: &'m [Stmt]) -> Built<&'m EdgeSetIterator> {
    let strange = || Unsupported("the loop does more than relax the edges of the nearest bucket".to_string());
    let (mut near, mut modified, mut found): (Option<&Name>, Option<&Name>, _) = (None, None, None);
    for stmt in body {
        match &stmt.kind {
            StmtKind::Delete(_) => {}
            StmtKind::VarDecl { name, init: Some(value), .. } => match &value.kind {
                ExprKind::Builtin(Builtin::DequeueReadySet, args) if near.is_none() => {
                    near = Some(name).filter(|_| args.first().and_then(Expr::as_var) == Some(queue));
                }
                _ if found.is_none() => {
                    let op = near.and_then(|near| edges_from(value, near)).ok_or_else(strange)?;
                    (modified, found) = (Some(name), Some(op));
                }
                _ => return Err(strange()),
            },
            StmtKind::Eval(Expr { kind: ExprKind::Operator(op), .. }) => match &**op {
                Operator::VertexSetDedup(dedup) if dedup.set.as_var() == modified => {}
                Operator::UpdateBuckets(update)
                    if update.modified.as_var() == modified && update.queue.as_var() == Some(queue) => {}
                _ => return Err(strange()),
            },
            _ => return Err(strange()),
        }
    }
    found.ok_or_else(strange)
}

/// Whether the smallest bucket comes first.
fn increasing(module: &Module, queue: &Name) -> Built<bool> {
    let orders: Vec<bool> = allocations(module, queue).iter().map(|a| a.increasing).collect();
    match orders.as_slice() {
        [] => Err(Unsupported(format!("`{queue}` is never made"))),
        [first, others @ ..] if others.iter().all(|order| order == first) => Ok(*first),
        _ => Err(Unsupported(format!("`{queue}` is made in both orders"))),
    }
}

/// The update that can only bring a vertex forward.
fn better(increasing: bool) -> PriorityOp {
    if increasing { PriorityOp::Min } else { PriorityOp::Max }
}

/// The offered priority, where each edge has a task and the applied function does nothing but offer the destination a
/// better one that follows from the weight, from entries of the source and from numbers that no task writes.
pub fn offer<'m>(module: &'m Module, op: &EdgeSetIterator, queue: &Name) -> Option<&'m Expr> {
    let (style, better) = (Style::of(op.meta.schedule.as_deref()), better(increasing(module, queue).ok()?));
    if !style.edge_tasks || style.coarsen || style.dedup {
        return None;
    }
    let function = module.function(&op.apply.name)?;
    let mut found = None;
    for stmt in function.body.as_ref()? {
        let e = match &stmt.kind {
            StmtKind::Eval(e) | StmtKind::VarDecl { init: Some(e), .. } if found.is_none() => e,
            // What tracks the change for the queue.
            StmtKind::If { then, otherwise, .. } if found.is_some() && otherwise.is_empty() => {
                let enqueues =
                    |s: &Stmt| matches!(&s.kind, StmtKind::Eval(e) if matches!(e.kind, ExprKind::EnqueueVertex { .. }));
                if then.iter().all(enqueues) {
                    continue;
                }
                return None;
            }
            _ => return None,
        };
        match &e.kind {
            ExprKind::PriorityUpdate { op, queue: updated, vertex, value, .. }
                if *op == better
                    && updated.as_var() == Some(queue)
                    && vertex.as_var() == function.params.get(1).map(|param| &param.name) =>
            {
                found = Some(&**value);
            }
            _ => return None,
        }
    }
    let (value, handed) = (found?, handed_entries(module, op));
    let plain = !matches!(op.to, VertexFilter::Function(_)) || op.meta.to_folded;
    let mut follows = plain && function.captures.is_empty();
    let source = function.params.first().map(|param| &param.name);
    walk_expr(value, &mut |e| {
        follows &= match &e.kind {
            ExprKind::Element { vector, index, .. } => {
                vector.as_var().is_some_and(|name| handed.contains(name)) && index.as_var() == source
            }
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) => true,
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Convert(_) | ExprKind::Var(_) => true,
            _ => false,
        };
    });
    follows.then_some(value)
}

/// Where the task of a vertex comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The queue as the loop finds it.
    First,
    /// A task whose bucket comes no later.
    Later,
}

/// The tasks of a loop.
struct Tasks<'q> {
    queue: &'q Name,
    /// Visits: `(vertex, mark)`. Updates: `(vertex, offer, whether there is one)`.
    visit: Taker,
    increasing: bool,
    notes: Option<u16>,
    better: PriorityOp,
}

impl Tasks<'_> {
    /// The bucket of a timestamp, or the timestamp of a bucket.
    fn ordered(&self, ops: &mut Ops, value: Reg) -> Reg {
        if self.increasing {
            return value;
        }
        let last = ops.constant(LAST);
        ops.count(BinaryOp::Sub, last, value)
    }

    /// The timestamp of a bucket in a task: what would come before the present bucket comes in it.
    fn when(&self, ops: &mut Ops, bucket: Reg) -> Reg {
        let (when, now) = (self.ordered(ops, bucket), ops.timestamp());
        ops.apply(u64::max, "max", when, now)
    }

    /// The form in which vertices are visited.
    fn visits(&self, build: &mut Build<'_>, op: &EdgeSetIterator, style: Style, conditions: &[&Expr]) -> Built<()> {
        let mut ops = Ops::with_args(2);
        let now = ops.timestamp();
        let bucket = self.ordered(&mut ops, now);
        let mut outs = Vec::new();
        let mut go_on_if = |ops: &mut Ops, a: Reg, b: Reg| {
            let same = ops.count(BinaryOp::Eq, a, b);
            outs.push(ops.jump(Some((same, false))));
        };
        match self.notes {
            Some(notes) => {
                let noted = ops.load(notes, 0);
                go_on_if(&mut ops, noted, 1);
                let own = bucket_of(build, &mut ops, self.queue, 0)?;
                let own = ops.count_by(BinaryOp::Add, own.bucket, 1);
                go_on_if(&mut ops, own, 1);
                let zero = ops.constant(0);
                ops.push(Op::Store { object: notes, index: 0, from: zero });
            }
            None => {
                let priorities = build.object(ObjectRef::Priorities(self.queue.clone()));
                let priority = ops.load(priorities, 0);
                go_on_if(&mut ops, priority, 1);
            }
        }
        outs.extend(stop_unless(build, &mut ops, conditions, Some(bucket))?);
        let task = EdgeTask::in_loop(op, Some(bucket));
        task.each_edge(
            build,
            &mut ops,
            0,
            style,
            self.visit.hint.clone(),
            &[],
            &mut |build: &mut Build<'_>, ops: &mut Ops, edge: &Edge, _: &[Reg]| {
                // Tasks of edges have the timestamp of the visit.
                let now = ops.timestamp();
                let task = EdgeTask::in_loop(op, Some(self.ordered(ops, now)));
                task.visit(build, ops, edge, &mut |build: &mut Build<'_>, ops: &mut Ops, vertex: Reg| {
                    self.push(build, ops, vertex, Start::Later)
                })
            },
        )?;
        ops.land_all(outs);
        build.define(self.visit.task, "visit", ops);
        Ok(())
    }

    /// The form in which offers travel.
    fn updates(&self, build: &mut Build<'_>, op: &EdgeSetIterator, offer: &Expr, conditions: &[&Expr]) -> Built<()> {
        let scalar = priority_scalar(build, self.queue)?;
        let mut ops = Ops::with_args(3);
        let now = ops.timestamp();
        let bucket = self.ordered(&mut ops, now);
        let first = ops.jump(Some((2, false)));
        let mut body = Body::new(build, &mut ops, Some(bucket));
        let taken = body.update_priority(self.better, self.queue, 0, None, (1, Some(scalar)))?;
        let mut outs = vec![ops.jump(Some((taken, false)))];
        ops.land(first);
        outs.extend(stop_unless(build, &mut ops, conditions, Some(bucket))?);
        let task = EdgeTask::in_loop(op, None);
        let handed = task.hand_over(build, &mut ops, 0, 0);
        task.spawn_all(build, &mut ops, 0, 1, &handed, &[], &mut |build, ops, _, edge, _| {
            let Some(edge) = edge else { return Ok(()) };
            let value = task.with_body(build, ops, edge, None, |body, captures, args| {
                body.in_function(&op.apply.name, captures, args, |body| body.expr(offer))
            })?;
            // What is no priority is refused where it arrives.
            let when = ops.timestamp();
            let mut over = None;
            if let Some(fits) = fits(scalar).or(finite(scalar)) {
                let fits = ops.unary(fits, "fits", value);
                over = Some(ops.jump(Some((fits, false))));
            }
            let bucket = bucket_of_value(build, ops, self.queue, value)?;
            let later = self.when(ops, bucket);
            ops.push(Op::Copy { to: when, from: later });
            ops.land_all(over);
            let yes = ops.constant(1);
            self.visit.enqueue(build, ops, when, edge.target, &[value, yes])
        })?;
        ops.land_all(outs);
        build.define(self.visit.task, "update", ops);
        Ok(())
    }

    /// Gives a vertex a task in the bucket of its priority.
    fn push(&self, build: &mut Build<'_>, ops: &mut Ops, vertex: Reg, start: Start) -> Built<()> {
        let own = bucket_of(build, ops, self.queue, vertex)?;
        let mut outs = vec![ops.jump(Some((own.unset, true)))];
        let mut mark = own.priority;
        if let Some(notes) = self.notes {
            mark = ops.count_by(BinaryOp::Add, own.bucket, 1);
            let noted = ops.load(notes, vertex);
            let same = ops.count(BinaryOp::Eq, noted, mark);
            outs.push(ops.jump(Some((same, true))));
            ops.push(Op::Store { object: notes, index: vertex, from: mark });
        }
        let when = match start {
            Start::First => self.ordered(ops, own.bucket),
            Start::Later => self.when(ops, own.bucket),
        };
        let no = ops.constant(0);
        self.visit.enqueue(build, ops, when, vertex, &[mark, no])?;
        ops.land_all(outs);
        Ok(())
    }
}
