//! From GraphIR to code: functions, statements and initialisers.

use std::collections::HashMap;
use std::sync::Arc;

use gw_ir::expr::{Expr, ExprKind};
use gw_ir::meta::Direction;
use gw_ir::module::{self, FunctionKind, GlobalInit, Module, Param};
use gw_ir::operator::Operator;
use gw_ir::source::{Name, Span};
use gw_ir::stmt::{Decision, HybridStmt, Stmt, StmtKind};
use gw_ir::types::{Scalar, Type};
use gw_ir::walk;
use gw_schedule::{Adaptive, Chooser, Schedule};

use super::{Code, Effect, Function, Init, InitStep, Line, LineKind, Num, Obj, OperatorInfo, Place, Target, Var};
use crate::adaptive::StepChooser;
use crate::env::{GlobalTable, Slot, SlotCounter};
use crate::error::{ErrorKind, ExecError, Result};
use crate::sites::{Sites, StatementId};

/// The code being made for one function.
pub(super) struct Compiler<'m> {
    pub(super) module: &'m Module,
    pub(super) sites: &'m Sites<'m>,
    pub(super) globals: &'m GlobalTable,
    pub(super) functions: &'m HashMap<Name, usize>,
    pub(super) locals: HashMap<Name, Slot>,
}

pub(super) fn malformed(message: impl Into<String>) -> ExecError {
    ErrorKind::Malformed(message.into()).into()
}

impl Code {
    /// Resolves every name of a module.
    pub(crate) fn compile(module: &Module) -> Result<Code> {
        let sites = Sites::of(module);
        let globals = GlobalTable::of(module);
        let by_name: HashMap<Name, usize> =
            module.functions.iter().enumerate().map(|(i, f)| (f.name.clone(), i)).collect();
        let compiler = |locals| Compiler { module, sites: &sites, globals: &globals, functions: &by_name, locals };

        let startup = module::Function {
            name: "start-up".into(),
            kind: FunctionKind::Startup,
            context: module::Context::Host,
            captures: Vec::new(),
            params: Vec::new(),
            result: None,
            body: Some(module.startup.clone()),
            span: Span::NONE,
            extra: Default::default(),
        };
        // The block of the module itself is compiled, not the copy: nodes are known by their address.
        let startup = function(&compiler, &startup, Some(&module.startup))?;
        let functions =
            module.functions.iter().map(|f| function(&compiler, f, f.body.as_deref())).collect::<Result<_>>()?;
        let inits = compiler(HashMap::new()).inits()?;
        let operators = sites.operators.iter().map(|(site, op)| OperatorInfo {
            name: op.name(),
            site: site.clone(),
            schedule: schedule_text(op),
            draws: gw_ir::walk::operator_functions(op)
                .iter()
                .any(|(_, f)| gw_ir::analysis::calls::draws(module, &f.name)),
        });
        let operators = operators.collect();
        let delta = sites.operators.iter().find_map(|(_, op)| delta_of(op));
        let globals = Arc::new(GlobalTable::of(module));
        let columns = gw_ir::analysis::columns::columns(module);
        Ok(Code { globals, functions, by_name, startup, inits, operators, delta, columns })
    }
}

fn delta_of(operator: &Operator) -> Option<gw_ir::meta::Amount> {
    match operator {
        Operator::UpdatePriorityEdgeSetIterator(u) => u.queue_meta.delta,
        Operator::UpdatePriorityExtern(u) => u.meta.delta,
        Operator::UpdateBuckets(u) => u.meta.delta,
        Operator::OrderedProcessing(o) => o.meta.delta,
        _ => None,
    }
}

fn schedule_text(operator: &Operator) -> Option<String> {
    let bound = match operator {
        Operator::VertexSetIterator(v) => v.meta.schedule.as_ref(),
        Operator::VertexSetFilter(v) => v.meta.schedule.as_ref(),
        other => other.edges().and_then(|e| e.meta.schedule.as_ref()),
    };
    bound.map(|schedule| schedule.to_string())
}

fn function<'m>(
    compiler: &impl Fn(HashMap<Name, Slot>) -> Compiler<'m>,
    function: &module::Function,
    body: Option<&'m [Stmt]>,
) -> Result<Function> {
    let mut counter = SlotCounter::default();
    let mut slots = HashMap::new();
    let mut object_names = Vec::new();
    let mut place = |p: &Param| {
        let slot = counter.next(&p.ty);
        if matches!(slot, Slot::Object(_)) {
            object_names.push(p.name.clone());
        }
        slots.insert(p.name.clone(), slot);
        slot
    };
    let captures = function.captures.iter().map(&mut place).collect();
    let params = function.params.iter().map(&mut place).collect();
    let result = function.result.as_ref().map(&mut place);
    for local in function.locals() {
        place(&local);
    }
    let compiler = compiler(slots);
    let body = body.map(|body| compiler.block(body)).transpose()?;
    Ok(Function {
        name: function.name.clone(),
        kind: function.kind,
        captures,
        params,
        param_types: function.params.iter().map(|p| p.ty.clone()).collect(),
        result,
        result_type: function.result_type(),
        scalars: counter.scalars,
        objects: counter.objects,
        object_names,
        slots: compiler.locals,
        body,
        signature: signature(function),
    })
}

fn signature(function: &module::Function) -> String {
    let params: Vec<String> = function.params.iter().map(|p| format!("{}: {}", p.name, p.ty)).collect();
    let result = function.result.as_ref().map(|r| format!(" -> {}: {}", r.name, r.ty)).unwrap_or_default();
    format!("func {}({}){result}", function.name, params.join(", "))
}

impl<'m> Compiler<'m> {
    pub(super) fn block(&self, block: &'m [Stmt]) -> Result<Vec<Line>> {
        block.iter().map(|stmt| self.stmt(stmt).map_err(|e| e.at(stmt.span))).collect()
    }

    fn stmt(&self, stmt: &'m Stmt) -> Result<Line> {
        let kind = match &stmt.kind {
            StmtKind::VarDecl { name, ty, init } => match (self.slot(name)?, init) {
                (Resolved::Local(Slot::Scalar(slot, _)), init) => {
                    let value = init.as_ref().map_or(Ok(Num::Const(0)), |e| self.num(e))?;
                    LineKind::SetNum(Target::Local(slot), value)
                }
                (Resolved::Local(Slot::Object(slot)), init) => {
                    let value = init.as_ref().map_or_else(|| Ok(Obj::Default(ty.clone())), |e| self.obj(e))?;
                    let effect = if init.is_some() { effect(name, ty, false) } else { Effect::None };
                    LineKind::SetObj(Var::Local(slot), value, effect)
                }
                (Resolved::Global(_), _) => return Err(malformed(format!("local `{name}` has the name of a global"))),
            },
            StmtKind::Assign { target, value } => self.assign(target, value)?,
            StmtKind::Eval(e) => match is_num(&e.ty) && !matches!(e.kind, ExprKind::Operator(_)) {
                true => LineKind::Eval(self.num(e)?),
                false => LineKind::EvalObj(self.obj(e)?),
            },
            StmtKind::If { condition, then, otherwise } => {
                LineKind::If(self.num(condition)?, self.block(then)?, self.block(otherwise)?)
            }
            StmtKind::While { condition, body, .. } => {
                LineKind::While(self.id(stmt)?, self.num(condition)?, self.block(body)?)
            }
            StmtKind::DoWhile { body, condition } => {
                LineKind::DoWhile(self.id(stmt)?, self.block(body)?, self.num(condition)?)
            }
            StmtKind::For { var, low, high, body, .. } => LineKind::For {
                id: self.id(stmt)?,
                var: self.loop_variable(var)?,
                low: self.num(low)?,
                high: self.num(high)?,
                body: self.block(body)?,
            },
            StmtKind::ParFor { var, low, high, body, .. } => LineKind::ParFor {
                id: self.id(stmt)?,
                var: self.loop_variable(var)?,
                low: self.num(low)?,
                high: self.num(high)?,
                body: self.block(body)?,
            },
            StmtKind::Break => LineKind::Break,
            StmtKind::Print(e) => match e.ty.scalar() {
                Some(scalar) if scalar != Scalar::String => LineKind::PrintNum(scalar, self.num(e)?),
                _ => LineKind::PrintObj(self.obj(e)?),
            },
            StmtKind::Delete(e) => LineKind::Delete(self.object_var(e)?),
            StmtKind::Scope(body) => LineKind::Scope(self.block(body)?),
            StmtKind::Hybrid(hybrid) => {
                if hybrid.variants.is_empty() {
                    return Err(malformed("a hybrid without variants"));
                }
                LineKind::Hybrid {
                    id: self.id(stmt)?,
                    chooser: step_chooser(hybrid)?,
                    node: Box::new(hybrid.clone()),
                    frontier: hybrid.frontier.as_ref().map(|e| self.obj(e)).transpose()?,
                    graph: self.obj(&hybrid.graph)?,
                    variants: hybrid.variants.iter().map(|v| self.block(v)).collect::<Result<_>>()?,
                }
            }
        };
        Ok(Line { span: stmt.span, kind })
    }

    fn assign(&self, target: &'m Expr, value: &'m Expr) -> Result<LineKind> {
        if is_num(&target.ty) {
            return Ok(LineKind::SetNum(self.target(target)?, self.num(value)?));
        }
        match &target.kind {
            ExprKind::Var(name) => {
                let universe = self.module.global(name).is_some_and(|g| g.universe) && !self.locals.contains_key(name);
                Ok(LineKind::SetObj(self.object_var(target)?, self.obj(value)?, effect(name, &target.ty, universe)))
            }
            _ => Ok(LineKind::SetRow(self.place(target)?, self.obj(value)?)),
        }
    }

    fn inits(&self) -> Result<Vec<Init>> {
        let mut inits = Vec::new();
        for global in &self.module.globals {
            let slot = self.slot(&global.name)?;
            let step = match (&global.init, slot) {
                (Some(GlobalInit::PerEntry(e)), Resolved::Global(Slot::Object(slot))) => {
                    InitStep::PerEntry(slot, self.num(e)?)
                }
                (Some(GlobalInit::Value(e)), Resolved::Global(Slot::Scalar(slot, _))) => {
                    let kind = LineKind::SetNum(Target::Global(slot), self.num(e)?);
                    InitStep::Assign(Box::new(Line { span: global.span, kind }))
                }
                (Some(GlobalInit::Value(e)), Resolved::Global(Slot::Object(slot))) => {
                    let effect = effect(&global.name, &global.ty, global.universe);
                    let kind = LineKind::SetObj(Var::Global(slot), self.obj(e)?, effect);
                    InitStep::Assign(Box::new(Line { span: global.span, kind }))
                }
                (None, Resolved::Global(Slot::Object(slot))) => InitStep::Zero(slot),
                (None, Resolved::Global(Slot::Scalar(..))) => continue,
                _ => return Err(malformed(format!("the initialiser of `{}` does not fit", global.name))),
            };
            inits.push(Init { span: global.span, ty: global.ty.clone(), step });
        }
        Ok(inits)
    }

    fn id(&self, stmt: &Stmt) -> Result<StatementId> {
        self.sites.statement(stmt).ok_or_else(|| malformed("a statement outside of the module"))
    }

    fn loop_variable(&self, name: &str) -> Result<u32> {
        match self.slot(name)? {
            Resolved::Local(Slot::Scalar(slot, Scalar::Int)) => Ok(slot),
            _ => Err(malformed(format!("the loop variable `{name}` is no int local"))),
        }
    }

    pub(super) fn slot(&self, name: &str) -> Result<Resolved> {
        match (self.locals.get(name), self.globals.slots.get(name)) {
            (Some(slot), _) => Ok(Resolved::Local(*slot)),
            (None, Some(slot)) => Ok(Resolved::Global(*slot)),
            (None, None) => Err(malformed(format!("`{name}` is not declared"))),
        }
    }

    /// A scalar variable or vector entry to be written.
    pub(super) fn target(&self, e: &'m Expr) -> Result<Target> {
        match &e.kind {
            ExprKind::Var(name) => match self.slot(name)? {
                Resolved::Local(Slot::Scalar(slot, _)) => Ok(Target::Local(slot)),
                Resolved::Global(Slot::Scalar(slot, _)) => Ok(Target::Global(slot)),
                _ => Err(malformed(format!("`{name}` is no scalar"))),
            },
            _ => Ok(Target::Cell(self.place(e)?)),
        }
    }

    /// A variable that holds an object.
    pub(super) fn object_var(&self, e: &Expr) -> Result<Var> {
        let name = e.as_var().ok_or_else(|| malformed("a variable is needed here"))?;
        self.named_object(name)
    }

    pub(super) fn named_object(&self, name: &str) -> Result<Var> {
        match self.slot(name)? {
            Resolved::Local(Slot::Object(slot)) => Ok(Var::Local(slot)),
            Resolved::Global(Slot::Object(slot)) => Ok(Var::Global(slot)),
            _ => Err(malformed(format!("`{name}` is a scalar, not an object"))),
        }
    }

    /// A vector entry, or a row of a nested vector.
    pub(super) fn place(&self, e: &'m Expr) -> Result<Place> {
        let mut indices = Vec::new();
        let mut inner = e;
        while let ExprKind::Element { vector, index, .. } = &inner.kind {
            indices.push(self.num(index)?);
            inner = vector;
        }
        indices.reverse();
        if indices.is_empty() || indices.len() > super::MAX_NESTING {
            return Err(malformed(format!("vectors have 1 to {} indices", super::MAX_NESTING)));
        }
        Ok(Place { vector: self.object_var(inner)?, indices })
    }
}

/// A resolved variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum Resolved {
    Local(Slot),
    Global(Slot),
}

/// Whether expressions of this type yield a register; `void` counts as one that nobody reads.
pub(super) fn is_num(ty: &Type) -> bool {
    *ty == Type::Void || ty.scalar().is_some_and(|s| s != Scalar::String)
}

/// What assigning this variable means for the sizes of elements. Graphs and sets that operators stand for leave the
/// number of vertices to those that the program names.
fn effect(name: &str, ty: &Type, universe: bool) -> Effect {
    let derived = name.starts_with(gw_lang::DERIVED);
    match ty {
        Type::EdgeSet { edge, .. } if derived => Effect::Graph(Vec::new(), edge.clone()),
        Type::VertexSet(_) if derived => Effect::None,
        Type::EdgeSet { edge, source, target, .. } => Effect::Graph(vec![source.clone(), target.clone()], edge.clone()),
        Type::VertexSet(element) if universe => Effect::Universe(element.clone()),
        _ => Effect::None,
    }
}

/// The tree that a hybrid asks, when its chooser is one.
fn step_chooser(hybrid: &HybridStmt) -> Result<Option<Box<StepChooser>>> {
    let Decision::Chooser { schedule, tree } = &hybrid.decision else { return Ok(None) };
    match (&**schedule, tree) {
        (_, Some(tree)) => {
            let pushes = hybrid.variants.iter().map(|variant| is_push(variant)).collect();
            Ok(Some(Box::new(StepChooser::new(Arc::clone(tree), pushes))))
        }
        (Schedule::Adaptive(Adaptive { chooser: Chooser::Tree(name) | Chooser::Oracle(name), .. }), None) => {
            let problem =
                format!("the schedule asks the model `{name}`, which was not given; name its file: adaptive:FILE");
            Err(ErrorKind::Unsupported(problem).into())
        }
        _ => Ok(None),
    }
}

/// Whether the edge operators of a variant push.
fn is_push(variant: &[Stmt]) -> bool {
    let mut pushes = true;
    walk::walk_stmts(variant, &mut |stmt| {
        if let Some(op) = stmt.operator().and_then(Operator::edges) {
            pushes &= op.meta.direction != Some(Direction::Pull);
        }
    });
    pushes
}
