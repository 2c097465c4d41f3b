//! Learning which schedule of a portfolio suits an operator on a graph, from surveys of the tuner.
//!
//! | file | concept |
//! |---|---|
//! | `rows` | what a lab says about every candidate at every place |
//! | `grow` | small regression trees from graphs drawn with replacement |
//! | `train` | from rows to a model |
//! | `judge` | how good it is on graphs and programs that it was not learned from |

mod grow;
mod judge;
mod rows;
mod train;

pub use grow::Shape;
pub use judge::{Judged, LeaveOut, Summary, judge, proven};
pub use rows::{Case, Row, Rows, rows};
pub use train::{Learning, train};
