//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod common;
mod diagnostics;
mod fuzz;
mod limits;
mod modules;
mod properties;
mod schedules;
mod typed;
mod values;
