//! Loops over the buckets of a queue in which blocks drain the open bucket by themselves (`drain.cuh`): which loops
//! these are, and their code. A step has one barrier: the operator moves vertices between buckets at once, and what
//! the blocks did is taken up behind the barrier at the head of the loop.

use std::collections::BTreeSet;

use gw_ir::analysis::priority::{allocations, priority_vector};
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind, PriorityOp};
use gw_ir::meta::{Direction, QueueKind};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::walk;
use gw_schedule::{Classes, LoadBalance, Param};

use super::edge_plan::schedule_of;
use super::pending::Pending;
use super::refusal::Refusal;
use super::sets::form;
use super::text::{Code, c_name, type_name};
use super::uniform::Uniform;

/// A queue whose open bucket blocks drain, as code.
#[derive(Debug, Clone)]
pub(super) struct Drained {
    pub(super) queue: String,
    /// The variable with the place of its near set.
    near: String,
    /// The type of priorities.
    pub(super) priority: &'static str,
}

impl Drained {
    /// Makes the near set and the object through which threads fill it, and empties the list of the block.
    pub(super) fn output_setup(&self, fault: String, span: Span, code: &mut Code) {
        let near = &self.near;
        code.line(format!("if ({near} == gw::EMPTY) {near} = run.make(gw::QUEUE, live());"));
        code.line(format!("gw::Output output{{run.at({near}), {fault}, {}, nullptr, run.round, 0}};", span.line));
        code.line("output.begin();");
        code.line("gw::begin_settled();");
    }
}

/// The parts of such a loop.
pub(super) struct DrainedLoop {
    queue: Name,
}

impl Uniform<'_, '_> {
    /// Whether the blocks may drain the open bucket of a loop: it takes the best bucket, lowers priorities along its
    /// edges, no further than to that bucket, and does nothing else.
    pub(super) fn drained_loop(&self, condition: &Expr, body: &[Stmt]) -> Option<DrainedLoop> {
        let module = self.region.module;
        let [dequeue, apply, rest @ ..] = body else { return None };
        let StmtKind::VarDecl { name: taken, init: Some(init), .. } = &dequeue.kind else { return None };
        let ExprKind::Builtin(Builtin::DequeueReadySet, args) = &init.kind else { return None };
        let queue = args.first()?.as_var()?;
        let (modified, edges) = modified_by(apply)?;
        let ends = rest.iter().all(|stmt| match (&stmt.kind, stmt.operator()) {
            (_, Some(Operator::VertexSetDedup(dedup))) => dedup.set.as_var() == Some(modified),
            (_, Some(Operator::UpdateBuckets(update))) => {
                update.queue.as_var() == Some(queue) && update.modified.as_var() == Some(modified)
            }
            (StmtKind::Delete(set), _) => set.as_var().is_some_and(|name| name == modified || name == taken),
            _ => false,
        });
        let updates = rest.iter().filter(|s| matches!(s.operator(), Some(Operator::UpdateBuckets(_)))).count();
        let from_taken = matches!(&edges.from, VertexFilter::Set(set) if set.as_var() == Some(taken));
        let to_all = matches!(edges.to, VertexFilter::All);
        let plain = {
            let schedule = schedule_of(edges);
            edges.meta.direction == Some(Direction::Push)
                && schedule.load_balance != Some(LoadBalance::EdgeOnly)
                && schedule.classes != Some(Classes::Marked)
                && schedule.leaves.is_none()
                && schedule.dedup_input.is_none()
        };
        let vector = priority_vector(module, queue)?;
        let tracked = matches!(&edges.output, EdgeOutput::Modified { vector: of, .. } if *of == vector);
        let lazy = allocations(module, queue).iter().all(|made| {
            let width = matches!(made.meta.delta, None | Some(Param::Value(1)));
            made.increasing && width && made.meta.kind == Some(QueueKind::Lazy)
        });
        let is_drained = ends
            && updates == 1
            && from_taken
            && to_all
            && plain
            && tracked
            && lazy
            && asks_whether_finished(condition, queue)
            && settles_in_open_bucket(module, &edges.apply.name, queue);
        is_drained.then(|| DrainedLoop { queue: queue.clone() })
    }

    /// The code of such a loop.
    pub(super) fn drain_loop(&mut self, condition: &Expr, body: &[Stmt], found: &DrainedLoop) -> Result<(), Refusal> {
        let vector = priority_vector(self.region.module, &found.queue);
        let vector = vector.and_then(|name| self.region.module.global(&name));
        let scalar = vector.and_then(|global| global.ty.leaf().scalar());
        let scalar = scalar.ok_or_else(|| self.refuse("priorities are numbers"))?;
        let drained =
            Drained { queue: self.queue(&found.queue)?, near: self.near(&found.queue), priority: type_name(scalar) };
        self.region.include("drain.cuh");
        self.region.cooperative = true;
        self.region.forms |= form::QUEUE;
        self.code.line(format!("gw::begin_drain(run.grid, {});", drained.queue));
        let turns = self.begin_loop();
        self.code.line("run.wait(live());");
        self.code.line(format!("if ({turns} > 1) gw::take_settled(run.grid, {});", drained.queue));
        self.pending = Pending::Nothing;
        let condition = self.value(condition)?;
        self.code.line(format!("if (!({condition})) break;"));
        self.ask_if_over(&turns);
        if let [dequeue, apply, ..] = body {
            self.block(std::slice::from_ref(dequeue))?;
            self.span = apply.span;
            if let Some(operator) = modified_by(apply).and_then(|_| apply_operator(apply)) {
                self.region.drained = Some(drained);
                let placed = self.operator(operator);
                self.region.drained = None;
                placed?;
            }
            if let StmtKind::VarDecl { name, .. } = &dequeue.kind {
                self.code.line(format!("{} = gw::EMPTY;", c_name(name)));
            }
        }
        self.code.close("");
        self.pending = Pending::Anything;
        Ok(())
    }
}

/// A statement that declares the set of the vertices that an edge operator changed: the set and the operator.
fn modified_by(stmt: &Stmt) -> Option<(&Name, &EdgeSetIterator)> {
    let StmtKind::VarDecl { name, .. } = &stmt.kind else { return None };
    match apply_operator(stmt)? {
        Operator::EdgeSetIterator(edges) => Some((name, edges)),
        _ => None,
    }
}

fn apply_operator(stmt: &Stmt) -> Option<&Operator> {
    let StmtKind::VarDecl { init: Some(Expr { kind: ExprKind::Operator(op), .. }), .. } = &stmt.kind else {
        return None;
    };
    Some(op)
}

/// Whether a condition looks at nothing but whether a queue is empty.
fn asks_whether_finished(condition: &Expr, queue: &Name) -> bool {
    let mut alone = true;
    walk::walk_expr(condition, &mut |e| {
        alone &= match &e.kind {
            ExprKind::Var(name) => name == queue,
            ExprKind::Bool(_) | ExprKind::Unary(..) | ExprKind::Binary(..) => true,
            ExprKind::Builtin(Builtin::QueueFinished, _) => true,
            _ => false,
        };
    });
    alone
}

/// Whether all that an edge function does is to lower the priority of a vertex by a constant, down to the priority that
/// is being worked on and no further. A vertex that falls into the open bucket then never changes again, and it makes
/// no difference when its own edges are walked, as long as the bucket is open.
fn settles_in_open_bucket(module: &Module, function: &str, queue: &Name) -> bool {
    let Some(body) = module.function(function).and_then(|f| f.body.as_ref()) else { return false };
    let is_queue = |e: &Expr| e.as_var() == Some(queue);
    let mut current: BTreeSet<&Name> = BTreeSet::new();
    // Whether an update changed the priority of a vertex: the variable that knows, and the vertex.
    let mut changed: Vec<(&Name, &Name)> = Vec::new();
    let is_current = |e: &Expr| match &e.kind {
        ExprKind::Builtin(Builtin::CurrentPriority, args) => args.first().is_some_and(is_queue),
        _ => false,
    };
    for stmt in body {
        match &stmt.kind {
            StmtKind::VarDecl { name, init: Some(init), .. } if is_current(init) => {
                current.insert(name);
            }
            StmtKind::VarDecl { name, init: Some(init), .. } => {
                let ExprKind::PriorityUpdate { op: PriorityOp::Sum, queue, vertex, bound: Some(bound), value, .. } =
                    &init.kind
                else {
                    return false;
                };
                let at_floor = is_current(bound) || bound.as_var().is_some_and(|name| current.contains(name));
                let lowers = matches!(value.kind, ExprKind::Int(amount) if amount < 0);
                let Some(vertex) = vertex.as_var().filter(|_| at_floor && lowers && is_queue(queue)) else {
                    return false;
                };
                changed.push((name, vertex));
            }
            StmtKind::If { condition, then, otherwise } => {
                let Some((_, vertex)) = changed.iter().find(|(name, _)| condition.as_var() == Some(*name)) else {
                    return false;
                };
                let enqueues = |s: &Stmt| match &s.kind {
                    StmtKind::Eval(e) => {
                        matches!(&e.kind, ExprKind::EnqueueVertex { vertex: v, .. } if v.as_var() == Some(*vertex))
                    }
                    _ => false,
                };
                if then.len() != 1 || !then.iter().all(enqueues) || !otherwise.is_empty() {
                    return false;
                }
            }
            _ => return false,
        }
    }
    changed.len() == 1
}
