//! Common neighbours: the call that counts them, and fetching the lists of the next edges while it works.

use cranelift::prelude::*;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::meta::IntersectionKind;
use gw_ir::module::Module;
use gw_ir::operator::EdgeSetIterator;
use gw_ir::walk;

use super::edge::EdgeShape;
use super::inputs::GraphArray;
use super::translate::Translator;
use super::{Body, Refusal, functions_of};
use crate::abi::slot;
use crate::intersect::Method;

/// Edges between asking for the beginning of a list and using it; where it begins is asked for twice as early.
const AHEAD: i64 = 8;

/// The graph whose lists the function of an operator meets edge by edge, if it is the graph of the operator.
pub(super) fn met_lists(module: &Module, op: &EdgeSetIterator, shape: EdgeShape) -> Option<Expr> {
    let mut graph = None;
    for name in functions_of(module, Body::Edges(op, shape)) {
        let body = module.function(&name).and_then(|f| f.body.as_deref()).unwrap_or_default();
        walk::walk_block_exprs(body, &mut |e| {
            if let ExprKind::IntersectNeighbor { args, meta } = &e.kind
                && matches!(meta.kind, None | Some(IntersectionKind::Combined))
                && args.first().is_some_and(|g| g.as_var().is_some() && g.as_var() == op.graph.as_var())
            {
                graph = args.first().cloned();
            }
        });
    }
    graph
}

impl Translator<'_, '_> {
    /// Asks for the lists that the edges behind `edge` will meet. They lie anywhere in memory.
    pub(crate) fn fetch_lists(&mut self, edge: Value) -> Result<(), Refusal> {
        let Some(graph) = self.met_lists.clone() else { return Ok(()) };
        let offsets = self.graph_array(&graph, GraphArray::OutOffsets)?;
        let targets = self.graph_array(&graph, GraphArray::OutTargets)?;
        let last = self.slot(slot::LAST_EDGE, types::I64);
        let mut operands = vec![offsets, targets];
        for distance in [AHEAD, 2 * AHEAD] {
            let ahead = self.b.ins().iadd_imm_s(edge, distance);
            let ahead = self.b.ins().umin(ahead, last);
            operands.push(self.neighbour(ahead));
        }
        let wide = self.b.ins().iconst(types::I32, i64::from(self.target.wide_offsets));
        operands.push(wide);
        self.b.ins().call(self.helpers.fetch_lists, &operands);
        Ok(())
    }

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
