//! Functions over the members of a set whose work is one loop, the turns of which may be shared out.
//!
//! `for i in low:high` inside a function that is applied to the members of a set is work that one worker does for one
//! member, one turn after the other. Where the turns only read and reduce, anybody may do any of them: then a machine
//! with many lanes need not wait for the member with the longest loop. Such a function has this form, with branches
//! around any part of it:
//!
//! 1. Statements that change only locals.
//! 2. The loop. Its turns change nothing from outside but by reductions of whole numbers, extremes and bits: entries of
//!    vectors, global scalars, and sums in locals.
//! 3. Statements behind the loop, which may read these sums and are done once.
//!
//! Nothing that it reads is written by it, so that all who do 1. for the same member come to the same.

use crate::expr::{Expr, ExprKind, FunctionRef, ReduceOp};
use crate::module::{Function, FunctionKind, Module};
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::types::Scalar;
use crate::walk::{block_mentions, bodies, children, mentions, walk_stmts};
use std::collections::{BTreeSet, HashMap};

/// The loop of a function whose turns may be shared out.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedLoop {
    /// Its variable, which no other loop of the function has.
    pub var: Name,
    /// Locals that its turns add to.
    pub sums: Vec<(Name, Scalar)>,
    /// Statements follow it, which are done once.
    pub has_rest: bool,
}

/// Calls inside calls up to which a function is looked into.
const DEPTH: usize = 8;

/// The loop of a function that an operator applies, with what it captures there, if its turns may be shared out.
pub fn shared_loop(module: &Module, applied: &FunctionRef) -> Option<SharedLoop> {
    let function = module.function(&applied.name)?;
    if function.result.is_some() || function.kind == FunctionKind::Extern {
        return None;
    }
    let body = function.body.as_deref()?;

    // 1. What the function reads and what it writes are different things.
    let captures = roots(&function.captures.iter().map(|c| &c.name).collect::<Vec<_>>(), &applied.captures, None)?;
    let mut all = Touched::new(module, captures.clone());
    all.function(function, body)?;
    if all.reads.intersection(&all.writes).next().is_some() || !are_apart(module, &all) {
        return None;
    }

    // 2. The loop, and nothing but locals before it.
    let mut before = Vec::new();
    let mut has_rest = false;
    let found = find(body, &mut before, &mut has_rest)?;
    let StmtKind::For { var, low, high, body: turns, .. } = &found.kind else { return None };
    if matches!((&low.kind, &high.kind), (ExprKind::Int(_), ExprKind::Int(_))) {
        return None;
    }
    let mut outside = Touched::new(module, captures);
    outside.locals = locals_of(function);
    for part in before {
        match part {
            Before::Stmt(stmt) => outside.block(std::slice::from_ref(stmt))?,
            Before::Condition(condition) => outside.expr(condition)?,
        }
    }
    outside.expr(low)?;
    outside.expr(high)?;
    let mut loops_of_var = 0;
    walk_stmts(body, &mut |s| loops_of_var += usize::from(matches!(&s.kind, StmtKind::For { var: v, .. } if v == var)));
    if !outside.writes.is_empty() || loops_of_var != 1 {
        return None;
    }

    // 3. What its turns hand on is sums.
    let sums = sums_of(function, var, turns)?;
    let is_read = |name: &Name| mentions(high, name) || reads_local(turns, name);
    if sums.iter().any(|(name, _)| is_read(name)) {
        return None;
    }
    Some(SharedLoop { var: var.clone(), sums, has_rest })
}

/// Whether no two of the touched variables can stand for one vector: none is assigned to another variable, or from one,
/// and none is a parameter of a function of the host.
fn are_apart(module: &Module, touched: &Touched<'_>) -> bool {
    let all: BTreeSet<&Name> = touched.reads.union(&touched.writes).collect();
    let mut declared: BTreeSet<&Name> = module.globals.iter().map(|global| &global.name).collect();
    let mut apart = true;
    for body in bodies(module) {
        walk_stmts(body, &mut |s| {
            let (target, value) = match &s.kind {
                StmtKind::VarDecl { name, init, .. } => {
                    declared.insert(name);
                    (Some(name), init.as_ref())
                }
                StmtKind::Assign { target, value } => (target.place_root(), Some(value)),
                _ => return,
            };
            let (Some(target), Some(value)) = (target, value) else { return };
            if value.ty.is_reference()
                && let Some(source) = value.place_root()
            {
                apart &= !all.contains(target) && !all.contains(source);
            }
        });
    }
    apart && all.iter().all(|name| declared.contains(*name))
}

/// What stands before the loop.
enum Before<'m> {
    Stmt(&'m Stmt),
    Condition(&'m Expr),
}

/// The only loop `for` of a block that no other loop surrounds, with what stands before it.
fn find<'m>(block: &'m [Stmt], before: &mut Vec<Before<'m>>, has_rest: &mut bool) -> Option<&'m Stmt> {
    let has_loop = |stmt: &Stmt| {
        let mut found = false;
        walk_stmts(std::slice::from_ref(stmt), &mut |s| found |= matches!(s.kind, StmtKind::For { .. }));
        found
    };
    let at = block.iter().position(has_loop)?;
    if block[at + 1..].iter().any(has_loop) {
        return None;
    }
    *has_rest |= at + 1 < block.len();
    before.extend(block[..at].iter().map(Before::Stmt));
    match &block[at].kind {
        StmtKind::For { .. } => Some(&block[at]),
        StmtKind::Scope(inner) => find(inner, before, has_rest),
        StmtKind::If { condition, then, otherwise } if otherwise.is_empty() => {
            before.push(Before::Condition(condition));
            find(then, before, has_rest)
        }
        _ => None,
    }
}

fn locals_of(function: &Function) -> BTreeSet<Name> {
    let params = function.params.iter().chain(&function.captures).map(|p| p.name.clone());
    params.chain(function.locals().iter().map(|local| local.name.clone())).collect()
}

/// The locals from outside a loop that its turns change, if they only add whole numbers to them.
fn sums_of(function: &Function, var: &Name, turns: &[Stmt]) -> Option<Vec<(Name, Scalar)>> {
    let locals = locals_of(function);
    let mut inside: BTreeSet<Name> = BTreeSet::from([var.clone()]);
    walk_stmts(turns, &mut |s| {
        if let StmtKind::VarDecl { name, .. } | StmtKind::For { var: name, .. } = &s.kind {
            inside.insert(name.clone());
        }
    });
    let mut sums: Vec<(Name, Scalar)> = Vec::new();
    let mut fits = !leaves(turns);
    walk_stmts(turns, &mut |s| {
        let (target, op) = match &s.kind {
            StmtKind::Assign { target, .. } => (target, None),
            StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, .. }, .. }) => (&**target, Some(*op)),
            _ => return,
        };
        let Some(name) = target.as_var().filter(|name| locals.contains(*name) && !inside.contains(*name)) else {
            return;
        };
        match (op, target.ty.scalar()) {
            (Some(ReduceOp::Sum), Some(scalar)) if !scalar.is_float() && scalar != Scalar::Bool => {
                if !sums.iter().any(|(known, _)| known == name) {
                    sums.push((name.clone(), scalar));
                }
            }
            _ => fits = false,
        }
    });
    fits.then_some(sums)
}

/// Whether the turns of a loop may end it.
fn leaves(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        // A break inside leaves these.
        StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. } => false,
        _ => stmt.blocks().iter().any(|inner| leaves(inner)),
    })
}

/// Whether a block does anything with a local but adding to it.
fn reads_local(block: &[Stmt], name: &Name) -> bool {
    let mut read = false;
    walk_stmts(block, &mut |s| match &s.kind {
        StmtKind::Eval(Expr { kind: ExprKind::Reduce { target, value, .. }, .. }) if target.as_var() == Some(name) => {
            read |= mentions(value, name);
        }
        _ => {
            let mut own = s.clone();
            own.blocks_mut().into_iter().for_each(Vec::clear);
            read |= block_mentions(&[own], name);
        }
    });
    read
}

/// What the captures or parameters of a function are outside of it: a variable each, where they are references.
fn roots(names: &[&Name], values: &[Expr], outer: Option<&Touched<'_>>) -> Option<HashMap<Name, Name>> {
    let mut found = HashMap::new();
    for (name, value) in names.iter().zip(values) {
        if !value.ty.is_reference() {
            continue;
        }
        let root = value.as_var()?;
        let root = outer.and_then(|outer| outer.roots.get(root)).unwrap_or(root);
        found.insert((*name).clone(), root.clone());
    }
    Some(found)
}

/// Vectors and global scalars that code reads and writes, by their names outside of all functions.
struct Touched<'m> {
    module: &'m Module,
    /// What references of the function at hand are outside.
    roots: HashMap<Name, Name>,
    /// Locals of the function at hand.
    locals: BTreeSet<Name>,
    reads: BTreeSet<Name>,
    writes: BTreeSet<Name>,
    depth: usize,
}

impl<'m> Touched<'m> {
    fn new(module: &'m Module, roots: HashMap<Name, Name>) -> Touched<'m> {
        let (reads, writes) = (BTreeSet::new(), BTreeSet::new());
        Touched { module, roots, locals: BTreeSet::new(), reads, writes, depth: 0 }
    }

    fn function(&mut self, function: &Function, body: &[Stmt]) -> Option<()> {
        if self.depth == DEPTH {
            return None;
        }
        let mut locals = locals_of(function);
        locals.extend(function.result.iter().map(|result| result.name.clone()));
        let outer = std::mem::replace(&mut self.locals, locals);
        self.depth += 1;
        let done = self.block(body);
        self.depth -= 1;
        self.locals = outer;
        done
    }

    fn block(&mut self, block: &[Stmt]) -> Option<()> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match &stmt.kind {
            StmtKind::VarDecl { init, .. } => init.as_ref().map_or(Some(()), |init| self.expr(init))?,
            StmtKind::Assign { target, value } => {
                // The last of several assignments would win, whoever does it.
                target.as_var().filter(|name| self.locals.contains(*name))?;
                self.expr(value)?;
            }
            StmtKind::Eval(Expr { kind: ExprKind::Reduce { op, target, value, .. }, .. }) => {
                self.reduce(*op, target)?;
                self.expr(value)?;
            }
            StmtKind::Eval(expr) => self.expr(expr)?,
            StmtKind::If { condition, .. }
            | StmtKind::While { condition, .. }
            | StmtKind::DoWhile { condition, .. } => self.expr(condition)?,
            StmtKind::For { low, high, .. } => {
                self.expr(low)?;
                self.expr(high)?;
            }
            StmtKind::Break | StmtKind::Scope(_) => {}
            StmtKind::ParFor { .. } | StmtKind::Print(_) | StmtKind::Delete(_) | StmtKind::Hybrid(_) => return None,
        }
        stmt.blocks().into_iter().try_for_each(|inner| self.block(inner))
    }

    /// A reduction whose result nobody uses.
    fn reduce(&mut self, op: ReduceOp, target: &Expr) -> Option<()> {
        let root = target.place_root()?;
        if target.as_var().is_some() && self.locals.contains(root) {
            return Some(());
        }
        // Sums of reals depend on the order.
        if op == ReduceOp::Sum && target.ty.scalar().is_none_or(Scalar::is_float) {
            return None;
        }
        self.writes.insert(self.outside(root));
        let mut place = target;
        while let ExprKind::Element { vector, index, .. } = &place.kind {
            self.expr(index)?;
            place = vector;
        }
        Some(())
    }

    fn outside(&self, name: &Name) -> Name {
        self.roots.get(name).unwrap_or(name).clone()
    }

    fn expr(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Var(name) if self.locals.contains(name) && !self.roots.contains_key(name) => {}
            ExprKind::Var(name) => {
                let root = self.outside(name);
                self.reads.insert(root);
            }
            ExprKind::Call { function, args } => {
                let callee = self.module.function(&function.name)?;
                let body = callee.body.as_deref().filter(|_| callee.kind != FunctionKind::Extern)?;
                let names: Vec<&Name> = callee.captures.iter().chain(&callee.params).map(|p| &p.name).collect();
                let values: Vec<Expr> = function.captures.iter().chain(args).cloned().collect();
                let inner = roots(&names, &values, Some(self))?;
                // References are handed on; what the callee does with them is what counts.
                for value in values.iter().filter(|value| !value.ty.is_reference()) {
                    self.expr(value)?;
                }
                let outer = std::mem::replace(&mut self.roots, inner);
                let done = self.function(callee, body);
                self.roots = outer;
                return done;
            }
            ExprKind::Builtin(builtin, _) if builtin.has_effect() => return None,
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Element { .. }
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(_)
            | ExprKind::Builtin(..)
            | ExprKind::IntersectNeighbor { .. } => {}
            _ => return None,
        }
        let mut found = Some(());
        children(expr, &mut |child| {
            if found.is_some() {
                found = self.expr(child);
            }
        });
        found
    }
}
