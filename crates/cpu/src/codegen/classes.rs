//! Edges by their classes: what a kernel makes of the bits of a marked neighbour (`gw_graph::derived::Marked`).
//!
//! The only edge to its destination is the only writer of an entry there, so that it updates the entry without atomics.
//! A destination without out-edges stays out of the output where the schedule says so, unless the worker has found
//! nothing else yet: the output is then empty only where nothing was found.

use std::collections::BTreeSet;
use std::mem::offset_of;

use cranelift::prelude::*;
use gw_graph::derived::Marked;
use gw_ir::analysis::classes::{destination_vectors, idle_loops};
use gw_ir::expr::{Expr, ExprKind, ReduceOp};
use gw_ir::source::Name;
use gw_ir::types::Scalar;

use super::inputs::GraphArray;
use super::memory::{Place, Reason};
use super::translate::{Binding, OutputForm, Translator};
use super::{EdgeOperator, EdgeShape, Refusal};
use crate::abi::Worker;

/// What a kernel knows of the classes of its edges.
#[derive(Default)]
pub(crate) struct Classes {
    /// Vectors that only the edges to a vertex write at that vertex.
    alone: BTreeSet<Name>,
    /// The edge at hand: its destination, and that with the bits of its class.
    edge: Option<(Value, Value)>,
    /// Self-loops are passed over.
    pub(super) skips_loops: bool,
    /// Where the lists of out-edges begin, where vertices without them stay out of the output.
    leaves: Option<Value>,
}

impl Translator<'_, '_> {
    /// Notes what the shape of an edge kernel says about classes.
    pub(super) fn begin_classes(&mut self, op: EdgeOperator<'_>, shape: EdgeShape) -> Result<(), Refusal> {
        if shape.marked && op.meta.visits_once {
            self.classes.alone = destination_vectors(self.module, op.node);
        }
        self.classes.skips_loops = shape.skips_loops && idle_loops(self.module, op.node);
        if shape.drops_leaves {
            self.classes.leaves = Some(self.graph_array(&op.graph, GraphArray::OutOffsets)?);
        }
        Ok(())
    }

    /// The neighbour at a position of a marked list. Its class is known until the next one.
    pub(super) fn marked_neighbour(&mut self, edge: Value) -> Value {
        let mark = self.neighbour(edge);
        let vertex = self.b.ins().band_imm_s(mark, i64::from(Marked::VERTEX));
        self.classes.edge = Some((vertex, mark));
        vertex
    }

    /// The marked destination of the edge at hand, if a reduction there may find itself alone.
    pub(super) fn alone_at(&self, target: &Expr) -> Option<Value> {
        let (destination, mark) = self.classes.edge?;
        let ExprKind::Element { vector, index, .. } = &target.kind else { return None };
        let vector = vector.as_var().filter(|name| !self.names.contains_key(*name))?;
        let index = self.names.get(index.as_var()?)?;
        let at_destination = matches!(index, Binding::Vertex(vertex) if *vertex == destination);
        (at_destination && self.classes.alone.contains(vector)).then_some(mark)
    }

    /// A reduction that is atomic unless its edge is the only one to the destination.
    pub(super) fn reduce_by_class(
        &mut self,
        op: ReduceOp,
        place: &Place,
        scalar: Scalar,
        value: Value,
        mark: Value,
    ) -> Value {
        let [alone, shared, done] = std::array::from_fn(|_| self.b.create_block());
        self.b.append_block_param(done, types::I8);
        if op != ReduceOp::Sum {
            // Most edges change nothing: their classes are not asked for.
            let better = self.is_better(op, place, scalar, value);
            let wanted = self.b.create_block();
            let no = self.b.ins().iconst(types::I8, 0);
            self.b.ins().brif(better, wanted, &[], done, &[no.into()]);
            self.b.switch_to_block(wanted);
            self.b.seal_block(wanted);
        }
        let is_alone = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, mark, 0);
        self.b.ins().brif(is_alone, alone, &[], shared, &[]);
        for (block, atomic) in [(alone, false), (shared, true)] {
            self.b.switch_to_block(block);
            self.b.seal_block(block);
            let changed = match (op, atomic) {
                (ReduceOp::Min | ReduceOp::Max, false) => {
                    self.store(value, place);
                    self.b.ins().iconst(types::I8, 1)
                }
                _ => self.reduce_at(op, place, scalar, value, atomic),
            };
            self.b.ins().jump(done, &[changed.into()]);
        }
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        self.b.block_params(done)[0]
    }

    /// Jumps past the output to a block, the result, where the vertex has no out-edges and this worker has found
    /// another vertex before; `None` where all vertices enter.
    pub(super) fn drop_leaf(&mut self, vertex: Value, reason: Reason) -> Option<Block> {
        let offsets = self.classes.leaves?;
        let found = match self.target.output {
            OutputForm::Queue { .. } => offset_of!(Worker, out_len),
            OutputForm::Bitmap | OutputForm::Bytemap => offset_of!(Worker, marked),
            OutputForm::None | OutputForm::Buckets | OutputForm::Counts => return None,
        };
        let [leaf, enter, dropped] = std::array::from_fn(|_| self.b.create_block());
        let is_leaf = match self.classes.edge {
            Some((destination, mark)) if destination == vertex => {
                self.b.ins().band_imm_s(mark, i64::from(Marked::LEAF))
            }
            _ => {
                let (begin, end) = self.edge_range(offsets, vertex, reason);
                self.b.ins().icmp(IntCC::Equal, begin, end)
            }
        };
        self.b.ins().brif(is_leaf, leaf, &[], enter, &[]);
        self.b.switch_to_block(leaf);
        self.b.seal_block(leaf);
        let worker = self.worker_fields();
        let found = self.load_at(types::I64, &worker, found as i32);
        self.b.ins().brif(found, dropped, &[], enter, &[]);
        self.b.switch_to_block(enter);
        self.b.seal_block(enter);
        Some(dropped)
    }
}
