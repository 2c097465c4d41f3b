//! Views of edgesets: `edges.where(f)` has the edges for which `f` is true, and nothing is built for it.
//!
//! An operator over a view walks the edges of its graph and asks `f` first: the function that is applied becomes one
//! that does what it did only where `f` is true. So every machine, direction and load balance can walk a view.

use super::expr::node;
use super::filter::FilterUse;
use super::operator::edge_types;
use super::{Checked, Checker, Signature};
use crate::ast::FuncRef;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, FuncKind, FuncUse, Function, Global, Init, Local, LocalKind, Stmt, StmtKind, Var};
use crate::types::{EdgeSetType, FuncId, GlobalId, LocalId, Type};
use crate::visit;
use std::collections::HashSet;
use std::rc::Rc;

/// A condition of edges.
#[derive(Clone)]
pub(super) struct Condition {
    func: FuncUse,
    weighted: bool,
}

/// A global that is a view.
#[derive(Clone)]
pub(super) struct View {
    /// The graph that it is a view of.
    graph: Expr,
    conditions: Vec<Condition>,
}

/// A function that is applied to the edges of a view, to be filled when all bodies are known.
pub(super) struct Guarded {
    id: FuncId,
    applied: FuncId,
    conditions: Vec<(FuncId, bool)>,
    /// Whether the function gets the weight, and whether `applied` does.
    weighted: (bool, bool),
}

impl Checker {
    /// Whether this is `.where(f)` with a function, not a vector of marks.
    pub(super) fn is_condition(&self, func: &FuncRef) -> bool {
        func.captures.is_some() || !self.is_variable(&func.name.name)
    }

    /// `edges.where(f)`: stands for its graph until an operator or a declaration takes the conditions.
    pub(super) fn where_edges(
        &mut self,
        graph: Expr,
        graph_type: EdgeSetType,
        mut conditions: Vec<Condition>,
        func: &FuncRef,
        span: Span,
    ) -> Checked<Expr> {
        conditions.push(self.edge_condition(&graph, graph_type, func)?);
        self.open_views.push((span, conditions));
        Ok(Expr { span, ..graph })
    }

    /// The graph that an edgeset is or is a view of, and the conditions of its edges.
    pub(super) fn take_view(&mut self, edges: Expr) -> (Expr, Vec<Condition>) {
        if let Some(at) = self.open_views.iter().position(|(span, _)| *span == edges.span) {
            return (edges, self.open_views.swap_remove(at).1);
        }
        match edges.kind {
            ExprKind::Var(Var::Global(id)) => match self.views.get(&id) {
                Some(view) => (Expr { span: edges.span, ..view.graph.clone() }, view.conditions.clone()),
                None => (edges, Vec::new()),
            },
            _ => (edges, Vec::new()),
        }
    }

    /// `const recent = edges.where(f);` at top level: the global is the graph itself, and a view for operators.
    pub(super) fn declare_view(&mut self, id: GlobalId, global: &mut Global) {
        let Some(Init::Value(value)) = &global.init else { return };
        let (graph, conditions) = self.take_view(value.clone());
        if conditions.is_empty() {
            return;
        }
        if !matches!(graph.kind, ExprKind::Var(Var::Global(_))) {
            self.report(
                Diagnostic::error("a view is one of a global edgeset", graph.span, "not a global")
                    .help("declare the graph at top level, `const g : edgeset{...}(...) = ...;`"),
            );
        }
        global.init = Some(Init::Value(graph.clone()));
        self.views.insert(id, View { graph, conditions });
    }

    fn edge_condition(&mut self, graph: &Expr, graph_type: EdgeSetType, func: &FuncRef) -> Checked<Condition> {
        let used = self.func_use(func, &edge_types(graph_type))?;
        let signature = self.signatures[used.func.0 as usize].clone();
        let (weighted, takes_edge) = self.edge_params(&signature, graph_type, func)?;
        if signature.result != Type::BOOL {
            return Err(self.report(
                Diagnostic::error(
                    format!("`{}` must give a bool to be used in `where`", signature.name),
                    func.span,
                    "gives no bool",
                )
                .also(signature.span, "declared here")
                .help(format!("declare it as `func {}(...) -> yes : bool`", signature.name)),
            ));
        }
        if takes_edge {
            self.takes_edge(graph, &used, &signature, false)?;
        }
        self.filters.push(FilterUse { func: used.func, span: func.span, word: "where" });
        Ok(Condition { func: used, weighted })
    }

    /// The function that does what `applied` does where all conditions hold.
    pub(super) fn guarded(
        &mut self,
        applied: FuncUse,
        weighted: bool,
        graph_type: EdgeSetType,
        conditions: Vec<Condition>,
    ) -> (FuncUse, bool) {
        let key: Vec<(FuncId, bool)> = conditions.iter().map(|c| (c.func.func, c.weighted)).collect();
        let gets_weight = weighted || conditions.iter().any(|condition| condition.weighted);
        let known = self.guards.iter().find(|g| g.applied == applied.func && g.conditions == key);
        let id = match known {
            Some(guarded) => guarded.id,
            None => {
                let id = self.push_guarded(&applied, graph_type, gets_weight && !weighted, &conditions);
                let weighted = (gets_weight, weighted);
                self.guards.push(Guarded { id, applied: applied.func, conditions: key, weighted });
                id
            }
        };
        let mut captures = applied.captures;
        captures.extend(conditions.into_iter().flat_map(|condition| condition.func.captures));
        (FuncUse { func: id, captures, span: applied.span }, gets_weight)
    }

    /// Adds the function, whose body is still to come.
    fn push_guarded(
        &mut self,
        applied: &FuncUse,
        graph_type: EdgeSetType,
        adds_weight: bool,
        conditions: &[Condition],
    ) -> FuncId {
        let signature = self.signatures[applied.func.0 as usize].clone();
        let words = conditions.iter().map(|c| self.signatures[c.func.func.0 as usize].name.as_str());
        let stem = format!("{}_where_{}", signature.name, words.collect::<Vec<_>>().join("_"));
        let taken = |name: &String| {
            self.places.contains_key(name) || self.program.functions.iter().any(|function| function.name == *name)
        };
        let mut names = (1..).map(|n| if n == 1 { stem.clone() } else { format!("{stem}_{n}") });
        let name = names.find(|name| !taken(name)).unwrap_or(stem.clone());
        let mut signature = Signature { name: name.clone(), ..(*signature).clone() };
        for condition in conditions {
            signature.captures.extend(self.signatures[condition.func.func.0 as usize].captures.iter().cloned());
        }
        if let (true, Some(weight)) = (adds_weight, graph_type.weight) {
            signature.params.insert(2, ("weight".into(), Type::Scalar(weight)));
        }
        let id = FuncId(self.signatures.len() as u32);
        let span = signature.span;
        self.signatures.push(Rc::new(signature));
        self.program.functions.push(Function {
            name,
            kind: FuncKind::Plain,
            locals: Vec::new(),
            captures: Vec::new(),
            params: Vec::new(),
            result: None,
            body: Vec::new(),
            span,
        });
        id
    }

    /// Fills the functions that are applied to the edges of views.
    pub(super) fn settle_views(&mut self) {
        for guarded in std::mem::take(&mut self.guards) {
            let function = self.fill(&guarded);
            if let Some(place) = self.program.functions.get_mut(guarded.id.0 as usize) {
                *place = Function { name: std::mem::take(&mut place.name), ..function };
            }
        }
        self.judge_views();
    }

    fn fill(&mut self, guarded: &Guarded) -> Function {
        let function = self.filled(guarded);
        // The edges that the function and its conditions take are of one graph.
        let members = guarded.conditions.iter().map(|(func, _)| *func).chain([guarded.applied]);
        let graph = members.filter_map(|func| self.numbered.get(&func).copied()).next();
        self.numbered.extend(graph.map(|graph| (guarded.id, graph)));
        function
    }

    fn filled(&self, guarded: &Guarded) -> Function {
        let mut function = self.program.function(guarded.applied).clone();
        let span = function.span;
        let add = |function: &mut Function, local: Local| {
            function.locals.push(local);
            LocalId(function.locals.len() as u32 - 1)
        };
        if let (true, false) = guarded.weighted {
            let weight = guarded.conditions.iter().find(|(_, weighted)| *weighted);
            let weight = weight
                .map(|(func, _)| self.program.function(*func))
                .and_then(|f| f.params.get(2).map(|id| f.local(*id)));
            if let Some(weight) = weight {
                let id = add(&mut function, weight.clone());
                function.params.insert(2, id);
            }
        }
        let takes_edge = |func: FuncId| self.numbered.contains_key(&func);
        let asking = guarded.conditions.iter().map(|(func, _)| *func).find(|func| takes_edge(*func));
        if let Some(condition) = asking.filter(|_| !takes_edge(guarded.applied))
            && let Some(edge) = self.program.function(condition).params.last()
        {
            let edge = self.program.function(condition).local(*edge).clone();
            let id = add(&mut function, edge);
            function.params.push(id);
        }
        let edge = function.params.last().copied().filter(|_| asking.is_some());
        let var =
            |function: &Function, id: LocalId| node(ExprKind::Var(Var::Local(id)), function.local(id).ty.clone(), span);
        for (condition, weighted) in guarded.conditions.iter().rev() {
            let asked = self.program.function(*condition);
            let mut captures = Vec::new();
            for capture in &asked.captures {
                let id = add(&mut function, Local { kind: LocalKind::Capture, ..asked.local(*capture).clone() });
                captures.push(id);
            }
            let ends = &function.params[..if *weighted { 3 } else { 2 }];
            let args = ends.iter().chain(edge.iter().filter(|_| takes_edge(*condition)));
            let args = args.map(|id| var(&function, *id)).collect();
            let values = captures.iter().map(|id| var(&function, *id)).collect();
            let func = FuncUse { func: *condition, captures: values, span };
            let call = node(ExprKind::Call { func, args }, Type::BOOL, span);
            let body = std::mem::take(&mut function.body);
            let kind = StmtKind::If { arms: vec![(call, body)], otherwise: Vec::new() };
            function.body = vec![Stmt { label: None, kind, span }];
            // Captures stand in the order of the conditions, and these are taken from the last one on.
            let own = self.program.function(guarded.applied).captures.len();
            function.captures.splice(own..own, captures);
        }
        function
    }

    /// Reports uses of views by anything but edge operators.
    fn judge_views(&mut self) {
        for (span, _) in std::mem::take(&mut self.open_views) {
            self.report(
                Diagnostic::error("edges of a view are walked by edge operators only", span, "no operator follows")
                    .help("apply a function to them, or declare `const chosen = edges.where(f);` at top level"),
            );
        }
        if self.views.is_empty() {
            return;
        }
        let mut found: Vec<(GlobalId, Span)> = Vec::new();
        // A view has the vertices of its graph, and its global is that graph.
        let mut asked: HashSet<Span> = HashSet::new();
        let mut look = |expr: &Expr| match &expr.kind {
            ExprKind::Builtin { builtin: Builtin::VertexCount, args } => asked.extend(args.iter().map(|arg| arg.span)),
            ExprKind::Var(Var::Global(id)) if self.views.contains_key(id) && !asked.contains(&expr.span) => {
                found.push((*id, expr.span));
            }
            _ => {}
        };
        for function in &self.program.functions {
            visit::stmts(&function.body, &mut |stmt| visit::exprs(stmt, &mut look));
        }
        for global in &self.program.globals {
            global.init.iter().for_each(|init| visit::init_exprs(init, &mut look));
        }
        for function in &self.program.functions {
            visit::stmts(&function.body, &mut |stmt| {
                if let StmtKind::Assign { target, .. } | StmtKind::Delete(target) = &stmt.kind
                    && let Var::Global(id) = target.var
                    && self.views.contains_key(&id)
                {
                    found.push((id, target.span));
                }
            });
        }
        for (id, span) in found {
            let name = self.program.global(id).name.clone();
            self.report(
                Diagnostic::error(
                    format!("`{name}` is a view: only edge operators walk its edges"),
                    span,
                    "not an operator",
                )
                .help(
                    "build the graph of these edges: mark them in an edge function, `marks[e] = ...`, and assign \
                         `edges.filter(marks)` to an edgeset",
                ),
            );
        }
    }
}
