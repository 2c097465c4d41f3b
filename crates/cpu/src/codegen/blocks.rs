//! Walking selected vertices block by block, the lists of the next block being fetched while this one is at work.
//!
//! An operator that leaves vertices out, or leaves a list at the first hit, branches on what cannot be predicted, and
//! every wrong guess keeps the processor from running ahead to the next list, which then costs a full miss. So the
//! tests of 64 vertices are made first, without branches, into a mask; the lists of the wanted ones are asked for;
//! and only one block later they are visited.

use cranelift::prelude::*;
use gw_ir::expr::FunctionRef;
use gw_ir::meta::Direction;
use gw_ir::operator::VertexFilter;

use super::edge::{EdgeShape, Range};
use super::inputs::Role;
use super::memory::{Place, Reason};
use super::translate::Translator;
use super::{EdgeOperator, Refusal};
use crate::abi::slot;

/// Vertices per block: the bits of a word.
const BLOCK: i64 = 64;
/// Queued vertices per block.
const QUEUE_BLOCK: i64 = crate::tuning::FETCH_BLOCK as i64;

impl Translator<'_, '_> {
    /// A loop over the ids `begin..end` that the operator wants and that have edges; the body gets the id and the block
    /// that goes on.
    pub(crate) fn for_wanted(
        &mut self,
        op: EdgeOperator<'_>,
        shape: EdgeShape,
        begin: Value,
        end: Value,
        body: impl FnOnce(&mut Self, Value, Block) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let first = self.wanted_block(op, shape, begin, end)?;
        let wanted = self.variable(types::I64, first);
        let length = self.b.ins().isub(end, begin);
        let blocks = self.b.ins().iadd_imm_s(length, BLOCK - 1);
        let blocks = self.b.ins().ushr_imm_s(blocks, i64::from(BLOCK.trailing_zeros()));
        let zero = self.b.ins().iconst(types::I64, 0);
        self.for_range(zero, blocks, |t, block, _| {
            let offset = t.b.ins().imul_imm_s(block, BLOCK);
            let first = t.b.ins().iadd(begin, offset);
            let following = t.b.ins().iadd_imm_s(first, BLOCK);
            t.check_stop();
            let now = t.b.use_var(wanted);
            let then = t.wanted_block(op, shape, following, end)?;
            t.for_bits(now, |t, bit, next| {
                let index = t.b.ins().iadd(first, bit);
                body(t, index, next)
            })?;
            t.b.def_var(wanted, then);
            Ok(())
        })
    }

    /// Which of the 64 ids from `first` on, below `end`, are wanted. Their lists are asked for.
    fn wanted_block(
        &mut self,
        op: EdgeOperator<'_>,
        shape: EdgeShape,
        first: Value,
        end: Value,
    ) -> Result<Value, Refusal> {
        let offsets = self.slot(slot::OFFSETS, types::I64);
        let targets = self.slot(slot::TARGETS, types::I64);
        if shape.range == Range::Map && self.target.from_bitmap && !shape.clipped {
            let mask = self.map_word(first, end);
            self.fetch_block(offsets, targets, first, mask);
            return Ok(mask);
        }
        let zero = self.b.ins().iconst(types::I64, 0);
        let mask = self.variable(types::I64, zero);
        let last = self.b.ins().iadd_imm_s(first, BLOCK);
        let last = self.b.ins().umin(last, end);
        self.for_range(first, last, |t, index, _| {
            let vertex = t.b.ins().ireduce(types::I32, index);
            let wanted = t.with_vertex(vertex, |t| match t.filter_of_vertices_with_edges(op, shape) {
                Some(filter) => {
                    let (begin, end) = t.list_range(offsets, index, Reason::InRange);
                    let some = t.b.ins().icmp(IntCC::UnsignedLessThan, begin, end);
                    t.both(some, |t| t.filter(filter, Role::From, vertex))
                }
                None => {
                    let wanted = t.is_wanted(op, shape, vertex)?;
                    let (begin, end) = t.list_range(offsets, index, Reason::InRange);
                    let some = t.b.ins().icmp(IntCC::UnsignedLessThan, begin, end);
                    Ok(match wanted {
                        Some(wanted) => t.b.ins().band(wanted, some),
                        None => some,
                    })
                }
            })?;
            let wanted = t.b.ins().uextend(types::I64, wanted);
            let bit = t.b.ins().isub(index, first);
            let bit = t.b.ins().ishl(wanted, bit);
            let before = t.b.use_var(mask);
            let after = t.b.ins().bor(before, bit);
            t.b.def_var(mask, after);
            Ok(())
        })?;
        let mask = self.b.use_var(mask);
        self.fetch_block(offsets, targets, first, mask);
        Ok(mask)
    }

    /// The filter of the sources that can fault, which is asked for every vertex that has edges and for no other.
    fn filter_of_vertices_with_edges<'o>(&self, op: EdgeOperator<'o>, shape: EdgeShape) -> Option<&'o FunctionRef> {
        let VertexFilter::Function(filter) = &op.node.from else { return None };
        let pushes = shape.direction != Direction::Pull && shape.range != Range::Map;
        let in_order = op.facts.filters_may_fault.in_code(self.target.careful);
        (pushes && in_order && !matches!(op.to, VertexFilter::Set(_))).then_some(filter)
    }

    /// Whether a condition holds and then another, which is looked at only if the first holds.
    fn both(
        &mut self,
        first: Value,
        second: impl FnOnce(&mut Self) -> Result<Value, Refusal>,
    ) -> Result<Value, Refusal> {
        let (more, done) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(done, types::I8);
        self.b.ins().brif(first, more, &[], done, &[first.into()]);
        self.b.switch_to_block(more);
        self.b.seal_block(more);
        let second = second(self)?;
        self.b.ins().jump(done, &[second.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        Ok(self.b.block_params(done)[0])
    }

    /// The word of the bit map that tells about the 64 ids from `first` on; none of them from `end` on. Chunks begin
    /// at words, and end at words or at the last vertex, behind which no bit is set.
    fn map_word(&mut self, first: Value, end: Value) -> Value {
        let (inside, out) = (self.b.create_block(), self.b.create_block());
        self.b.append_block_param(out, types::I64);
        let none = self.b.ins().iconst(types::I64, 0);
        let some = self.b.ins().icmp(IntCC::UnsignedLessThan, first, end);
        self.b.ins().brif(some, inside, &[], out, &[none.into()]);
        self.b.switch_to_block(inside);
        self.b.seal_block(inside);
        let map = self.slot(slot::FROM_MAP, types::I64);
        let byte = self.b.ins().ushr_imm_s(first, 3);
        let place = Place::new(self.b.ins().iadd(map, byte), Reason::InRange);
        let word = self.load(types::I64, &place);
        self.b.ins().jump(out, &[word.into()]);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        self.b.block_params(out)[0]
    }

    /// Asks for the beginnings of the lists `first + i` for every bit `i` of the mask.
    pub(crate) fn fetch_block(&mut self, offsets: Value, targets: Value, first: Value, mask: Value) {
        let form = self.b.ins().iconst(types::I32, i64::from(self.target.lists.word()));
        self.b.ins().call(self.helpers.fetch_block, &[offsets, targets, first, mask, form]);
    }

    /// Whether the operator wants the vertex that its range walks over, as far as that can be told from the vertex.
    fn is_wanted(&mut self, op: EdgeOperator<'_>, shape: EdgeShape, vertex: Value) -> Result<Option<Value>, Refusal> {
        if shape.range == Range::Map {
            let map = self.slot(slot::FROM_MAP, types::I64);
            let inside = self.in_map(map, vertex, self.target.from_bitmap);
            let narrow = |t: &mut Self| t.b.ins().ireduce(types::I8, inside);
            return Ok(Some(if self.target.from_bitmap { narrow(self) } else { inside }));
        }
        let in_order = op.facts.filters_may_fault.in_code(self.target.careful);
        let (filter, role) = match shape.direction {
            Direction::Pull => (&op.to, Role::To),
            Direction::Push | Direction::DensePush => (&op.from, Role::From),
        };
        match (filter, role) {
            (VertexFilter::Function(_), _) if in_order => Ok(None),
            (VertexFilter::Function(filter), role) => self.apply(filter, role, &[vertex]),
            (VertexFilter::Set(_), Role::To) => {
                let map = self.slot(slot::TO_MAP, types::I64);
                Ok(Some(self.in_map(map, vertex, false)))
            }
            _ => Ok(None),
        }
    }

    /// A loop over the set bits of a word, lowest first.
    fn for_bits(
        &mut self,
        word: Value,
        body: impl FnOnce(&mut Self, Value, Block) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (head, next, out) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.append_block_param(head, types::I64);
        self.b.ins().brif(word, head, &[word.into()], out, &[]);
        self.b.switch_to_block(head);
        let rest = self.b.block_params(head)[0];
        let bit = self.b.ins().ctz(rest);
        body(self, bit, next)?;
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        let less = self.b.ins().iadd_imm_s(rest, -1);
        let rest = self.b.ins().band(rest, less);
        self.b.ins().brif(rest, head, &[rest.into()], out, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        Ok(())
    }

    /// A loop over the positions `begin..end` of the queue, the lists of the vertices further on being fetched.
    pub(crate) fn for_queued(
        &mut self,
        begin: Value,
        end: Value,
        body: impl FnOnce(&mut Self, Value, Block) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let length = self.b.ins().isub(end, begin);
        let blocks = self.b.ins().iadd_imm_s(length, QUEUE_BLOCK - 1);
        let blocks = self.b.ins().ushr_imm_s(blocks, i64::from(QUEUE_BLOCK.trailing_zeros()));
        let zero = self.b.ins().iconst(types::I64, 0);
        self.for_range(zero, blocks, |t, block, _| {
            let offset = t.b.ins().imul_imm_s(block, QUEUE_BLOCK);
            let first = t.b.ins().iadd(begin, offset);
            let last = t.b.ins().iadd_imm_s(first, QUEUE_BLOCK);
            let last = t.b.ins().umin(last, end);
            t.check_stop();
            let operands = [
                t.slot(slot::QUEUE, types::I64),
                last,
                end,
                t.slot(slot::OFFSETS, types::I64),
                t.slot(slot::TARGETS, types::I64),
                t.b.ins().iconst(types::I32, i64::from(t.target.lists.word())),
            ];
            t.b.ins().call(t.helpers.fetch_queued, &operands);
            t.for_range(first, last, body)
        })
    }
}
