//! Single entries of the list of a vertex: the neighbour at a position, and the weight of the edge to it.

use cranelift::prelude::*;
use gw_ir::expr::Expr;
use gw_ir::types::Scalar;

use super::Refusal;
use super::inputs::{GraphArray, REAL_WEIGHTS, WIDE_WEIGHTS};
use super::memory::Reason;
use super::translate::{CountedList, Translator, clif_type};

impl Translator<'_, '_> {
    /// `getOutNgh(graph, vertex, position)`.
    pub(super) fn out_neighbour(&mut self, graph: &Expr, vertex: &Expr, position: &Expr) -> Result<Value, Refusal> {
        let (at, reason) = self.out_entry(graph, vertex, position)?;
        let targets = self.graph_array(graph, GraphArray::OutTargets)?;
        let at = self.place_at(targets, at, 4, reason);
        let neighbour = self.load_constant(types::I32, &at, 0);
        self.note_vertex_of(graph, neighbour)?;
        Ok(neighbour)
    }

    /// `getOutWeight(graph, vertex, position)`.
    pub(super) fn out_weight(&mut self, graph: &Expr, vertex: &Expr, position: &Expr) -> Result<Value, Refusal> {
        let (at, reason) = self.out_entry(graph, vertex, position)?;
        self.weight_of(graph, at, reason)
    }

    /// The weight of the edge at a position, of the type that the graph declares.
    pub(super) fn weight_of(&mut self, graph: &Expr, edge: Value, reason: Reason) -> Result<Value, Refusal> {
        let declared = graph.ty.weight().ok_or_else(|| self.refuse("the graph has no weights"))?;
        let weights = self.graph_array(graph, GraphArray::OutWeights)?;
        // What may be stored where this type is declared: see `gw_exec::fit_weights`.
        let stored: &[(Scalar, u64)] = match declared {
            Scalar::Float | Scalar::Double => &[
                (Scalar::Int, 0),
                (Scalar::Float, REAL_WEIGHTS),
                (Scalar::Double, REAL_WEIGHTS + WIDE_WEIGHTS),
                (Scalar::Int64, WIDE_WEIGHTS),
            ],
            Scalar::Int64 | Scalar::Uint64 => &[(Scalar::Int, 0), (Scalar::Int64, WIDE_WEIGHTS)],
            _ => &[(Scalar::Int, 0)],
        };
        let Some((&(last, _), others)) = stored.split_last() else {
            return Err(self.refuse("weights of this type are not stored"));
        };
        if others.is_empty() {
            return Ok(self.stored_weight(weights, edge, last, declared, reason));
        }
        let found = self.graph_array(graph, GraphArray::OutWeightKind)?;
        let done = self.b.create_block();
        self.b.append_block_param(done, clif_type(declared));
        for &(stored, kind) in others {
            let (here, next) = (self.b.create_block(), self.b.create_block());
            let is_kind = self.b.ins().icmp_imm_u(IntCC::Equal, found, kind as i64);
            self.b.ins().brif(is_kind, here, &[], next, &[]);
            self.b.seal_block(here);
            self.b.seal_block(next);
            self.b.switch_to_block(here);
            let weight = self.stored_weight(weights, edge, stored, declared, reason);
            self.b.ins().jump(done, &[weight.into()]);
            self.b.switch_to_block(next);
        }
        let weight = self.stored_weight(weights, edge, last, declared, reason);
        self.b.ins().jump(done, &[weight.into()]);
        self.b.seal_block(done);
        self.b.switch_to_block(done);
        Ok(self.b.block_params(done)[0])
    }

    /// The weight at a position of weights stored as one type, as a value of another.
    fn stored_weight(&mut self, weights: Value, edge: Value, stored: Scalar, wanted: Scalar, reason: Reason) -> Value {
        let ty = clif_type(stored);
        let at = self.place_at(weights, edge, ty.bytes(), reason);
        let weight = self.load_constant(ty, &at, 0);
        self.convert(weight, stored, wanted)
    }

    /// The position of an edge among all, and why it is one.
    fn out_entry(&mut self, graph: &Expr, vertex: &Expr, position: &Expr) -> Result<(Value, Reason), Refusal> {
        let offsets = self.graph_array(graph, GraphArray::OutOffsets)?;
        let vertex = self.value(vertex)?;
        let reason = self.vertex_of(graph, vertex)?;
        let in_list = self.is_position(graph, vertex, position);
        let position = self.value(position)?;
        let (begin, end) = self.edge_range(offsets, vertex, reason);
        let wide = self.b.ins().sextend(types::I64, position);
        let reason = if in_list {
            Reason::InList
        } else {
            let degree = self.b.ins().isub(end, begin);
            self.position(wide, degree)
        };
        Ok((self.b.ins().iadd(begin, wide), reason))
    }

    /// Whether an expression is a position in the list of a vertex: the variable of a loop over this list.
    fn is_position(&self, graph: &Expr, vertex: Value, position: &Expr) -> bool {
        let (Some(graph), Some(position)) = (graph.as_var(), position.as_var()) else { return false };
        self.counted.contains(&CountedList { position: position.clone(), graph: graph.clone(), vertex })
    }
}
