//! The inputs of a kernel: which values the runtime must put into which slot before a call.

use std::collections::HashMap;

use gw_ir::source::Name;
use gw_ir::types::Scalar;

use crate::abi::slot;

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// First cell of a global vector.
    GlobalVector(Name),
    /// Number of entries of a global vector.
    GlobalLength(Name),
    /// A global scalar that the kernel only reads.
    GlobalScalar(Name),
    /// The address of a global scalar that the kernel writes.
    GlobalCell(Name),
    /// First cell of a captured vector: function role and number.
    CapturedVector(Role, usize),
    /// Entries of a captured vector.
    CapturedLength(Role, usize),
    /// A captured scalar.
    CapturedScalar(Role, usize),
    /// An array of a global graph.
    Graph(Name, GraphArray),
    /// Number of vertices of an element.
    Vertices(Name),
    /// The bucket of a global queue that is being processed, as a number of this type.
    CurrentBucket(Name, Scalar),
}

/// Which function of an operator a capture belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// The applied function.
    Apply,
    /// The `from` filter.
    From,
    /// The `to` filter.
    To,
}

/// The arrays of a graph that functions may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GraphArray {
    /// Out-offsets.
    OutOffsets,
    /// Out-neighbours.
    OutTargets,
    /// In-offsets.
    InOffsets,
    /// In-neighbours.
    InTargets,
    /// Number of vertices.
    VertexCount,
}

/// The list of inputs of one kernel, each once.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    slots: HashMap<Source, usize>,
    sources: Vec<Source>,
}

impl Inputs {
    /// The slot of an input, new or known.
    pub(crate) fn slot(&mut self, source: Source) -> usize {
        if let Some(&slot) = self.slots.get(&source) {
            return slot;
        }
        let slot = slot::COUNT + self.sources.len();
        self.slots.insert(source.clone(), slot);
        self.sources.push(source);
        slot
    }

    /// All inputs in slot order, beginning at [`slot::COUNT`].
    pub(crate) fn into_sources(self) -> Vec<Source> {
        self.sources
    }
}
