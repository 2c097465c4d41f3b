//! Walks over the typed tree.

use crate::typed::{EdgeApply, Expr, ExprKind, Filter, FuncUse, GroupApply, Init, Place, Stmt, StmtKind};

/// The blocks of statements directly inside a statement.
pub fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If { arms, otherwise } => {
            arms.iter().map(|(_, body)| body.as_slice()).chain([otherwise.as_slice()]).collect()
        }
        StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::ForEach { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Calls `f` for every statement, outer before inner.
pub fn stmts(body: &[Stmt], f: &mut impl FnMut(&Stmt)) {
    for stmt in body {
        f(stmt);
        for inner in blocks(stmt) {
            stmts(inner, f);
        }
    }
}

/// Calls `f` for every statement, outer before inner, for changing it in place.
pub fn stmts_mut(body: &mut [Stmt], f: &mut impl FnMut(&mut Stmt)) {
    for stmt in body {
        f(stmt);
        match &mut stmt.kind {
            StmtKind::If { arms, otherwise } => {
                for (_, body) in arms {
                    stmts_mut(body, f);
                }
                stmts_mut(otherwise, f);
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::ForEach { body, .. } => stmts_mut(body, f),
            _ => {}
        }
    }
}

/// Calls `f` for every expression of one statement (not of the statements inside it), outer before inner.
pub fn exprs(stmt: &Stmt, f: &mut impl FnMut(&Expr)) {
    match &stmt.kind {
        StmtKind::Let { init, .. } => {
            if let Some(init) = init {
                init_exprs(init, f);
            }
        }
        StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
            place(target, f);
            expr(value, f);
        }
        StmtKind::SetUniverse { count, .. } => expr(count, f),
        StmtKind::If { arms, .. } => arms.iter().for_each(|(cond, _)| expr(cond, f)),
        StmtKind::While { cond, .. } | StmtKind::DoWhile { cond, .. } => expr(cond, f),
        StmtKind::For { low, high, .. } => {
            expr(low, f);
            expr(high, f);
        }
        StmtKind::ForEach { members, .. } => expr(members, f),
        StmtKind::Print(values) => values.iter().for_each(|value| expr(value, f)),
        StmtKind::Expr(value) => expr(value, f),
        StmtKind::Delete(target) => place(target, f),
        StmtKind::Break | StmtKind::Continue => {}
    }
}

/// Calls `f` for every expression of an initialiser.
pub fn init_exprs(init: &Init, f: &mut impl FnMut(&Expr)) {
    match init {
        Init::Value(value) | Init::Fill(value) | Init::Universe(value) => expr(value, f),
        Init::Items(items) => items.iter().for_each(|item| expr(item, f)),
    }
}

/// Calls `f` for the expression and every one inside it, outer before inner.
pub fn expr(outer: &Expr, f: &mut impl FnMut(&Expr)) {
    f(outer);
    match &outer.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::NewList
        | ExprKind::NewVector => {}
        ExprKind::Argv(inner) | ExprKind::Convert(inner) | ExprKind::Neg(inner) | ExprKind::Not(inner) => {
            expr(inner, f)
        }
        ExprKind::Load { path, weight } => {
            expr(path, f);
            weight.iter().for_each(|weight| expr(weight, f));
        }
        ExprKind::NewVertexSet { size, .. } => expr(size, f),
        ExprKind::Index { base, index } => {
            expr(base, f);
            expr(index, f);
        }
        ExprKind::Binary { left, right, .. } => {
            expr(left, f);
            expr(right, f);
        }
        ExprKind::Call { func, args } => {
            func_use(func, f);
            args.iter().for_each(|arg| expr(arg, f));
        }
        ExprKind::Builtin { args, .. } => args.iter().for_each(|arg| expr(arg, f)),
        ExprKind::EdgeApply(apply) => edge_apply(apply, f),
        ExprKind::Groups(apply) => group_apply(apply, f),
        ExprKind::VertexApply { set, func }
        | ExprKind::VertexFilter { set, func }
        | ExprKind::VertexApplyExtern { set, func } => {
            expr(set, f);
            func_use(func, f);
        }
        ExprKind::NewPriorityQueue(queue) => {
            expr(&queue.vector, f);
            expr(&queue.start, f);
        }
    }
}

fn edge_apply(apply: &EdgeApply, f: &mut impl FnMut(&Expr)) {
    expr(&apply.graph, f);
    for filter in [&apply.from, &apply.to].into_iter().flatten() {
        match filter {
            Filter::Set(set) => expr(set, f),
            Filter::Func(func) => func_use(func, f),
        }
    }
    func_use(&apply.func, f);
}

fn group_apply(apply: &GroupApply, f: &mut impl FnMut(&Expr)) {
    expr(&apply.graph, f);
    match &apply.from {
        Some(Filter::Set(set)) => expr(set, f),
        Some(Filter::Func(func)) => func_use(func, f),
        None => {}
    }
    apply.functions().for_each(|func| func_use(func, f));
    apply.vectors().for_each(|vector| expr(vector, f));
}

fn func_use(func: &FuncUse, f: &mut impl FnMut(&Expr)) {
    func.captures.iter().for_each(|capture| expr(capture, f));
}

fn place(place: &Place, f: &mut impl FnMut(&Expr)) {
    place.indices.iter().for_each(|index| expr(index, f));
}
