//! State per edge: edge functions that take the edge, and graphs of selected edges.
//!
//! An edge is a number: its position among all edges of its graph, sorted by source and then by destination. A function
//! that takes it is rewritten when all uses are known: the parameter becomes a variable with the value
//! `edgeIndex(graph, src, dst)`. So every machine, direction and load balance can run such a function.

use super::expr::{builtin, node};
use super::scope::Meaning;
use super::{Checked, Checker, Signature};
use crate::ast::{self, FuncRef};
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, FuncUse, Function, Init, LocalKind, Stmt, StmtKind, Var};
use crate::types::{EdgeSetType, FuncId, GlobalId, IndexKind, Type};
use crate::visit;

/// A function that takes the edge, and the graph whose edges it is applied to.
pub(super) struct EdgeUse {
    func: FuncId,
    graph: GlobalId,
    span: Span,
    /// The function is the key or the value of groups.
    is_grouped: bool,
}

impl Checker {
    /// Notes that an operator over a graph hands edges to a function.
    pub(super) fn takes_edge(
        &mut self,
        graph: &Expr,
        used: &FuncUse,
        signature: &Signature,
        is_grouped: bool,
    ) -> Checked<()> {
        let ExprKind::Var(Var::Global(id)) = graph.kind else {
            return Err(self.report(
                Diagnostic::error(
                    format!("`{}` takes the edge, so its graph must be a global", signature.name),
                    graph.span,
                    "not a global edgeset",
                )
                .also(signature.span, "declared here")
                .help("declare the graph at top level, `const g : edgeset{...}(...);`, and assign it"),
            ));
        };
        self.edge_uses.push(EdgeUse { func: used.func, graph: id, span: used.span, is_grouped });
        Ok(())
    }

    /// Rewrites the functions that take an edge.
    pub(super) fn settle_edges(&mut self) {
        let uses = std::mem::take(&mut self.edge_uses);
        for (at, first) in uses.iter().enumerate() {
            let same = |other: &&EdgeUse| other.func == first.func;
            if uses[..at].iter().any(|other| other.func == first.func) {
                continue;
            }
            if let Some(other) = uses.iter().filter(same).find(|other| other.graph != first.graph) {
                let name = self.program.function(first.func).name.clone();
                self.report(
                    Diagnostic::error(
                        format!("`{name}` takes edges of two graphs"),
                        other.span,
                        format!("edges of `{}`", self.program.global(other.graph).name),
                    )
                    .also(first.span, format!("edges of `{}`", self.program.global(first.graph).name))
                    .help("write a function per graph: an edge is a position in one graph"),
                );
                continue;
            }
            let is_grouped = uses.iter().filter(same).any(|other| other.is_grouped);
            self.settle_edge(first, is_grouped);
        }
    }

    fn settle_edge(&mut self, edges: &EdgeUse, is_grouped: bool) {
        let mut called = None;
        for function in &self.program.functions {
            visit::stmts(&function.body, &mut |stmt| {
                visit::exprs(stmt, &mut |expr| {
                    if matches!(&expr.kind, ExprKind::Call { func, .. } if func.func == edges.func) {
                        called = Some(expr.span);
                    }
                });
            });
        }
        if let Some(span) = called {
            let name = self.program.function(edges.func).name.clone();
            self.report(
                Diagnostic::error(format!("`{name}` takes an edge from its operator"), span, "called directly")
                    .help("move what both need into another function"),
            );
            return;
        }
        let graph_type = self.program.global(edges.graph).ty.clone();
        let has_columns = match &graph_type {
            Type::EdgeSet(graph) => self.edge_columns.contains(&graph.edge),
            _ => false,
        };
        if has_columns && !is_grouped {
            self.numbered.insert(edges.func, edges.graph);
            return;
        }
        let graph = node(ExprKind::Var(Var::Global(edges.graph)), graph_type, edges.span);
        if let Some(function) = self.program.functions.get_mut(edges.func.0 as usize) {
            search_edge(function, graph);
        }
    }

    /// `edges.filter(marks)`.
    pub(super) fn select_edges(
        &mut self,
        graph: Expr,
        graph_type: EdgeSetType,
        marks: &FuncRef,
        span: Span,
    ) -> Checked<Expr> {
        let name = &marks.name;
        let wanted = Type::Vector { index: IndexKind::Element(graph_type.edge), item: Box::new(Type::BOOL) };
        let shown = self.show(&wanted);
        let Meaning::Var(var) = self.lookup(&name.name, name.span)? else {
            let message = format!("`filter` of an edgeset needs a {shown} or a function, but `{}` is none", name.name);
            return Err(self.error(message, marks.span, "not a vector"));
        };
        let vector = node(ExprKind::Var(var), self.var_type(var).clone(), name.span);
        let vector = self.coerce(vector, &wanted, "`filter` of an edgeset")?;
        Ok(builtin(Builtin::SelectEdges, vec![graph, vector], Type::EdgeSet(graph_type), span))
    }

    /// `new edgeset{Road}(City,City,int)(from, to, lengths)`: the graph of edges that vectors list.
    pub(super) fn new_edges(&mut self, ty: &ast::TypeExpr, vectors: &[ast::Expr], span: Span) -> Checked<Expr> {
        let ty = self.resolve_type(ty)?;
        let Type::EdgeSet(graph) = ty else { return Err(super::Fail) };
        let wanted = 2 + usize::from(graph.weight.is_some());
        if vectors.len() != wanted {
            let message = format!("a new {} is made of {wanted} vectors, but {} given", self.show(&ty), vectors.len());
            let help = match graph.weight {
                Some(weight) => format!("give a vector of sources, one of targets, and one of {weight} weights"),
                None => "give a vector of sources and one of targets".to_string(),
            };
            return Err(self.report(Diagnostic::error(message, span, "wrong number of vectors").help(help)));
        }
        let mut values = Vec::with_capacity(wanted);
        let mut index = None;
        for (at, vector) in vectors.iter().enumerate() {
            let value = self.expr(vector, None)?;
            let fits = match &value.ty {
                Type::Vector { item, .. } if at < 2 => super::operator::is_vertex(item, graph.src),
                Type::Vector { item, .. } => item.repr() == graph.weight,
                _ => false,
            };
            if !fits {
                let (found, vertex) = (self.show(&value.ty), self.show(&Type::Element(graph.src)));
                let what = match (at, graph.weight) {
                    (0, _) => format!("the sources of edges are a vector of int or {vertex}"),
                    (1, _) => format!("the targets of edges are a vector of int or {vertex}"),
                    (_, Some(weight)) => format!("the weights of these edges are a vector of {weight}"),
                    (_, None) => "these edges have no weights".to_string(),
                };
                let message = format!("{what}, but this is {found}");
                return Err(self.report(
                    Diagnostic::error(message, value.span, format!("this is {found}"))
                        .help("the vectors may be over anything: `vector{Edge}(int)`, `vector[n](int)`"),
                ));
            }
            if let Type::Vector { index: of, .. } = &value.ty
                && *index.get_or_insert(*of) != *of
            {
                let message = "the vectors that list edges have an entry for each edge, all over the same";
                return Err(self.report(
                    Diagnostic::error(message, value.span, "over something else")
                        .help("entry i of the first is the source of edge i, entry i of the second its target"),
                ));
            }
            values.push(value);
        }
        Ok(builtin(Builtin::MakeEdges, values, ty, span))
    }

    /// The batch of `edges.insert(batch)` and `edges.delete(batch)`: a graph of edges.
    pub(super) fn batch(
        &mut self,
        method: Builtin,
        graph: &EdgeSetType,
        batch: &ast::Expr,
        what: &str,
    ) -> Checked<Expr> {
        let value = self.expr(batch, None)?;
        let shown = self.show(&value.ty);
        let Type::EdgeSet(own) = &value.ty else {
            return Err(self.report(
                Diagnostic::error(
                    format!("{what} of an edgeset takes an edgeset, not {shown}"),
                    value.span,
                    "no edges",
                )
                .help("a batch is a graph of its own: `const batch : edgeset{Change}(Vertex,Vertex) = load(argv[2]);`"),
            ));
        };
        if method == Builtin::InsertEdges && own.weight != graph.weight {
            let wanted = self.show(&Type::EdgeSet(*graph));
            return Err(self.report(
                Diagnostic::error(format!("edges of {shown} cannot come to {wanted}"), value.span, "other weights")
                    .help("declare both edgesets with weights of the same type, or both without"),
            ));
        }
        Ok(value)
    }

    /// `edges.insert(batch);` and `edges.delete(batch);` as statements: the variable holds the new graph afterwards.
    pub(super) fn change_edges(&mut self, call: &ast::Expr, value: Expr) -> Checked<StmtKind> {
        let ast::ExprKind::Method { receiver, name, .. } = &call.kind else {
            return Ok(StmtKind::Expr(value));
        };
        if !matches!(receiver.kind, ast::ExprKind::Name(_)) {
            let message = format!("`{}` as a statement changes a variable", name.name);
            return Err(self.report(
                Diagnostic::error(message, receiver.span, "not a variable").help("assign the new graph to an edgeset"),
            ));
        }
        let target = self.assignable(receiver)?;
        Ok(StmtKind::Assign { target, value })
    }
}

/// Makes the last parameter of a function, which is the edge, a variable with the number that a search finds.
pub(super) fn search_edge(function: &mut Function, graph: Expr) {
    let &[src, dst, .., edge] = function.params.as_slice() else { return };
    let span = function.local(edge).span;
    let end = |local| node(ExprKind::Var(Var::Local(local)), function.local(local).ty.clone(), span);
    let ty = function.local(edge).ty.clone();
    let value = builtin(Builtin::EdgeIndex, vec![graph, end(src), end(dst)], ty, span);
    function.params.pop();
    function.locals[edge.0 as usize].kind = LocalKind::Var;
    let kind = StmtKind::Let { local: edge, init: Some(Init::Value(value)) };
    function.body.insert(0, Stmt { label: None, kind, span });
}
