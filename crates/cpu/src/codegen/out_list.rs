//! Single entries of the list of a vertex: the neighbour at a position, and the weight of the edge to it.

use cranelift::codegen::ir::MemFlagsData;
use cranelift::prelude::*;
use gw_ir::expr::Expr;
use gw_ir::types::Scalar;

use super::Refusal;
use super::inputs::GraphArray;
use super::memory::{Place, Reason};
use super::translate::{CountedList, Translator};

impl Translator<'_, '_> {
    /// `getOutNgh(graph, vertex, position)`.
    pub(super) fn out_neighbour(&mut self, graph: &Expr, vertex: &Expr, position: &Expr) -> Result<Value, Refusal> {
        let at = self.out_entry(graph, GraphArray::OutTargets, vertex, position)?;
        let neighbour = self.load_constant(types::I32, &at, 0);
        self.note_vertex_of(graph, neighbour)?;
        Ok(neighbour)
    }

    /// `getOutWeight(graph, vertex, position)`.
    pub(super) fn out_weight(&mut self, graph: &Expr, vertex: &Expr, position: &Expr) -> Result<Value, Refusal> {
        let at = self.out_entry(graph, GraphArray::OutWeights, vertex, position)?;
        self.weight_of(graph, &at)
    }

    /// The weight at a place, of the type that the graph declares.
    pub(super) fn weight_of(&mut self, graph: &Expr, at: &Place) -> Result<Value, Refusal> {
        let declared = graph.ty.weight().ok_or_else(|| self.refuse("the graph has no weights"))?;
        let bits = self.load_constant(types::I32, at, 0);
        if !declared.is_float() {
            return Ok(self.convert(bits, Scalar::Int, declared));
        }
        // Where reals are wanted, whole numbers may be stored.
        let real = self.b.ins().bitcast(types::F32, MemFlagsData::new(), bits);
        let real = self.convert(real, Scalar::Float, declared);
        let whole = self.convert(bits, Scalar::Int, declared);
        let are_real = self.graph_array(graph, GraphArray::OutWeightsAreReal)?;
        let are_real = self.b.ins().icmp_imm_s(IntCC::NotEqual, are_real, 0);
        Ok(self.b.ins().select(are_real, real, whole))
    }

    /// The place of an entry of 32 bits of an array parallel to the lists.
    fn out_entry(&mut self, graph: &Expr, array: GraphArray, vertex: &Expr, position: &Expr) -> Result<Place, Refusal> {
        let offsets = self.graph_array(graph, GraphArray::OutOffsets)?;
        let array = self.graph_array(graph, array)?;
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
        let at = self.b.ins().iadd(begin, wide);
        Ok(self.place_at(array, at, 4, reason))
    }

    /// Whether an expression is a position in the list of a vertex: the variable of a loop over this list.
    fn is_position(&self, graph: &Expr, vertex: Value, position: &Expr) -> bool {
        let (Some(graph), Some(position)) = (graph.as_var(), position.as_var()) else { return false };
        self.counted.contains(&CountedList { position: position.clone(), graph: graph.clone(), vertex })
    }
}
