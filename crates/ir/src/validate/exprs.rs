//! Rules of expressions.

use super::{Checker, Problem};
use crate::expr::{BinaryOp, Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp, UnaryOp};
use crate::module::{Function, FunctionKind};
use crate::types::{Domain, Scalar, Type};
use crate::typing::{builtin_type, convertible, indexes};

impl<'m> Checker<'m> {
    fn stored(&mut self, expr: &Expr, derived: &Type) {
        if expr.ty != *derived {
            self.report(Problem::Stored(format!("an expression of type {derived} is marked {}", expr.ty)));
        }
    }

    pub(super) fn exprs(&mut self, exprs: &'m [Expr]) {
        for e in exprs {
            self.expr(e);
        }
    }

    pub(super) fn expr(&mut self, expr: &'m Expr) {
        match &expr.kind {
            ExprKind::Int(v) => {
                let fits = match expr.ty {
                    Type::Scalar(Scalar::Int) => i32::try_from(*v).is_ok(),
                    Type::Scalar(Scalar::Uint) => u32::try_from(*v).is_ok(),
                    Type::Scalar(Scalar::Int64) => true,
                    Type::Scalar(Scalar::Uint64) => *v >= 0,
                    _ => false,
                };
                if !fits {
                    self.type_error(format!("the number {v}"), "of an integer type that holds it", &expr.ty);
                }
            }
            ExprKind::Float(v) => {
                if !expr.ty.scalar().is_some_and(Scalar::is_float) || !v.is_finite() {
                    self.type_error(format!("the number {v}"), "finite and float or double", &expr.ty);
                }
            }
            ExprKind::Bool(_) => self.stored(expr, &Type::BOOL),
            ExprKind::Str(_) => self.stored(expr, &Type::STRING),
            ExprKind::Var(name) => match self.lookup(name).cloned() {
                Some(ty) => self.stored(expr, &ty),
                None => self.unknown("variable", name),
            },
            ExprKind::Element { vector, index, .. } => {
                self.expr(vector);
                self.expr(index);
                match vector.ty.item() {
                    Some(item) => {
                        let item = item.clone();
                        self.stored(expr, &item);
                    }
                    None => self.type_error("what is indexed", "a vector", &vector.ty),
                }
                if !vector.is_place() {
                    self.report(Problem::Placement("only a vector variable can be indexed".into()));
                }
                if !indexes(&index.ty) {
                    self.type_error("an index", "a vertex or int", &index.ty);
                }
            }
            ExprKind::Unary(op, a) => {
                self.expr(a);
                let (fits, ty) = match op {
                    UnaryOp::Neg => (a.ty.is_numeric(), a.ty.arithmetic()),
                    UnaryOp::Not => (a.ty.is_bool(), Type::BOOL),
                };
                if !fits {
                    self.type_error("an operand", if *op == UnaryOp::Neg { "a number" } else { "bool" }, &a.ty);
                }
                self.stored(expr, &ty);
            }
            ExprKind::Binary(op, a, b) => self.binary(expr, *op, a, b),
            ExprKind::Convert(a) => {
                self.expr(a);
                if !convertible(&a.ty, &expr.ty) || matches!(expr.ty, Type::Vertex(_)) {
                    self.type_error("a converted value", format!("convertible to {}", expr.ty), &a.ty);
                }
            }
            ExprKind::Call { function, args } => {
                self.exprs(args);
                if let Some(f) = self.function_ref(function) {
                    if f.params.len() != args.len() {
                        let message = format!("`{}` takes {} arguments, not {}", f.name, f.params.len(), args.len());
                        self.report(Problem::Signature(message));
                    }
                    for (p, a) in f.params.iter().zip(args) {
                        self.need_same(&format!("argument `{}` of `{}`", p.name, f.name), &p.ty, &a.ty);
                    }
                    self.stored(expr, &f.result_type());
                }
            }
            ExprKind::Builtin(b, args) => {
                self.exprs(args);
                match builtin_type(*b, args) {
                    Ok(ty) => self.stored(expr, &ty),
                    Err(message) => self.report(Problem::Signature(message)),
                }
            }
            ExprKind::Reduce { op, target, value, meta } => {
                self.update(target, &[value], meta.deferred);
                self.extra(&meta.extra);
                let is_whole = target.ty.scalar().is_some_and(Scalar::is_whole);
                if matches!(op, ReduceOp::Or | ReduceOp::And) && !is_whole {
                    self.type_error("what is reduced", "a whole number", &target.ty);
                } else if !target.ty.is_numeric() {
                    self.type_error("what is reduced", "a number", &target.ty);
                }
                self.stored(expr, &Type::BOOL);
            }
            ExprKind::CompareAndSwap { target, expect, value, meta } => {
                self.update(target, &[expect, value], meta.deferred);
                self.extra(&meta.extra);
                self.stored(expr, &Type::BOOL);
            }
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, meta } => {
                self.extra(&meta.extra);
                self.expr(queue);
                self.expr(vertex);
                self.expr(value);
                self.need_vertex("the vertex of a priority update", vertex);
                let host = self.function.is_none_or(|f| matches!(f.kind, FunctionKind::Main | FunctionKind::Export));
                if host {
                    self.report(Problem::Placement("a priority update stands only in an edge function".into()));
                }
                let Type::PriorityQueue { priority, .. } = queue.ty else {
                    self.type_error("the queue of a priority update", "a priority_queue", &queue.ty);
                    return;
                };
                let signed_delta = *op == PriorityOp::Sum && value.ty == Type::INT;
                if !signed_delta {
                    self.need_same("the value of a priority update", &Type::Scalar(priority), &value.ty);
                }
                if let Some(b) = bound {
                    self.expr(b);
                    self.need_same("the bound of a priority update", &Type::Scalar(priority), &b.ty);
                } else if *op == PriorityOp::Sum {
                    self.report(Problem::Placement("PriorityUpdateSum needs a bound".into()));
                }
                self.stored(expr, &Type::BOOL);
            }
            ExprKind::EnqueueVertex { set, vertex, meta } => {
                self.extra(&meta.extra);
                self.expr(vertex);
                self.need_vertex("an enqueued vertex", vertex);
                let in_function = self.function.filter(|f| f.kind == FunctionKind::User);
                match in_function.map(|f| f.params.iter().find(|p| p.name == *set)) {
                    None => self.report(Problem::Placement("EnqueueVertex outside a user function".into())),
                    Some(Some(p)) if matches!(p.ty, Type::VertexSet(_)) => {}
                    Some(_) => self.report(Problem::Placement(format!(
                        "EnqueueVertex: `{set}` is not a vertexset parameter of the function"
                    ))),
                }
                self.stored(expr, &Type::Void);
            }
            ExprKind::Intersection { args, meta } => {
                self.extra(&meta.extra);
                self.exprs(args);
                let fits = match args.as_slice() {
                    [a, b, rest @ ..] => {
                        matches!((&a.ty, &b.ty), (Type::VertexSet(_), Type::VertexSet(_)))
                            && (2..=3).contains(&rest.len())
                            && rest.iter().all(|e| e.ty.scalar() == Some(Scalar::Int))
                    }
                    _ => false,
                };
                if !fits {
                    self.report(Problem::Signature("Intersection takes (set, set, int, int[, int])".into()));
                }
                self.stored(expr, &Type::INT);
            }
            ExprKind::IntersectNeighbor { args, meta } => {
                self.extra(&meta.extra);
                self.exprs(args);
                let fits = match args.as_slice() {
                    [g, u, v] => {
                        matches!(g.ty, Type::EdgeSet { .. })
                            && u.ty.scalar() == Some(Scalar::Int)
                            && v.ty.scalar() == Some(Scalar::Int)
                    }
                    _ => false,
                };
                if !fits {
                    self.report(Problem::Signature("IntersectNeighbor takes (edgeset, vertex, vertex)".into()));
                }
                self.stored(expr, &Type::INT);
            }
            ExprKind::Groups(_) => {
                let message = "Groups is the value of the first variable of a function over vertices";
                self.report(Problem::Placement(message.into()));
            }
            _ => self.allocation(expr),
        }
    }

    fn binary(&mut self, expr: &'m Expr, op: BinaryOp, a: &'m Expr, b: &'m Expr) {
        self.expr(a);
        self.expr(b);
        if op.is_logical() {
            for side in [a, b] {
                if !side.ty.is_bool() {
                    self.type_error(format!("an operand of `{}`", op.symbol()), "bool", &side.ty);
                }
            }
        } else {
            let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            if !(a.ty.is_numeric() || equality && a.ty.scalar().is_some()) {
                self.type_error(format!("an operand of `{}`", op.symbol()), "a number", &a.ty);
            }
            self.need_same(&format!("the right operand of `{}`", op.symbol()), &a.ty, &b.ty);
        }
        let ty = if op.is_arithmetic() { a.ty.arithmetic() } else { Type::BOOL };
        self.stored(expr, &ty);
    }

    fn update(&mut self, target: &'m Expr, values: &[&'m Expr], deferred: bool) {
        self.place_expr(target);
        for v in values {
            self.expr(v);
            self.need_same("the value of an update", &target.ty, &v.ty);
        }
        if deferred {
            self.report(Problem::Metadata("deferred: only priority updates can be deferred".into()));
        }
    }

    /// New objects: the type says what is made, the arguments must fit it.
    fn allocation(&mut self, expr: &'m Expr) {
        self.known_type(&expr.ty);
        match &expr.kind {
            ExprKind::VertexSetAlloc(size) => {
                self.expr(size);
                self.need_same("the size of a vertexset", &Type::INT, &size.ty);
                if !matches!(expr.ty, Type::VertexSet(_)) {
                    self.type_error("VertexSetAlloc", "a vertexset", &expr.ty);
                }
            }
            ExprKind::Universe(count) => {
                if let Some(count) = count {
                    self.expr(count);
                    self.need_same("the size of a universe", &Type::INT, &count.ty);
                }
                if !matches!(expr.ty, Type::VertexSet(_)) {
                    self.type_error("Universe", "a vertexset", &expr.ty);
                }
            }
            ExprKind::VectorAlloc | ExprKind::VectorFill(_) => {
                if !matches!(expr.ty, Type::Vector { .. }) {
                    self.type_error("a new vector", "a vector", &expr.ty);
                }
                if let ExprKind::VectorFill(value) = &expr.kind {
                    self.expr(value);
                    self.need_same("the entries of a vector", expr.ty.leaf(), &value.ty);
                }
            }
            ExprKind::VectorLiteral(items) => {
                self.exprs(items);
                match &expr.ty {
                    Type::Vector { domain: Domain::Fixed(n), item } if *n as usize == items.len() => {
                        for i in items {
                            self.need_same("an entry of a vector", item, &i.ty);
                        }
                    }
                    other => self.type_error("a vector literal", format!("a vector of {} entries", items.len()), other),
                }
            }
            ExprKind::ListAlloc if !matches!(expr.ty, Type::List(_)) => {
                self.type_error("ListAlloc", "a list", &expr.ty);
            }
            ExprKind::EdgeSetLoad(file) => {
                self.expr(file);
                self.need_same("a file name", &Type::STRING, &file.ty);
                if !matches!(expr.ty, Type::EdgeSet { .. }) {
                    self.type_error("EdgeSetLoad", "an edgeset", &expr.ty);
                }
            }
            ExprKind::VectorLoad(text) => {
                self.expr(text);
                self.need_same("a text of values", &Type::STRING, &text.ty);
                if !matches!(&expr.ty, Type::Vector { domain: Domain::Element(_), .. }) {
                    self.type_error("VectorLoad", "a vector over vertices", &expr.ty);
                }
            }
            ExprKind::Column(args) => {
                args.iter().for_each(|arg| self.expr(arg));
                let [graph, name, missing @ ..] = args.as_slice() else {
                    self.type_error("Column", "a graph and a name", &expr.ty);
                    return;
                };
                self.need_same("the name of a column", &Type::STRING, &name.ty);
                match (&expr.ty, &graph.ty) {
                    (
                        Type::Vector { domain: Domain::Element(of), item },
                        Type::EdgeSet { edge, source, target, .. },
                    ) if [edge, source, target].contains(&of) && item.scalar().is_some() => {
                        missing.iter().for_each(|value| self.need_same("what is for a missing value", item, &value.ty));
                    }
                    (ty, _) => self.type_error("Column", "a vector over edges or vertices of a graph", ty),
                }
            }
            ExprKind::PriorityQueueAlloc(q) => {
                self.extra(&q.meta.extra);
                self.expr(&q.start);
                self.need_vertex("the start of a priority queue", &q.start);
                let Type::PriorityQueue { priority, .. } = expr.ty else {
                    self.type_error("PriorityQueueAlloc", "a priority_queue", &expr.ty);
                    return;
                };
                match self.lookup(&q.vector).cloned() {
                    None => self.unknown("variable", &q.vector),
                    Some(ty) if ty.item().is_some_and(|t| t.same_representation(&Type::Scalar(priority))) => {}
                    Some(ty) => {
                        self.type_error("the priority vector", format!("a vector of {}", priority.keyword()), &ty)
                    }
                }
            }
            ExprKind::Operator(op) => {
                self.report(Problem::Placement(format!("{} must be a statement or the whole value of one", op.name())));
            }
            _ => {}
        }
    }

    /// Checks name and captures; returns the function when it exists.
    pub(super) fn function_ref(&mut self, reference: &'m FunctionRef) -> Option<&'m Function> {
        self.exprs(&reference.captures);
        let Some(function) = self.functions.get(&*reference.name).copied() else {
            self.unknown("function", &reference.name);
            return None;
        };
        if function.captures.len() != reference.captures.len() {
            let message = format!(
                "`{}` captures {} values, not {}",
                function.name,
                function.captures.len(),
                reference.captures.len()
            );
            self.report(Problem::Signature(message));
        }
        for (p, a) in function.captures.iter().zip(&reference.captures) {
            self.need_same(&format!("capture `{}` of `{}`", p.name, function.name), &p.ty, &a.ty);
        }
        Some(function)
    }
}
