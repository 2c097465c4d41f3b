//! Loops over frontiers as tasks.
//!
//! A round is a number of stages, one per operator on the frontier; the timestamp of a task is `round * stages +
//! stage`. Scalars that the host changes once a round travel with the tasks.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef};
use gw_ir::meta::Dedup;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::Scalar;
use gw_schedule::SwarmQueue;

use super::body::{Body, Slot};
use super::build::{Build, Built, ObjectRef, Ops, ParamRef, Taker, Unsupported};
use super::edge::{Edge, EdgeTask, functions_of};
use super::loops::{LoopTasks, MEMBERS, Over, SCALARS, edges_from, stop_unless};
use super::style::Style;
use super::tree::{Region, note_scalars};
use crate::sim::code::{FunctionId, Op, Reg};

/// Entries of the table of begun rounds; a round uses the entry of its number modulo this.
pub const ROUNDS: u64 = 4096;

/// A statement of a frontier loop.
enum Step<'m> {
    Edges(&'m EdgeSetIterator),
    Vertices(&'m FunctionRef),
    Scalar(&'m Name, &'m Expr),
}

/// A frontier loop taken apart.
pub struct Frontier<'m> {
    frontier: &'m Name,
    conditions: Vec<&'m Expr>,
    steps: Vec<Step<'m>>,
    lists: Vec<Name>,
}

/// What the stages of a loop have in common.
struct Plan {
    style: Style,
    /// The steps that are stages, and their tasks.
    stages: Vec<usize>,
    tasks: Vec<Taker>,
    carried: Vec<Name>,
    round: Option<FunctionId>,
}

impl<'m> Frontier<'m> {
    /// Takes a loop apart.
    pub fn of(frontier: &'m Name, conditions: Vec<&'m Expr>, body: &'m [Stmt]) -> Built<Frontier<'m>> {
        let mut found = Frontier { frontier, conditions, steps: Vec::new(), lists: Vec::new() };
        let (mut next, mut turned): (Option<&Name>, bool) = (None, false);
        for stmt in body {
            let (name, value) = match &stmt.kind {
                StmtKind::VarDecl { name, init: Some(value), .. } => (Some(name), Some(value)),
                StmtKind::Assign { target, value } => (target.as_var(), Some(value)),
                _ => (None, None),
            };
            let edges = value.and_then(|value| edges_from(value, frontier)).filter(|_| next.is_none());
            match (&stmt.kind, edges) {
                (_, Some(op)) => {
                    found.steps.push(Step::Edges(op));
                    next = name;
                }
                (StmtKind::Delete(_), _) => {}
                (StmtKind::Assign { value, .. }, _) if name == Some(frontier) && value.as_var() == next => {
                    turned = true
                }
                (StmtKind::Assign { value, .. }, _) if value.ty.scalar().is_some() && name.is_some() => {
                    found.steps.extend(name.map(|name| Step::Scalar(name, value)));
                }
                (StmtKind::Eval(value), _) => found.effect(value, next, turned)?,
                _ => {
                    return Err(Unsupported(
                        "a statement of the loop is neither about its frontier nor a number".into(),
                    ));
                }
            }
        }
        match turned {
            true => Ok(found),
            false => Err(Unsupported(format!("the loop does not go on with what `{frontier}` leads to"))),
        }
    }

    fn effect(&mut self, value: &'m Expr, next: Option<&Name>, turned: bool) -> Built<()> {
        let strange = || Unsupported("an operator of the loop is not about its frontier".to_string());
        match &value.kind {
            ExprKind::Operator(op) => match &**op {
                Operator::VertexSetDedup(dedup) if next.is_some() && dedup.set.as_var() == next => Ok(()),
                Operator::VertexSetIterator(op) => {
                    let current = next.unwrap_or(self.frontier);
                    if op.set.as_var() != Some(current) || turned {
                        return Err(strange());
                    }
                    self.steps.push(Step::Vertices(&op.apply));
                    Ok(())
                }
                _ => Err(strange()),
            },
            ExprKind::Builtin(Builtin::ListAppend, args) if !turned => {
                match (args.first().and_then(Expr::as_var), args.get(1).and_then(Expr::as_var)) {
                    (Some(list), Some(set)) if set == self.frontier => {
                        self.lists.push(list.clone());
                        Ok(())
                    }
                    _ => Err(Unsupported("a list of something else than the frontier".into())),
                }
            }
            _ => Err(Unsupported("a statement of the loop that runs on the host".into())),
        }
    }

    /// The loop as tasks.
    pub fn lower(self, module: &'m Module, queue: Option<SwarmQueue>) -> Built<LoopTasks> {
        let mut build = Build::new(module);
        let mut functions: Vec<Name> = Vec::new();
        let mut carried: Vec<Name> = Vec::new();
        let (mut style, mut hint) = (Style::of(None), None);
        for step in &self.steps {
            match step {
                Step::Edges(op) => {
                    functions.extend(functions_of(op));
                    style = Style::of(op.meta.schedule.as_deref());
                    hint = EdgeTask::in_loop(op, None).hinted(&build).filter(|_| style.hint);
                }
                Step::Vertices(function) => functions.push(function.name.clone()),
                Step::Scalar(name, _) if carried.contains(name) => {}
                Step::Scalar(name, _) => carried.push((*name).clone()),
            }
        }
        note_scalars(&mut build, functions);
        if let Some(name) = carried.iter().find(|name| build.written.contains(name)) {
            return Err(Unsupported(format!("both the loop and its operators write `{name}`")));
        }
        let by_rounds = !self.lists.is_empty() || !carried.is_empty();
        let is_bucket = match queue {
            None => by_rounds,
            Some(SwarmQueue::Priority) if by_rounds => {
                return Err(Unsupported("`queue=priority` has no task for what runs once a round".into()));
            }
            Some(queue) => queue == SwarmQueue::Bucket,
        };
        let stages: Vec<usize> =
            (0..self.steps.len()).filter(|&at| !matches!(self.steps[at], Step::Scalar(..))).collect();
        let tasks = stages.iter().map(|_| Taker { task: build.reserve(), hint: hint.clone() }).collect();
        let plan = Plan { style, stages, tasks, carried, round: is_bucket.then(|| build.reserve()) };
        for k in 0..plan.stages.len() {
            self.stage(&mut build, &plan, k)?;
        }
        if let Some(round) = plan.round {
            let mut ops = Ops::with_args(1);
            let entries = ops.constant(ROUNDS);
            let at = ops.divide(Scalar::Uint64, true, 0, entries);
            let at = ops.count(BinaryOp::Add, at, entries);
            let rounds = build.object(ObjectRef::Rounds);
            ops.push(Op::Store { object: rounds, index: at, from: 0 });
            build.define(round, "round", ops);
        }
        let scalars = self.scalars(&mut build, &plan.carried)?;
        let region = Region::of_loop(build, style, |build, ops, now, vertex| {
            let first = plan.carried.iter().map(|name| ops.param(build, ParamRef::Scalar(name.clone())));
            let first: Vec<Reg> = first.collect();
            plan.tasks[0].enqueue(build, ops, now, vertex, &first)
        })?;
        let over = Over::Frontier {
            frontier: self.frontier.clone(),
            carried: plan.carried,
            scalars,
            lists: self.lists,
            stages: plan.stages.len() as u64,
        };
        Ok(LoopTasks { region, over, round: plan.round, idle: style.idle_in_order() })
    }

    /// Carried scalars after the scalar statements from one step up to another.
    fn advance(&self, build: &mut Build<'_>, ops: &mut Ops, steps: std::ops::Range<usize>) -> Built<()> {
        for step in &self.steps[steps] {
            if let Step::Scalar(name, value) = step {
                let value = Body::new(build, ops, None).expr(value)?;
                let reg = ops.copy(value);
                build.carried.insert((*name).clone(), reg);
            }
        }
        Ok(())
    }

    /// The task of a stage: `(vertex, carried scalars)`.
    fn stage(&self, build: &mut Build<'m>, plan: &Plan, k: usize) -> Built<()> {
        let (at, carried) = (plan.stages[k], &plan.carried);
        let after = plan.stages.get(k + 1).copied().unwrap_or(self.steps.len());
        let mut ops = Ops::with_args(1 + carried.len());
        build.carried = carried.iter().cloned().zip(1..).collect();
        let mut outs = Vec::new();
        if k == 0 {
            outs = stop_unless(build, &mut ops, &self.conditions, None)?;
            if !self.lists.is_empty() {
                let now = ops.timestamp();
                let round = ops.count_by(BinaryOp::Div, now, plan.stages.len() as u64);
                let high = ops.count_by(BinaryOp::Mul, round, 1 << 32);
                let both = ops.count(BinaryOp::Add, high, 0);
                ops.push(Op::Emit { channel: MEMBERS, from: both });
            }
            self.advance(build, &mut ops, 0..at)?;
        }
        match self.steps[at] {
            Step::Vertices(function) => {
                let mut body = Body::new(build, &mut ops, None);
                let captures = body.slots(&function.captures)?;
                body.inline(&function.name, captures, vec![Slot::Reg(0)])?;
                self.advance(build, &mut ops, at + 1..after)?;
                let numbers = carried_now(build, carried);
                plan.push(build, &mut ops, k, 0, &numbers, false)?;
            }
            Step::Edges(op) => {
                let task = EdgeTask::in_loop(op, None);
                let dedup = op.meta.dedup != Dedup::None || plan.style.dedup;
                // Functions see the numbers as they are, the next stage gets them as they will be.
                let before = build.carried.clone();
                let mut numbers = carried_now(build, carried);
                self.advance(build, &mut ops, at + 1..after)?;
                numbers.extend(carried_now(build, carried));
                build.carried = before;
                task.each_edge(
                    build,
                    &mut ops,
                    0,
                    plan.style,
                    plan.tasks[k].hint.clone(),
                    &numbers,
                    &mut |build: &mut Build<'_>, ops: &mut Ops, edge: &Edge, numbers: &[Reg]| {
                        let (own, next) = numbers.split_at(carried.len());
                        build.carried = carried.iter().cloned().zip(own.iter().copied()).collect();
                        task.visit(build, ops, edge, &mut |build: &mut Build<'_>, ops: &mut Ops, vertex: Reg| {
                            plan.push(build, ops, k, vertex, next, dedup)
                        })
                    },
                )?;
            }
            Step::Scalar(..) => {}
        }
        ops.land_all(outs);
        build.define(plan.tasks[k].task, &format!("stage{k}"), ops);
        Ok(())
    }

    /// A function on the carried scalars that emits their values after a round; the host runs it.
    fn scalars(&self, build: &mut Build<'_>, carried: &[Name]) -> Built<FunctionId> {
        let id = build.reserve();
        let mut ops = Ops::with_args(carried.len());
        build.carried = carried.iter().cloned().zip(0..).collect();
        self.advance(build, &mut ops, 0..self.steps.len())?;
        for (i, reg) in carried_now(build, carried).into_iter().enumerate() {
            ops.push(Op::Emit { channel: SCALARS + i as u16, from: reg });
        }
        build.carried.clear();
        build.define(id, "scalars", ops);
        Ok(id)
    }
}

impl Plan {
    /// Creates the task of a vertex in the stage after `k`, each once where repeats must go.
    fn push(
        &self,
        build: &mut Build<'_>,
        ops: &mut Ops,
        k: usize,
        vertex: Reg,
        carried: &[Reg],
        dedup: bool,
    ) -> Built<()> {
        let now = ops.timestamp();
        let later = ops.count_by(BinaryOp::Add, now, 1);
        let mut out = None;
        if dedup {
            // The timestamp of the task that a vertex was last given to.
            let notes = build.object(ObjectRef::Notes);
            let known = ops.load(notes, vertex);
            let same = ops.count(BinaryOp::Eq, known, later);
            out = Some(ops.jump(Some((same, true))));
            ops.push(Op::Store { object: notes, index: vertex, from: later });
        }
        let next = (k + 1) % self.stages.len();
        if let Some(round) = self.round.filter(|_| next == 0) {
            let number = ops.count_by(BinaryOp::Div, later, self.stages.len() as u64);
            let entries = ops.constant(ROUNDS);
            let at = ops.divide(Scalar::Uint64, true, number, entries);
            let rounds = build.object(ObjectRef::Rounds);
            let known = ops.load(rounds, at);
            let begun = ops.count(BinaryOp::Eq, known, later);
            let over = ops.jump(Some((begun, true)));
            ops.push(Op::Store { object: rounds, index: at, from: later });
            ops.enqueue(round, later, None, &[number])?;
            ops.land(over);
        }
        self.tasks[next].enqueue(build, ops, later, vertex, carried)?;
        ops.land_all(out);
        Ok(())
    }
}

fn carried_now(build: &Build<'_>, carried: &[Name]) -> Vec<Reg> {
    carried.iter().filter_map(|name| build.carried.get(name).copied()).collect()
}
