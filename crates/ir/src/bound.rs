//! The schedule attached to a node.

use std::sync::Arc;

/// A schedule as bound to one node: its canonical text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BoundSchedule(Arc<str>);

impl BoundSchedule {
    /// From canonical text.
    pub fn from_text(text: &str) -> BoundSchedule {
        BoundSchedule(text.into())
    }

    /// The canonical text.
    pub fn text(&self) -> &str {
        &self.0
    }
}
