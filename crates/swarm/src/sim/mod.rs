//! The simulator of a machine of ordered speculative tasks (Swarm).
//!
//! Deterministic and driven by events: a total order of (cycle, number) decides everything, there are no threads, no
//! clock of the host and no hashing order. It knows nothing of graphs: it runs task code ([`code`]) on a memory of
//! objects ([`memory`]).
//!
//! | file | concept |
//! |---|---|
//! | `config` | parameters and the published configurations |
//! | `code`, `listing`, `memory` | what tasks do, as text, and on what |
//! | `task`, `machine`, `engine` | tasks, the machine between runs and in one |
//! | `events`, `sorted` | what comes next: by cycles, and in queues |
//! | `tile`, `send` | the queues of a tile, and children on their way to them |
//! | `run` | executing task code on a core |
//! | `abort`, `commit`, `spill` | the other ways of a task out of a queue |
//! | `conflict` | who has touched which line |
//! | `hints` | from spatial hints to tiles |
//! | `cache`, `hierarchy`, `noc` | latencies of memory and network |
//! | `stats` | what is counted |

mod abort;
pub mod cache;
pub mod code;
mod commit;
pub mod config;
pub mod conflict;
mod engine;
mod events;
pub mod hierarchy;
mod hints;
mod listing;
mod machine;
pub mod memory;
pub mod noc;
mod run;
mod send;
mod sorted;
mod spill;
pub mod stats;
mod task;
mod tile;

pub use machine::{Job, Machine, Outcome, SimError};
pub use task::VirtualTime;
