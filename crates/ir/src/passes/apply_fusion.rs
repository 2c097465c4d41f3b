//! Apply fusion: two operators become one whose function runs both. They are vertex operators over the same set, or
//! edge operators over all edges of the same graph.
//!
//! The second operator moves up to the first, so nothing in between may touch what the second touches. It stands in the
//! same block, or in a neighbouring scope: loop fuse leaves the two bodies of a fused loop in a scope each.
//!
//! The second function then runs on a vertex before the first has run on all others, so vectors that one writes and the
//! other touches may only be indexed by the vertex itself; edge functions may not share such vectors at all.

use super::PassError;
use super::loop_split::unknown_label;
use crate::analysis::calls::called_in;
use crate::analysis::effects::Effects;
use crate::expr::{Expr, ExprKind, FunctionRef};
use crate::module::{Function, FunctionKind, Module};
use crate::operator::{EdgeOutput, EdgeSetIterator, Operator, VertexFilter, VertexSetIterator};
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
        let found = find(&mut body, "", first, second, &mut |one, between, two| {
            may_move(&module, between, two)?;
            fused(&module, one, two, name)
        });
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
            let message = format!("`{first}` does not stand before `{second}` in one block or in neighbouring scopes");
            Err(PassError::transform(PASS, Span::NONE, message))
        }
    }
}

type Fused = Result<(FunctionRef, Function), PassError>;

/// Makes the fused function of two statements, given the statements between them.
type Make<'f> = dyn FnMut(&Stmt, &[Stmt], &Stmt) -> Fused + 'f;

/// Finds the two statements, replaces the first and removes the second.
fn find(
    block: &mut Block,
    prefix: &str,
    first: &str,
    second: &str,
    make: &mut Make,
) -> Option<Result<Function, PassError>> {
    let mut line = Vec::new();
    in_a_line(block, prefix, &mut Vec::new(), &mut line);
    let place = |path: &str| line.iter().position(|(own, _)| own.as_deref() == Some(path));
    if let (Some(a), Some(b)) = (place(first), place(second))
        && a < b
    {
        let (one, two) = (line[a].1.clone(), line[b].1.clone());
        let between: Vec<Stmt> = line[a + 1..b].iter().map(|(_, at)| stmt_at(block, at).clone()).collect();
        return Some(make(stmt_at(block, &one), &between, stmt_at(block, &two)).map(|(reference, function)| {
            take(block, &two);
            match stmt_at_mut(block, &one).operator_mut() {
                Some(Operator::VertexSetIterator(v)) => v.apply = reference,
                Some(Operator::EdgeSetIterator(e)) => e.apply = reference,
                _ => {}
            }
            function
        }));
    }
    for stmt in block.iter_mut() {
        let inner = inner_prefix(prefix, stmt);
        for b in stmt.blocks_mut() {
            if let Some(result) = find(b, &inner, first, second, make) {
                return Some(result);
            }
        }
    }
    None
}

/// The statements of a block with those of its scopes, in the order in which they run: label path, and the positions
/// that lead to each.
fn in_a_line(block: &[Stmt], prefix: &str, at: &mut Vec<usize>, line: &mut Vec<(Option<String>, Vec<usize>)>) {
    for (i, stmt) in block.iter().enumerate() {
        at.push(i);
        match &stmt.kind {
            StmtKind::Scope(inner) => in_a_line(inner, &inner_prefix(prefix, stmt), at, line),
            _ => line.push((own_path(prefix, stmt), at.clone())),
        }
        at.pop();
    }
}

fn stmt_at<'b>(block: &'b Block, at: &[usize]) -> &'b Stmt {
    match (&block[at[0]].kind, &at[1..]) {
        (StmtKind::Scope(inner), rest) if !rest.is_empty() => stmt_at(inner, rest),
        _ => &block[at[0]],
    }
}

fn stmt_at_mut<'b>(block: &'b mut Block, at: &[usize]) -> &'b mut Stmt {
    let stmt = &mut block[at[0]];
    match at.len() {
        1 => stmt,
        _ => match &mut stmt.kind {
            StmtKind::Scope(inner) => stmt_at_mut(inner, &at[1..]),
            // Positions go through scopes only.
            _ => unreachable!("a position inside a statement that is no scope"),
        },
    }
}

fn take(block: &mut Block, at: &[usize]) {
    match (&mut block[at[0]].kind, &at[1..]) {
        (StmtKind::Scope(inner), rest) if !rest.is_empty() => take(inner, rest),
        _ => {
            block.remove(at[0]);
        }
    }
}

/// Whether the second operator may run before the statements between.
fn may_move(module: &Module, between: &[Stmt], two: &Stmt) -> Result<(), PassError> {
    let (a, b) = (Effects::of(module, between), Effects::of(module, std::slice::from_ref(two)));
    let fail = |message: String| Err(PassError::transform(PASS, two.span, message));
    if a.outside && b.outside {
        return fail(
            "the operator would print, take times or draw numbers before the statements that precede it".into(),
        );
    }
    match a.conflict(&b) {
        Some(name) => fail(format!("`{name}` is touched between the two operators, so they cannot run as one")),
        None => Ok(()),
    }
}

/// The two operators of a fusion, of one kind.
enum Pair<'s> {
    Vertex(&'s VertexSetIterator, &'s VertexSetIterator),
    Edge(&'s EdgeSetIterator, &'s EdgeSetIterator),
}

impl<'s> Pair<'s> {
    fn of(one: &'s Stmt, two: &'s Stmt) -> Result<Pair<'s>, PassError> {
        let fail = |span, message: &str| Err(PassError::transform(PASS, span, message));
        match (one.operator(), two.operator()) {
            (Some(Operator::VertexSetIterator(a)), Some(Operator::VertexSetIterator(b))) => match a.set == b.set {
                true => Ok(Pair::Vertex(a, b)),
                false => fail(one.span, "the two operators run over different sets"),
            },
            (Some(Operator::EdgeSetIterator(a)), Some(Operator::EdgeSetIterator(b))) => {
                for (edges, span) in [(a, one.span), (b, two.span)] {
                    let all = edges.from == VertexFilter::All && edges.to == VertexFilter::All;
                    if !all || edges.output != EdgeOutput::None {
                        return fail(span, "only edge operators without `from`, `to` and output set can be fused");
                    }
                }
                match a.graph == b.graph {
                    true => Ok(Pair::Edge(a, b)),
                    false => fail(one.span, "the two operators run over different graphs"),
                }
            }
            _ => fail(one.span, "only two vertex operators or two edge operators can be fused"),
        }
    }

    fn functions(&self) -> (&'s FunctionRef, &'s FunctionRef) {
        match *self {
            Pair::Vertex(a, b) => (&a.apply, &b.apply),
            Pair::Edge(a, b) => (&a.apply, &b.apply),
        }
    }
}

fn fused(module: &Module, one: &Stmt, two: &Stmt, name: &str) -> Fused {
    let fail = |message: String| PassError::transform(PASS, one.span, message);
    let pair = Pair::of(one, two)?;
    let (a, b) = pair.functions();
    let body_of = |name: &Name| module.function(name).and_then(|f| f.body.as_ref().map(|b| (f, b)));
    let (Some((f, f_body)), Some((g, g_body))) = (body_of(&a.name), body_of(&b.name)) else {
        return Err(fail("an extern function cannot be fused".into()));
    };
    if !called_in(f_body).is_empty() || !called_in(g_body).is_empty() {
        return Err(fail("functions that call others cannot be fused".into()));
    }
    if f.params.len() != g.params.len() {
        return Err(fail("one of the two functions takes the weight of the edge and the other does not".into()));
    }
    match pair {
        Pair::Vertex(..) => {
            if let Some(name) = order_dependence(f, f_body, g, g_body) {
                let message = format!("`{name}` is shared by the two functions at other indices than their own vertex");
                return Err(fail(message));
            }
        }
        Pair::Edge(..) => {
            let (first, second) = (edge_effects(module, a, f, f_body), edge_effects(module, b, g, g_body));
            if first.outside && second.outside {
                return Err(fail("both functions print or draw numbers, whose order would change".into()));
            }
            if let Some(name) = first.conflict(&second) {
                return Err(fail(format!("`{name}` is shared by the two functions, and one of them writes it")));
            }
        }
    }
    // Everything of `g` gets a name that `f` does not use; their parameters are the same.
    let mut taken = crate::rewrite::taken(module, Some(f));
    let mut names: HashMap<Name, Name> = HashMap::new();
    for n in own_names(g) {
        names.insert(n.clone(), crate::rewrite::fresh(&mut taken, &n));
    }
    for (theirs, ours) in g.params.iter().zip(&f.params) {
        names.insert(theirs.name.clone(), ours.name.clone());
    }
    let mut second = g_body.clone();
    rename(&mut second, &names);
    let mut captures = f.captures.clone();
    captures.extend(g.captures.iter().cloned().map(|mut c| {
        c.name = names[&c.name].clone();
        c
    }));
    let mut body = f_body.clone();
    // Results of the two functions are not used, but their variables must exist.
    for result in f.result.iter().cloned().chain(g.result.iter().cloned().map(|mut r| {
        r.name = names[&r.name].clone();
        r
    })) {
        body.insert(0, Stmt::new(StmtKind::VarDecl { name: result.name, ty: result.ty, init: None }));
    }
    body.extend(second);
    let mut values: Vec<Expr> = a.captures.clone();
    values.extend(b.captures.iter().cloned());
    let function =
        Function { name: name.into(), kind: FunctionKind::User, captures, result: None, body: Some(body), ..f.clone() };
    Ok((FunctionRef { name: name.into(), captures: values }, function))
}

/// Captures, parameters, result and locals of a function.
fn own_names(function: &Function) -> Vec<Name> {
    let declared = function.captures.iter().chain(&function.params).chain(&function.result).map(|p| p.name.clone());
    declared.chain(function.locals().into_iter().map(|l| l.name)).collect()
}

/// What an edge function touches outside itself: globals by name, captures by the variable they are bound to.
fn edge_effects(module: &Module, used: &FunctionRef, function: &Function, body: &[Stmt]) -> Effects {
    let mut effects = Effects::of(module, body);
    let own = own_names(function);
    effects.reads.retain(|n| !own.contains(n));
    effects.writes.retain(|n| !own.contains(n));
    for capture in &used.captures {
        let Some(root) = capture.place_root() else { continue };
        effects.reads.insert(root.clone());
        if capture.ty.is_reference() {
            effects.writes.insert(root.clone());
        }
    }
    effects
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
