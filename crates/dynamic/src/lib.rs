//! Graphs that change: edges come and go in batches, readers keep the version they took.
//!
//! The structure follows Hornet (Busato et al., 2018): every neighbour list stands sorted in a block of a power of two
//! slots, blocks that become free are used again, and a batch is applied list by list. A list that outgrows its block
//! moves to a larger one; nothing else moves.
//!
//! | module | contents |
//! |---|---|
//! | `region` | memory that one writer fills while readers look at other parts |
//! | `pool` | blocks in a region: sizes, free lists |
//! | `batch`, `order` | changes of edges, and their order by list |
//! | `lists`, `merge` | the neighbour lists of one direction, and what a batch does to them |
//! | `graph` | the graph: both directions, versions, growth |
//! | `difference` | what several batches changed together |
//! | `snapshot` | a version that stays as it was |
//! | `log`, `ids`, `store` | batches, ids of vertices and checkpoints on disk, recovery |
//! | `stored` | a store as a graph, for who only reads it |
//! | `updates` | changes as lines of text and as tables |
//!
//! ```
//! use gw_dynamic::{Batch, DynamicGraph, Ends};
//! let mut graph = DynamicGraph::<()>::new(4, Ends::Directed)?;
//! let mut batch = Batch::new();
//! batch.insert(0, 1, ()).insert(0, 2, ()).insert(3, 0, ());
//! assert_eq!(graph.apply(&batch)?.inserted, 3);
//! let before = graph.snapshot();
//! graph.apply(Batch::new().delete(0, 1))?;
//! assert_eq!(graph.snapshot().neighbours(0), &[2]);
//! assert_eq!(before.neighbours(0), &[1, 2]);
//! # Ok::<(), gw_dynamic::DynamicError>(())
//! ```

mod batch;
mod difference;
mod error;
mod graph;
mod ids;
mod lists;
mod log;
mod merge;
mod order;
mod pool;
mod region;
mod snapshot;
mod store;
mod stored;
mod updates;
mod weight;

pub use batch::{Batch, Change, OnRepeat};
pub use difference::Difference;
pub use error::{DynamicError, Result};
pub use graph::{Applied, DynamicGraph, Ends, Occupancy};
pub use lists::ChangedEdge;
pub use snapshot::Snapshot;
pub use store::{Recovered, Store};
pub use stored::know_stores;
pub use updates::{Form, Place, Update, Updates, Vertices};
pub use weight::EdgeWeight;
