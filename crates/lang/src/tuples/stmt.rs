//! Statements without tuples: an assignment of a tuple becomes one per field.

use super::expr::{Part, described};
use super::{Compound, Expander, Fail, Local, Shape};
use crate::ast::{Decl, Expr, ExprKind, Ident, Init, Param, Stmt, StmtKind, TypeExpr};
use crate::source::Span;
use std::collections::HashMap;

/// `1 field`, `2 fields`, `1 index`, `2 indices`.
pub(super) fn counted(n: usize, word: &str) -> String {
    match (n, word) {
        (1, _) => format!("1 {word}"),
        (_, "index") => format!("{n} indices"),
        _ => format!("{n} {word}s"),
    }
}

impl<'a> Expander<'a> {
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        self.scopes.push(HashMap::new());
        let mut made = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut made);
        }
        self.scopes.pop();
        made
    }

    /// Writes a statement anew, to the end of `out`; its label stays with the last of what it becomes.
    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let kind = match &stmt.kind {
            StmtKind::Decl(decl) => return self.local_decl(decl, stmt, out),
            StmtKind::Assign { target, value } => return self.assign(target, value, stmt, out),
            StmtKind::If { arms, otherwise } => StmtKind::If {
                arms: arms.iter().map(|(cond, body)| (self.expr(cond), self.block(body))).collect(),
                otherwise: otherwise.as_ref().map(|body| self.block(body)),
            },
            StmtKind::While { cond, body } => StmtKind::While { cond: self.expr(cond), body: self.block(body) },
            StmtKind::DoWhile { body, cond } => StmtKind::DoWhile { body: self.block(body), cond: self.expr(cond) },
            StmtKind::For { parallel, var, low, high, body } => {
                let (low, high) = (self.expr(low), self.expr(high));
                let (var, body) = self.loop_over(var, body);
                StmtKind::For { parallel: *parallel, var, low, high, body }
            }
            StmtKind::ForEach { parallel, var, members, body } => {
                let members = self.expr(members);
                let (var, body) = self.loop_over(var, body);
                StmtKind::ForEach { parallel: *parallel, var, members, body }
            }
            StmtKind::Print(values) => StmtKind::Print(self.printed(values)),
            StmtKind::Delete(value) => match self.part(value) {
                Some(part) if part.depth() > 0 => {
                    let deletes = part.all().into_iter().map(StmtKind::Delete);
                    out.extend(deletes.map(|kind| Stmt { label: None, kind, span: stmt.span }));
                    return;
                }
                _ => StmtKind::Delete(self.expr(value)),
            },
            StmtKind::Reduce { target, op, value } => {
                if let Some(part) = self.part(target) {
                    let first = part.compound.shape.tuple.clone();
                    let field = self.fields(&first).first().map_or("field", |field| field.name.name.as_str());
                    let help = format!("reduce its fields one by one: `x.{field} += ...`");
                    self.error("a tuple as a whole is assigned, not reduced", target.span, "a whole tuple", help);
                    return;
                }
                StmtKind::Reduce { target: self.expr(target), op: *op, value: self.expr(value) }
            }
            StmtKind::Expr(value) => match self.made(value) {
                Some(tuple) => {
                    let help = format!("store it: `var x : {tuple} = ...;`");
                    self.error(format!("this `{tuple}` is not used"), value.span, "a tuple that nothing takes", help);
                    return;
                }
                None => StmtKind::Expr(self.expr(value)),
            },
            StmtKind::Break | StmtKind::Continue | StmtKind::Empty => stmt.kind.clone(),
        };
        out.push(Stmt { label: stmt.label.clone(), kind, span: stmt.span });
    }

    fn loop_over(&mut self, var: &Ident, body: &[Stmt]) -> (Ident, Vec<Stmt>) {
        self.scopes.push(HashMap::new());
        let var = self.declare(var);
        let body = self.block(body);
        self.scopes.pop();
        (var, body)
    }

    /// A new local that holds no tuple. In a body that stands in another function it has a name of its own.
    pub(super) fn declare(&mut self, name: &Ident) -> Ident {
        let now = match self.inlining.is_empty() {
            true => name.name.clone(),
            false => self.fresh(&name.name),
        };
        self.bind(&name.name, Local::Plain(now.clone()));
        Ident { name: now, span: name.span }
    }

    /// The variables of a new local that holds tuples.
    pub(super) fn new_compound(&mut self, name: &str, shape: Shape) -> Compound {
        if self.inlining.is_empty() {
            return self.compound(name, shape);
        }
        let names = self.fields(&shape.tuple).iter().map(|field| self.fresh(&format!("{name}_{}", field.name.name)));
        Compound { names: names.collect(), shape }
    }

    /// `print best;` prints the fields.
    fn printed(&mut self, values: &[Expr]) -> Vec<Expr> {
        let mut printed = Vec::new();
        for value in values {
            match self.shape_of(value) {
                Some(Shape { depth: 0, .. }) if self.made(value).is_none() => {
                    printed.extend(self.part(value).map(|part| part.all()).unwrap_or_default());
                }
                _ => printed.push(self.expr(value)),
            }
        }
        printed
    }

    /// The shape that a declaration gives its variable.
    pub(super) fn declared_shape(&self, decl: &Decl) -> Option<Shape> {
        match (&decl.ty, &decl.init) {
            (Some(ty), _) => self.shape(ty),
            (None, Some(Init::Expr(value))) => self.shape_of(value),
            (None, _) => None,
        }
    }

    fn local_decl(&mut self, decl: &Decl, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let compound = self.declared_shape(decl).map(|shape| self.new_compound(&decl.name.name, shape));
        let made = self.decl(decl, compound.clone(), out);
        let mut decls = made.unwrap_or_default();
        match compound {
            // A value does not see the name that it is for.
            Some(compound) => self.bind(&decl.name.name, Local::Tuple(compound)),
            None => {
                let name = self.declare(&decl.name);
                decls.iter_mut().for_each(|decl| decl.name = name.clone());
            }
        }
        let stmts = decls.into_iter().map(|decl| Stmt { label: None, kind: StmtKind::Decl(decl), span: stmt.span });
        out.extend(stmts);
        if let Some(last) = out.last_mut().filter(|_| stmt.label.is_some()) {
            last.label.clone_from(&stmt.label);
        }
    }

    /// A declaration as one per field where it is of tuples; what comes before it goes to `out`.
    pub(super) fn decl(
        &mut self,
        decl: &Decl,
        compound: Option<Compound>,
        out: &mut Vec<Stmt>,
    ) -> Result<Vec<Decl>, Fail> {
        if let Some(ty) = &decl.ty {
            self.no_lists(ty);
        }
        let Some(compound) = compound else {
            let init = decl.init.as_ref().map(|init| match init {
                Init::Expr(value) => Init::Expr(self.expr(value)),
                Init::List(values, span) => Init::List(self.exprs(values), *span),
            });
            return Ok(vec![Decl { init, ..decl.clone() }]);
        };
        let fields = self.fields(&compound.shape.tuple);
        let inits = self.inits(decl, &compound, out)?;
        let one = |(at, field): (usize, &Param)| {
            let init = inits.as_ref().and_then(|inits| inits.get(at).cloned());
            let ty = match &decl.ty {
                Some(ty) => Some(Self::of_field(ty, &field.ty)),
                // Vectors take the type of what they are a second name for.
                None => (compound.shape.depth == 0).then(|| field.ty.clone()),
            };
            let name = Ident { name: compound.names[at].clone(), span: decl.name.span };
            Decl { is_var: decl.is_var, name, ty, init, span: decl.span }
        };
        Ok(fields.iter().enumerate().map(one).collect())
    }

    /// The initial values of the fields of a variable; none where it has none.
    fn inits(&mut self, decl: &Decl, compound: &Compound, out: &mut Vec<Stmt>) -> Result<Option<Vec<Init>>, Fail> {
        let shape = &compound.shape;
        let of_all = |values: Vec<Expr>| Some(values.into_iter().map(Init::Expr).collect());
        match &decl.init {
            None => Ok(None),
            Some(Init::Expr(value)) => match (&value.kind, self.shape_of(value)) {
                (ExprKind::NewVector(ty), Some(found)) if found == *shape => Ok(of_all(self.new_vectors(ty, value))),
                (ExprKind::Load { .. }, _) => {
                    let help = "load a vector per field, and assign the entries";
                    Err(self.error("`load` reads numbers, not tuples", value.span, "of tuples", help))
                }
                // Every entry of a vector begins with this tuple.
                (_, Some(Shape { tuple, depth: 0 })) if tuple == shape.tuple => {
                    self.tuple_value(value, &tuple, out).map(of_all)
                }
                _ => Ok(of_all(self.compound_value(value, shape))),
            },
            Some(Init::List(values, span)) if shape.depth == 1 => {
                let mut columns = vec![Vec::new(); compound.names.len()];
                let entry = Shape { tuple: shape.tuple.clone(), depth: 0 };
                for value in values {
                    let fields = self.compound_value(value, &entry);
                    columns.iter_mut().zip(fields).for_each(|(column, field)| column.push(field));
                }
                Ok(Some(columns.into_iter().map(|column| Init::List(column, *span)).collect()))
            }
            Some(Init::List(_, span)) => {
                let help = format!("write `{}(...)` with {}", shape.tuple, self.field_list(&shape.tuple));
                Err(self.error(format!("{} is made by its name", described(shape)), *span, "a list of values", help))
            }
        }
    }

    /// `new vector{V}(Best)()`, as one per field.
    fn new_vectors(&mut self, ty: &TypeExpr, e: &Expr) -> Vec<Expr> {
        let Some(shape) = self.shape(ty) else { return Vec::new() };
        let one = |field: &Param| Expr { kind: ExprKind::NewVector(Self::of_field(ty, &field.ty)), span: e.span };
        self.fields(&shape.tuple).iter().map(one).collect()
    }

    /// The fields of a tuple that a variable gets. A function that gives one goes to `out`.
    pub(super) fn tuple_value(&mut self, e: &Expr, tuple: &str, out: &mut Vec<Stmt>) -> Result<Vec<Expr>, Fail> {
        if let ExprKind::Call { callee, args } = &e.kind
            && let Some(function) = self.functions.get(callee.name.name.as_str()).copied()
            && self.result_tuple(function).as_deref() == Some(tuple)
        {
            return self.inline(function, callee, args, e.span, out);
        }
        Ok(self.compound_value(e, &Shape { tuple: tuple.to_string(), depth: 0 }))
    }

    fn assign(&mut self, target: &Expr, value: &Expr, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let Some(mut part) = self.part(target) else {
            let value = match self.shape_of(value) {
                Some(shape) if !matches!(target.kind, ExprKind::Error) => {
                    let help = format!("name a field of it; the fields are {}", self.field_list(&shape.tuple));
                    let message = format!("{} is assigned to something else", described(&shape));
                    self.error(message, value.span, "a tuple", help);
                    value.clone()
                }
                _ => self.expr(value),
            };
            let kind = StmtKind::Assign { target: self.expr(target), value };
            out.push(Stmt { label: stmt.label.clone(), kind, span: stmt.span });
            return;
        };
        let shape = Shape { tuple: part.compound.shape.tuple.clone(), depth: part.depth() };
        let values = match (&value.kind, shape.depth) {
            (ExprKind::NewVector(ty), 1..) if self.shape(ty).as_ref() == Some(&shape) => self.new_vectors(ty, value),
            (_, 0) => match self.tuple_value(value, &shape.tuple, out) {
                Ok(values) => values,
                Err(Fail) => return,
            },
            _ => self.compound_value(value, &shape),
        };
        // An index is worked out once, and a value may be made of the fields that it replaces.
        part.indices = part.indices.into_iter().map(|index| self.once(index, None, stmt.span, out)).collect();
        let fields = self.fields(&shape.tuple);
        let copies = self.part(value).is_some() || shape.depth > 0;
        let values: Vec<Expr> = match copies {
            true => values,
            false => {
                let typed = values.into_iter().zip(fields);
                typed.map(|(value, field)| self.once(value, Some(&field.ty), stmt.span, out)).collect()
            }
        };
        let targets = part.all();
        for (target, value) in targets.into_iter().zip(values) {
            let kind = StmtKind::Assign { target, value };
            out.push(Stmt { label: None, kind, span: stmt.span });
        }
        if let Some(last) = out.last_mut().filter(|_| stmt.label.is_some()) {
            last.label.clone_from(&stmt.label);
        }
    }

    /// The value in a variable of its own, unless it is a number.
    fn once(&mut self, value: Expr, ty: Option<&TypeExpr>, span: Span, out: &mut Vec<Stmt>) -> Expr {
        let is_number = |kind: &ExprKind| {
            matches!(kind, ExprKind::Int(_) | ExprKind::Large(_) | ExprKind::Float(_) | ExprKind::Bool(_))
        };
        let simple = match &value.kind {
            ExprKind::Unary { operand, .. } => is_number(&operand.kind),
            ExprKind::Name(_) => ty.is_none(),
            kind => is_number(kind),
        };
        if simple {
            return value;
        }
        let name = Ident { name: self.fresh("field"), span: value.span };
        let decl = Decl { is_var: true, name: name.clone(), ty: ty.cloned(), init: Some(Init::Expr(value)), span };
        out.push(Stmt { label: None, kind: StmtKind::Decl(decl), span });
        Expr { kind: ExprKind::Name(name.name), span: name.span }
    }

    /// A part that stands for the fields of a variable.
    pub(super) fn all_of(&self, compound: &Compound, span: Span) -> Vec<Expr> {
        Part { compound: compound.clone(), indices: Vec::new(), span }.all()
    }
}
