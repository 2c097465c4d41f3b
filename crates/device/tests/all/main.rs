//! The tests of this crate, in one program: it is compiled and linked once.

mod balancers;
mod nvidia;
mod scans;
