//! The position of the edge between two vertices: that of the edge which the kernel is at, where it is asked for, or by
//! binary search in the list of its source.

use cranelift::prelude::*;
use gw_ir::expr::Expr;

use super::Refusal;
use super::inputs::GraphArray;
use super::memory::Reason;
use super::translate::{AtEdge, Translator};
use crate::abi::slot;

impl Translator<'_, '_> {
    /// `EdgeIndex`: -1 when there is no such edge.
    pub(crate) fn edge_index(&mut self, graph: &Expr, source: &Expr, target: &Expr) -> Result<Value, Refusal> {
        let offsets = self.graph_array(graph, GraphArray::OutOffsets)?;
        let targets = self.graph_array(graph, GraphArray::OutTargets)?;
        let source = self.value(source)?;
        let target = self.value(target)?;
        let reason = self.vertex_of(graph, source)?;
        // The other end is no index here, but the language wants it to be a vertex.
        self.vertex_of(graph, target)?;
        let (begin, end) = self.edge_range(offsets, source, reason);
        // From a place in memory to the position that programs know an edge by.
        let shift = match self.target.lists.pairs {
            true => {
                let sums = self.graph_array(graph, GraphArray::OutSums)?;
                let first = self.first_position(sums, source, reason);
                Some(self.b.ins().isub(first, begin))
            }
            false => None,
        };
        let at_edge = self.at_edge.filter(|at| at.source == source && at.target == target && shift.is_none());
        let low = match at_edge {
            Some(at) => self.place_in(offsets, targets, (begin, end), at),
            None => self.search(targets, begin, end, target),
        };

        // The first entry that is not below the target, where there is one, may be the target.
        let [inside, done] = std::array::from_fn(|_| self.b.create_block());
        self.b.append_block_param(done, types::I32);
        let missing = self.b.ins().iconst(types::I32, -1);
        let some = self.b.ins().icmp(IntCC::UnsignedLessThan, low, end);
        self.b.ins().brif(some, inside, &[], done, &[missing.into()]);
        self.b.switch_to_block(inside);
        self.b.seal_block(inside);
        let at = self.place_at(targets, low, 4, Reason::InList);
        let found = self.load_constant(types::I32, &at, 0);
        let same = self.b.ins().icmp(IntCC::Equal, found, target);
        let position = shift.map_or(low, |shift| self.b.ins().iadd(low, shift));
        let position = self.b.ins().ireduce(types::I32, position);
        let answer = self.b.ins().select(same, position, missing);
        self.b.ins().jump(done, &[answer.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        Ok(self.b.block_params(done)[0])
    }

    /// The place of an edge in the list of its source, which begins and ends there. The kernel stands at the edge, but
    /// lists that it walks may be others than those of the graph that is asked (a part, a segment): then it searches.
    fn place_in(&mut self, offsets: Value, targets: Value, (begin, end): (Value, Value), at: AtEdge) -> Value {
        let [known, look, unknown, out] = std::array::from_fn(|_| self.b.create_block());
        for block in [known, out] {
            self.b.append_block_param(block, types::I64);
        }
        let walked = self.slot(slot::OFFSETS, types::I64);
        let same = self.b.ins().icmp(IntCC::Equal, walked, offsets);
        self.b.ins().brif(same, known, &[at.place.into()], unknown, &[]);

        // The first of edges that are parallel.
        self.b.switch_to_block(known);
        let place = self.b.block_params(known)[0];
        let before = self.b.ins().icmp(IntCC::UnsignedLessThan, begin, place);
        self.b.ins().brif(before, look, &[], out, &[place.into()]);
        self.b.switch_to_block(look);
        self.b.seal_block(look);
        let previous = self.b.ins().iadd_imm_s(place, -1);
        let entry = self.place_at(targets, previous, 4, Reason::InList);
        let entry = self.load_constant(types::I32, &entry, 0);
        let parallel = self.b.ins().icmp(IntCC::Equal, entry, at.target);
        self.b.ins().brif(parallel, known, &[previous.into()], out, &[place.into()]);
        self.b.seal_block(known);

        self.b.switch_to_block(unknown);
        self.b.seal_block(unknown);
        let found = self.search(targets, begin, end, at.target);
        self.b.ins().jump(out, &[found.into()]);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        self.b.block_params(out)[0]
    }

    /// Where the list of a vertex begins in compressed rows.
    fn first_position(&mut self, sums: Value, vertex: Value, reason: Reason) -> Value {
        let index = self.b.ins().uextend(types::I64, vertex);
        match self.target.lists.wide {
            true => {
                let at = self.place_at(sums, index, 8, reason);
                self.load_constant(types::I64, &at, 0)
            }
            false => {
                let at = self.place_at(sums, index, 4, reason);
                self.load_constant_u32(&at, 0)
            }
        }
    }

    /// The first position from `begin` to `end` whose entry is not below the target.
    fn search(&mut self, targets: Value, begin: Value, end: Value, target: Value) -> Value {
        let [head, inside, out] = std::array::from_fn(|_| self.b.create_block());
        for _ in 0..2 {
            self.b.append_block_param(head, types::I64);
        }
        self.b.ins().jump(head, &[begin.into(), end.into()]);
        self.b.switch_to_block(head);
        let (low, high) = (self.b.block_params(head)[0], self.b.block_params(head)[1]);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, low, high);
        self.b.ins().brif(more, inside, &[], out, &[]);
        self.b.switch_to_block(inside);
        self.b.seal_block(inside);
        let sum = self.b.ins().iadd(low, high);
        let one = self.b.ins().iconst(types::I64, 1);
        let middle = self.b.ins().ushr(sum, one);
        let at = self.place_at(targets, middle, 4, Reason::InList);
        let entry = self.load_constant(types::I32, &at, 0);
        let below = self.b.ins().icmp(IntCC::UnsignedLessThan, entry, target);
        let next = self.b.ins().iadd_imm_s(middle, 1);
        let new_low = self.b.ins().select(below, next, low);
        let new_high = self.b.ins().select(below, high, middle);
        self.b.ins().jump(head, &[new_low.into(), new_high.into()]);
        self.b.seal_block(head);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        low
    }
}
