//! Edges by their numbers: operators whose functions take the edge, on graphs with columns.
//!
//! Of parallel edges, which a column tells apart, a search finds the first only. So the operator walks another form of
//! the graph, whose weights are the numbers of the edges: every machine hands weights to functions, in every direction.

use super::Checker;
use super::edges::search_edge;
use super::expr::{builtin, node};
use super::made_text::DERIVED;
use crate::builtin::Builtin;
use crate::source::Span;
use crate::typed::{EdgeApply, Expr, ExprKind, Function, Global, Init, Local, LocalKind, Place, Stmt, StmtKind, Var};
use crate::types::{EdgeSetType, ElemId, FuncId, GlobalId, IndexKind, LocalId, Scalar, Type};
use crate::visit;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

impl Checker {
    /// Gives functions that still have the edge as a parameter its number.
    pub(super) fn settle_numbers(&mut self) {
        let kept = std::mem::take(&mut self.numbered);
        if kept.is_empty() {
            return;
        }
        // 1. What each operator applies: a function gets the number in the place of the weight, and looks the weight up
        //    where it takes both. Where the program assigns the graph, such a function searches for its edge instead.
        //    A function that others call keeps its parameter, and a copy is applied.
        let mut functions = std::mem::take(&mut self.program.functions);
        let called = called(&functions);
        let mut applied: HashMap<FuncId, FuncId> = HashMap::new();
        let mut forms: HashMap<GlobalId, GlobalId> = HashMap::new();
        let assigned = assigned(&functions);
        let mut weights: HashMap<GlobalId, GlobalId> = HashMap::new();
        for at in 0..functions.len() {
            let mut body = std::mem::take(&mut functions[at].body);
            visit::stmts_mut(&mut body, &mut |stmt| {
                let Some(apply) = applied_in(stmt) else { return };
                let Some(&graph) = kept.get(&apply.func.func) else { return };
                let looks_up = apply.weighted && !assigned.contains(&graph);
                let looked_up = looks_up.then(|| *weights.entry(graph).or_insert_with(|| self.weights_of(graph)));
                let func = *applied.entry(apply.func.func).or_insert_with(|| {
                    self.edge_given(&mut functions, apply, graph, looked_up, called.contains(&apply.func.func))
                });
                apply.func.func = func;
                if looks_up || !apply.weighted {
                    let form = *forms.entry(graph).or_insert_with(|| self.form_by_number(graph));
                    let ty = self.program.global(form).ty.clone();
                    if let Type::EdgeSet(numbered) = &ty {
                        apply.graph_type = *numbered;
                    }
                    apply.graph = node(ExprKind::Var(Var::Global(form)), ty, apply.graph.span);
                    apply.weighted = true;
                }
            });
            functions[at].body = body;
        }
        // 2. The forms follow their graphs.
        for function in &mut functions {
            follow(&mut function.body, &forms, &self.program.globals);
        }
        self.program.functions = functions;
    }

    /// The function that an operator applies in place of one that has the edge as its last parameter.
    fn edge_given(
        &mut self,
        functions: &mut Vec<Function>,
        apply: &EdgeApply,
        graph: GlobalId,
        weights: Option<GlobalId>,
        is_called: bool,
    ) -> FuncId {
        let id = apply.func.func;
        let mut function = functions[id.0 as usize].clone();
        match (apply.weighted, weights) {
            (false, _) => number_edge(&mut function),
            (true, Some(weights)) => {
                let ty = self.program.global(weights).ty.clone();
                look_weight_up(&mut function, node(ExprKind::Var(Var::Global(weights)), ty, apply.graph.span));
            }
            (true, None) => {
                let ty = self.program.global(graph).ty.clone();
                search_edge(&mut function, node(ExprKind::Var(Var::Global(graph)), ty, apply.graph.span));
            }
        }
        if !is_called {
            functions[id.0 as usize] = function;
            return id;
        }
        function.name = free_name(&format!("{}_applied", function.name), |name| {
            self.places.contains_key(name) || functions.iter().any(|function| function.name == *name)
        });
        let signature = self.signatures[id.0 as usize].clone();
        self.signatures.push(Rc::new(super::Signature { name: function.name.clone(), ..(*signature).clone() }));
        functions.push(function);
        FuncId(functions.len() as u32 - 1)
    }

    /// A global that holds the weights of the edges of a graph.
    fn weights_of(&mut self, graph: GlobalId) -> GlobalId {
        let of = self.program.global(graph);
        let (span, stem) = (of.span, format!("{DERIVED}{}_weights", of.name));
        let (graph_type, ty) = match &of.ty {
            Type::EdgeSet(EdgeSetType { edge, weight: Some(weight), .. }) => {
                (of.ty.clone(), edge_weights(*edge, *weight))
            }
            other => (other.clone(), Type::INT),
        };
        let name = free_name(&stem, |name| self.places.contains_key(name));
        let edges = node(ExprKind::Var(Var::Global(graph)), graph_type, span);
        let init = Some(Init::Value(builtin(Builtin::EdgeWeights, vec![edges], ty.clone(), span)));
        self.program.globals.push(Global { name, ty, init, universe: false, span });
        GlobalId(self.program.globals.len() as u32 - 1)
    }

    /// A global that holds the form of a graph whose weights are the numbers of its edges.
    fn form_by_number(&mut self, graph: GlobalId) -> GlobalId {
        let of = self.program.global(graph);
        let (name, span, has_init) = (format!("{}_by_number", of.name), of.span, of.init.is_some());
        let ty = match &of.ty {
            Type::EdgeSet(edges) => Type::EdgeSet(EdgeSetType { weight: Type::INT.numeric(), ..*edges }),
            other => other.clone(),
        };
        let name = free_name(&name, |name| self.places.contains_key(name));
        let init = has_init.then(|| Init::Value(form_of(graph, &of.ty, &ty, span)));
        self.program.globals.push(Global { name, ty, init, universe: false, span });
        GlobalId(self.program.globals.len() as u32 - 1)
    }
}

/// The type of the weights of edges.
pub(super) fn edge_weights(edge: ElemId, weight: Scalar) -> Type {
    Type::Vector { index: IndexKind::Element(edge), item: Box::new(Type::Scalar(weight)) }
}

/// The globals that functions assign.
fn assigned(functions: &[Function]) -> HashSet<GlobalId> {
    let mut assigned = HashSet::new();
    for function in functions {
        visit::stmts(&function.body, &mut |stmt| {
            if let StmtKind::Assign { target: Place { var: Var::Global(id), .. }, .. } = &stmt.kind {
                assigned.insert(*id);
            }
        });
    }
    assigned
}

/// The form of a global graph.
fn form_of(graph: GlobalId, of: &Type, ty: &Type, span: Span) -> Expr {
    builtin(Builtin::ByNumber, vec![node(ExprKind::Var(Var::Global(graph)), of.clone(), span)], ty.clone(), span)
}

fn free_name(stem: &str, taken: impl Fn(&String) -> bool) -> String {
    let mut names = (1..).map(|n| if n == 1 { stem.to_string() } else { format!("{stem}_{n}") });
    names.find(|name| !taken(name)).unwrap_or_else(|| stem.to_string())
}

/// The functions that others call.
fn called(functions: &[Function]) -> HashSet<FuncId> {
    let mut called = HashSet::new();
    for function in functions {
        visit::stmts(&function.body, &mut |stmt| {
            visit::exprs(stmt, &mut |expr| {
                if let ExprKind::Call { func, .. } = &expr.kind {
                    called.insert(func.func);
                }
            });
        });
    }
    called
}

/// The edge operator that a statement consists of, or whose result it takes.
fn applied_in(stmt: &mut Stmt) -> Option<&mut EdgeApply> {
    match &mut stmt.kind {
        StmtKind::Let { init: Some(Init::Value(value)), .. }
        | StmtKind::Assign { value, .. }
        | StmtKind::Expr(value) => match &mut value.kind {
            ExprKind::EdgeApply(apply) => Some(apply),
            _ => None,
        },
        _ => None,
    }
}

/// Makes the last parameter of a function a variable with the value of a new parameter, the number of the edge.
fn number_edge(function: &mut Function) {
    let Some(edge) = function.params.pop() else { return };
    let (span, ty) = (function.local(edge).span, function.local(edge).ty.clone());
    let number = LocalId(function.locals.len() as u32);
    let local = Local { name: "number".to_string(), ty: Type::INT, ..function.local(edge).clone() };
    function.locals.push(local);
    function.params.push(number);
    function.locals[edge.0 as usize].kind = LocalKind::Var;
    let value = node(ExprKind::Var(Var::Local(number)), ty, span);
    let kind = StmtKind::Let { local: edge, init: Some(Init::Value(value)) };
    function.body.insert(0, Stmt { label: None, kind, span });
}

/// Makes the weight of a function that takes weight and edge a variable, looked up in `weights` by the number of the
/// edge, which comes in its place.
fn look_weight_up(function: &mut Function, weights: Expr) {
    let &[.., weight, _] = function.params.as_slice() else { return };
    number_edge(function);
    let Some(&number) = function.params.last() else { return };
    function.params.retain(|param| *param != weight);
    let (span, ty) = (function.local(weight).span, function.local(weight).ty.clone());
    function.locals[weight.0 as usize].kind = LocalKind::Var;
    let item = match &weights.ty {
        Type::Vector { item, .. } => (**item).clone(),
        other => other.clone(),
    };
    let index = Box::new(node(ExprKind::Var(Var::Local(number)), Type::INT, span));
    let mut value = node(ExprKind::Index { base: Box::new(weights), index }, item, span);
    if value.ty != ty {
        value = node(ExprKind::Convert(Box::new(value)), ty, span);
    }
    let kind = StmtKind::Let { local: weight, init: Some(Init::Value(value)) };
    function.body.insert(0, Stmt { label: None, kind, span });
}

/// Assigns the form of a graph behind each statement that assigns the graph.
fn follow(body: &mut Vec<Stmt>, forms: &HashMap<GlobalId, GlobalId>, globals: &[Global]) {
    let mut at = 0;
    while at < body.len() {
        let span = body[at].span;
        match &mut body[at].kind {
            StmtKind::If { arms, otherwise } => {
                arms.iter_mut().for_each(|(_, body)| follow(body, forms, globals));
                follow(otherwise, forms, globals);
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ForEach { body, .. } => follow(body, forms, globals),
            StmtKind::Assign { target: Place { var: Var::Global(graph), .. }, .. } => {
                if let Some(&form) = forms.get(graph) {
                    let ty = globals[form.0 as usize].ty.clone();
                    let value = form_of(*graph, &globals[graph.0 as usize].ty, &ty, span);
                    let target = Place { var: Var::Global(form), indices: Vec::new(), ty, span };
                    body.insert(at + 1, Stmt { label: None, kind: StmtKind::Assign { target, value }, span });
                    at += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
}
