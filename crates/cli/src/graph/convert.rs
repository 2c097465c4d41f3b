//! `gw graph convert`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gw_graph::BuildOptions;
use gw_graph::format::{Format, ReadOptions};

use super::{OutputOptions, describe, load};
use crate::error::CliError;
use crate::progress::Bar;

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
    /// Write the original id of every vertex to this file (formats with arbitrary ids, such as SNAP)
    #[arg(long, value_name = "FILE")]
    id_map: Option<PathBuf>,
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
        let input = match self.input_format {
            Some(format) => format!("{input}:format={}", format.name()),
            None => input,
        };
        if let Some(map) = &self.id_map {
            return convert_with_map(&input, &output, map, &self.options, self.input_format);
        }
        let (graph, description, phases) = load(&input)?;
        self.options.write(&graph, description, phases, &output)
    }
}

/// Converts a plain file and keeps its original ids.
fn convert_with_map(
    input: &str,
    output: &Path,
    map: &Path,
    options: &OutputOptions,
    format: Option<Format>,
) -> Result<(), CliError> {
    let path = match format {
        Some(format) => input.trim_end_matches(&format!(":format={}", format.name())),
        None => input,
    };
    let read = ReadOptions { format, keep_id_map: true, trust: false };
    let bar = Bar::new();
    let loaded = gw_graph::format::load(Path::new(path), &read, &BuildOptions::default(), &bar)?;
    drop(bar);
    let Some(ids) = &loaded.id_map else {
        let name = loaded.format.name();
        return Err(CliError::Usage(format!("--id-map: ids of the format {name} are kept as they are")));
    };
    let phases = vec![
        ("read".to_string(), loaded.read_time.as_secs_f64()),
        ("build".to_string(), loaded.build_time.as_secs_f64()),
    ];
    options.write(&loaded.graph, path.to_string(), phases, output)?;
    let mut text = Vec::with_capacity(8 * ids.len());
    for id in ids {
        writeln!(text, "{id}")?;
    }
    gw_graph::format::write_file(map, &text)?;
    Ok(())
}
