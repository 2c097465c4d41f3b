//! Commands that write are killed at every call by which they change a file: before the call, and in the middle of
//! every write. The same command then goes on to the result of a run that was not killed, and leaves no other files.
//!
//! A usual run kills at a few calls of every command, `GW_NIGHTLY=1` at all of them.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod drill;
mod labs;
mod outputs;
mod runs;
mod stores;
