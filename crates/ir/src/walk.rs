//! Visiting nodes: children of expressions, expressions of statements, function references, labels.

use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::groups::{GroupChoice, NeighbourGroups};
use crate::module::Module;
use crate::operator::{EdgeSetIterator, Operator, VertexFilter};
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};

/// Generates the shared and the mutable version of one traversal, so that they cannot drift apart.
macro_rules! child_visitors {
    ($expr:ident, $edges:ident, $operator:ident, $stmt:ident $(, $mutability:tt)?) => {
        /// Calls `visit` on each direct child expression, captures of function references included, in order of
        /// evaluation.
        pub fn $expr<'a>(expr: &'a $($mutability)? Expr, visit: &mut dyn FnMut(&'a $($mutability)? Expr)) {
            match &$($mutability)? expr.kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) | ExprKind::Var(_)
                | ExprKind::VectorAlloc | ExprKind::ListAlloc => {}
                ExprKind::Element { vector, index, .. } => {
                    visit(vector);
                    visit(index);
                }
                ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::VertexSetAlloc(a) | ExprKind::EdgeSetLoad(a)
                | ExprKind::VectorFill(a) | ExprKind::VectorLoad(a) => visit(a),
                ExprKind::Universe(count) => {
                    if let Some(e) = count {
                        visit(e);
                    }
                }
                ExprKind::Binary(_, a, b) => {
                    visit(a);
                    visit(b);
                }
                ExprKind::Call { function, args } => {
                    for e in &$($mutability)? function.captures {
                        visit(e);
                    }
                    for e in args {
                        visit(e);
                    }
                }
                ExprKind::Builtin(_, args)
                | ExprKind::Intersection { args, .. }
                | ExprKind::IntersectNeighbor { args, .. }
                | ExprKind::VectorLiteral(args)
                | ExprKind::Column(args) => {
                    for e in args {
                        visit(e);
                    }
                }
                ExprKind::Reduce { target, value, .. } => {
                    visit(target);
                    visit(value);
                }
                ExprKind::CompareAndSwap { target, expect, value, .. } => {
                    visit(target);
                    visit(expect);
                    visit(value);
                }
                ExprKind::PriorityUpdate { queue, vertex, bound, value, .. } => {
                    visit(queue);
                    visit(vertex);
                    if let Some(e) = bound {
                        visit(e);
                    }
                    visit(value);
                }
                ExprKind::Groups(groups) => {
                    let NeighbourGroups { graph, vertex, key, value, choice, .. } = &$($mutability)? **groups;
                    visit(graph);
                    visit(vertex);
                    for e in &$($mutability)? key.captures {
                        visit(e);
                    }
                    if let Some(value) = value {
                        for e in &$($mutability)? value.captures {
                            visit(e);
                        }
                    }
                    match choice {
                        GroupChoice::Best { score, own } => {
                            if let Some(own) = own {
                                visit(own);
                            }
                            for e in &$($mutability)? score.captures {
                                visit(e);
                            }
                        }
                        GroupChoice::Each(function) => {
                            for e in &$($mutability)? function.captures {
                                visit(e);
                            }
                        }
                        GroupChoice::Count | GroupChoice::LeastAbsent => {}
                    }
                }
                ExprKind::EnqueueVertex { vertex, .. } => visit(vertex),
                ExprKind::PriorityQueueAlloc(q) => visit(&$($mutability)? q.start),
                ExprKind::Operator(op) => $operator(op, visit),
            }
        }

        fn $edges<'a>(edges: &'a $($mutability)? EdgeSetIterator, visit: &mut dyn FnMut(&'a $($mutability)? Expr)) {
            visit(&$($mutability)? edges.graph);
            for filter in [&$($mutability)? edges.from, &$($mutability)? edges.to] {
                match filter {
                    VertexFilter::All => {}
                    VertexFilter::Set(e) => visit(e),
                    VertexFilter::Function(f) => {
                        for e in &$($mutability)? f.captures {
                            visit(e);
                        }
                    }
                }
            }
            for e in &$($mutability)? edges.apply.captures {
                visit(e);
            }
        }

        /// Calls `visit` on each direct child expression of an operator.
        pub fn $operator<'a>(op: &'a $($mutability)? Operator, visit: &mut dyn FnMut(&'a $($mutability)? Expr)) {
            match op {
                Operator::EdgeSetIterator(e) => $edges(e, visit),
                Operator::UpdatePriorityEdgeSetIterator(u) => {
                    visit(&$($mutability)? u.queue);
                    $edges(&$($mutability)? u.edges, visit);
                }
                Operator::OrderedProcessing(o) => {
                    visit(&$($mutability)? o.queue);
                    visit(&$($mutability)? o.condition);
                    $edges(&$($mutability)? o.edges, visit);
                }
                Operator::VertexSetIterator(v) => {
                    visit(&$($mutability)? v.set);
                    for e in &$($mutability)? v.apply.captures {
                        visit(e);
                    }
                }
                Operator::VertexSetFilter(v) => {
                    visit(&$($mutability)? v.set);
                    for e in &$($mutability)? v.filter.captures {
                        visit(e);
                    }
                }
                Operator::VertexSetDedup(d) => visit(&$($mutability)? d.set),
                Operator::UpdatePriorityExtern(u) => {
                    visit(&$($mutability)? u.set);
                    for e in &$($mutability)? u.function.captures {
                        visit(e);
                    }
                    visit(&$($mutability)? u.queue);
                }
                Operator::UpdateBuckets(u) => {
                    visit(&$($mutability)? u.queue);
                    visit(&$($mutability)? u.modified);
                }
            }
        }

        /// Calls `visit` on each expression that belongs to the statement itself, not to nested statements.
        pub fn $stmt<'a>(stmt: &'a $($mutability)? Stmt, visit: &mut dyn FnMut(&'a $($mutability)? Expr)) {
            match &$($mutability)? stmt.kind {
                StmtKind::VarDecl { init, .. } => {
                    if let Some(e) = init {
                        visit(e);
                    }
                }
                StmtKind::Assign { target, value } => {
                    visit(target);
                    visit(value);
                }
                StmtKind::Eval(e) | StmtKind::Print(e) | StmtKind::Delete(e) => visit(e),
                StmtKind::If { condition, .. } | StmtKind::While { condition, .. } | StmtKind::DoWhile { condition, .. } => {
                    visit(condition);
                }
                StmtKind::For { low, high, .. } | StmtKind::ParFor { low, high, .. } => {
                    visit(low);
                    visit(high);
                }
                StmtKind::Break | StmtKind::Scope(_) => {}
                StmtKind::Hybrid(h) => {
                    if let Some(e) = &$($mutability)? h.frontier {
                        visit(e);
                    }
                    visit(&$($mutability)? h.graph);
                }
            }
        }
    };
}

child_visitors!(children, edge_children, operator_children, stmt_exprs);
child_visitors!(children_mut, edge_children_mut, operator_children_mut, stmt_exprs_mut, mut);

/// Visits `expr` and everything below it, parents first.
pub fn walk_expr<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    children(expr, &mut |child| walk_expr(child, visit));
}

/// Visits `expr` and everything below it, children first, to change it.
pub fn walk_expr_mut(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    children_mut(expr, &mut |child| walk_expr_mut(child, visit));
    visit(expr);
}

/// Visits every statement of a block and of the blocks nested in it, parents first.
pub fn walk_stmts<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            walk_stmts(inner, visit);
        }
    }
}

/// Visits every statement of a block and of the blocks nested in it, children first, to change it.
pub fn walk_stmts_mut(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        for inner in stmt.blocks_mut() {
            walk_stmts_mut(inner, visit);
        }
        visit(stmt);
    }
}

/// Visits every expression in a block, nested statements included.
pub fn walk_block_exprs<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    walk_stmts(block, &mut |stmt| stmt_exprs(stmt, &mut |e| walk_expr(e, visit)));
}

/// Visits every expression in a block to change it, children first.
pub fn walk_block_exprs_mut(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Expr)) {
    walk_stmts_mut(block, &mut |stmt| stmt_exprs_mut(stmt, &mut |e| walk_expr_mut(e, visit)));
}

/// How an operator or call uses a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Plain call.
    Call,
    /// Applied to edges.
    EdgeApply,
    /// `from` or `to` filter of an edge operator.
    EdgeFilter,
    /// Applied to vertices.
    VertexApply,
    /// Filter of a vertex set.
    VertexFilter,
    /// Extern priority function.
    PriorityExtern,
}

/// The function references made by one expression itself (not by its children).
pub fn function_refs(expr: &Expr) -> Vec<(Use, &FunctionRef)> {
    match &expr.kind {
        ExprKind::Call { function, .. } => vec![(Use::Call, function)],
        ExprKind::Groups(groups) => groups.functions().map(|function| (Use::Call, function)).collect(),
        ExprKind::Operator(op) => operator_functions(op),
        _ => Vec::new(),
    }
}

/// The functions that an operator calls.
pub fn operator_functions(op: &Operator) -> Vec<(Use, &FunctionRef)> {
    match op {
        Operator::VertexSetIterator(v) => vec![(Use::VertexApply, &v.apply)],
        Operator::VertexSetFilter(v) => vec![(Use::VertexFilter, &v.filter)],
        Operator::UpdatePriorityExtern(u) => vec![(Use::PriorityExtern, &u.function)],
        Operator::VertexSetDedup(_) | Operator::UpdateBuckets(_) => Vec::new(),
        Operator::EdgeSetIterator(_) | Operator::UpdatePriorityEdgeSetIterator(_) | Operator::OrderedProcessing(_) => {
            op.edges().map_or_else(Vec::new, |edges| {
                let mut refs = Vec::new();
                for filter in [&edges.from, &edges.to] {
                    if let VertexFilter::Function(f) = filter {
                        refs.push((Use::EdgeFilter, f));
                    }
                }
                refs.push((Use::EdgeApply, &edges.apply));
                refs
            })
        }
    }
}

/// [`function_refs`] to change them.
pub fn function_refs_mut(expr: &mut Expr) -> Vec<(Use, &mut FunctionRef)> {
    match &mut expr.kind {
        ExprKind::Call { function, .. } => vec![(Use::Call, function)],
        ExprKind::Groups(groups) => groups.functions_mut().map(|function| (Use::Call, function)).collect(),
        ExprKind::Operator(op) => match &mut **op {
            Operator::VertexSetIterator(v) => vec![(Use::VertexApply, &mut v.apply)],
            Operator::VertexSetFilter(v) => vec![(Use::VertexFilter, &mut v.filter)],
            Operator::UpdatePriorityExtern(u) => vec![(Use::PriorityExtern, &mut u.function)],
            Operator::VertexSetDedup(_) | Operator::UpdateBuckets(_) => Vec::new(),
            other => other.edges_mut().map_or_else(Vec::new, |edges| {
                let EdgeSetIterator { from, to, apply, .. } = edges;
                let mut refs = Vec::new();
                for filter in [from, to] {
                    if let VertexFilter::Function(f) = filter {
                        refs.push((Use::EdgeFilter, f));
                    }
                }
                refs.push((Use::EdgeApply, apply));
                refs
            }),
        },
        _ => Vec::new(),
    }
}

/// All blocks of code of a module: start-up first, then function bodies.
pub fn bodies_mut(module: &mut Module) -> impl Iterator<Item = &mut Block> {
    std::iter::once(&mut module.startup).chain(module.functions.iter_mut().filter_map(|f| f.body.as_mut()))
}

/// All blocks of code of a module: start-up first, then function bodies.
pub fn bodies(module: &Module) -> impl Iterator<Item = &Block> {
    std::iter::once(&module.startup).chain(module.functions.iter().filter_map(|f| f.body.as_ref()))
}

/// True when the statement itself (not nested ones) mentions the variable.
pub fn stmt_mentions(stmt: &Stmt, name: &str) -> bool {
    let mut found = false;
    stmt_exprs(stmt, &mut |e| {
        walk_expr(e, &mut |e| found |= mentions(e, name));
    });
    found
}

/// True when the expression node itself (not its children) names the variable.
pub fn mentions(expr: &Expr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Var(n) | ExprKind::EnqueueVertex { set: n, .. } => &**n == name,
        ExprKind::PriorityQueueAlloc(q) => &*q.vector == name,
        _ => false,
    }
}

/// True when the block, nested statements included, mentions the variable.
pub fn block_mentions(block: &[Stmt], name: &str) -> bool {
    let mut found = false;
    walk_stmts(block, &mut |s| found |= stmt_mentions(s, name));
    found
}

/// The names of all variables that an expression and its children mention, in order.
pub fn variables(expr: &Expr) -> Vec<Name> {
    let mut names = Vec::new();
    walk_expr(expr, &mut |e| match &e.kind {
        ExprKind::Var(n) | ExprKind::EnqueueVertex { set: n, .. } => names.push(n.clone()),
        ExprKind::PriorityQueueAlloc(q) => names.push(q.vector.clone()),
        _ => {}
    });
    names
}
