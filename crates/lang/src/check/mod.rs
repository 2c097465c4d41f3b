//! Type checker: resolves every name and type of a syntax tree and writes out every conversion.
//!
//! Tuples are written out before (`crate::tuples`). Steps: (1) collect element names, then function signatures; (2)
//! check globals in order, each seeing those before it; (3) check function bodies; (4) look at the whole program:
//! tracked vectors, edge filters, universe sets, entry points.

mod builtin;
mod changes;
mod columns;
mod convert;
mod edges;
mod expr;
mod filter;
mod finish;
mod generic;
mod global;
mod groups;
mod lengths;
mod links;
mod load;
mod made_text;
mod numbered;
mod operator;
mod scope;
mod stmt;
mod triangle_text;
mod triangles;
mod types;
mod view;
mod words;

use crate::ast::{self, Ast, Item};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::source::Span;
use crate::typed::{Element, Local, LocalKind, TypedProgram};
use crate::types::{ElemId, FuncId, GlobalId, Type};
pub(crate) use builtin::is_function;
pub use made_text::DERIVED;
use scope::Frame;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Marks a check that failed and has reported it.
#[derive(Debug)]
struct Fail;

/// After this many errors, or warnings, the rest is noise.
const MAX_FINDINGS: usize = crate::diagnostic::MOST_FINDINGS;

/// Result of a check.
type Checked<T> = Result<T, Fail>;

/// A checked program with what is odd about it.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedProgram {
    /// The program.
    pub program: TypedProgram,
    /// Findings that are not errors.
    pub warnings: Vec<Diagnostic>,
}

/// Checks a syntax tree. All errors found are returned together, in source order.
///
/// ```
/// use gw_lang::{SourceFile, check, parse};
/// let file = SourceFile::new("one.gt", "func main()\n    var x : float = 1;\n    print x / 2;\nend\n");
/// let (ast, _) = parse(&file);
/// assert!(check(&ast).is_ok());
/// ```
pub fn check(ast: &Ast) -> Result<CheckedProgram, Vec<Diagnostic>> {
    match crate::tuples::expand(ast) {
        Some(expanded) => check_expanded(&expanded?),
        None => check_expanded(ast),
    }
}

/// Checks a syntax tree without tuples.
fn check_expanded(ast: &Ast) -> Result<CheckedProgram, Vec<Diagnostic>> {
    let mut checker = Checker { lengths: lengths::Lengths::of(ast), ..Checker::default() };
    checker.collect_elements(ast);
    checker.collect_functions(ast);
    checker.check_globals(ast);
    checker.check_functions(ast);
    checker.finish();
    let mut diagnostics = checker.diagnostics;
    diagnostics.sort_by_key(|d| d.primary.span.start);
    // What stands once in the text may be checked several times.
    diagnostics.dedup();
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    Ok(CheckedProgram { program: checker.program, warnings: diagnostics })
}

/// What a top-level name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Element(ElemId),
    Global(GlobalId),
    Func(FuncId),
    /// A function with parameters for types.
    Template(u32),
    /// Its declaration failed; using it is not worth another message.
    Poisoned,
}

/// The interface of a function, known before its body is checked.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    kind: ast::FuncKind,
    captures: Vec<(String, Type)>,
    params: Vec<(String, Type)>,
    result: Type,
    span: Span,
}

#[derive(Default)]
struct Checker {
    program: TypedProgram,
    diagnostics: Vec<Diagnostic>,
    symbols: HashMap<String, Symbol>,
    /// Where each top-level name is declared, including globals not yet reached.
    places: HashMap<String, Span>,
    /// Shared, since every use of a function looks at it.
    signatures: Vec<Rc<Signature>>,
    /// Errors and warnings so far.
    found: [usize; 2],
    frame: Frame,
    /// Functions with parameters for types, and what was made of them and is not checked yet.
    templates: Vec<generic::Template>,
    instances: Vec<generic::Instance>,
    /// What the parameters for types are in the function at hand.
    types: HashMap<String, Type>,
    /// Operators to look at again when all bodies are known.
    pending: Vec<operator::Pending>,
    /// Functions used as filters of edges.
    filters: Vec<filter::FilterUse>,
    /// Functions that take the edge they are applied to.
    edge_uses: Vec<edges::EdgeUse>,
    /// Views of edgesets that no operator or declaration has taken yet, by the place where they stand.
    open_views: Vec<(Span, Vec<view::Condition>)>,
    /// Globals that are views.
    views: HashMap<GlobalId, view::View>,
    /// Globals that are the links of a graph, with this graph.
    links: HashMap<GlobalId, crate::typed::Expr>,
    /// Functions that are applied to the edges of views.
    guards: Vec<view::Guarded>,
    /// Elements of edges with columns.
    edge_columns: HashSet<ElemId>,
    /// Functions whose last parameter is the edge to the end, and the graph of that edge.
    numbered: HashMap<FuncId, GlobalId>,
    /// Globals that can be lengths of vectors.
    lengths: lengths::Lengths,
    /// Global vertexsets that the program uses as dynamic sets.
    dynamic: HashSet<GlobalId>,
}

impl Checker {
    fn report(&mut self, diagnostic: Diagnostic) -> Fail {
        let found = &mut self.found[usize::from(!diagnostic.is_error())];
        *found += 1;
        if *found <= MAX_FINDINGS {
            self.diagnostics.push(diagnostic);
        }
        Fail
    }

    /// True when further errors are not shown, so that looking for advice would be in vain.
    fn saturated(&self) -> bool {
        self.found[0] >= MAX_FINDINGS
    }

    /// Reports an error in one go.
    fn error(&mut self, message: impl Into<String>, span: Span, label: impl Into<String>) -> Fail {
        self.report(Diagnostic::error(message, span, label))
    }

    /// Registers a top-level name; false (with a message) if it is taken.
    fn declare(&mut self, name: &ast::Ident, symbol: Symbol) -> bool {
        if self.symbols.contains_key(&name.name) {
            let mut diagnostic =
                Diagnostic::error(format!("`{}` is declared twice", name.name), name.span, "declared again here");
            if let Some(first) = self.places.get(&name.name)
                && *first != name.span
            {
                diagnostic = diagnostic.also(*first, "first declared here");
            }
            self.report(diagnostic);
            return false;
        }
        self.symbols.insert(name.name.clone(), symbol);
        self.places.entry(name.name.clone()).or_insert(name.span);
        true
    }

    fn collect_elements(&mut self, ast: &Ast) {
        for item in &ast.items {
            match item {
                Item::Element { name, fields, .. } => {
                    let id = ElemId(self.program.elements.len() as u32);
                    if self.declare(name, Symbol::Element(id)) {
                        let ast::Ident { name, span } = name.clone();
                        self.program.elements.push(Element { name, span });
                    }
                    if let Some(field) = fields.first() {
                        self.report(
                            Diagnostic::warning("element fields have no effect", field.name.span, "ignored")
                                .help("keep per-vertex data in a `vector{Element}(type)`"),
                        );
                    }
                }
                Item::ExternVar { name, .. } => {
                    self.report(Diagnostic::warning("an extern variable has no effect", name.span, "ignored"));
                }
                // Tuples are gone by now.
                Item::Tuple { .. } | Item::Const(_) | Item::Func(_) => {}
            }
        }
    }

    fn collect_functions(&mut self, ast: &Ast) {
        for item in &ast.items {
            let Item::Func(func) = item else { continue };
            if generic::is_template(func) {
                self.collect_template(func);
                continue;
            }
            if let Some(generic) = func.generics.first() {
                self.report(
                    Diagnostic::warning("this parameter for a type has no effect", generic.span, "ignored")
                        .help("a parameter or capture of the function tells the type: `func f<V>(v : V)`"),
                );
            }
            let id = FuncId(self.signatures.len() as u32);
            let signature = self.signature(func);
            self.declare(&func.name, Symbol::Func(id));
            if func.name.name == "main" && self.program.main.is_none() {
                self.program.main = Some(id);
            }
            self.push_function(func.name.name.clone(), func, signature);
        }
    }

    fn signature(&mut self, func: &ast::Func) -> Signature {
        let is_main = func.name.name == "main";
        if let Some(extra) = func.results.get(1) {
            self.error("a function has at most one result", extra.name.span, "a second result");
        }
        if is_main {
            for param in func.params.iter().filter(|p| p.name.name != "argv") {
                self.report(
                    Diagnostic::error("`main` takes no parameters", param.name.span, "not allowed")
                        .help("read the command line with `argv[1]`, `argv[2]`, ..."),
                );
            }
        }
        // An `argv` parameter of main is accepted and ignored: argv is predeclared there.
        let params: &[ast::Param] = if is_main { &[] } else { &func.params };
        self.distinct(func);
        let mut typed = |params: &[ast::Param]| -> Vec<(String, Type)> {
            let types = params.iter().map(|p| {
                // A parameter of unknown type is reported once; void keeps the position.
                let ty = self.resolve_type(&p.ty).unwrap_or(Type::Void);
                (p.name.name.clone(), ty)
            });
            types.collect()
        };
        let captures = typed(&func.captures);
        let params = typed(params);
        let result = typed(func.results.get(..1).unwrap_or_default());
        Signature {
            name: func.name.name.clone(),
            kind: func.kind,
            captures,
            params,
            result: result.into_iter().next().map_or(Type::Void, |(_, ty)| ty),
            span: func.name.span,
        }
    }

    /// Reports captures, parameters and results that share a name.
    fn distinct(&mut self, func: &ast::Func) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let all = func.captures.iter().chain(&func.params).chain(&func.results);
        for param in all {
            if let Some(first) = seen.insert(&param.name.name, param.name.span) {
                self.report(
                    Diagnostic::error(
                        format!("`{}` is declared twice", param.name.name),
                        param.name.span,
                        "declared again here",
                    )
                    .also(first, "first declared here"),
                );
            }
        }
    }

    fn check_functions(&mut self, ast: &Ast) {
        let funcs = ast.items.iter().filter_map(|item| match item {
            Item::Func(func) if !generic::is_template(func) => Some(func),
            _ => None,
        });
        for (at, func) in funcs.enumerate() {
            if func.kind != ast::FuncKind::Extern {
                self.check_body(FuncId(at as u32), func);
            }
        }
        self.check_instances();
        self.check_unused_templates();
        self.frame = Frame::default();
    }
}

/// Captures, parameters and result as locals, in that order.
fn declared_locals(signature: &Signature, func: &ast::Func) -> Vec<Local> {
    let main = func.name.name == "main";
    let params: &[ast::Param] = if main { &[] } else { &func.params };
    let results = func.results.get(..1).unwrap_or_default();
    let groups = [(&func.captures[..], LocalKind::Capture), (params, LocalKind::Param), (results, LocalKind::Result)];
    let result = std::iter::once(&signature.result);
    let typed = signature.captures.iter().chain(&signature.params);
    let mut types = typed.map(|(_, ty)| ty).chain(result);
    let mut locals = Vec::new();
    for (group, kind) in groups {
        for param in group {
            locals.push(Local {
                name: param.name.name.clone(),
                ty: types.next().cloned().unwrap_or(Type::Void),
                kind,
                span: param.name.span,
            });
        }
    }
    locals
}
