//! Sinks: what becomes of the memory accesses of an operator on a kind of machine.

pub mod cache;
pub mod cpu;
mod footprint;
pub mod gpu;
mod mapping;

pub use mapping::{Mapping, Small};

use crate::counts::StepCounts;
use crate::machine::{OperatorMachine, Server};

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Reads.
    Read,
    /// Writes, or reads and writes without others.
    Write,
    /// Reads and writes in one step that others see as a whole.
    Atomic,
}

/// Receives the accesses of operators, vertex by vertex and edge by edge.
pub trait Sink: Send {
    /// An operator begins on a graph of `vertices` vertices.
    fn begin(&mut self, machine: &OperatorMachine, vertices: usize);
    /// The next vertex is handed out.
    fn vertex(&mut self);
    /// The edges of the vertex are walked next; there are `degree` of them.
    fn list(&mut self, degree: usize);
    /// The next edge of the vertex.
    fn edge(&mut self);
    /// An access of a server to `bytes` bytes.
    fn access(&mut self, server: Server, address: u64, bytes: u32, kind: Use);
    /// A run of accesses to consecutive entries: `entries` of them in `bytes` bytes.
    fn stream(&mut self, server: Server, address: u64, bytes: u64, entries: u64);
    /// A test whose outcome the processor had to guess.
    fn branch(&mut self, server: Server, taken: bool);
    /// The operator ends: adds what was counted.
    fn end(&mut self, counts: &mut StepCounts);
}
