//! From GraphIR to tasks.
//!
//! | file | concept |
//! |---|---|
//! | `build` | a task program in the making: functions, objects, parameters |
//! | `body` | the functions of the program as task code |
//! | `tasks` | operators as trees of tasks |
//! | `loops` | loops over frontiers and priority queues, without barriers |

pub mod body;
pub mod build;
pub mod loops;
pub mod tasks;
