//! The validator: which modules are well formed.
//!
//! Every pass may rely on these rules and must keep them; the pipeline checks that after each pass in debug builds.

mod exprs;
mod groups;
mod operators;
mod stmts;

use crate::module::{Function, FunctionKind, Module, Param};
use crate::source::{Name, Span};
use crate::types::{Domain, Scalar, Type};
use std::collections::{HashMap, HashSet};

/// A rule that a module breaks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ValidateError {
    /// `start-up`, `global x` or `function f`, with the source line when it is known.
    pub place: String,
    /// Where in the source.
    pub span: Span,
    /// What is wrong.
    pub problem: Problem,
}

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A name that is not declared, or not visible here.
    #[error("unknown {what} `{name}`")]
    Unknown {
        /// Kind of name.
        what: &'static str,
        /// The name.
        name: Name,
    },
    /// A name declared twice, or one that hides a global.
    #[error("`{0}` is declared twice")]
    Duplicate(Name),
    /// A name that the text form cannot hold.
    #[error("`{0}` is not an identifier")]
    Identifier(Name),
    /// Types that do not fit together.
    #[error("{what} must be {expected}, not {found}")]
    Type {
        /// What has the wrong type.
        what: String,
        /// What would fit.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The stored type of an expression is not the one its children give.
    #[error("{0}")]
    Stored(String),
    /// An operator or call whose function does not fit it.
    #[error("{0}")]
    Signature(String),
    /// Metadata that contradicts the arguments.
    #[error("{0}")]
    Metadata(String),
    /// A node where it must not stand.
    #[error("{0}")]
    Placement(String),
}

/// Checks every rule; all breaches are returned, in order of the module.
pub fn validate(module: &Module) -> Result<(), Vec<ValidateError>> {
    let mut checker = Checker::new(module);
    checker.module();
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

/// The state of the validator.
struct Checker<'m> {
    module: &'m Module,
    globals: HashMap<&'m str, &'m Type>,
    universes: HashSet<&'m str>,
    functions: HashMap<&'m str, &'m Function>,
    /// Names visible now with their types.
    visible: Vec<HashMap<Name, Type>>,
    /// Names declared anywhere in the present function.
    declared: HashSet<Name>,
    /// The function being checked; `None` in start-up and globals.
    function: Option<&'m Function>,
    place: String,
    span: Span,
    loops: usize,
    errors: Vec<ValidateError>,
}

impl<'m> Checker<'m> {
    fn new(module: &'m Module) -> Self {
        Checker {
            module,
            globals: module.globals.iter().map(|g| (&*g.name, &g.ty)).collect(),
            universes: module.globals.iter().filter(|g| g.universe).map(|g| &*g.name).collect(),
            functions: module.functions.iter().map(|f| (&*f.name, f)).collect(),
            visible: Vec::new(),
            declared: HashSet::new(),
            function: None,
            place: String::new(),
            span: Span::NONE,
            loops: 0,
            errors: Vec::new(),
        }
    }

    fn report(&mut self, problem: Problem) {
        let place =
            if self.span.line > 0 { format!("{} (line {})", self.place, self.span.line) } else { self.place.clone() };
        self.errors.push(ValidateError { place, span: self.span, problem });
    }

    fn type_error(&mut self, what: impl Into<String>, expected: impl Into<String>, found: &Type) {
        self.report(Problem::Type { what: what.into(), expected: expected.into(), found: found.to_string() });
    }

    fn need_same(&mut self, what: &str, expected: &Type, found: &Type) {
        if !expected.same_representation(found) {
            self.type_error(what, expected.to_string(), found);
        }
    }

    fn unknown(&mut self, what: &'static str, name: &Name) {
        self.report(Problem::Unknown { what, name: name.clone() });
    }

    fn identifier(&mut self, name: &Name) {
        let fine = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !fine {
            self.report(Problem::Identifier(name.clone()));
        }
    }

    fn module(&mut self) {
        self.place = "module".into();
        let mut seen: HashSet<&str> = HashSet::new();
        for element in &self.module.elements {
            self.identifier(element);
            if !seen.insert(element) {
                self.report(Problem::Duplicate(element.clone()));
            }
        }
        let mut seen: HashSet<&str> = HashSet::new();
        for global in &self.module.globals {
            self.place = format!("global {}", global.name);
            self.span = global.span;
            self.identifier(&global.name);
            if !seen.insert(&global.name) {
                self.report(Problem::Duplicate(global.name.clone()));
            }
            self.known_type(&global.ty);
            self.global_init(global);
        }
        self.place = "start-up".into();
        self.span = Span::NONE;
        self.declared.clear();
        self.block(&self.module.startup);
        let mut seen: HashSet<&str> = HashSet::new();
        let mut mains = 0;
        for function in &self.module.functions {
            self.place = format!("function {}", function.name);
            self.span = function.span;
            if !seen.insert(&function.name) {
                self.report(Problem::Duplicate(function.name.clone()));
            }
            mains += usize::from(function.kind == FunctionKind::Main);
            if mains > 1 {
                self.report(Problem::Placement("a module has at most one main function".into()));
            }
            self.function(function);
        }
    }

    fn function(&mut self, function: &'m Function) {
        self.function = Some(function);
        self.declared.clear();
        self.loops = 0;
        self.identifier(&function.name);
        let mut scope = HashMap::new();
        for Param { name, ty } in function.captures.iter().chain(&function.params).chain(&function.result) {
            self.declare(name);
            self.known_type(ty);
            scope.insert(name.clone(), ty.clone());
        }
        match (&function.body, function.kind) {
            (None, FunctionKind::Extern) => {}
            (None, _) => self.report(Problem::Placement("only extern functions have no body".into())),
            (Some(_), FunctionKind::Extern) => {
                self.report(Problem::Placement("an extern function has no body".into()));
            }
            (Some(body), kind) => {
                if kind == FunctionKind::Main && !(function.params.is_empty() && function.captures.is_empty()) {
                    self.report(Problem::Placement("main takes no parameters".into()));
                }
                self.visible.push(scope);
                self.block(body);
                self.visible.pop();
            }
        }
        self.function = None;
    }

    fn declare(&mut self, name: &Name) {
        self.identifier(name);
        if self.globals.contains_key(&**name) || !self.declared.insert(name.clone()) {
            self.report(Problem::Duplicate(name.clone()));
        }
    }

    /// Elements named by a type exist, and items are allowed where they stand.
    fn known_type(&mut self, ty: &Type) {
        let mut elements: Vec<&Name> = Vec::new();
        match ty {
            Type::Void => self.report(Problem::Placement("nothing can have type void".into())),
            Type::Scalar(_) => {}
            Type::Vertex(e) | Type::VertexSet(e) | Type::PriorityQueue { element: e, .. } => elements.push(e),
            Type::EdgeSet { edge, source, target, .. } => elements.extend([edge, source, target]),
            Type::Vector { domain, item } => {
                match domain {
                    Domain::Element(e) => elements.push(e),
                    Domain::Fixed(_) => {}
                    Domain::Counted(name) => match self.globals.get(&**name) {
                        Some(ty) if ty.scalar().is_some_and(Scalar::is_whole) => {}
                        Some(ty) => self.type_error("the length of a vector", "a whole number", ty),
                        None => self.unknown("global", name),
                    },
                }
                match &**item {
                    Type::Scalar(_) | Type::Vertex(_) => {}
                    Type::Vector { item: cell, .. } if !cell.is_reference() => {}
                    other => self.type_error("an entry of a vector", "a scalar, a vertex or a row of those", other),
                }
                self.known_type(item);
            }
            Type::List(item) => self.known_type(item),
        }
        for element in elements {
            if !self.module.elements.contains(element) {
                self.unknown("element", element);
            }
        }
    }

    fn lookup(&self, name: &str) -> Option<&Type> {
        self.visible.iter().rev().find_map(|scope| scope.get(name)).or_else(|| self.globals.get(name).copied())
    }
}
