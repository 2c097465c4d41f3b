//! Commands about programs: `gw run`, `gw compile`, `gw programs`.

mod attempt;
pub mod compile;
mod estimate;
mod explain;
pub mod graphs;
mod ids;
pub mod list;
pub mod named;
pub mod results;
pub mod run;
mod saving;
pub mod source;
mod tables;
mod times;
mod top;
mod trace;
mod unread;
