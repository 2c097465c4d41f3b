//! Apply fusion: two neighbouring vertex operators over the same set become one whose function runs both.
//!
//! The second function then runs on a vertex before the first has run on all others, so vectors that one writes and the
//! other touches may only be indexed by the vertex itself.

use super::PassError;
use super::loop_split::unknown_label;
use crate::analysis::calls::called_in;
use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::module::{Function, FunctionKind, Module};
use crate::operator::{Operator, VertexSetIterator};
use crate::points::{inner_prefix, own_path};
use crate::rewrite::rename;
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::walk::{walk_block_exprs, walk_stmts};
use std::collections::{BTreeSet, HashMap};

const PASS: &str = "apply-fusion";

/// Replaces the operator at the first path by the fused one and removes the one at the second.
pub fn fuse(mut module: Module, first: &str, second: &str, name: &str) -> Result<Module, PassError> {
    if module.function(name).is_some() || module.global(name).is_some() {
        return Err(PassError::transform(PASS, Span::NONE, format!("`{name}` exists already")));
    }
    for at in 0..module.functions.len() {
        let Some(mut body) = module.functions[at].body.take() else { continue };
        let found = find(&mut body, "", first, second, &mut |one, two| fused(&module, one, two, name));
        module.functions[at].body = Some(body);
        if let Some(result) = found {
            let function = result?;
            module.functions.insert(at, function);
            return Ok(module);
        }
    }
    let paths = crate::points::label_paths(&module);
    match [first, second].into_iter().find(|l| !paths.iter().any(|p| p == l)) {
        Some(missing) => Err(unknown_label(PASS, &module, missing)),
        None => {
            let message = format!("`{first}` and `{second}` are not neighbouring statements");
            Err(PassError::transform(PASS, Span::NONE, message))
        }
    }
}

type Fused = Result<(FunctionRef, Function), PassError>;

/// Finds the neighbouring statements, replaces the first and removes the second.
fn find(
    block: &mut Block,
    prefix: &str,
    first: &str,
    second: &str,
    make: &mut dyn FnMut(&Stmt, &Stmt) -> Fused,
) -> Option<Result<Function, PassError>> {
    for i in 0..block.len() {
        if own_path(prefix, &block[i]).as_deref() == Some(first)
            && block.get(i + 1).is_some_and(|s| own_path(prefix, s).as_deref() == Some(second))
        {
            return Some(make(&block[i], &block[i + 1]).map(|(reference, function)| {
                block.remove(i + 1);
                if let Some(Operator::VertexSetIterator(v)) = block[i].operator_mut() {
                    v.apply = reference;
                }
                function
            }));
        }
        let inner = inner_prefix(prefix, &block[i]);
        for b in block[i].blocks_mut() {
            if let Some(result) = find(b, &inner, first, second, make) {
                return Some(result);
            }
        }
    }
    None
}

fn vertex_operator(stmt: &Stmt) -> Result<&VertexSetIterator, PassError> {
    match stmt.operator() {
        Some(Operator::VertexSetIterator(v)) => Ok(v),
        _ => Err(PassError::transform(PASS, stmt.span, "only vertex operators can be fused")),
    }
}

fn fused(module: &Module, one: &Stmt, two: &Stmt, name: &str) -> Fused {
    let fail = |message: String| PassError::transform(PASS, one.span, message);
    let (a, b) = (vertex_operator(one)?, vertex_operator(two)?);
    if a.set != b.set {
        return Err(fail("the two operators run over different sets".into()));
    }
    let body_of = |name: &Name| module.function(name).and_then(|f| f.body.as_ref().map(|b| (f, b)));
    let (Some((f, f_body)), Some((g, g_body))) = (body_of(&a.apply.name), body_of(&b.apply.name)) else {
        return Err(fail("an extern function cannot be fused".into()));
    };
    if !called_in(f_body).is_empty() || !called_in(g_body).is_empty() {
        return Err(fail("functions that call others cannot be fused".into()));
    }
    if let Some(name) = order_dependence(f, f_body, g, g_body) {
        return Err(fail(format!("`{name}` is shared by the two functions at other indices than their own vertex")));
    }
    // Everything of `g` gets a name that `f` does not use; their vertex is one.
    let own = |f: &Function| -> Vec<Name> {
        let params = f.captures.iter().chain(&f.params).chain(&f.result).map(|p| p.name.clone());
        params.chain(f.locals().into_iter().map(|l| l.name)).collect()
    };
    let mut taken = crate::rewrite::taken(module, Some(f));
    let mut names: HashMap<Name, Name> = HashMap::new();
    for n in own(g) {
        names.insert(n.clone(), crate::rewrite::fresh(&mut taken, &n));
    }
    names.insert(g.params[0].name.clone(), f.params[0].name.clone());
    let mut second = g_body.clone();
    rename(&mut second, &names);
    let mut captures = f.captures.clone();
    captures.extend(g.captures.iter().cloned().map(|mut c| {
        c.name = names[&c.name].clone();
        c
    }));
    let mut body = f_body.clone();
    // Results of the two functions are not used by a vertex operator, but their variables must exist.
    for result in f.result.iter().cloned().chain(g.result.iter().cloned().map(|mut r| {
        r.name = names[&r.name].clone();
        r
    })) {
        body.insert(0, Stmt::new(StmtKind::VarDecl { name: result.name, ty: result.ty, init: None }));
    }
    body.extend(second);
    let mut values: Vec<Expr> = a.apply.captures.clone();
    values.extend(b.apply.captures.iter().cloned());
    let function =
        Function { name: name.into(), kind: FunctionKind::User, captures, result: None, body: Some(body), ..f.clone() };
    Ok((FunctionRef { name: name.into(), captures: values }, function))
}

/// A variable whose value depends on whether all of `f` runs before any of `g`.
fn order_dependence(f: &Function, f_body: &[Stmt], g: &Function, g_body: &[Stmt]) -> Option<Name> {
    let (a, b) = (Touched::of(f, f_body), Touched::of(g, g_body));
    let clash = |w: &Touched, o: &Touched| {
        w.written.iter().find(|n| o.all.contains(*n) && (w.elsewhere.contains(*n) || o.elsewhere.contains(*n))).cloned()
    };
    clash(&a, &b).or_else(|| clash(&b, &a))
}

/// The shared variables of a vertex function.
#[derive(Default)]
struct Touched {
    all: BTreeSet<Name>,
    written: BTreeSet<Name>,
    /// Touched other than as an entry of the function's own vertex.
    elsewhere: BTreeSet<Name>,
}

impl Touched {
    fn of(function: &Function, body: &[Stmt]) -> Touched {
        let mut t = Touched::default();
        let mine: BTreeSet<Name> = function
            .params
            .iter()
            .chain(&function.result)
            .map(|p| p.name.clone())
            .chain(function.locals().into_iter().map(|l| l.name))
            .collect();
        let vertex = function.params.first().map(|p| &p.name);
        let mut owned_mentions: HashMap<Name, usize> = HashMap::new();
        let mut mentions: HashMap<Name, usize> = HashMap::new();
        walk_block_exprs(body, &mut |e| match &e.kind {
            ExprKind::Var(n) if !mine.contains(n) => *mentions.entry(n.clone()).or_default() += 1,
            ExprKind::Element { vector, index, .. } => {
                if let (Some(n), true) = (vector.as_var(), index.as_var() == vertex) {
                    *owned_mentions.entry(n.clone()).or_default() += 1;
                }
            }
            ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } => {
                t.written.extend(target.place_root().cloned());
            }
            _ => {}
        });
        walk_stmts(body, &mut |s| {
            if let StmtKind::Assign { target, .. } = &s.kind {
                t.written.extend(target.place_root().cloned());
            }
        });
        for (name, count) in mentions {
            if owned_mentions.get(&name) != Some(&count) {
                t.elsewhere.insert(name.clone());
            }
            t.all.insert(name);
        }
        t.written.retain(|n| !mine.contains(n));
        t
    }
}
