//! What a piece of code reads and writes, looked at through the functions it calls and applies.

use crate::builtin::Builtin;
use crate::expr::{Expr, ExprKind};
use crate::module::Module;
use crate::source::Name;
use crate::stmt::{Stmt, StmtKind};
use crate::walk::{children, function_refs, stmt_exprs};
use std::collections::BTreeSet;

/// Variables read and written, and whether anything happens that no variable shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// Variables and vectors that are read.
    pub reads: BTreeSet<Name>,
    /// Variables and vectors (any entry) that are written.
    pub writes: BTreeSet<Name>,
    /// Prints, timers, randomness, extern calls.
    pub outside: bool,
}

impl Effects {
    /// The effects of a block, called and applied functions included.
    pub fn of(module: &Module, block: &[Stmt]) -> Effects {
        let mut collector = Collector { module, effects: Effects::default(), seen: BTreeSet::new() };
        collector.block(block);
        collector.effects
    }

    /// A variable through which the order of the two pieces of code can be told, if there is one.
    pub fn conflict(&self, other: &Effects) -> Option<Name> {
        let touched = |e: &Effects, n: &Name| e.reads.contains(n) || e.writes.contains(n);
        self.writes
            .iter()
            .find(|n| touched(other, n))
            .or_else(|| other.writes.iter().find(|n| touched(self, n)))
            .cloned()
    }
}

struct Collector<'m> {
    module: &'m Module,
    effects: Effects,
    seen: BTreeSet<Name>,
}

impl<'m> Collector<'m> {
    fn block(&mut self, block: &'m [Stmt]) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Assign { target, value } => {
                    self.write(target);
                    self.expr(value);
                }
                StmtKind::VarDecl { name, init, .. } => {
                    self.effects.writes.insert(name.clone());
                    if let Some(e) = init {
                        self.expr(e);
                    }
                }
                StmtKind::Delete(target) => self.write(target),
                StmtKind::Print(e) => {
                    self.effects.outside = true;
                    self.expr(e);
                }
                _ => stmt_exprs(stmt, &mut |e| self.expr(e)),
            }
            for inner in stmt.blocks() {
                self.block(inner);
            }
        }
    }

    fn write(&mut self, target: &'m Expr) {
        if let Some(root) = target.place_root() {
            self.effects.writes.insert(root.clone());
        }
        let mut place = target;
        while let ExprKind::Element { vector, index, .. } = &place.kind {
            self.expr(index);
            place = vector;
        }
    }

    fn expr(&mut self, expr: &'m Expr) {
        match &expr.kind {
            ExprKind::Var(name) => {
                self.effects.reads.insert(name.clone());
            }
            ExprKind::Reduce { target, .. } | ExprKind::CompareAndSwap { target, .. } => self.write(target),
            ExprKind::PriorityUpdate { queue, .. } => self.write(queue),
            ExprKind::PriorityQueueAlloc(q) => {
                self.effects.reads.insert(q.vector.clone());
            }
            ExprKind::Builtin(b, args) if b.has_effect() => {
                self.effects.outside |= matches!(
                    b,
                    Builtin::StartTimer | Builtin::StopTimer | Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor
                );
                for a in args {
                    if a.ty.is_reference() && a.is_place() {
                        self.write(a);
                    }
                }
            }
            ExprKind::Operator(op) => {
                // Functions with captured vectors write them under another name.
                if let crate::operator::Operator::VertexSetDedup(d) = &**op {
                    self.write(&d.set);
                }
            }
            _ => {}
        }
        for (_, f) in function_refs(expr) {
            for capture in &f.captures {
                if capture.ty.is_reference() && capture.is_place() {
                    self.write(capture);
                }
            }
            if let ExprKind::Call { args, .. } = &expr.kind {
                for a in args.iter().filter(|a| a.ty.is_reference() && a.is_place()) {
                    self.write(a);
                }
            }
            if !self.seen.insert(f.name.clone()) {
                continue;
            }
            match self.module.function(&f.name).and_then(|f| f.body.as_ref()) {
                Some(body) => self.block(body),
                None => self.effects.outside = true,
            }
        }
        children(expr, &mut |child| self.expr(child));
    }
}
