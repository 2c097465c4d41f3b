//! Loop fuse: two neighbouring loops with constant bounds become one over their common range, with a prologue and an
//! epilogue for the rest.
//!
//! Iterations change their order, so the two bodies must not touch the same data.

use super::PassError;
use super::loop_split::{breaks, unknown_label};
use crate::analysis::effects::Effects;
use crate::expr::{Expr, ExprKind};
use crate::meta::ForMeta;
use crate::module::Module;
use crate::points::{inner_prefix, own_path};
use crate::rewrite::{fresh, rename, taken};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use std::collections::{HashMap, HashSet};

const PASS: &str = "loop-fuse";

/// Fuses the loops at the two label paths.
pub fn fuse(mut module: Module, first: &str, second: &str, fused: &str) -> Result<Module, PassError> {
    let mut done = false;
    for at in 0..module.functions.len() {
        let mut names = taken(&module, Some(&module.functions[at]));
        let Some(mut body) = module.functions[at].body.take() else { continue };
        let labels = Labels { first, second, fused };
        done |= fuse_in(&module, &mut body, "", &labels, &mut names)?;
        module.functions[at].body = Some(body);
    }
    if done {
        return Ok(module);
    }
    let paths = crate::points::label_paths(&module);
    match [first, second].into_iter().find(|l| !paths.iter().any(|p| p == l)) {
        Some(missing) => Err(unknown_label(PASS, &module, missing)),
        None => {
            Err(PassError::transform(PASS, Span::NONE, format!("`{first}` and `{second}` are not neighbouring loops")))
        }
    }
}

/// Label paths of the two loops and the label of the fused one.
struct Labels<'a> {
    first: &'a str,
    second: &'a str,
    fused: &'a str,
}

fn fuse_in(
    module: &Module,
    block: &mut Block,
    prefix: &str,
    labels: &Labels,
    names: &mut HashSet<Name>,
) -> Result<bool, PassError> {
    for i in 0..block.len() {
        if own_path(prefix, &block[i]).as_deref() == Some(labels.first)
            && block.get(i + 1).is_some_and(|s| own_path(prefix, s).as_deref() == Some(labels.second))
        {
            let new = fuse_pair(module, &block[i], &block[i + 1], labels.fused, names)?;
            block.splice(i..i + 2, new);
            return Ok(true);
        }
        let inner = inner_prefix(prefix, &block[i]);
        for b in block[i].blocks_mut() {
            if fuse_in(module, b, &inner, labels, names)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// A loop with constant bounds.
struct Constant<'s> {
    label: Option<Name>,
    var: &'s Name,
    range: (i64, i64),
    body: &'s Block,
}

fn constant(stmt: &Stmt) -> Result<Constant<'_>, PassError> {
    let fail = |message: &str| PassError::transform(PASS, stmt.span, message);
    let StmtKind::For { var, low, high, body, .. } = &stmt.kind else {
        return Err(fail("only for loops can be fused"));
    };
    let (ExprKind::Int(a), ExprKind::Int(b)) = (&low.kind, &high.kind) else {
        return Err(fail("only loops with constant bounds can be fused"));
    };
    if breaks(body) {
        return Err(fail("a loop with a break cannot be fused"));
    }
    Ok(Constant { label: stmt.label.clone(), var, range: (*a, *b.max(a)), body })
}

fn fuse_pair(
    module: &Module,
    first: &Stmt,
    second: &Stmt,
    fused: &str,
    names: &mut HashSet<Name>,
) -> Result<Block, PassError> {
    let (one, two) = (constant(first)?, constant(second)?);
    let (a, b) = (Effects::of(module, one.body), Effects::of(module, two.body));
    if a.outside && b.outside {
        let message = "both loops print, take times, draw numbers or call extern functions, whose order would change";
        return Err(PassError::transform(PASS, first.span, message));
    }
    if let Some(name) = a.conflict(&b) {
        let message = format!("both loops touch `{name}`, so fusing them would change their order on it");
        return Err(PassError::transform(PASS, first.span, message));
    }
    let low = one.range.0.max(two.range.0);
    let high = one.range.1.min(two.range.1);
    if low >= high {
        return Err(PassError::transform(PASS, first.span, "the loops have no iteration in common"));
    }
    // The bodies keep their names in the common part; prologue and epilogue are copies under fresh names.
    let mut part = |of: &Constant, from: i64, to: i64, label: String| {
        let (var, body) = copy(of, names);
        for_loop(var, from, to, body, &label, first.span)
    };
    let mut out = Block::new();
    for of in [&one, &two] {
        if of.range.0 < low {
            out.push(part(of, of.range.0, low, format!("{fused}_prologue")));
        }
    }
    let mut second_body = two.body.clone();
    rename(&mut second_body, &HashMap::from([(two.var.clone(), one.var.clone())]));
    let scope =
        |label: &Option<Name>, body: Block, span| Stmt::new(StmtKind::Scope(body)).at(span).labelled(label.clone());
    let body = vec![scope(&one.label, one.body.clone(), first.span), scope(&two.label, second_body, second.span)];
    out.push(for_loop(one.var.clone(), low, high, body, fused, first.span));
    for of in [&one, &two] {
        if of.range.1 > high {
            out.push(part(of, high, of.range.1, format!("{fused}_epilogue")));
        }
    }
    Ok(out)
}

/// Body and variable of a loop with all its locals renamed.
fn copy(of: &Constant, names: &mut HashSet<Name>) -> (Name, Block) {
    let mut body = of.body.clone();
    let mut renamed: HashMap<Name, Name> = HashMap::new();
    for local in super::loop_split::declared(&body) {
        let new = fresh(names, &local);
        renamed.insert(local, new);
    }
    let var = fresh(names, of.var);
    renamed.insert(of.var.clone(), var.clone());
    rename(&mut body, &renamed);
    (var, body)
}

fn for_loop(var: Name, low: i64, high: i64, body: Block, label: &str, span: Span) -> Stmt {
    let kind = StmtKind::For { var, low: Expr::int(low), high: Expr::int(high), body, meta: ForMeta::default() };
    Stmt::new(kind).at(span).labelled(Some(label.into()))
}
