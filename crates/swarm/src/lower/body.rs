//! Functions of the program as task code: everything they call is written in their place.
//!
//! Statements and names are here; `expr` has the values, `place` what is read and written, `priority` the priorities of
//! queues.

use std::collections::HashMap;

use gw_ir::expr::{BinaryOp, Expr, FunctionRef};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Scalar, Type};

use super::build::{Build, Built, ObjectRef, Ops, Unsupported, scalar_of};
use crate::sim::code::{Op, Reg};

/// How deep calls may be nested: what calls itself cannot be written in its place.
const MAX_INLINED: usize = 16;
/// Codes of [`Op::Fail`].
pub mod fail {
    /// A priority is negative; the value is the vertex.
    pub const NEGATIVE_PRIORITY: u32 = 1;
    /// A priority does not fit its type.
    pub const PRIORITY_OVERFLOW: u32 = 2;
    /// An index into a row is too large; the value is the index.
    pub const ROW_INDEX: u32 = 3;
}

/// What a name means in a function.
#[derive(Debug, Clone)]
pub enum Slot {
    /// A number in a register.
    Reg(Reg),
    /// A vector.
    Object(ObjectRef),
    /// A set that the function only enqueues into.
    Output,
}

/// What a task does where the program enqueues a vertex.
pub type Enqueue<'e> = &'e mut dyn FnMut(&mut Build<'_>, &mut Ops, Reg) -> Built<()>;

/// A function body in the making.
pub struct Body<'b, 'm, 'e> {
    pub(super) build: &'b mut Build<'m>,
    pub(super) ops: &'b mut Ops,
    pub(super) names: HashMap<Name, Slot>,
    /// Filters and conditions enqueue nothing.
    pub(super) enqueue: Option<Enqueue<'e>>,
    /// The bucket of the task, where it runs in an ordered loop.
    pub(super) bucket: Option<Reg>,
    /// Entries of the source of the edge that are in registers, by their vectors, and the name of the source.
    pub(super) handed: &'b [(Name, Reg)],
    pub(super) source: Option<Name>,
    pub(super) depth: usize,
    /// Jumps out of the innermost loop.
    pub(super) breaks: Vec<usize>,
}

impl<'b, 'm, 'e> Body<'b, 'm, 'e> {
    /// A body that sees the globals and enqueues nothing.
    pub fn new(build: &'b mut Build<'m>, ops: &'b mut Ops, bucket: Option<Reg>) -> Self {
        let (names, breaks) = (HashMap::new(), Vec::new());
        Body { build, ops, names, enqueue: None, bucket, handed: &[], source: None, depth: 0, breaks }
    }

    /// The result of a filter on a vertex: a register that is zero where it does not pass.
    pub fn filter(&mut self, filter: &FunctionRef, captures: Vec<Slot>, vertex: Reg) -> Built<Reg> {
        let passes = self.inline(&filter.name, captures, vec![Slot::Reg(vertex)])?;
        passes.ok_or_else(|| Unsupported("a filter without a result".into()))
    }

    /// Writes a function with its captures and arguments; its result, if it has one.
    pub fn inline(&mut self, function: &str, captures: Vec<Slot>, args: Vec<Slot>) -> Built<Option<Reg>> {
        let module = self.build.module;
        let body = module.function(function).and_then(|f| f.body.as_ref());
        let body = body.ok_or_else(|| Unsupported(format!("the extern function `{function}`")))?;
        if self.depth >= MAX_INLINED {
            return Err(Unsupported(format!("the function `{function}` calls itself")));
        }
        self.in_function(function, captures, args, |this| {
            let result = match module.function(function).and_then(|f| f.result.as_ref()) {
                Some(result) => {
                    scalar_of(&result.ty)?;
                    let reg = this.ops.constant(0);
                    this.names.insert(result.name.clone(), Slot::Reg(reg));
                    Some(reg)
                }
                None => None,
            };
            this.block(body).map(|()| result)
        })
    }

    /// Writes something with the names of a function.
    pub fn in_function<T>(
        &mut self,
        function: &str,
        captures: Vec<Slot>,
        args: Vec<Slot>,
        write: impl FnOnce(&mut Self) -> Built<T>,
    ) -> Built<T> {
        let module = self.build.module;
        let Some(function) = module.function(function) else {
            return Err(Unsupported(format!("the function `{function}` is not there")));
        };
        let mut names: HashMap<Name, Slot> = HashMap::new();
        for (param, slot) in function.captures.iter().zip(captures).chain(function.params.iter().zip(args)) {
            // Parameters are variables of the function: its assignments stay its own.
            let slot = match slot {
                Slot::Reg(reg) => Slot::Reg(self.ops.copy(reg)),
                other => other,
            };
            names.insert(param.name.clone(), slot);
        }
        if self.depth == 0 {
            self.source = function.params.first().map(|param| param.name.clone());
        }
        let (outer, breaks) = (std::mem::replace(&mut self.names, names), std::mem::take(&mut self.breaks));
        self.depth += 1;
        let written = write(self);
        self.depth -= 1;
        (self.names, self.breaks) = (outer, breaks);
        written
    }

    fn block(&mut self, block: &[Stmt]) -> Built<()> {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Built<()> {
        match &stmt.kind {
            StmtKind::VarDecl { name, ty, init } => {
                scalar_of(ty)?;
                let value = match init {
                    Some(init) => self.expr(init)?,
                    None => self.ops.constant(0),
                };
                let reg = self.ops.copy(value);
                self.names.insert(name.clone(), Slot::Reg(reg));
                Ok(())
            }
            StmtKind::Assign { target, value } => {
                let value = self.expr(value)?;
                let place = self.place(target)?;
                self.store(&place, value);
                Ok(())
            }
            StmtKind::Eval(value) => self.expr_or_nothing(value).map(|_| ()),
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                let over = self.ops.jump(Some((condition, false)));
                self.block(then)?;
                if otherwise.is_empty() {
                    self.ops.land(over);
                } else {
                    let end = self.ops.jump(None);
                    self.ops.land(over);
                    self.block(otherwise)?;
                    self.ops.land(end);
                }
                Ok(())
            }
            StmtKind::While { condition, body, .. } => self.repeat(|this| {
                let condition = this.expr(condition)?;
                this.leave_unless(condition);
                this.block(body)
            }),
            StmtKind::DoWhile { body, condition } => self.repeat(|this| {
                this.block(body)?;
                let condition = this.expr(condition)?;
                this.leave_unless(condition);
                Ok(())
            }),
            StmtKind::For { var, low, high, body, .. } => {
                let low = self.expr(low)?;
                let counter = self.ops.copy(low);
                self.names.insert(var.clone(), Slot::Reg(counter));
                self.repeat(|this| {
                    let high = this.expr(high)?;
                    let goes_on = this.ops.binary(BinaryOp::Lt, Scalar::Int, counter, high)?;
                    this.leave_unless(goes_on);
                    this.block(body)?;
                    let one = this.ops.constant(1);
                    let next = this.ops.binary(BinaryOp::Add, Scalar::Int, counter, one)?;
                    this.ops.push(Op::Copy { to: counter, from: next });
                    Ok(())
                })
            }
            StmtKind::Break => {
                let out = self.ops.jump(None);
                self.breaks.push(out);
                Ok(())
            }
            StmtKind::Scope(body) => self.block(body),
            StmtKind::Delete(_) => Ok(()),
            StmtKind::Print(_) => Err(Unsupported("a task cannot print".into())),
            StmtKind::ParFor { .. } | StmtKind::Hybrid(_) => Err(Unsupported("a parallel loop inside a task".into())),
        }
    }

    /// Leaves the innermost loop where a register is zero.
    pub(super) fn leave_unless(&mut self, condition: Reg) {
        let out = self.ops.jump(Some((condition, false)));
        self.breaks.push(out);
    }

    /// A loop around a body that leaves it by the jumps it notes as breaks.
    pub(super) fn repeat(&mut self, body: impl FnOnce(&mut Self) -> Built<()>) -> Built<()> {
        let outer = std::mem::take(&mut self.breaks);
        let start = self.ops.here();
        body(self)?;
        self.ops.push(Op::Jump { at: start });
        let breaks = std::mem::replace(&mut self.breaks, outer);
        self.ops.land_all(breaks);
        Ok(())
    }

    /// Arguments or captures: numbers in registers, vectors by name.
    pub fn slots(&mut self, values: &[Expr]) -> Built<Vec<Slot>> {
        let slot = |value: &Expr| match &value.ty {
            Type::Vector { .. } => match value.as_var() {
                Some(name) => self.object_named(name).map(Slot::Object),
                None => Err(Unsupported("a row as an argument".into())),
            },
            _ => self.expr(value).map(Slot::Reg),
        };
        values.iter().map(slot).collect()
    }

    pub(super) fn object_named(&self, name: &Name) -> Built<ObjectRef> {
        match self.names.get(name) {
            Some(Slot::Object(object)) => Ok(object.clone()),
            Some(_) => Err(Unsupported(format!("`{name}` is no vector"))),
            None => Ok(ObjectRef::Vector(name.clone())),
        }
    }
}
