//! `gw graph info`.

use clap::Args;
use gw_graph::stats::{Statistics, StatsOptions};
use serde::Serialize;

use super::columns::Columns;
use super::{describe, load};
use crate::error::CliError;
use crate::progress::phase;

/// Arguments of `gw graph info`.
#[derive(Args)]
pub struct Info {
    /// A graph file or spec
    graph: String,
    #[command(flatten)]
    columns: Columns,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Skip components and diameter, which visit every edge
    #[arg(long)]
    quick: bool,
}

/// The statistics with what it took to get them.
#[derive(Serialize)]
struct Answer<'a> {
    graph: &'a str,
    #[serde(flatten)]
    statistics: &'a Statistics,
    bytes: usize,
    seconds: &'a [(String, f64)],
}

impl Info {
    pub fn run(self) -> Result<(), CliError> {
        let (graph, description, mut phases) = load(&self.graph, &self.columns)?;
        let start = std::time::Instant::now();
        let options = StatsOptions { components: !self.quick, diameter: !self.quick };
        let bar = phase("statistics");
        let statistics = Statistics::of(&graph, &options);
        drop(bar);
        phases.push(("statistics".to_string(), start.elapsed().as_secs_f64()));
        match self.json {
            true => crate::output::json(&Answer {
                graph: &description,
                statistics: &statistics,
                bytes: graph.bytes(),
                seconds: &phases,
            }),
            false => describe::statistics(&description, &graph, &statistics, &phases),
        }
    }
}
