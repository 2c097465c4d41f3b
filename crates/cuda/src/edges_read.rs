//! The edges that a step record tells of an operator, where they follow from the operator and its input.

use gw_ir::meta::Direction;
use gw_ir::operator::{EdgeSetIterator, VertexFilter};
use gw_schedule::LoadBalance;

/// Whose edges an edge operator reads, whatever its functions find in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Those of the whole graph.
    All,
    /// The out-edges of its input set.
    OfInput,
    /// It depends on functions: a filter, or a reason to stop early.
    Unknown,
}

/// Whose edges an operator reads.
pub(crate) fn reads(op: &EdgeSetIterator) -> Reads {
    let simple = op.meta.schedule.as_ref().and_then(|schedule| schedule.as_simple());
    if simple.and_then(|schedule| schedule.load_balance) == Some(LoadBalance::EdgeOnly) {
        return Reads::All;
    }
    match (op.meta.direction, &op.from, &op.to) {
        // Pulling stops early only where a function filters destinations.
        (Some(Direction::Pull), _, VertexFilter::All) => Reads::All,
        (Some(Direction::Pull), _, _) => Reads::Unknown,
        (_, VertexFilter::All, _) => Reads::All,
        (_, VertexFilter::Set(_), _) => Reads::OfInput,
        (_, VertexFilter::Function(_), _) => Reads::Unknown,
    }
}
