//! The lab: benchmark suites, the runner that measures them, and the machine they are measured on.
//!
//! A [`Suite`] is a data file that names programs, graphs and schedules. [`Plan`] is a suite after all choices are made
//! and all names are checked; [`run()`] carries it out on a machine and gives a [`Measurement`] per program, graph and
//! schedule, each with its provenance.
//!
//! | file | concept |
//! |---|---|
//! | `suite`, `builtin` | the data file, and those that come with Graphwright |
//! | `select`, `plan` | a person's choices; what will be run |
//! | `source` | a program by name and the schedule it shall run under |
//! | `named` | schedules that people talk about by name |
//! | `adviser` | a model at run time: the machine's choice made adaptive |
//! | `program` | programs of a suite, checked and compiled |
//! | `graphs`, `sources` | what programs load; where they start |
//! | `run` | the order of runs, timing, validation |
//! | `traffic`, `stats`, `record` | edges and bytes, medians and spread, the row of results |
//! | `energy` | joules of a run by a meter of the machine |
//! | `table` | measured steps side by side: what comparisons, models and reports look at |
//! | `switching` | what it costs to go from one implementation to another between two steps |
//! | `compare` | implementations side by side: Total, Avg, Worst against the best choice at every step |
//! | `report` | the HTML page that shows tables and models, and its tables for a terminal |
//! | `sheet` | columns and rows: answers of queries, as text, CSV, Parquet, LaTeX or Markdown |
//! | `db`, `collect` | the lab file; the runner that finds what is missing and measures it |
//! | `check` | the conformance matrix: is a machine right? |
//! | `sequence` | sequences of runs: does one run change the next? |
//! | `clock` | the date; facts about the computer and its memory bandwidth come from `gw-meter` |
//!
//! Nothing here trains a model or knows how one machine works.
//!
//! ```
//! use gw_lab::{Plan, Selection, Suite};
//! let suite = Suite::builtin("smoke").unwrap();
//! let choice = Selection { programs: vec!["bfs".into()], ..Selection::default() };
//! let plan = Plan::new(&suite, &choice).unwrap();
//! assert!(plan.cells().len() > 0);
//! ```

mod builtin;
mod check;
mod clock;
mod collect;
mod compare;
mod db;
mod energy;
mod error;
mod graphs;
mod measure;
mod named;
mod plan;
mod program;
mod record;
mod report;
mod run;
mod select;
mod sequence;
mod sheet;
mod sources;
pub mod stats;
mod suite;
mod switching;
mod table;
mod template;
mod traffic;

pub use builtin::builtin_suites;
pub use check::{Check, CheckListener, CheckReport, CheckedProgram, Failure, Refusal, Tally, check};
pub use clock::utc_now;
pub use collect::{CollectListener, Collected, Collection, Problem, Revalidated, collect, revalidate};
pub use compare::{Baseline, Comparing, Comparison, ComparisonRow, Contender, RowKind};
pub use db::{
    Added, Contributed, Entity, Environment, GraphIndex, Imported, Kind, Lab, Merged, ModelRecord, NewGraph,
    NewImplementation, PlatformRow, TableQuery, TimedGraph, TrialOutcome, TrialRow, TuneCell, VERSION as LAB_VERSION,
    VariantPlan, build_commit, entities, read_implementation,
};
pub use energy::RowEnergy;
pub use error::{LabError, Result};
pub use gw_meter::{Cache, MachineFacts, Peak, measure_peak};
pub use measure::{Measured, OperatorTime, Repeats, measure};
pub use named::{NamedSchedule, named_schedules};
pub use plan::{Cell, CellName, Plan};
pub use record::{Counted, Measurement, Provenance, RowUsage};
pub use report::{ReportData, ReportModel, ReportQuery, WorthALook, render_report, report_tables, worth_a_look};
pub use run::{Listener, Outcome, Settings, run};
pub use select::Selection;
pub use sequence::{
    BadSequence, Change, Drawing, Edge, Ending, Kind as SequenceKind, Played, Sequence, SequenceFailure,
    SequenceReport, SequenceTally, Sequences, Start, Step, Target, Targets, play, run_sequences,
};
pub use sheet::{Field, Sheet, SheetError};
pub use suite::{Entry, GraphEntry, MOST_RUNS, Override, Scalar, Suite};
pub use switching::{SwitchCost, SwitchRow, Switching};
pub use table::{Implementation, StepTable, StepTimes, TableGraph, Variant};
