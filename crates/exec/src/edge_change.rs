//! What machines are told of a graph that has changed.

/// An edge that one version of a graph has otherwise than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeChange {
    /// Where it begins.
    pub source: u32,
    /// Where it leads to.
    pub target: u32,
    /// The bits of its weight in the later version, 0 without weights; `None`: there is no such edge.
    pub weight: Option<u64>,
}
