//! Expressions.

use super::builtin::made_graph;
use super::convert::{convert, int_literal, is_two_to_the_63, large_literal, least_int_64};
use super::scope::Meaning;
use super::{Checked, Checker, Fail, Symbol};
use crate::ast::{self, BinaryOp, UnaryOp};
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, FuncUse, NewPriorityQueue};
use crate::types::{IndexKind, Scalar, Type};

impl Checker {
    /// Checks an expression. `hint` is the type wanted by the surroundings, used where the expression leaves it
    /// open: `load`, and whether a floating literal is a `float`.
    pub(super) fn expr(&mut self, expr: &ast::Expr, hint: Option<&Type>) -> Checked<Expr> {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Int(value) => Ok(int_literal(*value, span)),
            ast::ExprKind::Large(value) => Ok(large_literal(*value, span)),
            ast::ExprKind::Float(value) => {
                let ty = match hint {
                    Some(Type::Scalar(Scalar::Float)) => Type::FLOAT,
                    _ => Type::DOUBLE,
                };
                Ok(node(ExprKind::Float(*value), ty, span))
            }
            ast::ExprKind::Bool(value) => Ok(node(ExprKind::Bool(*value), Type::BOOL, span)),
            ast::ExprKind::Str(value) => Ok(node(ExprKind::Str(value.clone()), Type::STRING, span)),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::Unary { op, operand } => self.unary(*op, operand, span, hint),
            ast::ExprKind::Binary { op, left, right } => self.binary(*op, left, right, span, hint),
            ast::ExprKind::Word { op, left, right } => self.word(*op, left, right, span, hint),
            ast::ExprKind::Index { base, index } => self.index_expr(base, index, span),
            ast::ExprKind::Call { callee, args } => self.call(callee, args, span, hint),
            ast::ExprKind::Method { receiver, name, args } => self.method(receiver, name, args, span, hint),
            ast::ExprKind::Field { receiver, name } => Err(self.no_fields(name, receiver.span.to(name.span))),
            ast::ExprKind::Operator { .. } => {
                let made = self.operator(expr)?;
                Ok(match (&made.kind, hint) {
                    (ExprKind::Builtin { builtin: Builtin::SelectEdges, .. }, Some(wanted)) => {
                        made_graph(made, wanted, false)
                    }
                    _ => made,
                })
            }
            ast::ExprKind::Groups(groups) => self.groups(groups, span),
            ast::ExprKind::Load { path, weight } => self.load(path, weight.as_deref(), span, hint),
            ast::ExprKind::Intersection(args) => self.intersection(args, span),
            ast::ExprKind::IntersectNeighbor(args) => self.intersect_neighbor(args, span),
            ast::ExprKind::NewVertexSet { elem, size } => {
                let elem = self.element(elem)?;
                let size = match size {
                    Some(size) => self.index_value(size, "the size of a vertexset")?,
                    None => int_literal(0, span),
                };
                let size = Box::new(size);
                let kind = ExprKind::NewVertexSet { elem, size };
                Ok(node(kind, Type::VertexSet(elem), span))
            }
            ast::ExprKind::NewList { item, size } => {
                if let Some(size) = size {
                    self.index_value(size, "the size of a list")?;
                }
                let list = ast::TypeExpr { kind: ast::TypeExprKind::List(Box::new(item.clone())), span: item.span };
                let ty = self.resolve_type(&list)?;
                Ok(node(ExprKind::NewList, ty, span))
            }
            ast::ExprKind::NewEdgeSet { ty, vectors } => self.new_edges(ty, vectors, span),
            ast::ExprKind::NewVector(ty) => {
                let ty = self.resolve_type(ty)?;
                Ok(node(ExprKind::NewVector, ty, span))
            }
            ast::ExprKind::NewPriorityQueue(queue) => self.new_queue(queue, span),
            ast::ExprKind::Error => Err(Fail),
        }
    }

    /// Reports a field of something that is no tuple.
    pub(super) fn no_fields(&mut self, name: &ast::Ident, place: Span) -> Fail {
        let help = match self.method_exists(&name.name) {
            true => format!("write `.{}()` to call the method", name.name),
            false => "per-vertex data live in vectors: write `data[v]`; several values as one are a `tuple`".into(),
        };
        self.report(Diagnostic::error("only tuples have fields", place, "a field").help(help))
    }

    /// Checks an expression that becomes a value of type `target`.
    pub(super) fn value(&mut self, expr: &ast::Expr, target: &Type, for_what: &str) -> Checked<Expr> {
        let value = self.expr(expr, Some(target))?;
        self.coerce(value, target, for_what)
    }

    /// Checks an expression used as an index, vertex id or count.
    pub(super) fn index_value(&mut self, expr: &ast::Expr, for_what: &str) -> Checked<Expr> {
        let value = self.expr(expr, None)?;
        self.index(value, for_what)
    }

    fn name(&mut self, name: &str, span: Span) -> Checked<Expr> {
        if name == "argv" && !self.is_variable(name) {
            return Err(self.report(
                Diagnostic::error("`argv` is not a value by itself", span, "no index")
                    .help("write `argv[1]` for the first argument"),
            ));
        }
        match self.lookup(name, span)? {
            Meaning::Var(var) => {
                let ty = self.var_type(var).clone();
                Ok(node(ExprKind::Var(var), ty, span))
            }
            Meaning::Symbol(Symbol::Element(_)) => {
                Err(self.error(format!("`{name}` is an element, not a value"), span, "not a value"))
            }
            Meaning::Symbol(_) => Err(self.report(
                Diagnostic::error(format!("`{name}` is a function, not a value"), span, "not a value")
                    .help(format!("call it: `{name}(...)`")),
            )),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span, hint: Option<&Type>) -> Checked<Expr> {
        if op == UnaryOp::Not {
            let value = self.expr(operand, None)?;
            let value = self.truth(value, "`not`")?;
            return Ok(node(ExprKind::Not(Box::new(value)), Type::BOOL, span));
        }
        if op == UnaryOp::BitNot {
            return self.bit_not(operand, span, hint);
        }
        let what = if op == UnaryOp::Neg { "`-`" } else { "`+`" };
        let value = self.expr(operand, hint)?;
        if op == UnaryOp::Neg && is_two_to_the_63(&value) {
            return Ok(least_int_64(span));
        }
        let from = self.number(&value, what)?;
        let to = from.common(Scalar::Int).unwrap_or(Scalar::Int);
        let ty = Type::Scalar(to);
        let value = convert(value, from, to, &ty);
        if op == UnaryOp::Plus {
            return Ok(Expr { span, ..value });
        }
        Ok(match value.kind {
            // The sign belongs to the literal, so that the smallest int can be written.
            ExprKind::Int(v) => int_literal(v.wrapping_neg(), span),
            ExprKind::Float(v) => node(ExprKind::Float(-v), ty, span),
            _ => node(ExprKind::Neg(Box::new(value)), ty, span),
        })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
        hint: Option<&Type>,
    ) -> Checked<Expr> {
        let arithmetic = !op.is_comparison() && !op.is_logical();
        let hint = hint.filter(|_| arithmetic);
        // Both sides are checked before giving up, to report errors in either.
        let (left, right) = (self.expr(left, hint), self.expr(right, hint));
        let (left, right) = (left?, right?);
        let what = format!("`{}`", op.symbol());
        let (left, right, ty) = if op.is_logical() {
            let (left, right) = (self.truth(left, &what), self.truth(right, &what));
            (left?, right?, Type::BOOL)
        } else {
            let (a, b) = (self.number(&left, &what), self.number(&right, &what));
            let (a, b) = (a?, b?);
            let common = arithmetic_type(&left, a, &right, b, matches!(op, BinaryOp::Eq | BinaryOp::Ne));
            let ty = Type::Scalar(common);
            let left = convert(left, a, common, &ty);
            let right = convert(right, b, common, &ty);
            let ty = if arithmetic { ty } else { Type::BOOL };
            (left, right, ty)
        };
        let (left, right) = (Box::new(left), Box::new(right));
        Ok(node(ExprKind::Binary { op, left, right }, ty, span))
    }

    fn index_expr(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Checked<Expr> {
        if let ast::ExprKind::Name(name) = &base.kind
            && name == "argv"
            && !self.is_variable(name)
        {
            return self.argv(index, span);
        }
        let (base, index) = (self.expr(base, None), self.index_value(index, "an index"));
        let (base, index) = (base?, index?);
        if let Type::List(item) = &base.ty {
            let ty = (**item).clone();
            self.check_fixed_index(IndexKind::Fixed(u32::MAX), &index)?;
            return Ok(builtin(Builtin::ListGet, vec![base, index], ty, span));
        }
        let Type::Vector { index: kind, item } = &base.ty else {
            let shown = self.show(&base.ty);
            return Err(self.error(format!("{shown} cannot be indexed"), base.span, "not a vector"));
        };
        let (kind, ty) = (*kind, (**item).clone());
        self.check_fixed_index(kind, &index)?;
        let (base, index) = (Box::new(base), Box::new(index));
        Ok(node(ExprKind::Index { base, index }, ty, span))
    }

    /// A literal index into a fixed vector can be checked here and now.
    pub(super) fn check_fixed_index(&mut self, kind: IndexKind, index: &Expr) -> Checked<()> {
        if let ExprKind::Int(value) = index.kind {
            if value < 0 {
                return Err(self.error("an index is never negative", index.span, "negative"));
            }
            if let IndexKind::Fixed(n) = kind
                && value >= i64::from(n)
            {
                return Err(self.report(
                    Diagnostic::error(
                        format!("index {value} is outside a vector of {n} entries"),
                        index.span,
                        "out of range",
                    )
                    .help(format!("the last entry has index {}", n - 1)),
                ));
            }
        }
        Ok(())
    }

    fn argv(&mut self, index: &ast::Expr, span: Span) -> Checked<Expr> {
        if self.frame.function.as_deref().is_some_and(|name| name != "main") {
            return Err(self.report(
                Diagnostic::error("`argv` can be used only in `main` and in initialisers of globals", span, "not here")
                    .help("store the argument in a global and read that"),
            ));
        }
        let index = self.index_value(index, "an index")?;
        self.check_fixed_index(IndexKind::Fixed(u32::MAX), &index)?;
        Ok(node(ExprKind::Argv(Box::new(index)), Type::STRING, span))
    }

    fn call(&mut self, callee: &ast::FuncRef, args: &[ast::Expr], span: Span, hint: Option<&Type>) -> Checked<Expr> {
        let name = &callee.name;
        let symbol = self.symbols.get(&name.name);
        if !self.is_variable(&name.name) && !matches!(symbol, Some(Symbol::Func(_) | Symbol::Template(_))) {
            return self.intrinsic(callee, args, span, hint);
        }
        if let Some(Symbol::Template(_)) = symbol {
            return self.call_template(callee, args, span);
        }
        let func = self.func_use(callee, &[])?;
        let signature = self.signatures[func.func.0 as usize].clone();
        self.count_args(&name.name, name.span, args.len(), &[signature.params.len()])?;
        let mut values = Vec::with_capacity(args.len());
        for (arg, (param, ty)) in args.iter().zip(&signature.params) {
            values.push(self.value(arg, ty, &format!("parameter `{param}` of `{}`", name.name)));
        }
        let args = values.into_iter().collect::<Checked<Vec<_>>>()?;
        Ok(node(ExprKind::Call { func, args }, signature.result.clone(), span))
    }

    /// A call of a function whose types follow from the arguments.
    fn call_template(&mut self, callee: &ast::FuncRef, args: &[ast::Expr], span: Span) -> Checked<Expr> {
        let name = &callee.name;
        let values: Vec<_> = args.iter().map(|arg| self.expr(arg, None)).collect();
        let values = values.into_iter().collect::<Checked<Vec<_>>>()?;
        let given: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
        let func = self.func_use(callee, &given)?;
        let signature = self.signatures[func.func.0 as usize].clone();
        self.count_args(&name.name, name.span, values.len(), &[signature.params.len()])?;
        let mut args = Vec::with_capacity(values.len());
        for (value, (param, ty)) in values.into_iter().zip(&signature.params) {
            args.push(self.coerce(value, ty, &format!("parameter `{param}` of `{}`", name.name))?);
        }
        Ok(node(ExprKind::Call { func, args }, signature.result.clone(), span))
    }

    /// Resolves a function named with its captures. What is given to its parameters tells the types of a function that
    /// has parameters for types.
    pub(super) fn func_use(&mut self, callee: &ast::FuncRef, params: &[Type]) -> Checked<FuncUse> {
        let name = &callee.name;
        let span = callee.span;
        let func = match self.lookup(&name.name, name.span)? {
            Meaning::Symbol(Symbol::Func(func)) => func,
            Meaning::Symbol(Symbol::Template(at)) => {
                let template = self.template(at);
                let names: Vec<&str> = template.captures.iter().map(|capture| capture.name.name.as_str()).collect();
                self.count_captures(callee, &names, template.name.span)?;
                let given = callee.captures.as_deref().unwrap_or_default();
                let values: Vec<_> = given.iter().map(|value| self.expr(value, None)).collect();
                let values = values.into_iter().collect::<Checked<Vec<_>>>()?;
                let types: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
                let func = self.instance(at, name, &types, params)?;
                let signature = self.signatures[func.0 as usize].clone();
                let mut captures = Vec::with_capacity(values.len());
                for (value, (capture, ty)) in values.into_iter().zip(&signature.captures) {
                    captures.push(self.coerce(value, ty, &format!("capture `{capture}` of `{}`", name.name))?);
                }
                return Ok(FuncUse { func, captures, span });
            }
            Meaning::Var(var) => {
                let shown = self.show(&self.var_type(var).clone());
                let message = format!("`{}` is a variable of type {shown}, not a function", name.name);
                let mut diagnostic = Diagnostic::error(message, name.span, "not a function");
                if matches!(self.var_type(var), Type::Vector { .. }) {
                    diagnostic = diagnostic.help(format!("read an entry with `{}[v]`", name.name));
                }
                return Err(self.report(diagnostic));
            }
            Meaning::Symbol(_) => {
                let message = format!("`{}` is not a function", name.name);
                return Err(self.error(message, name.span, "not a function"));
            }
        };
        let signature = self.signatures[func.0 as usize].clone();
        let names: Vec<&str> = signature.captures.iter().map(|(name, _)| name.as_str()).collect();
        self.count_captures(callee, &names, signature.span)?;
        let given = callee.captures.as_deref().unwrap_or_default();
        let mut captures = Vec::with_capacity(given.len());
        for (value, (capture, ty)) in given.iter().zip(&signature.captures) {
            let what = format!("capture `{capture}` of `{}`", name.name);
            captures.push(self.value(value, ty, &what));
        }
        let captures = captures.into_iter().collect::<Checked<Vec<_>>>()?;
        Ok(FuncUse { func, captures, span })
    }

    /// Reports a wrong number of captures; `names` are the right ones.
    fn count_captures(&mut self, callee: &ast::FuncRef, names: &[&str], declared: Span) -> Checked<()> {
        let given = callee.captures.as_ref().map_or(0, Vec::len);
        if given == names.len() {
            return Ok(());
        }
        let name = &callee.name.name;
        let help = match names.is_empty() {
            true => format!("`{name}` captures nothing: leave out the brackets"),
            false => format!("bind its captures in brackets: `{name}[{}]`", names.join(", ")),
        };
        let message = format!("`{name}` has {} but {} given", plural(names.len(), "capture"), are(given));
        Err(self.report(
            Diagnostic::error(message, callee.span, "wrong number of captures")
                .also(declared, "declared here")
                .help(help),
        ))
    }

    /// Reports a wrong number of arguments; `allowed` lists the right ones.
    pub(super) fn count_args(&mut self, name: &str, span: Span, given: usize, allowed: &[usize]) -> Checked<()> {
        if allowed.contains(&given) {
            return Ok(());
        }
        let wanted: Vec<String> = allowed.iter().map(usize::to_string).collect();
        let noun = if allowed == [1] { "argument" } else { "arguments" };
        let message = format!("`{name}` takes {} {noun} but {} given", wanted.join(" or "), are(given));
        Err(self.error(message, span, "wrong number of arguments"))
    }

    fn intersection(&mut self, args: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.count_args("intersection", span, args.len(), &[4, 5])?;
        let mut values = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            let value = match at {
                0 | 1 => self.vertex_set(arg, "`intersection`"),
                _ => self.index_value(arg, "`intersection`"),
            };
            values.push(value);
        }
        let args = values.into_iter().collect::<Checked<Vec<_>>>()?;
        Ok(builtin(Builtin::Intersection, args, Type::INT, span))
    }

    /// Checks an expression that must be a vertexset of any element.
    pub(super) fn vertex_set(&mut self, expr: &ast::Expr, for_what: &str) -> Checked<Expr> {
        let value = self.expr(expr, None)?;
        match value.ty {
            Type::VertexSet(_) => Ok(value),
            _ => {
                let found = self.show(&value.ty);
                Err(self.error(
                    format!("{for_what} needs a vertexset but this is {found}"),
                    value.span,
                    format!("this is {found}"),
                ))
            }
        }
    }

    fn intersect_neighbor(&mut self, args: &[ast::Expr], span: Span) -> Checked<Expr> {
        self.count_args("intersectNeighbor", span, args.len(), &[3])?;
        let graph = self.graph(&args[0], "`intersectNeighbor`");
        let u = self.index_value(&args[1], "`intersectNeighbor`");
        let v = self.index_value(&args[2], "`intersectNeighbor`");
        let args = vec![graph?.0, u?, v?];
        Ok(builtin(Builtin::IntersectNeighbor, args, Type::INT, span))
    }

    fn new_queue(&mut self, queue: &ast::NewPriorityQueue, span: Span) -> Checked<Expr> {
        let elem = self.element(&queue.elem)?;
        let vector = self.name(&queue.vector.name, queue.vector.span)?;
        let wanted = Type::Vector { index: IndexKind::Element(elem), item: Box::new(Type::Scalar(queue.priority)) };
        let vector = self.coerce(vector, &wanted, "the priority queue")?;
        if !(0..=1).contains(&queue.bucket_order) || !(0..=2).contains(&queue.priority_order) {
            return Err(self
                .report(Diagnostic::error("these orders do not exist", queue.order_span, "out of range").help(
                    "the bucket order is 1 (smallest first) or 0 (largest first); the priority order 0, 1 or 2",
                )));
        }
        let start = self.index_value(&queue.start, "the start vertex")?;
        let ty = Type::PriorityQueue { elem, priority: queue.priority };
        let queue = NewPriorityQueue {
            elem,
            priority: queue.priority,
            dup_within: queue.dup_within,
            dup_across: queue.dup_across,
            vector,
            increasing: queue.bucket_order == 1,
            priority_order: queue.priority_order as u8,
            all_queued: queue.all_queued,
            start,
        };
        Ok(node(ExprKind::NewPriorityQueue(Box::new(queue)), ty, span))
    }
}

/// The type arithmetic is done in. A floating literal beside a `float` is a `float`; whether two bools are equal is
/// asked of bools, everything else takes them as 0 and 1.
pub(super) fn arithmetic_type(left: &Expr, a: Scalar, right: &Expr, b: Scalar, equality: bool) -> Scalar {
    let literal = |expr: &Expr| matches!(expr.kind, ExprKind::Float(_));
    match (a, b) {
        (Scalar::Bool, Scalar::Bool) if equality => Scalar::Bool,
        (Scalar::Float, Scalar::Double) if literal(right) => Scalar::Float,
        (Scalar::Double, Scalar::Float) if literal(left) => Scalar::Float,
        _ => a.common(b).unwrap_or(Scalar::Int),
    }
}

pub(super) fn node(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub(super) fn builtin(builtin: Builtin, args: Vec<Expr>, ty: Type, span: Span) -> Expr {
    node(ExprKind::Builtin { builtin, args }, ty, span)
}

/// "1 capture", "2 captures".
pub(super) fn plural(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        0 => format!("no {noun}s"),
        n => format!("{n} {noun}s"),
    }
}

/// "none are", "1 is", "2 are".
fn are(n: usize) -> String {
    match n {
        0 => "none are".into(),
        1 => "1 is".into(),
        n => format!("{n} are"),
    }
}
