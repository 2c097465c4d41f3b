//! Schedules: what is wanted, what was tuned and learned, and the way from a module to an executable.
//!
//! | file | concept |
//! |---|---|
//! | `wanted` | the schedule that a person, a suite or a search wants; settles it for a machine |
//! | `settled` | a module with its schedule, taken through the passes to the machine |
//! | `explain` | a settled schedule in words |
//! | `preset` | schedules with names, as tables of rules |
//! | `tuned` | the cache of schedules that `gw tune` found |

mod explain;
mod preset;
mod settled;
mod tuned;
mod wanted;

pub(crate) use explain::in_words;
pub use gw_exec::{Choice, Reason, Shortfall};
pub use gw_learned::adviser::Adviser;
pub use gw_schedule::ProgramSchedule;
pub use preset::{Preset, presets};
pub use settled::{Compiled, Decision, Settled};
pub use tuned::{Aim, ScheduleCache, TunedSchedule, Tuning, TuningKey, graph_signature, text_hash};
pub use wanted::{ADAPTIVE, AUTO, Origin, RULE, ReadSchedule, Wanted};
