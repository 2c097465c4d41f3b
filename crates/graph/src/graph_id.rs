//! The identity of a graph and of its arrays.

use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of a graph in this process and the version of its contents.
///
/// Two graphs with the same id hold the same edges: an identity is never given twice, and a graph that changes gets the
/// next version. An address can do neither: memory of a graph that is gone is used again.
///
/// ```
/// use gw_graph::GraphId;
/// let first = GraphId::fresh();
/// assert_ne!(first, GraphId::fresh());
/// assert_eq!(first.changed().version(), first.version() + 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GraphId {
    identity: u64,
    version: u64,
}

impl GraphId {
    /// An id that no graph of this process has had; its version is 0.
    pub fn fresh() -> GraphId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        GraphId { identity: NEXT.fetch_add(1, Ordering::Relaxed), version: 0 }
    }

    /// The id of the same graph after a change.
    #[must_use]
    pub fn changed(self) -> GraphId {
        GraphId { version: self.version + 1, ..self }
    }

    /// The number of changes so far.
    pub fn version(self) -> u64 {
        self.version
    }
}

impl std::fmt::Display for GraphId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.version {
            0 => write!(f, "{}", self.identity),
            version => write!(f, "{}.{version}", self.identity),
        }
    }
}

/// The identity of one adjacency in this process; never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AdjacencyId(u64);

impl AdjacencyId {
    pub(crate) fn fresh() -> AdjacencyId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        AdjacencyId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
