//! Updates of memory: reductions, compare-and-swap, priority changes and the output of an operator.

use std::mem::offset_of;

use cranelift::codegen::ir::{AtomicRmwOp, MemFlagsData};
use cranelift::prelude::*;
use gw_ir::analysis::priority::priority_vector;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, PriorityOp, ReduceOp};
use gw_ir::meta::UpdateMeta;
use gw_ir::types::Scalar;

use super::Refusal;
use super::memory::{Place, Reason};
use super::translate::{OutputForm, Translator, clif_type};
use crate::abi::{Fault, Worker, slot};

impl Translator<'_, '_> {
    /// `target op= value`; the result says whether the stored value changed.
    pub(crate) fn reduce(&mut self, op: ReduceOp, target: &Expr, value: &Expr, atomic: bool) -> Result<Value, Refusal> {
        let value = self.value(value)?;
        let local = matches!(&target.kind, ExprKind::Var(name) if self.names.contains_key(name));
        if local || self.register(target).is_some() {
            let scalar = self.scalar_of(&target.ty)?;
            let old = self.value(target)?;
            let (new, changed) = self.combine(op, scalar, old, value);
            self.assign(target, new)?;
            return Ok(changed);
        }
        if let Some(changed) = self.add_to_sum(op, target, value) {
            return Ok(changed);
        }
        let (place, scalar) = self.place(target)?;
        // Nobody owns a global scalar: its reductions are atomic whenever others run.
        let shared = self.target.parallel && matches!(target.kind, ExprKind::Var(_));
        let atomic = (atomic || shared) && self.target.parallel;
        Ok(match self.alone_at(target).filter(|_| atomic) {
            Some(mark) => self.reduce_by_class(op, &place, scalar, value, mark),
            None => self.reduce_at(op, &place, scalar, value, atomic),
        })
    }

    /// A reduction into a cell.
    pub(super) fn reduce_at(
        &mut self,
        op: ReduceOp,
        place: &Place,
        scalar: Scalar,
        value: Value,
        atomic: bool,
    ) -> Value {
        let ty = clif_type(scalar);
        if !atomic {
            let old = self.load(ty, place);
            if op == ReduceOp::Sum {
                let (new, changed) = self.combine(op, scalar, old, value);
                self.store(new, place);
                return changed;
            }
            // A store that changes nothing would only dirty the cache line.
            let (new, better) = match op {
                ReduceOp::Or | ReduceOp::And => self.combine(op, scalar, old, value),
                _ => (value, self.better(op, scalar, value, old)),
            };
            let (write, done) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(better, write, &[], done, &[]);
            self.b.switch_to_block(write);
            self.b.seal_block(write);
            self.store(new, place);
            self.b.ins().jump(done, &[]);
            self.b.switch_to_block(done);
            self.b.seal_block(done);
            return better;
        }
        if op == ReduceOp::Sum && !scalar.is_float() {
            self.atomic(AtomicRmwOp::Add, ty, place, value);
            return self.b.ins().iconst(types::I8, 1);
        }
        self.swap_loop(scalar, place, |t, old| {
            let (new, changed) = t.combine(op, scalar, old, value);
            (new, (op != ReduceOp::Sum).then_some(changed))
        })
    }

    /// The combined value, and whether it counts as a change.
    pub(super) fn combine(&mut self, op: ReduceOp, scalar: Scalar, old: Value, value: Value) -> (Value, Value) {
        match op {
            ReduceOp::Sum if scalar == Scalar::Bool => {
                let new = self.b.ins().bor(old, value);
                (new, self.b.ins().iconst(types::I8, 1))
            }
            ReduceOp::Sum => {
                let new = self.binary(BinaryOp::Add, scalar, old, value);
                (new, self.b.ins().iconst(types::I8, 1))
            }
            ReduceOp::Or | ReduceOp::And => {
                let new = match op {
                    ReduceOp::Or => self.b.ins().bor(old, value),
                    _ => self.b.ins().band(old, value),
                };
                (new, self.b.ins().icmp(IntCC::NotEqual, new, old))
            }
            op => {
                let better = self.better(op, scalar, value, old);
                (self.b.ins().select(better, value, old), better)
            }
        }
    }

    /// Whether a minimum or maximum would change a cell.
    pub(super) fn is_better(&mut self, op: ReduceOp, place: &Place, scalar: Scalar, value: Value) -> Value {
        let old = self.load(clif_type(scalar), place);
        self.better(op, scalar, value, old)
    }

    fn better(&mut self, op: ReduceOp, scalar: Scalar, value: Value, old: Value) -> Value {
        let comparison = if op == ReduceOp::Max { BinaryOp::Gt } else { BinaryOp::Lt };
        self.binary(comparison, scalar, value, old)
    }

    /// Repeats `new = step(old); swap` until it goes through or the step does not want to change the cell. The result
    /// says whether the cell was changed.
    fn swap_loop(
        &mut self,
        scalar: Scalar,
        place: &Place,
        step: impl FnOnce(&mut Self, Value) -> (Value, Option<Value>),
    ) -> Value {
        let ty = clif_type(scalar);
        let bits = bits_type(ty);
        let (head, attempt, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.append_block_param(head, bits);
        self.b.append_block_param(done, types::I8);
        let first = self.load(bits, place);
        self.b.ins().jump(head, &[first.into()]);
        self.b.switch_to_block(head);
        let old_bits = self.b.block_params(head)[0];
        let old = self.as_type(old_bits, ty);
        let (new, wanted) = step(self, old);
        match wanted {
            Some(wanted) => {
                let no = self.b.ins().iconst(types::I8, 0);
                self.b.ins().brif(wanted, attempt, &[], done, &[no.into()])
            }
            None => self.b.ins().jump(attempt, &[]),
        };
        self.b.switch_to_block(attempt);
        self.b.seal_block(attempt);
        let new_bits = self.as_type(new, bits);
        let found = self.swap(place, old_bits, new_bits);
        let swapped = self.b.ins().icmp(IntCC::Equal, found, old_bits);
        let yes = self.b.ins().iconst(types::I8, 1);
        self.b.ins().brif(swapped, done, &[yes.into()], head, &[found.into()]);
        self.b.seal_block(head);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        self.b.block_params(done)[0]
    }

    fn as_type(&mut self, value: Value, ty: types::Type) -> Value {
        match self.b.func.dfg.value_type(value) == ty {
            true => value,
            false => self.b.ins().bitcast(ty, MemFlagsData::new(), value),
        }
    }

    /// Stores `value` if the cell holds `expect`; the result says whether it did.
    pub(crate) fn compare_and_swap(&mut self, target: &Expr, expect: &Expr, value: &Expr) -> Result<Value, Refusal> {
        let expect = self.value(expect)?;
        let value = self.value(value)?;
        let (place, scalar) = self.place(target)?;
        let ty = clif_type(scalar);
        let old = self.load(ty, &place);
        let same = self.binary(BinaryOp::Eq, scalar, old, expect);
        let (attempt, done) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(done, types::I8);
        let no = self.b.ins().iconst(types::I8, 0);
        self.b.ins().brif(same, attempt, &[], done, &[no.into()]);
        self.b.switch_to_block(attempt);
        self.b.seal_block(attempt);
        let swapped = match self.target.parallel {
            true => {
                let bits = bits_type(ty);
                let (old, new) = (self.as_type(old, bits), self.as_type(value, bits));
                let found = self.swap(&place, old, new);
                self.b.ins().icmp(IntCC::Equal, found, old)
            }
            false => {
                self.store(value, &place);
                self.b.ins().iconst(types::I8, 1)
            }
        };
        self.b.ins().jump(done, &[swapped.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        Ok(self.b.block_params(done)[0])
    }

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

    /// Runs `then` when the condition holds.
    pub(crate) fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        let (yes, done) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, yes, &[], done, &[]);
        self.b.switch_to_block(yes);
        self.b.seal_block(yes);
        then(self);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
    }

    /// Adds a vertex to the output of the operator.
    pub(crate) fn enqueue(&mut self, vertex: Value) {
        // A vertex that is computed may come from data that others change since the write it follows: maps must hold
        // it.
        let reason = self.operator_vertex(vertex);
        match self.drop_leaf(vertex, reason) {
            None => self.insert(vertex, reason),
            Some(dropped) => {
                self.insert(vertex, reason);
                self.b.ins().jump(dropped, &[]);
                self.b.switch_to_block(dropped);
                self.b.seal_block(dropped);
            }
        }
    }

    fn insert(&mut self, vertex: Value, reason: Reason) {
        match self.target.output {
            OutputForm::None | OutputForm::Buckets => {}
            OutputForm::Queue { unique: false } | OutputForm::Counts => self.append(vertex),
            OutputForm::Queue { unique: true } => {
                let seen = self.slot(slot::SEEN, types::I64);
                let fresh = self.mark_byte(seen, vertex, reason);
                self.when(fresh, |t| t.append(vertex));
            }
            OutputForm::Bytemap => {
                let map = self.slot(slot::OUT_MAP, types::I64);
                let fresh = self.mark_byte(map, vertex, reason);
                self.when(fresh, Self::count_marked);
            }
            OutputForm::Bitmap => {
                let map = self.slot(slot::OUT_MAP, types::I64);
                let fresh = self.mark_bit(map, vertex, reason);
                self.when(fresh, Self::count_marked);
            }
        }
    }

    fn count_marked(&mut self) {
        let (worker, at) = (self.worker_fields(), offset_of!(Worker, marked) as i32);
        let marked = self.load_at(types::I64, &worker, at);
        let marked = self.b.ins().iadd_imm_s(marked, 1);
        self.store_at(marked, &worker, at);
    }

    fn append(&mut self, vertex: Value) {
        let field = |offset: usize| offset as i32;
        let (out, len, room) = (offset_of!(Worker, out), offset_of!(Worker, out_len), offset_of!(Worker, out_room));
        let worker = self.worker_fields();
        let length = self.load_at(types::I64, &worker, field(len));
        let capacity = self.load_at(types::I64, &worker, field(room));
        let full = self.b.ins().icmp(IntCC::Equal, length, capacity);
        let (grow, ready) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(grow);
        self.b.ins().brif(full, grow, &[], ready, &[]);
        self.b.switch_to_block(grow);
        self.b.seal_block(grow);
        self.b.ins().call(self.helpers.grow, &[self.worker]);
        self.b.ins().jump(ready, &[]);
        self.b.switch_to_block(ready);
        self.b.seal_block(ready);
        let start = self.load_at(types::I64, &worker, field(out));
        let at = self.place_at(start, length, 4, Reason::Output);
        self.store(vertex, &at);
        let length = self.b.ins().iadd_imm_s(length, 1);
        self.store_at(length, &worker, field(len));
    }

    /// Sets the byte of a vertex; true when it was 0.
    fn mark_byte(&mut self, map: Value, vertex: Value, reason: Reason) -> Value {
        let index = self.b.ins().uextend(types::I64, vertex);
        let place = Place::new(self.b.ins().iadd(map, index), reason);
        let old = self.load(types::I8, &place);
        let fresh = self.b.ins().icmp_imm_s(IntCC::Equal, old, 0);
        let one = self.b.ins().iconst(types::I8, 1);
        if self.target.owns_output || !self.target.parallel {
            self.store(one, &place);
            return fresh;
        }
        let (attempt, done) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(done, types::I8);
        self.b.ins().brif(fresh, attempt, &[], done, &[fresh.into()]);
        self.b.switch_to_block(attempt);
        self.b.seal_block(attempt);
        let found = self.atomic(AtomicRmwOp::Xchg, types::I8, &place, one);
        let first = self.b.ins().icmp_imm_s(IntCC::Equal, found, 0);
        self.b.ins().jump(done, &[first.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        self.b.block_params(done)[0]
    }

    /// Sets the bit of a vertex; true when it was clear.
    fn mark_bit(&mut self, map: Value, vertex: Value, reason: Reason) -> Value {
        let (address, mask) = self.bit(map, vertex);
        let place = Place::new(address, reason);
        let old = self.load(types::I64, &place);
        let present = self.b.ins().band(old, mask);
        let fresh = self.b.ins().icmp_imm_s(IntCC::Equal, present, 0);
        if self.target.owns_output || !self.target.parallel {
            let new = self.b.ins().bor(old, mask);
            self.store(new, &place);
            return fresh;
        }
        let (attempt, done) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(done, types::I8);
        self.b.ins().brif(fresh, attempt, &[], done, &[fresh.into()]);
        self.b.switch_to_block(attempt);
        self.b.seal_block(attempt);
        let found = self.atomic(AtomicRmwOp::Or, types::I64, &place, mask);
        let present = self.b.ins().band(found, mask);
        let first = self.b.ins().icmp_imm_s(IntCC::Equal, present, 0);
        self.b.ins().jump(done, &[first.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        self.b.block_params(done)[0]
    }

    /// The word that holds the bit of a vertex, and the bit.
    fn bit(&mut self, map: Value, vertex: Value) -> (Value, Value) {
        let index = self.b.ins().uextend(types::I64, vertex);
        let word = self.b.ins().ushr_imm_s(index, 6);
        let address = self.address(map, word, 8);
        let one = self.b.ins().iconst(types::I64, 1);
        // Shifts take their amount modulo 64.
        let mask = self.b.ins().ishl(one, index);
        (address, mask)
    }

    /// Whether a vertex of the operator is in a map.
    pub(crate) fn in_map(&mut self, map: Value, vertex: Value, bitmap: bool) -> Value {
        self.memory.vertices.insert(vertex);
        let reason = Reason::PerVertex(vertex);
        let index = self.b.ins().uextend(types::I64, vertex);
        if bitmap {
            // A byte is enough to find a bit, and cheaper than a word and a wide mask.
            let byte = self.b.ins().ushr_imm_s(index, 3);
            let place = Place::new(self.b.ins().iadd(map, byte), reason);
            let bits = self.load_byte(&place);
            let amount = self.b.ins().band_imm_s(vertex, 7);
            let bits = self.b.ins().ushr(bits, amount);
            self.b.ins().band_imm_s(bits, 1)
        } else {
            let place = Place::new(self.b.ins().iadd(map, index), reason);
            self.load(types::I8, &place)
        }
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

fn bits_type(ty: types::Type) -> types::Type {
    match ty {
        types::F32 => types::I32,
        types::F64 => types::I64,
        ty => ty,
    }
}
