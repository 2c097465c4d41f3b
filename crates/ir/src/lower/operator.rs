//! Lowering operators, and finding the queue of priority operators.

use super::{Lower, LowerProblem, Lowering};
use crate::expr::Expr;
use crate::meta::{EdgeMeta, QueueMeta, VertexMeta};
use crate::operator::{
    EdgeOutput, EdgeSetIterator, Operator, UpdatePriorityEdgeSetIterator, UpdatePriorityExtern, VertexFilter,
    VertexSetFilter, VertexSetIterator,
};
use crate::stmt::Block;
use gw_lang::builtin::Builtin as LangBuiltin;
use gw_lang::typed::{self, ApplyKind, Filter, Tracked};
use gw_lang::types::FuncId;
use gw_lang::types::Type as LangType;
use std::collections::HashSet;

impl<'p> Lowering<'p> {
    /// The operator that `expr` is, if it is one.
    pub(super) fn operator(&mut self, expr: &'p typed::Expr, pre: &mut Block) -> Lower<Option<Operator>> {
        Ok(Some(match &expr.kind {
            typed::ExprKind::EdgeApply(apply) => self.edge_apply(apply, expr.span, pre)?,
            typed::ExprKind::Groups(apply) => self.group_apply(apply, expr.span, pre)?,
            typed::ExprKind::VertexApply { set, func } => {
                let meta = VertexMeta { is_all_vertices: self.is_universe(set), ..VertexMeta::default() };
                let set = self.variable(set, "members", pre)?;
                let apply = self.function_ref(func, pre)?;
                Operator::VertexSetIterator(VertexSetIterator { set, apply, meta })
            }
            typed::ExprKind::VertexFilter { set, func } => {
                let meta = VertexMeta { is_all_vertices: self.is_universe(set), ..VertexMeta::default() };
                let set = self.variable(set, "members", pre)?;
                let filter = self.function_ref(func, pre)?;
                Operator::VertexSetFilter(VertexSetFilter { set, filter, meta })
            }
            typed::ExprKind::VertexApplyExtern { set, func } => {
                let set = self.variable(set, "members", pre)?;
                let function = self.function_ref(func, pre)?;
                let Some(queue) = self.only_queue() else { return self.fail(expr.span, LowerProblem::NoQueue) };
                Operator::UpdatePriorityExtern(UpdatePriorityExtern {
                    set,
                    function,
                    queue,
                    meta: QueueMeta::default(),
                })
            }
            _ => return Ok(None),
        }))
    }

    fn edge_apply(&mut self, apply: &'p typed::EdgeApply, span: gw_lang::Span, pre: &mut Block) -> Lower<Operator> {
        let graph = self.variable(&apply.graph, "graph", pre)?;
        let from = self.filter(apply.from.as_ref(), pre)?;
        let to = self.filter(apply.to.as_ref(), pre)?;
        let function = self.function_ref(&apply.func, pre)?;
        let output = match &apply.kind {
            ApplyKind::Apply | ApplyKind::UpdatePriority => EdgeOutput::None,
            ApplyKind::ApplyCollect => EdgeOutput::Accepted { duplicates: false },
            ApplyKind::Modified { vector, disable_dedup } => {
                EdgeOutput::Modified { vector: self.tracked(*vector, apply.func.func), duplicates: *disable_dedup }
            }
        };
        let meta = EdgeMeta {
            is_weighted: apply.weighted,
            is_all_edges: apply.from.is_none() && apply.to.is_none(),
            requires_output: output != EdgeOutput::None,
            ..EdgeMeta::default()
        };
        let edges = EdgeSetIterator { graph, from, to, apply: function, output, meta };
        if apply.kind != ApplyKind::UpdatePriority {
            return Ok(Operator::EdgeSetIterator(edges));
        }
        let queue = match self.queue_updated(apply.func.func, &edges.apply.captures, &mut HashSet::new()) {
            Some(queue) => queue,
            None => match self.only_queue() {
                Some(queue) => queue,
                None => return self.fail(span, LowerProblem::NoQueue),
            },
        };
        Ok(Operator::UpdatePriorityEdgeSetIterator(UpdatePriorityEdgeSetIterator {
            edges,
            queue,
            queue_meta: QueueMeta::default(),
        }))
    }

    fn filter(&mut self, filter: Option<&'p Filter>, pre: &mut Block) -> Lower<VertexFilter> {
        match filter {
            None => Ok(VertexFilter::All),
            Some(Filter::Set(set)) if self.is_universe(set) => Ok(VertexFilter::All),
            Some(Filter::Set(set)) => Ok(VertexFilter::Set(self.variable(set, "members", pre)?)),
            Some(Filter::Func(func)) => Ok(VertexFilter::Function(self.function_ref(func, pre)?)),
        }
    }

    /// The tracked vector by the name the edge function knows it under: captures are lowered with the same renaming.
    fn tracked(&self, tracked: Tracked, function: FuncId) -> crate::source::Name {
        match tracked {
            Tracked::Global(id) => self.program.global(id).name.as_str().into(),
            Tracked::Capture(position) => self.capture_name(function, position as usize),
        }
    }

    /// The name that a capture gets when its function is lowered.
    fn capture_name(&self, function: FuncId, position: usize) -> crate::source::Name {
        let function = self.program.function(function);
        let mut taken = HashSet::new();
        let target = function.captures.get(position).map_or(0, |id| id.0 as usize);
        let mut name = "_".into();
        for local in function.locals.iter().take(target + 1) {
            name = super::fresh_in(&self.reserved, &mut taken, &local.name);
        }
        name
    }

    /// The queue that a function or its callees update, as seen where the function is named with these captures.
    fn queue_updated(&self, function: FuncId, captures: &[Expr], seen: &mut HashSet<FuncId>) -> Option<Expr> {
        if !seen.insert(function) {
            return None;
        }
        let function = self.program.function(function);
        let mut found = None;
        visit_stmts(&function.body, &mut |expr| {
            if found.is_some() {
                return;
            }
            match &expr.kind {
                typed::ExprKind::Builtin {
                    builtin:
                        LangBuiltin::UpdatePriorityMin | LangBuiltin::UpdatePriorityMax | LangBuiltin::UpdatePrioritySum,
                    args,
                } => {
                    found = match args.first().map(|a| &a.kind) {
                        Some(typed::ExprKind::Var(v @ typed::Var::Global(_))) => Some(self.var(*v)),
                        Some(typed::ExprKind::Var(typed::Var::Local(id))) => {
                            function.captures.iter().position(|c| c == id).and_then(|i| captures.get(i).cloned())
                        }
                        _ => None,
                    };
                }
                typed::ExprKind::Call { func, .. } => found = self.queue_updated(func.func, &[], seen),
                _ => {}
            }
        });
        found
    }

    /// The one queue there is: the only global one, or the only local of the present function.
    fn only_queue(&self) -> Option<Expr> {
        let is_queue = |ty: &LangType| matches!(ty, LangType::PriorityQueue { .. });
        let mut queues: Vec<typed::Var> = Vec::new();
        if let Some(function) = self.function {
            let locals = function.locals.iter().enumerate().filter(|(_, l)| is_queue(&l.ty));
            queues.extend(locals.map(|(i, _)| typed::Var::Local(gw_lang::types::LocalId(i as u32))));
        }
        if queues.is_empty() {
            let globals = self.program.globals.iter().enumerate().filter(|(_, g)| is_queue(&g.ty));
            queues.extend(globals.map(|(i, _)| typed::Var::Global(gw_lang::types::GlobalId(i as u32))));
        }
        match queues.as_slice() {
            [only] => Some(self.var(*only)),
            _ => None,
        }
    }
}

/// Calls `visit` on every expression that can hold a priority update: effects, conditions and values, with operands.
fn visit_stmts<'p>(stmts: &'p [typed::Stmt], visit: &mut dyn FnMut(&'p typed::Expr)) {
    for stmt in stmts {
        match &stmt.kind {
            typed::StmtKind::Expr(e) => visit_expr(e, visit),
            typed::StmtKind::Print(values) => values.iter().for_each(|e| visit_expr(e, visit)),
            typed::StmtKind::Assign { value, .. } | typed::StmtKind::Reduce { value, .. } => visit_expr(value, visit),
            typed::StmtKind::Let { init: Some(typed::Init::Value(e)), .. } => visit_expr(e, visit),
            typed::StmtKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    visit_expr(condition, visit);
                    visit_stmts(block, visit);
                }
                visit_stmts(otherwise, visit);
            }
            typed::StmtKind::While { cond, body } | typed::StmtKind::DoWhile { body, cond } => {
                visit_expr(cond, visit);
                visit_stmts(body, visit);
            }
            typed::StmtKind::For { body, .. } | typed::StmtKind::ForEach { body, .. } => visit_stmts(body, visit),
            _ => {}
        }
    }
}

fn visit_expr<'p>(expr: &'p typed::Expr, visit: &mut dyn FnMut(&'p typed::Expr)) {
    visit(expr);
    match &expr.kind {
        typed::ExprKind::Convert(e) | typed::ExprKind::Neg(e) | typed::ExprKind::Not(e) => visit_expr(e, visit),
        typed::ExprKind::Binary { left, right, .. } => {
            visit_expr(left, visit);
            visit_expr(right, visit);
        }
        typed::ExprKind::Call { args, .. } | typed::ExprKind::Builtin { args, .. } => {
            for a in args {
                visit_expr(a, visit);
            }
        }
        _ => {}
    }
}
