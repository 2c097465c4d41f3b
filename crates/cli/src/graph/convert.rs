//! `gw graph convert`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gw_graph::format::Format;

use super::columns::Columns;
use super::{OutputOptions, describe, load};
use crate::apart::Apart;
use crate::error::CliError;

/// Arguments of `gw graph convert`.
#[derive(Args)]
pub struct Convert {
    /// The graph to read: a file or a spec; options such as :sym or :reorder=degree are taken
    #[arg(required_unless_present = "list")]
    input: Option<String>,
    /// The file to write; its name tells the format
    #[arg(required_unless_present = "list")]
    output: Option<PathBuf>,
    /// Format of the input [default: by the file name or content]
    #[arg(long, value_name = "FORMAT")]
    input_format: Option<Format>,
    /// Write the original id of every vertex to this file, one per line (tables and SNAP files)
    #[arg(long, value_name = "FILE")]
    id_map: Option<PathBuf>,
    #[command(flatten)]
    columns: Columns,
    /// List the formats
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    options: OutputOptions,
}

impl Convert {
    pub fn run(self) -> Result<(), CliError> {
        if self.list {
            return describe::formats();
        }
        let (Some(input), Some(output)) = (self.input, self.output) else {
            return Err(CliError::Usage("an input and an output are needed".to_string()));
        };
        let map = self.id_map.as_deref();
        Apart::reading([&*input]).writing("the output", [&*output]).writing("--id-map", map).check()?;
        let input = match self.input_format {
            Some(format) => format!("{input}:format={}", format.name()),
            None => input,
        };
        let format = self.options.format.or_else(|| Format::of_path(&output));
        let columns = if format == Some(Format::Gwg) { self.columns.keeping_all() } else { self.columns };
        let (graph, description, phases) = load(&input, &columns)?;
        let map = match (&self.id_map, graph.names()) {
            (None, _) => None,
            (Some(path), Some(names)) => {
                if let Some(name) = names.iter().map(|name| name.to_string()).find(|name| name.contains(['\n', '\r'])) {
                    let message = format!("--id-map has one id per line, but {name:?} has a line end in it");
                    return Err(CliError::Usage(message));
                }
                Some((path, names))
            }
            (Some(_), None) => {
                let message = format!("--id-map: vertices of `{description}` have no ids but their numbers");
                return Err(CliError::Usage(message));
            }
        };
        self.options.write(&graph, description, phases, &output, map.is_some())?;
        if let Some((path, names)) = map {
            let mut text = Vec::with_capacity(names.bytes());
            for name in names.iter() {
                writeln!(text, "{name}")?;
            }
            gw_graph::format::write_file(path, &text)?;
        }
        Ok(())
    }
}
