//! Saving a run now and then, and going on with one that was saved.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gw_exec::{Checkpoint, Resume};

/// Arguments about checkpoints.
#[derive(Args, Clone, Default)]
pub struct Saving {
    /// Save the run into this folder now and then, at the head of a loop of `main`
    #[arg(long, value_name = "FOLDER")]
    checkpoint: Option<PathBuf>,
    /// Rounds of the loop between two checkpoints
    #[arg(long, value_name = "N", requires = "checkpoint", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Go on with the run that was saved in the folder of --checkpoint; with `if-there`, begin anew where none was
    /// saved
    #[arg(long, value_name = "if-there", value_enum, requires = "checkpoint", num_args = 0..=1, require_equals = true,
          default_missing_value = "yes")]
    resume: Option<ResumeChoice>,
}

/// When a run goes on.
#[derive(Clone, Copy, ValueEnum)]
enum ResumeChoice {
    /// A run without a checkpoint is refused
    #[value(hide = true)]
    Yes,
    /// A run without a checkpoint begins anew
    IfThere,
}

impl Saving {
    /// Whether the run is to be saved.
    pub fn is_given(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// The file that a run is saved in.
    pub fn file(&self) -> Option<PathBuf> {
        self.checkpoint(true).map(|checkpoint| checkpoint.path())
    }

    /// What is to be saved where; `writes` says whether by this process.
    pub fn checkpoint(&self, writes: bool) -> Option<Checkpoint> {
        let Saving { checkpoint, every, resume } = self.clone();
        let resume = match resume {
            None => Resume::No,
            Some(ResumeChoice::Yes) => Resume::Yes,
            Some(ResumeChoice::IfThere) => Resume::IfThere,
        };
        checkpoint.map(|folder| Checkpoint { folder, every, resume, writes })
    }
}
