//! `gw graph generate`.

use std::path::PathBuf;

use clap::Args;

use super::columns::Columns;
use super::{OutputOptions, describe, load};
use crate::apart::Apart;
use crate::error::CliError;

/// Arguments of `gw graph generate`.
#[derive(Args)]
pub struct Generate {
    /// What to generate, such as kron:20 or road:1000x1000
    #[arg(required_unless_present = "list")]
    spec: Option<String>,
    /// The file to write; its name tells the format
    #[arg(short, long, value_name = "FILE", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// List the generators and the options of specs
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    options: OutputOptions,
}

impl Generate {
    pub fn run(self) -> Result<(), CliError> {
        if self.list {
            return describe::generators();
        }
        let (Some(spec), Some(output)) = (self.spec, self.output) else {
            return Err(CliError::Usage("a spec and -o FILE are needed".to_string()));
        };
        Apart::reading([&*spec]).writing("--output", [&*output]).check()?;
        let (graph, description, phases) = load(&spec, &Columns::default())?;
        self.options.write(&graph, description, phases, &output, false)
    }
}
