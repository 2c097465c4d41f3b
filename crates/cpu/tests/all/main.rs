//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod changing;
mod choose;
mod classes;
mod faults;
mod groups;
mod par_for;
mod programs;
mod queues;
#[path = "../memory/run.rs"]
mod run;
mod semantics;
mod triangles;
