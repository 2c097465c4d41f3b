//! `load`: graphs, and values of vertices, by the type of what they are assigned to.

use super::expr::node;
use super::{Checked, Checker};
use crate::ast;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind};
use crate::types::{EdgeSetType, IndexKind, Type};

impl Checker {
    /// `load(path)` and `load(path, weight)`, where a value of type `hint` is wanted.
    pub(super) fn load(
        &mut self,
        path: &ast::Expr,
        weight: Option<&ast::Expr>,
        span: Span,
        hint: Option<&Type>,
    ) -> Checked<Expr> {
        let path = Box::new(self.value(path, &Type::STRING, "`load`")?);
        let Some(wanted) = hint else {
            return Err(self.report(
                Diagnostic::error("what to load is not known here", span, "a graph, or values of vertices?")
                    .help("assign it to a variable of an edgeset type, or of a vector type over vertices"),
            ));
        };
        let weight = match (wanted, weight) {
            (Type::EdgeSet(EdgeSetType { weight: Some(scalar), .. }), Some(weight)) => {
                Some(Box::new(self.value(weight, &Type::Scalar(*scalar), "the weight of edges without one")?))
            }
            (Type::EdgeSet(_), None) => None,
            (Type::EdgeSet(_), Some(weight)) => {
                return Err(self.report(
                    Diagnostic::error("the edges of this edgeset have no weights", weight.span, "a weight")
                        .help("declare them: `edgeset{Edge}(Vertex,Vertex,int)`"),
                ));
            }
            (Type::Vector { .. }, Some(weight)) => {
                return Err(self.error("values of vertices have no weights", weight.span, "leave this out"));
            }
            (Type::Vector { index: IndexKind::Element(_), item }, None) => {
                self.loadable(item, span)?;
                None
            }
            (other, _) => {
                let shown = self.show(other);
                return Err(self.error(
                    format!("`load` reads a graph or values of vertices, but {shown} is wanted here"),
                    span,
                    "reads an edgeset, or a vector over vertices",
                ));
            }
        };
        Ok(node(ExprKind::Load { path, weight }, wanted.clone(), span))
    }

    /// Entries that can be read: numbers, truth values, and rows of them.
    fn loadable(&mut self, item: &Type, span: Span) -> Checked<()> {
        match item {
            Type::Scalar(_) if item.numeric().is_some() => Ok(()),
            Type::Vector { item, .. } => self.loadable(item, span),
            other => {
                let shown = self.show(other);
                let message = format!("`load` reads numbers, but this vector is of {shown}");
                Err(self.report(Diagnostic::error(message, span, "reads numbers").help("declare its entries `int`")))
            }
        }
    }
}
