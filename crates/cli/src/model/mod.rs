//! `gw model`: models of workload.

mod workload;

use clap::Subcommand;

use crate::error::CliError;

/// The commands about models.
#[derive(Subcommand)]
pub enum ModelCommand {
    /// Predict the memory operations of a round of PageRank from the size of a graph
    Workload(workload::Workload),
}

/// Runs a command about models.
pub fn run(command: ModelCommand) -> Result<(), CliError> {
    match command {
        ModelCommand::Workload(command) => command.run(),
    }
}
