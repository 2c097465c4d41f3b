//! Neighbour lists that change, in device memory: blocks of powers of two after Hornet, batches of changes applied on
//! the device.
//!
//! | file | concept |
//! |---|---|
//! | `lists` | the lists: made from a graph, changed by batches, read back |
//! | `pool` | the memory of the blocks and of the stacks of free ones |
//! | `batch` | the changes of a batch, and the memory in which it is sorted and applied |
//! | `check` | whether all of it fits together, for tests |
//! | `state` | what the device says of a pool after a batch |
//! | `versions` | which version of a graph stands on the device, and the way to the next |
//! | `units` | the kernels, over `device/radix.cuh`, `device/blocks.cuh` and `device/batch*.cuh` |
//!
//! The memory manager is the device's: after the sort it knows how many blocks of every size a batch wants, takes free
//! ones from the stacks and the others from slots never used, and only where these do not suffice asks the host for a
//! larger pool. A batch is two launches and one wait of the host, which reads 0.6 kB.

mod batch;
mod check;
mod lists;
mod pool;
mod state;
mod units;
mod versions;

pub use batch::EdgeChanges;
pub use lists::{AppliedChanges, DeviceLists, Occupancy};
pub(crate) use units::units;
pub(crate) use versions::{Versions, is_wide};
