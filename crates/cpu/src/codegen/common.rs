//! Common neighbours.

use cranelift::prelude::*;
use gw_ir::expr::Expr;
use gw_ir::meta::IntersectionKind;

use super::Refusal;
use super::inputs::GraphArray;
use super::translate::Translator;
use crate::intersect::Method;

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
        let call = self.b.ins().call(self.helpers.intersect, &operands);
        let count = self.b.inst_results(call)[0];
        Ok(self.b.ins().ireduce(types::I32, count))
    }
}
