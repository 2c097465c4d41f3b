//! Global declarations and initialisers.

use super::scope::Frame;
use super::{Checked, Checker, Fail, Symbol};
use crate::ast::{self, Ast, Item};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{ExprKind, Global, Init};
use crate::types::{GlobalId, IndexKind, Type};

impl Checker {
    /// Checks the globals in order; an initialiser sees the globals above it and every function.
    pub(super) fn check_globals(&mut self, ast: &Ast) {
        let decls = || {
            ast.items.iter().filter_map(|item| match item {
                Item::Const(decl) => Some(decl),
                _ => None,
            })
        };
        for decl in decls() {
            self.places.entry(decl.name.name.clone()).or_insert(decl.name.span);
        }
        self.frame = Frame::default();
        for decl in decls() {
            let global = self.global(decl);
            let id = GlobalId(self.program.globals.len() as u32);
            let symbol = global.as_ref().map_or(Symbol::Poisoned, |_| Symbol::Global(id));
            if self.declare(&decl.name, symbol)
                && let Ok(mut global) = global
            {
                self.declare_view(id, &mut global);
                self.declare_links(id, &global);
                self.program.globals.push(global);
            }
        }
    }

    fn global(&mut self, decl: &ast::Decl) -> Checked<Global> {
        let declared = match &decl.ty {
            Some(ty) => Some(self.resolve_type(ty)?),
            None => None,
        };
        let mut init = self.initialiser(decl, declared.as_ref());
        let ty = match (declared, &init) {
            (Some(ty), _) => ty,
            (None, Ok(Some(Init::Value(value)))) => value.ty.clone(),
            (None, Ok(_)) => {
                let what = format!("`{}` needs a type or a value", decl.name.name);
                return Err(self.error(what, decl.name.span, "unknown type"));
            }
            (None, Err(Fail)) => return Err(Fail),
        };
        // A set that is not filled later stands for all vertices; `new vertexset{E}(k)` declares how many.
        if let Ok(Some(Init::Value(value))) = &mut init
            && let ExprKind::NewVertexSet { size, .. } = &mut value.kind
        {
            init = Ok(Some(Init::Universe((**size).clone())));
        }
        Ok(Global {
            universe: matches!(ty, Type::VertexSet(_)),
            name: decl.name.name.clone(),
            ty,
            // A faulty initialiser is already reported; the name stays known.
            init: init.unwrap_or(None),
            span: decl.name.span,
        })
    }

    /// The initialiser of a global or local, given the declared type if there is one.
    pub(super) fn initialiser(&mut self, decl: &ast::Decl, declared: Option<&Type>) -> Checked<Option<Init>> {
        let what = format!("the initialiser of `{}`", decl.name.name);
        let init = match &decl.init {
            None => return Ok(None),
            Some(init) => init,
        };
        match (init, declared) {
            (ast::Init::List(items, span), Some(ty)) => self.item_list(items, *span, ty, &what),
            (ast::Init::List(_, span), None) => Err(self.report(
                Diagnostic::error("a list of values needs a declared type", *span, "type unknown")
                    .help("write `: vector[n](type)` behind the name"),
            )),
            (ast::Init::Expr(expr @ ast::Expr { kind: ast::ExprKind::Load { .. }, .. }), Some(ty)) => {
                Ok(Some(Init::Value(self.value(expr, ty, &what)?)))
            }
            (ast::Init::Expr(expr), Some(ty)) if is_column(expr) => Ok(Some(Init::Value(self.value(expr, ty, &what)?))),
            (ast::Init::Expr(expr), Some(ty @ Type::Vector { .. })) => {
                let value = self.expr(expr, Some(ty.leaf()))?;
                if value.ty.numeric().is_some() {
                    let value = self.coerce(value, ty.leaf(), &what)?;
                    return Ok(Some(Init::Fill(value)));
                }
                Ok(Some(Init::Value(self.coerce(value, ty, &what)?)))
            }
            (ast::Init::Expr(expr), Some(ty)) => Ok(Some(Init::Value(self.value(expr, ty, &what)?))),
            (ast::Init::Expr(expr), None) => {
                let value = self.expr(expr, None)?;
                if value.ty == Type::Void {
                    return Err(self.error(format!("{what} gives no value"), value.span, "has no value"));
                }
                Ok(Some(Init::Value(value)))
            }
        }
    }

    fn item_list(&mut self, items: &[ast::Expr], span: Span, ty: &Type, what: &str) -> Checked<Option<Init>> {
        let Type::Vector { index: IndexKind::Fixed(n), item } = ty else {
            let shown = self.show(ty);
            return Err(self.error(
                format!("only a fixed-size vector takes a list of values, not {shown}"),
                span,
                "a list of values",
            ));
        };
        if items.len() != *n as usize {
            return Err(self.error(
                format!("{what} lists {} values for {n} entries", items.len()),
                span,
                "wrong number of values",
            ));
        }
        let values: Vec<_> = items.iter().map(|i| self.value(i, item, what)).collect();
        let values = values.into_iter().collect::<Checked<Vec<_>>>()?;
        Ok(Some(Init::Items(values)))
    }
}

/// Whether an expression reads a column of a table.
fn is_column(expr: &ast::Expr) -> bool {
    matches!(&expr.kind, ast::ExprKind::Method { name, .. } if name.name == "column")
}
