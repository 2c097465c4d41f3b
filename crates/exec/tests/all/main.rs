//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod changing;
mod common;
mod errors;
mod given;
mod groups;
mod language;
mod library;
mod meaning;
mod operators;
mod queues;
mod remote;
mod speed;
mod stages;
mod triangles;
