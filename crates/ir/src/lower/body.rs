//! Bodies of functions in place of calls: what the calls of [`gw_lang::inlined`] stand for.
//!
//! Parameters become variables of the caller; one that is never assigned is the caller's variable itself, so that
//! passes see which graph, set or vector an operator works on. What the function leaves behind besides its result is
//! deleted where the function would have ended.

use super::stmt::empty_value;
use super::{Lower, LowerProblem, Lowering};
use crate::expr::{Expr, ExprKind};
use crate::module::{FunctionKind, GlobalInit, Module};
use crate::source::Name;
use crate::stmt::{Block, Stmt, StmtKind};
use crate::types::Type;
use crate::walk::{self, function_refs};
use gw_lang::builtin::Builtin as LangBuiltin;
use gw_lang::inlined::Site;
use gw_lang::typed::{self, ExprKind as LangKind, FuncUse, StmtKind as LangStmt};
use gw_lang::types::LocalId;
use gw_lang::visit;
use std::collections::HashSet;

impl<'p> Lowering<'p> {
    /// The site of a call that stands for a body here.
    pub(super) fn site(&mut self, func: &FuncUse) -> Option<Site> {
        match self.is_host && self.in_statement {
            true => self.inlined.take(self.id, func, &mut self.allowance).cloned(),
            false => None,
        }
    }

    /// Puts the body of a function to the end of `out`; gives the variable of its result, `into` if that is given.
    pub(super) fn body(
        &mut self,
        site: &Site,
        func: &'p FuncUse,
        args: &'p [typed::Expr],
        into: Option<Name>,
        out: &mut Block,
    ) -> Lower<Option<Expr>> {
        let callee = self.program.function(func.func);
        let values: Vec<&'p typed::Expr> = func.captures.iter().chain(args).collect();
        let lowered = self.in_order(&values, out)?;
        let mut names: Vec<Option<Name>> = vec![None; callee.locals.len()];
        for (local, value) in callee.captures.iter().chain(&callee.params).zip(lowered) {
            let ty = self.ty(&callee.local(*local).ty);
            let known = value.as_var().filter(|name| value.ty == ty && self.stays(callee, *local, name, &ty)).cloned();
            names[local.0 as usize] = Some(match known {
                Some(name) => name,
                None => {
                    let name = self.fresh(&callee.local(*local).name);
                    let decl = StmtKind::VarDecl { name: name.clone(), ty, init: Some(value) };
                    out.push(Stmt::new(decl).at(self.span(func.span)));
                    name
                }
            });
        }
        let mut result = None;
        if let Some(local) = callee.result {
            let ty = self.ty(&callee.local(local).ty);
            let name = into.unwrap_or_else(|| self.fresh(&callee.local(local).name));
            let init = match ty {
                Type::Vector { .. } => None,
                _ => empty_value(&ty),
            };
            let decl = StmtKind::VarDecl { name: name.clone(), ty: ty.clone(), init };
            out.push(Stmt::new(decl).at(self.span(func.span)));
            names[local.0 as usize] = Some(name.clone());
            result = Some(Expr::var(name, ty));
        }
        let names = callee.locals.iter().zip(names);
        let names = names.map(|(local, name)| name.unwrap_or_else(|| self.fresh(&local.name))).collect();
        let scope = match (&self.scope, &site.scope) {
            (Some(outer), Some(scope)) if self.labelled == 0 => Some(format!("{outer}:{scope}")),
            (Some(outer), None) if self.labelled == 0 => Some(outer.clone()),
            (_, scope) => scope.clone(),
        };
        let caller = (
            self.function.replace(callee),
            std::mem::replace(&mut self.id, func.func),
            std::mem::replace(&mut self.names, names),
            std::mem::take(&mut self.left),
            std::mem::replace(&mut self.scope, scope),
            std::mem::take(&mut self.labelled),
        );
        self.allowance.nested -= 1;
        let body = self.block(&callee.body);
        self.allowance.nested += 1;
        out.extend(body?);
        self.leave_nothing(callee, func, out);
        (self.function, self.id, self.names, self.left, self.scope, self.labelled) = caller;
        self.copied.insert(callee.name.as_str().into());
        Ok(result)
    }

    /// Values in the order of the text: what a body put in front of a later one may change, is kept before it.
    pub(super) fn in_order(&mut self, exprs: &[&'p typed::Expr], pre: &mut Block) -> Lower<Vec<Expr>> {
        let mut values = Vec::with_capacity(exprs.len());
        for (at, expr) in exprs.iter().enumerate() {
            let value = self.expr(expr, pre)?;
            let later =
                self.is_host && self.in_statement && exprs[at + 1..].iter().any(|e| self.inlined.is_in(self.id, e));
            let is_global = |name: &Name| self.reserved.contains(name);
            let settled = match &value.kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) => true,
                ExprKind::Var(name) => !is_global(name) || value.ty.is_reference(),
                _ => false,
            };
            values.push(match later && !settled {
                true => self.temporary(value, "before", expr.span, pre),
                false => value,
            });
        }
        Ok(values)
    }

    /// Whether a parameter can be the variable that is given for it.
    fn stays(&self, callee: &typed::Function, param: LocalId, given: &Name, ty: &Type) -> bool {
        let is_global = self.reserved.contains(given);
        if is_global && (!ty.is_reference() || self.reassigned.contains(given)) {
            return false;
        }
        let param = typed::Var::Local(param);
        let mut stays = true;
        visit::stmts(&callee.body, &mut |stmt| match &stmt.kind {
            LangStmt::Assign { target, .. } | LangStmt::Reduce { target, .. } | LangStmt::Delete(target) => {
                stays &= target.var != param || !target.indices.is_empty();
            }
            _ => {}
        });
        // A set of all vertices that gets members is another set.
        stays && (!self.universes.contains(given) || !adds_members(callee))
    }

    /// Deletes what the function holds when it ends: sets, lists, queues, graphs and vectors of its outermost block.
    fn leave_nothing(&mut self, callee: &'p typed::Function, func: &FuncUse, out: &mut Block) {
        let mut deleted = HashSet::new();
        visit::stmts(&callee.body, &mut |stmt| {
            if let LangStmt::Delete(place) = &stmt.kind {
                deleted.insert(place.var);
            }
        });
        for stmt in &callee.body {
            let LangStmt::Let { local, .. } = &stmt.kind else { continue };
            let var = self.var(typed::Var::Local(*local));
            if var.ty.is_reference() && !deleted.contains(&typed::Var::Local(*local)) {
                out.push(Stmt::new(StmtKind::Delete(var)).at(self.span(func.span)));
            }
        }
    }

    /// Whether the set is one of all vertices that is never materialised, under whatever name.
    pub(super) fn is_universe(&self, set: &typed::Expr) -> bool {
        match &set.kind {
            LangKind::Var(typed::Var::Local(id)) => {
                self.names.get(id.0 as usize).is_some_and(|name| self.universes.contains(name))
            }
            _ => self.program.is_universe(set),
        }
    }

    /// The label of a statement, with the scope of the body that it stands in.
    pub(super) fn label(&self, stmt: &typed::Stmt) -> Option<Name> {
        let own = &stmt.label.as_ref()?.name;
        Some(match &self.scope {
            Some(scope) if self.labelled == 0 => format!("{scope}:{own}").as_str().into(),
            _ => own.as_str().into(),
        })
    }

    /// A call that is a whole statement.
    pub(super) fn call_statement(&mut self, stmt: &'p typed::Stmt, out: &mut Block) -> Lower<bool> {
        let LangStmt::Expr(typed::Expr { kind: LangKind::Call { func, args }, .. }) = &stmt.kind else {
            return Ok(false);
        };
        let Some(site) = self.site(func) else { return Ok(false) };
        self.body(&site, func, args, None, out).map(|_| true)
    }

    /// A variable that begins with the result of a call: the body works on the variable itself.
    pub(super) fn call_into(&mut self, stmt: &'p typed::Stmt, out: &mut Block) -> Lower<bool> {
        let LangStmt::Let { local, init: Some(typed::Init::Value(value)) } = &stmt.kind else { return Ok(false) };
        let LangKind::Call { func, args } = &value.kind else { return Ok(false) };
        let Expr { kind: ExprKind::Var(name), ty } = self.var(typed::Var::Local(*local)) else { return Ok(false) };
        if ty != self.ty(&value.ty) {
            return Ok(false);
        }
        let Some(site) = self.site(func) else { return Ok(false) };
        self.body(&site, func, args, Some(name), out).map(|_| true)
    }

    /// The result of a call inside an expression, behind the body.
    pub(super) fn call(
        &mut self,
        site: &Site,
        func: &'p FuncUse,
        args: &'p [typed::Expr],
        pre: &mut Block,
    ) -> Lower<Expr> {
        match self.body(site, func, args, None, pre)? {
            Some(result) => Ok(result),
            None => self.fail(func.span, LowerProblem::OperatorPosition("inside an expression")),
        }
    }
}

fn adds_members(function: &typed::Function) -> bool {
    let mut found = false;
    visit::stmts(&function.body, &mut |stmt| {
        visit::exprs(stmt, &mut |e| {
            found |= matches!(e.kind, LangKind::Builtin { builtin: LangBuiltin::AddVertex, .. });
        });
    });
    found
}

/// The globals that functions assign as a whole.
pub(super) fn reassigned(program: &typed::TypedProgram) -> HashSet<Name> {
    let mut found = HashSet::new();
    for function in &program.functions {
        visit::stmts(&function.body, &mut |stmt| match &stmt.kind {
            LangStmt::Assign { target, .. } | LangStmt::Delete(target) if target.indices.is_empty() => {
                if let typed::Var::Global(id) = target.var {
                    found.insert(program.global(id).name.as_str().into());
                }
            }
            LangStmt::SetUniverse { global, .. } => {
                found.insert(program.global(*global).name.as_str().into());
            }
            _ => {}
        });
    }
    found
}

/// Drops the functions whose bodies stand in place of all calls, and what only they name.
pub(super) fn drop_copied(module: &mut Module, copied: &HashSet<Name>, made_by: &dyn Fn(&Name) -> Option<Name>) {
    if copied.is_empty() {
        return;
    }
    let may_go = |name: &Name| copied.contains(name) || made_by(name).is_some_and(|maker| copied.contains(&maker));
    let mut open: Vec<Name> = Vec::new();
    let mut name_functions = |expr: &Expr| {
        walk::walk_expr(expr, &mut |e| open.extend(function_refs(e).into_iter().map(|(_, f)| f.name.clone())));
    };
    for global in &module.globals {
        if let Some(GlobalInit::Value(init) | GlobalInit::PerEntry(init)) = &global.init {
            name_functions(init);
        }
    }
    open.extend(module.functions.iter().map(|f| f.name.clone()).filter(|name| !may_go(name)));
    let mut kept: HashSet<Name> = HashSet::new();
    while let Some(name) = open.pop() {
        if !kept.insert(name.clone()) {
            continue;
        }
        let Some(body) = module.function(&name).and_then(|f| f.body.as_ref()) else { continue };
        walk::walk_block_exprs(body, &mut |e| open.extend(function_refs(e).into_iter().map(|(_, f)| f.name.clone())));
    }
    module.functions.retain(|f| f.kind != FunctionKind::User || kept.contains(&f.name));
}
