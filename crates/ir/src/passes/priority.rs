//! Priority lowering: priority operators become what their schedule asks for.
//!
//! Eager: the whole loop becomes one `OrderedProcessing`. Otherwise the operator becomes an edge operator that tracks
//! the priority vector, followed by `UpdateBuckets` on the vertices it changed. Allocations of the queue learn kind,
//! bucket width and sizes.

use super::{PassContext, PassError};
use crate::analysis::calls::closure;
use crate::analysis::priority::{change, eager_loop, priority_vector};
use crate::expr::{Expr, ExprKind, PriorityOp};
use crate::meta::{QueueKind, QueueMeta};
use crate::module::Module;
use crate::operator::{
    EdgeOutput, Operator, OrderedProcessing, UpdateBuckets, UpdatePriorityEdgeSetIterator, VertexFilter,
};
use crate::points::{inner_prefix, operator_point, own_path};
use crate::rewrite::{fresh, taken};
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;
use crate::walk::{bodies_mut, walk_block_exprs_mut, walk_stmts_mut};
use gw_schedule::{PriorityChange, PriorityUpdate, Schedule, SimpleSchedule};
use std::collections::{HashMap, HashSet};

const PASS: &str = "priority";

/// Lowers all priority operators.
pub fn priority(mut module: Module, context: &PassContext) -> Result<Module, PassError> {
    let mut queues: HashMap<Name, QueueMeta> = HashMap::new();
    let mut deferred: Vec<Name> = Vec::new();
    for at in 0..module.functions.len() {
        let Some(body) = module.functions[at].body.clone() else { continue };
        let mut lowering = Lowering {
            module: &module,
            context,
            names: taken(&module, Some(&module.functions[at])),
            queues: &mut queues,
            deferred: &mut deferred,
        };
        let body = lowering.block(body, "")?;
        module.functions[at].body = Some(body);
    }
    for name in closure(&module, deferred) {
        if let Some(body) = module.function_mut(&name).and_then(|f| f.body.as_mut()) {
            walk_block_exprs_mut(body, &mut |e| {
                if let ExprKind::PriorityUpdate { meta, .. } = &mut e.kind {
                    meta.deferred = true;
                }
            });
        }
    }
    describe_allocations(&mut module, &queues);
    Ok(module)
}

struct Lowering<'a> {
    module: &'a Module,
    context: &'a PassContext<'a>,
    names: HashSet<Name>,
    queues: &'a mut HashMap<Name, QueueMeta>,
    deferred: &'a mut Vec<Name>,
}

impl Lowering<'_> {
    fn block(&mut self, block: Block, prefix: &str) -> Result<Block, PassError> {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in block {
            let inner = inner_prefix(prefix, &stmt);
            if let Some(ordered) = self.ordered(&stmt, &inner)? {
                out.push(ordered);
                continue;
            }
            for b in stmt.blocks_mut() {
                *b = self.block(std::mem::take(b), &inner)?;
            }
            let path = own_path(prefix, &stmt);
            self.lazy(stmt, path.as_deref(), &mut out)?;
        }
        Ok(out)
    }

    /// The part of the schedule that is about the queue; all parts of a hybrid agree on it.
    fn schedule(&self, stmt: &Stmt, path: Option<&str>, eager: bool) -> Result<SimpleSchedule, PassError> {
        let Some(point) = stmt.operator().and_then(|op| operator_point(self.module, op, eager)) else {
            return Ok(SimpleSchedule::default());
        };
        let binding = self.context.schedule.bind(path, &point);
        let binding = binding.map_err(|reasons| PassError::illegal(PASS, stmt.span, path, reasons))?;
        let first = match &binding.schedule {
            Schedule::Simple(s) => *s,
            other => other.parts().first().copied().copied().unwrap_or_default(),
        };
        Ok(first.resolve(self.context.family, &point))
    }

    /// The loop as one operator, when its schedule is eager.
    fn ordered(&mut self, stmt: &Stmt, inner: &str) -> Result<Option<Stmt>, PassError> {
        let Some(found) = eager_loop(stmt) else { return Ok(None) };
        let path = own_path(inner, found.statement);
        let schedule = self.schedule(found.statement, path.as_deref(), true)?;
        if !schedule.update().is_eager() {
            return Ok(None);
        }
        let meta = queue_meta(self.module, &schedule, found.operator);
        self.remember(&found.operator.queue, &meta);
        let mut edges = found.operator.edges.clone();
        edges.from = VertexFilter::All;
        edges.meta.is_all_edges = false;
        let operator = Operator::OrderedProcessing(OrderedProcessing {
            queue: found.operator.queue.clone(),
            condition: found.condition.clone(),
            edges,
            meta,
        });
        let apply = Stmt::eval(operator.into_expr()).at(found.statement.span).labelled(found.statement.label.clone());
        // The label of the loop stays part of the path.
        Ok(Some(match &stmt.label {
            None => apply,
            Some(_) => Stmt { label: stmt.label.clone(), span: stmt.span, kind: StmtKind::Scope(vec![apply]) },
        }))
    }

    fn lazy(&mut self, mut stmt: Stmt, path: Option<&str>, out: &mut Block) -> Result<(), PassError> {
        if let Some(Operator::UpdatePriorityExtern(_)) = stmt.operator() {
            let schedule = self.schedule(&stmt, path, false)?;
            if let Some(Operator::UpdatePriorityExtern(u)) = stmt.operator_mut() {
                u.meta = extern_meta(&schedule);
                let (queue, meta) = (u.queue.clone(), u.meta.clone());
                self.remember(&queue, &meta);
            }
            out.push(stmt);
            return Ok(());
        }
        let Some(Operator::UpdatePriorityEdgeSetIterator(update)) = stmt.operator().cloned() else {
            out.push(stmt);
            return Ok(());
        };
        let schedule = self.schedule(&stmt, path, false)?;
        let meta = queue_meta(self.module, &schedule, &update);
        self.remember(&update.queue, &meta);
        let UpdatePriorityEdgeSetIterator { mut edges, queue, .. } = update;
        let vector = queue.as_var().and_then(|q| priority_vector(self.module, q));
        let (Some(vector), Type::EdgeSet { target, .. }) = (vector, &edges.graph.ty) else {
            return self.immediate(stmt, meta, out);
        };
        if self.module.global(&vector).is_none() {
            return self.immediate(stmt, meta, out);
        }
        // 1. The traversal reports the vertices whose priority it changed, each once.
        let set_type = Type::VertexSet(target.clone());
        self.deferred.push(edges.apply.name.clone());
        edges.output = EdgeOutput::Modified { vector, duplicates: false };
        edges.meta.requires_output = true;
        let modified = fresh(&mut self.names, "modified");
        let decl = StmtKind::VarDecl {
            name: modified.clone(),
            ty: set_type.clone(),
            init: Some(Operator::EdgeSetIterator(edges).into_expr()),
        };
        out.push(Stmt { label: stmt.label.take(), span: stmt.span, kind: decl });
        // 2. They move to the buckets of their new priorities.
        let modified = Expr::var(modified, set_type);
        let buckets = Operator::UpdateBuckets(UpdateBuckets { queue, modified: modified.clone(), meta });
        out.push(Stmt::eval(buckets.into_expr()).at(stmt.span));
        out.push(Stmt::new(StmtKind::Delete(modified)).at(stmt.span));
        Ok(())
    }

    /// A queue over a vector that edge functions cannot name keeps its operator, which moves vertices at once.
    fn immediate(&mut self, mut stmt: Stmt, meta: QueueMeta, out: &mut Block) -> Result<(), PassError> {
        if let Some(Operator::UpdatePriorityEdgeSetIterator(u)) = stmt.operator_mut() {
            u.queue_meta = meta;
        }
        out.push(stmt);
        Ok(())
    }

    fn remember(&mut self, queue: &Expr, meta: &QueueMeta) {
        if let Some(name) = queue.as_var() {
            self.queues.insert(name.clone(), meta.clone());
        }
    }
}

fn queue_meta(module: &Module, schedule: &SimpleSchedule, update: &UpdatePriorityEdgeSetIterator) -> QueueMeta {
    let kind = match schedule.update() {
        PriorityUpdate::Lazy => QueueKind::Lazy,
        PriorityUpdate::Eager => QueueKind::Eager,
        PriorityUpdate::EagerWithMerge => QueueKind::EagerMerge,
        PriorityUpdate::ConstantSum => QueueKind::ConstantSum,
        PriorityUpdate::NearFar => QueueKind::NearFar,
    };
    QueueMeta {
        kind: Some(kind),
        update: change(module, &update.edges.apply.name).map(|c| match c {
            PriorityChange::Min => PriorityOp::Min,
            PriorityChange::Max => PriorityOp::Max,
            PriorityChange::ConstantSum | PriorityChange::Sum => PriorityOp::Sum,
        }),
        delta: Some(schedule.delta()),
        merge_threshold: schedule.merge.filter(|_| kind == QueueKind::EagerMerge),
        open_buckets: schedule.buckets.filter(|_| matches!(kind, QueueKind::Lazy | QueueKind::ConstantSum)),
        ..QueueMeta::default()
    }
}

fn extern_meta(schedule: &SimpleSchedule) -> QueueMeta {
    QueueMeta {
        kind: Some(QueueKind::Lazy),
        delta: Some(schedule.delta()),
        open_buckets: schedule.buckets,
        ..QueueMeta::default()
    }
}

/// Writes what was learned about each queue to its allocations, and whether all vertices start in buckets to its
/// `UpdateBuckets`.
fn describe_allocations(module: &mut Module, queues: &HashMap<Name, QueueMeta>) {
    let mut full: HashSet<Name> = HashSet::new();
    let mut describe = |name: &Name, value: &mut Expr| {
        let ExprKind::PriorityQueueAlloc(q) = &mut value.kind else { return };
        if q.all_vertices {
            full.insert(name.clone());
        }
        if let Some(meta) = queues.get(name) {
            let extra = std::mem::take(&mut q.meta.extra);
            q.meta = QueueMeta { all_in_buckets: q.all_vertices, extra, ..meta.clone() };
        }
    };
    for body in bodies_mut(module) {
        walk_stmts_mut(body, &mut |s| match &mut s.kind {
            StmtKind::VarDecl { name, init: Some(value), .. } => describe(name, value),
            StmtKind::Assign { target, value } => {
                if let Some(name) = target.as_var() {
                    describe(name, value);
                }
            }
            _ => {}
        });
    }
    for body in bodies_mut(module) {
        walk_stmts_mut(body, &mut |s| {
            if let Some(Operator::UpdateBuckets(u)) = s.operator_mut() {
                u.meta.all_in_buckets = u.queue.as_var().is_some_and(|q| full.contains(q));
            }
        });
    }
}
