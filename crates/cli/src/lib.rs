//! The parts of the command `gw`: argument parsing, printing and progress; the work is done by the libraries.
//!
//! Two programs are made of it. `gw` has the main jobs ([`commands`]); `gw-tools` (crate `gw-tools`) has all commands,
//! also those that need more of the libraries, and `gw` hands these on to it ([`added`]).

#[macro_use]
mod note;

pub mod added;
pub mod apart;
pub mod clock;
pub mod commands;
pub mod devices;
pub mod distributed;
pub mod energy;
pub mod error;
mod gpu_queues;
pub mod graph;
pub mod machines;
mod memory;
pub mod output;
pub mod process;
pub mod program;
pub mod progress;
mod silence;
pub mod stop;
pub mod stream;
pub mod swarm;
