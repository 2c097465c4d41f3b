//! Functions of the program as task code: everything they call is written in their place.

use std::collections::HashMap;

use gw_exec::scalar::{self, Register};
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef, PriorityOp, ReduceOp, UnaryOp};
use gw_ir::source::Name;
use gw_ir::stmt::{Stmt, StmtKind};
use gw_ir::types::{Domain, Scalar, Type};

use super::build::{Build, Built, GraphRef, ObjectRef, Ops, ParamRef, Unsupported, scalar_of};
use crate::sim::code::{ObjectId, Op, Reg};

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
    names: HashMap<Name, Slot>,
    enqueue: Enqueue<'e>,
    /// The bucket of the task, where it runs in an ordered loop.
    bucket: Option<Reg>,
    depth: usize,
    /// Jumps out of the innermost loop.
    breaks: Vec<usize>,
}

impl<'b, 'm, 'e> Body<'b, 'm, 'e> {
    /// A body that sees these names besides the globals.
    pub fn new(
        build: &'b mut Build<'m>,
        ops: &'b mut Ops,
        names: HashMap<Name, Slot>,
        bucket: Option<Reg>,
        enqueue: Enqueue<'e>,
    ) -> Self {
        Body { build, ops, names, enqueue, bucket, depth: 0, breaks: Vec::new() }
    }

    /// Writes a function with its captures and arguments; its result, if it has one.
    pub fn inline(&mut self, function: &str, captures: Vec<Slot>, args: Vec<Slot>) -> Built<Option<Reg>> {
        let module = self.build.module;
        let Some(function) = module.function(function) else {
            return Err(Unsupported(format!("the function `{function}` is not there")));
        };
        let Some(body) = &function.body else {
            return Err(Unsupported(format!("the extern function `{}`", function.name)));
        };
        if self.depth >= MAX_INLINED {
            return Err(Unsupported(format!("the function `{}` calls itself", function.name)));
        }
        let mut names: HashMap<Name, Slot> = HashMap::new();
        for (param, slot) in function.captures.iter().zip(captures).chain(function.params.iter().zip(args)) {
            // Parameters are variables of the function: its assignments stay its own.
            let slot = match slot {
                Slot::Reg(reg) => Slot::Reg(self.ops.copy(reg)),
                other => other,
            };
            names.insert(param.name.clone(), slot);
        }
        let result = match &function.result {
            Some(result) => {
                scalar_of(&result.ty)?;
                let reg = self.ops.constant(0);
                names.insert(result.name.clone(), Slot::Reg(reg));
                Some(reg)
            }
            None => None,
        };
        let (outer, breaks) = (std::mem::replace(&mut self.names, names), std::mem::take(&mut self.breaks));
        self.depth += 1;
        let written = self.block(body);
        self.depth -= 1;
        (self.names, self.breaks) = (outer, breaks);
        written.map(|()| result)
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
                let out = this.ops.jump(Some((condition, false)));
                this.breaks.push(out);
                this.block(body)
            }),
            StmtKind::DoWhile { body, condition } => self.repeat(|this| {
                this.block(body)?;
                let condition = this.expr(condition)?;
                let out = this.ops.jump(Some((condition, false)));
                this.breaks.push(out);
                Ok(())
            }),
            StmtKind::For { var, low, high, body, .. } => {
                let low = self.expr(low)?;
                let counter = self.ops.copy(low);
                self.names.insert(var.clone(), Slot::Reg(counter));
                self.repeat(|this| {
                    let high = this.expr(high)?;
                    let goes_on = this.ops.binary(BinaryOp::Lt, Scalar::Int, counter, high)?;
                    let out = this.ops.jump(Some((goes_on, false)));
                    this.breaks.push(out);
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

    /// A loop around a body that leaves it by the jumps it notes as breaks.
    fn repeat(&mut self, body: impl FnOnce(&mut Self) -> Built<()>) -> Built<()> {
        let outer = std::mem::take(&mut self.breaks);
        let start = self.ops.here();
        body(self)?;
        self.ops.push(Op::Jump { at: start });
        for out in std::mem::replace(&mut self.breaks, outer) {
            self.ops.land(out);
        }
        Ok(())
    }

    /// The value of an expression that has one.
    pub fn expr(&mut self, e: &Expr) -> Built<Reg> {
        self.expr_or_nothing(e)?.ok_or_else(|| Unsupported("a value is missing".into()))
    }

    fn expr_or_nothing(&mut self, e: &Expr) -> Built<Option<Reg>> {
        Ok(Some(match &e.kind {
            ExprKind::Int(value) => self.ops.constant(integer(scalar_of(&e.ty)?, *value)),
            ExprKind::Float(value) => self.ops.constant(match scalar_of(&e.ty)? {
                Scalar::Float => (*value as f32).bits(),
                _ => value.bits(),
            }),
            ExprKind::Bool(value) => self.ops.constant(u64::from(*value)),
            ExprKind::Var(_) | ExprKind::Element { .. } => {
                let place = self.place(e)?;
                self.read(&place)
            }
            ExprKind::Unary(op, a) => {
                let scalar = scalar_of(&a.ty)?;
                let a = self.expr(a)?;
                let f = match op {
                    UnaryOp::Not => Some((|a| u64::from(a == 0)) as scalar::Unary),
                    UnaryOp::Neg => scalar::negate(scalar),
                };
                self.unary(f, a)?
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let result = self.expr(a)?;
                let result = self.ops.copy(result);
                let over = self.ops.jump(Some((result, *op == BinaryOp::Or)));
                let b = self.expr(b)?;
                self.ops.push(Op::Copy { to: result, from: b });
                self.ops.land(over);
                result
            }
            ExprKind::Binary(op, a, b) => {
                let scalar = scalar_of(&a.ty)?;
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.ops.binary(*op, scalar, a, b)?
            }
            ExprKind::Convert(a) => {
                let (from, to) = (scalar_of(&a.ty)?, scalar_of(&e.ty)?);
                let a = self.expr(a)?;
                self.unary(scalar::conversion(from, to), a)?
            }
            ExprKind::Call { function, args } => {
                let captures = self.slots(&function.captures)?;
                let args = self.slots(args)?;
                return self.inline(&function.name, captures, args);
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, &e.ty)?,
            ExprKind::Reduce { op, target, value, .. } => self.reduce(*op, target, value)?,
            ExprKind::CompareAndSwap { target, expect, value, .. } => {
                let scalar = scalar_of(&target.ty)?;
                let expect = self.expr(expect)?;
                let value = self.expr(value)?;
                let place = self.place(target)?;
                let old = self.read(&place);
                let same = self.ops.binary(BinaryOp::Eq, scalar, old, expect)?;
                let over = self.ops.jump(Some((same, false)));
                self.store(&place, value);
                self.ops.land(over);
                same
            }
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, .. } => {
                let Some(queue) = queue.as_var() else { return Err(Unsupported("a queue without a name".into())) };
                let queue = queue.clone();
                self.priority_update(*op, &queue, vertex, bound.as_deref(), value)?
            }
            ExprKind::EnqueueVertex { vertex, .. } => {
                let vertex = self.expr(vertex)?;
                (self.enqueue)(self.build, self.ops, vertex)?;
                return Ok(None);
            }
            ExprKind::IntersectNeighbor { args, .. } => self.common_neighbours(args)?,
            other => return Err(Unsupported(format!("`{}` in a task", word(other)))),
        }))
    }

    fn unary(&mut self, f: Option<scalar::Unary>, a: Reg) -> Built<Reg> {
        let f = f.ok_or_else(|| Unsupported("an operation on this type".into()))?;
        let to = self.ops.reg();
        self.ops.push(Op::Unary { f, to, a });
        Ok(to)
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

    fn object_named(&self, name: &Name) -> Built<ObjectRef> {
        match self.names.get(name) {
            Some(Slot::Object(object)) => Ok(object.clone()),
            Some(_) => Err(Unsupported(format!("`{name}` is no vector"))),
            None => Ok(ObjectRef::Vector(name.clone())),
        }
    }

    /// Where a variable or an element is.
    fn place(&mut self, e: &Expr) -> Built<Place> {
        match &e.kind {
            ExprKind::Var(name) => {
                if let Some(slot) = self.names.get(name) {
                    return match slot {
                        Slot::Reg(reg) => Ok(Place::Reg(*reg)),
                        _ => Err(Unsupported(format!("`{name}` is no number"))),
                    };
                }
                scalar_of(&e.ty)?;
                if let Some(&reg) = self.build.carried.get(name) {
                    return Ok(Place::Reg(reg));
                }
                if self.build.written.contains(name) || self.build.reductions.iter().any(|(n, _)| n == name) {
                    let object = self.build.object(ObjectRef::Scalar(name.clone()));
                    let zero = self.ops.constant(0);
                    return Ok(Place::Cell(object, zero));
                }
                Ok(Place::Reg(self.ops.param(self.build, ParamRef::Scalar(name.clone()))))
            }
            ExprKind::Element { vector, index, .. } => {
                let (object, cell) = self.cell(vector, index)?;
                Ok(Place::Cell(object, cell))
            }
            _ => Err(Unsupported("a place that is neither a variable nor an element".into())),
        }
    }

    /// The object and cell of `vector[index]`; rows of fixed vectors lie side by side.
    fn cell(&mut self, vector: &Expr, index: &Expr) -> Built<(ObjectId, Reg)> {
        match &vector.kind {
            ExprKind::Var(name) => {
                let object = self.object_named(name)?;
                let object = self.build.object(object);
                if scalar_of(vector.ty.item().unwrap_or(&Type::Void)).is_err() {
                    return Err(Unsupported("a whole row of a vector".into()));
                }
                Ok((object, self.expr(index)?))
            }
            ExprKind::Element { vector: outer, index: row, .. } => {
                let Type::Vector { domain: Domain::Fixed(width), item } = &vector.ty else {
                    return Err(Unsupported("rows as long as there are vertices".into()));
                };
                scalar_of(item)?;
                let (ExprKind::Var(name), Some(Type::Vector { .. })) = (&outer.kind, outer.ty.item()) else {
                    return Err(Unsupported("vectors nested more than twice".into()));
                };
                let object = self.object_named(name)?;
                let object = self.build.object(object);
                let (row, column) = (self.expr(row)?, self.expr(index)?);
                let width = self.ops.constant(u64::from(*width));
                let fits = self.ops.count(BinaryOp::Lt, column, width);
                let over = self.ops.jump(Some((fits, true)));
                self.ops.push(Op::Fail { code: fail::ROW_INDEX, value: column });
                self.ops.land(over);
                let start = self.ops.count(BinaryOp::Mul, row, width);
                Ok((object, self.ops.count(BinaryOp::Add, start, column)))
            }
            _ => Err(Unsupported("an element of a value without a name".into())),
        }
    }

    fn read(&mut self, place: &Place) -> Reg {
        match *place {
            Place::Reg(reg) => reg,
            Place::Cell(object, cell) => self.ops.load(object, cell),
        }
    }

    fn store(&mut self, place: &Place, value: Reg) {
        match *place {
            Place::Reg(to) => self.ops.push(Op::Copy { to, from: value }),
            Place::Cell(object, index) => self.ops.push(Op::Store { object, index, from: value }),
        }
    }

    /// `target op= value`; the result says whether the target changed.
    fn reduce(&mut self, op: ReduceOp, target: &Expr, value: &Expr) -> Built<Reg> {
        let scalar = scalar_of(&target.ty)?;
        let value = self.expr(value)?;
        let partial = target.as_var().filter(|name| !self.names.contains_key(*name)).cloned();
        let partial = partial.filter(|name| self.build.reductions.contains(&(name.clone(), op)));
        let place = match partial {
            Some(name) => {
                let object = self.build.object(ObjectRef::Partial(name, op));
                let core = self.ops.reg();
                self.ops.push(Op::Core { to: core });
                Place::Cell(object, core)
            }
            None => self.place(target)?,
        };
        let old = self.read(&place);
        match op {
            ReduceOp::Sum if scalar == Scalar::Bool => {
                let to = self.ops.reg();
                self.ops.push(Op::Binary { f: |a, b| a | b, to, a: old, b: value });
                self.store(&place, to);
                Ok(self.ops.constant(1))
            }
            ReduceOp::Sum => {
                let sum = self.ops.binary(BinaryOp::Add, scalar, old, value)?;
                self.store(&place, sum);
                Ok(self.ops.constant(1))
            }
            ReduceOp::Or | ReduceOp::And => {
                let (new, differs) = (self.ops.reg(), self.ops.reg());
                let f = if op == ReduceOp::Or { |a, b| a | b } else { |a: u64, b: u64| a & b };
                self.ops.push(Op::Binary { f, to: new, a: old, b: value });
                self.ops.push(Op::Binary { f: |a, b| u64::from(a != b), to: differs, a: new, b: old });
                let over = self.ops.jump(Some((differs, false)));
                self.store(&place, new);
                self.ops.land(over);
                Ok(differs)
            }
            ReduceOp::Min | ReduceOp::Max => {
                let op = if op == ReduceOp::Min { BinaryOp::Lt } else { BinaryOp::Gt };
                let better = self.ops.binary(op, scalar, value, old)?;
                let over = self.ops.jump(Some((better, false)));
                self.store(&place, value);
                self.ops.land(over);
                Ok(better)
            }
        }
    }

    fn priority_update(
        &mut self,
        op: PriorityOp,
        queue: &Name,
        vertex: &Expr,
        bound: Option<&Expr>,
        value: &Expr,
    ) -> Built<Reg> {
        let scalar = priority_scalar(self.build, queue)?;
        let object = self.build.object(ObjectRef::Priorities(queue.clone()));
        let vertex = self.expr(vertex)?;
        let bound = bound.map(|e| self.expr(e)).transpose()?;
        let same_type = value.ty.scalar() == Some(scalar);
        let value = self.expr(value)?;
        let old = self.ops.load(object, vertex);
        let changed = self.ops.constant(0);
        let mut outs = Vec::new();
        let new = match op {
            PriorityOp::Min | PriorityOp::Max => {
                if op == PriorityOp::Min && !scalar.is_float() {
                    // A value that is no priority is a sum that did not fit: an error only where nothing is stored yet.
                    let fits: scalar::Unary = match scalar {
                        Scalar::Int => |v| u64::from((0..i32::MAX).contains(&i32::of(v))),
                        Scalar::Uint => |v| u64::from(v != u64::from(u32::MAX)),
                        _ => |v| u64::from(v != u64::MAX),
                    };
                    let fits = self.unary(Some(fits), value)?;
                    let good = self.ops.jump(Some((fits, true)));
                    let largest = self.ops.constant(scalar::largest(scalar));
                    let unset = self.ops.count(BinaryOp::Eq, old, largest);
                    let known = self.ops.jump(Some((unset, false)));
                    self.ops.push(Op::Fail { code: fail::PRIORITY_OVERFLOW, value: vertex });
                    self.ops.land(known);
                    outs.push(self.ops.jump(None));
                    self.ops.land(good);
                }
                let better = if op == PriorityOp::Min { BinaryOp::Lt } else { BinaryOp::Gt };
                let better = self.ops.binary(better, scalar, value, old)?;
                outs.push(self.ops.jump(Some((better, false))));
                value
            }
            PriorityOp::Sum => {
                if !same_type || scalar != Scalar::Int {
                    return Err(Unsupported("sums of priorities that are no int".into()));
                }
                if let Some(floor) = bound {
                    let above = self.ops.binary(BinaryOp::Lt, scalar, floor, old)?;
                    outs.push(self.ops.jump(Some((above, false))));
                }
                let sum = self.ops.binary(BinaryOp::Add, scalar, old, value)?;
                let new = match (bound, scalar::extremum(scalar, true)) {
                    (Some(floor), Some(f)) => {
                        let to = self.ops.reg();
                        self.ops.push(Op::Binary { f, to, a: sum, b: floor });
                        to
                    }
                    _ => sum,
                };
                let differs = self.ops.binary(BinaryOp::Ne, scalar, new, old)?;
                outs.push(self.ops.jump(Some((differs, false))));
                new
            }
        };
        self.ops.push(Op::Store { object, index: vertex, from: new });
        self.ops.push(Op::Const { to: changed, bits: 1 });
        outs.into_iter().for_each(|out| self.ops.land(out));
        Ok(changed)
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr], ty: &Type) -> Built<Reg> {
        match builtin {
            Builtin::VertexCount => {
                let element = match args.first().map(|e| &e.ty) {
                    Some(Type::EdgeSet { source, .. }) => source.clone(),
                    Some(Type::VertexSet(element)) => element.clone(),
                    _ => return Err(Unsupported("the size of something".into())),
                };
                Ok(self.ops.param(self.build, ParamRef::Vertices(element)))
            }
            Builtin::OutDegree | Builtin::OutNeighbor | Builtin::OutWeight => {
                let graph = self.graph(args.first())?;
                let offsets = self.build.object(ObjectRef::Offsets(graph.clone()));
                let vertex = self.expr(&args[1])?;
                let low = self.ops.load(offsets, vertex);
                if builtin == Builtin::OutNeighbor {
                    let targets = self.build.object(ObjectRef::Targets(graph));
                    let position = self.expr(&args[2])?;
                    let at = self.ops.count(BinaryOp::Add, low, position);
                    return Ok(self.ops.load(targets, at));
                }
                if builtin == Builtin::OutWeight {
                    let weights = self.build.object(ObjectRef::Weights(graph, scalar_of(ty)?));
                    let position = self.expr(&args[2])?;
                    let at = self.ops.count(BinaryOp::Add, low, position);
                    return Ok(self.ops.load(weights, at));
                }
                let one = self.ops.constant(1);
                let next = self.ops.count(BinaryOp::Add, vertex, one);
                let high = self.ops.load(offsets, next);
                Ok(self.ops.count(BinaryOp::Sub, high, low))
            }
            Builtin::CurrentPriority => {
                let scalar = scalar_of(ty)?;
                let queue = args.first().and_then(Expr::as_var).cloned();
                let queue = queue.ok_or_else(|| Unsupported("a queue without a name".into()))?;
                let bucket = match self.bucket {
                    Some(bucket) => bucket,
                    None => self.ops.param(self.build, ParamRef::CurrentBucket(queue)),
                };
                self.unary(scalar::conversion(Scalar::Uint64, scalar), bucket)
            }
            Builtin::QueueFinishedNode if self.bucket.is_some() => {
                let queue = args.first().and_then(Expr::as_var).cloned();
                let queue = queue.ok_or_else(|| Unsupported("a queue without a name".into()))?;
                let vertex = self.expr(&args[1])?;
                let own = bucket_of(self.build, self.ops, &queue, vertex)?;
                let best = self.bucket.unwrap_or(own.bucket);
                let before = self.ops.count(BinaryOp::Lt, own.bucket, best);
                let to = self.ops.reg();
                self.ops.push(Op::Binary { f: |a, b| u64::from(a != 0 && b == 0), to, a: before, b: own.unset });
                Ok(to)
            }
            Builtin::Max | Builtin::Min => {
                let scalar = scalar_of(ty)?;
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                let f = scalar::extremum(scalar, builtin == Builtin::Max);
                let f = f.ok_or_else(|| Unsupported("the extremum of this type".into()))?;
                let to = self.ops.reg();
                self.ops.push(Op::Binary { f, to, a, b });
                Ok(to)
            }
            Builtin::BitAnd | Builtin::BitOr | Builtin::BitXor | Builtin::ShiftLeft | Builtin::ShiftRight => {
                let f = scalar::bit_operation(builtin, scalar_of(ty)?);
                let f = f.ok_or_else(|| Unsupported("the bits of this type".into()))?;
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                let to = self.ops.reg();
                self.ops.push(Op::Binary { f, to, a, b });
                Ok(to)
            }
            Builtin::BitNot | Builtin::PopCount => {
                let scalar = scalar_of(&args[0].ty)?;
                let a = self.expr(&args[0])?;
                self.unary(scalar::bit_function(builtin, scalar), a)
            }
            Builtin::RandomBits => {
                let mut state = self.ops.constant(0);
                for argument in args {
                    let b = self.expr(argument)?;
                    let to = self.ops.reg();
                    self.ops.push(Op::Binary { f: gw_exec::random::round, to, a: state, b });
                    state = to;
                }
                Ok(state)
            }
            Builtin::Mod => {
                let scalar = scalar_of(ty)?;
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                let to = self.ops.reg();
                self.ops.push(Op::Divide { scalar, remainder: true, to, a, b });
                Ok(to)
            }
            Builtin::Pow => {
                let f: scalar::Binary = match scalar_of(ty)? {
                    Scalar::Float => |a, b| f32::of(a).powf(f32::of(b)).bits(),
                    _ => |a, b| f64::of(a).powf(f64::of(b)).bits(),
                };
                let (a, b) = (self.expr(&args[0])?, self.expr(&args[1])?);
                let to = self.ops.reg();
                self.ops.push(Op::Binary { f, to, a, b });
                Ok(to)
            }
            Builtin::Abs | Builtin::Floor | Builtin::Log | Builtin::Exp | Builtin::Sqrt => {
                let scalar = scalar_of(ty)?;
                let a = self.expr(&args[0])?;
                self.unary(mathematical(builtin, scalar), a)
            }
            other => Err(Unsupported(format!("`{}` in a task", other.name()))),
        }
    }

    /// The number of common out-neighbours of two vertices, none above the second: two sorted lists are merged.
    fn common_neighbours(&mut self, args: &[Expr]) -> Built<Reg> {
        let graph = self.graph(args.first())?;
        let offsets = self.build.object(ObjectRef::Offsets(graph.clone()));
        let targets = self.build.object(ObjectRef::Targets(graph));
        let (a, b) = (self.expr(&args[1])?, self.expr(&args[2])?);
        let one = self.ops.constant(1);
        let range = |ops: &mut Ops, v: Reg| {
            let low = ops.load(offsets, v);
            let next = ops.count(BinaryOp::Add, v, one);
            let high = ops.load(offsets, next);
            (ops.copy(low), high)
        };
        let ((i, i_end), (j, j_end)) = (range(self.ops, a), range(self.ops, b));
        let found = self.ops.constant(0);
        let add: scalar::Binary = |a, b| a.wrapping_add(b);
        self.repeat(|this| {
            for (at, end) in [(i, i_end), (j, j_end)] {
                let inside = this.ops.count(BinaryOp::Lt, at, end);
                let out = this.ops.jump(Some((inside, false)));
                this.breaks.push(out);
            }
            let (x, y) = (this.ops.load(targets, i), this.ops.load(targets, j));
            let above = this.ops.count(BinaryOp::Gt, y, b);
            let out = this.ops.jump(Some((above, true)));
            this.breaks.push(out);
            // Each list moves on where its head is not the greater one.
            let (i_moves, j_moves) = (this.ops.count(BinaryOp::Le, x, y), this.ops.count(BinaryOp::Le, y, x));
            let both = this.ops.count(BinaryOp::Mul, i_moves, j_moves);
            for (to, by) in [(i, i_moves), (j, j_moves), (found, both)] {
                this.ops.push(Op::Binary { f: add, to, a: to, b: by });
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn graph(&self, e: Option<&Expr>) -> Built<GraphRef> {
        let name = e.and_then(Expr::as_var).ok_or_else(|| Unsupported("a graph without a name".into()))?;
        Ok(GraphRef::Named(name.clone()))
    }

    /// A filter or an applied function on vertices in registers.
    pub fn call(&mut self, function: &FunctionRef, captures: Vec<Slot>, args: Vec<Slot>) -> Built<Option<Reg>> {
        self.inline(&function.name, captures, args)
    }
}

enum Place {
    Reg(Reg),
    Cell(ObjectId, Reg),
}

/// The bucket of a vertex, and whether its priority says that it is in none.
pub struct Bucket {
    /// The bucket.
    pub bucket: Reg,
    /// Not zero when the vertex is in no bucket.
    pub unset: Reg,
    /// The priority.
    pub priority: Reg,
}

/// The type of the priorities of a queue.
pub fn priority_scalar(build: &Build<'_>, queue: &Name) -> Built<Scalar> {
    match build.module.global(queue).map(|g| &g.ty) {
        Some(Type::PriorityQueue { priority, .. }) => Ok(*priority),
        _ => Err(Unsupported(format!("`{queue}` is no global priority queue"))),
    }
}

/// Reads the priority of a vertex and works out its bucket.
pub fn bucket_of(build: &mut Build<'_>, ops: &mut Ops, queue: &Name, vertex: Reg) -> Built<Bucket> {
    let scalar = priority_scalar(build, queue)?;
    let object = build.object(ObjectRef::Priorities(queue.clone()));
    let priority = ops.load(object, vertex);
    let largest = ops.constant(scalar::largest(scalar));
    let unset = ops.count(BinaryOp::Eq, priority, largest);
    let delta = ops.param(build, ParamRef::Delta(queue.clone()));
    let bucket = ops.reg();
    match scalar {
        Scalar::Float | Scalar::Double => {
            let f: scalar::Binary = match scalar {
                Scalar::Float => |p, delta| (f64::from(f32::of(p)) / delta as f64) as u64,
                _ => |p, delta| (f64::of(p) / delta as f64) as u64,
            };
            ops.push(Op::Binary { f, to: bucket, a: priority, b: delta });
            let infinite: scalar::Unary = match scalar {
                Scalar::Float => |p| u64::from(f32::of(p) == f32::INFINITY || f32::of(p) == f32::MAX),
                _ => |p| u64::from(f64::of(p) == f64::INFINITY || f64::of(p) == f64::MAX),
            };
            ops.push(Op::Unary { f: infinite, to: unset, a: priority });
        }
        _ => {
            if scalar == Scalar::Int {
                let zero = ops.constant(0);
                let good = ops.binary(BinaryOp::Ge, Scalar::Int, priority, zero)?;
                let over = ops.jump(Some((good, true)));
                ops.push(Op::Fail { code: fail::NEGATIVE_PRIORITY, value: vertex });
                ops.land(over);
            }
            ops.push(Op::Divide { scalar: Scalar::Uint64, remainder: false, to: bucket, a: priority, b: delta });
        }
    }
    Ok(Bucket { bucket, unset, priority })
}

/// The register bits of a whole number.
fn integer(scalar: Scalar, value: i64) -> u64 {
    match scalar {
        Scalar::Int => (value as i32).bits(),
        Scalar::Uint => (value as u32).bits(),
        Scalar::Float => (value as f32).bits(),
        Scalar::Double => (value as f64).bits(),
        _ => value as u64,
    }
}

fn mathematical(builtin: Builtin, scalar: Scalar) -> Option<scalar::Unary> {
    macro_rules! functions {
        ($t:ty) => {
            Some(match builtin {
                Builtin::Floor => |a| <$t>::of(a).floor().bits(),
                Builtin::Log => |a| <$t>::of(a).ln().bits(),
                Builtin::Exp => |a| <$t>::of(a).exp().bits(),
                Builtin::Sqrt => |a| <$t>::of(a).sqrt().bits(),
                _ => return None,
            })
        };
    }
    match (builtin, scalar) {
        (Builtin::Abs, scalar) => scalar::absolute(scalar),
        (_, Scalar::Float) => functions!(f32),
        (_, Scalar::Double) => functions!(f64),
        _ => None,
    }
}

/// The kind of an expression in words.
fn word(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Str(_) => "a text",
        ExprKind::Intersection { .. } => "Intersection",
        ExprKind::Operator(_) => "an operator",
        ExprKind::PriorityQueueAlloc(_) => "a new queue",
        ExprKind::EdgeSetLoad(_) | ExprKind::VectorLoad(_) => "load",
        _ => "a new object",
    }
}
