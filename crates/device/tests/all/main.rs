//! The tests of this crate, in one program: it is compiled and linked once.

mod balancers;
mod groups;
mod nvidia;
mod scans;
