//! Why a run is this fast, what limits it, and which schedule would help: the operational model.
//!
//! | module | contents |
//! |---|---|
//! | `machine` | the operator machine: servers derived from GraphIR and schedule |
//! | `tracer`, `layout` | a traced run as memory accesses of servers, with addresses |
//! | `sink` | what becomes of accesses: caches of a processor, warps and sectors of a GPU |
//! | `counts` | what was counted in a step |
//! | `predict` | from counts and the sheet of a machine to seconds and the bottleneck |
//! | `subject`, `modelled`, `measured` | a program with its arguments; its run modelled and measured, step by step |
//! | `judged`, `energy` | criteria of GPU kernels as bars; joules of a run |
//! | `suggest` | schedules that the model expects to help, each measured |
//! | `report`, `text`, `page` | the answer for people: terminal and HTML page |
//! | `pairing` | which modelled steps were measured as one |
//! | `study` | model against measurement over many cells: measuring, tracing, fitting, tables |
//! | `typical` | sheets for machines that nobody measured |
//!
//! The crate `model` learns from measurements and runs nothing; this crate runs programs to explain them, hence a room
//! of its own. It trains nothing: the few constants beyond the sheet stand in `predict`.

pub mod counts;
mod energy;
mod error;
mod judged;
mod layout;
pub mod machine;
mod measured;
mod modelled;
pub mod page;
mod pairing;
pub mod predict;
mod report;
pub mod sink;
mod statistics;
mod study;
mod subject;
mod suggest;
pub mod text;
mod tracer;
mod typical;

pub use energy::RunEnergy;
pub use error::{ExplainError, Result};
pub use judged::Judged;
pub use measured::{MeasuredRun, MeasuredStep, Repeat, measure};
pub use modelled::{ModelOptions, ModelledRun, ModelledStep, model};
pub use report::{Explanation, Options, StepReport, explain};
pub use statistics::{pearson, spearman};
pub use study::{
    Cell, Cells, Fitted, StudyCell, StudyRow, StudyStep, TracedRound, TracedStep, counted_for, fit, measure_cell,
    program_of, random_schedules, row, study_cells, study_tables, trace_cell,
};
pub use subject::Subject;
pub use suggest::{Suggested, Suggestion, suggest};
pub use typical::typical;
