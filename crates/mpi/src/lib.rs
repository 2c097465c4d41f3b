//! Ranks that are processes, over any MPI that has the standard ABI of MPI 5.0.
//!
//! The library is opened when it is needed, as that of a GPU is: no MPI is needed to build or to run alone, and one
//! program works with every MPI that keeps to the standard. MPI also starts the ranks and notices when one dies.
//!
//! | file | concept |
//! |---|---|
//! | `abi` | the functions and constants of the standard that are used |
//! | `library` | where the library is |
//! | `launcher` | what the environment says of the one that started this process, and how to start ranks |
//! | `world` | the ranks of this computation: beginning, end in good order, and end for a reason |
//! | `exchange` | messages between ranks |
//! | `cores` | which cores the ranks of a host share |
//! | `error` | what can be wrong, with the remedy |
//!
//! `unsafe` stands in `abi` (calls) and `cores` (one question to the system).

mod abi;
mod cores;
mod error;
mod exchange;
mod launcher;
mod library;
mod world;

pub use cores::Cores;
pub use error::MpiError;
pub use exchange::Mpi;
pub use launcher::{Launched, launched, replace_by_ranks};
pub use world::{abort, finish, open, place, speaker};
