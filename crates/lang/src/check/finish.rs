//! Checks and corrections that need the whole program: entry points, what functions write, universe sets.

use super::Checker;
use crate::ast::FuncKind;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, Function, Init, Place, Stmt, StmtKind, Tracked, TypedProgram, Var};
use crate::types::{FuncId, GlobalId, LocalId, Type};
use crate::visit;
use std::collections::HashSet;

impl Checker {
    /// The last step of checking.
    pub(super) fn finish(&mut self) {
        self.settle_links();
        self.settle_edges();
        self.settle_views();
        self.settle_numbers();
        self.judge_pending();
        self.judge_filters();
        self.judge_groups();
        self.judge_changes();
        self.settle_universes();
        self.judge_lengths();
        let exported = self.signatures.iter().any(|s| s.kind == FuncKind::Export);
        if self.program.main.is_none() && !exported && self.found[0] == 0 {
            self.report(
                Diagnostic::warning("the program has no `main`", Span::default(), "nothing to run")
                    .help("add `func main() ... end`, or `export` a function"),
            );
        }
        if let Some(main) = self.program.main
            && let Some(signature) = self.signatures.get(main.0 as usize)
            && (signature.kind == FuncKind::Extern || !signature.captures.is_empty() || signature.result != Type::Void)
        {
            let span = signature.span;
            self.error("`main` is a plain function without captures or result", span, "not like this");
        }
    }

    /// Global vertexsets that are filled by hand become ordinary sets everywhere.
    fn settle_universes(&mut self) {
        for id in std::mem::take(&mut self.dynamic) {
            let Some(global) = self.program.globals.get_mut(id.0 as usize) else {
                continue;
            };
            let Type::VertexSet(elem) = global.ty else {
                continue;
            };
            global.universe = false;
            let ty = global.ty.clone();
            let fresh = |count: Expr| Expr {
                span: count.span,
                kind: ExprKind::NewVertexSet { elem, size: Box::new(count) },
                ty: ty.clone(),
            };
            if let Some(Init::Universe(count)) = global.init.take_if(|i| matches!(i, Init::Universe(_))) {
                global.init = Some(Init::Value(fresh(count)));
            }
            for function in &mut self.program.functions {
                visit::stmts_mut(&mut function.body, &mut |stmt| {
                    if let StmtKind::SetUniverse { global, count } = &mut stmt.kind
                        && *global == id
                    {
                        let value = fresh(count.clone());
                        let target =
                            Place { var: Var::Global(id), indices: Vec::new(), ty: ty.clone(), span: stmt.span };
                        stmt.kind = StmtKind::Assign { target, value };
                    }
                });
            }
        }
    }
}

/// What running a function may change, calls included.
#[derive(Default)]
pub(super) struct Effects {
    globals: HashSet<GlobalId>,
    locals: HashSet<LocalId>,
    captures: Vec<LocalId>,
    /// A priority is updated; that also writes the queue's vector, whichever it is.
    pub(super) updates_priority: bool,
    /// An extern function is involved: nothing is known.
    pub(super) opaque: bool,
}

impl Effects {
    /// True if the tracked vector may be written.
    pub(super) fn writes(&self, vector: Tracked) -> bool {
        self.updates_priority
            || match vector {
                Tracked::Global(id) => self.globals.contains(&id),
                Tracked::Capture(at) => self.captures.get(at as usize).is_some_and(|id| self.locals.contains(id)),
            }
    }

    /// The global vectors that may be written.
    pub(super) fn globals(&self) -> impl Iterator<Item = GlobalId> {
        self.globals.iter().copied()
    }

    /// Names of the written vectors, sorted.
    pub(super) fn names(&self, program: &TypedProgram, func: FuncId) -> Vec<String> {
        let function = program.function(func);
        let globals = self.globals.iter().map(|id| &program.global(*id).name);
        let captures = self.captures.iter().filter(|id| self.locals.contains(id));
        let mut names: Vec<String> = globals.chain(captures.map(|id| &function.local(*id).name)).cloned().collect();
        names.sort();
        names
    }
}

/// The effects of a function on vectors.
pub(super) fn effects(program: &TypedProgram, func: FuncId) -> Effects {
    let function = program.function(func);
    let mut effects = Effects {
        captures: function.captures.clone(),
        opaque: function.kind == FuncKind::Extern,
        ..Effects::default()
    };
    let mut called = Called { order: vec![func], known: HashSet::from([func]) };
    own_effects(function, true, &mut effects, &mut called);
    let mut at = 1;
    while at < called.order.len() {
        let function = program.function(called.order[at]);
        effects.opaque |= function.kind == FuncKind::Extern;
        own_effects(function, false, &mut effects, &mut called);
        at += 1;
    }
    effects
}

/// The functions reached so far, each once.
struct Called {
    order: Vec<FuncId>,
    known: HashSet<FuncId>,
}

/// Adds what the function itself writes; its locals matter only for the function asked about.
fn own_effects(function: &Function, locals: bool, effects: &mut Effects, called: &mut Called) {
    let write = |effects: &mut Effects, var: Var| match var {
        Var::Global(id) => {
            effects.globals.insert(id);
        }
        Var::Local(id) if locals => {
            effects.locals.insert(id);
        }
        Var::Local(_) => {}
    };
    visit::stmts(&function.body, &mut |stmt: &Stmt| {
        if let StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } = &stmt.kind
            && !target.indices.is_empty()
        {
            write(effects, target.var);
        }
        visit::exprs(stmt, &mut |expr: &Expr| match &expr.kind {
            ExprKind::Builtin { builtin, args } => match builtin {
                Builtin::WriteMin | Builtin::WriteMax | Builtin::AtomicAdd | Builtin::CompareAndSwap => {
                    if let Some(ExprKind::Var(var)) = args.first().map(|arg| &arg.kind) {
                        write(effects, *var);
                    }
                }
                Builtin::UpdatePriorityMin | Builtin::UpdatePriorityMax | Builtin::UpdatePrioritySum => {
                    effects.updates_priority = true;
                }
                _ => {}
            },
            ExprKind::Call { func, args } => {
                // A callee may write a vector through its capture or parameter.
                if called.known.insert(func.func) {
                    called.order.push(func.func);
                }
                let passed = func.captures.iter().chain(args).filter_map(|value| match value.kind {
                    ExprKind::Var(var) if matches!(value.ty, Type::Vector { .. }) => Some(var),
                    _ => None,
                });
                for var in passed {
                    write(effects, var);
                }
            }
            _ => {}
        });
    });
}
