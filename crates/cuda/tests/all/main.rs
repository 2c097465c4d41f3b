//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

#[path = "../adaptive.rs"]
mod adaptive;
#[path = "../balancers.rs"]
mod balancers;
#[path = "../bench.rs"]
mod bench;
#[path = "../emulator/mod.rs"]
mod emulator;
#[path = "../emulator_itself.rs"]
mod emulator_itself;
#[path = "../intersections.rs"]
mod intersections;
#[path = "../loops.rs"]
mod loops;
#[path = "../matrix.rs"]
mod matrix;
#[path = "../programs.rs"]
mod programs;
#[path = "../safety.rs"]
mod safety;
#[path = "../scans.rs"]
mod scans;
#[path = "../schedules.rs"]
mod schedules;
