//! Commands about programs: `gw run`, `gw compile`, `gw programs`.

mod attempt;
pub mod compile;
mod explain;
mod graphs;
pub mod list;
mod results;
pub mod run;
mod source;
mod trace;
mod unread;
