//! Common neighbours.

use cranelift::prelude::*;
use gw_ir::expr::Expr;
use gw_ir::meta::IntersectionKind;

use super::Refusal;
use super::inputs::GraphArray;
use super::memory::{Place, Reason};
use super::translate::Translator;
use crate::intersect::Method;
use crate::tuning::SHORT_LISTS;

impl Translator<'_, '_> {
    /// Number of common out-neighbours of `u` and `v` not above `v`.
    pub(crate) fn intersect(
        &mut self,
        graph: &Expr,
        u: Value,
        v: Value,
        kind: Option<IntersectionKind>,
    ) -> Result<Value, Refusal> {
        let ends = [(u, self.vertex_of(graph, u)?), (v, self.vertex_of(graph, v)?)];
        let offsets = self.graph_array(graph, GraphArray::OutOffsets)?;
        let targets = self.graph_array(graph, GraphArray::OutTargets)?;
        let mut operands = vec![self.worker];
        for (vertex, reason) in ends {
            let (begin, end) = self.edge_range(offsets, vertex, reason);
            operands.push(self.address(targets, begin, 4));
            operands.push(self.b.ins().isub(end, begin));
        }
        operands.push(v);
        let method = match kind {
            Some(IntersectionKind::Naive) => Method::Merge,
            Some(IntersectionKind::BinarySearch) => Method::Search,
            Some(IntersectionKind::Hiroshi) => Method::Blocks,
            Some(IntersectionKind::Multiskip) => Method::Skips,
            Some(IntersectionKind::Combined) | None => Method::Combined,
        };
        operands.push(self.b.ins().iconst(types::I32, method as i64));
        // The outermost vertex is the one whose edges are visited.
        let outer = self.vertices.first();
        let marked = if outer == Some(&u) { 1 } else { 2 * i64::from(outer == Some(&v)) };
        operands.push(self.b.ins().iconst(types::I32, marked));
        if method != Method::Combined {
            let call = self.b.ins().call(self.helpers.intersect, &operands);
            let count = self.b.inst_results(call)[0];
            return Ok(self.b.ins().ireduce(types::I32, count));
        }
        // Of short lists a call and its preparations cost more than the merge.
        let [a, a_len, b, b_len, limit] = [operands[1], operands[2], operands[3], operands[4], operands[5]];
        let (short, long, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.append_block_param(done, types::I64);
        let both = self.b.ins().iadd(a_len, b_len);
        let few = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, both, SHORT_LISTS);
        self.b.ins().brif(few, short, &[], long, &[]);
        self.b.switch_to_block(short);
        self.b.seal_block(short);
        let count = self.merge(a, a_len, b, b_len, limit);
        self.b.ins().jump(done, &[count.into()]);
        self.b.switch_to_block(long);
        self.b.seal_block(long);
        let call = self.b.ins().call(self.helpers.intersect, &operands);
        let count = self.b.inst_results(call)[0];
        self.b.ins().jump(done, &[count.into()]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        let count = self.b.block_params(done)[0];
        Ok(self.b.ins().ireduce(types::I32, count))
    }

    /// Number of common entries, not above `limit`, of two ascending lists, by merging. With branches: of lists this
    /// short they are mostly guessed right, and the processor goes on with the next pair meanwhile.
    fn merge(&mut self, a: Value, a_len: Value, b: Value, b_len: Value, limit: Value) -> Value {
        let [head, second, look, unequal, equal, less, greater, out] = std::array::from_fn(|_| self.b.create_block());
        for _ in 0..3 {
            self.b.append_block_param(head, types::I64);
        }
        self.b.append_block_param(out, types::I64);
        let a_size = self.b.ins().ishl_imm_s(a_len, 2);
        let b_size = self.b.ins().ishl_imm_s(b_len, 2);
        let (a_end, b_end) = (self.b.ins().iadd(a, a_size), self.b.ins().iadd(b, b_size));
        let zero = self.b.ins().iconst(types::I64, 0);
        self.b.ins().jump(head, &[a.into(), b.into(), zero.into()]);
        self.b.switch_to_block(head);
        let [at_a, at_b, count] = [0, 1, 2].map(|i| self.b.block_params(head)[i]);
        let goes_on = |t: &mut Self, condition: Value, on: Block| {
            t.b.ins().brif(condition, on, &[], out, &[count.into()]);
            t.b.switch_to_block(on);
            t.b.seal_block(on);
        };
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, at_a, a_end);
        goes_on(self, more, second);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, at_b, b_end);
        goes_on(self, more, look);
        let x = self.load_constant(types::I32, &Place::new(at_a, Reason::InList), 0);
        let y = self.load_constant(types::I32, &Place::new(at_b, Reason::InList), 0);
        let (next_a, next_b) = (self.b.ins().iadd_imm_s(at_a, 4), self.b.ins().iadd_imm_s(at_b, 4));
        let same = self.b.ins().icmp(IntCC::Equal, x, y);
        self.b.ins().brif(same, equal, &[], unequal, &[]);
        self.b.switch_to_block(unequal);
        self.b.seal_block(unequal);
        let first = self.b.ins().icmp(IntCC::UnsignedLessThan, x, y);
        self.b.ins().brif(first, less, &[], greater, &[]);
        // Once the greater of the two is above the limit, nothing in common can follow below it.
        for (block, greatest, next) in
            [(less, y, [next_a, at_b, count]), (greater, x, [at_a, next_b, count]), (equal, x, [next_a, next_b, count])]
        {
            self.b.switch_to_block(block);
            self.b.seal_block(block);
            let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, greatest, limit);
            let [at_a, at_b, mut counted] = next;
            if block == equal {
                counted = self.b.ins().iadd_imm_s(counted, 1);
            }
            self.b.ins().brif(inside, head, &[at_a.into(), at_b.into(), counted.into()], out, &[count.into()]);
        }
        self.b.seal_block(head);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        self.b.block_params(out)[0]
    }
}
