//! The output of an operator: vertices are appended to the queue of a worker or marked in a map.

use std::mem::offset_of;

use cranelift::codegen::ir::AtomicRmwOp;
use cranelift::prelude::*;

use super::memory::{Place, Reason};
use super::translate::{OutputForm, Translator};
use crate::abi::{Worker, slot};

impl Translator<'_, '_> {
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
}
