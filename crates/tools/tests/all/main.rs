//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod apart;
mod bench;
mod check;
#[path = "../../../cli/tests/all/common.rs"]
mod common;
mod completions;
mod criteria;
mod devices;
mod explain;
mod lab;
mod messages;
mod meter;
mod model;
mod pattern;
mod pipes;
mod report;
mod resources;
mod tune;

/// The program under test.
const GW: &str = env!("CARGO_BIN_EXE_gw-tools");
