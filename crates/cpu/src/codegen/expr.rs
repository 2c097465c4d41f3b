//! Expressions.

use cranelift::prelude::*;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, FunctionRef, UnaryOp};
use gw_ir::types::{Scalar, Type as IrType};

use super::Refusal;
use super::inputs::{GraphArray, Source};
use super::memory::{Length, Place, Reason};
use super::translate::{Binding, Translator, VectorRef, cell_bytes, clif_type};
use crate::abi::Fault;

impl Translator<'_, '_> {
    /// The value of an expression that has one.
    pub(crate) fn value(&mut self, expr: &Expr) -> Result<Value, Refusal> {
        match self.expr(expr)? {
            Some(value) => Ok(value),
            None => Err(self.refuse("an expression without value is used as one")),
        }
    }

    /// Translates an expression; `None` for effects.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Result<Option<Value>, Refusal> {
        let value = match &expr.kind {
            ExprKind::Int(v) => {
                let ty = clif_type(self.scalar_of(&expr.ty)?);
                let bits = if ty == types::I32 { i64::from(*v as u32) } else { *v };
                self.b.ins().iconst(ty, bits)
            }
            ExprKind::Float(v) => match self.scalar_of(&expr.ty)? {
                Scalar::Float => self.b.ins().f32const(*v as f32),
                _ => self.b.ins().f64const(*v),
            },
            ExprKind::Bool(v) => self.b.ins().iconst(types::I8, i64::from(*v)),
            ExprKind::Var(name) => self.read_variable(name, &expr.ty)?,
            ExprKind::Element { .. } => {
                if let Some(register) = self.register(expr) {
                    return Ok(Some(self.b.use_var(register)));
                }
                let (place, scalar) = self.place(expr)?;
                self.load(clif_type(scalar), &place)
            }
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                let value = self.value(operand)?;
                match self.scalar_of(&expr.ty)? {
                    Scalar::Float | Scalar::Double => self.b.ins().fneg(value),
                    _ => self.b.ins().ineg(value),
                }
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let value = self.value(operand)?;
                self.b.ins().bxor_imm_s(value, 1)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs) => self.short_circuit(*op, lhs, rhs)?,
            ExprKind::Binary(op, lhs, rhs) => {
                let scalar = self.scalar_of(&lhs.ty)?;
                let lhs = self.value(lhs)?;
                let rhs = self.value(rhs)?;
                self.binary(*op, scalar, lhs, rhs)
            }
            ExprKind::Convert(operand) => {
                let from = self.scalar_of(&operand.ty)?;
                let to = self.scalar_of(&expr.ty)?;
                let value = self.value(operand)?;
                self.convert(value, from, to)
            }
            ExprKind::Call { function, args } => return self.call(function, args),
            ExprKind::Builtin(builtin, args) => return self.builtin(*builtin, args),
            ExprKind::Reduce { op, target, value, meta } => self.reduce(*op, target, value, meta.atomic)?,
            ExprKind::CompareAndSwap { target, expect, value, .. } => self.compare_and_swap(target, expect, value)?,
            ExprKind::PriorityUpdate { op, queue, vertex, bound, value, meta } => {
                self.priority_update(*op, queue, vertex, bound.as_deref(), value, meta)?
            }
            ExprKind::EnqueueVertex { vertex, .. } => {
                let vertex = self.value(vertex)?;
                self.enqueue(vertex);
                return Ok(None);
            }
            ExprKind::IntersectNeighbor { args, meta } => {
                let [graph, u, v] = args.as_slice() else { return Err(self.refuse("malformed intersection")) };
                let u = self.value(u)?;
                let v = self.value(v)?;
                self.intersect(graph, u, v, meta.kind)?
            }
            ExprKind::Groups(groups) => self.groups(groups)?,
            ExprKind::Str(_) => return Err(self.refuse("strings stay on the host")),
            ExprKind::Intersection { .. } => return Err(self.refuse("set intersections run on the host")),
            _ => return Err(self.refuse("objects are not made inside operator functions")),
        };
        Ok(Some(value))
    }

    fn read_variable(&mut self, name: &gw_ir::source::Name, ty: &IrType) -> Result<Value, Refusal> {
        match self.names.get(name) {
            Some(Binding::Scalar(variable)) => return Ok(self.b.use_var(*variable)),
            Some(Binding::Vertex(vertex)) => return Ok(*vertex),
            Some(_) => return Err(self.refuse(format!("`{name}` is not a number"))),
            None => {}
        }
        if self.module.global(name).is_none() {
            return Err(self.refuse(format!("`{name}` is not visible in operator functions")));
        }
        let ty = clif_type(self.scalar_of(ty)?);
        if self.is_written(name) {
            let cell = self.global_cell(name);
            Ok(self.load(ty, &cell))
        } else {
            Ok(self.input(Source::GlobalScalar(name.clone()), ty))
        }
    }

    /// The cell of a global scalar that the kernel writes.
    fn global_cell(&mut self, name: &gw_ir::source::Name) -> Place {
        Place::new(self.input(Source::GlobalCell(name.clone()), types::I64), Reason::Cell)
    }

    /// The place of a vector element or global scalar and the type of the cell, with the index checked.
    pub(crate) fn place(&mut self, expr: &Expr) -> Result<(Place, Scalar), Refusal> {
        self.place_or(expr, Fault::Index)
    }

    /// The same; an index out of range is this fault.
    pub(crate) fn place_or(&mut self, expr: &Expr, fault: Fault) -> Result<(Place, Scalar), Refusal> {
        match &expr.kind {
            ExprKind::Element { .. } => {
                let cell = self.element(expr, fault)?;
                let scalar = self.scalar_of(&cell.ty)?;
                Ok((Place { address: cell.base, reasons: cell.reasons }, scalar))
            }
            ExprKind::Var(name) if self.module.global(name).is_some() && !self.names.contains_key(name) => {
                let scalar = self.scalar_of(&expr.ty)?;
                Ok((self.global_cell(name), scalar))
            }
            _ => Err(self.refuse("this cannot be written inside an operator function")),
        }
    }

    /// A vector-valued expression: a name or a row.
    fn vector(&mut self, expr: &Expr) -> Result<VectorRef, Refusal> {
        match &expr.kind {
            ExprKind::Var(name) => self.vector_named(name, &expr.ty),
            ExprKind::Element { .. } => self.element(expr, Fault::Index),
            _ => Err(self.refuse("vectors are not made inside operator functions")),
        }
    }

    /// An entry of a vector: a cell or a row. All indices are evaluated before the first is checked.
    fn element(&mut self, expr: &Expr, fault: Fault) -> Result<VectorRef, Refusal> {
        let (mut root, mut indices) = (expr, Vec::new());
        while let ExprKind::Element { vector, index, .. } = &root.kind {
            indices.push(index);
            root = vector;
        }
        let mut values = Vec::with_capacity(indices.len());
        for index in indices.into_iter().rev() {
            values.push((self.value(index)?, self.scalar_of(&index.ty)?));
        }
        let mut vector = self.vector(root)?;
        for (at, scalar) in values {
            vector = self.row(&vector, at, scalar, fault)?;
        }
        Ok(vector)
    }

    /// Entry `at` of a vector: a cell or a row.
    fn row(&mut self, vector: &VectorRef, at: Value, scalar: Scalar, fault: Fault) -> Result<VectorRef, Refusal> {
        let IrType::Vector { item, .. } = vector.ty.clone() else {
            return Err(self.refuse("only vectors can be indexed"));
        };
        let wide = match scalar {
            Scalar::Uint | Scalar::Int => self.b.ins().uextend(types::I64, at),
            Scalar::Int64 | Scalar::Uint64 => at,
            _ => return Err(self.refuse("an index must be a whole number")),
        };
        let length = vector.length.clone().ok_or_else(|| self.refuse("a vector without length"))?;
        let mut reasons = vector.reasons.clone();
        reasons.push(self.entry(at, wide, &length, &vector.name, fault));
        let (base, length) = match (&*item, &vector.row) {
            (IrType::Vector { item: cell, .. }, Some(row)) => {
                let bytes = entry_bytes(cell).ok_or_else(|| self.refuse("rows of rows"))?;
                let entries = self.input(row.clone(), types::I64);
                let first = self.b.ins().imul(wide, entries);
                (self.address(vector.base, first, bytes), Some(Length::Input(row.clone())))
            }
            (item, _) => {
                let bytes = entry_bytes(item).ok_or_else(|| self.refuse("a vector of objects or of very long rows"))?;
                let length = match item {
                    IrType::Vector { domain: gw_ir::types::Domain::Fixed(n), .. } => Some(Length::Fixed(*n)),
                    _ => None,
                };
                (self.address(vector.base, wide, bytes), length)
            }
        };
        Ok(VectorRef { base, length, row: None, ty: *item, reasons, name: vector.name.clone() })
    }

    fn short_circuit(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Result<Value, Refusal> {
        let lhs = self.value(lhs)?;
        let more = self.b.create_block();
        let done = self.b.create_block();
        self.b.append_block_param(done, types::I8);
        match op {
            BinaryOp::And => self.b.ins().brif(lhs, more, &[], done, &[lhs.into()]),
            _ => self.b.ins().brif(lhs, done, &[lhs.into()], more, &[]),
        };
        self.b.switch_to_block(more);
        self.b.seal_block(more);
        let rhs = self.value(rhs)?;
        self.b.ins().jump(done, &[rhs.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        Ok(self.b.block_params(done)[0])
    }

    /// Arithmetic and comparison on operands of one type.
    pub(crate) fn binary(&mut self, op: BinaryOp, scalar: Scalar, lhs: Value, rhs: Value) -> Value {
        let float = scalar.is_float();
        let signed = scalar.is_signed() || scalar == Scalar::Bool;
        let ins = self.b.ins();
        match op {
            BinaryOp::Add if float => ins.fadd(lhs, rhs),
            BinaryOp::Sub if float => ins.fsub(lhs, rhs),
            BinaryOp::Mul if float => ins.fmul(lhs, rhs),
            BinaryOp::Div if float => ins.fdiv(lhs, rhs),
            BinaryOp::Add => ins.iadd(lhs, rhs),
            BinaryOp::Sub => ins.isub(lhs, rhs),
            BinaryOp::Mul => ins.imul(lhs, rhs),
            BinaryOp::Div => self.divide(lhs, rhs, signed, true),
            BinaryOp::Xor => ins.bxor(lhs, rhs),
            BinaryOp::And => ins.band(lhs, rhs),
            BinaryOp::Or => ins.bor(lhs, rhs),
            comparison if float => {
                let condition = match comparison {
                    BinaryOp::Eq => FloatCC::Equal,
                    BinaryOp::Ne => FloatCC::NotEqual,
                    BinaryOp::Lt => FloatCC::LessThan,
                    BinaryOp::Le => FloatCC::LessThanOrEqual,
                    BinaryOp::Gt => FloatCC::GreaterThan,
                    _ => FloatCC::GreaterThanOrEqual,
                };
                ins.fcmp(condition, lhs, rhs)
            }
            comparison => {
                let condition = match (comparison, signed) {
                    (BinaryOp::Eq, _) => IntCC::Equal,
                    (BinaryOp::Ne, _) => IntCC::NotEqual,
                    (BinaryOp::Lt, true) => IntCC::SignedLessThan,
                    (BinaryOp::Le, true) => IntCC::SignedLessThanOrEqual,
                    (BinaryOp::Gt, true) => IntCC::SignedGreaterThan,
                    (_, true) => IntCC::SignedGreaterThanOrEqual,
                    (BinaryOp::Lt, false) => IntCC::UnsignedLessThan,
                    (BinaryOp::Le, false) => IntCC::UnsignedLessThanOrEqual,
                    (BinaryOp::Gt, false) => IntCC::UnsignedGreaterThan,
                    (_, false) => IntCC::UnsignedGreaterThanOrEqual,
                };
                ins.icmp(condition, lhs, rhs)
            }
        }
    }

    /// Integer quotient or remainder, truncating; zero divisors are faults, the one overflow wraps.
    pub(crate) fn divide(&mut self, lhs: Value, rhs: Value, signed: bool, quotient: bool) -> Value {
        let fine = self.b.ins().icmp_imm_s(IntCC::NotEqual, rhs, 0);
        self.check(fine, Fault::Division, None, None, "");
        if !signed {
            return match quotient {
                true => self.b.ins().udiv(lhs, rhs),
                false => self.b.ins().urem(lhs, rhs),
            };
        }
        // x / -1 is -x and x % -1 is 0; dividing by 1 instead avoids the hardware's overflow trap.
        let minus = self.b.ins().icmp_imm_s(IntCC::Equal, rhs, -1);
        let ty = self.b.func.dfg.value_type(lhs);
        let one = self.b.ins().iconst(ty, 1);
        let divisor = self.b.ins().select(minus, one, rhs);
        match quotient {
            true => {
                let quotient = self.b.ins().sdiv(lhs, divisor);
                let negated = self.b.ins().ineg(quotient);
                self.b.ins().select(minus, negated, quotient)
            }
            false => self.b.ins().srem(lhs, divisor),
        }
    }

    /// C conversion; floats outside the range of an integer saturate.
    pub(crate) fn convert(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        use Scalar::{Bool, Double, Float, Int, Int64, Uint, Uint64};
        let ins = self.b.ins();
        match (from, to) {
            (a, b) if a == b => value,
            (Int, Uint) | (Uint, Int) | (Int64, Uint64) | (Uint64, Int64) => value,
            (Int | Uint | Int64 | Uint64 | Bool, Bool) => ins.icmp_imm_s(IntCC::NotEqual, value, 0),
            (Float, Bool) => {
                let zero = self.b.ins().f32const(0.0);
                self.b.ins().fcmp(FloatCC::NotEqual, value, zero)
            }
            (Double, Bool) => {
                let zero = self.b.ins().f64const(0.0);
                self.b.ins().fcmp(FloatCC::NotEqual, value, zero)
            }
            (Bool, Int | Uint) => ins.uextend(types::I32, value),
            (Bool | Uint, Int64 | Uint64) => ins.uextend(types::I64, value),
            (Int, Int64 | Uint64) => ins.sextend(types::I64, value),
            (Int64 | Uint64, Int | Uint) => ins.ireduce(types::I32, value),
            (Int | Int64, Float) => ins.fcvt_from_sint(types::F32, value),
            (Int | Int64, Double) => ins.fcvt_from_sint(types::F64, value),
            (Uint | Uint64, Float) => ins.fcvt_from_uint(types::F32, value),
            (Uint | Uint64, Double) => ins.fcvt_from_uint(types::F64, value),
            (Bool, Float | Double) => {
                let wide = self.b.ins().uextend(types::I32, value);
                self.b.ins().fcvt_from_sint(clif_type(to), wide)
            }
            (Float, Double) => ins.fpromote(types::F64, value),
            (Double, Float) => ins.fdemote(types::F32, value),
            (Float | Double, Int) => ins.fcvt_to_sint_sat(types::I32, value),
            (Float | Double, Uint) => ins.fcvt_to_uint_sat(types::I32, value),
            (Float | Double, Int64) => ins.fcvt_to_sint_sat(types::I64, value),
            (Float | Double, Uint64) => ins.fcvt_to_uint_sat(types::I64, value),
            _ => value,
        }
    }

    fn call(&mut self, function: &FunctionRef, args: &[Expr]) -> Result<Option<Value>, Refusal> {
        let callee = self.function(&function.name)?;
        let mut values = Vec::new();
        for (param, arg) in callee.params.iter().zip(args) {
            match &param.ty {
                IrType::Vector { .. } => {
                    return Err(self.refuse(format!("`{}` takes a vector as an argument", callee.name)));
                }
                IrType::VertexSet(_) => {}
                _ => values.push(self.value(arg)?),
            }
        }
        self.call_with(function, &values)
    }

    /// A call with its arguments evaluated. Captures are evaluated in the caller's scope, then the callee gets a scope
    /// of its own.
    pub(super) fn call_with(&mut self, function: &FunctionRef, values: &[Value]) -> Result<Option<Value>, Refusal> {
        let callee = self.function(&function.name)?;
        let mut scope = std::collections::HashMap::new();
        for (capture, value) in callee.captures.iter().zip(&function.captures) {
            let binding = match &capture.ty {
                IrType::Vector { .. } => Binding::Vector(self.vector(value)?),
                ty => {
                    let ty = clif_type(self.scalar_of(ty)?);
                    let value = self.value(value)?;
                    Binding::Scalar(self.variable(ty, value))
                }
            };
            scope.insert(capture.name.clone(), binding);
        }
        let outer = std::mem::replace(&mut self.names, scope);
        let result = self.inline(callee, values)?;
        self.names = outer;
        Ok(result)
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Result<Option<Value>, Refusal> {
        let value = match (builtin, args) {
            (Builtin::Max | Builtin::Min, [a, b]) => {
                let scalar = self.scalar_of(&a.ty)?;
                let (x, y) = (self.value(a)?, self.value(b)?);
                // C's max(a, b): b when a < b, else a; so that NaN behaves as on the reference machine.
                let op = if builtin == Builtin::Max { BinaryOp::Lt } else { BinaryOp::Gt };
                let second = self.binary(op, scalar, x, y);
                self.b.ins().select(second, y, x)
            }
            (Builtin::Mod, [a, b]) => {
                let scalar = self.scalar_of(&a.ty)?;
                let (x, y) = (self.value(a)?, self.value(b)?);
                match scalar {
                    // The remainder of two floats is a float again, so doing it in double precision loses nothing.
                    Scalar::Float | Scalar::Double => {
                        let x = self.convert(x, scalar, Scalar::Double);
                        let y = self.convert(y, scalar, Scalar::Double);
                        let call = self.b.ins().call(self.helpers.math[3], &[x, y]);
                        let result = self.b.inst_results(call)[0];
                        self.convert(result, Scalar::Double, scalar)
                    }
                    _ => self.divide(x, y, scalar.is_signed(), false),
                }
            }
            (Builtin::BitAnd | Builtin::BitOr | Builtin::BitXor | Builtin::ShiftLeft | Builtin::ShiftRight, [a, b]) => {
                let scalar = self.scalar_of(&a.ty)?;
                let (x, y) = (self.value(a)?, self.value(b)?);
                self.bits(builtin, scalar, x, y)
            }
            (Builtin::BitNot, [a]) => {
                let x = self.value(a)?;
                self.b.ins().bnot(x)
            }
            (Builtin::PopCount, [a]) => {
                let x = self.value(a)?;
                let ones = self.b.ins().popcnt(x);
                match self.b.func.dfg.value_type(ones) {
                    types::I64 => self.b.ins().ireduce(types::I32, ones),
                    _ => ones,
                }
            }
            (Builtin::RandomBits, [seed, a, b]) => {
                let arguments = [self.value(seed)?, self.value(a)?, self.value(b)?];
                self.random_bits(arguments)
            }
            (Builtin::Abs, [a]) => {
                let scalar = self.scalar_of(&a.ty)?;
                let x = self.value(a)?;
                match scalar {
                    Scalar::Float | Scalar::Double => self.b.ins().fabs(x),
                    Scalar::Int | Scalar::Int64 => self.b.ins().iabs(x),
                    _ => x,
                }
            }
            (Builtin::Floor, [a]) => {
                let x = self.value(a)?;
                self.b.ins().floor(x)
            }
            (Builtin::Sqrt, [a]) => {
                let x = self.value(a)?;
                self.b.ins().sqrt(x)
            }
            (Builtin::Log | Builtin::Exp | Builtin::Pow, [a, rest @ ..]) => {
                let scalar = self.scalar_of(&a.ty)?;
                let x = self.value(a)?;
                let x = self.convert(x, scalar, Scalar::Double);
                let mut operands = vec![x];
                for b in rest {
                    let y = self.value(b)?;
                    operands.push(self.convert(y, scalar, Scalar::Double));
                }
                let function = match builtin {
                    Builtin::Log => self.helpers.math[0],
                    Builtin::Exp => self.helpers.math[1],
                    _ => self.helpers.math[2],
                };
                let call = self.b.ins().call(function, &operands);
                let result = self.b.inst_results(call)[0];
                self.convert(result, Scalar::Double, scalar)
            }
            (Builtin::VertexCount, [graph]) => match &graph.ty {
                IrType::VertexSet(element) => {
                    let count = self.input(Source::Vertices(element.clone()), types::I64);
                    self.b.ins().ireduce(types::I32, count)
                }
                _ => self.graph_array(graph, GraphArray::VertexCount)?,
            },
            (Builtin::CurrentPriority, [queue]) => {
                let (Some(name), IrType::PriorityQueue { priority, .. }) = (queue.as_var(), &queue.ty) else {
                    return Err(self.refuse("only global queues can be asked inside operator functions"));
                };
                if self.module.global(name).is_none() {
                    return Err(self.refuse("only global queues can be asked inside operator functions"));
                }
                self.input(Source::CurrentBucket(name.clone(), *priority), clif_type(*priority))
            }
            (Builtin::OutDegree, [graph, vertex]) => {
                let offsets = self.graph_array(graph, GraphArray::OutOffsets)?;
                let vertex = self.value(vertex)?;
                let reason = self.vertex_of(graph, vertex)?;
                let (begin, end) = self.edge_range(offsets, vertex, reason);
                let degree = self.b.ins().isub(end, begin);
                self.b.ins().ireduce(types::I32, degree)
            }
            (Builtin::EdgeCount, [graph]) => self.graph_array(graph, GraphArray::EdgeCount)?,
            (Builtin::EdgeIndex, [graph, source, target]) => self.edge_index(graph, source, target)?,
            (Builtin::RandomOutNeighbor | Builtin::RandomInNeighbor, [graph, vertex]) => {
                let (offsets, targets, fault) = match builtin {
                    Builtin::RandomOutNeighbor => {
                        (GraphArray::OutOffsets, GraphArray::OutTargets, Fault::NoOutNeighbours)
                    }
                    _ => (GraphArray::InOffsets, GraphArray::InTargets, Fault::NoInNeighbours),
                };
                let offsets = self.graph_array(graph, offsets)?;
                let targets = self.graph_array(graph, targets)?;
                let vertex = self.value(vertex)?;
                let reason = self.vertex_of(graph, vertex)?;
                let (begin, end) = self.edge_range(offsets, vertex, reason);
                let degree = self.b.ins().isub(end, begin);
                let call = self.b.ins().call(self.helpers.random, &[self.worker, degree]);
                let pick = self.b.inst_results(call)[0];
                let reason = self.pick(pick, degree, vertex, fault);
                let at = self.b.ins().iadd(begin, pick);
                let at = self.place_at(targets, at, 4, reason);
                self.load(types::I32, &at)
            }
            (Builtin::OutWeight, [graph, vertex, position]) => self.out_weight(graph, vertex, position)?,
            (Builtin::OutNeighbor, [graph, vertex, position]) => self.out_neighbour(graph, vertex, position)?,
            _ => return Err(self.refuse(format!("`{}` is not available inside operator functions", builtin.name()))),
        };
        Ok(Some(value))
    }
}

/// Bytes of an entry; `None` for objects and for rows that are too large to be counted.
fn entry_bytes(item: &IrType) -> Option<u32> {
    match item {
        IrType::Vector { domain: gw_ir::types::Domain::Fixed(n), item } => n.checked_mul(entry_bytes(item)?),
        ty => ty.scalar().map(cell_bytes),
    }
}
