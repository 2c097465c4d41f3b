//! Faults of kernels: from the words that a kernel leaves to an error with its place in the program.

use std::collections::HashMap;

use gw_exec::{ErrorKind, ExecError};
use gw_ir::module::Module;
use gw_ir::source::{Name, Span};
use gw_ir::walk;

use crate::codegen::region::vector_names;

/// Bytes of the fault that kernels write.
pub(crate) const FAULT_BYTES: usize = 40;

/// Where in a fault the host says that the run shall end.
pub(crate) const STOP_AT: usize = 28;

/// The vectors and the statements of a program that faults name by numbers.
pub(crate) struct Faults {
    /// Vectors, by their numbers less one.
    names: Vec<Name>,
    /// The first statement of every line.
    statements: HashMap<u32, Span>,
}

impl Faults {
    pub(crate) fn of(module: &Module) -> Faults {
        Faults { names: vector_names(module), statements: statements(module) }
    }

    /// The error of a fault, `None` where the kernel left none. `span` is its place where the kernel names no line.
    pub(crate) fn error(&self, fault: &[u8], span: Span) -> Option<ExecError> {
        let word = |at: usize| word_at(fault, at);
        let (code, line) = (word(0) as u32, (word(0) >> 32) as u32);
        if code == 0 {
            return None;
        }
        let (index, length) = (word(8) as i64, word(16) as i64);
        let vector = (word(24) as u32 as usize).checked_sub(1).and_then(|at| self.names.get(at));
        let vertex = u32::try_from(index).unwrap_or(0);
        let kind = match code {
            1 => ErrorKind::IndexOutOfRange {
                index,
                len: length.max(0) as usize,
                vector: vector.map_or_else(|| "the vector".to_string(), ToString::to_string),
            },
            2 => ErrorKind::DivisionByZero,
            3 => ErrorKind::PriorityOverflow,
            4 => ErrorKind::OutOfMemory {
                what: format!(
                    "a set of more than {length} entries; `dedup=on` with `dedup-by=counters-fused`, or \
                     `create=unfused-bitmap`, keeps repeats out"
                ),
            },
            5 => ErrorKind::NegativePriority { vertex: vertex.into(), priority: length as f64 },
            6 => ErrorKind::EmptyList,
            7 => ErrorKind::VertexOutOfRange { vertex: index, vertices: length.max(0) as usize },
            8 => ErrorKind::IndexOutOfRange { index, len: length.max(0) as usize, vector: "neighbours".into() },
            9 => ErrorKind::NoNeighbours { vertex: vertex.into(), side: "out" },
            10 => ErrorKind::NoNeighbours { vertex: vertex.into(), side: "in" },
            11 => ErrorKind::SetSize { size: index, vertices: length.max(0) as usize },
            _ => ErrorKind::Machine(format!("unknown fault {code}")),
        };
        let place = self.statements.get(&line).copied().unwrap_or(Span { line, ..Span::NONE });
        Some(ExecError::from(kind).at(if line > 0 { place } else { span }))
    }
}

/// The word at a byte; 0 beyond the end.
pub(crate) fn word_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
}

/// The first statement of every line.
fn statements(module: &Module) -> HashMap<u32, Span> {
    let mut spans = HashMap::new();
    let blocks = module.functions.iter().filter_map(|f| f.body.as_deref()).chain([module.startup.as_slice()]);
    for block in blocks {
        walk::walk_stmts(block, &mut |stmt| {
            spans.entry(stmt.span.line).or_insert(stmt.span);
        });
    }
    spans
}
