//! Kernels of vertex operators and filters.

use cranelift::prelude::*;
use gw_ir::builtin::Builtin;
use gw_ir::expr::{Expr, ExprKind, FunctionRef};
use gw_ir::source::Name;
use gw_ir::walk;

use super::Refusal;
use super::edge::Range;
use super::inputs::{GraphArray, Role};
use super::translate::Translator;
use crate::tuning::LISTS_AHEAD;

impl Translator<'_, '_> {
    /// Applies a function to the vertices of a range; with `keep`, vertices for which it is true go to the output.
    pub(crate) fn vertex_kernel(
        &mut self,
        function: &FunctionRef,
        range: Range,
        keep: bool,
        begin: Value,
        end: Value,
    ) -> Result<(), Refusal> {
        self.takes_all = range == Range::Ids;
        let looked_at = if range == Range::Ids { self.looks_at_neighbours(function)? } else { None };
        let body = |t: &mut Self, index: Value, next: Block| {
            let vertex = t.range_vertex(range, index, next);
            t.with_vertex(vertex, |t| {
                let result = t.apply(function, Role::Apply, &[vertex])?;
                if keep {
                    let kept = result.ok_or_else(|| t.refuse("a filter without result"))?;
                    t.when(kept, |t| t.enqueue(vertex));
                }
                Ok(())
            })
        };
        match looked_at {
            None => self.for_range(begin, end, body),
            Some(looked_at) => self.for_listed(looked_at, begin, end, body),
        }
    }

    /// A loop over `begin..end` in blocks; where a block begins, the lists of the next one are asked for. The call that
    /// asks stays out of the loop over a block, which can keep its sums in registers then.
    fn for_listed(
        &mut self,
        [offsets, targets, last]: [Value; 3],
        begin: Value,
        end: Value,
        body: impl FnOnce(&mut Self, Value, Block) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let length = self.b.ins().isub(end, begin);
        let blocks = self.b.ins().iadd_imm_s(length, LISTS_AHEAD - 1);
        let blocks = self.b.ins().ushr_imm_s(blocks, i64::from(LISTS_AHEAD.trailing_zeros()));
        let zero = self.b.ins().iconst(types::I64, 0);
        self.for_range(zero, blocks, |t, block, _| {
            let offset = t.b.ins().imul_imm_s(block, LISTS_AHEAD);
            let first = t.b.ins().iadd(begin, offset);
            let following = t.b.ins().iadd_imm_s(first, LISTS_AHEAD);
            let exists = t.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, following, last);
            t.when(exists, |t| {
                // A bit for every vertex of the block, none behind the last one.
                let more = t.b.ins().isub(last, following);
                let most = t.b.ins().iconst(types::I64, LISTS_AHEAD - 1);
                let more = t.b.ins().umin(more, most);
                let two = t.b.ins().iconst(types::I64, 2);
                let mask = t.b.ins().ishl(two, more);
                let mask = t.b.ins().iadd_imm_s(mask, -1);
                t.fetch_block(offsets, targets, following, mask);
            });
            let behind = t.b.ins().umin(following, end);
            t.for_range(first, behind, body)
        })
    }

    /// Applies a function to the numbers of a range.
    pub(crate) fn iteration_kernel(&mut self, function: &Name, begin: Value, end: Value) -> Result<(), Refusal> {
        let function = FunctionRef { name: function.clone(), captures: Vec::new() };
        self.for_range(begin, end, |t, index, _| {
            let number = t.b.ins().ireduce(types::I32, index);
            t.apply(&function, Role::Apply, &[number])?;
            Ok(())
        })
    }

    /// Offsets, targets and last vertex of the graph of whose lists a function looks at single entries of its vertex.
    /// Where it walks along the lists, the processor finds the next one by itself.
    fn looks_at_neighbours(&mut self, function: &FunctionRef) -> Result<Option<[Value; 3]>, Refusal> {
        let Some(callee) = self.module.function(&function.name) else { return Ok(None) };
        let Some(param) = callee.params.first() else { return Ok(None) };
        let mut graph = None;
        walk::walk_block_exprs(callee.body.as_deref().unwrap_or_default(), &mut |e| {
            if let ExprKind::Builtin(Builtin::OutNeighbor, args) = &e.kind
                && let [of, vertex, Expr { kind: ExprKind::Int(_), .. }] = args.as_slice()
                && vertex.as_var() == Some(&param.name)
            {
                graph = Some(of);
            }
        });
        let Some(graph) = graph else { return Ok(None) };
        let offsets = self.graph_array(graph, GraphArray::OutOffsets)?;
        let targets = self.graph_array(graph, GraphArray::OutTargets)?;
        let count = self.graph_array(graph, GraphArray::VertexCount)?;
        let count = self.b.ins().uextend(types::I64, count);
        // Of a graph without vertices, the one offset that there is.
        let one = self.b.ins().iconst(types::I64, 1);
        let count = self.b.ins().umax(count, one);
        let last = self.b.ins().iadd_imm_s(count, -1);
        Ok(Some([offsets, targets, last]))
    }
}
