//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

#[path = "../derived.rs"]
mod derived;
#[path = "../format_bad_input.rs"]
mod format_bad_input;
#[path = "../format_bounds.rs"]
mod format_bounds;
#[path = "../format_golden.rs"]
mod format_golden;
#[path = "../format_real_graphs.rs"]
mod format_real_graphs;
#[path = "../format_round_trip.rs"]
mod format_round_trip;
#[path = "../format_support/mod.rs"]
mod format_support;
#[path = "../format_table.rs"]
mod format_table;
#[path = "../generate_degrees.rs"]
mod generate_degrees;
#[path = "../generate_models.rs"]
mod generate_models;
#[path = "../spec_parse.rs"]
mod spec_parse;
#[path = "../stats_oracle.rs"]
mod stats_oracle;
#[path = "../vertex_limit.rs"]
mod vertex_limit;
