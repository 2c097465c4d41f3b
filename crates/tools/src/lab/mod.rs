//! `gw lab`: the experiment database.

mod add;
mod look;
mod report;
mod run;
mod upkeep;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Subcommand};
use gw_lab::Lab;

use crate::error::ToolError;
use crate::output::text;

const HELP: &str = "\
Example:
  gw lab init my.lab
  gw lab add graphs my.lab kron:12 road:64x64 --dataset made
  gw lab add variants my.lab --algorithm bfs --roots 4
  gw lab add schedules my.lab --algorithm bfs --target cpu --named
  gw lab add run-config my.lab --algorithm bfs --target cpu --dataset made --repeats 5
  gw lab run my.lab --target cpu
  gw lab list my.lab runs

docs/lab.md explains it step by step.";

/// Arguments of `gw lab`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct LabArguments {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    /// Make a new lab file
    Init(Init),
    /// Add what shall be measured
    #[command(subcommand)]
    Add(add::Add),
    /// Measure everything that is missing; running again goes on where it stopped
    Run(run::Run),
    /// Show a list of what is in a lab
    List(look::List),
    /// Answer a query in SQL
    Query(look::Query),
    /// Write a list to a file
    Export(look::Export),
    /// Show measurements and models: an HTML page, or tables in the terminal
    Report(report::Report),
    /// Look again at runs whose results were not found right
    Validate(upkeep::Validate),
    /// Take in timings of other systems
    Import(upkeep::Import),
    /// Take in the lab of another machine
    Merge(upkeep::Merge),
    /// Write a small file of measurements for others: features of graphs, no graphs and no names that
    /// you gave to anything
    Contribute(upkeep::Contribute),
    /// Give back unused space
    Vacuum(upkeep::Vacuum),
}

#[derive(Args)]
struct Init {
    /// The file to make
    lab: PathBuf,
}

/// A query about the past.
#[derive(Args)]
struct AsOf {
    /// What the lab knew at this moment in UTC: 2026-01-31 or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "UTC")]
    as_of: Option<String>,
}

impl LabArguments {
    /// Carries out the command; `threads` is 0 for all cores.
    pub fn run(self, cancel: &Arc<AtomicBool>, threads: usize) -> Result<(), ToolError> {
        match self.command {
            LabCommand::Init(init) => {
                Lab::create(&init.lab)?;
                text(&format!("made {}\n", init.lab.display()))
            }
            LabCommand::Add(command) => command.run(threads),
            LabCommand::Run(command) => command.run(cancel, threads),
            LabCommand::List(command) => command.run(),
            LabCommand::Query(command) => command.run(),
            LabCommand::Export(command) => command.run(),
            LabCommand::Report(command) => command.run(),
            LabCommand::Validate(command) => command.run(cancel, threads),
            LabCommand::Import(command) => command.run(),
            LabCommand::Merge(command) => command.run(),
            LabCommand::Contribute(command) => command.run(),
            LabCommand::Vacuum(command) => command.run(),
        }
    }
}
