//! `gw criteria`: how well kernels use a GPU, from the table of a profiler.

use std::path::PathBuf;

use clap::Args;
use gw_criteria::{Characterisation, Form, METRICS, ReportOptions, of_report};
use gw_graph::text_file::read_text;

use crate::error::ToolError;
use crate::output::{json, text};

const HELP: &str = "\
Examples:
  ncu --csv --page raw --clock-control none --metrics \"$(gw criteria --metrics)\" --log-file bfs.csv \\
      gw run bfs kron:20 --target cuda
  gw criteria bfs.csv                      all kernels, the longest first
  gw criteria bfs.csv --kernel operator_1  only those with this in their names
  gw criteria bfs.csv --elapsed 0.0021     seconds of the run without ncu: what gaps between kernels cost

docs/criteria.md explains the criteria.";

/// Arguments of `gw criteria`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct CriteriaArguments {
    /// The table: `ncu --csv --page raw --log-file TABLE ...`
    #[arg(required_unless_present = "metrics")]
    table: Option<PathBuf>,
    /// Only kernels whose names have this in them
    #[arg(long, value_name = "TEXT")]
    kernel: Option<String>,
    /// Seconds of the profiled work without the profiler, from the first kernel to the last
    #[arg(long, value_name = "SECONDS")]
    elapsed: Option<f64>,
    /// Curves of the device, as bench/primitives/characterise.cu writes them
    #[arg(long, value_name = "FILE")]
    curves: Option<PathBuf>,
    /// Take the formulas as they are printed in the source, not the corrected ones
    #[arg(long)]
    printed: bool,
    /// Print the metrics that ncu has to be asked for, and nothing else
    #[arg(long, exclusive = true)]
    metrics: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl CriteriaArguments {
    /// Reads the table and prints the report.
    pub fn run(self) -> Result<(), ToolError> {
        let Some(table) = self.table.filter(|_| !self.metrics) else {
            return text(&format!("{}\n", METRICS.join(",")));
        };
        if let Some(elapsed) = self.elapsed.filter(|seconds| !(*seconds > 0.0 && seconds.is_finite())) {
            return Err(ToolError::usage(format!("--elapsed {elapsed}: seconds above 0 are expected")));
        }
        let read = |path: &PathBuf| {
            read_text(path).map_err(|error| ToolError::usage(format!("cannot read {}: {error}", path.display())))
        };
        let named = |path: &PathBuf, error| ToolError::Criteria { file: path.display().to_string(), error };
        let curves = match &self.curves {
            Some(path) => Characterisation::from_table(&read(path)?).map_err(|error| named(path, error))?,
            None => Characterisation::default(),
        };
        let options = ReportOptions {
            kernel: self.kernel,
            elapsed: self.elapsed,
            curves,
            latencies: None,
            form: if self.printed { Form::Printed } else { Form::Corrected },
        };
        let report = of_report(&read(&table)?, &options).map_err(|error| named(&table, error))?;
        match self.json {
            true => json(&report),
            false => text(&report.text()),
        }
    }
}
