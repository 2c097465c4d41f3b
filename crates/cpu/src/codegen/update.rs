//! Updates of memory: reductions and compare-and-swap.

use cranelift::codegen::ir::{AtomicRmwOp, MemFlagsData};
use cranelift::prelude::*;
use gw_ir::expr::{BinaryOp, Expr, ExprKind, ReduceOp};
use gw_ir::types::Scalar;

use super::Refusal;
use super::memory::Place;
use super::translate::{Translator, clif_type};

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
    pub(super) fn swap_loop(
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
        let swapped = match self.target.parallel && !self.claims_by_store {
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
}

fn bits_type(ty: types::Type) -> types::Type {
    match ty {
        types::F32 => types::I32,
        types::F64 => types::I64,
        ty => ty,
    }
}
