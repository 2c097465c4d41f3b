//! Edge filters: a function in `from(f)` or `to(f)` of an edge operator changes nothing.
//!
//! A schedule decides how often a filter is asked and in which order: once per edge in a push, once per vertex in a
//! pull, not at all where no edge is left to select. A filter that writes would make the result depend on the
//! schedule.

use super::Checker;
use crate::builtin::Builtin;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{Expr, ExprKind, Function, Init, LocalKind, StmtKind, TypedProgram, Var};
use crate::types::{FuncId, LocalId, Type};
use crate::visit;
use std::collections::{HashMap, HashSet, VecDeque};

/// A function named in `from` or `to`.
pub(super) struct FilterUse {
    pub(super) func: FuncId,
    pub(super) span: Span,
    pub(super) word: &'static str,
}

/// Something a function changes beyond its own variables.
struct Change {
    /// "writes `level`"
    what: String,
    span: Span,
}

/// What matters about one function.
#[derive(Default)]
struct Facts {
    change: Option<Change>,
    calls: Vec<(FuncId, Span)>,
}

impl Checker {
    /// Reports edge filters that change something, themselves or through what they call.
    pub(super) fn judge_filters(&mut self) {
        let filters = std::mem::take(&mut self.filters);
        if filters.is_empty() {
            return;
        }
        let facts: Vec<Facts> = self.program.functions.iter().map(|f| facts(&self.program, f)).collect();
        let changing = changing(&facts);
        for filter in filters.iter().filter(|filter| changing.contains(&filter.func)) {
            if self.saturated() {
                return;
            }
            let Some((chain, change)) = trace(&facts, filter.func) else { continue };
            let name = &self.program.function(filter.func).name;
            let FilterUse { span, word, .. } = filter;
            let mut diagnostic = Diagnostic::error(
                format!("`{name}` {}, but a filter of edges must not change anything", change.what),
                *span,
                format!("used in `{word}`"),
            )
            .also(change.span, "changed here")
            .help(format!(
                "how often a filter is asked depends on the schedule: change values in the function that is applied, \
                 or select the vertices first: `set.filter({name})`"
            ));
            for call in chain {
                diagnostic = diagnostic.also(call, "through this call");
            }
            self.report(diagnostic);
        }
    }
}

/// Functions that change something, themselves or through what they call.
fn changing(facts: &[Facts]) -> HashSet<FuncId> {
    let mut callers: HashMap<FuncId, Vec<FuncId>> = HashMap::new();
    let ids = || (0..facts.len()).map(|at| FuncId(at as u32));
    for (caller, facts) in ids().zip(facts) {
        for (callee, _) in &facts.calls {
            callers.entry(*callee).or_default().push(caller);
        }
    }
    let mut found: HashSet<FuncId> = ids().filter(|id| facts[id.0 as usize].change.is_some()).collect();
    let mut work: Vec<FuncId> = found.iter().copied().collect();
    while let Some(callee) = work.pop() {
        for caller in callers.get(&callee).into_iter().flatten() {
            if found.insert(*caller) {
                work.push(*caller);
            }
        }
    }
    found
}

/// The shortest way from a function to a change: the calls on it, and the change.
fn trace(facts: &[Facts], func: FuncId) -> Option<(Vec<Span>, &Change)> {
    let mut reached: HashMap<FuncId, Option<(FuncId, Span)>> = HashMap::from([(func, None)]);
    let mut queue = VecDeque::from([func]);
    while let Some(at) = queue.pop_front() {
        let here = &facts[at.0 as usize];
        if let Some(change) = &here.change {
            let mut chain = Vec::new();
            let mut step = reached[&at];
            while let Some((caller, call)) = step {
                chain.push(call);
                step = reached[&caller];
            }
            chain.reverse();
            // A long chain is not worth showing call by call.
            chain.truncate(3);
            return Some((chain, change));
        }
        for (callee, call) in &here.calls {
            reached.entry(*callee).or_insert_with(|| {
                queue.push_back(*callee);
                Some((at, *call))
            });
        }
    }
    None
}

/// The first change of a function and the functions it calls.
fn facts(program: &TypedProgram, function: &Function) -> Facts {
    let private = private_vectors(function);
    let mut facts = Facts::default();
    let shared = |var: Var| match var {
        Var::Global(_) => true,
        Var::Local(id) => !private.contains(&id),
    };
    let name = |var: Var| match var {
        Var::Global(id) => program.global(id).name.as_str(),
        Var::Local(id) => function.local(id).name.as_str(),
    };
    visit::stmts(&function.body, &mut |stmt| {
        let mut change = |what: String, span: Span| {
            facts.change.get_or_insert(Change { what, span });
        };
        match &stmt.kind {
            StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                let own = matches!(target.var, Var::Local(_)) && target.indices.is_empty();
                if !own && shared(target.var) {
                    change(format!("writes `{}`", name(target.var)), target.span);
                }
            }
            StmtKind::SetUniverse { global, .. } => {
                change(format!("writes `{}`", program.global(*global).name), stmt.span);
            }
            StmtKind::Delete(place) if shared(place.var) => {
                change(format!("frees `{}`", name(place.var)), stmt.span);
            }
            StmtKind::Print(_) => change("prints".into(), stmt.span),
            _ => {}
        }
        visit::exprs(stmt, &mut |expr: &Expr| {
            if let Some(what) = expr_change(expr, &shared, &name) {
                facts.change.get_or_insert(Change { what, span: expr.span });
            }
            if let ExprKind::Call { func, .. } = &expr.kind {
                facts.calls.push((func.func, expr.span));
            }
        });
    });
    facts
}

/// What an expression itself changes.
fn expr_change<'n>(expr: &Expr, shared: &impl Fn(Var) -> bool, name: &impl Fn(Var) -> &'n str) -> Option<String> {
    use Builtin::*;
    let first = |args: &[Expr]| match args.first().map(|arg| &arg.kind) {
        Some(ExprKind::Var(var)) => Some(*var),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Builtin { builtin, args } => {
            let var = first(args);
            let of = || var.map_or("something".to_string(), |var| format!("`{}`", name(var)));
            match builtin {
                WriteMin | WriteMax | AtomicAdd | CompareAndSwap if var.is_none_or(shared) => {
                    Some(format!("writes {}", of()))
                }
                UpdatePriorityMin | UpdatePriorityMax | UpdatePrioritySum | DequeueReadySet => {
                    Some(format!("updates the queue {}", of()))
                }
                AddVertex => Some(format!("adds to the set {}", of())),
                ListAppend | ListPop | ListInsert | ListRetrieve => Some(format!("changes the list {}", of())),
                StartTimer | StopTimer => Some("takes the time".into()),
                _ => None,
            }
        }
        ExprKind::EdgeApply(_)
        | ExprKind::Groups(_)
        | ExprKind::VertexApply { .. }
        | ExprKind::VertexFilter { .. }
        | ExprKind::VertexApplyExtern { .. } => Some("runs an operator".into()),
        _ => None,
    }
}

/// Vectors that a function makes for itself and never gives another name.
fn private_vectors(function: &Function) -> HashSet<LocalId> {
    let mut private = HashSet::new();
    let mut renamed = HashSet::new();
    visit::stmts(&function.body, &mut |stmt| match &stmt.kind {
        StmtKind::Let { local, init } => {
            let made = match init {
                None | Some(Init::Fill(_) | Init::Items(_)) => true,
                Some(Init::Value(value)) => matches!(value.kind, ExprKind::NewVector),
                Some(Init::Universe(_)) => false,
            };
            let local_variable = function.local(*local);
            if made && local_variable.kind == LocalKind::Var && matches!(local_variable.ty, Type::Vector { .. }) {
                private.insert(*local);
            }
        }
        StmtKind::Assign { target, .. } if target.indices.is_empty() => {
            if let Var::Local(id) = target.var {
                renamed.insert(id);
            }
        }
        _ => {}
    });
    private.retain(|id| !renamed.contains(id));
    private
}
