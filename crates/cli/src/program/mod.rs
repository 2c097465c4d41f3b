//! Commands about programs: `gw run`, `gw compile`, `gw programs`.

mod attempt;
pub mod compile;
mod estimate;
mod explain;
mod graphs;
mod ids;
pub mod list;
mod named;
mod results;
pub mod run;
mod source;
mod tables;
mod times;
mod top;
mod trace;
mod unread;
