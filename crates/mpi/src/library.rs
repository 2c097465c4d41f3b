//! Where the library is: what a person says, the library of the launcher that started this process, what the system
//! knows, and what stands beside a launcher.

use std::env;
use std::path::{Path, PathBuf};

use crate::abi::Api;
use crate::error::MpiError;
use crate::launcher;

/// The variable that names the library, or the folder it is in.
const VARIABLE: &str = "GW_MPI";
/// The name of the library with version 1 of the ABI. The name without the number may be a script for linkers.
const NAME: &str = if cfg!(target_os = "macos") { "libmpi_abi.1.dylib" } else { "libmpi_abi.so.1" };

/// Opens the library.
pub(crate) fn open() -> Result<Api, MpiError> {
    if let Some(given) = env::var_os(VARIABLE).filter(|given| !given.is_empty()) {
        let given = PathBuf::from(given);
        return Api::open(&if given.is_dir() { given.join(NAME) } else { given });
    }
    // A launcher and a library that belong together stand beside each other.
    if let Some(library) = parent_folder().as_deref().and_then(beside) {
        return Api::open(&library);
    }
    let unknown = match Api::open(Path::new(NAME)) {
        Err(error @ MpiError::NoLibrary { .. }) => error,
        opened => return opened,
    };
    match launcher::folders().iter().find_map(|folder| beside(folder)) {
        Some(library) => Api::open(&library),
        None => Err(unknown),
    }
}

/// The library beside a folder with programs.
pub(crate) fn beside(programs: &Path) -> Option<PathBuf> {
    let place = programs.parent()?;
    ["lib", "lib64"].into_iter().map(|folder| place.join(folder).join(NAME)).find(|library| library.is_file())
}

/// The folder of the program that started this one, where the system tells.
fn parent_folder() -> Option<PathBuf> {
    launcher::launched()?;
    #[cfg(unix)]
    let program = std::fs::read_link(format!("/proc/{}/exe", std::os::unix::process::parent_id())).ok()?;
    #[cfg(not(unix))]
    let program = PathBuf::new();
    program.parent().map(Path::to_path_buf)
}
