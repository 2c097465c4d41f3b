//! Regions: statements that a machine takes as a whole, with what goes in and what comes out.
//!
//! A single operator is a region of one statement whose operands become parameters; a loop that a schedule gives to the
//! machine is a region whose parameters are the locals of the host function that it uses. Which loops can be regions at
//! all is the subject of [`device`](super::device).

use std::collections::HashMap;
use std::sync::Arc;

use gw_schedule::{Adaptive, Chooser, Criterion, LoopForm, Schedule};

use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::module::Module;
use crate::operator::{EdgeOutput, Operator, VertexFilter};
use crate::source::{Name, Span};
use crate::stmt::{Block, Decision, Stmt, StmtKind};
use crate::types::Type;
use crate::walk;

/// An operator as a region of its own.
pub struct OperatorRegion {
    /// The statement in the source.
    pub span: Span,
    /// Its label path.
    pub path: Arc<str>,
    /// Operands, by the names they have in the region.
    pub params: Vec<(Name, Type)>,
    /// The statement, with parameters in place of operands.
    pub body: Block,
    /// What it is for the host.
    pub operator: Operator,
    /// The names of its operands.
    pub names: OperandNames,
    /// The graph whose edges must be counted for the choice that picks this operator.
    pub counted: Option<Name>,
}

/// Names that the operands of an operator have in its region.
#[derive(Default)]
pub struct OperandNames {
    /// The `from` set.
    pub from: Option<Name>,
    /// The `to` set.
    pub to: Option<Name>,
    /// The input of a vertex operator.
    pub set: Option<Name>,
    /// The output.
    pub output: Option<Name>,
    /// Captures of the applied function.
    pub apply: Vec<Name>,
    /// Captures of the `from` function.
    pub from_captures: Vec<Name>,
    /// Captures of the `to` function.
    pub to_captures: Vec<Name>,
    /// The graph.
    pub graph: Option<Name>,
}

/// A loop that a machine runs as a whole, in one launch or several.
pub struct LoopRegion {
    /// The loop in the source.
    pub span: Span,
    /// Its label path.
    pub path: Arc<str>,
    /// The function it stands in.
    pub function: Option<Name>,
    /// Locals of the function that go in and out.
    pub params: Vec<(Name, Type)>,
    /// The loop.
    pub body: Block,
    /// How the schedule wants it carried out.
    pub form: LoopForm,
    /// What its operators read.
    pub frontiers: Frontiers,
}

/// An operator as a region: operands become parameters.
pub fn operator_region(module: &Module, span: Span, path: &Arc<str>, operator: &Operator) -> OperatorRegion {
    let mut names = OperandNames::default();
    let mut params: Vec<(Name, Type)> = Vec::new();
    let mut operator_in_region = operator.clone();
    let fresh = |base: &str| module.fresh_name(base);
    let captures = |function: &mut FunctionRef, role: &str, params: &mut Vec<(Name, Type)>| {
        let mut made = Vec::new();
        let types = module.function(&function.name).map(|f| f.captures.clone()).unwrap_or_default();
        for (i, (expr, capture)) in function.captures.iter_mut().zip(types).enumerate() {
            let name = fresh(&format!("{role}_capture{i}"));
            params.push((name.clone(), capture.ty.clone()));
            *expr = Expr::var(name.clone(), capture.ty);
            made.push(name);
        }
        made
    };
    let mut output: Option<(Name, Type)> = None;
    match &mut operator_in_region {
        Operator::EdgeSetIterator(e) => {
            for (filter, slot, base) in
                [(&mut e.from, &mut names.from, "from_set"), (&mut e.to, &mut names.to, "to_set")]
            {
                if let VertexFilter::Set(set) = filter {
                    let name = fresh(base);
                    params.push((name.clone(), set.ty.clone()));
                    *set = Expr::var(name.clone(), set.ty.clone());
                    *slot = Some(name);
                }
            }
            names.apply = captures(&mut e.apply, "apply", &mut params);
            if let VertexFilter::Function(f) = &mut e.from {
                names.from_captures = captures(f, "from", &mut params);
            }
            if let VertexFilter::Function(f) = &mut e.to {
                names.to_captures = captures(f, "to", &mut params);
            }
            if let Some(name) = e.graph.as_var() {
                // A graph of the host function travels under its own name; a global one is found there.
                if module.global(name).is_none() {
                    params.push((name.clone(), e.graph.ty.clone()));
                }
                names.graph = Some(name.clone());
            }
            if e.output != EdgeOutput::None
                && let Type::EdgeSet { target, .. } = &e.graph.ty
            {
                output = Some((fresh("output_set"), Type::VertexSet(target.clone())));
            }
        }
        Operator::VertexSetIterator(v) => {
            names.set = Some(vertex_input(&mut v.set, &mut params, &fresh));
            names.apply = captures(&mut v.apply, "apply", &mut params);
        }
        Operator::VertexSetFilter(v) => {
            names.set = Some(vertex_input(&mut v.set, &mut params, &fresh));
            names.apply = captures(&mut v.filter, "apply", &mut params);
            output = Some((fresh("output_set"), v.set.ty.clone()));
        }
        Operator::VertexSetDedup(d) => {
            names.set = Some(vertex_input(&mut d.set, &mut params, &fresh));
        }
        _ => {}
    }
    names.output = output.as_ref().map(|(name, _)| name.clone());
    let expr = operator_in_region.into_expr();
    let stmt = match output {
        Some((name, ty)) => Stmt::new(StmtKind::VarDecl { name, ty, init: Some(expr) }),
        None => Stmt::eval(expr),
    };
    let body = vec![stmt.at(span)];
    OperatorRegion { span, path: Arc::clone(path), params, body, operator: operator.clone(), names, counted: None }
}

fn vertex_input(set: &mut Expr, params: &mut Vec<(Name, Type)>, fresh: &dyn Fn(&str) -> Name) -> Name {
    let name = fresh("vertex_set");
    params.push((name.clone(), set.ty.clone()));
    *set = Expr::var(name.clone(), set.ty.clone());
    name
}

/// The region of a loop whose schedule gives the loop to the machine.
pub fn loop_region(module: &Module, function: Option<&Name>, path: &Arc<str>, stmt: &Stmt) -> Option<LoopRegion> {
    let StmtKind::While { meta, body, .. } = &stmt.kind else { return None };
    if !meta.needs_fusion {
        return None;
    }
    let form = meta.schedule.as_ref()?.as_simple()?.loop_form?;
    let locals = match function.and_then(|f| module.function(f)) {
        Some(function) => {
            let mut locals = function.locals();
            locals.extend(function.params.iter().cloned());
            locals.extend(function.captures.iter().cloned());
            locals.extend(function.result.iter().cloned());
            locals
        }
        None => Vec::new(),
    };
    let mut params: Vec<(Name, Type)> = Vec::new();
    for name in &meta.hoisted {
        if let Some(local) = locals.iter().find(|l| l.name == *name) {
            params.push((name.clone(), local.ty.clone()));
        }
    }
    Some(LoopRegion {
        span: stmt.span,
        path: Arc::clone(path),
        function: function.cloned(),
        params,
        body: vec![stmt.clone()],
        form,
        frontiers: Frontiers::of(module, body),
    })
}

/// The sets that the operators of a loop read.
#[derive(Debug, Default)]
pub struct Frontiers {
    /// Set variables.
    pub sets: Vec<Name>,
    /// Priority queues, for the vertices of their open buckets.
    pub queues: Vec<Name>,
    /// Some operator looks at all vertices.
    pub all: bool,
}

impl Frontiers {
    /// The sets read in the body of a loop.
    pub fn of(module: &Module, body: &[Stmt]) -> Frontiers {
        let mut found = Frontiers::default();
        walk::walk_block_exprs(body, &mut |e| match &e.kind {
            ExprKind::Operator(op) => match &**op {
                Operator::EdgeSetIterator(edges) => match &edges.from {
                    VertexFilter::Set(set) => found.read(module, set),
                    VertexFilter::All | VertexFilter::Function(_) => found.all = true,
                },
                Operator::VertexSetIterator(v) => found.read(module, &v.set),
                Operator::VertexSetFilter(v) => found.read(module, &v.set),
                Operator::VertexSetDedup(v) => found.read(module, &v.set),
                Operator::UpdateBuckets(update) => found.read(module, &update.modified),
                _ => {}
            },
            ExprKind::Builtin(Builtin::DequeueReadySet, args) => {
                let queue = args.first().and_then(Expr::as_var);
                found.queues.extend(queue.filter(|queue| !found.queues.contains(queue)).cloned());
            }
            _ => {}
        });
        found
    }

    fn read(&mut self, module: &Module, set: &Expr) {
        match set.as_var() {
            Some(name) if module.global(name).is_some_and(|g| g.universe) => self.all = true,
            Some(name) if !self.sets.contains(name) => self.sets.push(name.clone()),
            Some(_) => {}
            None => self.all = true,
        }
    }
}

/// The graph whose edges the choices of a block count; none when they look at several.
pub fn counted_graph(body: &Block) -> Option<Name> {
    let mut graphs: Vec<Name> = Vec::new();
    walk::walk_stmts(body, &mut |stmt| {
        if let StmtKind::Hybrid(hybrid) = &stmt.kind
            && counts_edges(&hybrid.decision)
            && let Some(graph) = hybrid.graph.as_var()
            && !graphs.contains(graph)
        {
            graphs.push(graph.clone());
        }
    });
    match &graphs[..] {
        [graph] => Some(graph.clone()),
        _ => None,
    }
}

/// The operators among which choices of a module that count edges choose, by their addresses, with the graph.
pub fn counting_operators(module: &Module) -> HashMap<*const Operator, Name> {
    let mut found = HashMap::new();
    let blocks = module.functions.iter().filter_map(|f| f.body.as_ref()).chain([&module.startup]);
    for block in blocks {
        walk::walk_stmts(block, &mut |stmt| {
            let StmtKind::Hybrid(hybrid) = &stmt.kind else { return };
            let Some(graph) = hybrid.graph.as_var().filter(|_| counts_edges(&hybrid.decision)) else { return };
            for variant in &hybrid.variants {
                walk::walk_block_exprs(variant, &mut |e| {
                    if let ExprKind::Operator(operator) = &e.kind {
                        found.insert(std::ptr::from_ref::<Operator>(operator), graph.clone());
                    }
                });
            }
        });
    }
    found
}

/// Whether a choice between variants looks at the edges that leave the frontier.
pub fn counts_edges(decision: &Decision) -> bool {
    let counts = |criterion: &Criterion| criterion.needs_degrees();
    match decision {
        Decision::Threshold { criterion, .. } => counts(criterion),
        Decision::Chooser { tree: Some(tree), .. } => tree.features().iter().any(|f| f.needs_frontier_edges()),
        Decision::Chooser { schedule, .. } => match &**schedule {
            Schedule::Adaptive(Adaptive { chooser: Chooser::Threshold { criterion, .. }, .. }) => counts(criterion),
            _ => false,
        },
    }
}
