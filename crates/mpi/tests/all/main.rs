//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod ranks;
