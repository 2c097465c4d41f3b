//! The one way to run: a job becomes a plan (arguments checked, graph seen), the plan meets a machine, and a run leaves
//! an outcome. The command line, streams, the tuner, Python and Rust programs all go this way.
//!
//! | file | concept |
//! |---|---|
//! | `job` | a program with everything that a run needs |
//! | `argument`, `ready` | arguments by place and name; the graph as the program needs it |
//! | `planned` | a job whose arguments are checked and whose graph is known, before there is a machine |
//! | `attempt` | a compiled program, run as often as wanted; the CPU takes over from a chosen machine without memory |
//! | `outcome`, `parts` | typed results, and where the time went |
//! | `note` | what a run has to say beside its results |
//! | `incremental`, `carried` | a result kept up to date while the graph changes |

mod argument;
mod attempt;
mod carried;
mod incremental;
mod job;
mod note;
mod outcome;
mod parts;
mod planned;
mod ready;

pub use argument::{Argument, OwnArgument, OwnArgumentKind};
pub use attempt::Prepared;
pub use incremental::{Changes, How, Incremental};
pub use job::Job;
pub use note::Note;
pub use outcome::{Entry, Number, Outcome, Times};
pub use parts::Parts;
pub use planned::Planned;
