//! Label paths, and the places of a module that take a schedule.

use crate::analysis::tested::tested;
use crate::analysis::{claims, classes, device, priority, reduction};
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind};
use crate::groups::NeighbourGroups;
use crate::module::Module;
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::walk::{stmt_exprs, walk_expr};
use gw_schedule::{PointKind, ProgramPoint, ProgramSchedule, Sources};
use std::collections::HashSet;

/// A place that takes a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Label path; `None` when the statement has no label, so that only a schedule without label reaches it.
    pub path: Option<Name>,
    /// Function it stands in; `None` for start-up.
    pub function: Option<Name>,
    /// Where in the source.
    pub span: Span,
    /// What legality asks.
    pub point: ProgramPoint,
}

/// All places of a module that take a schedule, in order of the module.
///
/// Use it on a module as lowered, before any pass, to enumerate the legal schedules of a program.
pub fn program_points(module: &Module) -> Vec<Point> {
    let mut out = Vec::new();
    for function in &module.functions {
        if let Some(body) = &function.body {
            collect(module, Some(&function.name), body, "", false, &mut out);
        }
    }
    out
}

fn collect(module: &Module, function: Option<&Name>, block: &[Stmt], prefix: &str, eager: bool, out: &mut Vec<Point>) {
    for stmt in block {
        for point in stmt_points(module, stmt, eager) {
            out.push(Point {
                path: own_path(prefix, stmt).map(|p| p.as_str().into()),
                function: function.cloned(),
                span: stmt.span,
                point,
            });
        }
        let inner_prefix = inner_prefix(prefix, stmt);
        let inner_eager = priority::eager_loop(stmt).is_some();
        for inner in stmt.blocks() {
            collect(module, function, inner, &inner_prefix, inner_eager, out);
        }
    }
}

/// The label path of a statement: labels of the enclosing statements and its own, joined by `:`. Labels of `if` do not
/// count; a statement without its own label has no path.
pub fn own_path(prefix: &str, stmt: &Stmt) -> Option<String> {
    let label = stmt.label.as_ref().filter(|_| !matches!(stmt.kind, StmtKind::If { .. }))?;
    Some(if prefix.is_empty() { label.to_string() } else { format!("{prefix}:{label}") })
}

/// The path prefix inside the blocks of a statement.
pub fn inner_prefix(prefix: &str, stmt: &Stmt) -> String {
    own_path(prefix, stmt).unwrap_or_else(|| prefix.to_string())
}

/// Every label path of a module that names a statement, scheduled or not.
pub fn label_paths(module: &Module) -> Vec<String> {
    fn walk(block: &[Stmt], prefix: &str, out: &mut Vec<String>) {
        for stmt in block {
            out.extend(own_path(prefix, stmt));
            let inner = inner_prefix(prefix, stmt);
            for b in stmt.blocks() {
                walk(b, &inner, out);
            }
        }
    }
    let mut out = Vec::new();
    for body in crate::walk::bodies(module) {
        walk(body, "", &mut out);
    }
    out
}

/// The schedule with a schedule of its own for every copy of a function: a label path as written in the function means
/// the place in all copies that the schedule does not name by their own paths ([`gw_lang::inlined`]).
pub fn spread(module: &Module, schedule: &ProgramSchedule) -> ProgramSchedule {
    let mut spread = schedule.clone();
    let (mut all, mut copies) = (HashSet::new(), Vec::new());
    for body in crate::walk::bodies(module) {
        written_paths(body, "", "", &mut |path, written| {
            if path != written && schedule.get(path).is_none() && schedule.get(written).is_some() {
                copies.push((path.to_string(), written.to_string()));
            }
            all.insert(path.to_string());
        });
    }
    for (path, written) in &copies {
        if let Some(own) = schedule.get(written) {
            // The path is made of labels, which are names.
            let _ = spread.set(path, own.clone());
        }
    }
    for (_, written) in copies.iter().filter(|(_, written)| !all.contains(written)) {
        spread.remove(written);
    }
    spread
}

/// Calls `f` with the path of every labelled statement, and with its path as written in its function.
fn written_paths(block: &[Stmt], prefix: &str, written_prefix: &str, f: &mut dyn FnMut(&str, &str)) {
    for stmt in block {
        let path = own_path(prefix, stmt);
        let written = stmt.label.as_ref().filter(|_| path.is_some()).map(|label| match label.rsplit_once(':') {
            Some((_, own)) => own.to_string(),
            None => own_path(written_prefix, stmt).unwrap_or_default(),
        });
        if let (Some(path), Some(written)) = (&path, &written) {
            f(path, written);
        }
        let (prefix, written) = (path.as_deref().unwrap_or(prefix), written.as_deref().unwrap_or(written_prefix));
        stmt.blocks().into_iter().for_each(|block| written_paths(block, prefix, written, f));
    }
}

/// What replaces a statement, given its label path.
pub type RewriteStmt<'f, E> = dyn FnMut(Stmt, Option<&str>) -> Result<Block, E> + 'f;

/// Rewrites a block statement by statement, inner blocks first; `f` gets each statement with its label path.
pub fn rewrite_block<E>(block: Block, prefix: &str, f: &mut RewriteStmt<E>) -> Result<Block, E> {
    let mut out = Block::with_capacity(block.len());
    for mut stmt in block {
        let inner = inner_prefix(prefix, &stmt);
        for b in stmt.blocks_mut() {
            *b = rewrite_block(std::mem::take(b), &inner, f)?;
        }
        let path = own_path(prefix, &stmt);
        out.extend(f(stmt, path.as_deref())?);
    }
    Ok(out)
}

/// Rewrites all code of a module, see [`rewrite_block`].
pub fn rewrite_module<E>(mut module: Module, f: &mut RewriteStmt<E>) -> Result<Module, E> {
    for body in crate::walk::bodies_mut(&mut module) {
        *body = rewrite_block(std::mem::take(body), "", f)?;
    }
    Ok(module)
}

/// The points of one statement itself. `eager` says whether it stands in a loop that ordered processing can replace.
pub fn stmt_points(module: &Module, stmt: &Stmt, eager: bool) -> Vec<ProgramPoint> {
    let mut points = Vec::new();
    if let Some(op) = stmt.operator() {
        points.extend(operator_point(module, op, eager));
    }
    match &stmt.kind {
        StmtKind::While { condition, body, .. } => points.push(while_point(module, condition, body)),
        StmtKind::ParFor { .. } => points.push(ProgramPoint::new(PointKind::ParFor)),
        _ => {}
    }
    if intersects(stmt) {
        points.push(ProgramPoint::new(PointKind::Intersection));
    }
    points
}

/// Whether the statement itself computes an intersection of neighbour lists.
pub(crate) fn intersects(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt_exprs(stmt, &mut |e| {
        walk_expr(e, &mut |e| {
            found |= matches!(e.kind, ExprKind::Intersection { .. } | ExprKind::IntersectNeighbor { .. });
        });
    });
    found
}

/// The point that an operator is; `None` for the helpers that passes insert.
pub fn operator_point(module: &Module, op: &Operator, eager: bool) -> Option<ProgramPoint> {
    match op {
        Operator::EdgeSetIterator(e) => {
            // A lazily lowered priority operator keeps its kind, so that its schedule stays legal.
            let lowered = priority::updates(module, &e.apply.name).iter().any(|(_, _, deferred)| *deferred);
            let kind = if lowered { PointKind::PriorityOperator } else { PointKind::EdgeOperator };
            Some(edge_point(module, e, kind, false))
        }
        Operator::UpdatePriorityEdgeSetIterator(u) => {
            Some(edge_point(module, &u.edges, PointKind::PriorityOperator, eager))
        }
        Operator::OrderedProcessing(o) => Some(edge_point(module, &o.edges, PointKind::PriorityOperator, true)),
        Operator::VertexSetIterator(_) | Operator::VertexSetFilter(_) => {
            let grouped = crate::walk::operator_functions(op)
                .iter()
                .any(|(_, f)| module.function(&f.name).and_then(NeighbourGroups::of).is_some());
            Some(ProgramPoint { has_groups: grouped, ..ProgramPoint::new(PointKind::VertexOperator) })
        }
        Operator::UpdatePriorityExtern(_) => Some(ProgramPoint::new(PointKind::PriorityExtern)),
        Operator::VertexSetDedup(_) | Operator::UpdateBuckets(_) => None,
    }
}

fn edge_point(module: &Module, e: &EdgeSetIterator, kind: PointKind, eager_loop: bool) -> ProgramPoint {
    let function = module.function(&e.apply.name);
    ProgramPoint {
        from: match e.from {
            VertexFilter::All => Sources::All,
            VertexFilter::Set(_) => Sources::Set,
            VertexFilter::Function(_) => Sources::Filter,
        },
        has_to: e.to != VertexFilter::All,
        requires_output: e.output != EdgeOutput::None,
        needs_unique_output: match e.output {
            EdgeOutput::None => false,
            EdgeOutput::Modified { duplicates, .. } | EdgeOutput::Accepted { duplicates } => !duplicates,
        },
        claims_destinations: claims::claimed(module, e).is_some(),
        claims_for_good: e.meta.claims_for_good,
        bears_missing_leaves: e.meta.bears_missing_leaves,
        has_condition: e.meta.has_condition,
        has_edge_classes: classes::has_classes(module, e),
        tracks_extreme: classes::tracked_extreme(module, e).is_some(),
        weighted: e.graph.ty.weight().is_some(),
        // What a function with a `bool` result accepts may depend on what it reads.
        reduction_extractable: !matches!(e.output, EdgeOutput::Accepted { .. })
            && function.is_some_and(|f| reduction::mergeable(module, f, e.output != EdgeOutput::None)),
        priority_change: priority::change(module, &e.apply.name),
        eager_loop,
        ..ProgramPoint::new(kind)
    }
}

fn while_point(module: &Module, condition: &Expr, body: &[Stmt]) -> ProgramPoint {
    ProgramPoint {
        body_obstacle: device::obstacle(module, Some(condition), body),
        frontier_loop: tested(condition).is_some(),
        round_statements: body.iter().any(|s| !per_vertex(s)),
        ..ProgramPoint::new(PointKind::WhileLoop)
    }
}

/// Operators, set bookkeeping and dequeuing belong to vertices; everything else runs once per round.
fn per_vertex(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Delete(_) | StmtKind::Scope(_) | StmtKind::Hybrid(_) => true,
        StmtKind::VarDecl { init: Some(value), .. } | StmtKind::Assign { value, .. } | StmtKind::Eval(value) => {
            matches!(value.kind, ExprKind::Operator(_))
                || matches!(value.kind, ExprKind::Builtin(Builtin::DequeueReadySet, _))
                || matches!(value.ty, crate::types::Type::VertexSet(_))
        }
        _ => false,
    }
}
