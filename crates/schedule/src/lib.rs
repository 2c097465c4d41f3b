//! The schedule space of Graphwright as plain data.
//!
//! An algorithm says *what* is computed; a schedule says *how*. A schedule is a value: it can be
//! written by a person, a search or a trained model, printed, stored and read back. This crate
//! holds the space of such values and nothing that executes them.
//!
//! | concept | type |
//! |---|---|
//! | one value per axis, unset axes left to the machine | [`SimpleSchedule`] |
//! | one, two by a threshold, or many by a chooser | [`Schedule`] = simple, [`Hybrid`], [`Adaptive`] |
//! | one schedule per label of a program, plus transforms | [`ProgramSchedule`] |
//! | a number now or a command-line argument later | [`Param`] |
//! | what the compiler knows of the place of a schedule | [`ProgramPoint`] |
//! | may it be put there, and why not | [`Schedule::legal`], [`Schedule::fit`], [`ProgramSchedule::bind`], [`Reason`] |
//! | can this machine run it, and why not | [`Capabilities::unsupported`] |
//! | a trained chooser: what it looks at, what it answers | [`Tree`], [`Feature`], [`StepSizes`] |
//! | defaults of a machine family | [`SimpleSchedule::resolve`] |
//! | all legal schedules of a point: count, index, walk, sample | [`Space`] |
//! | the table below as data | [`axes_table`] |
//!
//! # Text
//! Every schedule has one canonical line of text, used on the command line, in the database and in
//! file names. It holds only what was set, in a fixed order; `default` is nothing set.
//!
//! ```
//! use gw_schedule::{ProgramSchedule, Schedule};
//! let s: Schedule = "lb=twce, pull, frontier=bitvector".parse().unwrap();
//! assert_eq!(s.to_string(), "pull,lb=etwc,frontier=bitmap");
//!
//! // Two schedules and a switch; `hybrid` alone is push and pull at |E|/20 of work ahead.
//! let h: Schedule = "hybrid,by=input-size,at=0.15+push,lb=etwc+pull,frontier=bitmap".parse().unwrap();
//! assert_eq!(h.parts().len(), 2);
//!
//! // A program: schedules by label, and one without a label for all other points.
//! let p: ProgramSchedule = "on=gpu;push;s0@loop=fused;s0:s1@push,lb=etwc".parse().unwrap();
//! assert_eq!(p.get("s0").unwrap().to_string(), "loop=fused");
//!
//! let e = "pull,frontier=bitmp".parse::<Schedule>().unwrap_err();
//! assert_eq!(
//!     e.to_string(),
//!     "`bitmp` is not a value of `frontier` (at character 15); did you mean `bitmap`?"
//! );
//! ```
//!
//! # Axes
//! An unset axis is left to the machine. Where a family of machines has a default it is named; a
//! vertex operator on a CPU runs `par=dynamic`, an edge operator `par=serial`.
//!
#![doc = include_str!("../AXES.md")]

pub mod axis;
mod capability;
mod legality;
mod name;
mod param;
mod point;
mod program;
mod resolve;
mod rng;
mod schedule;
mod simple;
mod space;
mod table;
mod text;
mod tree;
mod value;

pub use axis::*;
pub use capability::Capabilities;
pub use legality::{Binding, Origin, Reason};
pub use name::{BadName, Label, Name};
pub use param::{BadParam, Fraction, Number, Param, ParamNumber, Threshold};
pub use point::{PointKind, PriorityChange, ProgramPoint, Sources};
pub use program::{Family, ProgramSchedule, SetForm, Transform, VertexOrder};
pub use resolve::{DedupPlan, Owned};
pub use schedule::{Adaptive, Chooser, Criterion, Hybrid, InputSizes, Schedule};
pub use simple::{Axis, SimpleSchedule};
pub use space::{Space, THRESHOLDS};
pub use table::{AxisRow, axes_guide, axes_markdown, axes_table};
pub use text::{ParseError, Problem};
pub use tree::{Answer, ChosenBy, Cost, Feature, Features, Guard, Leaf, StepSizes, Tree, TreeError, TreeNode};
pub use value::{AxisValue, ValueRow};
