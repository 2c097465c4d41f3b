//! What the environment says of the one that started this process, and how to start ranks.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::MpiError;
use crate::library;

/// Variables of launchers: the number of this rank, and of all.
const VARIABLES: [(&str, Option<&str>); 5] = [
    // MPICH, Intel MPI, Cray MPI, and `srun --mpi=pmi2`.
    ("PMI_RANK", Some("PMI_SIZE")),
    ("OMPI_COMM_WORLD_RANK", Some("OMPI_COMM_WORLD_SIZE")),
    ("MV2_COMM_WORLD_RANK", Some("MV2_COMM_WORLD_SIZE")),
    // `srun --mpi=pmix` and other launchers by PMIx.
    ("PMIX_RANK", Some("SLURM_STEP_NUM_TASKS")),
    // Any `srun`, also where it has no plugin for MPI; a script of `sbatch` is no step with tasks.
    ("SLURM_PROCID", Some("SLURM_STEP_NUM_TASKS")),
];

/// What a launcher says of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// The number of this rank.
    pub rank: usize,
    /// The number of ranks, where the launcher says so.
    pub size: Option<usize>,
}

/// What a launcher says of this process; `None` where nobody launched it as one of several.
pub fn launched() -> Option<Launched> {
    found(|name| env::var(name).ok())
}

fn found(variable: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| variable(name)?.parse::<usize>().ok();
    VARIABLES.iter().find_map(|(rank, size)| {
        let (rank_of, size) = (number(rank)?, size.and_then(number));
        // SLURM sets its variables everywhere in a job.
        let is_launched = *rank != "SLURM_PROCID" || size.is_some_and(|size| size > 1);
        is_launched.then_some(Launched { rank: rank_of, size })
    })
}

/// Folders in which an MPI may have its programs, best first.
pub(crate) fn folders() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os);
    folders.extend(environments.map(|place| Path::new(&place).join("bin")));
    // As a Python package, this program stands beside the launcher of another package.
    folders.extend(env::current_exe().ok().and_then(|program| program.parent().map(Path::to_path_buf)));
    folders
}

/// The `mpiexec` to start ranks with: one that has a library with the standard ABI beside it if there is one.
fn mpiexec() -> Option<PathBuf> {
    let there: Vec<PathBuf> =
        folders().into_iter().map(|folder| folder.join("mpiexec")).filter(|file| file.is_file()).collect();
    let fits = |file: &&PathBuf| file.parent().and_then(library::beside).is_some();
    there.iter().find(fits).or(there.first()).cloned()
}

/// Starts this program anew as so many ranks, in the place of this process. Returns only if that fails.
pub fn replace_by_ranks(ranks: usize) -> MpiError {
    let Some(launcher) = mpiexec() else { return MpiError::NoLauncher(ranks) };
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return MpiError::Launch { launcher, error },
    };
    let mut command = Command::new(&launcher);
    command.arg("-n").arg(ranks.to_string()).arg(program).args(env::args_os().skip(1));
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let error = match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    };
    MpiError::Launch { launcher, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_variables() {
        let said = |pairs: &'static [(&'static str, &'static str)]| {
            found(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string()))
        };
        let rank = |rank, size| Some(Launched { rank, size });
        assert_eq!(said(&[("PMI_RANK", "3"), ("PMI_SIZE", "4")]), rank(3, Some(4)));
        assert_eq!(said(&[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2")]), rank(0, Some(2)));
        assert_eq!(said(&[("PMIX_RANK", "1")]), rank(1, None));
        assert_eq!(said(&[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2")]), rank(1, Some(2)));
        // The script of a job, and a step of one task.
        assert_eq!(said(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), None);
        assert_eq!(said(&[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1")]), None);
        assert_eq!(said(&[]), None);
    }
}
