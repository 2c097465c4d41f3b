//! Entries of the buckets of an ordered loop.

use cranelift::prelude::*;
use gw_ir::analysis::operator::Priorities;
use gw_ir::types::{Domain, Type as IrType};

use super::memory::Reason;
use super::translate::{Translator, clif_type};
use crate::abi::slot;

impl Translator<'_, '_> {
    /// The vertex of an entry; goes on with `next` when the entry is stale: there is a better one, or its bucket is
    /// over.
    pub(crate) fn tagged_vertex(&mut self, index: Value, next: Block) -> Value {
        let queue = self.slot(slot::QUEUE, types::I64);
        let at = self.place_at(queue, index, 8, Reason::InRange);
        let vertex = self.load_constant(types::I32, &at, 0);
        let Some(Priorities { vector, scalar, only_updated }) = self.priorities.clone() else { return vertex };
        let ty = IrType::Vector { domain: Domain::Fixed(0), item: Box::new(IrType::Scalar(scalar)) };
        let base = self.vector_input(super::Source::GlobalVector(vector), &ty);
        let wide = self.b.ins().uextend(types::I64, vertex);
        // Bits of reals from 0 on are in the order of the reals.
        let ty = if clif_type(scalar).bytes() == 8 { types::I64 } else { types::I32 };
        let place = self.place_at(base, wide, ty.bytes(), Reason::Filed);
        let priority = self.load(ty, &place);
        // Where nothing but priority updates writes the priorities, every change files a new entry.
        let counts = if only_updated {
            let filed = self.load_constant(types::I32, &at, 4);
            let half = match ty == types::I64 {
                true => {
                    let high = self.b.ins().ushr_imm_s(priority, 32);
                    let mixed = self.b.ins().bxor(priority, high);
                    self.b.ins().ireduce(types::I32, mixed)
                }
                false => priority,
            };
            self.b.ins().icmp(IntCC::Equal, half, filed)
        } else {
            let wide = if ty == types::I64 { priority } else { self.b.ins().uextend(types::I64, priority) };
            let floor = self.slot(slot::FLOOR, types::I64);
            self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, wide, floor)
        };
        self.only_if(counts, next);
        vertex
    }
}
