//! What an operator does, worked out once for all machines and passes.
//!
//! [`FunctionFacts`] hold for any set of functions that run together; [`EdgeFacts`] add what is known about an edge
//! operator. Both are plain values: a machine computes them when it compiles an operator and then only looks things up.
//!
//! | question | file |
//! |---|---|
//! | which variables and vectors are read and written | `touched`, `vectors` |
//! | may a visited edge change the answer of the `to` function (early exit) | `touched` |
//! | which global scalars can be accumulated in registers | `scalars` |
//! | which cell of a global vector of fixed length can | `cells` |
//! | which vector entries can be kept in registers while the edges of a vertex are visited | `entries` |
//! | which entries of the source can be read before its edges are visited | `handed` |
//! | can a filter fault | `faults` |
//! | which vertices does the function enqueue | `enqueues` |
//! | which edges does the function skip by comparing the vertex numbers | `order` |
//!
//! Who owns a vector entry while workers run in parallel is the subject of [`ownership`](super::ownership).

mod cells;
mod enqueues;
mod entries;
mod faults;
mod handed;
mod order;
mod scalars;
mod touched;
mod vectors;
mod writes;

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{closure, draws};
use super::priority::{priority_vector, updated_queue};
use crate::expr::FunctionRef;
use crate::meta::Direction;
use crate::module::Module;
use crate::operator::{EdgeSetIterator, VertexFilter};
use crate::source::Name;
use crate::types::{Scalar, Type};

pub use cells::CellReduction;
pub use enqueues::{Enqueued, Enqueues};
pub use entries::{EntryReduction, OwnedEntry};
pub use faults::filter_may_fault;
pub use handed::handed_entries;
pub use order::EdgeOrder;
pub use scalars::{ScalarReduction, written_scalars};
pub use touched::Touched;
pub use vectors::{Places, VectorUse};
pub use writes::{Write, assigns, each_write};

/// One end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Where the edge begins.
    Source,
    /// Where the edge ends.
    Destination,
}

impl End {
    /// The end whose adjacency list is walked under a direction: the vertex that owns the list.
    pub fn walked(direction: Direction) -> End {
        match direction {
            Direction::Push | Direction::DensePush => End::Source,
            Direction::Pull => End::Destination,
        }
    }

    /// The position of this end among the parameters of an edge function.
    pub fn parameter(self) -> usize {
        match self {
            End::Source => 0,
            End::Destination => 1,
        }
    }
}

/// Something known for each end of an edge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ByEnd<T> {
    /// With the source as the owner of the list.
    pub source: T,
    /// With the destination as the owner of the list.
    pub destination: T,
}

impl<T> ByEnd<T> {
    fn of(mut fact: impl FnMut(End) -> T) -> ByEnd<T> {
        ByEnd { source: fact(End::Source), destination: fact(End::Destination) }
    }

    /// What is known with this end as the owner of the list.
    pub fn at(&self, end: End) -> &T {
        match end {
            End::Source => &self.source,
            End::Destination => &self.destination,
        }
    }
}

/// Facts about functions that run together in one operator or loop body.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionFacts {
    /// The functions and everything they call.
    pub functions: BTreeSet<Name>,
    /// Global scalars that are assigned or reduced into.
    pub written_scalars: BTreeSet<Name>,
    /// Global scalars that can be accumulated apart and added at the end, by name.
    pub scalar_reductions: Vec<ScalarReduction>,
    /// The cell of a vector of fixed length that can be accumulated apart and combined at the end.
    pub cell_reduction: Option<CellReduction>,
}

impl FunctionFacts {
    /// The facts about these functions and everything they call.
    pub fn of(module: &Module, roots: impl IntoIterator<Item = Name>) -> FunctionFacts {
        let functions = closure(module, roots);
        FunctionFacts {
            written_scalars: written_scalars(module, &functions),
            scalar_reductions: scalars::reductions(module, &functions),
            cell_reduction: cells::reduction(module, &functions),
            functions,
        }
    }
}

/// Facts about an edge operator.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeFacts {
    /// Facts about the applied function, the filters and everything they call.
    pub functions: FunctionFacts,
    /// The type of the weight that the applied function takes; `None` when it takes none.
    pub weight: Option<Scalar>,
    /// Whether a filter may fault, so that it matters for which vertices filters are called.
    pub filters_may_fault: FilterFaults,
    /// Whether a visited edge may change what the `to` function answers for its destination. A pull then asks the
    /// function again after every visited edge and leaves the rest of the list when the answer is no.
    pub early_exit: bool,
    /// Whether the applied function or something it calls draws random neighbours.
    pub draws: bool,
    /// Whether the applied function or something it calls intersects lists of neighbours: work that grows with the
    /// lists of both ends of an edge.
    pub intersects: bool,
    /// What the applied function enqueues.
    pub enqueues: Enqueues,
    /// The edges that the applied function does something for.
    pub order: EdgeOrder,
    /// The vectors that outlive a call of the applied function, and the entries it touches in them.
    pub vectors: BTreeMap<Name, VectorUse>,
    /// Whether the applied function writes at most single entries of its destination, and global scalars.
    pub writes_destination_only: bool,
    /// Whether the applied function or something it calls may write an entry of its destination, or enqueue it. Where
    /// it does not, a pull owns nothing that it writes.
    pub changes_destination: bool,
    /// Reductions into entries of the list's owner that can be gathered first and stored once per list.
    pub entry_reductions: ByEnd<Vec<EntryReduction>>,
    /// Vectors whose entry of the list's owner can be kept in a register while the list is visited.
    pub owned_entries: ByEnd<Vec<OwnedEntry>>,
    /// Whether every write to memory is atomic, so that several workers may share the edges of one vertex even though
    /// the schedule did not ask for that. Priority updates are left out.
    pub writes_atomically: bool,
    /// The priorities that the functions update.
    pub priorities: Option<Priorities>,
}

/// Whether filters of an operator may fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterFaults {
    /// In code for calls whose vectors are long enough for every vertex.
    pub usual: bool,
    /// In careful code, which takes no index to be in range and checks every access.
    pub careful: bool,
}

impl FilterFaults {
    fn of(module: &Module, op: &EdgeSetIterator) -> FilterFaults {
        let any = |careful| filter_functions(op).into_iter().any(|f| filter_may_fault(module, &f.name, careful));
        FilterFaults { usual: any(false), careful: any(true) }
    }

    /// Whether filters may fault in code of one kind.
    pub fn in_code(self, careful: bool) -> bool {
        if careful { self.careful } else { self.usual }
    }
}

/// The priorities of the one queue that an operator updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priorities {
    /// The vector that holds them.
    pub vector: Name,
    /// Their type.
    pub scalar: Scalar,
    /// Nothing but priority updates writes them.
    pub only_updated: bool,
}

impl EdgeFacts {
    /// The facts about an edge operator of a module.
    pub fn of(module: &Module, op: &EdgeSetIterator) -> EdgeFacts {
        let roots = filter_functions(op).into_iter().chain([&op.apply]).map(|f| f.name.clone());
        let functions = FunctionFacts::of(module, roots);
        let writes = writes::memory_writes(module, &functions.functions);
        EdgeFacts {
            weight: weight(module, op),
            filters_may_fault: FilterFaults::of(module, op),
            early_exit: touched::early_exit(module, op),
            draws: draws(module, &op.apply.name),
            intersects: intersects(module, &op.apply),
            enqueues: Enqueues::of(module, &op.apply),
            order: EdgeOrder::of(module, &op.apply),
            vectors: vectors::uses(module, &op.apply),
            writes_destination_only: vectors::writes_destination_only(module, &op.apply),
            changes_destination: vectors::changes_destination(module, &op.apply),
            entry_reductions: ByEnd::of(|end| entries::reductions(module, op, end)),
            owned_entries: ByEnd::of(|end| entries::owned(module, op, end)),
            writes_atomically: writes.iter().all(|write| write.atomic && !write.is_local()),
            priorities: priorities(module, &functions.functions, &writes),
            functions,
        }
    }
}

/// The filters of an edge operator that are functions, `from` first.
pub fn filter_functions(op: &EdgeSetIterator) -> Vec<&FunctionRef> {
    [&op.from, &op.to]
        .into_iter()
        .filter_map(|filter| match filter {
            VertexFilter::Function(function) => Some(function),
            VertexFilter::All | VertexFilter::Set(_) => None,
        })
        .collect()
}

/// The type of the weight that the function of an edge operator takes.
pub fn weight(module: &Module, op: &EdgeSetIterator) -> Option<Scalar> {
    if !op.meta.is_weighted {
        return None;
    }
    module.function(&op.apply.name)?.params.get(2)?.ty.scalar()
}

fn intersects(module: &Module, apply: &FunctionRef) -> bool {
    let mut found = false;
    for function in closure(module, [apply.name.clone()]).iter().filter_map(|name| module.function(name)) {
        crate::walk::walk_stmts(writes::body(function), &mut |stmt| found |= crate::points::intersects(stmt));
    }
    found
}

/// The priorities of the one queue that functions update; `None` when they update none, several or an unknown one.
fn priorities(module: &Module, functions: &BTreeSet<Name>, writes: &[Write<'_>]) -> Option<Priorities> {
    let queue = updated_queue(module, functions)?;
    let vector = priority_vector(module, &queue)?;
    let scalar = match &module.global(&vector)?.ty {
        Type::Vector { item, .. } => item.scalar()?,
        _ => return None,
    };
    // A captured vector may be any global under another name.
    let elsewhere = |root: &Name| *root != vector && module.global(root).is_some();
    let only_updated = writes.iter().all(|write| write.target.place_root().is_some_and(elsewhere));
    Some(Priorities { vector, scalar, only_updated })
}
