//! From GraphIR to tasks.
//!
//! | file | concept |
//! |---|---|
//! | `build` | a task program in the making: functions, objects, parameters |
//! | `body`, `expr`, `place`, `priority` | the functions of the program as task code |
//! | `style` | what a schedule says about tasks |
//! | `edge` | an edge operator inside a task, and tasks of edges |
//! | `tree` | operators as trees of tasks |
//! | `loops`, `frontier`, `queue` | loops over frontiers and priority queues, without barriers |

pub mod body;
pub mod build;
pub mod edge;
mod expr;
mod frontier;
pub mod loops;
mod place;
mod priority;
mod queue;
pub mod style;
pub mod tree;

pub use frontier::ROUNDS;
pub use queue::offer;
