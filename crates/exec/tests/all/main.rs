//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

#[path = "../changing.rs"]
mod changing;
#[path = "../common/mod.rs"]
mod common;
#[path = "../errors.rs"]
mod errors;
#[path = "../given.rs"]
mod given;
#[path = "../language.rs"]
mod language;
#[path = "../library.rs"]
mod library;
#[path = "../meaning.rs"]
mod meaning;
#[path = "../operators.rs"]
mod operators;
#[path = "../queues.rs"]
mod queues;
#[path = "../remote.rs"]
mod remote;
#[path = "../stages.rs"]
mod stages;
