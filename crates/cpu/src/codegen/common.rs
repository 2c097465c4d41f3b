//! Common neighbours.

use cranelift::prelude::*;
use gw_ir::expr::Expr;
use gw_ir::meta::IntersectionKind;

use super::Refusal;
use super::inputs::GraphArray;
use super::translate::{Translator, constant};
use crate::intersect::Method;

/// Two lists with fewer entries than this together are merged on the spot.
const SHORT: i64 = 32;

impl Translator<'_, '_> {
    /// Number of common out-neighbours of `u` and `v` not above `v`.
    pub(crate) fn intersect(
        &mut self,
        graph: &Expr,
        u: Value,
        v: Value,
        kind: Option<IntersectionKind>,
    ) -> Result<Value, Refusal> {
        self.check_vertex(graph, u)?;
        self.check_vertex(graph, v)?;
        let offsets = self.graph_array(graph, GraphArray::OutOffsets)?;
        let targets = self.graph_array(graph, GraphArray::OutTargets)?;
        let mut operands = vec![self.worker];
        for vertex in [u, v] {
            let (begin, end) = self.edge_range(offsets, vertex);
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
        let few = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, both, SHORT);
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

    /// Number of common entries, not above `limit`, of two ascending lists, by merging without branches on the data.
    fn merge(&mut self, a: Value, a_len: Value, b: Value, b_len: Value, limit: Value) -> Value {
        let (head, look, step, out) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block(), self.b.create_block());
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
        let more_a = self.b.ins().icmp(IntCC::UnsignedLessThan, at_a, a_end);
        let more_b = self.b.ins().icmp(IntCC::UnsignedLessThan, at_b, b_end);
        let more = self.b.ins().band(more_a, more_b);
        self.b.ins().brif(more, look, &[], out, &[count.into()]);
        self.b.switch_to_block(look);
        self.b.seal_block(look);
        let x = self.b.ins().load(types::I32, constant(), at_a, 0);
        let y = self.b.ins().load(types::I32, constant(), at_b, 0);
        let greater = self.b.ins().umax(x, y);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, greater, limit);
        self.b.ins().brif(inside, step, &[], out, &[count.into()]);
        self.b.switch_to_block(step);
        self.b.seal_block(step);
        let flag = |t: &mut Self, code: IntCC| {
            let flag = t.b.ins().icmp(code, x, y);
            t.b.ins().uextend(types::I64, flag)
        };
        let (same, less, more) = (
            flag(self, IntCC::Equal),
            flag(self, IntCC::UnsignedLessThanOrEqual),
            flag(self, IntCC::UnsignedGreaterThanOrEqual),
        );
        let count = self.b.ins().iadd(count, same);
        let at_a = self.address(at_a, less, 4);
        let at_b = self.address(at_b, more, 4);
        self.b.ins().jump(head, &[at_a.into(), at_b.into(), count.into()]);
        self.b.seal_block(head);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        self.b.block_params(out)[0]
    }
}
