//! The inputs of a kernel: which values the runtime must put into which slot before a call.

use std::collections::HashMap;

use gw_ir::source::Name;
use gw_ir::types::{Domain, Scalar, Type};

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
    /// Number of entries of a row of a global vector.
    GlobalRow(Name),
    /// Number of entries of a row of a captured vector.
    CapturedRow(Role, usize),
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

impl Role {
    /// The slot of what the random draws of such a function depend on.
    pub(crate) fn draws_slot(self) -> usize {
        match self {
            Role::Apply => slot::DRAWS,
            Role::From => slot::DRAWS + 1,
            Role::To => slot::DRAWS + 2,
        }
    }
}

/// In [`GraphArray::OutWeightKind`]: weights are reals.
pub(crate) const REAL_WEIGHTS: u64 = 1;
/// In [`GraphArray::OutWeightKind`]: weights have 64 bits.
pub(crate) const WIDE_WEIGHTS: u64 = 2;

/// The arrays of a graph that functions may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GraphArray {
    /// Out-offsets.
    OutOffsets,
    /// Out-neighbours.
    OutTargets,
    /// Weights of out-edges.
    OutWeights,
    /// Of the weights of out-edges: [`REAL_WEIGHTS`] where they are reals and [`WIDE_WEIGHTS`] where they have 64 bits,
    /// added up.
    OutWeightKind,
    /// Out-offsets of compressed rows, also where lists are read in pairs: the positions that programs know edges by.
    OutSums,
    /// In-offsets.
    InOffsets,
    /// In-neighbours.
    InTargets,
    /// Number of vertices.
    VertexCount,
    /// Number of edges.
    EdgeCount,
}

/// A direction of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Out-neighbours.
    Out,
    /// In-neighbours.
    In,
}

impl GraphArray {
    /// The direction whose lists the array is about; `None` for mere counts.
    pub(crate) fn side(self) -> Option<Side> {
        match self {
            GraphArray::OutOffsets
            | GraphArray::OutTargets
            | GraphArray::OutWeights
            | GraphArray::OutWeightKind
            | GraphArray::OutSums => Some(Side::Out),
            GraphArray::InOffsets | GraphArray::InTargets => Some(Side::In),
            GraphArray::VertexCount | GraphArray::EdgeCount => None,
        }
    }
}

/// The list of inputs of one kernel, each once.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    slots: HashMap<Source, usize>,
    sources: Vec<Source>,
    shapes: HashMap<Source, Shape>,
}

/// The shape of a vector that a kernel was compiled for. The number of its entries is another input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The type of the cells.
    pub(crate) scalar: Scalar,
    /// Entries per level of nesting below the first; `None` where another input says how many.
    pub(crate) inner: Vec<Option<usize>>,
}

impl Shape {
    /// Whether a vector with so many entries per level below the first has this shape.
    pub(crate) fn is_of(&self, scalar: Scalar, inner: &[usize]) -> bool {
        let same = |(known, given): (&Option<usize>, &usize)| known.is_none_or(|known| known == *given);
        self.scalar == scalar && self.inner.len() == inner.len() && self.inner.iter().zip(inner).all(same)
    }
}

/// An input of a kernel, with the shape of a vector.
pub(crate) type Input = (Source, Option<Shape>);

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

    /// Notes the type of a vector.
    pub(crate) fn expect(&mut self, source: &Source, ty: &Type) {
        let (mut ty, mut inner) = (ty, Vec::new());
        while let Type::Vector { domain, item } = ty {
            inner.push(match domain {
                Domain::Fixed(n) => Some(*n as usize),
                Domain::Element(_) | Domain::Counted(_) => None,
            });
            ty = item;
        }
        if let Some(scalar) = ty.scalar().filter(|_| !inner.is_empty()) {
            inner.remove(0);
            self.shapes.insert(source.clone(), Shape { scalar, inner });
        }
    }

    /// All inputs in slot order, beginning at [`slot::COUNT`].
    pub(crate) fn into_inputs(mut self) -> Vec<Input> {
        self.sources
            .into_iter()
            .map(|source| {
                let shape = self.shapes.remove(&source);
                (source, shape)
            })
            .collect()
    }
}
