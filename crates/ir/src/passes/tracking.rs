//! Change tracking: operators with an output get functions that enqueue the vertices themselves.
//!
//! The function receives the output set as its last parameter. Behind every write to the tracked vector it enqueues the
//! index that was written: always after `=` and `+=`, and when the stored value changed after `min=`, `max=`,
//! compare-and-swap and priority updates. Helpers that write the vector are copied and receive the set as well.

use super::{PassContext, PassError};
use crate::analysis::calls::uses_in;
use crate::analysis::priority::priority_vector;
use crate::expr::{BinaryOp, Expr, ExprKind, ReduceOp};
use crate::meta::{Dedup, EnqueueMeta};
use crate::module::{Function, Module, Param};
use crate::operator::{EdgeOutput, EdgeSetIterator};
use crate::rewrite::{clone_function, fresh, taken};
use crate::source::{Name, Span};
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;
use crate::walk::{bodies, children_mut, stmt_exprs, walk_expr, walk_stmts, walk_stmts_mut};
use std::collections::{BTreeSet, HashSet};

const PASS: &str = "tracking";

/// Rewrites the functions of all operators with an output.
pub fn tracking(mut module: Module, _: &PassContext) -> Result<Module, PassError> {
    let mut operators: Vec<EdgeSetIterator> = Vec::new();
    for body in bodies(&module) {
        walk_stmts(body, &mut |s| {
            operators.extend(s.operator().and_then(|op| op.edges()).filter(|e| wants(&module, e)).cloned());
        });
    }
    let mut done: HashSet<Name> = HashSet::new();
    for edges in operators {
        let name = edges.apply.name.clone();
        // Functions are not shared after duplication; a module that skipped it gets the copy here.
        let uses = bodies(&module).flat_map(|b| uses_in(b)).filter(|(_, n)| *n == name).count();
        let target =
            if uses > 1 { clone_function(&mut module, &name, &name).unwrap_or(name.clone()) } else { name.clone() };
        rewrite_function(&mut module, &target, &edges)?;
        let mut retargeted = false;
        let finished: &HashSet<Name> = &done;
        for body in crate::walk::bodies_mut(&mut module) {
            walk_stmts_mut(body, &mut |s| {
                let Some(e) = s.operator_mut().and_then(|op| op.edges_mut()) else { return };
                if !retargeted && e.apply.name == name && !e.meta.udf_enqueues && !finished.contains(&name) {
                    e.apply.name = target.clone();
                    e.meta.udf_enqueues = true;
                    retargeted = true;
                }
            });
        }
        done.insert(target);
    }
    Ok(module)
}

fn wants(module: &Module, e: &EdgeSetIterator) -> bool {
    let has_body = module.function(&e.apply.name).is_some_and(|f| f.body.is_some());
    e.output != EdgeOutput::None && !e.meta.udf_enqueues && has_body
}

fn rewrite_function(module: &mut Module, name: &Name, edges: &EdgeSetIterator) -> Result<(), PassError> {
    let Some(function) = module.function(name).cloned() else { return Ok(()) };
    let Type::EdgeSet { target, .. } = &edges.graph.ty else { return Ok(()) };
    let mut rewriter = Rewriter {
        names: taken(module, Some(&function)),
        module,
        vectors: aliases(&function, edges),
        out: "out".into(),
        set_type: Type::VertexSet(target.clone()),
        meta: EnqueueMeta {
            format: edges.meta.output_representation,
            dedup: if edges.meta.dedup_inline { edges.meta.dedup } else { Dedup::None },
            extra: Default::default(),
        },
        copies: Vec::new(),
    };
    rewriter.out = fresh(&mut rewriter.names, "out");
    let body = match &edges.output {
        EdgeOutput::Accepted { .. } => rewriter.accepted(&function),
        _ => rewriter.block(function.body.clone().unwrap_or_default())?,
    };
    let out = Param { name: rewriter.out.clone(), ty: rewriter.set_type.clone() };
    if let Some(f) = module.function_mut(name) {
        f.body = Some(body);
        f.params.push(out);
    }
    Ok(())
}

/// The names under which the function knows the tracked vector: the name itself, and captures bound to the same
/// variable.
fn aliases(function: &Function, edges: &EdgeSetIterator) -> BTreeSet<Name> {
    let EdgeOutput::Modified { vector, .. } = &edges.output else { return BTreeSet::new() };
    let bound = |capture: &Name| {
        let at = function.captures.iter().position(|c| c.name == *capture)?;
        edges.apply.captures.get(at)?.as_var().cloned()
    };
    // The variable of the caller, when the vector is a capture; the global itself otherwise.
    let origin = bound(vector).unwrap_or_else(|| vector.clone());
    let mut names = BTreeSet::from([vector.clone(), origin.clone()]);
    names.extend(function.captures.iter().map(|c| c.name.clone()).filter(|c| bound(c).as_ref() == Some(&origin)));
    names
}

struct Rewriter<'m> {
    module: &'m mut Module,
    names: HashSet<Name>,
    /// Names of the tracked vector in the function being rewritten.
    vectors: BTreeSet<Name>,
    out: Name,
    set_type: Type,
    meta: EnqueueMeta,
    /// Helpers already copied: original, vectors tracked in it, copy.
    copies: Vec<(Name, BTreeSet<Name>, Name)>,
}

impl Rewriter<'_> {
    fn enqueue(&self, vertex: Expr) -> Stmt {
        let kind = ExprKind::EnqueueVertex { set: self.out.clone(), vertex: Box::new(vertex), meta: self.meta.clone() };
        Stmt::eval(Expr::new(kind, Type::Void))
    }

    /// `if (result) { EnqueueVertex(out, dst) }` at the end of a bool function.
    fn accepted(&mut self, function: &Function) -> Block {
        let mut body = function.body.clone().unwrap_or_default();
        let (Some(result), Some(dst)) = (&function.result, function.params.get(1)) else { return body };
        let mut vertex = Expr::var(dst.name.clone(), dst.ty.clone());
        if crate::analysis::operator::assigns(function, &dst.name) {
            let at = fresh(&mut self.names, "at");
            body.insert(0, declare(&at, vertex.clone()));
            vertex = Expr::var(at, dst.ty.clone());
        }
        let condition = Expr::var(result.name.clone(), result.ty.clone());
        let then = vec![self.enqueue(vertex)];
        body.push(Stmt::new(StmtKind::If { condition, then, otherwise: Block::new() }));
        body
    }

    fn block(&mut self, block: Block) -> Result<Block, PassError> {
        let mut out = Block::with_capacity(block.len());
        for stmt in block {
            self.stmt(stmt, &mut out)?;
        }
        Ok(out)
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Block) -> Result<(), PassError> {
        let span = stmt.span;
        for inner in stmt.blocks_mut() {
            *inner = self.block(std::mem::take(inner))?;
        }
        // Conditions and bounds that run again and again have no place for statements.
        let repeated = matches!(stmt.kind, StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. });
        let mut changes = false;
        stmt_exprs(&stmt, &mut |e| walk_expr(e, &mut |e| changes |= self.is_change(e) || self.is_tracked_call(e)));
        if repeated && changes {
            let message = "a loop condition changes the tracked vector; move the change into the body";
            return Err(PassError::transform(PASS, span, message));
        }
        let before = out.len();
        match &mut stmt.kind {
            StmtKind::Assign { target, value } => {
                self.lift(value, out, true);
                if self.is_tracked_place(target) {
                    let vertex = self.bind_index(target, out);
                    out.push(stmt);
                    out.push(self.enqueue(vertex));
                    at(&mut out[before..], span);
                    return Ok(());
                }
            }
            StmtKind::Eval(value) if changes => {
                self.lift(value, out, false);
                // What is left of a pure change is the flag it gave; only real effects stay.
                if matches!(value.kind, ExprKind::Var(_) | ExprKind::Bool(_)) {
                    at(&mut out[before..], span);
                    return Ok(());
                }
            }
            StmtKind::VarDecl { init: Some(value), .. } => self.lift(value, out, true),
            StmtKind::If { condition, .. } => self.lift(condition, out, true),
            StmtKind::Eval(value) | StmtKind::Print(value) => self.lift(value, out, true),
            _ => {}
        }
        out.push(stmt);
        at(&mut out[before..], span);
        Ok(())
    }

    fn is_tracked_place(&self, place: &Expr) -> bool {
        matches!(place.kind, ExprKind::Element { .. }) && place.place_root().is_some_and(|n| self.vectors.contains(n))
    }

    /// Whether the node itself writes the tracked vector.
    fn is_change(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } => self.is_tracked_place(target),
            ExprKind::PriorityUpdate { queue, meta, .. } => {
                let vector = queue.as_var().and_then(|q| priority_vector(self.module, q));
                meta.deferred || vector.is_some_and(|v| self.vectors.contains(&v))
            }
            _ => false,
        }
    }

    /// The vertex of a tracked place: its first index, bound to a variable when evaluating it twice could differ.
    fn bind_index(&mut self, place: &mut Expr, out: &mut Block) -> Expr {
        match first_index(place) {
            Some(index) => self.bind(index, out),
            None => Expr::int(0),
        }
    }

    fn bind(&mut self, index: &mut Expr, out: &mut Block) -> Expr {
        if !matches!(index.kind, ExprKind::Var(_) | ExprKind::Int(_)) {
            let name = fresh(&mut self.names, "at");
            let variable = Expr::var(name.clone(), index.ty.clone());
            out.push(declare(&name, std::mem::replace(index, variable)));
        }
        index.clone()
    }

    /// Moves the changes inside an expression in front of it; what remains uses their flags.
    fn lift(&mut self, expr: &mut Expr, out: &mut Block, needs_flag: bool) {
        let mut inside = false;
        walk_expr(expr, &mut |e| inside |= self.is_change(e) || self.is_tracked_call(e));
        if !inside {
            return;
        }
        if let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) = &mut expr.kind {
            // The right side must stay conditional.
            let op = *op;
            self.lift(a, out, true);
            let flag = fresh(&mut self.names, "flag");
            let variable = Expr::var(flag.clone(), Type::BOOL);
            out.push(declare(&flag, (**a).clone()));
            let mut then = Block::new();
            self.lift(b, &mut then, true);
            then.push(Stmt::assign(variable.clone(), (**b).clone()));
            let condition = if op == BinaryOp::And { variable.clone() } else { Expr::negated(variable.clone()) };
            out.push(Stmt::new(StmtKind::If { condition, then, otherwise: Block::new() }));
            *expr = variable;
            return;
        }
        // Children first: a change may stand in the arguments of another.
        let mut this = std::mem::replace(expr, Expr::bool(false));
        children_mut(&mut this, &mut |child| self.lift(child, out, true));
        *expr = this;
        if self.is_tracked_call(expr) {
            self.pass_set(expr);
            return;
        }
        if self.is_change(expr) {
            *expr = self.change(std::mem::replace(expr, Expr::bool(false)), out, needs_flag);
        }
    }

    /// Emits a change and its enqueue; returns what stands for its value.
    fn change(&mut self, mut expr: Expr, out: &mut Block, needs_flag: bool) -> Expr {
        let (vertex, always) = match &mut expr.kind {
            ExprKind::Reduce { op, target, .. } => (self.bind_index(target, out), *op == ReduceOp::Sum),
            ExprKind::CompareAndSwap { target, .. } => (self.bind_index(target, out), false),
            ExprKind::PriorityUpdate { vertex, .. } => (self.bind(vertex, out), false),
            _ => return expr,
        };
        if always && !needs_flag {
            out.push(Stmt::eval(expr));
            out.push(self.enqueue(vertex));
            return Expr::bool(true);
        }
        let name = fresh(&mut self.names, "changed");
        let flag = Expr::var(name.clone(), Type::BOOL);
        out.push(declare(&name, expr));
        let then = vec![self.enqueue(vertex)];
        out.push(Stmt::new(StmtKind::If { condition: flag.clone(), then, otherwise: Block::new() }));
        flag
    }

    /// The names by which a called function knows the tracked vector; empty when it does not write it.
    fn tracked_in_call(&self, expr: &Expr) -> BTreeSet<Name> {
        let ExprKind::Call { function, args } = &expr.kind else { return BTreeSet::new() };
        let Some(callee) = self.module.function(&function.name) else { return BTreeSet::new() };
        let globals = self.vectors.iter().filter(|v| self.module.global(v).is_some()).cloned();
        let passed = callee.params.iter().zip(args).chain(callee.captures.iter().zip(&function.captures));
        let known =
            passed.filter(|(_, a)| a.as_var().is_some_and(|n| self.vectors.contains(n))).map(|(p, _)| p.name.clone());
        globals.chain(known).collect()
    }

    fn is_tracked_call(&self, expr: &Expr) -> bool {
        let vectors = self.tracked_in_call(expr);
        let ExprKind::Call { function, .. } = &expr.kind else { return false };
        !vectors.is_empty() && self.writes(&function.name, &vectors, &mut HashSet::new())
    }

    /// Whether a function, or one it calls, changes one of these vectors.
    fn writes(&self, function: &Name, vectors: &BTreeSet<Name>, seen: &mut HashSet<Name>) -> bool {
        let Some(body) = self.module.function(function).and_then(|f| f.body.as_ref()) else { return false };
        if !seen.insert(function.clone()) {
            return false;
        }
        let is_place = |place: &Expr| {
            matches!(place.kind, ExprKind::Element { .. }) && place.place_root().is_some_and(|n| vectors.contains(n))
        };
        let mut found = false;
        let mut called: Vec<Name> = Vec::new();
        walk_stmts(body, &mut |s| {
            if let StmtKind::Assign { target, .. } = &s.kind {
                found |= is_place(target);
            }
            stmt_exprs(s, &mut |e| {
                walk_expr(e, &mut |e| match &e.kind {
                    ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } => {
                        found |= is_place(target)
                    }
                    ExprKind::PriorityUpdate { meta, .. } => found |= meta.deferred,
                    ExprKind::Call { function, .. } => called.push(function.name.clone()),
                    _ => {}
                });
            });
        });
        found || called.iter().any(|callee| self.writes(callee, vectors, seen))
    }

    /// Lets a call of a helper use a copy that enqueues as well.
    fn pass_set(&mut self, expr: &mut Expr) {
        let vectors = self.tracked_in_call(expr);
        let ExprKind::Call { function, args } = &mut expr.kind else { return };
        args.push(Expr::var(self.out.clone(), self.set_type.clone()));
        let known = self.copies.iter().find(|(f, v, _)| *f == function.name && *v == vectors);
        if let Some((_, _, copy)) = known {
            function.name = copy.clone();
            return;
        }
        let original = function.name.clone();
        let Some(copy) = clone_function(self.module, &original, &format!("{original}_tracked")) else { return };
        self.copies.push((original, vectors.clone(), copy.clone()));
        function.name = copy.clone();
        let Some(callee) = self.module.function(&copy).cloned() else { return };
        let mut inner = Rewriter {
            names: taken(self.module, Some(&callee)),
            module: self.module,
            vectors,
            out: "out".into(),
            set_type: self.set_type.clone(),
            meta: self.meta.clone(),
            copies: std::mem::take(&mut self.copies),
        };
        inner.out = fresh(&mut inner.names, "out");
        let body = inner.block(callee.body.clone().unwrap_or_default());
        let out = Param { name: inner.out.clone(), ty: inner.set_type.clone() };
        self.copies = std::mem::take(&mut inner.copies);
        if let (Some(f), Ok(body)) = (self.module.function_mut(&copy), body) {
            f.body = Some(body);
            f.params.push(out);
        }
    }
}

/// The index next to the vector's name: `i` of `x[i]` and of `x[i][j]`.
fn first_index(place: &mut Expr) -> Option<&mut Expr> {
    match &mut place.kind {
        ExprKind::Element { vector, index, .. } => {
            if vector.as_var().is_some() {
                Some(index)
            } else {
                first_index(vector)
            }
        }
        _ => None,
    }
}

fn declare(name: &Name, value: Expr) -> Stmt {
    Stmt::new(StmtKind::VarDecl { name: name.clone(), ty: value.ty.clone(), init: Some(value) })
}

/// Gives statements made for one source statement its position.
fn at(stmts: &mut [Stmt], span: Span) {
    for s in stmts {
        if s.span.line == 0 {
            s.span = span;
        }
    }
}
