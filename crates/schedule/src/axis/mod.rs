//! The axes of the schedule space, one file per concept.

mod dedup;
mod direction;
mod edges;
mod filter;
mod frontier;
mod group_table;
mod hubs;
mod intersection;
mod load_balance;
mod loops;
mod memory;
mod parallelism;
mod priority;
mod swarm;

pub use dedup::{Claim, Dedup, DedupBy, DedupInput, Visited};
pub use direction::Direction;
pub use edges::{Classes, EdgeForm};
pub use filter::EdgeFilter;
pub use frontier::{Append, FrontierCount, FrontierCreation, FrontierForm, Leaves};
pub use group_table::GroupTable;
pub use hubs::Hubs;
pub use intersection::Intersection;
pub use load_balance::{Lanes, LoadBalance};
pub use loops::LoopForm;
pub use memory::Numa;
pub use parallelism::Parallelism;
pub use priority::PriorityUpdate;
pub use swarm::{SwarmQueue, Toggle};
