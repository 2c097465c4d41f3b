//! Model against measurement over many cells: the tables that say how far the model can be trusted.
//!
//! Three stages, so that a device is held only while it measures, and constants are fitted without tracing again:
//! [`measure_cell`] on the machine in question, [`trace_cell`] anywhere, and from traced cells [`row`] and
//! [`study_tables`], or [`fit`]. The same file of [`StudyCell`]s goes through all of them.

mod cell;
mod cells;
mod fit;
mod row;
mod table;

pub use cell::{Cell, StudyCell, TracedRound, TracedStep, counted_for, measure_cell, random_schedules, trace_cell};
pub use cells::{Cells, program_of, study_cells};
pub use fit::{Fitted, fit};
pub use row::{StudyRow, StudyStep, row};
pub use table::study_tables;
