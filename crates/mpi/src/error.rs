//! What can be wrong with an MPI, with the remedy.

use std::path::PathBuf;

use thiserror::Error;

/// Why there is no MPI to use.
#[derive(Debug, Error)]
pub enum MpiError {
    /// No library was found.
    #[error(
        "no MPI with the standard ABI is here ({tried}): `pip install mpich` brings one without root; set GW_MPI to \
         the library libmpi_abi.so.1 of another (MPICH 5, Open MPI 6, or an older MPI under mpi_abi_wrapper)"
    )]
    NoLibrary {
        /// What was tried last, and why it failed.
        tried: String,
    },
    /// A library lacks a function.
    #[error(
        "{}: {error}: this is not an MPI with the standard ABI of MPI 5.0; `pip install mpich` brings one",
        library.display()
    )]
    NotAbi {
        /// The library.
        library: PathBuf,
        /// Why.
        error: String,
    },
    /// A library has another version of the ABI.
    #[error(
        "{} has version {major}.{minor} of the ABI of MPI, and 1.x is needed: `pip install mpich` brings one",
        library.display()
    )]
    Version {
        /// The library.
        library: PathBuf,
        /// Version.
        major: i32,
        /// Subversion.
        minor: i32,
    },
    /// The launcher started ranks that do not see each other.
    #[error(
        "the launcher started {wanted} ranks, but the MPI in {} sees {found}: launcher and library belong to different \
         MPIs; start the ranks by the `mpiexec` of that library, or set GW_MPI to the library of this launcher",
        library.display()
    )]
    Mismatch {
        /// Ranks that were started.
        wanted: usize,
        /// Ranks that the library sees.
        found: usize,
        /// The library.
        library: PathBuf,
    },
    /// Somebody else uses MPI in this process.
    #[error("MPI was opened in this process before, and a process has one place among the ranks")]
    Twice,
    /// The library cannot be called as is needed.
    #[error("the MPI in {} cannot be used by a process with threads", library.display())]
    NoThreads {
        /// The library.
        library: PathBuf,
    },
    /// A call failed.
    #[error("MPI: {what}: {reason}")]
    Call {
        /// The function.
        what: &'static str,
        /// Why, in the words of the library.
        reason: String,
    },
    /// There is nothing that starts ranks.
    #[error(
        "--processes {0} starts the processes by `mpiexec`, and there is none on the PATH: `pip install mpich` brings \
         one without root; --workers {0} shares the work among threads of one process"
    )]
    NoLauncher(usize),
    /// The launcher does not start.
    #[error("{} does not start: {error}", launcher.display())]
    Launch {
        /// The launcher.
        launcher: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}
