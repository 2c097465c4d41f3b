//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod bfs_schedules;
mod bodies;
mod common;
mod fuzz;
mod generate;
mod joined;
mod operator_facts;
mod passes;
mod points;
mod repeats;
mod roundtrip;
mod shared_loop;
mod speed;
mod standard_programs;
mod traversal;
mod validate;
