//! Loop split: one `for` becomes two over its first and its remaining iterations.

use super::{PassError, check_schedule::nearest};
use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind};
use crate::module::Module;
use crate::points::{label_paths, rewrite_block};
use crate::rewrite::{fresh, rename, taken};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;
use std::collections::{HashMap, HashSet};

const PASS: &str = "loop-split";

/// What to split, and how.
pub struct Split<'a> {
    /// Label path of the loop.
    pub target: &'a str,
    /// Label of the first part.
    pub first: &'a str,
    /// Label of the second part.
    pub second: &'a str,
    /// The first part ends before `counts.0`, the second `counts.1` later: for a loop from 0, the iterations of each.
    pub counts: (u64, u64),
}

/// Splits every loop at the path. The second part keeps what the first does not run, so the program means the same.
pub fn split(mut module: Module, split: &Split) -> Result<Module, PassError> {
    let mut found = false;
    for at in 0..module.functions.len() {
        let mut names = taken(&module, Some(&module.functions[at]));
        let Some(body) = module.functions[at].body.take() else { continue };
        let body = rewrite_block(body, "", &mut |stmt, path| {
            if path != Some(split.target) {
                return Ok(vec![stmt]);
            }
            found = true;
            split_one(stmt, split, &mut names)
        })?;
        module.functions[at].body = Some(body);
    }
    if !found {
        return Err(unknown_label(PASS, &module, split.target));
    }
    Ok(module)
}

/// The error for a transform whose label is nowhere.
pub(super) fn unknown_label(pass: &'static str, module: &Module, label: &str) -> PassError {
    let nearest = nearest(label, &label_paths(module));
    let problem = super::PassProblem::UnknownLabel { label: label.to_string(), nearest };
    PassError { pass, span: Span::NONE, problem }
}

fn split_one(stmt: Stmt, split: &Split, names: &mut HashSet<Name>) -> Result<Block, PassError> {
    let span = stmt.span;
    let fail = |message: String| PassError::transform(PASS, span, message);
    let StmtKind::For { var, low, high, body, meta } = stmt.kind else {
        return Err(fail(format!("`{}` is not a for loop", split.target)));
    };
    if breaks(&body) {
        return Err(fail(format!("`{}` contains a break, which would leave only one of the parts", split.target)));
    }
    let (n1, n2) = split.counts;
    let middle_offset = i32::try_from(n1).map_err(|_| fail(format!("{n1} iterations are too many")))?;
    if let (ExprKind::Int(a), ExprKind::Int(b)) = (&low.kind, &high.kind)
        && (i64::from(middle_offset) < *a || (*b).max(0) as u64 != n1.saturating_add(n2))
    {
        let message = format!("`{}` runs from {a} to {b}, which {n1} and {n1} + {n2} do not split", split.target);
        return Err(fail(message));
    }
    let middle = Expr::int(i64::from(middle_offset));
    // With a start known only at run time the second part must not begin before it.
    let middle = match &low.kind {
        ExprKind::Int(_) => middle,
        _ => Expr::new(ExprKind::Builtin(Builtin::Max, vec![low.clone(), middle]), Type::INT),
    };
    // With bounds known only at run time the first part must not run past the end.
    let first_end = match (&middle.kind, &high.kind) {
        (ExprKind::Int(_), ExprKind::Int(_)) => middle.clone(),
        _ => Expr::new(ExprKind::Builtin(Builtin::Min, vec![middle.clone(), high.clone()]), Type::INT),
    };
    let mut renamed = HashMap::new();
    let mut second_body = body.clone();
    for local in declared(&second_body).into_iter().chain([var.clone()]) {
        let new = fresh(names, &local);
        renamed.insert(local, new);
    }
    rename(&mut second_body, &renamed);
    let second_var = renamed.get(&var).cloned().unwrap_or_else(|| var.clone());
    let part = |label: &str, var, low, high, body| {
        Stmt::new(StmtKind::For { var, low, high, body, meta: meta.clone() }).at(span).labelled(Some(label.into()))
    };
    Ok(vec![part(split.first, var, low, first_end, body), part(split.second, second_var, middle, high, second_body)])
}

/// Locals declared in a block.
pub(super) fn declared(block: &[Stmt]) -> Vec<Name> {
    let mut names = Vec::new();
    crate::walk::walk_stmts(block, &mut |s| match &s.kind {
        StmtKind::VarDecl { name, .. } => names.push(name.clone()),
        StmtKind::For { var, .. } | StmtKind::ParFor { var, .. } => names.push(var.clone()),
        _ => {}
    });
    names
}

/// Whether a `break` in the block leaves the loop around it.
pub(super) fn breaks(block: &[Stmt]) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. } | StmtKind::ParFor { .. } => false,
        _ => s.blocks().iter().any(|b| breaks(b)),
    })
}
