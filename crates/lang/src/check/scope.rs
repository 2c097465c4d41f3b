//! Names in scope inside one function (or global initialiser).

use super::{Checked, Checker, Signature, Symbol};
use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::suggest::nearest;
use crate::typed::{Local, LocalKind, Var};
use crate::types::{GlobalId, LocalId, Type};
use std::collections::HashMap;

/// The loops around a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loop {
    Sequential,
    Parallel,
}

/// State of the function being checked.
#[derive(Default)]
pub(super) struct Frame {
    /// The function's name; `None` in a global initialiser.
    pub(super) function: Option<String>,
    pub(super) locals: Vec<Local>,
    /// Innermost last. A name without an id had a faulty declaration.
    scopes: Vec<HashMap<String, Option<LocalId>>>,
    pub(super) loops: Vec<Loop>,
}

impl Frame {
    /// A frame whose outermost scope holds captures, parameters and result.
    pub(super) fn function(signature: &Signature, locals: Vec<Local>) -> Frame {
        let names = locals.iter().enumerate().map(|(at, local)| {
            let known = local.ty != Type::Void;
            (local.name.clone(), known.then_some(LocalId(at as u32)))
        });
        Frame { function: Some(signature.name.clone()), scopes: vec![names.collect()], locals, loops: Vec::new() }
    }
}

/// What a name in an expression means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Var(Var),
    Symbol(Symbol),
}

impl Checker {
    pub(super) fn enter(&mut self) {
        self.frame.scopes.push(HashMap::new());
    }

    pub(super) fn leave(&mut self) {
        self.frame.scopes.pop();
    }

    /// Adds a local to the innermost scope.
    pub(super) fn add_local(&mut self, name: &Ident, ty: Type, kind: LocalKind) -> LocalId {
        let id = LocalId(self.frame.locals.len() as u32);
        self.frame.locals.push(Local { name: name.name.clone(), ty, kind, span: name.span });
        self.bind(name, Some(id));
        id
    }

    /// Keeps later uses of a variable whose declaration failed from being reported as unknown.
    pub(super) fn poison(&mut self, name: &Ident) {
        self.bind(name, None);
    }

    fn bind(&mut self, name: &Ident, id: Option<LocalId>) {
        let depth = self.frame.scopes.len();
        let Some(scope) = self.frame.scopes.last_mut() else {
            return;
        };
        let earlier = scope.insert(name.name.clone(), id).flatten();
        if let Some(earlier) = earlier {
            let first = self.frame.locals[earlier.0 as usize].span;
            self.report(
                Diagnostic::error(
                    format!("`{}` is declared twice in this block", name.name),
                    name.span,
                    "declared again here",
                )
                .also(first, "first declared here"),
            );
        } else if depth == 2
            && let Some(Some(outer)) = self.frame.scopes[0].get(&name.name)
            && self.frame.locals[outer.0 as usize].kind == LocalKind::Result
        {
            let first = self.frame.locals[outer.0 as usize].span;
            self.report(
                Diagnostic::warning(
                    format!("`{}` hides the function's result of the same name", name.name),
                    name.span,
                    "a new variable",
                )
                .also(first, "the result"),
            );
        }
    }

    /// The meaning of a name, or an error with the nearest known one.
    pub(super) fn lookup(&mut self, name: &str, span: Span) -> Checked<Meaning> {
        for scope in self.frame.scopes.iter().rev() {
            match scope.get(name) {
                Some(Some(id)) => return Ok(Meaning::Var(Var::Local(*id))),
                Some(None) => return Err(super::Fail),
                None => {}
            }
        }
        match self.symbols.get(name) {
            Some(Symbol::Global(id)) => Ok(Meaning::Var(Var::Global(*id))),
            Some(Symbol::Poisoned) => Err(super::Fail),
            Some(symbol) => Ok(Meaning::Symbol(*symbol)),
            None => Err(self.unknown(name, span)),
        }
    }

    fn unknown(&mut self, name: &str, span: Span) -> super::Fail {
        if let Some(place) = self.places.get(name) {
            let place = *place;
            return self.report(
                Diagnostic::error(format!("`{name}` is used before it is declared"), span, "not declared yet")
                    .also(place, "declared here")
                    .help("move its declaration above this one"),
            );
        }
        if self.saturated() {
            return super::Fail;
        }
        let mut known: Vec<&str> = Vec::new();
        for scope in &self.frame.scopes {
            known.extend(scope.keys().map(String::as_str));
        }
        known.extend(self.symbols.keys().map(String::as_str));
        let near = nearest(name, known).map(str::to_string);
        let message = format!("`{name}` is not declared");
        let mut diagnostic = Diagnostic::error(message, span, "unknown name").did_you_mean(near.as_deref());
        if let Some(advice) = crate::advice::value(name) {
            diagnostic = diagnostic.help(advice);
        }
        self.report(diagnostic)
    }

    /// True if the name is a variable in scope (never reports).
    pub(super) fn is_variable(&self, name: &str) -> bool {
        let local = self.frame.scopes.iter().any(|scope| scope.contains_key(name));
        local || matches!(self.symbols.get(name), Some(Symbol::Global(_) | Symbol::Poisoned))
    }

    pub(super) fn var_type(&self, var: Var) -> &Type {
        match var {
            Var::Global(GlobalId(id)) => &self.program.globals[id as usize].ty,
            Var::Local(LocalId(id)) => &self.frame.locals[id as usize].ty,
        }
    }
}
