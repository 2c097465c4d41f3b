//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod added;
mod columns;
mod common;
mod data;
mod examples;
mod extremes;
mod flow;
mod flow_faults;
mod graph;
mod paths;
mod program;
mod results;
mod saving;
mod stream;
mod stream_names;
mod time_and_memory;

/// The program under test.
const GW: &str = env!("CARGO_BIN_EXE_gw");
