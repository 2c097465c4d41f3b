//! `gw-tools`: all commands of `gw`, and those that need more of the libraries than the main jobs: measurements, labs,
//! models, tuning, matching, mining. `gw` hands these on to this program, so that `gw` alone is built soon.

#[macro_use]
extern crate gw_cli;

mod bench;
mod check;
mod completions;
mod criteria;
mod error;
mod explain;
mod lab;
mod matching;
mod meter;
mod mine;
mod model;
mod output;
mod sequences;
mod tune;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use gw_cli::commands::{self, Common};
use gw_cli::process;

use error::ToolError;

/// Graphwright: write a graph algorithm once, run it fast on the machine at hand.
#[derive(Parser)]
#[command(name = "gw", bin_name = "gw", version, propagate_version = true, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Main(commands::Command),
    /// Tell why a run is this fast, what limits it, and which schedule would help
    Explain(Box<explain::Explain>),
    /// Measure a suite of programs on graphs
    Bench(bench::Bench),
    /// Check that a machine computes right: programs x schedules x small graphs
    Check(check::Check),
    /// Search for the fastest schedule of a program on a graph, and keep it for later runs
    Tune(Box<tune::Tune>),
    /// Measure what this machine's memory, units and power reach
    Meter(meter::Meter),
    /// Tell from a profiler's table how well GPU kernels use the device, and what would help
    Criteria(criteria::CriteriaArguments),
    /// Measure programs under many schedules, and keep everything in one file
    Lab(lab::LabArguments),
    /// Train, judge and export models that pick schedules; models of workload
    #[command(subcommand, after_help = model::HELP)]
    Model(Box<model::ModelCommand>),
    /// Find where a small labelled graph occurs in a large one, approximately or exactly
    Match(Box<matching::Match>),
    /// Find what holds at every instant of a trace: likely invariants
    Mine(mine::Mine),
    /// Print a script that completes commands and options in a shell
    Completions(completions::Completions),
    /// Print the manual page, or write a page per command into a folder
    Man(completions::Man),
}

fn main() -> ExitCode {
    let words = process::begin();
    let arguments = match process::parse(Arguments::command(), &words, |_, _| Ok(())) {
        Ok(arguments) => arguments,
        Err(ended) => return ended,
    };
    process::end(run(arguments).map_err(Into::into))
}

fn run(Arguments { common, command }: Arguments) -> Result<(), ToolError> {
    let cancel = process::prepare(&common)?;
    match command {
        Command::Main(command) => Ok(command.run(&common, &cancel)?),
        Command::Explain(command) => command.run(common.threads()),
        Command::Bench(command) => command.run(&cancel, common.threads()),
        Command::Check(command) => command.run(&cancel, common.threads()),
        Command::Tune(command) => command.run(&cancel, common.threads()),
        Command::Meter(command) => command.run(),
        Command::Criteria(command) => command.run(),
        Command::Lab(command) => command.run(&cancel, common.threads()),
        Command::Model(command) => model::run(*command),
        Command::Match(command) => command.run(),
        Command::Mine(command) => command.run(),
        Command::Completions(command) => command.run(Arguments::command()),
        Command::Man(command) => command.run(Arguments::command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gw_lists_the_commands_that_are_here_alone() {
        let all = Arguments::command();
        let own = commands::Command::augment_subcommands(clap::Command::new("gw"));
        let added: Vec<(String, String)> = all
            .get_subcommands()
            .filter(|command| own.find_subcommand(command.get_name()).is_none())
            .map(|command| (command.get_name().to_string(), command.get_about().map(ToString::to_string).unwrap()))
            .collect();
        let told = gw_cli::added::TOOLS.map(|(name, about)| (name.to_string(), about.to_string()));
        assert_eq!(added, told);
    }
}
