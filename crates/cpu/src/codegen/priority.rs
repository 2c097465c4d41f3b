//! Changes of priorities: the least, the greatest, and sums that stop at a floor.

use cranelift::codegen::ir::{AtomicRmwOp, MemFlagsData};
use cranelift::prelude::*;
use gw_ir::analysis::priority::priority_vector;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, PriorityOp, ReduceOp};
use gw_ir::meta::UpdateMeta;
use gw_ir::types::Scalar;

use super::Refusal;
use super::memory::Place;
use super::translate::{OutputForm, Translator, clif_type};
use crate::abi::{Fault, slot};

impl Translator<'_, '_> {
    /// A change of priority; the result says whether the priority changed.
    pub(crate) fn priority_update(
        &mut self,
        op: PriorityOp,
        queue: &Expr,
        vertex: &Expr,
        bound: Option<&Expr>,
        value: &Expr,
        meta: &UpdateMeta,
    ) -> Result<Value, Refusal> {
        let priorities = self.priorities_of(queue)?;
        let target = Expr::element(priorities, vertex.clone());
        // As on the reference machine, a vertex without priority is a vertex out of range.
        let (place, scalar) = self.place_or(&target, Fault::Vertex)?;
        let place = &place;
        let atomic = meta.atomic && self.target.parallel;
        if self.target.output == OutputForm::Counts {
            let floor = bound.ok_or_else(|| self.refuse("a priority sum needs a floor"))?;
            let (floor, vertex) = (self.value(floor)?, self.value(vertex)?);
            return Ok(self.count_sum(place, scalar, floor, vertex, atomic));
        }
        let difference = Difference::of(value);
        let value = self.value(value)?;
        let changed = match op {
            // A value that is no priority is a sum that did not fit. Compared without sign it is no smaller than
            // anything stored, which is what it stands for.
            PriorityOp::Min => {
                let compared = match scalar {
                    Scalar::Int => Scalar::Uint,
                    Scalar::Int64 => Scalar::Uint64,
                    other => other,
                };
                let changed = self.reduce_at(ReduceOp::Min, place, compared, value, atomic);
                self.check_overflow(place, scalar, value);
                changed
            }
            PriorityOp::Max => self.reduce_at(ReduceOp::Max, place, scalar, value, atomic),
            PriorityOp::Sum => {
                let floor = bound.ok_or_else(|| self.refuse("a priority sum needs a floor"))?;
                let floor = self.value(floor)?;
                self.sum_with_floor(place, scalar, (value, difference), floor, atomic)
            }
        };
        if self.target.output == OutputForm::Buckets && !meta.deferred {
            let vertex = self.value(vertex)?;
            self.when(changed, |t| {
                let new = match op {
                    PriorityOp::Sum => t.load(clif_type(scalar), place),
                    _ => value,
                };
                let new = match scalar {
                    Scalar::Int | Scalar::Uint => t.b.ins().uextend(types::I64, new),
                    Scalar::Float => {
                        let bits = t.b.ins().bitcast(types::I32, MemFlagsData::new(), new);
                        t.b.ins().uextend(types::I64, bits)
                    }
                    Scalar::Double => t.b.ins().bitcast(types::I64, MemFlagsData::new(), new),
                    _ => new,
                };
                t.b.ins().call(t.helpers.push_bucket, &[t.worker, vertex, new]);
            });
        }
        Ok(changed)
    }

    /// A fault when a sum that did not fit would have been the first priority of a vertex. Where there is a priority
    /// already, that is less. Priorities end before the greatest value of their type, which means "not queued"; reals
    /// do not overflow.
    fn check_overflow(&mut self, place: &Place, scalar: Scalar, value: Value) {
        let Some(none) = not_queued(scalar) else { return };
        let ty = clif_type(scalar);
        let (overflow, done) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(overflow);
        let none = self.b.ins().iconst(ty, none);
        // One comparison finds negative numbers too.
        let large = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, value, none);
        self.b.ins().brif(large, overflow, &[], done, &[]);
        self.b.switch_to_block(overflow);
        self.b.seal_block(overflow);
        let stored = self.load(ty, place);
        let fine = self.b.ins().icmp(IntCC::NotEqual, stored, none);
        self.check(fine, Fault::Overflow, None, None, "");
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
    }

    /// Counts one more sum into the priority of a vertex at `place`, unless that is at the floor already. The result
    /// says whether it is the first.
    fn count_sum(&mut self, place: &Place, scalar: Scalar, floor: Value, vertex: Value, atomic: bool) -> Value {
        let priority = self.load(clif_type(scalar), place);
        let above = self.binary(BinaryOp::Gt, scalar, priority, floor);
        let (add, done) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(done, types::I8);
        self.b.ins().brif(above, add, &[], done, &[above.into()]);
        self.b.switch_to_block(add);
        self.b.seal_block(add);
        let reason = self.operator_vertex(vertex);
        let counts = self.slot(slot::COUNTS, types::I64);
        let index = self.b.ins().uextend(types::I64, vertex);
        let at = self.place_at(counts, index, 4, reason);
        let one = self.b.ins().iconst(types::I32, 1);
        let old = match atomic {
            true => self.atomic(AtomicRmwOp::Add, types::I32, &at, one),
            false => {
                let old = self.load(types::I32, &at);
                let new = self.b.ins().iadd(old, one);
                self.store(new, &at);
                old
            }
        };
        let first = self.b.ins().icmp_imm_s(IntCC::Equal, old, 0);
        self.b.ins().jump(done, &[first.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        self.b.block_params(done)[0]
    }

    /// Adds to a priority that is above the floor, but not below it. The result says whether the priority changed.
    fn sum_with_floor(
        &mut self,
        place: &Place,
        scalar: Scalar,
        (amount, difference): (Value, Difference),
        floor: Value,
        atomic: bool,
    ) -> Value {
        let step = |t: &mut Self, old: Value| {
            let above = t.binary(BinaryOp::Gt, scalar, old, floor);
            if not_queued(scalar).is_some() {
                let (new, wanted) = t.exact_sum(scalar, old, (amount, difference), floor, above);
                return (new, Some(wanted));
            }
            let sum = t.binary(BinaryOp::Add, scalar, old, amount);
            let higher = t.binary(BinaryOp::Gt, scalar, sum, floor);
            let new = t.b.ins().select(higher, sum, floor);
            let differs = t.binary(BinaryOp::Ne, scalar, new, old);
            (new, Some(t.b.ins().band(above, differs)))
        };
        if atomic {
            return self.swap_loop(scalar, place, step);
        }
        let old = self.load(clif_type(scalar), place);
        let (new, wanted) = step(self, old);
        let wanted = wanted.unwrap_or(new);
        let kept = self.b.ins().select(wanted, new, old);
        self.store(kept, place);
        wanted
    }

    /// The sum of whole numbers, not below the floor, and whether a priority `above` the floor changes by it. Twice
    /// as many bits are used, so that nothing wraps around. A priority that grows too large for its type is a fault;
    /// an amount that is known to be negative needs no test for that.
    fn exact_sum(
        &mut self,
        scalar: Scalar,
        old: Value,
        (amount, difference): (Value, Difference),
        floor: Value,
        above: Value,
    ) -> (Value, Value) {
        let ty = clif_type(scalar);
        let wide = if ty == types::I64 { types::I128 } else { types::I64 };
        let widen = |t: &mut Self, value: Value, scalar: Scalar| match scalar {
            Scalar::Int | Scalar::Int64 => t.b.ins().sextend(wide, value),
            _ => t.b.ins().uextend(wide, value),
        };
        let (base, floor) = (widen(self, old, scalar), widen(self, floor, scalar));
        let amount = widen(self, amount, difference.scalar);
        let sum = self.b.ins().iadd(base, amount);
        let higher = self.b.ins().icmp(IntCC::SignedGreaterThan, sum, floor);
        let sum = self.b.ins().select(higher, sum, floor);
        let wanted = match difference.is_nonzero {
            true => above,
            false => {
                let differs = self.b.ins().icmp(IntCC::NotEqual, sum, base);
                self.b.ins().band(above, differs)
            }
        };
        if !difference.is_negative
            && let Some(none) = not_queued(scalar)
        {
            let none = self.b.ins().iconst(ty, none);
            let none = self.b.ins().uextend(wide, none);
            let small = self.b.ins().icmp(IntCC::SignedLessThan, sum, none);
            let fine = self.b.ins().bor_not(small, wanted);
            let fine = self.b.ins().band_imm_s(fine, 1);
            self.check(fine, Fault::Overflow, None, None, "");
        }
        (self.b.ins().ireduce(ty, sum), wanted)
    }

    /// The priority vector of a queue, as an expression.
    fn priorities_of(&mut self, queue: &Expr) -> Result<Expr, Refusal> {
        let vector = queue.as_var().and_then(|name| priority_vector(self.module, name));
        let global = vector.and_then(|name| self.module.global(&name));
        global
            .map(|g| Expr::var(g.name.clone(), g.ty.clone()))
            .ok_or_else(|| self.refuse("the priorities of this queue are not known when compiling"))
    }
}

/// What the program text tells about the amount of a sum.
#[derive(Debug, Clone, Copy)]
struct Difference {
    scalar: Scalar,
    /// A constant below 0.
    is_negative: bool,
    /// A constant other than 0.
    is_nonzero: bool,
}

impl Difference {
    fn of(value: &Expr) -> Difference {
        let scalar = match value.ty {
            gw_ir::types::Type::Scalar(scalar) => scalar,
            _ => Scalar::Int,
        };
        let constant = match value.kind {
            ExprKind::Int(amount) if scalar.is_signed() => amount,
            _ => return Difference { scalar, is_negative: false, is_nonzero: false },
        };
        Difference { scalar, is_negative: constant < 0, is_nonzero: constant != 0 }
    }
}

/// The bits of the priority that means "not queued", of types that sums can overflow.
fn not_queued(scalar: Scalar) -> Option<i64> {
    match scalar {
        Scalar::Int => Some(i64::from(i32::MAX)),
        Scalar::Uint => Some(i64::from(u32::MAX)),
        Scalar::Int64 => Some(i64::MAX),
        Scalar::Uint64 => Some(-1),
        _ => None,
    }
}
