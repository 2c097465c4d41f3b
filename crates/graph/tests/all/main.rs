//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod attributes;
mod derived;
mod format_bad_input;
mod format_bounds;
mod format_document;
mod format_golden;
mod format_real_graphs;
mod format_round_trip;
#[path = "../format_support/mod.rs"]
mod format_support;
mod format_table;
mod format_truncated_map;
mod generate_degrees;
mod generate_models;
mod spec_parse;
mod stats_oracle;
mod vertex_limit;
