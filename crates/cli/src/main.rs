//! `gw`, the Graphwright command: the main jobs; what else there is, it hands on.

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use gw_cli::commands::{self, Common};
use gw_cli::{added, process};

/// Graphwright: write a graph algorithm once, run it fast on the machine at hand.
#[derive(Parser)]
#[command(name = "gw", version, propagate_version = true, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let words = process::begin();
    let command = added::listed_in(Arguments::command());
    let arguments: Arguments = match process::parse(command, &words, added::hand_on) {
        Ok(arguments) => arguments,
        Err(ended) => return ended,
    };
    process::end(
        process::prepare(&arguments.common).and_then(|cancel| arguments.command.run(&arguments.common, &cancel)),
    )
}
