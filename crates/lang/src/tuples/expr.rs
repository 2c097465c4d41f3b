//! Expressions without tuples: `best[v].gain` becomes `best_gain[v]`.

use super::{Compound, Expander, Local, Shape};
use crate::ast::{Expr, ExprKind, FuncRef, Groups, Ident, NewPriorityQueue, TypeExpr};
use crate::source::Span;

/// A part of a variable that holds tuples: the variable and the indices behind it, written anew.
pub(super) struct Part {
    pub(super) compound: Compound,
    pub(super) indices: Vec<Expr>,
    pub(super) span: Span,
}

impl Part {
    /// How many more indices lead to a tuple.
    pub(super) fn depth(&self) -> usize {
        self.compound.shape.depth - self.indices.len()
    }

    /// The same part of the variable of a field.
    pub(super) fn field(&self, at: usize) -> Expr {
        let root = Expr { kind: ExprKind::Name(self.compound.names[at].clone()), span: self.span };
        self.indices.iter().fold(root, |base, index| Expr {
            kind: ExprKind::Index { base: Box::new(base), index: Box::new(index.clone()) },
            span: self.span,
        })
    }

    /// All fields, in order.
    pub(super) fn all(&self) -> Vec<Expr> {
        (0..self.compound.names.len()).map(|at| self.field(at)).collect()
    }
}

impl<'a> Expander<'a> {
    /// An expression that is no tuple, written anew.
    pub(super) fn expr(&mut self, e: &Expr) -> Expr {
        if let ExprKind::Field { receiver, name } = &e.kind {
            return self.field(e, receiver, name);
        }
        if let Some(part) = self.part(e) {
            self.whole(&part);
            return Expr { kind: ExprKind::Error, span: e.span };
        }
        let kind = match &e.kind {
            ExprKind::Name(name) => ExprKind::Name(self.name(name, e.span)),
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: self.boxed(operand) },
            ExprKind::Binary { op, left, right } => {
                ExprKind::Binary { op: *op, left: self.boxed(left), right: self.boxed(right) }
            }
            ExprKind::Word { op, left, right } => {
                ExprKind::Word { op: *op, left: self.boxed(left), right: self.boxed(right) }
            }
            ExprKind::Index { base, index } => ExprKind::Index { base: self.boxed(base), index: self.boxed(index) },
            ExprKind::Call { callee, args } => self.plain_call(callee, args, e.span),
            ExprKind::Method { receiver, name, args } => {
                ExprKind::Method { receiver: self.boxed(receiver), name: name.clone(), args: self.exprs(args) }
            }
            ExprKind::Operator { receiver, op, op_span, func, tracked, tracked_field, disable_dedup } => {
                let (tracked, tracked_field) = match (tracked, tracked_field) {
                    (Some(vector), Some(field)) => self.tracked(vector, field),
                    (vector, _) => (vector.as_ref().map(|vector| self.ident(vector)), None),
                };
                ExprKind::Operator {
                    receiver: self.boxed(receiver),
                    op: *op,
                    op_span: *op_span,
                    func: self.func_ref(func),
                    tracked,
                    tracked_field,
                    disable_dedup: *disable_dedup,
                }
            }
            ExprKind::Groups(groups) => ExprKind::Groups(Box::new(Groups {
                receiver: self.expr(&groups.receiver),
                key: self.func_ref(&groups.key),
                combine: groups.combine.clone(),
                values: groups.values.iter().map(|func| self.func_ref(func)).collect(),
                choice: groups.choice.clone(),
                args: groups.args.iter().map(|func| self.func_ref(func)).collect(),
            })),
            ExprKind::Load { path, weight } => {
                ExprKind::Load { path: self.boxed(path), weight: weight.as_ref().map(|weight| self.boxed(weight)) }
            }
            ExprKind::Intersection(args) => ExprKind::Intersection(self.exprs(args)),
            ExprKind::IntersectNeighbor(args) => ExprKind::IntersectNeighbor(self.exprs(args)),
            ExprKind::NewVertexSet { elem, size } => {
                ExprKind::NewVertexSet { elem: elem.clone(), size: size.as_ref().map(|size| self.boxed(size)) }
            }
            ExprKind::NewEdgeSet { ty, vectors } => {
                ExprKind::NewEdgeSet { ty: ty.clone(), vectors: self.exprs(vectors) }
            }
            ExprKind::NewList { item, size } => {
                self.no_lists(&TypeExpr {
                    kind: crate::ast::TypeExprKind::List(Box::new(item.clone())),
                    span: item.span,
                });
                ExprKind::NewList { item: item.clone(), size: size.as_ref().map(|size| self.boxed(size)) }
            }
            ExprKind::NewPriorityQueue(queue) => ExprKind::NewPriorityQueue(Box::new(NewPriorityQueue {
                vector: self.ident(&queue.vector),
                start: self.expr(&queue.start),
                ..(**queue).clone()
            })),
            other => other.clone(),
        };
        Expr { kind, span: e.span }
    }

    fn boxed(&mut self, e: &Expr) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    /// The name that a variable has now.
    fn name(&mut self, name: &str, span: Span) -> String {
        match self.local(name) {
            Some(Local::Plain(now)) => now.clone(),
            Some(Local::Tuple(_)) => name.to_string(),
            None => {
                self.reach(name, span);
                name.to_string()
            }
        }
    }

    /// A name of the program, used by a function whose body stands in another one: no local there may have it.
    fn reach(&mut self, name: &str, span: Span) {
        if self.outer.iter().any(|locals| locals.contains(name)) {
            let function = self.inlining.last().copied().unwrap_or_default();
            let message = format!("a variable of the calling function hides `{name}` from `{function}`");
            let help = format!("give the variable another name: `{function}` becomes a part of its caller");
            self.error(message, span, "hidden", help);
        }
    }

    /// The vector of a field that is named beside functions.
    fn tracked(&mut self, vector: &Ident, field: &Ident) -> (Option<Ident>, Option<Box<Ident>>) {
        let receiver = Expr { kind: ExprKind::Name(vector.name.clone()), span: vector.span };
        match self.field(&receiver, &receiver, field).kind {
            ExprKind::Name(name) => (Some(Ident { name, span: vector.span.to(field.span) }), None),
            _ => (Some(self.ident(vector)), Some(Box::new(field.clone()))),
        }
    }

    fn ident(&mut self, ident: &Ident) -> Ident {
        if let Some(compound) = self.named(&ident.name).cloned() {
            self.whole(&Part { compound, indices: Vec::new(), span: ident.span });
        }
        Ident { name: self.name(&ident.name, ident.span), span: ident.span }
    }

    /// A variable that holds tuples with the indices behind it; `None` for all else, and where a field comes first.
    pub(super) fn part(&mut self, e: &Expr) -> Option<Part> {
        let mut indices = Vec::new();
        let mut base = e;
        while let ExprKind::Index { base: inner, index } = &base.kind {
            indices.push(&**index);
            base = inner;
        }
        let ExprKind::Name(name) = &base.kind else { return None };
        let compound = self.named(name)?.clone();
        if self.local(name).is_none() {
            compound.names.iter().for_each(|name| self.reach(name, base.span));
        }
        if indices.len() > compound.shape.depth {
            let message = format!("`{name}` takes {}", super::stmt::counted(compound.shape.depth, "index"));
            let help = match self.field_names(&compound.shape.tuple) {
                Some(first) => format!("name a field: `.{first}`"),
                None => "name a field".to_string(),
            };
            self.error(message, e.span, "a tuple is not indexed", help);
            indices.truncate(compound.shape.depth);
        }
        let indices = indices.into_iter().rev().map(|index| self.expr(index)).collect();
        Some(Part { compound, indices, span: e.span })
    }

    fn field_names(&self, tuple: &str) -> Option<&'a str> {
        self.fields(tuple).first().map(|field| field.name.name.as_str())
    }

    /// `receiver.name`.
    fn field(&mut self, e: &Expr, receiver: &Expr, name: &Ident) -> Expr {
        if let Some(part) = self.part(receiver) {
            let tuple = part.compound.shape.tuple.clone();
            let fields = self.fields(&tuple);
            if let Some(at) = fields.iter().position(|field| field.name.name == name.name) {
                return Part { span: e.span, ..part }.field(at);
            }
            let near = crate::suggest::nearest(&name.name, fields.iter().map(|field| field.name.name.as_str()));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its fields are {}", self.field_list(&tuple)),
            };
            self.error(format!("`{tuple}` has no field `{}`", name.name), name.span, "unknown field", help);
            return Expr { kind: ExprKind::Error, span: e.span };
        }
        if let Some(tuple) = self.made(receiver) {
            let help = format!("store the tuple first: `var x : {tuple} = ...;`, then `x.{}`", name.name);
            self.error("a field is read of a variable", e.span, "of a value without a name", help);
            return Expr { kind: ExprKind::Error, span: e.span };
        }
        Expr { kind: ExprKind::Field { receiver: self.boxed(receiver), name: name.clone() }, span: e.span }
    }

    /// The tuple that a call makes: one named like a tuple, or of a function that gives one.
    pub(super) fn made(&self, e: &Expr) -> Option<String> {
        let ExprKind::Call { callee, .. } = &e.kind else { return None };
        if self.tuples.contains_key(callee.name.name.as_str()) {
            return Some(callee.name.name.clone());
        }
        self.result_tuple(self.functions.get(callee.name.name.as_str())?)
    }

    /// The shape of an expression that is made of tuples, before anything is written.
    pub(super) fn shape_of(&self, e: &Expr) -> Option<Shape> {
        let mut depth = 0;
        let mut base = e;
        while let ExprKind::Index { base: inner, .. } = &base.kind {
            depth += 1;
            base = inner;
        }
        match &base.kind {
            ExprKind::Name(name) => {
                let Shape { tuple, depth: all } = self.named(name)?.shape.clone();
                Some(Shape { tuple, depth: all.checked_sub(depth)? })
            }
            ExprKind::NewVector(ty) => self.shape(ty),
            _ => self.made(e).map(|tuple| Shape { tuple, depth: 0 }),
        }
    }

    /// Reports a tuple where a number is needed.
    fn whole(&mut self, part: &Part) {
        let tuple = &part.compound.shape.tuple;
        let what = match part.depth() {
            0 => format!("this is a whole `{tuple}`, and a single value is needed"),
            _ => format!("this is a vector of `{tuple}`, and a single value or a vector of numbers is needed"),
        };
        let help = match self.field_names(tuple) {
            Some(first) => format!("name a field, as in `.{first}`; the fields are {}", self.field_list(tuple)),
            None => "name a field".to_string(),
        };
        self.error(what, part.span, "no field named", help);
    }

    /// A call inside an expression.
    fn plain_call(&mut self, callee: &FuncRef, args: &[Expr], span: Span) -> ExprKind {
        let name = callee.name.name.as_str();
        if self.tuples.contains_key(name) {
            let help = format!("store it first: `var x : {name} = {name}(...);`");
            self.error(format!("a new `{name}` is assigned to a variable"), span, "a tuple inside an expression", help);
            return ExprKind::Error;
        }
        let function = self.functions.get(name).copied().filter(|_| self.local(name).is_none());
        if let Some(tuple) = function.and_then(|function| self.result_tuple(function)) {
            let help = format!("store it first: `var x : {tuple} = {name}(...);`");
            self.error(format!("`{name}` gives a `{tuple}`"), span, "a tuple inside an expression", help);
            return ExprKind::Error;
        }
        let Some(function) = function else {
            return ExprKind::Call { callee: self.func_ref(callee), args: self.exprs(args) };
        };
        let callee = self.func_ref(callee);
        let wanted: Vec<Option<Shape>> = function.params.iter().map(|param| self.shape(&param.ty)).collect();
        ExprKind::Call { callee, args: self.arguments(args, &wanted) }
    }

    /// Values for captures or parameters: those of tuples field by field.
    pub(super) fn arguments(&mut self, given: &[Expr], wanted: &[Option<Shape>]) -> Vec<Expr> {
        let mut values = Vec::new();
        for (at, value) in given.iter().enumerate() {
            match wanted.get(at).and_then(Option::as_ref) {
                Some(shape) => values.extend(self.compound_value(value, shape)),
                None => values.push(self.expr(value)),
            }
        }
        values
    }

    /// The fields of a value of this shape. A function that gives a tuple is no such value here.
    pub(super) fn compound_value(&mut self, e: &Expr, wanted: &Shape) -> Vec<Expr> {
        if let ExprKind::Call { callee, args } = &e.kind
            && self.tuples.contains_key(callee.name.name.as_str())
            && callee.name.name == wanted.tuple
            && wanted.depth == 0
        {
            return self.constructed(&wanted.tuple, args, e.span);
        }
        match self.shape_of(e) {
            Some(shape) if shape == *wanted => {
                if let Some(part) = self.part(e) {
                    return part.all();
                }
                let help = format!("store it first: `var x : {} = ...;`", wanted.tuple);
                self.error("a tuple is handed on from a variable", e.span, "a value without a name", help);
            }
            Some(shape) => {
                let (wanted, found) = (described(wanted), described(&shape));
                let help = "the two must be the same";
                self.error(format!("{wanted} is needed, but this is {found}"), e.span, "another type", help);
            }
            None => {
                let help = match wanted.depth {
                    0 => format!("write `{}(...)` with {}", wanted.tuple, self.field_list(&wanted.tuple)),
                    _ => "name a vector of this type".to_string(),
                };
                self.error(format!("{} is needed here", described(wanted)), e.span, "no tuple", help);
            }
        }
        Vec::new()
    }

    /// The values of `Best(1.5, 3)`.
    pub(super) fn constructed(&mut self, tuple: &str, args: &[Expr], span: Span) -> Vec<Expr> {
        let fields = self.fields(tuple);
        if args.len() != fields.len() {
            let message = format!(
                "`{tuple}` has {}, but {} given",
                super::stmt::counted(fields.len(), "field"),
                match args.len() {
                    1 => "1 value is".to_string(),
                    n => format!("{n} values are"),
                }
            );
            let help = format!("its fields are {}", self.field_list(tuple));
            self.error(message, span, "wrong number of values", help);
        }
        self.exprs(args)
    }

    /// A function that is named, with its captures.
    pub(super) fn func_ref(&mut self, func: &FuncRef) -> FuncRef {
        let name = func.name.name.as_str();
        let function = self.functions.get(name).copied().filter(|_| self.local(name).is_none());
        if let Some(tuple) = function.and_then(|function| self.result_tuple(function)) {
            let help = "operators take functions that give nothing, a number or a truth value";
            self.error(format!("`{name}` gives a `{tuple}`"), func.name.span, "gives a tuple", help);
        }
        let ident = match function {
            Some(_) => func.name.clone(),
            None => self.ident(&func.name),
        };
        let wanted: Vec<Option<Shape>> = function
            .map(|function| function.captures.iter().map(|capture| self.shape(&capture.ty)).collect())
            .unwrap_or_default();
        let captures = func.captures.as_ref().map(|captures| self.arguments(captures, &wanted));
        FuncRef { name: ident, captures, span: func.span }
    }
}

/// A shape in words.
pub(super) fn described(shape: &Shape) -> String {
    match shape.depth {
        0 => format!("a `{}`", shape.tuple),
        1 => format!("a vector of `{}`", shape.tuple),
        _ => format!("a vector of rows of `{}`", shape.tuple),
    }
}
