//! Statements and blocks.

use super::convert::is_vertex_count;
use super::scope::{Loop, Meaning};
use super::{Checked, Checker, Fail};
use crate::ast::{self, StmtKind as Ast};
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, Init, Label, LocalKind, Place, ReduceOp, Stmt, StmtKind, Var};
use crate::types::{ElemId, LocalId, Scalar, Type};

impl Checker {
    /// Checks a block in its own scope; faulty statements are reported and left out.
    pub(super) fn block(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        self.enter();
        let mut typed = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match self.triangle_statements(stmt) {
                None => typed.extend(self.stmt(stmt)),
                Some(made) => typed.extend(made.iter().flatten().filter_map(|stmt| self.stmt(stmt))),
            }
        }
        self.leave();
        typed
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        let kind = self.stmt_kind(stmt).ok().flatten()?;
        let label = stmt.label.as_ref().map(|label| Label { name: label.name.clone(), span: label.span });
        Some(Stmt { label, kind, span: stmt.span })
    }

    fn stmt_kind(&mut self, stmt: &ast::Stmt) -> Checked<Option<StmtKind>> {
        let kind = match &stmt.kind {
            Ast::Decl(decl) => self.local_decl(decl)?,
            Ast::If { arms, otherwise } => {
                let mut typed = Vec::with_capacity(arms.len());
                for (cond, body) in arms {
                    let cond = self.condition(cond, "a condition");
                    let body = self.block(body);
                    typed.push(cond.map(|cond| (cond, body)));
                }
                let otherwise = otherwise.as_deref().map_or(Vec::new(), |b| self.block(b));
                let arms = typed.into_iter().collect::<Checked<Vec<_>>>()?;
                StmtKind::If { arms, otherwise }
            }
            Ast::While { cond, body } => {
                let cond = self.condition(cond, "the condition of `while`");
                let body = self.loop_body(Loop::Sequential, body);
                StmtKind::While { cond: cond?, body }
            }
            Ast::DoWhile { body, cond } => {
                let body = self.loop_body(Loop::Sequential, body);
                let cond = self.condition(cond, "the condition of `while`")?;
                StmtKind::DoWhile { body, cond }
            }
            Ast::For { parallel, var, low, high, body } => {
                let low = self.index_value(low, "a loop bound");
                let high = self.index_value(high, "a loop bound");
                self.enter();
                let var = self.add_local(var, Type::INT, LocalKind::Loop);
                let kind = match parallel {
                    true => Loop::Parallel,
                    false => Loop::Sequential,
                };
                let body = self.loop_body(kind, body);
                self.leave();
                StmtKind::For { parallel: *parallel, var, low: low?, high: high?, body }
            }
            Ast::ForEach { parallel, var, members, body } => self.for_each(*parallel, var, members, body)?,
            Ast::Print(values) => {
                let values: Vec<_> = values.iter().map(|value| self.printed(value)).collect();
                StmtKind::Print(values.into_iter().collect::<Checked<Vec<_>>>()?)
            }
            Ast::Continue if self.frame.loops.is_empty() => {
                return Err(self.error("`continue` outside a loop", stmt.span, "no loop to go on with"));
            }
            Ast::Continue => StmtKind::Continue,
            Ast::Break => match self.frame.loops.last() {
                Some(Loop::Sequential) => StmtKind::Break,
                Some(Loop::Parallel) => {
                    return Err(self.report(
                        Diagnostic::error("`break` cannot leave a `par_for`", stmt.span, "not here")
                            .help("its iterations may run at the same time; use `for`"),
                    ));
                }
                None => return Err(self.error("`break` outside a loop", stmt.span, "no loop to leave")),
            },
            Ast::Delete(value) => self.delete(value)?,
            Ast::Assign { target, value } => self.assign(target, value)?,
            Ast::Reduce { target, op, value } => self.reduce(target, *op, value)?,
            Ast::Expr(call) => {
                let value = self.expr(call, None)?;
                let made = match &value.kind {
                    ExprKind::Builtin { builtin, .. } => Some(*builtin),
                    _ => None,
                };
                if let Some(Builtin::InsertEdges | Builtin::DeleteEdges) = made {
                    return self.change_edges(call, value).map(Some);
                }
                if !has_effect(&value) {
                    let mut diagnostic = Diagnostic::warning("this value is not used", value.span, "has no effect");
                    if matches!(value.kind, ExprKind::Binary { op: ast::BinaryOp::Eq, .. }) {
                        diagnostic = diagnostic.help("`==` compares; write `=` to assign");
                    }
                    self.report(diagnostic);
                }
                StmtKind::Expr(value)
            }
            Ast::Empty => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// A value that `print` can show.
    fn printed(&mut self, value: &ast::Expr) -> Checked<Expr> {
        let value = self.expr(value, None)?;
        if value.ty.repr().is_some() {
            return Ok(value);
        }
        let what = match value.ty {
            Type::Void => "this gives no value to print".into(),
            _ => format!("`print` shows numbers and strings, not {}", self.show(&value.ty)),
        };
        let mut diagnostic = Diagnostic::error(what, value.span, "cannot be printed");
        if matches!(value.ty, Type::Vector { .. }) {
            diagnostic = diagnostic.help("print its entries one by one, or `.sum()`");
        }
        Err(self.report(diagnostic))
    }

    /// `for v in set` and `for x in list`.
    fn for_each(
        &mut self,
        parallel: bool,
        var: &ast::Ident,
        members: &ast::Expr,
        body: &[ast::Stmt],
    ) -> Checked<StmtKind> {
        let members = self.expr(members, None);
        let item = match &members {
            Ok(Expr { ty: Type::VertexSet(elem), .. }) => Ok(Type::Element(*elem)),
            Ok(Expr { ty: Type::List(item), .. }) => Ok((**item).clone()),
            Ok(other) => {
                let found = self.show(&other.ty);
                let help = match other.ty.numeric() {
                    Some(_) => "write `0:n` for the numbers below n",
                    None => "a loop runs over numbers, `0:n`, over a vertexset or over a list",
                };
                let message = format!("a loop cannot run over {found}");
                Err(self.report(Diagnostic::error(message, other.span, format!("this is {found}")).help(help)))
            }
            Err(Fail) => Err(Fail),
        };
        if parallel && item.is_ok() {
            return Err(self.report(
                Diagnostic::error("`par_for` runs over numbers", var.span, "over a set or list")
                    .help("apply a function to all members at a time: `set.apply(f)`; or use `for`"),
            ));
        }
        self.enter();
        let local = match &item {
            Ok(ty) => Some(self.add_local(var, ty.clone(), LocalKind::Loop)),
            Err(Fail) => {
                self.poison(var);
                None
            }
        };
        let body = self.loop_body(Loop::Sequential, body);
        self.leave();
        match (local, members) {
            (Some(var), Ok(members)) => Ok(StmtKind::ForEach { var, members, body }),
            _ => Err(Fail),
        }
    }

    fn condition(&mut self, cond: &ast::Expr, what: &str) -> Checked<Expr> {
        let cond = self.expr(cond, None)?;
        self.truth(cond, what)
    }

    fn loop_body(&mut self, kind: Loop, body: &[ast::Stmt]) -> Vec<Stmt> {
        self.frame.loops.push(kind);
        let body = self.block(body);
        self.frame.loops.pop();
        body
    }

    fn local_decl(&mut self, decl: &ast::Decl) -> Checked<StmtKind> {
        let kind = match decl.is_var {
            true => LocalKind::Var,
            false => LocalKind::Const,
        };
        let declared = match &decl.ty {
            Some(ty) => match self.resolve_type(ty) {
                Ok(ty) => Some(ty),
                Err(Fail) => {
                    self.poison(&decl.name);
                    return Err(Fail);
                }
            },
            None => None,
        };
        // The initialiser is checked before the name exists: `var x = x + 1` reads an outer x.
        let init = self.initialiser(decl, declared.as_ref());
        let ty = declared.or_else(|| match &init {
            Ok(Some(Init::Value(value))) => Some(value.ty.clone()),
            _ => None,
        });
        let Some(ty) = ty else {
            self.poison(&decl.name);
            return Err(Fail);
        };
        let local = self.add_local(&decl.name, ty, kind);
        if kind == LocalKind::Const && decl.init.is_none() {
            let what = "a `const` inside a function needs its value";
            return Err(self.error(what, decl.name.span, "never assigned"));
        }
        let init = init?;
        Ok(StmtKind::Let { local, init })
    }

    fn delete(&mut self, value: &ast::Expr) -> Checked<StmtKind> {
        let place = self.place(value, "`delete`")?;
        self.links_stay(place.var, place.span)?;
        let deletable = matches!(
            place.ty,
            Type::VertexSet(_) | Type::Vector { .. } | Type::List(_) | Type::PriorityQueue { .. } | Type::EdgeSet(_)
        );
        if !deletable || !place.indices.is_empty() {
            let found = self.show(&place.ty);
            return Err(self.error(
                format!("`delete` frees sets, vectors, lists and queues, not {found}"),
                place.span,
                "nothing to free",
            ));
        }
        if let (Var::Global(id), Type::VertexSet(_)) = (place.var, &place.ty) {
            self.dynamic.insert(id);
        }
        Ok(StmtKind::Delete(place))
    }

    fn assign(&mut self, target: &ast::Expr, value: &ast::Expr) -> Checked<StmtKind> {
        let place = match self.assignable(target) {
            Ok(place) => place,
            Err(Fail) => {
                if let ast::ExprKind::Name(name) = &target.kind
                    && let Some(last) = self.diagnostics.last_mut()
                    && last.primary.span == target.span
                    && last.message.ends_with("is not declared")
                    && last.help.is_none()
                {
                    last.help = Some(format!("declare it with `var {name} : int = ...;`"));
                }
                // Still worth looking for errors on the right.
                let _ = self.expr(value, None);
                return Err(Fail);
            }
        };
        if !place.indices.is_empty() && matches!(place.ty, Type::Vector { .. }) {
            return Err(self.report(
                Diagnostic::error("a whole row cannot be assigned", place.span, "a row of a nested vector")
                    .help("assign its entries one by one in a `for` loop"),
            ));
        }
        let what = format!("the assignment to `{}`", self.var_name(place.var));
        if let (Var::Global(global), Type::VertexSet(_)) = (place.var, &place.ty) {
            let value = self.expr(value, Some(&place.ty))?;
            if is_vertex_count(&value) {
                let count = value;
                return Ok(StmtKind::SetUniverse { global, count });
            }
            if let ExprKind::NewVertexSet { elem, size } = &value.kind
                && value.ty == place.ty
                && !self.is_of_graph(*elem)
                && !matches!(size.kind, ExprKind::Int(0))
            {
                let count = (**size).clone();
                return Ok(StmtKind::SetUniverse { global, count });
            }
            self.dynamic.insert(global);
            let value = self.coerce(value, &place.ty, &what)?;
            let target = place;
            return Ok(StmtKind::Assign { target, value });
        }
        let value = self.value(value, &place.ty, &what).inspect_err(|Fail| {
            if matches!(place.ty, Type::Vector { .. })
                && let Some(last) = self.diagnostics.last_mut()
                && last.help.is_none()
            {
                last.help = Some("set all entries with `vertices.apply(f)`".into());
            }
        })?;
        let target = place;
        Ok(StmtKind::Assign { target, value })
    }

    /// Whether some global graph has vertices or edges of this element: then the graph says how many there are.
    fn is_of_graph(&self, elem: ElemId) -> bool {
        let has = |ty: &Type| matches!(ty, Type::EdgeSet(graph) if [graph.edge, graph.src, graph.dst].contains(&elem));
        self.program.globals.iter().any(|global| has(&global.ty))
    }

    fn reduce(&mut self, target: &ast::Expr, op: ast::ReduceOp, value: &ast::Expr) -> Checked<StmtKind> {
        let (symbol, op) = match op {
            ast::ReduceOp::Sum => ("+=", ReduceOp::Sum),
            ast::ReduceOp::Min => ("min=", ReduceOp::Min),
            ast::ReduceOp::Max => ("max=", ReduceOp::Max),
            ast::ReduceOp::Or => ("|=", ReduceOp::Or),
            ast::ReduceOp::And => ("&=", ReduceOp::And),
            ast::ReduceOp::AsyncMin => ("asyncMin=", ReduceOp::Min),
            ast::ReduceOp::AsyncMax => ("asyncMax=", ReduceOp::Max),
        };
        let target = self.assignable(target)?;
        if target.ty == Type::BOOL {
            return Err(self.report(
                Diagnostic::error(
                    format!("`{symbol}` needs a number on its left but this is bool"),
                    target.span,
                    "this is bool",
                )
                .help("write `x = x or y` (or `and`)"),
            ));
        }
        if target.ty.numeric().is_none() {
            let found = self.show(&target.ty);
            return Err(self.error(
                format!("`{symbol}` needs a number on its left but this is {found}"),
                target.span,
                format!("this is {found}"),
            ));
        }
        let is_real = matches!(target.ty.numeric(), Some(Scalar::Float | Scalar::Double));
        if is_real && matches!(op, ReduceOp::Or | ReduceOp::And) {
            let found = self.show(&target.ty);
            return Err(self.error(
                format!("`{symbol}` needs a whole number on its left but this is {found}"),
                target.span,
                format!("this is {found}"),
            ));
        }
        let what = format!("`{symbol}`");
        let value = self.value(value, &target.ty, &what)?;
        Ok(StmtKind::Reduce { target, op, value })
    }

    /// A place that may be written.
    pub(super) fn assignable(&mut self, target: &ast::Expr) -> Checked<Place> {
        let place = self.place(target, "an assignment")?;
        self.links_stay(place.var, place.span)?;
        if let Var::Local(LocalId(id)) = place.var {
            let local = &self.frame.locals[id as usize];
            let reference = !place.indices.is_empty();
            let (name, span) = (local.name.clone(), local.span);
            let problem = match local.kind {
                LocalKind::Const if !reference => "a `const` inside a function keeps its value",
                LocalKind::Loop => "a loop variable cannot be assigned",
                LocalKind::Capture if !reference => "a captured value cannot be assigned",
                _ => return Ok(place),
            };
            return Err(self.report(
                Diagnostic::error(problem, place.span, "assigned here")
                    .also(span, format!("`{name}` is declared here")),
            ));
        }
        Ok(place)
    }

    /// A variable or an entry of a vector variable.
    fn place(&mut self, expr: &ast::Expr, for_what: &str) -> Checked<Place> {
        let mut indices = Vec::new();
        let mut base = expr;
        while let ast::ExprKind::Index { base: inner, index } = &base.kind {
            indices.push(&**index);
            base = inner;
        }
        indices.reverse();
        let ast::ExprKind::Name(name) = &base.kind else {
            if matches!(base.kind, ast::ExprKind::Error) {
                return Err(Fail);
            }
            return Err(self.error(
                format!("{for_what} needs a variable or a vector entry"),
                base.span,
                "not a variable",
            ));
        };
        if name == "argv" && !self.is_variable(name) {
            return Err(self.error("`argv` cannot be changed", base.span, "read only"));
        }
        let var = match self.lookup(name, base.span)? {
            Meaning::Var(var) => var,
            Meaning::Symbol(_) => {
                return Err(self.error(format!("`{name}` is not a variable"), base.span, "not a variable"));
            }
        };
        let mut ty = self.var_type(var).clone();
        let mut typed = Vec::with_capacity(indices.len());
        let mut span: Span = base.span;
        for index in indices {
            let Type::Vector { index: kind, item } = ty else {
                let shown = self.show(&ty);
                return Err(self.error(format!("{shown} cannot be indexed"), span, "not a vector"));
            };
            let value = self.index_value(index, "an index")?;
            self.check_fixed_index(kind, &value)?;
            span.end = expr.span.end.min(index.span.end + 1);
            typed.push(value);
            ty = *item;
        }
        Ok(Place { var, indices: typed, ty, span: expr.span })
    }

    fn var_name(&self, var: Var) -> &str {
        match var {
            Var::Global(id) => &self.program.global(id).name,
            Var::Local(id) => &self.frame.locals[id.0 as usize].name,
        }
    }
}

/// False for expressions that compute a value and do nothing else.
fn has_effect(expr: &Expr) -> bool {
    use crate::builtin::Builtin::*;
    match &expr.kind {
        ExprKind::Builtin { builtin, .. } => matches!(
            builtin,
            AddVertex
                | ListAppend
                | ListPop
                | ListInsert
                | ListRetrieve
                | DequeueReadySet
                | Finished
                | UpdatePriorityMin
                | UpdatePriorityMax
                | UpdatePrioritySum
                | StartTimer
                | StopTimer
                | WriteMin
                | WriteMax
                | AtomicAdd
                | CompareAndSwap
        ),
        ExprKind::Call { .. }
        | ExprKind::EdgeApply(_)
        | ExprKind::Groups(_)
        | ExprKind::VertexApply { .. }
        | ExprKind::VertexFilter { .. }
        | ExprKind::VertexApplyExtern { .. } => true,
        _ => false,
    }
}
