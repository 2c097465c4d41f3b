//! `gw`, the Graphwright command: argument parsing, printing and progress; the work is done by the libraries.

mod error;
mod graph;
mod output;
mod progress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::CliError;

/// Graphwright: write a graph algorithm once, run it fast on the machine at hand.
#[derive(Parser)]
#[command(name = "gw", version, propagate_version = true, max_term_width = 100)]
struct Arguments {
    /// Number of threads [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Generate, convert, inspect and check graphs
    #[command(subcommand)]
    Graph(graph::GraphCommand),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            error.exit_code()
        }
    }
}

fn run(arguments: Arguments) -> Result<(), CliError> {
    ctrlc::set_handler(|| {
        gw_graph::format::remove_partial_files();
        std::process::exit(error::INTERRUPTED);
    })?;
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    match arguments.command {
        Command::Graph(command) => graph::run(command),
    }
}
