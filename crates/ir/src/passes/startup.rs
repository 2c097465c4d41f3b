//! Start-up lowering: initialisers of globals become statements, in the order the language promises.
//!
//! Graphs are loaded first, then universes are sized, vectors allocated, scalars set in order of declaration, vectors
//! allocated whose lengths are scalars, and last the entries of vectors are computed, each vector as one vertex
//! operator. A library (no `main`) only sets its scalars: its caller brings the graphs.

use std::collections::HashSet;

use super::{PassContext, PassError};
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::lower::empty_value;
use crate::meta::{ForMeta, VertexMeta};
use crate::module::{Context, Function, FunctionKind, GlobalInit, GlobalKind, Module, Param};
use crate::operator::{Operator, VertexSetIterator};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::{Domain, Type};

/// Moves the initialisers of all globals into `startup`.
pub fn startup(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    let library = module.main().is_none();
    let mut loads = Block::new();
    let mut sets = Block::new();
    let mut allocations = Block::new();
    let mut scalars = Block::new();
    let mut counted = Block::new();
    let mut entries = Block::new();
    let mut functions = Vec::new();
    // The variables of loops are unique in the start-up, too.
    let mut names = crate::rewrite::taken(&module, None);
    for at in 0..module.globals.len() {
        let global = &mut module.globals[at];
        let init = global.init.take();
        let (name, ty, span, kind, universe) =
            (global.name.clone(), global.ty.clone(), global.span, global.kind(), global.universe);
        let target = Expr::var(name.clone(), ty.clone());
        let allocations = if ty.is_counted() { &mut counted } else { &mut allocations };
        let assign = |value: Expr| Stmt::assign(target.clone(), value).at(span);
        match (kind, init) {
            (GlobalKind::Scalar, Some(GlobalInit::Value(value))) => scalars.push(assign(value)),
            (GlobalKind::Scalar, _) => {}
            _ if library => {}
            (GlobalKind::EdgeSet, Some(GlobalInit::Value(value))) => loads.push(assign(value)),
            (GlobalKind::VertexSet, Some(GlobalInit::Value(value))) if universe => sets.push(assign(value)),
            (GlobalKind::VertexSet, None) if universe => {}
            (GlobalKind::Vector, Some(GlobalInit::Value(value))) => match value.kind {
                // A literal is its own allocation; other values may read scalars and other vectors.
                ExprKind::VectorLiteral(_) => allocations.push(assign(value)),
                _ => entries.push(assign(value)),
            },
            (GlobalKind::Vector, Some(GlobalInit::PerEntry(value))) => {
                allocations.extend(empty_value(&ty).map(assign));
                let stmt = match &ty {
                    Type::Vector { domain: Domain::Element(element), .. } => {
                        let function = initialiser(&module, &functions, &name, &ty, element, value, span);
                        let stmt = apply(&module, element, &function.name, span);
                        functions.push(function);
                        stmt
                    }
                    _ => rows(&module, &mut names, target, value, span),
                };
                entries.push(stmt);
            }
            // Queues and dynamic sets may look at anything declared before them.
            (GlobalKind::PriorityQueue | GlobalKind::List | GlobalKind::VertexSet, Some(GlobalInit::Value(value))) => {
                entries.push(assign(value));
            }
            (_, _) => allocations.extend(empty_value(&ty).map(assign)),
        }
    }
    for block in [loads, sets, allocations, scalars, counted, entries] {
        module.startup.extend(block);
    }
    functions.append(&mut module.functions);
    module.functions = functions;
    Ok(module)
}

/// `func x_init(v : E) { x[v] = value; }`, with an inner loop for nested vectors.
fn initialiser(
    module: &Module,
    made: &[Function],
    name: &Name,
    ty: &Type,
    element: &Name,
    value: Expr,
    span: Span,
) -> Function {
    let mut function_name = module.fresh_name(&format!("{name}_init"));
    while made.iter().any(|f| f.name == function_name) {
        function_name = format!("{function_name}_").as_str().into();
    }
    let mut names = crate::rewrite::taken(module, None);
    let v = crate::rewrite::fresh(&mut names, "v");
    let entry = Expr::element(Expr::var(name.clone(), ty.clone()), Expr::var(v.clone(), Type::Vertex(element.clone())));
    let body = vec![fill(module, &mut names, entry, value, span)];
    Function {
        name: function_name,
        kind: FunctionKind::Startup,
        context: Context::None,
        captures: Vec::new(),
        params: vec![Param { name: v, ty: Type::Vertex(element.clone()) }],
        result: None,
        body: Some(body),
        span,
        extra: Default::default(),
    }
}

/// `place = value`, looping over the entries of rows. The names are those that variables cannot have.
fn fill(module: &Module, names: &mut HashSet<Name>, place: Expr, value: Expr, span: Span) -> Stmt {
    match place.ty.clone() {
        Type::Vector { .. } => rows(module, names, place, value, span),
        _ => Stmt::assign(place, value).at(span),
    }
}

fn rows(module: &Module, names: &mut HashSet<Name>, place: Expr, value: Expr, span: Span) -> Stmt {
    let Type::Vector { domain, .. } = &place.ty else {
        return Stmt::assign(place, value).at(span);
    };
    let high = match domain {
        Domain::Fixed(n) => Expr::int(i64::from(*n)),
        Domain::Element(element) => count(module, element),
        Domain::Counted(name) => {
            let ty = module.global(name).map_or(Type::INT, |global| global.ty.clone());
            Expr::var(name.clone(), ty).convert(Type::INT)
        }
    };
    let var = crate::rewrite::fresh(names, "j");
    let entry = Expr::element(place, Expr::var(var.clone(), Type::INT));
    let body = vec![fill(module, names, entry, value, span)];
    let low = Expr::int(0);
    Stmt::new(StmtKind::For { var, low, high, body, meta: ForMeta::default() }).at(span)
}

/// All vertices of an element.
fn all(module: &Module, element: &Name) -> Expr {
    let ty = Type::VertexSet(element.clone());
    match module.globals.iter().find(|g| g.universe && g.ty == ty) {
        Some(global) => Expr::var(global.name.clone(), ty),
        None => Expr::new(ExprKind::Universe(None), ty),
    }
}

/// Their number.
fn count(module: &Module, element: &Name) -> Expr {
    Expr::new(ExprKind::Builtin(Builtin::VertexCount, vec![all(module, element)]), Type::INT)
}

fn apply(module: &Module, element: &Name, function: &Name, span: Span) -> Stmt {
    let set = all(module, element);
    let meta = VertexMeta { is_all_vertices: true, ..VertexMeta::default() };
    let apply = FunctionRef::plain(function.clone());
    Stmt::eval(Operator::VertexSetIterator(VertexSetIterator { set, apply, meta }).into_expr()).at(span)
}
