//! Pulling from a set in batches: first the edges whose source is in the set are gathered, then they are visited.
//!
//! Whether a source is in the set cannot be predicted, and a branch on it costs more than the rest of the edge.
//! Gathering writes the position of every edge and advances by the bit of its source, without a branch. Pays where
//! all edges of the list are looked at; where the first hit ends the list, the test stays in the loop.

use cranelift::codegen::ir::{StackSlotData, StackSlotKind};
use cranelift::prelude::*;
use gw_ir::analysis::operator::OwnedEntry;

use super::Refusal;
use super::memory::Reason;
use super::translate::Translator;
use crate::abi::slot;
use crate::tuning::BATCH;

impl Translator<'_, '_> {
    /// A loop over the edge positions `begin..end` of `owner` whose other end is in the input map. The body gets the
    /// position and the block that goes on.
    pub(crate) fn each_neighbour_in_map(
        &mut self,
        begin: Value,
        end: Value,
        promoted: &[OwnedEntry],
        owner: Value,
        visited: Option<Variable>,
        body: impl FnOnce(&mut Self, Value, Block) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (enter, out) = (self.b.create_block(), self.b.create_block());
        let some = self.b.ins().icmp(IntCC::UnsignedLessThan, begin, end);
        self.b.ins().brif(some, enter, &[], out, &[]);
        self.b.switch_to_block(enter);
        self.b.seal_block(enter);
        let saved = self.promote(promoted, owner)?;
        let map = self.slot(slot::FROM_MAP, types::I64);
        let place = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * BATCH as u32, 3);
        let place = self.b.create_sized_stack_slot(place);
        let buffer = self.b.ins().stack_addr(types::I64, place, 0);
        let length = self.b.ins().isub(end, begin);
        let batches = self.b.ins().iadd_imm_s(length, BATCH - 1);
        let batches = self.b.ins().ushr_imm_s(batches, i64::from(BATCH.trailing_zeros()));
        let zero = self.b.ins().iconst(types::I64, 0);
        self.for_range(zero, batches, |t, batch, _| {
            let first = t.b.ins().imul_imm_s(batch, BATCH);
            let first = t.b.ins().iadd(begin, first);
            let last = t.b.ins().iadd_imm_s(first, BATCH);
            let last = t.b.ins().umin(last, end);
            let zero = t.b.ins().iconst(types::I64, 0);
            let gathered = t.variable(types::I64, zero);
            t.for_range(first, last, |t, edge, _| {
                let other = t.neighbour(edge);
                let count = t.b.use_var(gathered);
                let at = t.place_at(buffer, count, 8, Reason::Buffer);
                t.store(edge, &at);
                let inside = t.in_map(map, other, t.target.from_bitmap);
                let inside = t.b.ins().uextend(types::I64, inside);
                let count = t.b.ins().iadd(count, inside);
                t.b.def_var(gathered, count);
                Ok(())
            })?;
            let count = t.b.use_var(gathered);
            let zero = t.b.ins().iconst(types::I64, 0);
            t.for_range(zero, count, |t, i, next| {
                let at = t.place_at(buffer, i, 8, Reason::Buffer);
                let edge = t.load(types::I64, &at);
                body(t, edge, next)
            })
        })?;
        self.demote(saved);
        if let Some(visited) = visited {
            let before = self.b.use_var(visited);
            let sum = self.b.ins().iadd(before, length);
            self.b.def_var(visited, sum);
        }
        self.b.ins().jump(out, &[]);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        Ok(())
    }
}
