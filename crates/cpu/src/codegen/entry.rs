//! Entries of the buckets of an ordered loop, and what ordered loops need to know about their functions.

use cranelift::prelude::*;
use gw_ir::expr::{Expr, ExprKind};
use gw_ir::meta::Sharing;
use gw_ir::module::Module;
use gw_ir::operator::EdgeSetIterator;
use gw_ir::source::Name;
use gw_ir::stmt::StmtKind;
use gw_ir::types::{Domain, Scalar, Type as IrType};
use gw_ir::walk;

use super::edge::{EdgeShape, Range};
use super::memory::Reason;
use super::translate::{Translator, clif_type};
use super::{Body, functions_of};
use crate::abi::slot;

/// The priorities of an ordered loop.
#[derive(Debug, Clone)]
pub(crate) struct Priorities {
    pub(crate) vector: Name,
    pub(crate) scalar: Scalar,
    /// Nothing but priority updates changes them, so that every change files a new entry.
    pub(crate) only_filed: bool,
}

impl Translator<'_, '_> {
    /// The vertex of an entry; goes on with `next` when the entry is stale: there is a better one, or its bucket is
    /// over.
    pub(crate) fn tagged_vertex(&mut self, index: Value, next: Block) -> Value {
        let queue = self.slot(slot::QUEUE, types::I64);
        let at = self.place_at(queue, index, 8, Reason::InRange);
        let vertex = self.load_constant(types::I32, &at, 0);
        let Some(Priorities { vector, scalar, only_filed }) = self.priorities.clone() else { return vertex };
        let ty = IrType::Vector { domain: Domain::Fixed(0), item: Box::new(IrType::Scalar(scalar)) };
        let base = self.vector_input(super::Source::GlobalVector(vector), &ty);
        let wide = self.b.ins().uextend(types::I64, vertex);
        let ty = clif_type(scalar);
        let place = self.place_at(base, wide, ty.bytes(), Reason::Filed);
        let priority = self.load(ty, &place);
        let counts = if only_filed {
            let filed = self.load_constant(types::I32, &at, 4);
            let half = if ty == types::I64 { self.b.ins().ireduce(types::I32, priority) } else { priority };
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

/// The priorities that the function of an ordered operator updates.
pub(super) fn priorities(module: &Module, op: &EdgeSetIterator, shape: EdgeShape) -> Option<Priorities> {
    if shape.range != Range::Tagged {
        return None;
    }
    let (vector, scalar) = super::ordered_queue(module, op)?;
    let mut only_filed = true;
    // A captured vector may be any global by another name.
    let other = |root: &Name| *root != vector && module.global(root).is_some();
    writes(module, Body::Edges(op, shape), &mut |target, _| only_filed &= target.place_root().is_some_and(other));
    Some(Priorities { vector, scalar, only_filed })
}

/// Whether several workers may run the edges of one vertex at the same time, though the schedule did not ask for it:
/// everything the functions write is written for all to see.
pub(crate) fn may_split(module: &Module, op: &EdgeSetIterator, shape: EdgeShape) -> bool {
    let mut shared = true;
    writes(module, Body::Edges(op, shape), &mut |target, atomic| {
        let local = matches!(&target.kind, ExprKind::Element { access: Some(a), .. } if a.sharing == Sharing::Local);
        shared &= atomic && !local;
    });
    shared
}

/// Calls `note(target, atomic)` for everything in memory that the functions of an operator write, priority updates
/// excepted.
fn writes(module: &Module, body: Body<'_>, note: &mut dyn FnMut(&Expr, bool)) {
    for name in functions_of(module, body) {
        let Some(function) = module.function(&name) else { continue };
        let block = function.body.as_deref().unwrap_or_default();
        let own = |target: &Expr| target.as_var().is_some_and(|n| module.global(n).is_none());
        walk::walk_stmts(block, &mut |stmt| {
            if let StmtKind::Assign { target, .. } = &stmt.kind
                && !own(target)
            {
                note(target, false);
            }
        });
        walk::walk_block_exprs(block, &mut |e| {
            if let ExprKind::Reduce { target, meta, .. } | ExprKind::CompareAndSwap { target, meta, .. } = &e.kind
                && !own(target)
            {
                note(target, meta.atomic);
            }
        });
    }
}
