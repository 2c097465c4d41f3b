//! The options that name the columns of a table of edges.

use clap::Args;
use gw_graph::GraphSpec;
use gw_graph::format::TableColumns;

use crate::error::CliError;

/// The columns of a table of edges (CSV, TSV, Parquet), by name or by number from 1 on.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Tables of edges (CSV, TSV, Parquet)")]
pub struct Columns {
    /// The column of sources, by name or number [default: source, src, from, else the first]
    #[arg(long, value_name = "COLUMN")]
    source_column: Option<String>,
    /// The column of targets, by name or number [default: target, dst, to, else the second]
    #[arg(long, value_name = "COLUMN")]
    target_column: Option<String>,
    /// The column of weights, by name or number [default: weight, w, else none]
    #[arg(long, value_name = "COLUMN")]
    weight_column: Option<String>,
    /// The first line of the table is an edge; its columns have numbers only
    #[arg(long)]
    no_header: bool,
}

impl Columns {
    /// The spec with these columns.
    pub fn apply(&self, spec: GraphSpec) -> Result<GraphSpec, CliError> {
        Ok(spec.with_columns(TableColumns {
            source: self.source_column.clone(),
            target: self.target_column.clone(),
            weight: self.weight_column.clone(),
            no_header: self.no_header,
        })?)
    }

    /// True when none of the options is given.
    pub fn is_default(&self) -> bool {
        self.source_column.is_none() && self.target_column.is_none() && self.weight_column.is_none() && !self.no_header
    }
}
