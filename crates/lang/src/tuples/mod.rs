//! Named tuples: `tuple Best (gain : double, target : int)`.
//!
//! A tuple is a way to write several numbers as one value; nothing behind this folder knows of it. A variable that
//! holds a tuple becomes a variable per field, a vector of tuples a vector per field (`best` of type `vector{V}(Best)`
//! becomes
//! `best_gain` and `best_target`), and a parameter or capture several of them. A call of a function whose result is a
//! tuple becomes the statements of that function ([`inline`]), since functions have one result.
//!
//! Steps: (1) the declarations of tuples are checked; (2) the shapes of globals and functions are noted; (3) every item
//! is written anew, the names of fields in place of fields.

mod expr;
mod inline;
mod stmt;

use crate::ast::{Ast, Decl, Func, FuncKind, Ident, Item, Param, TypeExpr, TypeExprKind};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::modules::all_names;
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// The program without tuples; none where it has none. Errors are those of tuples alone.
pub(crate) fn expand(ast: &Ast) -> Option<Result<Ast, Vec<Diagnostic>>> {
    if !ast.items.iter().any(|item| matches!(item, Item::Tuple { .. })) {
        return None;
    }
    let mut expander = Expander::new(ast);
    let items = expander.items(ast);
    let mut findings = expander.findings;
    findings.dedup();
    Some(match has_errors(&findings) {
        true => Err(findings),
        false => Ok(Ast { items, ..ast.clone() }),
    })
}

/// Marks a part that failed and was reported.
struct Fail;

/// How a type is made of a tuple: the tuple's name, and how many indices lead to one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    tuple: String,
    depth: usize,
}

/// A variable that holds tuples.
#[derive(Clone, Debug)]
struct Compound {
    shape: Shape,
    /// The variable of each field.
    names: Vec<String>,
}

/// What a local name stands for.
#[derive(Clone, Debug)]
enum Local {
    /// A variable, under the name that it has now.
    Plain(String),
    Tuple(Compound),
}

/// Locals by name, innermost scope last.
type Scopes = Vec<HashMap<String, Local>>;

struct Expander<'a> {
    tuples: HashMap<&'a str, &'a [Param]>,
    functions: HashMap<&'a str, &'a Func>,
    globals: HashMap<&'a str, Compound>,
    scopes: Scopes,
    /// Locals of the functions that wait for the one whose body is put in its place, as they are called now.
    outer: Vec<HashSet<String>>,
    /// Names of the program and of all that was made.
    taken: HashSet<String>,
    /// The variables of fields, by the variable and the field, so that a name always has the same ones.
    fields: HashMap<(String, String), String>,
    /// Functions whose bodies are being put in place, outermost first.
    inlining: Vec<&'a str>,
    /// Calls that became bodies so far.
    calls: usize,
    /// Functions that were put in place at least once.
    inlined: HashSet<&'a str>,
    findings: Vec<Diagnostic>,
}

impl<'a> Expander<'a> {
    fn new(ast: &'a Ast) -> Self {
        let mut tuples: HashMap<&str, &[Param]> = HashMap::new();
        let mut functions = HashMap::new();
        for item in &ast.items {
            match item {
                Item::Tuple { name, fields, .. } => {
                    tuples.entry(&name.name).or_insert(fields);
                }
                Item::Func(func) => {
                    functions.entry(func.name.name.as_str()).or_insert(func);
                }
                _ => {}
            }
        }
        Expander {
            tuples,
            functions,
            globals: HashMap::new(),
            scopes: Vec::new(),
            outer: Vec::new(),
            taken: all_names(ast),
            fields: HashMap::new(),
            inlining: Vec::new(),
            calls: 0,
            inlined: HashSet::new(),
            findings: Vec::new(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Fail {
        if !self.findings.contains(&diagnostic) {
            self.findings.push(diagnostic);
        }
        Fail
    }

    fn error(&mut self, message: impl Into<String>, span: Span, label: &str, help: impl Into<String>) -> Fail {
        self.report(Diagnostic::error(message, span, label).help(help))
    }

    fn items(&mut self, ast: &'a Ast) -> Vec<Item> {
        self.declarations(ast);
        for item in &ast.items {
            if let Item::Const(decl) = item
                && let Some(shape) = self.declared_shape(decl)
            {
                let compound = self.compound(&decl.name.name, shape);
                self.globals.insert(&decl.name.name, compound);
            }
        }
        let mut items = Vec::new();
        let mut held_back = Vec::new();
        for item in &ast.items {
            match item {
                Item::Tuple { .. } => {}
                Item::Const(decl) => items.extend(self.global(decl).into_iter().map(Item::Const)),
                Item::Func(func) if self.result_tuple(func).is_some() => {
                    held_back.push((items.len(), func));
                }
                Item::Func(func) => items.push(Item::Func(self.func(func))),
                other => items.push(other.clone()),
            }
        }
        // What nobody calls is checked all the same.
        for (at, func) in held_back.into_iter().rev() {
            if !self.inlined.contains(func.name.name.as_str()) {
                let checked = self.func(func);
                items.insert(at, Item::Func(checked));
            }
        }
        items
    }

    /// Checks the declarations of tuples.
    fn declarations(&mut self, ast: &Ast) {
        let mut known: HashMap<&str, Span> = HashMap::new();
        for item in &ast.items {
            let name = crate::modules::declared(item);
            if let Some(first) = known.insert(&name.name, name.span)
                && (matches!(item, Item::Tuple { .. }) || self.tuples.contains_key(name.name.as_str()))
            {
                self.report(
                    Diagnostic::error(format!("`{}` is declared twice", name.name), name.span, "declared again here")
                        .also(first, "first declared here"),
                );
            }
            let Item::Tuple { name, fields, .. } = item else { continue };
            if fields.is_empty() {
                let help = format!("write `tuple {} (first : int, second : double)`", name.name);
                self.error(format!("the tuple `{}` has no fields", name.name), name.span, "nothing in it", help);
            }
            let mut seen: HashMap<&str, Span> = HashMap::new();
            for field in fields {
                if let Some(first) = seen.insert(&field.name.name, field.name.span) {
                    let message = format!("`{}` has two fields `{}`", name.name, field.name.name);
                    self.report(
                        Diagnostic::error(message, field.name.span, "the second one").also(first, "the first one"),
                    );
                }
                self.field_type(name, field);
            }
        }
    }

    /// A field holds a number, a truth value or a vertex.
    fn field_type(&mut self, tuple: &Ident, field: &Param) {
        let message = match &field.ty.kind {
            TypeExprKind::Named(inner) if inner.name == tuple.name => {
                format!("the tuple `{}` holds itself", tuple.name)
            }
            TypeExprKind::Named(inner) if self.tuples.contains_key(inner.name.as_str()) => {
                format!("the tuple `{}` holds another tuple", tuple.name)
            }
            TypeExprKind::Scalar(crate::types::Scalar::String) => format!("the tuple `{}` holds a string", tuple.name),
            TypeExprKind::Scalar(_) | TypeExprKind::Named(_) | TypeExprKind::Error => return,
            _ => format!("a field of `{}` is not a single value", tuple.name),
        };
        let help = "fields are numbers, truth values and vertices; list the inner fields here instead";
        self.error(message, field.ty.span, "not a number", help);
    }

    /// The shape of a type that is made of a tuple.
    fn shape(&self, ty: &TypeExpr) -> Option<Shape> {
        match &ty.kind {
            TypeExprKind::Named(name) if self.tuples.contains_key(name.name.as_str()) => {
                Some(Shape { tuple: name.name.clone(), depth: 0 })
            }
            TypeExprKind::Vector { item, .. } => {
                let Shape { tuple, depth } = self.shape(item)?;
                Some(Shape { tuple, depth: depth + 1 })
            }
            _ => None,
        }
    }

    /// The same type with the type of a field in place of the tuple.
    fn of_field(ty: &TypeExpr, field: &TypeExpr) -> TypeExpr {
        let kind = match &ty.kind {
            TypeExprKind::Vector { index, item } => {
                TypeExprKind::Vector { index: index.clone(), item: Box::new(Self::of_field(item, field)) }
            }
            _ => field.kind.clone(),
        };
        TypeExpr { kind, span: ty.span }
    }

    /// Reports lists of tuples, which there are not.
    fn no_lists(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::List(item) if self.shape(item).is_some() => {
                let help = "use a list per field, or a vector of tuples over an element of its own";
                self.error("a list does not hold tuples", item.span, "a tuple", help);
            }
            TypeExprKind::List(item) | TypeExprKind::Vector { item, .. } => self.no_lists(item),
            _ => {}
        }
    }

    fn fields(&self, tuple: &str) -> &'a [Param] {
        self.tuples.get(tuple).copied().unwrap_or_default()
    }

    /// `gain and target`: the fields of a tuple in words.
    fn field_list(&self, tuple: &str) -> String {
        let names: Vec<String> =
            self.fields(tuple).iter().map(|field| format!("{} : {}", field.name.name, spelled(&field.ty))).collect();
        names.join(", ")
    }

    /// The variables of a compound variable.
    fn compound(&mut self, name: &str, shape: Shape) -> Compound {
        let names = self.fields(&shape.tuple).iter().map(|field| self.field_name(name, &field.name.name)).collect();
        Compound { shape, names }
    }

    /// `best_gain`, or a longer name where the program has that already.
    fn field_name(&mut self, variable: &str, field: &str) -> String {
        let key = (variable.to_string(), field.to_string());
        if let Some(known) = self.fields.get(&key) {
            return known.clone();
        }
        let name = self.fresh(&format!("{variable}_{field}"));
        self.fields.insert(key, name.clone());
        name
    }

    /// A name that nothing in the program has.
    fn fresh(&mut self, base: &str) -> String {
        let mut name = base.to_string();
        let mut n = 1;
        while !self.taken.insert(name.clone()) {
            n += 1;
            name = format!("{base}_{n}");
        }
        name
    }

    /// The tuple that a function gives.
    fn result_tuple(&self, func: &Func) -> Option<String> {
        let shape = self.shape(&func.results.first()?.ty)?;
        (shape.depth == 0).then_some(shape.tuple)
    }

    /// A global, as one declaration per field where it holds tuples.
    fn global(&mut self, decl: &Decl) -> Vec<Decl> {
        self.scopes.push(HashMap::new());
        let mut before = Vec::new();
        let made = self.decl(decl, self.globals.get(decl.name.name.as_str()).cloned(), &mut before);
        self.scopes.pop();
        if let Some(stmt) = before.first() {
            let help = "leave the initial value out and assign it at the beginning of `main`";
            self.error("a function that gives a tuple cannot be called here", stmt.span, "a call", help);
        }
        made.unwrap_or_default()
    }

    fn func(&mut self, func: &'a Func) -> Func {
        if func.kind != FuncKind::Plain {
            let params = func.captures.iter().chain(&func.params).chain(&func.results);
            for param in params.filter(|param| self.shape(&param.ty).is_some()).collect::<Vec<_>>() {
                let help = "give its fields one by one";
                let message = "functions that the host provides or calls do not take or give tuples";
                self.error(message, param.ty.span, "a tuple", help);
            }
        }
        self.scopes.push(HashMap::new());
        let captures = self.params(&func.captures);
        let params = self.params(&func.params);
        let mut body = Vec::new();
        let mut results = func.results.clone();
        match (func.results.first(), self.result_tuple(func)) {
            (Some(result), Some(tuple)) => {
                body.extend(self.fresh_result(result, &tuple));
                results.clear();
            }
            (Some(result), None) if self.shape(&result.ty).is_some() => {
                let help = "take the vector as a capture and assign its entries";
                self.error("a function gives one tuple, not a vector of them", result.ty.span, "a vector", help);
            }
            (Some(result), None) => self.bind(&result.name.name, Local::Plain(result.name.name.clone())),
            (None, _) => {}
        }
        body.extend(self.block(&func.body));
        self.scopes.pop();
        Func { captures, params, results, body, ..func.clone() }
    }

    /// Parameters, those of tuples as one per field, and binds their names.
    fn params(&mut self, params: &[Param]) -> Vec<Param> {
        let mut made = Vec::new();
        for param in params {
            self.no_lists(&param.ty);
            let name = &param.name.name;
            let Some(shape) = self.shape(&param.ty) else {
                self.bind(name, Local::Plain(name.clone()));
                made.push(param.clone());
                continue;
            };
            let compound = self.compound(name, shape);
            for (name, field) in compound.names.iter().zip(self.fields(&compound.shape.tuple)) {
                let name = Ident { name: name.clone(), span: param.name.span };
                made.push(Param { name, ty: Self::of_field(&param.ty, &field.ty) });
            }
            self.bind(name, Local::Tuple(compound));
        }
        made
    }

    fn bind(&mut self, name: &str, local: Local) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), local);
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The variable of a name that holds tuples.
    fn named(&self, name: &str) -> Option<&Compound> {
        match self.local(name) {
            Some(Local::Tuple(compound)) => Some(compound),
            Some(Local::Plain(_)) => None,
            None => self.globals.get(name),
        }
    }
}

/// A written type of a field in source spelling.
fn spelled(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeExprKind::Scalar(scalar) => scalar.to_string(),
        TypeExprKind::Named(name) => name.name.clone(),
        _ => "...".to_string(),
    }
}
