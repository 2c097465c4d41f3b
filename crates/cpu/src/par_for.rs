//! `par_for` loops: the body becomes a kernel over the range of the loop variable.
//!
//! Possible where the body is made of what operator functions are made of. A body with operators of its own, with
//! prints, or that assigns variables from outside stays on the host; its operators are parallel all the same. A local
//! variable of the host function that the iterations only reduce into (`total += i`) becomes a global of the kernel,
//! whose value goes back into the variable when the loop has ended.

use std::sync::Arc;

use gw_exec::{Captures, Environment, Locals, Result, Sites, StatementId};
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::meta::{Amount, UpdateMeta};
use gw_ir::module::{Function, FunctionKind, Global, Module, Param};
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::Type;
use gw_ir::walk;

use crate::codegen::{OutputForm, Range};
use crate::drive::Even;
use crate::executable::{CpuExecutable, Key, plain_target};
use crate::tuning::{CHUNKS_PER_MEMBER, LOOP_ITERATIONS};

/// A loop whose body is a function of its variable.
pub(crate) struct Iterations {
    /// The function that stands for the body, added to the module.
    pub(crate) function: Name,
    /// Locals of the host function that the body reads, in the order of the captures.
    captures: Vec<Name>,
    /// Locals that the body reduces into.
    reduced: Vec<Reduced>,
    grain: Option<Amount>,
    span: Span,
}

/// A local variable that all iterations reduce into.
struct Reduced {
    /// The local of the host function.
    local: Name,
    /// The global that stands for it in the kernel.
    global: Name,
    ty: Type,
}

/// The loops of a module whose bodies may become kernels, by statement, and the module with a function for each.
pub(crate) fn extract(module: &Arc<Module>) -> (Arc<Module>, Vec<Option<Iterations>>) {
    let sites = Sites::of(module);
    let (mut functions, mut globals) = (Vec::new(), Vec::new());
    let loops: Vec<Option<Iterations>> = sites
        .statements
        .iter()
        .enumerate()
        .map(|(i, (_, stmt))| {
            let (function, iterations) = outline(module, stmt, &format!("par_for@{i}"))?;
            functions.push(function);
            globals.extend(iterations.reduced.iter().map(|reduced| Global {
                name: reduced.global.clone(),
                ty: reduced.ty.clone(),
                universe: false,
                init: None,
                span: stmt.span,
                meta: Default::default(),
            }));
            Some(iterations)
        })
        .collect();
    if functions.is_empty() {
        return (Arc::clone(module), loops);
    }
    let mut extended = Module::clone(module);
    extended.functions.extend(functions);
    extended.globals.extend(globals);
    (Arc::new(extended), loops)
}

/// The body of a loop as a function; `None` when it must stay on the host.
fn outline(module: &Module, stmt: &Stmt, name: &str) -> Option<(Function, Iterations)> {
    let StmtKind::ParFor { var, body, meta, .. } = &stmt.kind else { return None };
    let mut inside: Vec<Name> = vec![var.clone()];
    let mut fits = true;
    walk::walk_stmts(body, &mut |s| match &s.kind {
        StmtKind::VarDecl { name, .. } => inside.push(name.clone()),
        StmtKind::For { var, .. } => inside.push(var.clone()),
        StmtKind::Break | StmtKind::ParFor { .. } => fits = false,
        _ => {}
    });
    let mut captures: Vec<Param> = Vec::new();
    walk::walk_block_exprs(body, &mut |e| match &e.kind {
        ExprKind::Operator(_) => fits = false,
        ExprKind::Var(name)
            if !inside.contains(name) && module.global(name).is_none() && !captures.iter().any(|c| c.name == *name) =>
        {
            captures.push(Param { name: name.clone(), ty: e.ty.clone() });
        }
        _ => {}
    });
    // A variable from outside that all iterations assign has no value of its own per iteration.
    let mut assigns = |target: &Expr| fits &= target.as_var().is_none_or(|name| inside.contains(name));
    walk::walk_stmts(body, &mut |s| {
        if let StmtKind::Assign { target, .. } = &s.kind {
            assigns(target);
        }
    });
    let reduced = reductions(body, &mut captures, name);
    let reduced = reduced.filter(|_| fits)?;
    let mut body = body.clone();
    // Nothing is known about who else writes a cell.
    walk::walk_block_exprs_mut(&mut body, &mut |e| match &mut e.kind {
        ExprKind::Reduce { meta: UpdateMeta { atomic, .. }, .. } => *atomic = true,
        ExprKind::Var(name) => {
            if let Some(reduced) = reduced.iter().find(|reduced| reduced.local == *name) {
                *name = reduced.global.clone();
            }
        }
        _ => {}
    });
    let function = Function {
        name: name.into(),
        kind: FunctionKind::User,
        context: gw_ir::module::Context::Device,
        params: vec![Param { name: var.clone(), ty: Type::INT }],
        result: None,
        body: Some(body),
        span: stmt.span,
        extra: Default::default(),
        captures,
    };
    let captures = function.captures.iter().map(|c| c.name.clone()).collect();
    let iterations = Iterations { function: name.into(), captures, reduced, grain: meta.grain_size, span: stmt.span };
    Some((function, iterations))
}

/// Moves the variables that the body reduces into from the captures into a list of their own; `None` when the body
/// reads one of them as well: what it reads then depends on the order of the iterations, which is the host's.
fn reductions(body: &[Stmt], captures: &mut Vec<Param>, function: &str) -> Option<Vec<Reduced>> {
    let (mut mentions, mut targets): (Vec<Name>, Vec<Name>) = (Vec::new(), Vec::new());
    walk::walk_block_exprs(body, &mut |e| match &e.kind {
        ExprKind::Var(name) => mentions.push(name.clone()),
        ExprKind::Reduce { target, .. } => targets.extend(target.as_var().cloned()),
        _ => {}
    });
    let count = |names: &[Name], name: &Name| names.iter().filter(|n| *n == name).count();
    let (into, rest): (Vec<Param>, Vec<Param>) = captures.drain(..).partition(|c| targets.contains(&c.name));
    *captures = rest;
    into.into_iter()
        .map(|Param { name, ty }| {
            let only = count(&mentions, &name) == count(&targets, &name);
            let global = format!("{function}@{name}").into();
            only.then_some(Reduced { local: name, global, ty })
        })
        .collect()
}

impl CpuExecutable {
    /// Runs the iterations of a loop; false leaves it to the host.
    pub(crate) fn run_iterations(
        &mut self,
        statement: StatementId,
        range: std::ops::Range<i32>,
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<bool> {
        let Some(Some(iterations)) = self.loops.get(statement.0) else { return Ok(false) };
        let Ok(begin) = usize::try_from(range.start) else { return Ok(false) };
        let length = range.len();
        let captures: Option<Vec<_>> = iterations.captures.iter().map(|name| locals.get(name)).collect();
        let Some(captures) = captures else { return Ok(false) };
        let (span, grain) = (iterations.span, iterations.grain);
        let values =
            iterations.reduced.iter().map(|reduced| Some((reduced.global.clone(), locals.get(&reduced.local)?)));
        let Some(values) = values.collect::<Option<Vec<_>>>() else { return Ok(false) };
        let parallel = self.crew.size() > 1;
        let each = self.sharing.member_vertices.min(LOOP_ITERATIONS);
        let hands = self.sharing.hands(length, each, self.crew.size()).filter(|_| parallel);
        let target = plain_target(hands.is_some(), OutputForm::None);
        let operator = self.operators.len() + statement.0;
        let key = Key { operator, shape: None, range: Range::Ids, target, joined: None };
        let captures = Captures { apply: &captures, ..Captures::default() };
        let Some((compiled, slots)) = self.bind(key, 0, captures, &values, env)? else { return Ok(false) };
        let grain = match grain.map(|grain| env.amount(grain)).transpose()? {
            Some(grain) if grain > 0 => grain as usize,
            _ => (length / (CHUNKS_PER_MEMBER * self.crew.size())).max(1),
        };
        let chunks = Shifted { begin: begin as u64, even: Even { length, grain } };
        // SAFETY: the slots were filled from the inputs that this kernel was compiled with; every index that the body
        // computes from the loop variable is checked.
        let driven = unsafe { self.crew.drive(compiled.kernel, &slots.words, &chunks, hands, &env.stop) };
        let fault = self.crew.fault(&compiled.sites);
        let changed = slots.write_back(env);
        self.crew.collect_counts();
        fault.map_err(|e| e.at(span))?;
        driven?;
        let Some(Some(Iterations { reduced, .. })) = self.loops.get(statement.0) else { return Ok(true) };
        for (global, value) in changed {
            if let Some(reduced) = reduced.iter().find(|reduced| reduced.global == global) {
                locals.set(&reduced.local, value);
            }
        }
        Ok(true)
    }
}

/// Chunks of a range that does not begin at 0.
struct Shifted {
    begin: u64,
    even: Even,
}

impl crate::drive::Chunks for Shifted {
    fn count(&self) -> usize {
        self.even.count()
    }
    fn bounds(&self, chunk: usize) -> (u64, u64) {
        let (begin, end) = self.even.bounds(chunk);
        (self.begin + begin, self.begin + end)
    }
}
