//! The one place where generated code touches memory.
//!
//! Every load, store and atomic instruction of a kernel is emitted here and needs a [`Reason`] why it cannot miss its
//! memory. [`Translator::entry`] and [`Translator::vertex_of`] make the reasons of program accesses: they emit the
//! check of the index, or, where the index is a vertex of the operator, write down a [`Limit`] that the runtime
//! compares with the number of these vertices once per call ([`holds`]). A call for which the comparison fails runs a
//! careful kernel ([`Target::careful`](super::Target)), which checks every access. In debug builds
//! [`validate`](super::validate) walks the finished code of every kernel and looks whether all of this is so.

use std::collections::{HashMap, HashSet};

use cranelift::codegen::cursor::{Cursor, FuncCursor};
use cranelift::codegen::ir::{AtomicRmwOp, Inst, MemFlagsData};
use cranelift::prelude::*;
use gw_ir::expr::Expr;
use gw_ir::source::Span;

use super::Refusal;
use super::inputs::{GraphArray, Source};
use super::translate::Translator;
use crate::abi::{Fault, slot};

/// Why an access cannot miss its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The index was compared with the length, and the access lies behind the branch to this block.
    Checked {
        /// What was compared.
        index: Value,
        /// Where the comparison leads when it is fine.
        good: Block,
    },
    /// The index is a vertex of the operator, of which there are no more than the limit: compared before the call.
    Assumed {
        /// The vertex.
        vertex: Value,
        /// The length of what it is an index of.
        limit: Limit,
    },
    /// The index is a vertex of the operator, and the memory (a map, offsets, counts) was made for all of them.
    PerVertex(Value),
    /// The index lies in the range that the kernel was called for, and so in the queue or list of owners behind it.
    InRange,
    /// The vertex of an entry of a bucket: it was filed when its priority was changed, so it has one.
    Filed,
    /// A position of an edge between the beginning and the end of its list.
    InList,
    /// The environment has this slot.
    Environment,
    /// A field of the worker.
    Worker,
    /// The output queue of the worker, which has room for one more entry.
    Output,
    /// A global scalar or the stop flag: one cell of its own.
    Cell,
    /// A slot of the worker's table of groups, whose number was shifted or masked below their number, or a number of a
    /// slot that was noted.
    Table,
    /// A buffer of the kernel itself, with room for a batch.
    Buffer,
}

/// A length that must not be below the number of vertices of the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Limit {
    /// The number in a slot of the environment.
    Slot(usize),
    /// A number known from a type.
    Fixed(u64),
    /// The number in a slot, the vertices of a graph, must not be above the number of vertices of the operator.
    AtMost(usize),
}

/// Whether a call over so many vertices may run a kernel with these limits.
pub(crate) fn holds(limits: &[Limit], words: &[u64]) -> bool {
    let vertices = words[slot::VERTICES];
    limits.iter().all(|limit| match *limit {
        Limit::Slot(slot) => vertices <= words[slot],
        Limit::Fixed(length) => vertices <= length,
        Limit::AtMost(slot) => words[slot] <= vertices,
    })
}

/// The length of a vector.
#[derive(Debug, Clone)]
pub(crate) enum Length {
    /// Known when the kernel is called.
    Input(Source),
    /// Known from the type.
    Fixed(u32),
}

/// An address and why it may be accessed.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(super) address: Value,
    pub(super) reasons: Vec<Reason>,
}

impl Place {
    /// An address with one reason.
    pub(super) fn new(address: Value, reason: Reason) -> Place {
        Place { address, reasons: vec![reason] }
    }
}

/// What a kernel knows of its accesses.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The reasons of every access; kept in debug builds, where they are validated.
    pub(super) reasons: HashMap<Inst, Vec<Reason>>,
    /// All values that were vertices of the operator at some place.
    pub(super) vertices: HashSet<Value>,
    pub(super) limits: Vec<Limit>,
}

/// Memory that generated code may always access: cells of vectors, arrays of graphs, workers.
fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Trusted memory that does not change while a kernel runs.
fn constant() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly()
}

impl Translator<'_, '_> {
    /// Runs `body` knowing that a value is a vertex of the operator.
    pub(crate) fn with_vertex<R>(&mut self, vertex: Value, body: impl FnOnce(&mut Self) -> R) -> R {
        let known = self.vertices.len();
        self.vertices.push(vertex);
        self.memory.vertices.insert(vertex);
        let result = body(self);
        self.vertices.truncate(known);
        result
    }

    /// Why `wide`, the 64-bit form of `index`, is below a length: checked here, or compared before the call.
    pub(crate) fn entry(&mut self, index: Value, wide: Value, length: &Length, name: &str, fault: Fault) -> Reason {
        if self.is_assumed(index) {
            let limit = match length {
                Length::Input(source) => Limit::Slot(self.inputs.slot(source.clone())),
                Length::Fixed(n) => Limit::Fixed(u64::from(*n)),
            };
            return self.assume(index, limit);
        }
        let length = match length {
            Length::Input(source) => self.input(source.clone(), types::I64),
            Length::Fixed(n) => self.b.ins().iconst(types::I64, i64::from(*n)),
        };
        let fine = self.b.ins().icmp(IntCC::UnsignedLessThan, wide, length);
        // Shown as the reference machine shows it.
        let narrow = match self.b.func.dfg.value_type(index) {
            types::I32 => index,
            _ => self.b.ins().ireduce(types::I32, index),
        };
        let shown = self.b.ins().sextend(types::I64, narrow);
        let good = self.check(fine, fault, Some(shown), Some(length), name);
        Reason::Checked { index: wide, good }
    }

    /// Why a vertex is one of a graph's: checked here, or compared before the call.
    pub(crate) fn vertex_of(&mut self, graph: &Expr, vertex: Value) -> Result<Reason, Refusal> {
        if self.is_assumed(vertex) {
            let source = self.graph_source(graph, GraphArray::VertexCount)?;
            let limit = Limit::Slot(self.inputs.slot(source));
            return Ok(self.assume(vertex, limit));
        }
        let count = self.graph_array(graph, GraphArray::VertexCount)?;
        let fine = self.b.ins().icmp(IntCC::UnsignedLessThan, vertex, count);
        let shown = self.b.ins().sextend(types::I64, vertex);
        let limit = self.b.ins().uextend(types::I64, count);
        let good = self.check(fine, Fault::Vertex, Some(shown), Some(limit), "");
        Ok(Reason::Checked { index: vertex, good })
    }

    /// Notes that a value is a vertex of a graph, which has no more vertices than the operator: compared before the
    /// call. Only in kernels over all vertices, where that is likely.
    pub(crate) fn note_vertex_of(&mut self, graph: &Expr, vertex: Value) -> Result<(), Refusal> {
        if self.target.careful || !self.takes_all {
            return Ok(());
        }
        let source = self.graph_source(graph, GraphArray::VertexCount)?;
        let limit = Limit::AtMost(self.inputs.slot(source));
        if !self.memory.limits.contains(&limit) {
            self.memory.limits.push(limit);
        }
        self.vertices.push(vertex);
        self.memory.vertices.insert(vertex);
        Ok(())
    }

    /// Why a vertex is one of the operator's, so that maps hold it: known, or checked here.
    pub(crate) fn operator_vertex(&mut self, vertex: Value) -> Reason {
        if self.vertices.contains(&vertex) {
            return Reason::PerVertex(vertex);
        }
        let count = self.slot(slot::VERTICES, types::I64);
        let wide = self.b.ins().uextend(types::I64, vertex);
        let fine = self.b.ins().icmp(IntCC::UnsignedLessThan, wide, count);
        let shown = self.b.ins().sextend(types::I64, vertex);
        // The place of the fault is the operator, whose set cannot hold the vertex.
        let span = std::mem::replace(&mut self.span, Span::NONE);
        let good = self.check(fine, Fault::Vertex, Some(shown), Some(count), "");
        self.span = span;
        Reason::Checked { index: wide, good }
    }

    /// Why a position is below the number of neighbours of a vertex: checked here.
    pub(crate) fn position(&mut self, position: Value, degree: Value) -> Reason {
        let fine = self.b.ins().icmp(IntCC::UnsignedLessThan, position, degree);
        let good = self.check(fine, Fault::Index, Some(position), Some(degree), "neighbours");
        Reason::Checked { index: position, good }
    }

    /// The same for a position that was drawn, which is out of range only where the vertex has no neighbours.
    pub(crate) fn pick(&mut self, pick: Value, degree: Value, vertex: Value, fault: Fault) -> Reason {
        let fine = self.b.ins().icmp(IntCC::UnsignedLessThan, pick, degree);
        let shown = self.b.ins().uextend(types::I64, vertex);
        let good = self.check(fine, fault, Some(shown), None, "");
        Reason::Checked { index: pick, good }
    }

    fn is_assumed(&self, index: Value) -> bool {
        !self.target.careful && self.vertices.contains(&index)
    }

    fn assume(&mut self, vertex: Value, limit: Limit) -> Reason {
        if !self.memory.limits.contains(&limit) {
            self.memory.limits.push(limit);
        }
        Reason::Assumed { vertex, limit }
    }

    fn record(&mut self, inst: Inst, reasons: &[Reason]) {
        if cfg!(debug_assertions) {
            self.memory.reasons.insert(inst, reasons.to_vec());
        }
    }

    /// Records the instruction that made a value, and returns the value.
    pub(super) fn recorded(&mut self, value: Value, reasons: &[Reason]) -> Value {
        if let Some(inst) = self.b.func.dfg.value_def(value).inst() {
            self.record(inst, reasons);
        }
        value
    }

    /// Loads a cell that may change.
    pub(crate) fn load(&mut self, ty: types::Type, place: &Place) -> Value {
        self.load_at(ty, place, 0)
    }

    /// Loads what lies `offset` bytes behind a place and may change.
    pub(crate) fn load_at(&mut self, ty: types::Type, place: &Place, offset: i32) -> Value {
        let value = self.b.ins().load(ty, trusted(), place.address, offset);
        self.recorded(value, &place.reasons)
    }

    /// Loads what lies `offset` bytes behind a place and does not change while the kernel runs.
    pub(crate) fn load_constant(&mut self, ty: types::Type, place: &Place, offset: i32) -> Value {
        let value = self.b.ins().load(ty, constant(), place.address, offset);
        self.recorded(value, &place.reasons)
    }

    /// Loads 32 bits that do not change, as 64.
    pub(crate) fn load_constant_u32(&mut self, place: &Place, offset: i32) -> Value {
        let value = self.b.ins().uload32(constant(), place.address, offset);
        self.recorded(value, &place.reasons)
    }

    /// Loads a byte as 32 bits.
    pub(crate) fn load_byte(&mut self, place: &Place) -> Value {
        let value = self.b.ins().uload8(types::I32, trusted(), place.address, 0);
        self.recorded(value, &place.reasons)
    }

    /// Stores a value.
    pub(crate) fn store(&mut self, value: Value, place: &Place) {
        self.store_at(value, place, 0);
    }

    /// Stores a value `offset` bytes behind a place.
    pub(crate) fn store_at(&mut self, value: Value, place: &Place, offset: i32) {
        let inst = self.b.ins().store(trusted(), value, place.address, offset);
        self.record(inst, &place.reasons);
    }

    /// Changes a cell atomically; the result is what it held.
    pub(crate) fn atomic(&mut self, op: AtomicRmwOp, ty: types::Type, place: &Place, value: Value) -> Value {
        let old = self.b.ins().atomic_rmw(ty, trusted(), op, place.address, value);
        self.recorded(old, &place.reasons)
    }

    /// Replaces `expected` by `new`, atomically; the result is what the cell held.
    pub(crate) fn swap(&mut self, place: &Place, expected: Value, new: Value) -> Value {
        let old = self.b.ins().atomic_cas(trusted(), place.address, expected, new);
        self.recorded(old, &place.reasons)
    }

    /// Loads a slot of the environment, at the entry of the kernel.
    pub(super) fn load_slot(&mut self, slot: usize, ty: types::Type) -> Value {
        let mut cursor = FuncCursor::new(self.b.func).at_last_inst(self.entry);
        let value = cursor.ins().load(ty, constant(), self.env, 8 * slot as i32);
        self.recorded(value, &[Reason::Environment])
    }

    /// The worker's fields.
    pub(crate) fn worker_fields(&self) -> Place {
        Place::new(self.worker, Reason::Worker)
    }

    /// Entry `index` of an array of so many bytes per entry.
    pub(crate) fn place_at(&mut self, base: Value, index: Value, bytes: u32, reason: Reason) -> Place {
        Place::new(self.address(base, index, bytes), reason)
    }
}
