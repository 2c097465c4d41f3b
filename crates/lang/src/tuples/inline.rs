//! Functions that give tuples: their statements stand in place of a call.
//!
//! There is no `return` in the language, so the body of a function is a block like any other. Its locals get names that
//! nothing else has.

use super::{Compound, Expander, Fail, Local, Shape};
use crate::ast::{Decl, Expr, Func, FuncRef, Ident, Init, Param, Stmt, StmtKind};
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// Calls inside calls, and statements in all: where each function calls the next one twice, a short program would
/// become larger than memory.
const DEEPEST: usize = 16;
const MOST_CALLS: usize = 2_000;

impl<'a> Expander<'a> {
    /// Puts the statements of a call into `out`; the fields of the result.
    pub(super) fn inline(
        &mut self,
        function: &'a Func,
        callee: &FuncRef,
        args: &[Expr],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Result<Vec<Expr>, Fail> {
        let name = function.name.name.as_str();
        if self.inlining.contains(&name) {
            let help = "use a loop, or let the function assign a global";
            return Err(self.error(format!("`{name}` gives a tuple and calls itself"), span, "calls itself", help));
        }
        self.calls += 1;
        if self.inlining.len() >= DEEPEST || self.calls > MOST_CALLS {
            let help = "let a function assign a global tuple instead of giving one";
            let message = format!("with `{name}` and all it calls in place, the program grows too large");
            return Err(self.error(message, span, "too many calls", help));
        }
        for generic in &function.generics {
            let help = "declare it for one type";
            self.error("a function that gives a tuple has no parameters for types", generic.span, "a type", help);
        }
        let given = callee.captures.as_deref().unwrap_or_default();
        for (word, wanted, given, span) in [
            ("captures", function.captures.len(), given.len(), callee.span),
            ("arguments", function.params.len(), args.len(), span),
        ] {
            if wanted != given {
                let help = format!("it has {wanted} {word}");
                return Err(self.error(format!("`{name}` is given {given} {word}"), span, "wrong number", help));
            }
        }
        self.inlined.insert(name);
        // What the call is given is worked out before the names of the function count.
        let mut scope = HashMap::new();
        let params = function.captures.iter().chain(&function.params);
        for (param, value) in params.zip(given.iter().chain(args)) {
            self.give(param, value, span, &mut scope, out);
        }
        let scopes = std::mem::replace(&mut self.scopes, vec![scope]);
        self.outer.push(names_of(&scopes));
        self.inlining.push(name);
        let result = function.results.first().ok_or(Fail);
        let fields = match (result, self.result_tuple(function)) {
            (Ok(result), Some(tuple)) => {
                let fields = self.fresh_result(result, &tuple);
                out.extend(fields);
                let compound = match self.local(&result.name.name) {
                    Some(Local::Tuple(compound)) => Some(compound.clone()),
                    _ => None,
                };
                compound.map(|compound| self.all_of(&compound, span)).ok_or(Fail)
            }
            _ => Err(Fail),
        };
        let mut body = self.block(&function.body);
        if let Some(label) = first_label(&function.body) {
            let help = "let a function without a result do the labelled work";
            self.error("a function that gives a tuple has no labels", label.span, "a label", help);
        }
        out.append(&mut body);
        self.inlining.pop();
        self.outer.pop();
        self.scopes = scopes;
        fields
    }

    /// Declares the variables of a result, all zero, and binds its name.
    pub(super) fn fresh_result(&mut self, result: &Param, tuple: &str) -> Vec<Stmt> {
        let compound = self.new_compound(&result.name.name, Shape { tuple: tuple.to_string(), depth: 0 });
        let span = result.name.span;
        let declared = compound.names.iter().zip(self.fields(tuple)).map(|(name, field)| {
            let name = Ident { name: name.clone(), span };
            let decl = Decl { is_var: true, name, ty: Some(field.ty.clone()), init: None, span };
            Stmt { label: None, kind: StmtKind::Decl(decl), span }
        });
        let declared = declared.collect();
        self.bind(&result.name.name, Local::Tuple(compound));
        declared
    }

    /// Gives a parameter its value: a variable of its own, so that the function may change it.
    fn give(
        &mut self,
        param: &Param,
        value: &Expr,
        span: Span,
        scope: &mut HashMap<String, Local>,
        out: &mut Vec<Stmt>,
    ) {
        let mut declare = |name: String, ty, value| {
            let name = Ident { name, span: param.name.span };
            let decl = Decl { is_var: true, name, ty: Some(ty), init: Some(Init::Expr(value)), span };
            out.push(Stmt { label: None, kind: StmtKind::Decl(decl), span });
        };
        let name = &param.name.name;
        let Some(shape) = self.shape(&param.ty) else {
            let value = self.expr(value);
            // What is shared is used under the name that it has.
            if is_shared(param)
                && let crate::ast::ExprKind::Name(known) = &value.kind
            {
                scope.insert(name.clone(), Local::Plain(known.clone()));
                return;
            }
            let now = self.fresh(name);
            declare(now.clone(), param.ty.clone(), value);
            scope.insert(name.clone(), Local::Plain(now));
            return;
        };
        let values = self.compound_value(value, &shape);
        let fields = self.fields(&shape.tuple);
        if shape.depth > 0 {
            let names = values.into_iter().filter_map(|value| match value.kind {
                crate::ast::ExprKind::Name(name) => Some(name),
                _ => None,
            });
            let names: Vec<String> = names.collect();
            if names.len() == fields.len() {
                scope.insert(name.clone(), Local::Tuple(Compound { shape, names }));
            } else {
                let help = "hand the whole vector on, and the index beside it";
                self.error("a row of tuples cannot be handed on", span, "a row", help);
            }
            return;
        }
        let names: Vec<String> =
            fields.iter().map(|field| self.fresh(&format!("{name}_{}", field.name.name))).collect();
        for ((name, field), value) in names.iter().zip(fields).zip(values) {
            declare(name.clone(), field.ty.clone(), value);
        }
        scope.insert(name.clone(), Local::Tuple(Compound { shape, names }));
    }
}

/// A label in a block or in the blocks inside it.
fn first_label(block: &[Stmt]) -> Option<&Ident> {
    block.iter().find_map(|stmt| {
        let inner = match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                let arms = arms.iter().find_map(|(_, body)| first_label(body));
                arms.or_else(|| first_label(otherwise.as_deref().unwrap_or_default()))
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ForEach { body, .. } => first_label(body),
            _ => None,
        };
        stmt.label.as_ref().or(inner)
    })
}

/// Whether values of a parameter are shared with the caller: vectors, sets, lists, queues and graphs.
fn is_shared(param: &Param) -> bool {
    use crate::ast::TypeExprKind;
    !matches!(param.ty.kind, TypeExprKind::Scalar(_) | TypeExprKind::Named(_))
}

/// The names that the locals of some scopes have now.
fn names_of(scopes: &[HashMap<String, Local>]) -> HashSet<String> {
    let locals = scopes.iter().flat_map(HashMap::values);
    locals
        .flat_map(|local| match local {
            Local::Plain(name) => vec![name.clone()],
            Local::Tuple(compound) => compound.names.clone(),
        })
        .collect()
}
