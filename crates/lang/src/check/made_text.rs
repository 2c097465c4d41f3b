//! Functions and statements that operators stand for, written as text.
//!
//! An operator that the machines do not know is written in the language itself. The text is parsed like a program, but
//! everything in it stands at the place of the operator, so that messages, profiles and explanations point there. Names
//! of its variables begin with `$` in the text and with [`DERIVED`] in the program, where no name of a user begins so.

use super::generic::Instance;
use super::{Checked, Checker, Fail, Symbol};
use crate::ast::{
    self, Expr, ExprKind, Func, FuncRef, Ident, Init, Item, Stmt, StmtKind, TypeExpr, TypeExprKind, VectorIndex,
};
use crate::parse::parse;
use crate::source::{SourceFile, Span};
use crate::types::{FuncId, Type};
use std::collections::HashMap;
use std::rc::Rc;

/// How names begin that the program does not have from its user. Vectors of such a name are no results.
pub const DERIVED: &str = "gw__";

impl Checker {
    /// Adds a function given as text; `types` has what names of types in it mean.
    pub(super) fn function_of_text(&mut self, text: &str, types: HashMap<String, Type>, at: Span) -> Checked<FuncId> {
        let func = functions(text, at).pop().ok_or(Fail)?;
        let before = std::mem::replace(&mut self.types, types.clone());
        let signature = self.signature(&func);
        self.types = before;
        let id = FuncId(self.signatures.len() as u32);
        self.symbols.insert(func.name.name.clone(), Symbol::Func(id));
        self.push_function(func.name.name.clone(), &func, signature);
        self.instances.push(Instance::new(id, Rc::new(func), types));
        Ok(id)
    }

    /// A name for a made function: `stem`, or `stem` and a number.
    pub(super) fn free_name(&self, stem: &str) -> String {
        let taken = |name: &String| self.symbols.contains_key(name) || self.places.contains_key(name);
        let mut names = (1..).map(|n| if n == 1 { stem.to_string() } else { format!("{stem}_{n}") });
        names.find(|name| !taken(name)).unwrap_or_default()
    }
}

/// Statements given as text.
pub(super) fn statements(text: &str, at: Span) -> Vec<Stmt> {
    functions(&format!("func $made()\n{text}\nend\n"), at).pop().map_or(Vec::new(), |func| func.body)
}

fn functions(text: &str, at: Span) -> Vec<Func> {
    let source = SourceFile::single("made".into(), text.replace('$', DERIVED));
    let (ast, findings) = parse(&source);
    debug_assert!(findings.is_empty(), "{findings:?} in\n{}", source.text);
    let funcs = ast.items.into_iter().filter_map(|item| match item {
        Item::Func(func) => Some(func),
        _ => None,
    });
    funcs.map(|func| Place(at).func(func)).collect()
}

/// Moves a tree to one place.
struct Place(Span);

impl Place {
    fn func(&self, mut func: Func) -> Func {
        func.span = self.0;
        func.name.span = self.0;
        for param in func.captures.iter_mut().chain(&mut func.params).chain(&mut func.results) {
            param.name.span = self.0;
            self.ty(&mut param.ty);
        }
        self.block(&mut func.body);
        func
    }

    fn ident(&self, ident: &mut Ident) {
        ident.span = self.0;
    }

    fn ty(&self, ty: &mut TypeExpr) {
        ty.span = self.0;
        match &mut ty.kind {
            TypeExprKind::Named(name) | TypeExprKind::VertexSet(name) => self.ident(name),
            TypeExprKind::Vector { index, item } => {
                if let VectorIndex::Element(name) = index {
                    self.ident(name);
                }
                self.ty(item);
            }
            _ => {}
        }
    }

    fn block(&self, block: &mut [Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&self, stmt: &mut Stmt) {
        stmt.span = self.0;
        stmt.label.iter_mut().for_each(|label| self.ident(label));
        match &mut stmt.kind {
            StmtKind::Decl(decl) => {
                decl.span = self.0;
                self.ident(&mut decl.name);
                decl.ty.iter_mut().for_each(|ty| self.ty(ty));
                if let Some(Init::Expr(value)) = &mut decl.init {
                    self.expr(value);
                }
            }
            StmtKind::If { arms, otherwise } => {
                for (cond, body) in arms {
                    self.expr(cond);
                    self.block(body);
                }
                otherwise.iter_mut().for_each(|body| self.block(body));
            }
            StmtKind::While { cond, body } => {
                self.expr(cond);
                self.block(body);
            }
            StmtKind::For { var, low, high, body, .. } => {
                self.ident(var);
                self.expr(low);
                self.expr(high);
                self.block(body);
            }
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                self.expr(target);
                self.expr(value);
            }
            StmtKind::Delete(value) | StmtKind::Expr(value) => self.expr(value),
            _ => {}
        }
    }

    fn func_ref(&self, func: &mut FuncRef) {
        func.span = self.0;
        self.ident(&mut func.name);
        func.captures.iter_mut().flatten().for_each(|value| self.expr(value));
    }

    fn expr(&self, expr: &mut Expr) {
        expr.span = self.0;
        match &mut expr.kind {
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
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
            ExprKind::Method { receiver, name, args } => {
                self.expr(receiver);
                self.ident(name);
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
            ExprKind::Operator { receiver, op_span, func, .. } => {
                self.expr(receiver);
                *op_span = self.0;
                self.func_ref(func);
            }
            ExprKind::IntersectNeighbor(args) | ExprKind::Intersection(args) => {
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
            _ => {}
        }
    }
}

/// `receiver.apply(func[captures])` at a place.
pub(super) fn applied(receiver: &str, func: &str, captures: Vec<Expr>, at: Span) -> Expr {
    let name = Ident { name: func.to_string(), span: at };
    let captures = (!captures.is_empty()).then_some(captures);
    let kind = ExprKind::Operator {
        receiver: Box::new(Expr { kind: ExprKind::Name(receiver.to_string()), span: at }),
        op: ast::OperatorKind::Apply,
        op_span: at,
        func: FuncRef { name, captures, span: at },
        tracked: None,
        tracked_field: None,
        disable_dedup: None,
    };
    Expr { kind, span: at }
}
