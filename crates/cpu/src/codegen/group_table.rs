//! The tables in which the neighbours of a vertex are grouped: a dense one with a word per key, and a hash table. Both
//! are emptied group by group, by notes of what was taken.

use std::mem::offset_of;

use cranelift::prelude::*;
use gw_ir::expr::ReduceOp;

use super::Refusal;
use super::memory::{Place, Reason};
use super::translate::Translator;
use crate::abi::{Worker, slot};
use crate::groups::{FIRST_BITS, NO_KEY, SPREAD, Slot, Table};

/// Bytes of a slot of a table, as a power of two.
const SLOT_SHIFT: i64 = 4;
const _: () = assert!(size_of::<Slot>() == 1 << SLOT_SHIFT);

/// The tables of the vertex at hand.
#[derive(Clone, Copy)]
pub(super) struct Filled {
    /// Not 0: groups are in the dense table, else in the hash table.
    is_dense: Variable,
    words: Variable,
    slots: Variable,
    taken: Variable,
    /// Of the hash table: 32 less the logarithm of the slots.
    shift: Variable,
    /// Groups so far.
    pub(super) count: Variable,
    /// Words of the dense table.
    pub(super) size: Value,
}

impl Translator<'_, '_> {
    /// The tables of a vertex before one of them is chosen.
    pub(super) fn no_table(&mut self) -> Filled {
        let bits = self.slot(slot::TABLE_BITS, types::I64);
        let one = self.b.ins().iconst(types::I64, 1);
        let size = self.b.ins().ishl(one, bits);
        let zero = self.b.ins().iconst(types::I64, 0);
        let [is_dense, words, slots, taken, shift, count] = std::array::from_fn(|_| self.variable(types::I64, zero));
        Filled { is_dense, words, slots, taken, shift, count, size }
    }

    /// The dense table without groups.
    pub(super) fn begin_dense(&mut self, table: Filled) {
        let room = self.table_field(offset_of!(Table, dense_room));
        let too_small = self.b.ins().icmp(IntCC::UnsignedLessThan, room, table.size);
        self.when(too_small, |t| {
            t.b.ins().call(t.helpers.group_spread, &[t.worker, table.size]);
        });
        let one = self.b.ins().iconst(types::I64, 1);
        self.b.def_var(table.is_dense, one);
        for (variable, offset) in [(table.words, offset_of!(Table, words)), (table.taken, offset_of!(Table, taken))] {
            let value = self.table_field(offset);
            self.b.def_var(variable, value);
        }
    }

    /// The hash table without groups, with slots enough for the beginning.
    pub(super) fn begin_hashed(&mut self, table: Filled, degree: Value) {
        // A power of two of at least twice the degree and the key that is offered, but not many at first.
        let keys = self.b.ins().iadd_imm_s(degree, 1);
        let wanted = self.b.ins().ishl_imm_s(keys, 1);
        let wanted = self.b.ins().bor_imm_s(wanted, 3);
        let zeros = self.b.ins().clz(wanted);
        let all = self.b.ins().iconst(types::I64, 64);
        let bits = self.b.ins().isub(all, zeros);
        let most = self.b.ins().iconst(types::I64, FIRST_BITS);
        let bits = self.b.ins().umin(bits, most);
        let one = self.b.ins().iconst(types::I64, 1);
        let size = self.b.ins().ishl(one, bits);
        let room = self.table_field(offset_of!(Table, room));
        let too_small = self.b.ins().icmp(IntCC::UnsignedLessThan, room, size);
        self.when(too_small, |t| {
            t.b.ins().call(t.helpers.group_reserve, &[t.worker, size]);
        });
        let width = self.b.ins().iconst(types::I64, 32);
        let shift = self.b.ins().isub(width, bits);
        self.b.def_var(table.shift, shift);
        let zero = self.b.ins().iconst(types::I64, 0);
        self.b.def_var(table.is_dense, zero);
        self.b.def_var(table.count, zero);
        for (variable, offset) in [(table.slots, offset_of!(Table, slots)), (table.taken, offset_of!(Table, taken))] {
            let value = self.table_field(offset);
            self.b.def_var(variable, value);
        }
    }

    /// Adds to the word of a key, without a branch on whether the key is new: its note is written in any case, and
    /// stays if the key was. Gives the sum.
    pub(super) fn add_to_word(&mut self, table: Filled, combine: ReduceOp, key: Value, word: Value) -> Value {
        let place = self.word_at(table, key);
        let old = self.load(types::I64, &place);
        let is_new = self.b.ins().icmp_imm_s(IntCC::Equal, old, 0);
        let both = self.combined(combine, old, word);
        let word = match combine {
            ReduceOp::Min | ReduceOp::Max => self.b.ins().select(is_new, word, both),
            _ => both,
        };
        self.store(word, &place);
        self.note(table, key);
        let count = self.b.use_var(table.count);
        let more = self.b.ins().uextend(types::I64, is_new);
        let count = self.b.ins().iadd(count, more);
        self.b.def_var(table.count, count);
        word
    }

    /// Adds a word to the group of a key.
    pub(super) fn add_to_group(&mut self, table: Filled, combine: ReduceOp, key: Value, word: Value) {
        let at = offset_of!(Slot, word) as i32;
        let found = |t: &mut Self, place: &Place| {
            let old = t.load_at(types::I64, place, at);
            let new = t.combined(combine, old, word);
            t.store_at(new, place, at);
        };
        self.probe(table, key, found, |t, place, number, wide| t.begin_group(table, place, number, wide, word));
    }

    /// Adds a group with this word unless there is one.
    pub(super) fn offer(&mut self, table: Filled, key: Value, word: Value) {
        let [dense, hashed, done] = std::array::from_fn(|_| self.b.create_block());
        let is_dense = self.b.use_var(table.is_dense);
        self.b.ins().brif(is_dense, dense, &[], hashed, &[]);
        self.b.switch_to_block(dense);
        self.b.seal_block(dense);
        let wide = self.b.ins().uextend(types::I64, key);
        let place = self.word_at(table, wide);
        let old = self.load(types::I64, &place);
        let is_new = self.b.ins().icmp_imm_s(IntCC::Equal, old, 0);
        self.when(is_new, |t| {
            t.store(word, &place);
            t.note(table, wide);
            let count = t.b.use_var(table.count);
            let count = t.b.ins().iadd_imm_s(count, 1);
            t.b.def_var(table.count, count);
        });
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(hashed);
        self.b.seal_block(hashed);
        let absent = |t: &mut Self, place: &Place, at, wide| t.begin_group(table, place, at, wide, word);
        self.probe(table, key, |_, _| {}, absent);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
    }

    /// Empties the table group by group; the body gets key and word.
    pub(super) fn each_group(
        &mut self,
        table: Filled,
        body: impl FnOnce(&mut Self, Value, Value) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (zero, count) = (self.b.ins().iconst(types::I64, 0), self.b.use_var(table.count));
        self.for_range(zero, count, |t, number, _| {
            let taken = t.b.use_var(table.taken);
            let note = t.place_at(taken, number, 4, Reason::Table);
            let at = t.load(types::I32, &note);
            let at = t.b.ins().uextend(types::I64, at);
            let [dense, hashed, found] = std::array::from_fn(|_| t.b.create_block());
            t.b.append_block_param(found, types::I32);
            t.b.append_block_param(found, types::I64);
            let is_dense = t.b.use_var(table.is_dense);
            t.b.ins().brif(is_dense, dense, &[], hashed, &[]);
            t.b.switch_to_block(dense);
            t.b.seal_block(dense);
            let place = t.word_at(table, at);
            let word = t.load(types::I64, &place);
            let none = t.b.ins().iconst(types::I64, 0);
            t.store(none, &place);
            let key = t.b.ins().ireduce(types::I32, at);
            t.b.ins().jump(found, &[key.into(), word.into()]);
            t.b.switch_to_block(hashed);
            t.b.seal_block(hashed);
            let slots = t.b.use_var(table.slots);
            let place = t.slot_at(slots, at);
            let key = t.load_at(types::I64, &place, offset_of!(Slot, key) as i32);
            let word = t.load_at(types::I64, &place, offset_of!(Slot, word) as i32);
            let none = t.b.ins().iconst(types::I64, NO_KEY);
            t.store_at(none, &place, offset_of!(Slot, key) as i32);
            let key = t.b.ins().ireduce(types::I32, key);
            t.b.ins().jump(found, &[key.into(), word.into()]);
            t.b.switch_to_block(found);
            t.b.seal_block(found);
            let [key, word] = [t.b.block_params(found)[0], t.b.block_params(found)[1]];
            body(t, key, word)
        })
    }

    /// Goes through `body` where there is a group of a key from 0 on.
    pub(super) fn when_has(&mut self, table: Filled, key: Value, body: impl Fn(&mut Self)) {
        let [dense, word, hashed, done] = std::array::from_fn(|_| self.b.create_block());
        let is_dense = self.b.use_var(table.is_dense);
        self.b.ins().brif(is_dense, dense, &[], hashed, &[]);
        self.b.switch_to_block(dense);
        self.b.seal_block(dense);
        let wide = self.b.ins().uextend(types::I64, key);
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThan, wide, table.size);
        self.b.ins().brif(fits, word, &[], done, &[]);
        self.b.switch_to_block(word);
        self.b.seal_block(word);
        let place = self.word_at(table, wide);
        let there = self.load(types::I64, &place);
        let there = self.b.ins().icmp_imm_s(IntCC::NotEqual, there, 0);
        self.when(there, &body);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(hashed);
        self.b.seal_block(hashed);
        self.probe(table, key, |t, _| body(t), |_, _, _, _| {});
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
    }

    /// Looks a key up: `found` and `absent` get the slot, and go on where this returns.
    fn probe(
        &mut self,
        table: Filled,
        key: Value,
        found: impl FnOnce(&mut Self, &Place),
        absent: impl FnOnce(&mut Self, &Place, Value, Value),
    ) {
        let wide = self.b.ins().uextend(types::I64, key);
        let spread = self.b.ins().imul_imm_s(wide, i64::from(SPREAD));
        let spread = self.b.ins().band_imm_s(spread, i64::from(u32::MAX));
        let shift = self.b.use_var(table.shift);
        let first = self.b.ins().ushr(spread, shift);
        let [head, other, empty, next, hit, done] = std::array::from_fn(|_| self.b.create_block());
        self.b.append_block_param(head, types::I64);
        self.b.ins().jump(head, &[first.into()]);
        self.b.switch_to_block(head);
        let at = self.b.block_params(head)[0];
        let slots = self.b.use_var(table.slots);
        let place = self.slot_at(slots, at);
        let there = self.load(types::I64, &place);
        let same = self.b.ins().icmp(IntCC::Equal, there, wide);
        self.b.ins().brif(same, hit, &[], other, &[]);
        self.b.switch_to_block(other);
        self.b.seal_block(other);
        let free = self.b.ins().icmp_imm_s(IntCC::Equal, there, NO_KEY);
        self.b.ins().brif(free, empty, &[], next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        let last = self.b.ins().iconst(types::I64, i64::from(u32::MAX));
        let mask = self.b.ins().ushr(last, shift);
        let following = self.b.ins().iadd_imm_s(at, 1);
        let following = self.b.ins().band(following, mask);
        self.b.ins().jump(head, &[following.into()]);
        self.b.seal_block(head);
        self.b.switch_to_block(hit);
        self.b.seal_block(hit);
        found(self, &place);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(empty);
        self.b.seal_block(empty);
        absent(self, &place, at, wide);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
    }

    fn begin_group(&mut self, table: Filled, place: &Place, at: Value, key: Value, word: Value) {
        self.store_at(key, place, offset_of!(Slot, key) as i32);
        self.store_at(word, place, offset_of!(Slot, word) as i32);
        self.note(table, at);
        let count = self.b.use_var(table.count);
        let count = self.b.ins().iadd_imm_s(count, 1);
        self.b.def_var(table.count, count);
        // A table that is half full doubles.
        let last = self.b.ins().iconst(types::I64, i64::from(u32::MAX));
        let shift = self.b.use_var(table.shift);
        let mask = self.b.ins().ushr(last, shift);
        let twice = self.b.ins().ishl_imm_s(count, 1);
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, twice, mask);
        self.when(full, |t| {
            t.b.ins().call(t.helpers.group_grow, &[t.worker, count]);
            for (variable, offset) in [
                (table.slots, offset_of!(Table, slots)),
                (table.taken, offset_of!(Table, taken)),
                (table.shift, offset_of!(Table, shift)),
            ] {
                let value = t.table_field(offset);
                t.b.def_var(variable, value);
            }
        });
    }

    /// Writes the number of a slot or word behind the notes that count.
    fn note(&mut self, table: Filled, at: Value) {
        let (count, taken) = (self.b.use_var(table.count), self.b.use_var(table.taken));
        let note = self.place_at(taken, count, 4, Reason::Table);
        let narrow = self.b.ins().ireduce(types::I32, at);
        self.store(narrow, &note);
    }

    /// The word of a key in the dense table.
    fn word_at(&mut self, table: Filled, key: Value) -> Place {
        let words = self.b.use_var(table.words);
        self.place_at(words, key, 8, Reason::Table)
    }

    fn slot_at(&mut self, slots: Value, at: Value) -> Place {
        let offset = self.b.ins().ishl_imm_s(at, SLOT_SHIFT);
        Place::new(self.b.ins().iadd(slots, offset), Reason::Table)
    }

    fn table_field(&mut self, offset: usize) -> Value {
        let worker = self.worker_fields();
        self.load_at(types::I64, &worker, (offset_of!(Worker, table) + offset) as i32)
    }

    fn combined(&mut self, combine: ReduceOp, old: Value, word: Value) -> Value {
        match combine {
            ReduceOp::Min => self.b.ins().smin(old, word),
            ReduceOp::Max => self.b.ins().smax(old, word),
            _ => self.b.ins().iadd(old, word),
        }
    }
}
