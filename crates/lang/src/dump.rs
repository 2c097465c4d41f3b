//! A readable dump of the syntax tree, one node per line, for `--emit ast`.

use crate::ast::*;
use crate::source::{SourceFile, Span};
use std::fmt::Write;

/// The tree as indented text; every line starts with what the node is and ends with its line and column.
pub fn dump(source: &SourceFile, ast: &Ast) -> String {
    let mut dumper = Dumper { source, out: String::new(), depth: 0 };
    for item in &ast.items {
        dumper.item(item);
    }
    dumper.out
}

struct Dumper<'a> {
    source: &'a SourceFile,
    out: String,
    depth: usize,
}

impl Dumper<'_> {
    fn line(&mut self, span: Span, text: &str) {
        let (line, column) = self.source.line_column(span.start);
        let indent = self.depth * 2;
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:indent$}{text}  @{line}:{column}", "");
    }

    fn inside(&mut self, f: impl FnOnce(&mut Self)) {
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Element { name, fields, span } => {
                self.line(*span, &format!("element {}", name.name));
                self.inside(|d| fields.iter().for_each(|field| d.param("field", field)));
            }
            Item::Tuple { name, fields, span } => {
                self.line(*span, &format!("tuple {}", name.name));
                self.inside(|d| fields.iter().for_each(|field| d.param("field", field)));
            }
            Item::ExternVar { name, ty, span } => {
                self.line(*span, &format!("extern {} : {}", name.name, type_text(ty)));
            }
            Item::Const(decl) => self.decl(decl),
            Item::Func(func) => self.func(func),
        }
    }

    fn func(&mut self, func: &Func) {
        let kind = match func.kind {
            FuncKind::Plain => "func",
            FuncKind::Export => "export func",
            FuncKind::Extern => "extern func",
        };
        self.line(func.span, &format!("{kind} {}", func.name.name));
        self.inside(|d| {
            func.captures.iter().for_each(|p| d.param("capture", p));
            func.params.iter().for_each(|p| d.param("param", p));
            func.results.iter().for_each(|p| d.param("result", p));
            d.block("body", &func.body);
        });
    }

    fn param(&mut self, what: &str, param: &Param) {
        let text = format!("{what} {} : {}", param.name.name, type_text(&param.ty));
        self.line(param.name.span, &text);
    }

    fn decl(&mut self, decl: &Decl) {
        let word = if decl.is_var { "var" } else { "const" };
        let ty = decl.ty.as_ref().map_or(String::new(), |ty| format!(" : {}", type_text(ty)));
        self.line(decl.span, &format!("{word} {}{ty}", decl.name.name));
        self.inside(|d| match &decl.init {
            Some(Init::Expr(expr)) => d.expr(expr),
            Some(Init::List(items, span)) => {
                d.line(*span, "list");
                d.inside(|d| items.iter().for_each(|item| d.expr(item)));
            }
            None => {}
        });
    }

    fn block(&mut self, what: &str, body: &[Stmt]) {
        if body.is_empty() {
            return;
        }
        self.line(body[0].span, what);
        self.inside(|d| body.iter().for_each(|stmt| d.stmt(stmt)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Some(label) = &stmt.label {
            self.line(label.span, &format!("label {}", label.name));
        }
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::If { arms, otherwise } => {
                self.line(span, "if");
                self.inside(|d| {
                    for (cond, body) in arms {
                        d.expr(cond);
                        d.block("then", body);
                    }
                    d.block("else", otherwise.as_deref().unwrap_or_default());
                });
            }
            StmtKind::While { cond, body } => self.parts(span, "while", &[cond], body),
            StmtKind::DoWhile { body, cond } => self.parts(span, "do while", &[cond], body),
            StmtKind::For { parallel, var, low, high, body } => {
                let word = if *parallel { "par_for" } else { "for" };
                self.parts(span, &format!("{word} {}", var.name), &[low, high], body);
            }
            StmtKind::ForEach { parallel, var, members, body } => {
                let word = if *parallel { "par_for" } else { "for" };
                self.parts(span, &format!("{word} {} in", var.name), &[members], body);
            }
            StmtKind::Print(values) => self.exprs(span, "print", values),
            StmtKind::Break => self.line(span, "break"),
            StmtKind::Continue => self.line(span, "continue"),
            StmtKind::Delete(value) => self.parts(span, "delete", &[value], &[]),
            StmtKind::Assign { target, value } => self.parts(span, "assign", &[target, value], &[]),
            StmtKind::Reduce { target, op, value } => {
                let word = match op {
                    ReduceOp::Sum => "reduce +=",
                    ReduceOp::Min => "reduce min=",
                    ReduceOp::Max => "reduce max=",
                    ReduceOp::Or => "reduce |=",
                    ReduceOp::And => "reduce &=",
                    ReduceOp::AsyncMin => "reduce asyncMin=",
                    ReduceOp::AsyncMax => "reduce asyncMax=",
                };
                self.parts(span, word, &[target, value], &[]);
            }
            StmtKind::Expr(value) => self.expr(value),
            StmtKind::Empty => self.line(span, "empty"),
        }
    }

    fn parts(&mut self, span: Span, what: &str, exprs: &[&Expr], body: &[Stmt]) {
        self.line(span, what);
        self.inside(|d| {
            exprs.iter().for_each(|expr| d.expr(expr));
            d.block("body", body);
        });
    }

    fn exprs(&mut self, span: Span, what: &str, exprs: &[Expr]) {
        self.line(span, what);
        self.inside(|d| exprs.iter().for_each(|expr| d.expr(expr)));
    }

    fn expr(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value) => self.line(span, &format!("int {value}")),
            ExprKind::Large(value) => self.line(span, &format!("int {value}")),
            ExprKind::Float(value) => self.line(span, &format!("float {value:?}")),
            ExprKind::Bool(value) => self.line(span, &format!("bool {value}")),
            ExprKind::Str(value) => self.line(span, &format!("string {value:?}")),
            ExprKind::Name(name) => self.line(span, &format!("name {name}")),
            ExprKind::Unary { op, operand } => {
                let word = match op {
                    UnaryOp::Neg => "unary -",
                    UnaryOp::Plus => "unary +",
                    UnaryOp::Not => "unary not",
                    UnaryOp::BitNot => "unary ~",
                };
                self.parts(span, word, &[operand], &[]);
            }
            ExprKind::Binary { op, left, right } => {
                self.parts(span, &format!("binary {}", op.symbol()), &[left, right], &[]);
            }
            ExprKind::Word { op, left, right } => {
                self.parts(span, &format!("binary {}", op.symbol()), &[left, right], &[]);
            }
            ExprKind::Index { base, index } => self.parts(span, "index", &[base, index], &[]),
            ExprKind::Call { callee, args } => {
                self.line(span, &format!("call {}", callee.name.name));
                self.inside(|d| {
                    d.captures(callee);
                    args.iter().for_each(|arg| d.expr(arg));
                });
            }
            ExprKind::Method { receiver, name, args } => {
                self.line(span, &format!("method {}", name.name));
                self.inside(|d| {
                    d.expr(receiver);
                    args.iter().for_each(|arg| d.expr(arg));
                });
            }
            ExprKind::Field { receiver, name } => {
                self.parts(span, &format!("field {}", name.name), &[receiver], &[]);
            }
            ExprKind::Operator { receiver, op, func, tracked, disable_dedup, .. } => {
                let mut text = format!("{} {}", op.name(), func.name.name);
                if let Some(tracked) = tracked {
                    let _ = write!(text, " tracking {}", tracked.name);
                }
                if *disable_dedup == Some(true) {
                    text.push_str(" without dedup");
                }
                self.line(span, &text);
                self.inside(|d| {
                    d.captures(func);
                    d.expr(receiver);
                });
            }
            ExprKind::Groups(groups) => {
                let names = |refs: &[FuncRef]| refs.iter().map(|f| f.name.name.as_str()).collect::<Vec<_>>().join(" ");
                let text =
                    format!("groups by {} {} {}", groups.key.name.name, groups.combine.name, names(&groups.values));
                self.line(span, &format!("{} {} {}", text.trim(), groups.choice.name, names(&groups.args)));
                self.inside(|d| {
                    let refs = std::iter::once(&groups.key).chain(&groups.values).chain(&groups.args);
                    refs.for_each(|func| d.captures(func));
                    d.expr(&groups.receiver);
                });
            }
            ExprKind::Load { path, weight } => {
                let parts: Vec<&Expr> = std::iter::once(&**path).chain(weight.as_deref()).collect();
                self.parts(span, "load", &parts, &[]);
            }
            ExprKind::Intersection(args) => self.exprs(span, "intersection", args),
            ExprKind::IntersectNeighbor(args) => self.exprs(span, "intersectNeighbor", args),
            ExprKind::NewVertexSet { elem, size } => {
                self.line(span, &format!("new vertexset{{{}}}", elem.name));
                self.inside(|d| size.iter().for_each(|size| d.expr(size)));
            }
            ExprKind::NewList { item, .. } => {
                self.line(span, &format!("new list{{{}}}", type_text(item)));
            }
            ExprKind::NewEdgeSet { ty, vectors } => {
                self.line(span, &format!("new {}", type_text(ty)));
                self.inside(|d| vectors.iter().for_each(|vector| d.expr(vector)));
            }
            ExprKind::NewVector(ty) => self.line(span, &format!("new {}", type_text(ty))),
            ExprKind::NewPriorityQueue(queue) => {
                let text = format!(
                    "new priority_queue{{{}}}({}) on {} bucket_order={} priority_order={} all_queued={}",
                    queue.elem.name,
                    queue.priority,
                    queue.vector.name,
                    queue.bucket_order,
                    queue.priority_order,
                    queue.all_queued
                );
                self.parts(span, &text, &[&queue.start], &[]);
            }
            ExprKind::Error => self.line(span, "error"),
        }
    }

    fn captures(&mut self, func: &FuncRef) {
        if let Some(captures) = &func.captures {
            self.exprs(func.span, "captures", captures);
        }
    }
}

/// A written type in source spelling.
fn type_text(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeExprKind::Scalar(scalar) => scalar.to_string(),
        TypeExprKind::Named(name) => name.name.clone(),
        TypeExprKind::VertexSet(elem) => format!("vertexset{{{}}}", elem.name),
        TypeExprKind::EdgeSet { edge, src, dst, weight } => {
            let weight = weight.map_or(String::new(), |w| format!(",{w}"));
            format!("edgeset{{{}}}({},{}{weight})", edge.name, src.name, dst.name)
        }
        TypeExprKind::Vector { index, item } => {
            let item = type_text(item);
            match index {
                VectorIndex::Element(elem) => format!("vector{{{}}}({item})", elem.name),
                VectorIndex::Fixed(n) => format!("vector[{n}]({item})"),
                VectorIndex::Named(name) => format!("vector[{}]({item})", name.name),
            }
        }
        TypeExprKind::List(item) => format!("list{{{}}}", type_text(item)),
        TypeExprKind::PriorityQueue { elem, priority } => {
            format!("priority_queue{{{}}}({priority})", elem.name)
        }
        TypeExprKind::Error => "error".into(),
    }
}
