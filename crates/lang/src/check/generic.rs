//! Functions with parameters for types: `func far<V>[hops : vector{V}(int)](v : V) -> yes : bool`.
//!
//! A parameter stands for an element, or for the type of a value. What it is in a use of the function follows from the
//! captures, the arguments, or the set or graph that the function is applied to. For every combination there is one
//! function of the program; its body is checked with the types in place.

use super::scope::Frame;
use super::{Checked, Checker, Symbol, declared_locals};
use crate::ast::{self, Ident, TypeExpr, TypeExprKind, VectorIndex};
use crate::diagnostic::Diagnostic;
use crate::typed::Function;
use crate::types::{ElemId, FuncId, IndexKind, LocalId, Type};
use std::collections::HashMap;
use std::rc::Rc;

/// A function with parameters for types, and what was made of it.
pub(super) struct Template {
    func: Rc<ast::Func>,
    made: HashMap<Vec<Type>, FuncId>,
}

/// A function made of a template, whose body is still to be checked.
pub(super) struct Instance {
    id: FuncId,
    func: Rc<ast::Func>,
    types: HashMap<String, Type>,
}

impl Instance {
    pub(super) fn new(id: FuncId, func: Rc<ast::Func>, types: HashMap<String, Type>) -> Instance {
        Instance { id, func, types }
    }
}

/// Whether uses of a function tell what all its parameters for types are.
pub(super) fn is_template(func: &ast::Func) -> bool {
    let told = |generic: &Ident| func.captures.iter().chain(&func.params).any(|param| mentions(&param.ty, generic));
    !func.generics.is_empty() && func.generics.iter().all(told)
}

fn mentions(ty: &TypeExpr, generic: &Ident) -> bool {
    let is_it = |name: &Ident| name.name == generic.name;
    match &ty.kind {
        TypeExprKind::Named(name) | TypeExprKind::VertexSet(name) => is_it(name),
        TypeExprKind::EdgeSet { edge, src, dst, .. } => is_it(edge) || is_it(src) || is_it(dst),
        TypeExprKind::Vector { index, item } => {
            matches!(index, VectorIndex::Element(name) if is_it(name)) || mentions(item, generic)
        }
        TypeExprKind::List(item) => mentions(item, generic),
        TypeExprKind::PriorityQueue { elem, .. } => is_it(elem),
        TypeExprKind::Scalar(_) | TypeExprKind::Error => false,
    }
}

/// Notes what the parameters for types are where `ty` is to be a `given`.
fn match_types(ty: &TypeExpr, given: &Type, generics: &[Ident], types: &mut HashMap<String, Type>) {
    let mut bind = |name: &Ident, given: Type| {
        if generics.iter().any(|generic| generic.name == name.name) {
            let known = types.get(&name.name);
            // A vertex may be given as an int; what else is given tells its element.
            if known.is_none() || *known.unwrap_or(&Type::Void) == Type::INT {
                types.insert(name.name.clone(), given);
            }
        }
    };
    match (&ty.kind, given) {
        (TypeExprKind::Named(name), Type::Element(_) | Type::Scalar(_)) => bind(name, given.clone()),
        (TypeExprKind::VertexSet(name), Type::VertexSet(elem)) => bind(name, Type::Element(*elem)),
        (TypeExprKind::PriorityQueue { elem: name, .. }, Type::PriorityQueue { elem, .. }) => {
            bind(name, Type::Element(*elem));
        }
        (TypeExprKind::EdgeSet { edge, src, dst, .. }, Type::EdgeSet(set)) => {
            bind(edge, Type::Element(set.edge));
            bind(src, Type::Element(set.src));
            bind(dst, Type::Element(set.dst));
        }
        (TypeExprKind::Vector { index, item }, Type::Vector { index: of, item: given }) => {
            if let (VectorIndex::Element(name), IndexKind::Element(elem)) = (index, of) {
                bind(name, Type::Element(*elem));
            }
            match_types(item, given, generics, types);
        }
        (TypeExprKind::List(item), Type::List(given)) => match_types(item, given, generics, types),
        _ => {}
    }
}

impl Checker {
    /// Registers a function with parameters for types.
    pub(super) fn collect_template(&mut self, func: &ast::Func) {
        let symbol = Symbol::Template(self.templates.len() as u32);
        self.declare(&func.name, symbol);
        self.templates.push(Template { func: Rc::new(func.clone()), made: HashMap::new() });
    }

    /// Types of the captures and parameters of a template, as written.
    pub(super) fn template(&self, at: u32) -> Rc<ast::Func> {
        self.templates[at as usize].func.clone()
    }

    /// The function that a template is where its captures and parameters are given so.
    pub(super) fn instance(&mut self, at: u32, used: &Ident, captures: &[Type], params: &[Type]) -> Checked<FuncId> {
        let func = self.template(at);
        let mut types = HashMap::new();
        let written = func.captures.iter().zip(captures).chain(func.params.iter().zip(params));
        for (param, given) in written {
            match_types(&param.ty, given, &func.generics, &mut types);
        }
        if let Some(open) = func.generics.iter().find(|generic| !types.contains_key(&generic.name)) {
            let message = format!("`{}` of `{}` is not known here", open.name, func.name.name);
            return Err(self.report(
                Diagnostic::error(message, used.span, "no capture and no argument tells the type")
                    .also(open.span, "the type in question"),
            ));
        }
        let key: Vec<Type> = func.generics.iter().filter_map(|generic| types.get(&generic.name).cloned()).collect();
        if let Some(made) = self.templates[at as usize].made.get(&key) {
            return Ok(*made);
        }
        let name = self.instance_name(&func.name.name, &key);
        let id = FuncId(self.signatures.len() as u32);
        self.templates[at as usize].made.insert(key, id);
        let before = std::mem::replace(&mut self.types, types.clone());
        let mut signature = self.signature(&func);
        self.types = before;
        signature.name.clone_from(&name);
        self.push_function(name, &func, signature);
        self.instances.push(Instance { id, func, types });
        Ok(id)
    }

    /// The template's own name for the first function made of it, else one with the types in it.
    fn instance_name(&self, template: &str, types: &[Type]) -> String {
        let taken = |name: &str| self.program.functions.iter().any(|function| function.name == name);
        if !taken(template) {
            return template.to_string();
        }
        let words: Vec<String> = types.iter().map(|ty| self.show(ty)).collect();
        let long = format!("{template}_{}", words.join("_"));
        let free = |name: &String| !taken(name) && !self.places.contains_key(name);
        std::iter::once(long.clone()).chain((2..).map(|n| format!("{long}_{n}"))).find(free).unwrap_or(long)
    }

    /// Adds a function whose body is checked later.
    pub(super) fn push_function(&mut self, name: String, func: &ast::Func, signature: super::Signature) {
        let locals = declared_locals(&signature, func);
        let first_param = signature.captures.len() as u32;
        let first_result = first_param + signature.params.len() as u32;
        self.program.functions.push(Function {
            name,
            kind: func.kind,
            locals,
            captures: (0..first_param).map(LocalId).collect(),
            params: (first_param..first_result).map(LocalId).collect(),
            result: (signature.result != Type::Void).then_some(LocalId(first_result)),
            body: Vec::new(),
            span: func.name.span,
        });
        self.signatures.push(Rc::new(signature));
    }

    /// Checks the bodies of all functions made of templates, and of those made for these.
    pub(super) fn check_instances(&mut self) {
        while let Some(Instance { id, func, types }) = self.instances.pop() {
            self.types = types;
            self.check_body(id, &func);
            self.types = HashMap::new();
        }
    }

    /// Checks templates of which nothing was made, for the first element of the program; what is made is left out.
    pub(super) fn check_unused_templates(&mut self) {
        if self.program.elements.is_empty() {
            return;
        }
        let element = Type::Element(ElemId(0));
        for at in 0..self.templates.len() {
            if !self.templates[at].made.is_empty() {
                continue;
            }
            let func = self.templates[at].func.clone();
            let functions = self.signatures.len();
            let kept = (self.pending.len(), self.filters.len(), self.edge_uses.len(), self.dynamic.clone());
            let views = (self.open_views.len(), self.guards.len());
            let made: Vec<_> = self.templates.iter().map(|template| template.made.clone()).collect();
            self.types = func.generics.iter().map(|generic| (generic.name.clone(), element.clone())).collect();
            let signature = self.signature(&func);
            let id = FuncId(functions as u32);
            self.push_function(func.name.name.clone(), &func, signature);
            self.check_body(id, &func);
            self.types = HashMap::new();
            self.check_instances();
            self.signatures.truncate(functions);
            self.program.functions.truncate(functions);
            self.pending.truncate(kept.0);
            self.filters.truncate(kept.1);
            self.edge_uses.truncate(kept.2);
            self.open_views.truncate(views.0);
            self.guards.truncate(views.1);
            self.dynamic = kept.3;
            self.templates.iter_mut().zip(made).for_each(|(template, made)| template.made = made);
        }
    }

    /// Checks the body of a function whose signature is known.
    pub(super) fn check_body(&mut self, id: FuncId, func: &ast::Func) {
        let at = id.0 as usize;
        let locals = std::mem::take(&mut self.program.functions[at].locals);
        let before = std::mem::replace(&mut self.frame, Frame::function(&self.signatures[at], locals));
        let body = self.block(&func.body);
        let frame = std::mem::replace(&mut self.frame, before);
        self.program.functions[at].body = body;
        self.program.functions[at].locals = frame.locals;
    }
}
