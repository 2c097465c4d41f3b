//! Where the changes of a stream come from: a file or standard input, lines or a table.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use clap::Args;
use gw_dynamic::Form;
use gw_graph::GraphSpec;
use gw_graph::format::{Compression, Format, RowColumns};
use gw_graph::spec::Source;

use super::Stream;
use crate::error::CliError;

/// Columns of a table of changes beside those of its edges.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Tables of edges (CSV, TSV, Parquet)")]
pub struct UpdateColumns {
    /// The column of times in UPDATES, by name or number [default: time, timestamp, date, t, else the last one left]
    #[arg(long, value_name = "COLUMN", requires = "timed")]
    time_column: Option<String>,
    /// The column of UPDATES that has + or `insert`, - or `delete`, by name or number [default: change, op, action]
    #[arg(long, value_name = "COLUMN")]
    change_column: Option<String>,
}

impl UpdateColumns {
    fn is_default(&self) -> bool {
        self.time_column.is_none() && self.change_column.is_none()
    }
}

/// Whether options about columns say something about a file, by its name.
fn has_columns(path: &Path) -> bool {
    Format::of_path(path).is_some_and(|format| format.is_table() || format.is_document())
}

impl Stream {
    /// What messages call the changes.
    pub(super) fn source(&self) -> String {
        if self.is_standard_input() { "standard input".to_string() } else { self.updates.display().to_string() }
    }

    fn is_standard_input(&self) -> bool {
        self.updates.as_os_str() == "-"
    }

    /// Whether the changes stand in a file, which can be read again.
    pub(super) fn is_file(&self) -> bool {
        !self.is_standard_input() && self.updates.is_file()
    }

    /// The text with the changes.
    pub(super) fn lines(&self) -> Result<Box<dyn BufRead>, CliError> {
        if self.is_standard_input() {
            return Ok(Box::new(BufReader::new(std::io::stdin())));
        }
        let failed = |e| gw_graph::GraphError::io("read", &self.updates, e);
        Ok(Box::new(BufReader::with_capacity(1 << 20, File::open(&self.updates).map_err(failed)?)))
    }

    /// How the text has the changes: as a table where the name of the file says so, or where columns of standard input
    /// are named.
    pub(super) fn form(&self) -> Result<Form, CliError> {
        let names_columns = !self.columns.is_default() || !self.update_columns.is_default();
        let separator = match Format::of_path(&self.updates) {
            Some(Format::Csv) => None,
            Some(Format::Tsv) => Some(b'\t'),
            _ if self.is_standard_input() && names_columns => None,
            _ => return Ok(Form::Lines { is_timed: self.timed }),
        };
        let UpdateColumns { time_column: time, change_column: change } = self.update_columns.clone();
        let columns = RowColumns { edges: self.columns.columns(), time, change, is_timed: self.timed };
        Ok(Form::Table { separator, columns })
    }

    /// Refuses files of changes that cannot be read as a text, and columns where there is no table.
    pub(super) fn check_columns(&self) -> Result<(), CliError> {
        let name = self.updates.display();
        if self.is_file() && Compression::of_path(&self.updates) != Compression::Plain {
            let message = format!("{name}: changes are read unpacked; unpack the file, or pipe it in with `-`");
            return Err(CliError::Usage(message));
        }
        if Format::of_path(&self.updates) == Some(Format::Parquet) {
            return Err(CliError::Usage(format!("{name}: changes are not read from Parquet; write them as .csv")));
        }
        let is_lines = matches!(self.form()?, Form::Lines { .. });
        if is_lines && !self.update_columns.is_default() {
            let message = "--time-column and --change-column are for tables, but UPDATES is none: name it .csv or .tsv";
            return Err(CliError::Usage(message.to_string()));
        }
        let is_graph_table = match GraphSpec::parse(&self.graph) {
            Ok(spec) => matches!(&spec.source, Source::File(path) if has_columns(path)),
            Err(_) => false,
        };
        if is_lines && !is_graph_table && !self.columns.is_default() {
            let message = "columns are named, but neither the graph nor UPDATES is a table: name it .csv or .tsv";
            return Err(CliError::Usage(message.to_string()));
        }
        Ok(())
    }
}
