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
            _ => text(&format!("usage: gw run {}\n\n{}", program.usage(), program.header())),
        }
    }
}
