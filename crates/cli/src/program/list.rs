//! `gw programs`: the standard programs.

use std::fmt::Write;

use clap::Args;

use crate::error::CliError;
use crate::output::{json, text};

/// Arguments of `gw programs`.
#[derive(Args)]
pub struct Programs {
    /// Tell everything about one program
    name: Option<String>,
    /// Print the program's text
    #[arg(long, requires = "name")]
    source: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "source")]
    json: bool,
}

impl Programs {
    /// Prints the list, or one program.
    pub fn run(self) -> Result<(), CliError> {
        let Some(name) = &self.name else {
            if self.json {
                return json(&gw_programs::programs());
            }
            let mut out = String::new();
            let width = gw_programs::programs().iter().map(|p| p.usage().len()).max().unwrap_or(0);
            for program in gw_programs::programs() {
                let _ = writeln!(out, "{:<width$}  {}", program.usage(), program.summary);
            }
            out += "\n`gw programs NAME` tells more; `gw run NAME ARGUMENTS` runs one.\n";
            return text(&out);
        };
        let program = gw_programs::find(name)?;
        match (self.source, self.json) {
            (true, _) => text(program.source),
            (_, true) => json(program),
            _ => text(&format!("usage: gw run {}\n\n{}{}", program.usage(), program.header(), of_paths(program))),
        }
    }
}

/// What `gw run` tells of a search beside its results.
fn of_paths(program: &gw_programs::Program) -> &'static str {
    match program.has_parents() {
        true => {
            "\nPaths       --path TARGET      prints a shortest path to a vertex\n            --out parent=FILE  writes the \
             vertex before each on a shortest path\n"
        }
        false => "",
    }
}
