//! Operators over edges and vertices: filters, the function's signature, the tracked vector.

use super::expr::{node, plural};
use super::filter::FilterUse;
use super::scope::Meaning;
use super::view::Condition;
use super::{Checked, Checker, Fail, Signature, Symbol};
use crate::ast::{self, ExprKind as Ast, FuncRef, Ident, OperatorKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::suggest::nearest;
use crate::typed::{ApplyKind, EdgeApply, Expr, ExprKind, Filter, FuncUse, StmtKind, Tracked, Var};
use crate::types::{EdgeSetType, ElemId, FuncId, Scalar, Type};

/// A demand on a function that can be judged only when its body is known.
pub(super) enum Pending {
    /// The function must write this vector.
    Writes { func: FuncId, vector: Tracked, name: Ident },
    /// The function must update a priority.
    UpdatesPriority { func: FuncId, span: Span },
}

/// An edgeset with the restrictions that follow it.
pub(super) struct Selected<'e> {
    /// What stands before them.
    pub(super) base: &'e ast::Expr,
    /// The argument of `from`, and its place.
    pub(super) from: Option<(&'e FuncRef, Span)>,
    /// The argument of `to`, and its place.
    pub(super) to: Option<(&'e FuncRef, Span)>,
}

impl Checker {
    /// An expression whose outermost node is a keyword method.
    pub(super) fn operator(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let Ast::Operator { receiver, op, op_span, func, tracked, tracked_field, disable_dedup } = &expr.kind else {
            return Err(Fail);
        };
        if let Some(field) = tracked_field {
            return Err(self.no_fields(field, field.span));
        }
        if matches!(op, OperatorKind::From | OperatorKind::To) {
            return Err(self.report(
                Diagnostic::error(
                    format!("`{}` selects edges, but nothing is applied to them", op.name()),
                    *op_span,
                    "no `apply` follows",
                )
                .help("end the chain with `.apply(f)` or `.applyModified(f, vector)`"),
            ));
        }
        let Selected { base, from, to } = self.selected(receiver);
        let (base, conditions) = match self.expr(base, None)? {
            base if matches!(base.ty, Type::EdgeSet(_)) => self.take_view(base),
            base => (base, Vec::new()),
        };
        match base.ty {
            Type::EdgeSet(graph) => {
                let from = self.edge_filter(from, graph.src, "from");
                let to = self.edge_filter(to, graph.dst, "to");
                let (from, to) = (from?, to?);
                let modified = tracked.as_ref().map(|t| (t, disable_dedup.unwrap_or(false)));
                self.edge_operator((base, graph, conditions), from, to, (*op, *op_span), func, modified, expr.span)
            }
            Type::VertexSet(elem) => {
                if let Some((_, span)) = from.or(to) {
                    let message = "only an edgeset can be restricted with `from` and `to`";
                    return Err(self.error(message, span, "on a vertexset"));
                }
                self.vertex_operator(base, elem, (*op, *op_span), func, expr.span)
            }
            _ => {
                let found = self.show(&base.ty);
                Err(self.error(
                    format!("`{}` works on edgesets and vertexsets, not on {found}", op.name()),
                    base.span,
                    format!("this is {found}"),
                ))
            }
        }
    }

    /// What stands before `from` and `to`, and these; the last of each wins.
    pub(super) fn selected<'e>(&mut self, chain: &'e ast::Expr) -> Selected<'e> {
        let mut selected = Selected { base: chain, from: None, to: None };
        while let Ast::Operator { receiver, op: op @ (OperatorKind::From | OperatorKind::To), op_span, func, .. } =
            &selected.base.kind
        {
            let slot = match op {
                OperatorKind::From => &mut selected.from,
                _ => &mut selected.to,
            };
            if slot.is_some() {
                self.report(Diagnostic::warning(
                    format!("this `{}` has no effect: a later one replaces it", op.name()),
                    *op_span,
                    "replaced",
                ));
            } else {
                *slot = Some((func, *op_span));
            }
            selected.base = receiver;
        }
        selected
    }

    pub(super) fn edge_filter(
        &mut self,
        filter: Option<(&FuncRef, Span)>,
        elem: ElemId,
        word: &'static str,
    ) -> Checked<Option<Filter>> {
        let Some((func, _)) = filter else {
            return Ok(None);
        };
        if func.captures.is_none() && self.is_variable(&func.name.name) {
            let Meaning::Var(var) = self.lookup(&func.name.name, func.span)? else {
                return Err(Fail);
            };
            let ty = self.var_type(var).clone();
            if ty != Type::VertexSet(elem) {
                let wanted = self.show(&Type::VertexSet(elem));
                let found = self.show(&ty);
                return Err(self.error(
                    format!("`{word}` needs a {wanted} or a function, but `{}` is {found}", func.name.name),
                    func.span,
                    format!("this is {found}"),
                ));
            }
            return Ok(Some(Filter::Set(node(ExprKind::Var(var), ty, func.span))));
        }
        let predicate = self.predicate(func, elem, word)?;
        self.filters.push(FilterUse { func: predicate.func, span: func.span, word });
        Ok(Some(Filter::Func(predicate)))
    }

    /// A function `(v) -> bool`.
    pub(super) fn predicate(&mut self, func: &FuncRef, elem: ElemId, word: &str) -> Checked<FuncUse> {
        let used = self.func_use(func, &[Type::Element(elem)])?;
        let signature = self.signatures[used.func.0 as usize].clone();
        self.vertex_param(&signature, elem, func, word)?;
        if signature.result != Type::BOOL {
            return Err(self.report(
                Diagnostic::error(
                    format!("`{}` must give a bool to be used in `{word}`", signature.name),
                    func.span,
                    "gives no bool",
                )
                .also(signature.span, "declared here")
                .help(format!(
                    "declare it as `func {}(v : {}) -> ok : bool`",
                    signature.name,
                    self.show(&Type::Element(elem))
                )),
            ));
        }
        Ok(used)
    }

    /// Checks that a function takes exactly one vertex.
    fn vertex_param(&mut self, signature: &Signature, elem: ElemId, func: &FuncRef, word: &str) -> Checked<()> {
        if signature.params.len() == 1 && is_vertex(&signature.params[0].1, elem) {
            return Ok(());
        }
        let elem = self.show(&Type::Element(elem));
        Err(self.report(
            Diagnostic::error(
                format!("`{}` must take one {elem} to be used in `{word}`", signature.name),
                func.span,
                "wrong parameters",
            )
            .also(signature.span, "declared here")
            .help(format!("declare it as `func {}(v : {elem})`", signature.name)),
        ))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one operator chain")]
    fn edge_operator(
        &mut self,
        (graph, graph_type, conditions): (Expr, EdgeSetType, Vec<Condition>),
        from: Option<Filter>,
        to: Option<Filter>,
        (op, op_span): (OperatorKind, Span),
        func: &FuncRef,
        modified: Option<(&Ident, bool)>,
        span: Span,
    ) -> Checked<Expr> {
        if op == OperatorKind::Filter && from.is_none() && to.is_none() {
            return match self.is_condition(func) {
                true if conditions.is_empty() && self.takes_edge_alone(func, graph_type.edge) => {
                    let all = self.all_of(graph, graph_type, span);
                    self.vertex_operator(all, graph_type.edge, (op, op_span), func, span)
                }
                true => self.where_edges(graph, graph_type, conditions, func, span),
                false if conditions.is_empty() => self.select_edges(graph, graph_type, func, span),
                false => {
                    let message = "a graph is built of edges of a graph, not of a view";
                    Err(self.error(message, graph.span, "a view"))
                }
            };
        }
        if op == OperatorKind::Filter {
            return Err(self.report(
                Diagnostic::error("edges are chosen before their ends", op_span, "behind `from` or `to`")
                    .help("write `edges.where(f).from(set)`: `where` first, then `from` and `to`"),
            ));
        }
        if op == OperatorKind::ApplyUpdatePriorityExtern {
            return Err(self.report(
                Diagnostic::error(
                    format!("`{}` works on vertexsets, not on edgesets", op.name()),
                    op_span,
                    "on an edgeset",
                )
                .help("restrict edges with `.where(f)`, and then with `.from(f)` and `.to(f)`"),
            ));
        }
        let used = self.func_use(func, &edge_types(graph_type))?;
        let signature = self.signatures[used.func.0 as usize].clone();
        let (weighted, takes_edge) = self.edge_params(&signature, graph_type, func)?;
        if takes_edge {
            self.takes_edge(&graph, &used, &signature, false)?;
        }
        let collects = signature.result == Type::BOOL;
        if signature.result != Type::Void && !(collects && op == OperatorKind::Apply) {
            self.report(
                Diagnostic::warning(
                    format!("the result of `{}` is ignored by `{}`", signature.name, op.name()),
                    func.span,
                    "ignored",
                )
                .also(signature.span, "declared here"),
            );
        }
        let kind = match (op, modified) {
            (OperatorKind::ApplyModified, Some((name, disable_dedup))) => {
                let vector = self.tracked(name, &used, graph_type)?;
                self.pending.push(Pending::Writes { func: used.func, vector, name: name.clone() });
                ApplyKind::Modified { vector, disable_dedup }
            }
            (OperatorKind::ApplyUpdatePriority, _) => {
                self.pending.push(Pending::UpdatesPriority { func: used.func, span: func.span });
                ApplyKind::UpdatePriority
            }
            _ if collects => ApplyKind::ApplyCollect,
            _ => ApplyKind::Apply,
        };
        let ty = match kind {
            ApplyKind::ApplyCollect | ApplyKind::Modified { .. } => Type::VertexSet(graph_type.dst),
            _ => Type::Void,
        };
        let (func, weighted) = match conditions.is_empty() {
            true => (used, weighted),
            false => self.guarded(used, weighted, graph_type, conditions),
        };
        let apply = EdgeApply { graph, graph_type, from, to, kind, func, weighted };
        Ok(node(ExprKind::EdgeApply(Box::new(apply)), ty, span))
    }

    /// Whether this is a function of an edge alone, not of its ends.
    fn takes_edge_alone(&self, func: &FuncRef, edge: ElemId) -> bool {
        match self.symbols.get(&func.name.name) {
            Some(Symbol::Func(id)) => {
                matches!(self.signatures[id.0 as usize].params.as_slice(), [(_, ty)] if is_vertex(ty, edge))
            }
            Some(Symbol::Template(at)) => self.template(*at).params.len() == 1,
            _ => false,
        }
    }

    /// Checks `(src, dst)` or `(src, dst, weight)`, with the edge itself behind; whether the weight and the edge are
    /// taken.
    pub(super) fn edge_params(
        &mut self,
        signature: &Signature,
        graph: EdgeSetType,
        func: &FuncRef,
    ) -> Checked<(bool, bool)> {
        let mut types: Vec<&Type> = signature.params.iter().map(|(_, ty)| ty).collect();
        let edge = Type::Element(graph.edge);
        let takes_edge = types.len() > 2 && graph.edge != graph.dst && types.pop_if(|ty| **ty == edge).is_some();
        let ends = types.len() >= 2 && is_vertex(types[0], graph.src) && is_vertex(types[1], graph.dst);
        let vertex = self.show(&Type::Element(graph.src));
        let problem = match (ends, types.get(2..), graph.weight) {
            (true, Some([]), _) => return Ok((false, takes_edge)),
            (true, Some([weight]), Some(wanted)) if **weight == Type::Scalar(wanted) => {
                return Ok((true, takes_edge));
            }
            (true, Some([_]), None) => {
                return Err(self.report(
                    Diagnostic::error(
                        format!("`{}` takes a weight, but this edgeset has none", signature.name),
                        func.span,
                        "needs weights",
                    )
                    .also(signature.span, "declared here")
                    .help(format!("give the edgeset a weight type, as in `edgeset{{...}}({vertex},{vertex},int)`")),
                ));
            }
            (true, Some([weight]), Some(wanted)) => {
                let found = self.show(weight);
                format!("`{}` takes a weight of type {found}, but the edges have {wanted}", signature.name)
            }
            _ => format!("`{}` does not fit as an edge function", signature.name),
        };
        let weight = graph.weight.map_or(String::new(), |w| format!("[, weight : {w}]"));
        Err(self.report(
            Diagnostic::error(problem, func.span, "wrong parameters").also(signature.span, "declared here").help(
                format!(
                    "an edge function takes `(src : {vertex}, dst : {vertex}{weight}[, e : {}])`",
                    self.show(&edge)
                ),
            ),
        ))
    }

    /// The vector watched by `applyModified`, as the function sees it: one of its captures by name, a global, or
    /// the capture that a local of the caller is bound to.
    fn tracked(&mut self, name: &Ident, used: &FuncUse, graph: EdgeSetType) -> Checked<Tracked> {
        let signature = self.signatures[used.func.0 as usize].clone();
        let by_name = signature.captures.iter().position(|(n, _)| *n == name.name);
        let (tracked, ty) = match by_name {
            Some(at) => (Tracked::Capture(at as u32), signature.captures[at].1.clone()),
            None => match self.lookup(&name.name, name.span)? {
                Meaning::Var(Var::Global(id)) => (Tracked::Global(id), self.program.global(id).ty.clone()),
                Meaning::Var(var) => {
                    let bound = used.captures.iter().position(|c| c.kind == ExprKind::Var(var));
                    let Some(at) = bound else {
                        return Err(self.report(
                            Diagnostic::error(
                                format!("`{}` cannot be changed by `{}`", name.name, signature.name),
                                name.span,
                                "a local that is not captured",
                            )
                            .help(format!("bind it to a capture: `{}[{}]`", signature.name, name.name)),
                        ));
                    };
                    (Tracked::Capture(at as u32), signature.captures[at].1.clone())
                }
                Meaning::Symbol(_) => {
                    let message = format!("`{}` is not a vector", name.name);
                    return Err(self.error(message, name.span, "not a vector"));
                }
            },
        };
        let per_vertex = matches!(
            ty,
            Type::Vector { index: crate::types::IndexKind::Element(e), .. } if e == graph.dst
        );
        if !per_vertex {
            let found = self.show(&ty);
            let elem = self.show(&Type::Element(graph.dst));
            return Err(self.error(
                format!("`applyModified` tracks a vector{{{elem}}}(...), but `{}` is {found}", name.name),
                name.span,
                format!("this is {found}"),
            ));
        }
        Ok(tracked)
    }

    fn vertex_operator(
        &mut self,
        set: Expr,
        elem: ElemId,
        (op, op_span): (OperatorKind, Span),
        func: &FuncRef,
        span: Span,
    ) -> Checked<Expr> {
        let set = Box::new(set);
        match op {
            OperatorKind::Filter => {
                let func = self.predicate(func, elem, "filter")?;
                let kind = ExprKind::VertexFilter { set, func };
                Ok(node(kind, Type::VertexSet(elem), span))
            }
            OperatorKind::Apply => {
                let used = self.func_use(func, &[Type::Element(elem)])?;
                let signature = self.signatures[used.func.0 as usize].clone();
                self.vertex_param(&signature, elem, func, "apply")?;
                if signature.result != Type::Void {
                    self.report(
                        Diagnostic::warning(
                            format!("the result of `{}` is ignored by `apply`", signature.name),
                            func.span,
                            "ignored",
                        )
                        .help("use `filter` to keep the vertices for which it is true"),
                    );
                }
                let kind = ExprKind::VertexApply { set, func: used };
                Ok(node(kind, Type::Void, span))
            }
            OperatorKind::ApplyUpdatePriorityExtern => {
                let used = self.func_use(func, &[Type::VertexSet(elem)])?;
                let signature = &self.signatures[used.func.0 as usize];
                let set_type = Type::VertexSet(elem);
                let fits = signature.kind == ast::FuncKind::Extern
                    && signature.params.len() == 1
                    && signature.params[0].1 == set_type
                    && signature.result == set_type;
                if !fits {
                    let (name, place) = (signature.name.clone(), signature.span);
                    let shown = self.show(&set_type);
                    return Err(self.report(
                        Diagnostic::error(
                            format!("`{name}` does not fit `applyUpdatePriorityExtern`"),
                            func.span,
                            "wrong kind of function",
                        )
                        .also(place, "declared here")
                        .help(format!("it needs an `extern func {name}(set : {shown}) -> out : {shown};`")),
                    ));
                }
                let kind = ExprKind::VertexApplyExtern { set, func: used };
                Ok(node(kind, Type::Void, span))
            }
            _ => Err(self.report(
                Diagnostic::error(
                    format!("`{}` works on edgesets, not on vertexsets", op.name()),
                    op_span,
                    "on a vertexset",
                )
                .help("apply a vertex function with `.apply(f)`"),
            )),
        }
    }

    /// Judges the demands that had to wait for all function bodies.
    pub(super) fn judge_pending(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Writes { func, vector, name } => {
                    let effects = super::finish::effects(&self.program, func);
                    if effects.opaque || effects.writes(vector) {
                        continue;
                    }
                    let function = self.program.function(func);
                    let (function_name, place) = (function.name.clone(), function.span);
                    let written: Vec<String> = effects.names(&self.program, func);
                    let near = nearest(&name.name, written.iter().map(String::as_str)).map(str::to_string);
                    let mut diagnostic = Diagnostic::error(
                        format!("`{function_name}` never writes `{}`, so nothing can be tracked", name.name),
                        name.span,
                        "not written",
                    )
                    .also(place, "the function");
                    diagnostic = match (near, written.is_empty()) {
                        (Some(near), _) => diagnostic.did_you_mean(Some(&near)),
                        (None, true) => diagnostic.help(format!("`{function_name}` writes no vector")),
                        (None, false) => diagnostic.help(format!(
                            "it writes {}: {}",
                            plural(written.len(), "vector"),
                            written.join(", ")
                        )),
                    };
                    self.report(diagnostic);
                }
                Pending::UpdatesPriority { func, span } => {
                    let effects = super::finish::effects(&self.program, func);
                    if effects.opaque || effects.updates_priority {
                        continue;
                    }
                    let function = self.program.function(func);
                    let (name, place) = (function.name.clone(), function.span);
                    self.demote_to_apply(func);
                    self.report(
                        Diagnostic::warning(
                            format!("`{name}` never updates a priority, so this is a plain `apply`"),
                            span,
                            "no priority update inside",
                        )
                        .also(place, "the function"),
                    );
                }
            }
        }
    }

    /// Turns `applyUpdatePriority(func)` into `apply(func)`: without an update there is no queue to serve.
    fn demote_to_apply(&mut self, func: FuncId) {
        for function in &mut self.program.functions {
            crate::visit::stmts_mut(&mut function.body, &mut |stmt| {
                if let StmtKind::Expr(Expr { kind: ExprKind::EdgeApply(apply), .. }) = &mut stmt.kind
                    && apply.func.func == func
                    && apply.kind == ApplyKind::UpdatePriority
                {
                    apply.kind = ApplyKind::Apply;
                }
            });
        }
    }
}

/// What an edge function is given: both ends, the weight if there is one, the edge.
pub(super) fn edge_types(graph: EdgeSetType) -> Vec<Type> {
    let ends = [Type::Element(graph.src), Type::Element(graph.dst)];
    let weight = graph.weight.map(Type::Scalar);
    ends.into_iter().chain(weight).chain([Type::Element(graph.edge)]).collect()
}

/// True for a parameter that can take a vertex of this element: the element itself, or an `int`.
pub(super) fn is_vertex(ty: &Type, elem: ElemId) -> bool {
    *ty == Type::Element(elem) || *ty == Type::Scalar(Scalar::Int)
}
