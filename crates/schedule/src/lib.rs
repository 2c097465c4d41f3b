//! The schedule space of Graphwright as plain data.

pub mod axis;
mod name;
mod param;
mod program;
mod schedule;
mod simple;
mod text;
mod value;

pub use axis::*;
pub use name::{BadName, Label, Name};
pub use param::{BadParam, Fraction, Number, Param, ParamNumber, Threshold};
pub use program::{Family, ProgramSchedule, SetForm, Transform};
pub use schedule::{Adaptive, Chooser, Criterion, Hybrid, InputSizes, Schedule};
pub use simple::{Axis, SimpleSchedule};
pub use text::{ParseError, Problem};
pub use value::{AxisValue, ValueRow};
