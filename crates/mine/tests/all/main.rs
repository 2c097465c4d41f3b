//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod assertions;
mod device;
mod mining;
mod parquet;
mod sources;
mod traces;
