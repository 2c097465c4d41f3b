//! What must happen around an operator so that every worker can carry out its share of it alone.
//!
//! A worker visits the edges (or vertices) that it owns. What it writes at its own vertices is nobody else's
//! ([`Write::Owned`]); what it writes elsewhere meets the writes of others and must be merged. While an operator runs,
//! a worker sees the entries of others as they were before. Programs for which that makes a difference are refused.

use std::collections::BTreeMap;

use gw_ir::analysis::operator::End;
use gw_ir::analysis::places::{Change, EntryUse, Place, Uses, VectorName};
use gw_ir::expr::{Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp};
use gw_ir::meta::Direction;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::walk;

/// Which function of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Apply,
    From,
    To,
}

/// A vector as an operator finds it at run time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Global(Name),
    Capture(Role, usize),
}

/// How the writes of several workers to one entry become one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merge {
    /// What each worker changed is reduced.
    Reduce(ReduceOp),
    /// The value of the first worker that changed the entry.
    First,
}

/// What an operator writes to a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    /// Nothing.
    Nothing,
    /// Entries of the vertices that the worker owns.
    Owned,
    /// Entries of any vertices; `ends` says that they are ends of visited edges.
    Merged { merge: Merge, ends: bool },
}

/// What an operator does with a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VectorPlan {
    /// It reads entries of the other ends of the worker's edges.
    pub(crate) reads_far: bool,
    /// It reads entries of any vertices.
    pub(crate) reads_any: bool,
    pub(crate) write: Write,
    /// The operator returns the entries that it modified.
    pub(crate) tracked: bool,
}

impl VectorPlan {
    /// Whether it is enough that owners know the entries: they are reduced by `min=` or `max=` at ends of edges, read
    /// at own vertices alone, and the operator says which it has modified.
    pub(crate) fn is_settled(&self) -> bool {
        let ways = [ReduceOp::Min, ReduceOp::Max].map(|op| Write::Merged { merge: Merge::Reduce(op), ends: true });
        self.tracked && !self.reads_far && !self.reads_any && ways.contains(&self.write)
    }
}

/// The plan of an operator.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Plan {
    pub(crate) vectors: Vec<(Source, VectorPlan)>,
    /// Global scalars that are written.
    pub(crate) scalars: Vec<(Name, Merge)>,
    /// The edges of an edge operator are walked from their destinations.
    pub(crate) pulls: bool,
    /// Lists of other vertices than the worker's own are looked at.
    pub(crate) lists_elsewhere: bool,
}

impl Plan {
    /// The plan of an operator, or why there is none.
    pub(crate) fn of(module: &Module, operator: &Operator) -> Result<Plan, String> {
        match operator {
            Operator::EdgeSetIterator(edges) => Plan::edges(module, edges),
            Operator::VertexSetIterator(op) => Plan::vertices(module, &op.apply),
            Operator::VertexSetFilter(op) => Plan::vertices(module, &op.filter),
            Operator::VertexSetDedup(_) | Operator::UpdateBuckets(_) => Ok(Plan::default()),
            Operator::UpdatePriorityExtern(_) => Err("extern functions know one worker only".to_string()),
            Operator::UpdatePriorityEdgeSetIterator(_) | Operator::OrderedProcessing(_) => {
                Err("queues whose buckets change while edges are visited belong to one worker; the schedule \
                     `update=lazy` changes them between the steps"
                    .to_string())
            }
        }
    }

    fn vertices(module: &Module, function: &FunctionRef) -> Result<Plan, String> {
        let uses = Uses::of(module, function, &[Place::Source]);
        Plan::made(vec![(Role::Apply, uses)], Place::Source, false)
    }

    fn edges(module: &Module, op: &EdgeSetIterator) -> Result<Plan, String> {
        let direction = op.meta.direction.unwrap_or(Direction::Push);
        let walked = Place::of(End::walked(direction));
        let apply = Uses::of(module, &op.apply, &[Place::Source, Place::Destination]);
        if apply.draws {
            return Err("it draws random neighbours by the position of the edge".to_string());
        }
        let mut uses = vec![(Role::Apply, apply)];
        let ends = [(Role::From, Place::Source, &op.from), (Role::To, Place::Destination, &op.to)];
        for (role, place, filter) in ends {
            if let VertexFilter::Function(function) = filter {
                uses.push((role, Uses::of(module, function, &[place])));
            }
        }
        let claims_elsewhere =
            |used: &EntryUse| used.written.iter().any(|(place, change)| *change == Change::Claim && *place != walked);
        if uses.iter().any(|(_, uses)| uses.vectors.values().any(claims_elsewhere)) && decides(module, &op.apply.name) {
            return Err(
                "a compare_and_swap at vertices of others decides what happens next, and two workers may both \
                        win it"
                    .to_string(),
            );
        }
        let mut plan = Plan::made(uses, walked, direction == Direction::Pull)?;
        if let EdgeOutput::Modified { vector, .. } = &op.output {
            let captures = module.function(&op.apply.name).map_or(&[][..], |function| &function.captures);
            let tracked = match captures.iter().position(|capture| capture.name == *vector) {
                Some(at) => Source::Capture(Role::Apply, at),
                None => Source::Global(vector.clone()),
            };
            plan.vectors.iter_mut().filter(|(source, _)| *source == tracked).for_each(|(_, plan)| plan.tracked = true);
        }
        Ok(plan)
    }

    fn made(uses: Vec<(Role, Uses)>, walked: Place, pulls: bool) -> Result<Plan, String> {
        let mut vectors: BTreeMap<Source, EntryUse> = BTreeMap::new();
        let mut plan = Plan { pulls, ..Plan::default() };
        let mut scalars = BTreeMap::new();
        for (role, uses) in uses {
            if let Some(reason) = uses.unknown {
                return Err(reason);
            }
            plan.lists_elsewhere |= uses.lists.iter().any(|place| *place != walked);
            for (name, used) in uses.vectors {
                let source = match name {
                    VectorName::Global(name) => Source::Global(name),
                    VectorName::Capture(i) => Source::Capture(role, i),
                };
                let all = vectors.entry(source).or_default();
                all.read.extend(used.read);
                all.written.extend(used.written);
            }
            for (name, used) in uses.scalars {
                let all: &mut gw_ir::analysis::places::ScalarUse = scalars.entry(name).or_default();
                all.read |= used.read;
                all.changes.extend(used.changes);
            }
        }
        let contested = vectors.values().filter(|used| picks_one(used, walked)).count();
        let written = vectors.values().filter(|used| !used.written.is_empty()).count();
        let changed = scalars.values().filter(|used| !used.changes.is_empty()).count();
        if contested > 0 && written + changed > 1 {
            return Err("several workers may assign the same entry, and what else they write would not fit the value \
                        that stays; a pull lets one worker decide"
                .to_string());
        }
        for (source, used) in vectors {
            let vector = vector_plan(&used, walked).map_err(|reason| format!("{}: {reason}", named(&source)))?;
            plan.vectors.push((source, vector));
        }
        for (name, used) in scalars {
            if used.changes.is_empty() {
                continue;
            }
            if used.read {
                return Err(format!("`{name}` is read and written by all workers at once"));
            }
            let merge = merge(used.changes.iter()).map_err(|reason| format!("`{name}`: {reason}"))?;
            plan.scalars.push((name, merge));
        }
        Ok(plan)
    }

    /// Whether owners alone can settle what a push has changed: all that is written is one vector of that kind, and
    /// sums.
    pub(crate) fn can_be_settled(&self) -> bool {
        let mut written = self.vectors.iter().map(|(_, plan)| plan).filter(|plan| plan.write != Write::Nothing);
        let sums = self.scalars.iter().all(|(_, merge)| *merge == Merge::Reduce(ReduceOp::Sum));
        !self.pulls && sums && written.next().is_some_and(VectorPlan::is_settled) && written.next().is_none()
    }

    /// Whether workers have something to tell each other when they are done.
    pub(crate) fn has_news(&self) -> bool {
        let merged = |(_, plan): &(Source, VectorPlan)| matches!(plan.write, Write::Merged { .. });
        !self.scalars.is_empty() || self.vectors.iter().any(merged)
    }
}

/// Whether a function, or one that it calls, does more with the outcome of a compare-and-swap than to return a vertex.
fn decides(module: &Module, function: &str) -> bool {
    let (mut called, mut at) = (vec![function.to_string()], 0);
    while let Some(name) = called.get(at) {
        at += 1;
        let Some(body) = module.function(name).and_then(|function| function.body.as_deref()) else { continue };
        let (mut swaps, mut harmless, mut calls) = (0, 0, Vec::new());
        walk::walk_block_exprs(body, &mut |expr| match &expr.kind {
            ExprKind::CompareAndSwap { .. } => swaps += 1,
            ExprKind::Call { function, .. } => calls.push(function.name.to_string()),
            _ => {}
        });
        let returned = |name: &str| {
            let mut only = true;
            walk::walk_stmts(body, &mut |stmt| {
                let tests = |expr: &Expr| matches!(&expr.kind, ExprKind::Var(tested) if **tested == *name);
                only &= !walk::stmt_mentions(stmt, name) || only_returns(stmt, tests);
            });
            only
        };
        walk::walk_stmts(body, &mut |stmt| {
            let is_harmless = match &stmt.kind {
                StmtKind::Eval(expr) => is_swap(expr),
                StmtKind::VarDecl { name, init: Some(value), .. } => is_swap(value) && returned(name),
                _ => only_returns(stmt, is_swap),
            };
            harmless += usize::from(is_harmless);
        });
        if swaps > harmless {
            return true;
        }
        calls.retain(|call| !called.contains(call));
        called.extend(calls);
    }
    false
}

fn is_swap(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::CompareAndSwap { .. })
}

/// Whether a statement adds a vertex to the set that is returned when a test is true, and does nothing else.
fn only_returns(stmt: &Stmt, is_test: impl Fn(&Expr) -> bool) -> bool {
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return false };
    let adds =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Eval(expr) if matches!(expr.kind, ExprKind::EnqueueVertex { .. }));
    is_test(condition) && otherwise.is_empty() && then.iter().all(adds)
}

fn named(source: &Source) -> String {
    match source {
        Source::Global(name) => format!("`{name}`"),
        Source::Capture(..) => "a captured vector".to_string(),
    }
}

/// Whether several workers may store different values in one entry.
fn picks_one(used: &EntryUse, walked: Place) -> bool {
    let elsewhere = used.written.iter().any(|(place, _)| *place != walked);
    let constants: Vec<&Change> = used.written.iter().map(|(_, change)| change).collect();
    let same_constant =
        constants.windows(2).all(|pair| pair[0] == pair[1]) && matches!(constants.first(), Some(Change::Constant(_)));
    let stores = used.written.iter().any(|(_, c)| matches!(c, Change::Assign | Change::Claim | Change::Constant(_)));
    elsewhere && stores && !same_constant
}

fn vector_plan(used: &EntryUse, walked: Place) -> Result<VectorPlan, String> {
    let reads_far = used.read.iter().any(|place| *place != walked && *place != Place::Other);
    let reads_any = used.read.contains(&Place::Other);
    let write = if used.written.is_empty() {
        Write::Nothing
    } else if used.written.iter().all(|(place, _)| *place == walked) {
        Write::Owned
    } else {
        let merge = merge(used.written.iter().map(|(_, change)| change))?;
        if merge == Merge::Reduce(ReduceOp::Sum) && !used.read.is_empty() {
            return Err("it is added to and read in the same step, but no worker knows what others add".to_string());
        }
        Write::Merged { merge, ends: used.written.iter().all(|(place, _)| *place != Place::Other) }
    };
    Ok(VectorPlan { reads_far, reads_any, write, tracked: false })
}

/// The one way in which changes by several workers become one.
fn merge<'c>(changes: impl Iterator<Item = &'c Change>) -> Result<Merge, String> {
    let mut found = None;
    for change in changes {
        let merge = match change {
            Change::Assign | Change::Constant(_) | Change::Claim => Merge::First,
            Change::Reduce(op) => Merge::Reduce(*op),
            Change::Priority(PriorityOp::Min) => Merge::Reduce(ReduceOp::Min),
            Change::Priority(PriorityOp::Max) => Merge::Reduce(ReduceOp::Max),
            Change::Priority(PriorityOp::Sum) => {
                return Err("sums of priorities have a bound that one worker alone cannot keep; a pull can".to_string());
            }
        };
        if found.is_some_and(|known| known != merge) {
            return Err("it is changed in several ways at once".to_string());
        }
        found = Some(merge);
    }
    found.ok_or_else(|| "nothing is written".to_string())
}
