//! Loops over frontiers and priority queues as tasks without barriers.

use gw_ir::analysis::tested::{Tested, tested};
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::module::Module;
use gw_ir::operator::{EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};

use super::body::Body;
use super::build::{Build, Built, Ops, Unsupported};
use super::frontier::Frontier;
use super::queue;
use super::style::Style;
use super::tree::Region;
use crate::sim::code::{FunctionId, Op, Reg};

/// The channel of vertices at which the loop stopped.
pub const STOPPED: u16 = 1;
/// Members of rounds: the round in the high half, the vertex in the low half.
pub const MEMBERS: u16 = 2;
/// Carried scalars have the channels from here on.
pub const SCALARS: u16 = 3;

/// A loop as tasks.
#[derive(Debug)]
pub struct LoopTasks {
    /// The program; its tree creates the tasks of the first frontier.
    pub region: Region,
    /// What the loop is about.
    pub over: Over,
    /// The task that runs once a round, for queues of buckets.
    pub round: Option<FunctionId>,
    /// Why it must be refused all the same: a setting of its schedule would have no effect.
    pub idle: Option<&'static str>,
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
    Queue {
        /// The queue.
        name: Name,
        /// Tasks carry offers of priorities.
        offers: bool,
    },
}

/// The loop as tasks, or why not.
pub fn lower(module: &Module, stmt: &Stmt) -> Built<LoopTasks> {
    let StmtKind::While { condition, body, meta } = &stmt.kind else {
        return Err(Unsupported("only `while` loops become tasks".into()));
    };
    let queue = Style::of(meta.schedule.as_deref()).queue;
    match tested(condition) {
        Some((Tested::Set(frontier), others)) => Frontier::of(frontier, others, body)?.lower(module, queue),
        Some((Tested::Queue(name), others)) => queue::lower(module, name, &others, body),
        None => Err(Unsupported("the loop tests neither a frontier nor a priority queue".into())),
    }
}

/// The edge operator from a set in a value.
pub fn edges_from<'m>(value: &'m Expr, set: &Name) -> Option<&'m EdgeSetIterator> {
    let ExprKind::Operator(op) = &value.kind else { return None };
    let op = op.edges().filter(|_| matches!(**op, Operator::EdgeSetIterator(_)))?;
    let from = matches!(&op.from, VertexFilter::Set(from) if from.as_var() == Some(set));
    (from && !matches!(op.to, VertexFilter::Set(_))).then_some(op)
}

/// Jumps out of the task of a vertex in register 0 where a condition of the loop does not hold.
pub fn stop_unless(
    build: &mut Build<'_>,
    ops: &mut Ops,
    conditions: &[&Expr],
    bucket: Option<Reg>,
) -> Built<Vec<usize>> {
    let mut outs = Vec::new();
    for condition in conditions {
        let holds = Body::new(build, ops, bucket).expr(condition)?;
        let go_on = ops.jump(Some((holds, true)));
        ops.push(Op::Emit { channel: STOPPED, from: 0 });
        outs.push(ops.jump(None));
        ops.land(go_on);
    }
    Ok(outs)
}
