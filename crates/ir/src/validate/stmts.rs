//! Rules of statements and initialisers.

use super::{Checker, Problem};
use crate::expr::{Expr, ExprKind};
use crate::meta::WhileMeta;
use crate::module::{Global, GlobalInit};
use crate::stmt::{Decision, Stmt, StmtKind};
use crate::types::{Scalar, Type};
use std::collections::HashMap;

impl<'m> Checker<'m> {
    pub(super) fn global_init(&mut self, global: &'m Global) {
        if global.universe && !matches!(global.ty, Type::VertexSet(_)) {
            self.report(Problem::Placement("only a vertexset can be a universe".into()));
        }
        if global.meta.fused_into.is_some() && !matches!(global.ty, Type::Vector { .. }) {
            self.report(Problem::Metadata("fused_into: only vectors are fused".into()));
        }
        self.extra(&global.meta.extra);
        match &global.init {
            None => {}
            Some(GlobalInit::Value(value)) => {
                self.expr(value);
                self.need_same("the initialiser", &global.ty, &value.ty);
            }
            Some(GlobalInit::PerEntry(value)) => {
                self.expr(value);
                if matches!(global.ty, Type::Vector { .. }) {
                    self.need_same("the initialiser of an entry", global.ty.leaf(), &value.ty);
                } else {
                    self.type_error("a global with an initialiser per entry", "a vector", &global.ty);
                }
            }
        }
    }

    pub(super) fn block(&mut self, block: &'m [Stmt]) {
        self.visible.push(HashMap::new());
        for stmt in block {
            self.stmt(stmt);
        }
        self.visible.pop();
    }

    fn looped(&mut self, body: &'m [Stmt]) {
        self.loops += 1;
        self.block(body);
        self.loops -= 1;
    }

    /// The value of a declaration, assignment or effect: the only place for operators.
    fn value(&mut self, value: &'m Expr) {
        match &value.kind {
            ExprKind::Operator(op) => {
                if value.ty != op.result_type() {
                    self.report(Problem::Stored(format!(
                        "{} yields {}, not {}",
                        op.name(),
                        op.result_type(),
                        value.ty
                    )));
                }
                self.operator(op);
            }
            _ => self.expr(value),
        }
    }

    fn condition(&mut self, condition: &'m Expr) {
        self.expr(condition);
        if !condition.ty.is_bool() {
            self.type_error("a condition", "bool", &condition.ty);
        }
    }

    fn bind(&mut self, name: &crate::source::Name, ty: Type) {
        self.declare(name);
        if let Some(scope) = self.visible.last_mut() {
            scope.insert(name.clone(), ty);
        }
    }

    fn stmt(&mut self, stmt: &'m Stmt) {
        if stmt.span.line > 0 {
            self.span = stmt.span;
        }
        if let Some(label) = &stmt.label {
            label.split(':').for_each(|part| self.identifier(&part.into()));
        }
        match &stmt.kind {
            StmtKind::VarDecl { name, ty, init } => {
                self.known_type(ty);
                if let Some(value) = init {
                    match &value.kind {
                        ExprKind::Groups(groups) => self.groups(groups, stmt),
                        _ => self.value(value),
                    }
                    self.need_same(&format!("the value of `{name}`"), ty, &value.ty);
                }
                self.bind(name, ty.clone());
            }
            StmtKind::Assign { target, value } => {
                self.place_expr(target);
                self.value(value);
                self.need_same("the assigned value", &target.ty, &value.ty);
            }
            StmtKind::Eval(value) => self.value(value),
            StmtKind::If { condition, then, otherwise } => {
                self.condition(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::While { condition, body, meta } => {
                self.condition(condition);
                self.while_meta(meta);
                self.looped(body);
            }
            StmtKind::DoWhile { body, condition } => {
                self.looped(body);
                self.condition(condition);
            }
            StmtKind::For { var, low, high, body, meta } | StmtKind::ParFor { var, low, high, body, meta } => {
                self.expr(low);
                self.expr(high);
                for bound in [low, high] {
                    self.need_same("a loop bound", &Type::INT, &bound.ty);
                }
                self.extra(&meta.extra);
                self.visible.push(HashMap::new());
                self.bind(var, Type::INT);
                self.looped(body);
                self.visible.pop();
            }
            StmtKind::Break => {
                if self.loops == 0 {
                    self.report(Problem::Placement("break outside a loop".into()));
                }
            }
            StmtKind::Print(value) => {
                self.expr(value);
                if value.ty.scalar().is_none() {
                    self.type_error("a printed value", "a scalar", &value.ty);
                }
            }
            StmtKind::Delete(target) => {
                self.place_expr(target);
                if !target.ty.is_reference() {
                    self.type_error("what is deleted", "a set, vector, list, graph or queue", &target.ty);
                }
            }
            StmtKind::Scope(body) => self.block(body),
            StmtKind::Hybrid(h) => {
                self.expr(&h.graph);
                if !matches!(h.graph.ty, Type::EdgeSet { .. }) {
                    self.type_error("the graph of a HybridStmt", "an edgeset", &h.graph.ty);
                }
                if let Some(f) = &h.frontier {
                    self.expr(f);
                    if !matches!(f.ty, Type::VertexSet(_)) {
                        self.type_error("the frontier of a HybridStmt", "a vertexset", &f.ty);
                    }
                }
                let fits = match &h.decision {
                    Decision::Threshold { .. } => h.variants.len() == 2,
                    Decision::Chooser { schedule, .. } => {
                        matches!(**schedule, gw_schedule::Schedule::Adaptive(_))
                            && h.variants.len() == schedule.parts().len()
                    }
                };
                if let Decision::Chooser { tree: Some(tree), .. } = &h.decision
                    && tree.candidates().last().is_some_and(|&most| usize::from(most) >= h.variants.len())
                {
                    self.report(Problem::Metadata(
                        "the tree of a HybridStmt names a candidate that is not there".into(),
                    ));
                }
                if !fits {
                    let message = "a HybridStmt needs two variants for a threshold and one per candidate for a chooser";
                    self.report(Problem::Metadata(message.into()));
                }
                self.extra(&h.extra);
                for variant in &h.variants {
                    self.block(variant);
                }
            }
        }
    }

    fn while_meta(&mut self, meta: &WhileMeta) {
        self.extra(&meta.extra);
        if meta.needs_fusion && meta.fusable != Some(true) {
            self.report(Problem::Metadata("needs_fusion: the loop is not known to be fusable".into()));
        }
        if meta.why_not.is_some() && meta.fusable != Some(false) {
            self.report(Problem::Metadata("why_not: only for a loop that is not fusable".into()));
        }
        for name in meta.hoisted.iter().chain(&meta.queues) {
            if self.lookup(name).is_none() {
                self.unknown("variable", name);
            }
        }
    }

    /// Keys of machine-specific entries are identifiers and numbers are finite, or the text form cannot hold them.
    pub(super) fn extra(&mut self, extra: &crate::meta::Extra) {
        for (machine, key, value) in extra.iter() {
            self.identifier(&machine.into());
            self.identifier(&key.into());
            if matches!(value, crate::meta::Value::Float(x) if !x.is_finite()) {
                self.report(Problem::Metadata(format!("{machine}.{key}: the number is not finite")));
            }
        }
    }

    pub(super) fn place_expr(&mut self, target: &'m Expr) {
        self.expr(target);
        if !target.is_place() {
            self.report(Problem::Placement("only a variable or a vector entry can be written".into()));
        }
    }

    /// `int`, or a vertex, which is one.
    pub(super) fn need_vertex(&mut self, what: &str, expr: &Expr) {
        if expr.ty.scalar() != Some(Scalar::Int) {
            self.type_error(what, "a vertex", &expr.ty);
        }
    }
}
