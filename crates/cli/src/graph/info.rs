//! `gw graph info`.

use clap::Args;
use gw_graph::stats::{Statistics, StatsOptions};
use serde::Serialize;

use super::{describe, load};
use crate::error::CliError;

/// Arguments of `gw graph info`.
#[derive(Args)]
pub struct Info {
    /// A graph file or spec
    graph: String,
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
        let (graph, description, mut phases) = load(&self.graph)?;
        let start = std::time::Instant::now();
        let options = StatsOptions { components: !self.quick, diameter: !self.quick };
        let statistics = Statistics::of(&graph, &options);
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
