//! The commands of `gw`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Subcommand};

use crate::error::CliError;
use crate::{devices, graph, program, stream, swarm};

/// Options of all commands.
#[derive(Args)]
pub struct Common {
    /// Number of threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

impl Common {
    /// The number of threads that was asked for; 0 for all cores.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or(0).into()
    }
}

/// The commands that need no more than machines, programs and graphs.
#[derive(Subcommand)]
pub enum Command {
    /// Run a program on a graph
    Run(Box<program::run::Run>),
    /// Show what the compiler makes of a program
    Compile(program::compile::Compile),
    /// Apply changes to a graph in batches, and run a program after each
    Stream(Box<stream::Stream>),
    /// List the standard programs
    Programs(program::list::Programs),
    /// Show the processor and the GPUs that programs can run on, or why there are none
    Devices(devices::Devices),
    /// Run a program on the simulated Swarm machine over numbers of cores
    Swarm(swarm::Swarm),
    /// Generate, convert, inspect and check graphs
    #[command(subcommand)]
    Graph(graph::GraphCommand),
}

impl Command {
    /// Carries the command out; `cancel` is set when a person or the system asks it to end.
    pub fn run(self, common: &Common, cancel: &Arc<AtomicBool>) -> Result<(), CliError> {
        match self {
            Command::Run(command) => command.run(cancel, common.threads()),
            Command::Compile(command) => command.run(),
            Command::Stream(command) => command.run(cancel, common.threads()),
            Command::Programs(command) => command.run(),
            Command::Devices(command) => command.run(),
            Command::Swarm(command) => command.run(cancel),
            Command::Graph(command) => graph::run(command),
        }
    }
}
