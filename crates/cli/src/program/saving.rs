//! Saving a run now and then, and going on with one that was saved.

use std::path::PathBuf;

use clap::Args;
use gw_exec::Checkpoint;

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
    /// Go on with the run that was saved in the folder of --checkpoint
    #[arg(long, requires = "checkpoint")]
    resume: bool,
}

impl Saving {
    /// What is to be saved where; `writes` says whether by this process.
    pub fn checkpoint(&self, writes: bool) -> Option<Checkpoint> {
        let Saving { checkpoint, every, resume } = self.clone();
        checkpoint.map(|folder| Checkpoint { folder, every, resume, writes })
    }
}
