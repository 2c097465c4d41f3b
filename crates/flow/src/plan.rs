//! What must happen around an operator so that every worker can carry out its share of it alone.
//!
//! A worker visits the edges (or vertices) that it owns. What it writes at its own vertices is nobody else's
//! ([`Write::Owned`]); what it writes elsewhere meets the writes of others and must be merged. While an operator runs,
//! a worker sees the entries of others as they were before. An operator for which that makes a difference runs on one
//! worker for all ([`Plan::for_one`]): the others wait and hear what has changed.

use std::collections::BTreeMap;

use gw_ir::analysis::operator::End;
use gw_ir::analysis::places::{self, Change, EntryUse, Place, ScalarUse, Uses, VectorName};
use gw_ir::expr::{Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp};
use gw_ir::meta::Direction;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::walk;

use crate::obstacle::Obstacle;

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
    /// Lists of other vertices than the worker's own are looked at, by this statement first.
    pub(crate) lists_elsewhere: Option<Span>,
    /// The first worker runs the operator on all edges or vertices.
    pub(crate) for_one: bool,
}

impl Plan {
    /// The plan of an operator that all workers share, or what is in the way.
    pub(crate) fn of(module: &Module, operator: &Operator) -> Result<Plan, Obstacle> {
        match operator {
            Operator::EdgeSetIterator(edges) => Plan::edges(module, edges),
            Operator::VertexSetIterator(_) | Operator::VertexSetFilter(_) => {
                Plan::made(functions(module, operator), Place::Source, false)
            }
            Operator::VertexSetDedup(_) | Operator::UpdateBuckets(_) => Ok(Plan::default()),
            Operator::UpdatePriorityExtern(_) => {
                Err(Obstacle::new("calls an extern function", "it knows one worker only", Span::NONE).for_none())
            }
            Operator::UpdatePriorityEdgeSetIterator(_) | Operator::OrderedProcessing(_) => Err(Obstacle::new(
                "changes buckets of a queue while edges are visited",
                "they belong to one worker; the schedule `update=lazy` changes them between the steps",
                Span::NONE,
            )
            .for_none()),
        }
    }

    /// The plan of an operator that the first worker runs on all edges or vertices, for all workers.
    pub(crate) fn for_one(module: &Module, operator: &Operator) -> Plan {
        let mut plan = Plan { for_one: true, ..Plan::default() };
        let (vectors, scalars) = together(&functions(module, operator));
        for (source, used) in vectors {
            let write = if used.written.is_empty() { Write::Nothing } else { Write::Owned };
            plan.vectors.push((source, VectorPlan { reads_far: false, reads_any: true, write, tracked: false }));
        }
        let written = scalars.into_iter().filter(|(_, used)| !used.changes.is_empty());
        plan.scalars = written.map(|(name, _)| (name, Merge::First)).collect();
        plan
    }

    fn edges(module: &Module, op: &EdgeSetIterator) -> Result<Plan, Obstacle> {
        let direction = op.meta.direction.unwrap_or(Direction::Push);
        let walked = Place::of(End::walked(direction));
        let used = functions_of_edges(module, op);
        if let Some(span) = used.iter().find_map(|used| used.uses.draws.filter(|_| used.role == Role::Apply)) {
            let because = "the draw depends on the place of the edge among all";
            return Err(Obstacle::new("draws random neighbours for an edge", because, span));
        }
        let claims = used.iter().flat_map(|used| used.uses.vectors.values()).flat_map(|used| &used.written);
        let claim = claims.into_iter().find(|write| write.change == Change::Claim && write.place != walked);
        if let Some(claim) = claim.filter(|_| decides(module, &op.apply.name)) {
            let does = "goes on by the outcome of a `compare_and_swap` at a vertex that is not the worker's own";
            return Err(Obstacle::new(does, "two workers may both win it", claim.span));
        }
        let mut plan = Plan::made(used, walked, direction == Direction::Pull)?;
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

    fn made(all: Vec<Used>, walked: Place, pulls: bool) -> Result<Plan, Obstacle> {
        let mut plan = Plan { pulls, ..Plan::default() };
        for Used { uses, .. } in &all {
            if let Some((what, span)) = &uses.unknown {
                return Err(Obstacle::new(what, "what workers must tell each other is not known", *span).for_none());
            }
            if let Some((what, span)) = &uses.outside {
                return Err(Obstacle::new(what, "that is to happen once, in order, and not in every process", *span));
            }
            let elsewhere = uses.lists.iter().find(|(place, _)| *place != walked).map(|(_, span)| *span);
            plan.lists_elsewhere = plan.lists_elsewhere.or(elsewhere);
        }
        let (vectors, scalars) = together(&all);
        Plan::refuse_contests(&all, &vectors, &scalars, walked)?;
        for (source, used) in vectors {
            let vector = vector_plan(&named(&all, &source), &used, walked)?;
            plan.vectors.push((source, vector));
        }
        for (name, used) in scalars {
            let Some((_, span)) = used.changes.first() else { continue };
            if let Some(read) = used.read {
                let because =
                    format!("line {} of the same operator reads it, and no worker knows what others do", read.line);
                return Err(Obstacle::new(format!("changes `{name}`"), because, *span));
            }
            let merge = merge(&format!("`{name}`"), used.changes.iter().map(|(change, span)| (change, *span)))?;
            plan.scalars.push((name, merge));
        }
        Ok(plan)
    }

    /// An obstacle where several workers may assign an entry, and more is written along with it.
    fn refuse_contests(
        all: &[Used],
        vectors: &BTreeMap<Source, EntryUse>,
        scalars: &BTreeMap<Name, ScalarUse>,
        walked: Place,
    ) -> Result<(), Obstacle> {
        let contested = vectors.iter().find_map(|(source, used)| Some((source, picks_one(used, walked)?)));
        let Some((contested, span)) = contested else { return Ok(()) };
        let vectors = vectors.iter().filter(|(source, used)| *source != contested && !used.written.is_empty());
        let scalars = scalars.iter().filter(|(_, used)| !used.changes.is_empty());
        let others: Vec<String> =
            vectors.map(|(source, _)| named(all, source)).chain(scalars.map(|(name, _)| format!("`{name}`"))).collect();
        if others.is_empty() {
            return Ok(());
        }
        let does = format!("assigns entries of {} that other workers may assign as well", named(all, contested));
        Err(Obstacle::new(does, format!("the values of {} would not fit the one that stays", others.join(", ")), span))
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

/// A function of an operator and what it uses.
struct Used {
    role: Role,
    uses: Uses,
    /// The names of what the function captures.
    captures: Vec<Name>,
}

impl Used {
    fn of(module: &Module, role: Role, function: &FunctionRef, vertices: &[Place]) -> Used {
        let captures = module.function(&function.name).map_or(&[][..], |function| &function.captures);
        let captures = captures.iter().map(|capture| capture.name.clone()).collect();
        Used { role, uses: Uses::of(module, function, vertices), captures }
    }
}

/// What the program calls a vector.
fn named(all: &[Used], source: &Source) -> String {
    let name = match source {
        Source::Global(name) => Some(name),
        Source::Capture(role, i) => all.iter().find(|used| used.role == *role).and_then(|used| used.captures.get(*i)),
    };
    name.map_or_else(|| "a vector".to_string(), |name| format!("`{name}`"))
}

/// The functions of an operator and what they use.
fn functions(module: &Module, operator: &Operator) -> Vec<Used> {
    let of_vertex = |function: &FunctionRef| vec![Used::of(module, Role::Apply, function, &[Place::Source])];
    match operator {
        Operator::EdgeSetIterator(edges) => functions_of_edges(module, edges),
        Operator::VertexSetIterator(op) => of_vertex(&op.apply),
        Operator::VertexSetFilter(op) => of_vertex(&op.filter),
        _ => Vec::new(),
    }
}

fn functions_of_edges(module: &Module, op: &EdgeSetIterator) -> Vec<Used> {
    let mut uses = vec![Used::of(module, Role::Apply, &op.apply, &[Place::Source, Place::Destination])];
    let ends = [(Role::From, Place::Source, &op.from), (Role::To, Place::Destination, &op.to)];
    for (role, place, filter) in ends {
        if let VertexFilter::Function(function) = filter {
            uses.push(Used::of(module, role, function, &[place]));
        }
    }
    uses
}

/// What all functions of an operator do with each vector and scalar.
fn together(all: &[Used]) -> (BTreeMap<Source, EntryUse>, BTreeMap<Name, ScalarUse>) {
    let mut vectors: BTreeMap<Source, EntryUse> = BTreeMap::new();
    let mut scalars: BTreeMap<Name, ScalarUse> = BTreeMap::new();
    for Used { role, uses, .. } in all {
        for (name, used) in uses.vectors.clone() {
            let source = match name {
                VectorName::Global(name) => Source::Global(name),
                VectorName::Capture(i) => Source::Capture(*role, i),
            };
            let all = vectors.entry(source).or_default();
            all.read.extend(used.read);
            all.written.extend(used.written);
        }
        for (name, used) in uses.scalars.clone() {
            let all = scalars.entry(name).or_default();
            all.read = all.read.or(used.read);
            all.changes.extend(used.changes);
        }
    }
    (vectors, scalars)
}

/// The statement by which several workers may store different values in one entry.
fn picks_one(used: &EntryUse, walked: Place) -> Option<Span> {
    let elsewhere = used.written.iter().find(|write| write.place != walked)?;
    let changes: Vec<&Change> = used.written.iter().map(|write| &write.change).collect();
    let same_constant =
        changes.windows(2).all(|pair| pair[0] == pair[1]) && matches!(changes.first(), Some(Change::Constant(_)));
    let stores = |write: &places::Write| matches!(write.change, Change::Assign | Change::Claim | Change::Constant(_));
    let stored = used.written.iter().find(|write| stores(write) && write.place != walked);
    let any = used.written.iter().any(stores);
    (any && !same_constant).then(|| stored.unwrap_or(elsewhere).span)
}

fn vector_plan(name: &str, used: &EntryUse, walked: Place) -> Result<VectorPlan, Obstacle> {
    let reads_far = used.read.iter().any(|read| read.place != walked && read.place != Place::Other);
    let reads_any = used.read.iter().any(|read| read.place == Place::Other);
    let elsewhere = used.written.iter().find(|write| write.place != walked);
    let write = match elsewhere {
        _ if used.written.is_empty() => Write::Nothing,
        None => Write::Owned,
        Some(elsewhere) => {
            let merge = merge(name, used.written.iter().map(|write| (&write.change, write.span)))?;
            if let (Merge::Reduce(ReduceOp::Sum), Some(read)) = (merge, used.read.first()) {
                let does = format!("adds to entries of {name} at vertices that are not the worker's own");
                let line = read.span.line;
                let because =
                    format!("line {line} of the same operator reads {name}, and no worker knows what others add");
                return Err(Obstacle::new(does, because, elsewhere.span));
            }
            Write::Merged { merge, ends: used.written.iter().all(|write| write.place != Place::Other) }
        }
    };
    Ok(VectorPlan { reads_far, reads_any, write, tracked: false })
}

/// The one way in which changes by several workers become one.
fn merge<'c>(name: &str, changes: impl Iterator<Item = (&'c Change, Span)>) -> Result<Merge, Obstacle> {
    let mut found: Option<(Merge, Span)> = None;
    for (change, span) in changes {
        let merge = match change {
            Change::Assign | Change::Constant(_) | Change::Claim => Merge::First,
            Change::Reduce(op) => Merge::Reduce(*op),
            Change::Priority(PriorityOp::Min) => Merge::Reduce(ReduceOp::Min),
            Change::Priority(PriorityOp::Max) => Merge::Reduce(ReduceOp::Max),
            Change::Priority(PriorityOp::Sum) => {
                let because = "their bound holds for the sums of all workers, which no worker knows";
                return Err(Obstacle::new(format!("adds to priorities of other vertices (in {name})"), because, span));
            }
        };
        match found {
            Some((known, before)) if known != merge => {
                let because = format!("line {} of the same operator changes it in another way", before.line);
                return Err(Obstacle::new(format!("changes {name}"), because, span));
            }
            _ => found = Some((merge, span)),
        }
    }
    let nothing = || Obstacle::new(format!("changes {name}"), "in no way that is known", Span::NONE).for_none();
    found.map(|(merge, _)| merge).ok_or_else(nothing)
}
