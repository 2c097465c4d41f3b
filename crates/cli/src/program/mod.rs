//! Commands about programs: `gw run`, `gw compile`, `gw programs`.

mod answer;
pub mod compile;
mod ended;
mod estimate;
pub mod graphs;
pub mod help;
pub mod ids;
pub mod list;
pub mod named;
pub mod notes;
pub mod out;
mod paths;
mod planned;
pub mod programs;
pub mod results;
pub mod run;
mod saving;
mod several;
pub mod source;
mod times;
pub mod top;
mod trace;
mod unread;
