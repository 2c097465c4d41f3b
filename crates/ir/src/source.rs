//! Names and source positions shared by all nodes.

use std::sync::Arc;

/// A human-readable name: cheap to clone, compared by text.
///
/// Names are the only identity in GraphIR. Inside one function every local, parameter and capture has its own name and
/// none of them equals the name of a global, so a name alone always says what is meant.
pub type Name = Arc<str>;

/// Where a node came from in the `.gt` source: a byte range and its first line (1-based; 0 means "made by a pass").
///
/// Spans never take part in equality: two modules that differ only in layout of their source are the same module.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// 1-based line of the first byte, 0 when unknown.
    pub line: u32,
}

impl Span {
    /// The span of nodes invented by passes.
    pub const NONE: Span = Span { start: 0, end: 0, line: 0 };
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}
