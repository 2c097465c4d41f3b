//! The options that name the columns of a table of edges.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use gw_graph::columns::Kept;
use gw_graph::format::{Missing, TableColumns, VertexTable};
use gw_graph::{GraphSpec, Parallel, WeightKind};

use crate::error::CliError;

/// The columns of a table of edges (CSV, TSV, Parquet), by name or by number from 1 on.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Tables of edges (CSV, TSV, Parquet)")]
pub struct Columns {
    /// The column of sources, by name or number [default: source, src, from, else the first one left]
    #[arg(long, value_name = "COLUMN")]
    source_column: Option<String>,
    /// The column of targets, by name or number [default: target, dst, to, dest, destination, else the first one left]
    #[arg(long, value_name = "COLUMN")]
    target_column: Option<String>,
    /// The column of weights, by name or number [default: weight, w, else none]; of GraphML, GEXF and JSON the
    /// attribute of edges [default: weight]
    #[arg(long, value_name = "COLUMN")]
    weight_column: Option<String>,
    /// The type of weights [default: the narrowest of int, float, int64 and double that holds all of them exactly]
    #[arg(long, value_name = "int|int64|float|double", value_parser = WeightKind::from_str)]
    weight_type: Option<WeightKind>,
    /// The first line of the table is an edge; its columns have numbers only
    #[arg(long)]
    no_header: bool,
    /// What becomes of an edge whose source, target or weight is missing: an error, or it is left out and counted
    /// [default: error]
    #[arg(long, value_name = "skip|error", value_parser = Missing::parse)]
    missing: Option<Missing>,
    /// What becomes of parallel edges: all are kept, or one of them, which is the first, that with the least or the
    /// greatest weight, or has the sum of the weights (the number of edges without weights) [default: min]
    #[arg(long, value_name = "keep|first|min|max|sum", value_parser = Parallel::from_str)]
    parallel: Option<Parallel>,
    /// Further columns of the table that are kept for programs: names with commas between them, or `all` [default:
    /// those that the program asks for]
    #[arg(long, value_name = "COLUMNS")]
    columns: Option<String>,
    /// A table of vertices (CSV, TSV, Parquet), whose columns programs may ask for
    #[arg(long, value_name = "FILE")]
    vertices: Option<PathBuf>,
    /// The column of ids in the table of vertices [default: id, vertex, node, name, key, else the first one]
    #[arg(long, value_name = "COLUMN", requires = "vertices")]
    vertex_column: Option<String>,
}

impl Columns {
    /// The spec with these columns.
    pub fn apply(&self, spec: GraphSpec) -> Result<GraphSpec, CliError> {
        let mut spec = spec.with_columns(self.columns())?.with_weight_kind(self.weight_type);
        let vertices = self.vertices.clone().map(|path| VertexTable { path, id: self.vertex_column.clone() });
        spec = spec.with_vertices(vertices);
        spec.options.parallel = self.parallel.or(spec.options.parallel);
        match self.columns.as_deref() {
            None => {}
            Some("all") => spec.options.kept = Kept::All,
            Some(names) => spec.options.kept = Kept::Named(names.split(',').map(str::to_string).collect()),
        }
        Ok(spec)
    }

    /// The same options, which keep all columns where they name none: for files that hold columns.
    pub fn keeping_all(mut self) -> Columns {
        self.columns.get_or_insert_with(|| "all".to_string());
        self
    }

    /// The spec with the weight that is asked for, and with what becomes of missing ones: all that a document has.
    pub fn apply_weight(&self, spec: GraphSpec) -> Result<GraphSpec, CliError> {
        let TableColumns { weight, missing, .. } = self.columns();
        let columns = TableColumns { weight, missing, ..TableColumns::default() };
        Ok(spec.with_columns(columns)?.with_weight_kind(self.weight_type))
    }

    /// True when edges without a source, a target or a weight are left out.
    pub fn skips_missing(&self) -> bool {
        self.missing == Some(Missing::Skip)
    }

    /// The columns as they are asked for.
    pub fn columns(&self) -> TableColumns {
        TableColumns {
            source: self.source_column.clone(),
            target: self.target_column.clone(),
            weight: self.weight_column.clone(),
            no_header: self.no_header,
            missing: self.missing.unwrap_or_default(),
        }
    }

    /// True when a column of weights is named.
    pub fn names_weight(&self) -> bool {
        self.weight_column.is_some()
    }

    /// True when none of the options is given.
    pub fn is_default(&self) -> bool {
        let columns = [&self.source_column, &self.target_column, &self.weight_column];
        let is_named = columns.iter().any(|column| column.is_some()) || self.weight_type.is_some();
        let is_further = self.columns.is_some() || self.vertices.is_some() || self.parallel.is_some();
        !is_named && !self.no_header && self.missing.is_none() && !is_further
    }
}
