//! The tuner: searches the schedule space of a program on a graph and a machine.
//!
//! A search starts from the machine's rule and other schedules that were good elsewhere, ends runs that cannot win,
//! lets a forest learned from its own measurements propose what to try next, and decides by a duel of the best few.
//! What it measures goes into a journal and a lab, what it finds into the cache of schedules that `auto` consults.
//!
//! | concept | item |
//! |---|---|
//! | a whole session: journal, lab and cache around a search | [`Session`] |
//! | all legal schedules of a program | [`ProgramSpace`] |
//! | the search itself, on anything that can run schedules | [`search`], [`Bench`], [`Catalogue`] |
//! | many schedules measured as evidence | [`Survey`] |
//! | what shall be small | [`Objective`] |
//! | the surrogate | [`Forest`] |
//! | which axes mattered | [`explain`] |
//! | a search on measured tables | [`Replay`], [`Table`] |

mod arm;
mod bench;
mod code;
mod error;
mod explain;
mod forest;
mod journal;
mod live;
mod mutate;
mod recorder;
mod replay;
mod search;
mod session;
mod space;
mod starts;
mod survey;

pub use arm::Arm;
pub use bench::{Bench, Catalogue, Objective, Reading, Trial};
pub use code::Setting;
pub use error::{Result, TuneError};
pub use explain::{AxisSeen, ValueSeen, explain};
pub use forest::{Expected, Forest};
pub use journal::{Journal, Known, Subject};
pub use live::{Live, Verdict};
pub use replay::{Entry, Replay, Table, TableCatalogue};
pub use search::{Ended, Event, Found, NoBaseline, Settings, search};
pub use session::{Prepared, Session, Tuned, for_file};
pub use space::ProgramSpace;
pub use starts::{FromLab, starts, starts_from_lab};
pub use survey::{Survey, Surveyed};
