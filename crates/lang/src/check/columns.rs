//! Columns of tables: `edges.column("amount")`, `vertices.column("kind")`, the numbers of texts, and dates.

use super::expr::{builtin, node};
use super::{Checked, Checker};
use crate::ast;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, Var};
use crate::types::{ElemId, GlobalId, IndexKind, Scalar, Type};

impl Checker {
    /// A method that reads a column: `column(name [, missing])` or `code(name, text)`.
    pub(super) fn column_method(
        &mut self,
        method: Builtin,
        receiver: Expr,
        args: &[ast::Expr],
        span: Span,
        hint: Option<&Type>,
    ) -> Checked<Expr> {
        let (graph, element) = match &receiver.ty {
            Type::EdgeSet(edges) => (receiver.clone(), edges.edge),
            Type::VertexSet(element) => (self.graph_with(*element, receiver.span)?, *element),
            _ => return Err(self.error("columns are of edges or vertices", receiver.span, "neither")),
        };
        if method != Builtin::Column {
            self.count_args("code", span, args.len(), &[2])?;
            let (name, text) =
                (self.value(&args[0], &Type::STRING, "`code`"), self.value(&args[1], &Type::STRING, "`code`"));
            return Ok(builtin(method, vec![graph, name?, text?], Type::INT, span));
        }
        self.count_args("column", span, args.len(), &[1, 2])?;
        let name = self.value(&args[0], &Type::STRING, "`column`")?;
        let Some(Type::Vector { index, item }) = hint else {
            let of = &self.program.element(element).name;
            let help = format!("assign it to a vector: `const amount : vector{{{of}}}(double) = ...;`");
            return Err(self.report(
                Diagnostic::error("what this column is to be is not known here", span, "a vector of what?").help(help),
            ));
        };
        let wanted = Type::Vector { index: *index, item: item.clone() };
        if *index != IndexKind::Element(element) || item.numeric().is_none() {
            let (shown, of) = (self.show(&wanted), self.program.element(element).name.clone());
            return Err(self.report(
                Diagnostic::error(
                    format!("a column of `{of}` is a vector of numbers over `{of}`, but {shown} is wanted here"),
                    span,
                    format!("one value per `{of}`"),
                )
                .help(format!("declare it `vector{{{of}}}(double)`, or with another type of numbers")),
            ));
        }
        let mut all = vec![graph, name];
        if let Some(missing) = args.get(1) {
            all.push(self.value(missing, item, "what stands for a missing value")?);
        }
        Ok(builtin(Builtin::Column, all, wanted, span))
    }

    /// The first global graph whose vertices are of an element.
    fn graph_with(&mut self, element: ElemId, span: Span) -> Checked<Expr> {
        let mut globals = self.program.globals.iter().enumerate();
        let found = globals.find_map(|(id, global)| match &global.ty {
            Type::EdgeSet(edges) if edges.src == element || edges.dst == element => Some((id, global.ty.clone())),
            _ => None,
        });
        match found {
            Some((id, ty)) => Ok(node(ExprKind::Var(Var::Global(GlobalId(id as u32))), ty, span)),
            None => {
                let name = self.program.element(element).name.clone();
                Err(self.report(
                    Diagnostic::error(format!("`{name}` is no vertex of a graph of this program"), span, "no table")
                        .help("load the graph above: columns belong to a graph"),
                ))
            }
        }
    }

    /// `date(text)`, at top level or in `main`.
    pub(super) fn date(&mut self, text: &ast::Expr, span: Span) -> Checked<Expr> {
        let value = self.value(text, &Type::STRING, "`date`")?;
        if self.frame.function.as_deref().is_some_and(|name| name != "main") {
            return Err(self
                .report(Diagnostic::error("`date` is read once, before operators run", span, "in a function").help(
                    "give it a name at top level, `const since : int_64 = date(\"2026-11-01\");`, and use that",
                )));
        }
        Ok(builtin(Builtin::Date, vec![value], Type::Scalar(Scalar::Int64), span))
    }
}
