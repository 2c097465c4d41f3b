//! The names that a declaration takes from outside: everything it mentions that is not a local of its own.

use crate::ast::*;
use crate::source::Span;
use std::collections::HashSet;

/// A name that is not a local where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mention {
    /// The name as written, with its module in front if there is one.
    pub(super) name: String,
    pub(super) span: Span,
    /// The edge function, where this is the vector that `applyModified` tracks: a capture of the function comes first.
    pub(super) tracked_by: Option<String>,
    /// A local has the name of the module that qualifies this name.
    pub(super) hidden_module: bool,
}

/// The name that an item declares.
pub(crate) fn declared(item: &Item) -> &Ident {
    match item {
        Item::Element { name, .. } | Item::Tuple { name, .. } | Item::ExternVar { name, .. } => name,
        Item::Const(decl) => &decl.name,
        Item::Func(func) => &func.name,
    }
}

/// The whole text of an item.
pub(super) fn item_span(item: &Item) -> Span {
    match item {
        Item::Element { span, .. } | Item::Tuple { span, .. } | Item::ExternVar { span, .. } => *span,
        Item::Const(decl) => decl.span,
        Item::Func(func) => func.span,
    }
}

/// The names that an item mentions and does not declare, and the names of its locals.
pub(super) fn mentions(item: &Item) -> (Vec<Mention>, Vec<Ident>) {
    let mut walk = Walk::default();
    match item {
        Item::Element { fields, .. } | Item::Tuple { fields, .. } => fields.iter().for_each(|field| walk.ty(&field.ty)),
        Item::ExternVar { ty, .. } => walk.ty(ty),
        Item::Const(decl) => walk.decl(decl),
        Item::Func(func) => walk.func(func),
    }
    (walk.found, walk.locals)
}

/// All names that a program declares or mentions.
pub(crate) fn all_names(ast: &Ast) -> HashSet<String> {
    let mut names = HashSet::new();
    for item in &ast.items {
        let (mentions, locals) = mentions(item);
        names.insert(declared(item).name.clone());
        names.extend(mentions.into_iter().map(|mention| mention.name));
        names.extend(locals.into_iter().map(|local| local.name));
    }
    names
}

#[derive(Default)]
struct Walk {
    /// Locals, innermost scope last.
    scopes: Vec<HashSet<String>>,
    found: Vec<Mention>,
    locals: Vec<Ident>,
}

impl Walk {
    fn is_local(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn mention(&mut self, name: &str, span: Span, tracked_by: Option<&str>) {
        let qualifier = name.split_once('.').map(|(module, _)| module);
        if qualifier.is_none() && self.is_local(name) {
            return;
        }
        self.found.push(Mention {
            name: name.to_string(),
            span,
            tracked_by: tracked_by.map(str::to_string),
            hidden_module: qualifier.is_some_and(|module| self.is_local(module)),
        });
    }

    fn ident(&mut self, ident: &Ident) {
        self.mention(&ident.name, ident.span, None);
    }

    fn local(&mut self, name: &Ident) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.name.clone());
            self.locals.push(name.clone());
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        self.scopes.push(HashSet::new());
        stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.scopes.pop();
    }

    fn func(&mut self, func: &Func) {
        self.scopes.push(HashSet::new());
        func.generics.iter().for_each(|name| self.local(name));
        let all = || func.captures.iter().chain(&func.params).chain(&func.results);
        all().for_each(|param| self.ty(&param.ty));
        all().for_each(|param| self.local(&param.name));
        self.block(&func.body);
        self.scopes.pop();
    }

    /// A declaration; its initialiser does not see the name.
    fn decl(&mut self, decl: &Decl) {
        if let Some(ty) = &decl.ty {
            self.ty(ty);
        }
        match &decl.init {
            Some(Init::Expr(value)) => self.expr(value),
            Some(Init::List(values, _)) => values.iter().for_each(|value| self.expr(value)),
            None => {}
        }
        self.local(&decl.name);
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Scalar(_) | TypeExprKind::Error => {}
            TypeExprKind::Named(name) | TypeExprKind::VertexSet(name) => self.ident(name),
            TypeExprKind::EdgeSet { edge, src, dst, weight: _ } => {
                self.ident(edge);
                self.ident(src);
                self.ident(dst);
            }
            TypeExprKind::Vector { index, item } => {
                if let VectorIndex::Element(name) | VectorIndex::Named(name) = index {
                    self.ident(name);
                }
                self.ty(item);
            }
            TypeExprKind::List(item) => self.ty(item),
            TypeExprKind::PriorityQueue { elem, .. } => self.ident(elem),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::If { arms, otherwise } => {
                for (cond, body) in arms {
                    self.expr(cond);
                    self.block(body);
                }
                if let Some(body) = otherwise {
                    self.block(body);
                }
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.expr(cond);
                self.block(body);
            }
            StmtKind::For { var, low, high, body, .. } => {
                self.expr(low);
                self.expr(high);
                self.loop_over(var, body);
            }
            StmtKind::ForEach { var, members, body, .. } => {
                self.expr(members);
                self.loop_over(var, body);
            }
            StmtKind::Print(values) => values.iter().for_each(|value| self.expr(value)),
            StmtKind::Delete(value) | StmtKind::Expr(value) => self.expr(value),
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Empty => {}
        }
    }

    fn loop_over(&mut self, var: &Ident, body: &[Stmt]) {
        self.scopes.push(HashSet::new());
        self.local(var);
        self.block(body);
        self.scopes.pop();
    }

    fn func_ref(&mut self, func: &FuncRef) {
        self.ident(&func.name);
        func.captures.iter().flatten().for_each(|value| self.expr(value));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Large(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Error => {}
            ExprKind::Name(name) => self.mention(name, expr.span, None),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { left, right, .. } | ExprKind::Word { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Index { base, index } => {
                self.expr(base);
                self.expr(index);
            }
            ExprKind::Call { callee, args } => {
                self.func_ref(callee);
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Method { receiver, args, .. } => {
                self.expr(receiver);
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Field { receiver, .. } => self.expr(receiver),
            ExprKind::Operator { receiver, func, tracked, .. } => {
                self.expr(receiver);
                self.func_ref(func);
                if let Some(vector) = tracked {
                    self.mention(&vector.name, vector.span, Some(&func.name.name));
                }
            }
            ExprKind::Groups(groups) => {
                self.expr(&groups.receiver);
                let named = [&groups.key].into_iter().chain(&groups.values).chain(&groups.args);
                named.for_each(|func| self.func_ref(func));
            }
            ExprKind::Load { path, weight } => {
                self.expr(path);
                weight.iter().for_each(|weight| self.expr(weight));
            }
            ExprKind::Intersection(args) | ExprKind::IntersectNeighbor(args) => {
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::NewVertexSet { elem, size } => {
                self.ident(elem);
                size.iter().for_each(|size| self.expr(size));
            }
            ExprKind::NewList { item, size } => {
                self.ty(item);
                size.iter().for_each(|size| self.expr(size));
            }
            ExprKind::NewEdgeSet { ty, vectors } => {
                self.ty(ty);
                vectors.iter().for_each(|vector| self.expr(vector));
            }
            ExprKind::NewVector(ty) => self.ty(ty),
            ExprKind::NewPriorityQueue(queue) => {
                self.ident(&queue.elem);
                self.ident(&queue.vector);
                self.expr(&queue.start);
            }
        }
    }
}
