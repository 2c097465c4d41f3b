//! `gw graph validate`.

use clap::Args;
use gw_graph::Report;
use serde::Serialize;

use super::columns::Columns;
use super::{describe, load};
use crate::error::CliError;
use crate::progress::phase;

/// Arguments of `gw graph validate`.
#[derive(Args)]
pub struct Validate {
    /// A graph file or spec
    graph: String,
    #[command(flatten)]
    columns: Columns,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    graph: &'a str,
    valid: bool,
    #[serde(flatten)]
    report: &'a Report,
}

impl Validate {
    pub fn run(self) -> Result<(), CliError> {
        let (graph, description, _) = load(&self.graph, &self.columns)?;
        let bar = phase("checking");
        let report = gw_graph::validate(&graph)?;
        drop(bar);
        match self.json {
            true => crate::output::json(&Answer { graph: &description, valid: true, report: &report }),
            false => describe::report(&description, &report),
        }
    }
}
