//! The MPI that tests run ranks with.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::left_out;

/// The library with the standard ABI of MPI 5.0.
const LIBRARY: &str = "lib/libmpi_abi.so.1";

/// The folder with the programs of an MPI that has the standard ABI: that of the installation that `GW_MPI_HOME` names,
/// or one on the path. Where there is none, the test is [`left_out`].
#[track_caller]
pub fn programs() -> Option<PathBuf> {
    let home = std::env::var_os("GW_MPI_HOME").map(|home| Path::new(&home).join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_abi = |folder: &PathBuf| {
        folder.join("mpiexec").is_file() && folder.parent().is_some_and(|home| home.join(LIBRARY).is_file())
    };
    let found = home.into_iter().chain(std::env::split_paths(&path)).find(has_abi);
    if found.is_none() {
        left_out("MPI", "there is no mpiexec with a libmpi_abi.so.1, neither in GW_MPI_HOME nor on the path");
    }
    found
}

/// A command that runs a program as so many ranks.
#[track_caller]
pub fn ranks(count: usize, program: &Path) -> Option<Command> {
    let mut command = Command::new(programs()?.join("mpiexec"));
    command.arg("-n").arg(count.to_string()).arg(program);
    Some(command)
}
