//! Links: `const links : edgeset{Link}(Vertex,Vertex) = edges.links();` has every undirected edge once.
//!
//! Links are a graph, from lesser to greater ends, so that all that works on graphs works on them. What operators over
//! triangles need beside (both directions, links towards the end with more, their numbers) is made when the program
//! begins, for the operators that the program has: each form is a global that no user names.

use super::convert::convert;
use super::expr::{builtin, node};
use super::made_text::DERIVED;
use super::{Checked, Checker, Symbol};
use crate::ast;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Element, Expr, ExprKind, Global, Init, Var};
use crate::types::{EdgeSetType, ElemId, GlobalId, IndexKind, Scalar, Type};
use crate::visit;

/// What is made of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Every link in both directions.
    Around,
    /// Every link towards the end with more.
    Upward,
    /// `Around` between numbers by falling degree.
    Ranked,
    /// A graph whose vertices are links, each of which leads to itself.
    Loops,
    /// The vertices, as a set.
    Vertices,
    /// The edges of `Upward`, as a set.
    AllUpward,
    /// The position of the first edge of a vertex in `Around`.
    FirstAround,
    /// The position of the first edge of a vertex in `Upward`.
    FirstUpward,
    /// The link of an edge of `Around`.
    LinkAround,
    /// The link of an edge of `Upward`.
    LinkUpward,
    /// The lesser end of a link.
    Low,
    /// The greater end of a link.
    High,
    /// The end with fewer links of an edge of `Upward`.
    SourceUpward,
    /// The end with more links of an edge of `Upward`.
    TargetUpward,
    /// The last call of an operator whose `from` had the link.
    Stamp,
    /// Calls of operators with `from`.
    Calls,
    /// The number of a vertex in `Ranked`.
    Rank,
}

impl Form {
    fn word(self) -> &'static str {
        match self {
            Form::Around => "around",
            Form::Upward => "upward",
            Form::Ranked => "ranked",
            Form::Loops => "loops",
            Form::Vertices => "vertices",
            Form::AllUpward => "all_upward",
            Form::FirstAround => "first_around",
            Form::FirstUpward => "first_upward",
            Form::LinkAround => "link_around",
            Form::LinkUpward => "link_upward",
            Form::Low => "low",
            Form::High => "high",
            Form::SourceUpward => "source_upward",
            Form::TargetUpward => "target_upward",
            Form::Stamp => "stamp",
            Form::Calls => "calls",
            Form::Rank => "rank",
        }
    }
}

impl Checker {
    /// Notes a global that is the links of another.
    pub(super) fn declare_links(&mut self, id: GlobalId, global: &Global) {
        let Some(Init::Value(Expr { kind: ExprKind::Builtin { builtin: Builtin::Links, args }, .. })) = &global.init
        else {
            return;
        };
        let [graph] = args.as_slice() else { return };
        if !matches!(graph.kind, ExprKind::Var(Var::Global(_))) {
            self.report(
                Diagnostic::error("links are those of a global edgeset", graph.span, "not a global")
                    .help("declare the graph at top level, `const g : edgeset{...}(...) = ...;`"),
            );
        }
        self.links.insert(id, graph.clone());
    }

    /// Refuses `edges.links()` where it is no initialiser of a global.
    pub(super) fn links_at_top_level(&mut self, span: Span) -> Checked<()> {
        if self.frame.function.is_none() {
            return Ok(());
        }
        Err(self.report(Diagnostic::error("links are declared at top level", span, "inside a function").help(
            "write `const links : edgeset{Link}(Vertex,Vertex) = edges.links();` below the declaration of the graph",
        )))
    }

    /// The graph whose edges `links.numbers(edges)` is about, and their element.
    pub(super) fn numbered_edges(&mut self, links: &Expr, edges: &ast::Expr) -> Checked<(Expr, ElemId)> {
        match links.kind {
            ExprKind::Var(Var::Global(id)) if self.links.contains_key(&id) => {}
            _ => {
                return Err(self.report(
                    Diagnostic::error("only links have numbers for the edges of a graph", links.span, "no links")
                        .help("declare `const links : edgeset{Link}(Vertex,Vertex) = edges.links();` at top level"),
                ));
            }
        }
        let edges = self.expr(edges, None)?;
        match edges.ty {
            Type::EdgeSet(of_edges) => Ok((edges, of_edges.edge)),
            _ => {
                let found = self.show(&edges.ty);
                Err(self.report(
                    Diagnostic::error("`numbers` takes the graph whose edges shall know their links", edges.span, "")
                        .help(format!("this is {found}; write `links.numbers(edges)`")),
                ))
            }
        }
    }

    /// Refuses changes of a variable that is links.
    pub(super) fn links_stay(&mut self, var: Var, span: Span) -> Checked<()> {
        match var {
            Var::Global(id) if self.links.contains_key(&id) => Err(self.report(
                Diagnostic::error("links stay what they are", span, "changed here")
                    .help("use another edgeset for another graph"),
            )),
            _ => Ok(()),
        }
    }

    /// Leaves links unmade that nothing looks at: operators over triangles may need other forms alone.
    pub(super) fn settle_links(&mut self) {
        let ids: Vec<GlobalId> = self.links.keys().copied().collect();
        for id in ids {
            let Type::EdgeSet(EdgeSetType { edge, .. }) = self.program.global(id).ty else { continue };
            if !self.is_looked_at(id, edge)
                && let Some(global) = self.program.globals.get_mut(id.0 as usize)
            {
                global.init = None;
            }
        }
    }

    /// Whether something reads links, or has one entry or member per link.
    fn is_looked_at(&self, links: GlobalId, link: ElemId) -> bool {
        let per_link = |ty: &Type| match ty {
            Type::Vector { index: IndexKind::Element(elem), .. } => *elem == link,
            Type::VertexSet(elem) | Type::PriorityQueue { elem, .. } => *elem == link,
            _ => false,
        };
        let mut found = self.program.globals.iter().any(|global| per_link(&global.ty));
        let mut look = |expr: &Expr| found |= expr.kind == ExprKind::Var(Var::Global(links)) || per_link(&expr.ty);
        for global in &self.program.globals {
            global.init.iter().for_each(|init| visit::init_exprs(init, &mut look));
        }
        for function in &self.program.functions {
            visit::stmts(&function.body, &mut |stmt| visit::exprs(stmt, &mut look));
        }
        let mut locals = self.program.functions.iter().flat_map(|function| &function.locals);
        found || locals.any(|local| per_link(&local.ty))
    }

    /// The name of the global that is this form of links, made where the program has none yet.
    pub(super) fn form(&mut self, links: GlobalId, form: Form) -> String {
        let name = format!("{DERIVED}{}_{}", self.program.global(links).name, form.word());
        if self.symbols.contains_key(&name) {
            return name;
        }
        let span = self.program.global(links).span;
        let Type::EdgeSet(of_links) = self.program.global(links).ty else { return name };
        let made = |which, args, ty| Some(Init::Value(builtin(which, args, ty, span)));
        let var = |id: GlobalId, ty| node(ExprKind::Var(Var::Global(id)), ty, span);
        let own = var(links, Type::EdgeSet(of_links));
        let vector = |elem, item| Type::Vector { index: IndexKind::Element(elem), item: Box::new(item) };
        let whole = || node(ExprKind::Int(0), Type::INT, span);
        let (ty, init) = match form {
            Form::Around => {
                let ty = self.form_of_edges(&name, of_links);
                let graph = self.links.get(&links).cloned().unwrap_or(own);
                (ty.clone(), made(Builtin::Undirected, vec![graph], ty))
            }
            Form::Upward | Form::Ranked => {
                let ty = self.form_of_edges(&name, of_links);
                let around = self.form_value(links, Form::Around);
                let which = if form == Form::Upward { Builtin::Upward } else { Builtin::Ranked };
                (ty.clone(), made(which, vec![around], ty))
            }
            Form::Loops => {
                let of_loops = EdgeSetType { src: of_links.edge, dst: of_links.edge, ..of_links };
                let ty = self.form_of_edges(&name, of_loops);
                (ty.clone(), made(Builtin::LinkLoops, vec![own], ty))
            }
            Form::Vertices => {
                let count = builtin(Builtin::VertexCount, vec![own], Type::INT, span);
                (Type::VertexSet(of_links.src), Some(Init::Universe(count)))
            }
            Form::AllUpward => {
                let up = self.form_value(links, Form::Upward);
                let Type::EdgeSet(of_up) = up.ty else { return name };
                let edges = builtin(Builtin::EdgeCount, vec![up], Type::Scalar(Scalar::Uint64), span);
                let edges = convert(edges, Scalar::Uint64, Scalar::Int, &Type::INT);
                (Type::VertexSet(of_up.edge), Some(Init::Universe(edges)))
            }
            Form::SourceUpward | Form::TargetUpward => {
                let up = self.form_value(links, Form::Upward);
                let Type::EdgeSet(of_up) = up.ty else { return name };
                let which = if form == Form::SourceUpward { Builtin::EdgeSources } else { Builtin::EdgeTargets };
                let ty = vector(of_up.edge, Type::Element(of_up.src));
                (ty.clone(), made(which, vec![up], ty))
            }
            Form::FirstAround | Form::FirstUpward | Form::Rank => {
                let (base, which) = match form {
                    Form::FirstAround => (Form::Around, Builtin::FirstEdges),
                    Form::FirstUpward => (Form::Upward, Builtin::FirstEdges),
                    _ => (Form::Around, Builtin::RankedNumbers),
                };
                let (graph, ty) = (self.form_value(links, base), vector(of_links.src, Type::INT));
                (ty.clone(), made(which, vec![graph], ty))
            }
            Form::LinkAround | Form::LinkUpward => {
                let base = if form == Form::LinkAround { Form::Around } else { Form::Upward };
                let graph = self.form_value(links, base);
                let Type::EdgeSet(of_graph) = graph.ty else { return name };
                let ty = vector(of_graph.edge, Type::INT);
                (ty.clone(), made(Builtin::LinkNumbers, vec![own, graph], ty))
            }
            Form::Low | Form::High => {
                let ty = vector(of_links.edge, Type::Element(of_links.src));
                let which = if form == Form::Low { Builtin::EdgeSources } else { Builtin::EdgeTargets };
                (ty.clone(), made(which, vec![own], ty))
            }
            Form::Stamp => (vector(of_links.edge, Type::INT), Some(Init::Fill(whole()))),
            Form::Calls => (Type::INT, Some(Init::Value(whole()))),
        };
        let id = GlobalId(self.program.globals.len() as u32);
        let universe = matches!(ty, Type::VertexSet(_));
        self.program.globals.push(Global { name: name.clone(), ty, init, universe, span });
        self.symbols.insert(name.clone(), Symbol::Global(id));
        name
    }

    fn form_value(&mut self, links: GlobalId, form: Form) -> Expr {
        let name = self.form(links, form);
        let span = self.program.global(links).span;
        let id = match self.symbols.get(&name) {
            Some(Symbol::Global(id)) => *id,
            _ => links,
        };
        node(ExprKind::Var(Var::Global(id)), self.program.global(id).ty.clone(), span)
    }

    /// The type of a graph of the same vertices whose edges have an element of their own.
    fn form_of_edges(&mut self, name: &str, of_links: EdgeSetType) -> Type {
        let edge = ElemId(self.program.elements.len() as u32);
        let span = self.program.element(of_links.edge).span;
        self.program.elements.push(Element { name: format!("{name}_edge"), span });
        Type::EdgeSet(EdgeSetType { edge, ..of_links })
    }
}
