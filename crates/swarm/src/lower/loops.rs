//! Loops over frontiers and priority queues as tasks without barriers.
//!
//! A round of a frontier loop is a number of stages, one per operator on the frontier; the timestamp of a task is
//! `round * stages + stage`. Scalars that the host changes once a round travel with the tasks. In a loop over a
//! priority queue the timestamp is the bucket (or its distance from a large number where large buckets come first).

use std::collections::HashMap;

use gw_exec::scalar::{self, Register};
use gw_ir::analysis::priority::{allocations, updates};
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef, PriorityOp};
use gw_ir::meta::Dedup;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::Scalar;
use gw_schedule::SwarmQueue;

use super::body::{Body, Slot, bucket_of};
use super::build::{Build, Built, GraphRef, ObjectRef, Ops, Unsupported};
use super::tasks::{
    Captured, EdgeTask, Region, Style, Units, functions_of, halves, member, note_scalars, spawn_edges, timestamp,
};
use crate::sim::code::{FunctionId, Op, Reg};

/// The channel of vertices at which the loop stopped, and of the members of each round.
pub const STOPPED: u16 = 1;
/// Members of rounds: the round in the high half, the vertex in the low half.
pub const MEMBERS: u16 = 2;
/// Carried scalars have the channels from here on.
pub const SCALARS: u16 = 3;
/// Entries of the table of begun rounds; a round uses the entry of its number modulo this.
pub const ROUNDS: u64 = 4096;
/// Timestamps count down from here where large buckets come first.
const LAST: u64 = 1 << 40;

/// A loop as tasks.
#[derive(Debug)]
pub struct LoopTasks {
    /// The program; its tree creates the tasks of the first frontier.
    pub region: Region,
    /// What the loop is about.
    pub over: Over,
    /// The task that runs once a round, for [`SwarmQueue::Bucket`].
    pub round: Option<FunctionId>,
}

/// What a loop is about.
#[derive(Debug)]
pub enum Over {
    /// A frontier.
    Frontier {
        /// The set.
        frontier: Name,
        /// The scalars that tasks carry.
        carried: Vec<Name>,
        /// The function that computes their values after a round.
        scalars: FunctionId,
        /// The lists that the frontier of every round is appended to.
        lists: Vec<Name>,
        /// Stages of a round.
        stages: u64,
    },
    /// A priority queue.
    Queue(Name),
}

/// The loop as tasks, or why not.
pub fn lower(module: &Module, stmt: &Stmt) -> Built<LoopTasks> {
    let StmtKind::While { condition, body, meta } = &stmt.kind else {
        return Err(Unsupported("only `while` loops become tasks".into()));
    };
    let mut conditions = Vec::new();
    conjuncts(condition, &mut conditions);
    let queue = Style::of(meta.schedule.as_deref()).queue;
    let is_frontier = |e: &&Expr| tested_set(e).is_some();
    if let Some(frontier) = conditions.iter().copied().find(is_frontier).and_then(tested_set) {
        let extra = conditions.into_iter().filter(|e| tested_set(e) != Some(frontier)).collect();
        return Frontier::of(frontier, extra, body)?.lower(module, queue);
    }
    match conditions.iter().copied().find(|e| tested_queue(e).is_some()).and_then(tested_queue) {
        Some(queue) => {
            let extra: Vec<&Expr> = conditions.into_iter().filter(|e| tested_queue(e) != Some(queue)).collect();
            lower_queue(module, queue, &extra, body)
        }
        None => Err(Unsupported("the loop tests neither a frontier nor a priority queue".into())),
    }
}

fn conjuncts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(e),
    }
}

/// The set of `size != 0` or `size > 0`.
fn tested_set(e: &Expr) -> Option<&Name> {
    let ExprKind::Binary(BinaryOp::Ne | BinaryOp::Gt, size, zero) = &e.kind else { return None };
    match (&size.kind, &zero.kind) {
        (ExprKind::Builtin(Builtin::VertexSetSize, args), ExprKind::Int(0)) => args.first()?.as_var(),
        _ => None,
    }
}

/// The queue of `not finished`, `finished == false` or `finished != true`.
fn tested_queue(e: &Expr) -> Option<&Name> {
    let finished = |e: &'_ Expr| -> bool { matches!(&e.kind, ExprKind::Builtin(Builtin::QueueFinished, _)) };
    let inner = match &e.kind {
        ExprKind::Unary(_, a) if finished(a) => a,
        ExprKind::Binary(BinaryOp::Eq, a, b) if finished(a) && b.kind == ExprKind::Bool(false) => a,
        ExprKind::Binary(BinaryOp::Ne, a, b) if finished(a) && b.kind == ExprKind::Bool(true) => a,
        _ => return None,
    };
    match &inner.kind {
        ExprKind::Builtin(_, args) => args.first()?.as_var(),
        _ => None,
    }
}

/// A statement of a frontier loop.
enum Step<'m> {
    Edges(&'m EdgeSetIterator),
    Vertices(&'m FunctionRef),
    Scalar(&'m Name, &'m Expr),
}

/// A frontier loop taken apart.
struct Frontier<'m> {
    frontier: &'m Name,
    conditions: Vec<&'m Expr>,
    steps: Vec<Step<'m>>,
    lists: Vec<Name>,
}

impl<'m> Frontier<'m> {
    fn of(frontier: &'m Name, conditions: Vec<&'m Expr>, body: &'m [Stmt]) -> Built<Frontier<'m>> {
        let mut found = Frontier { frontier, conditions, steps: Vec::new(), lists: Vec::new() };
        let (mut next, mut turned): (Option<&Name>, bool) = (None, false);
        for stmt in body {
            match &stmt.kind {
                StmtKind::Delete(_) => {}
                StmtKind::VarDecl { name, init: Some(value), .. } if is_edges(value, frontier) && next.is_none() => {
                    found.steps.extend(edges_of(value));
                    next = Some(name);
                }
                StmtKind::Assign { target, value } if is_edges(value, frontier) && next.is_none() => {
                    found.steps.extend(edges_of(value));
                    next = target.as_var();
                }
                StmtKind::Assign { target, value } if target.as_var() == Some(frontier) && value.as_var() == next => {
                    turned = true;
                }
                StmtKind::Assign { target, value } if value.ty.scalar().is_some() && target.as_var().is_some() => {
                    found.steps.extend(target.as_var().map(|name| Step::Scalar(name, value)));
                }
                StmtKind::Eval(value) => found.effect(value, next, turned)?,
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

    fn lower(self, module: &'m Module, queue: Option<SwarmQueue>) -> Built<LoopTasks> {
        let mut build = Build::new(module);
        let mut functions: Vec<Name> = Vec::new();
        let mut carried: Vec<Name> = Vec::new();
        let mut style = Style::of(None);
        for step in &self.steps {
            match step {
                Step::Edges(op) => {
                    functions.extend(functions_of(op));
                    style = Style::of(op.meta.schedule.as_deref());
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
        let by_rounds = !self.lists.is_empty() || self.steps.iter().any(|step| matches!(step, Step::Scalar(..)));
        let is_bucket = match queue {
            None => by_rounds,
            Some(SwarmQueue::Bucket) => true,
            Some(SwarmQueue::Priority) if by_rounds => {
                return Err(Unsupported("`queue=priority` has no task for what runs once a round".into()));
            }
            Some(_) => false,
        };
        let stages: Vec<usize> =
            (0..self.steps.len()).filter(|&at| !matches!(self.steps[at], Step::Scalar(..))).collect();
        let ids: Vec<FunctionId> = stages.iter().map(|_| build.reserve()).collect();
        let round = is_bucket.then(|| build.reserve());
        for k in 0..stages.len() {
            self.stage(&mut build, style, &stages, &ids, k, &carried, round)?;
        }
        if let Some(round) = round {
            let mut ops = Ops::with_args(1);
            let rounds = build.object(ObjectRef::Rounds);
            let entries = ops.constant(ROUNDS);
            let at = ops.reg();
            ops.push(Op::Divide { scalar: Scalar::Uint64, remainder: true, to: at, a: 0, b: entries });
            let at = ops.count(BinaryOp::Add, at, entries);
            ops.push(Op::Store { object: rounds, index: at, from: 0 });
            build.define(round, "round", ops);
        }
        let tree = build.reserve();
        let mut ops = Ops::with_args(3);
        let now = timestamp(&mut ops);
        let hinted = self.hinted(&build).filter(|_| style.hint);
        build.carried.clear();
        let first: Vec<Reg> =
            carried.iter().map(|name| ops.param(&mut build, super::build::ParamRef::Scalar(name.clone()))).collect();
        halves(&mut build, &mut ops, tree, now, (0, 1, 2), |build, ops, at| {
            let vertex = member(build, ops, Units::Members, at);
            let hint = hinted.clone().map(|vector| (build.object(ObjectRef::Vector(vector)), vertex));
            let args: Vec<Reg> = [vertex].into_iter().chain(first.iter().copied()).collect();
            ops.enqueue(ids[0], now, hint, &args)
        })?;
        build.define(tree, "tree", ops);
        let scalars = self.scalars(&mut build, &carried)?;
        let over = Over::Frontier {
            frontier: self.frontier.clone(),
            carried,
            scalars,
            lists: self.lists,
            stages: stages.len() as u64,
        };
        // Elements of the first frontier are tasks of their own, as those of all others are.
        let region = Region::new(build, tree, Units::Members, Style { coarsen: false, stride: false, ..style });
        Ok(LoopTasks { region, over, round })
    }

    fn hinted(&self, build: &Build<'_>) -> Option<Name> {
        self.steps.iter().find_map(|step| match step {
            Step::Edges(op) => edge_task(op).hinted(build),
            _ => None,
        })
    }

    /// Carried scalars after the scalar statements from one step up to another.
    fn advance(&self, build: &mut Build<'_>, ops: &mut Ops, steps: std::ops::Range<usize>) -> Built<()> {
        for step in &self.steps[steps] {
            if let Step::Scalar(name, value) = step {
                let mut nothing = |_: &mut Build<'_>, _: &mut Ops, _: Reg| Ok(());
                let value = Body::new(build, ops, HashMap::new(), None, &mut nothing).expr(value)?;
                let reg = ops.copy(value);
                build.carried.insert((*name).clone(), reg);
            }
        }
        Ok(())
    }

    /// The task of a stage: `(vertex, carried scalars)`.
    #[expect(clippy::too_many_arguments, reason = "what a stage is made of")]
    fn stage(
        &self,
        build: &mut Build<'m>,
        style: Style,
        stages: &[usize],
        ids: &[FunctionId],
        k: usize,
        carried: &[Name],
        round: Option<FunctionId>,
    ) -> Built<()> {
        let (at, count) = (stages[k], stages.len());
        let after = stages.get(k + 1).copied().unwrap_or(self.steps.len());
        let mut ops = Ops::with_args(1 + carried.len());
        let registers = |first: usize| carried.iter().enumerate().map(move |(i, n)| (n.clone(), (first + i) as Reg));
        build.carried = registers(1).collect();
        let mut out = None;
        if k == 0 {
            out = self.entry(build, &mut ops, count as u64)?;
            self.advance(build, &mut ops, 0..at)?;
        }
        let next = Next {
            function: ids[(k + 1) % count],
            wraps: k + 1 == count,
            stages: count as u64,
            hinted: self.hinted(build).filter(|_| style.hint),
            round,
        };
        match self.steps[at] {
            Step::Vertices(function) => {
                let mut nothing = |_: &mut Build<'_>, _: &mut Ops, _: Reg| Ok(());
                let mut body = Body::new(build, &mut ops, HashMap::new(), None, &mut nothing);
                let captures = body.slots(&function.captures)?;
                body.call(function, captures, vec![Slot::Reg(0)])?;
                self.advance(build, &mut ops, at + 1..after)?;
                let args = carried_now(build, carried);
                next.push(build, &mut ops, 0, &args, false)?;
            }
            Step::Edges(op) => {
                let task = edge_task(op);
                let dedup = op.meta.dedup != Dedup::None || style.dedup;
                let (low, high) = task.range(build, &mut ops, 0);
                let inner = style.edge_tasks.then(|| build.reserve());
                match inner {
                    None => {
                        let before = build.carried.clone();
                        self.advance(build, &mut ops, at + 1..after)?;
                        let args = carried_now(build, carried);
                        build.carried = before;
                        let mut push = |build: &mut Build<'_>, ops: &mut Ops, vertex: Reg| {
                            next.push(build, ops, vertex, &args, dedup)
                        };
                        ops.for_range(low, high, 1, |ops, edge| task.edge(build, ops, 0, edge, &mut push))?;
                    }
                    Some(inner) => {
                        let now = timestamp(&mut ops);
                        let own = carried_now(build, carried);
                        let hinted = next.hinted.clone();
                        spawn_edges(
                            build,
                            &mut ops,
                            &task.graph,
                            (low, high),
                            style,
                            |build, ops, low, high, first| {
                                let hint = hinted.clone().map(|v| (build.object(ObjectRef::Vector(v)), first));
                                let args: Vec<Reg> = [0, low, high].into_iter().chain(own.iter().copied()).collect();
                                ops.enqueue(inner, now, hint, &args)
                            },
                        )?;
                        let mut ops = Ops::with_args(3 + carried.len());
                        build.carried = registers(3).collect();
                        let before = build.carried.clone();
                        self.advance(build, &mut ops, at + 1..after)?;
                        let args = carried_now(build, carried);
                        build.carried = before;
                        let mut push = |build: &mut Build<'_>, ops: &mut Ops, vertex: Reg| {
                            next.push(build, ops, vertex, &args, dedup)
                        };
                        ops.for_range(1, 2, 1, |ops, edge| task.edge(build, ops, 0, edge, &mut push))?;
                        build.define(inner, "edges", ops);
                    }
                }
            }
            Step::Scalar(..) => {}
        }
        out.into_iter().for_each(|out| ops.land(out));
        build.define(ids[k], &format!("stage{k}"), ops);
        Ok(())
    }

    /// What the first stage of a round begins with: the condition of the loop, and the lists of frontiers. Returns a
    /// jump to the end of the task.
    fn entry(&self, build: &mut Build<'_>, ops: &mut Ops, stages: u64) -> Built<Option<usize>> {
        let mut out = None;
        for condition in &self.conditions {
            let mut nothing = |_: &mut Build<'_>, _: &mut Ops, _: Reg| Ok(());
            let holds = Body::new(build, ops, HashMap::new(), None, &mut nothing).expr(condition)?;
            let go_on = ops.jump(Some((holds, true)));
            ops.push(Op::Emit { channel: STOPPED, from: 0 });
            // Further conditions jump to the same end.
            let end = ops.jump(None);
            if out.is_some() {
                return Err(Unsupported("more than one condition besides the frontier".into()));
            }
            out = Some(end);
            ops.land(go_on);
        }
        if !self.lists.is_empty() {
            let (now, stages, shift) = (timestamp(ops), ops.constant(stages), ops.constant(1 << 32));
            let round = ops.count(BinaryOp::Div, now, stages);
            let high = ops.count(BinaryOp::Mul, round, shift);
            let both = ops.count(BinaryOp::Add, high, 0);
            ops.push(Op::Emit { channel: MEMBERS, from: both });
        }
        Ok(out)
    }

    /// A function on the carried scalars that emits their values after a round; the host runs it.
    fn scalars(&self, build: &mut Build<'_>, carried: &[Name]) -> Built<FunctionId> {
        let id = build.reserve();
        let mut ops = Ops::with_args(carried.len());
        build.carried = carried.iter().enumerate().map(|(i, name)| (name.clone(), i as Reg)).collect();
        self.advance(build, &mut ops, 0..self.steps.len())?;
        for (i, reg) in carried_now(build, carried).into_iter().enumerate() {
            ops.push(Op::Emit { channel: SCALARS + i as u16, from: reg });
        }
        build.carried.clear();
        build.define(id, "scalars", ops);
        Ok(id)
    }
}

/// Where the vertices of a stage go.
struct Next {
    function: FunctionId,
    /// The next stage belongs to the next round.
    wraps: bool,
    stages: u64,
    hinted: Option<Name>,
    round: Option<FunctionId>,
}

impl Next {
    fn push(&self, build: &mut Build<'_>, ops: &mut Ops, vertex: Reg, carried: &[Reg], dedup: bool) -> Built<()> {
        let one = ops.constant(1);
        let now = timestamp(ops);
        let later = ops.count(BinaryOp::Add, now, one);
        let mut out = None;
        if dedup {
            // The timestamp of the task that a vertex was last given to.
            let notes = build.object(ObjectRef::Notes);
            let known = ops.load(notes, vertex);
            let same = ops.count(BinaryOp::Eq, known, later);
            out = Some(ops.jump(Some((same, true))));
            ops.push(Op::Store { object: notes, index: vertex, from: later });
        }
        if let Some(round) = self.round.filter(|_| self.wraps) {
            let (stages, entries) = (ops.constant(self.stages), ops.constant(ROUNDS));
            let number = ops.count(BinaryOp::Div, later, stages);
            let at = ops.reg();
            ops.push(Op::Divide { scalar: Scalar::Uint64, remainder: true, to: at, a: number, b: entries });
            let rounds = build.object(ObjectRef::Rounds);
            let known = ops.load(rounds, at);
            let begun = ops.count(BinaryOp::Eq, known, later);
            let over = ops.jump(Some((begun, true)));
            ops.push(Op::Store { object: rounds, index: at, from: later });
            ops.enqueue(round, later, None, &[number])?;
            ops.land(over);
        }
        let hint = self.hinted.clone().map(|vector| (build.object(ObjectRef::Vector(vector)), vertex));
        let args: Vec<Reg> = [vertex].into_iter().chain(carried.iter().copied()).collect();
        ops.enqueue(self.function, later, hint, &args)?;
        out.into_iter().for_each(|out| ops.land(out));
        Ok(())
    }
}

fn carried_now(build: &Build<'_>, carried: &[Name]) -> Vec<Reg> {
    carried.iter().filter_map(|name| build.carried.get(name).copied()).collect()
}

fn edge_task(op: &EdgeSetIterator) -> EdgeTask<'_> {
    let graph = op.graph.as_var().map_or(GraphRef::Own, |name| GraphRef::Named(name.clone()));
    EdgeTask { op, graph, captured: Captured::Expressions, bucket: None }
}

fn is_edges(value: &Expr, frontier: &Name) -> bool {
    match &value.kind {
        ExprKind::Operator(op) => match &**op {
            Operator::EdgeSetIterator(op) => {
                matches!(&op.from, VertexFilter::Set(set) if set.as_var() == Some(frontier))
                    && !matches!(op.to, VertexFilter::Set(_))
            }
            _ => false,
        },
        _ => false,
    }
}

fn edges_of(value: &Expr) -> Option<Step<'_>> {
    match &value.kind {
        ExprKind::Operator(op) => match &**op {
            Operator::EdgeSetIterator(op) => Some(Step::Edges(op)),
            _ => None,
        },
        _ => None,
    }
}

/// A loop over a priority queue.
fn lower_queue(module: &Module, queue: &Name, conditions: &[&Expr], body: &[Stmt]) -> Built<LoopTasks> {
    let op = relaxation(queue, body)?;
    let orders: Vec<bool> = allocations(module, queue).iter().map(|a| a.increasing).collect();
    let increasing = *orders.first().ok_or_else(|| Unsupported(format!("`{queue}` is never made")))?;
    if orders.iter().any(|&order| order != increasing) {
        return Err(Unsupported(format!("`{queue}` is made in both orders")));
    }
    let style = Style::of(op.meta.schedule.as_deref());
    let mut build = Build::new(module);
    note_scalars(&mut build, functions_of(op));
    // Where priorities only improve, an entry is stale when the priority is no longer that of the entry. Elsewhere, and
    // where the schedule wants no repeats, the bucket of each vertex is noted.
    let better = if increasing { PriorityOp::Min } else { PriorityOp::Max };
    let improves = updates(module, &op.apply.name).iter().all(|(op, ..)| *op == better);
    let notes = (!improves || style.dedup).then(|| build.object(ObjectRef::Notes));
    let visit = build.reserve();
    let push = Push { queue, visit, increasing, notes, hint: style.hint };

    let mut ops = Ops::with_args(2);
    let now = timestamp(&mut ops);
    let bucket = ordered(&mut ops, increasing, now);
    let priorities = build.object(ObjectRef::Priorities(queue.clone()));
    let mut outs = Vec::new();
    match notes {
        Some(notes) => {
            let noted = ops.load(notes, 0);
            let same = ops.count(BinaryOp::Eq, noted, 1);
            outs.push(ops.jump(Some((same, false))));
            let own = bucket_of(&mut build, &mut ops, queue, 0)?;
            let one = ops.constant(1);
            let own = ops.count(BinaryOp::Add, own.bucket, one);
            let live = ops.count(BinaryOp::Eq, own, 1);
            outs.push(ops.jump(Some((live, false))));
            let zero = ops.constant(0);
            ops.push(Op::Store { object: notes, index: 0, from: zero });
        }
        None => {
            let priority = ops.load(priorities, 0);
            let live = ops.count(BinaryOp::Eq, priority, 1);
            outs.push(ops.jump(Some((live, false))));
        }
    }
    for condition in conditions {
        let mut nothing = |_: &mut Build<'_>, _: &mut Ops, _: Reg| Ok(());
        let holds = Body::new(&mut build, &mut ops, HashMap::new(), Some(bucket), &mut nothing).expr(condition)?;
        let go_on = ops.jump(Some((holds, true)));
        ops.push(Op::Emit { channel: STOPPED, from: 0 });
        outs.push(ops.jump(None));
        ops.land(go_on);
    }
    let task = EdgeTask { bucket: Some(bucket), ..edge_task(op) };
    let (low, high) = task.range(&mut build, &mut ops, 0);
    let mut relaxed = |build: &mut Build<'_>, ops: &mut Ops, vertex: Reg| push.push(build, ops, vertex, true);
    if style.edge_tasks {
        let inner = build.reserve();
        let hinted = style.hint.then_some(priorities);
        spawn_edges(&mut build, &mut ops, &task.graph, (low, high), style, |_, ops, low, high, first| {
            ops.enqueue(inner, now, hinted.map(|object| (object, first)), &[0, low, high])
        })?;
        let mut ops = Ops::with_args(3);
        let now = timestamp(&mut ops);
        let task = EdgeTask { bucket: Some(ordered(&mut ops, increasing, now)), ..edge_task(op) };
        ops.for_range(1, 2, 1, |ops, edge| task.edge(&mut build, ops, 0, edge, &mut relaxed))?;
        build.define(inner, "edges", ops);
    } else {
        ops.for_range(low, high, 1, |ops, edge| task.edge(&mut build, ops, 0, edge, &mut relaxed))?;
    }
    outs.into_iter().for_each(|out| ops.land(out));
    build.define(visit, "visit", ops);

    let tree = build.reserve();
    let mut ops = Ops::with_args(3);
    let now = timestamp(&mut ops);
    halves(&mut build, &mut ops, tree, now, (0, 1, 2), |build, ops, at| {
        let vertex = member(build, ops, Units::Members, at);
        push.push(build, ops, vertex, false)
    })?;
    build.define(tree, "tree", ops);
    let region = Region::new(build, tree, Units::Members, Style { coarsen: false, stride: false, ..style });
    Ok(LoopTasks { region, over: Over::Queue(queue.clone()), round: None })
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
                _ if near.is_some_and(|near| is_edges(value, near)) && found.is_none() => {
                    modified = Some(name);
                    found = match edges_of(value) {
                        Some(Step::Edges(op)) => Some(op),
                        _ => None,
                    };
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

/// The bucket of a timestamp, or the timestamp of a bucket.
fn ordered(ops: &mut Ops, increasing: bool, value: Reg) -> Reg {
    match increasing {
        true => value,
        false => {
            let last = ops.constant(LAST);
            ops.count(BinaryOp::Sub, last, value)
        }
    }
}

/// How a vertex whose priority changed gets its task.
struct Push<'q> {
    queue: &'q Name,
    visit: FunctionId,
    increasing: bool,
    notes: Option<u16>,
    hint: bool,
}

impl Push<'_> {
    fn push(&self, build: &mut Build<'_>, ops: &mut Ops, vertex: Reg, clamp: bool) -> Built<()> {
        let own = bucket_of(build, ops, self.queue, vertex)?;
        let mut outs = vec![ops.jump(Some((own.unset, true)))];
        let mut mark = own.priority;
        if let Some(notes) = self.notes {
            let one = ops.constant(1);
            mark = ops.count(BinaryOp::Add, own.bucket, one);
            let noted = ops.load(notes, vertex);
            let same = ops.count(BinaryOp::Eq, noted, mark);
            outs.push(ops.jump(Some((same, true))));
            ops.push(Op::Store { object: notes, index: vertex, from: mark });
        }
        let mut when = ordered(ops, self.increasing, own.bucket);
        if clamp {
            // What would come before the present bucket comes in it.
            let now = timestamp(ops);
            let f: Option<scalar::Binary> = scalar::extremum(Scalar::Uint64, true);
            let to = ops.reg();
            ops.push(Op::Binary { f: f.unwrap_or(|a, _| u64::of(a)), to, a: when, b: now });
            when = to;
        }
        let priorities = build.object(ObjectRef::Priorities(self.queue.clone()));
        ops.enqueue(self.visit, when, self.hint.then_some((priorities, vertex)), &[vertex, mark])?;
        outs.into_iter().for_each(|out| ops.land(out));
        Ok(())
    }
}
