//! The second part of the contract: keeping values away from the host.
//!
//! A machine with memory of its own keeps the truth about a vector there and marks the vector as watched
//! ([`Vector::set_watched`]). The executor announces every access of the host to a watched vector.
//! `tests/all/remote.rs`
//! runs programs on a machine whose host copies hold rubbish, so that an access that is not announced shows.

use std::sync::Arc;

use gw_graph::{AdjacencyId, Graph};
use gw_ir::types::Scalar;

use crate::edge_change::EdgeChange;
use crate::error::Result;
use crate::value::Value;
use crate::vector::Vector;

/// What the executor asks of a machine that keeps vectors elsewhere. A machine that works on the host's cells
/// implements none of it.
pub trait RemoteMemory {
    /// Whether vectors that the program makes are watched from the start, before the machine has met them, and left
    /// unfilled on the host ([`Vector::untouched`]). Vectors whose entries the host computes itself (spanning trees,
    /// arguments of export functions) are not: the machine meets them with their first operator.
    fn watches_new_vectors(&self) -> bool {
        false
    }

    /// The host is about to read one cell of a watched vector. `Some` is its value, and the host's cells stay as they
    /// are; `None` leaves it to [`RemoteMemory::host_will_read`]. Cells are counted in the vector given, which may be a
    /// row: [`Vector::storage_cell`] gives the place in the storage.
    fn host_element(&mut self, _vector: &Vector, _cell: usize) -> Option<Result<Value>> {
        None
    }

    /// The host is about to write one cell of a watched vector, with a value of its type. `Some(Ok(()))` says that the
    /// machine has stored it, and the host's cells stay as they are; `None` leaves it to
    /// [`RemoteMemory::host_will_write`]. Cells are counted as in [`RemoteMemory::host_element`].
    fn set_host_element(&mut self, _vector: &Vector, _cell: usize, _value: Value) -> Option<Result<()>> {
        None
    }

    /// The host is about to read entries of a watched vector.
    fn host_will_read(&mut self, _vector: &Vector) -> Result<()> {
        Ok(())
    }

    /// The host is about to write entries of a watched vector, and may read them as well.
    fn host_will_write(&mut self, _vector: &Vector) -> Result<()> {
        Ok(())
    }
    /// Sum, largest, smallest or count of non-zero entries of a vector, if the machine has a better way than a loop on
    /// the host.
    fn reduce(&mut self, _reduction: Reduction, _vector: &Vector) -> Option<Result<Value>> {
        None
    }

    /// The graph between labels ([`Graph::contract`]), if the machine can make it where its vectors are. `None` where
    /// it cannot, which includes labels that are wrong: the host then makes the graph or tells what is wrong.
    fn contract(&mut self, _graph: &Arc<Graph>, _labels: &Vector, _weighed: bool) -> Option<Result<Arc<Graph>>> {
        None
    }

    /// The position of every entry of a vector when it is sorted, the largest first, equal ones in order, as a new
    /// vector, if the machine has a better way than the host.
    fn ranks(&mut self, _vector: &Vector) -> Option<Result<Vector>> {
        None
    }

    /// The program has changed a graph: as [`GraphVm::follow`](crate::GraphVm::follow), in the middle of a run.
    fn follow(
        &mut self,
        _before: AdjacencyId,
        _after: &Arc<Graph>,
        _changes: &mut dyn Iterator<Item = EdgeChange>,
    ) -> Result<bool> {
        Ok(false)
    }

    /// The out-degrees of a graph as a new vector of this scalar, if the machine has a better way than a loop on the
    /// host. The machine itself marks the vector as watched when it keeps the truth.
    fn out_degrees(&mut self, _graph: &Arc<Graph>, _scalar: Scalar) -> Option<Result<Vector>> {
        None
    }
}

/// Reductions over whole vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Sum of all entries: whole numbers as [`Value::Uint64`] in two's complement, others added up in double
    /// precision as [`Value::Double`]. The host narrows it to what the program wants.
    Sum,
    /// Largest entry; NaN only when all are.
    Max,
    /// Smallest entry; NaN only when all are.
    Min,
    /// Number of entries different from zero, an `int`.
    Count,
}
