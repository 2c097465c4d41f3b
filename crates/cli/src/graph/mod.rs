//! `gw graph`: generate, convert, inspect and check graphs.

pub mod columns;
mod convert;
mod describe;
mod generate;
mod info;
mod partition;
mod validate;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use gw_graph::format::{Format, WriteOptions, Written, write};
use gw_graph::{Graph, GraphSpec};
use serde::Serialize;

use columns::Columns;

use crate::error::CliError;
use crate::progress::Bar;

const SPEC_HELP: &str = "\
Graph specs: a file, or a generator with its parameters, then options, all joined by colons.

  kron:20                              Kronecker graph of 2^20 vertices, 16 edges per vertex
  kron:20:16:seed=7:weights=1..1000    the same with a seed and random integer weights
  road:1000x1000                       road-like perturbed grid
  web.mtx.gz:sym:reorder=degree        a file, mirrored, hubs first
  follows.csv:source=a:target=b        a table of edges with named columns
  friends.graphml:weight=strength      GraphML, GEXF or node-link JSON, weighed by an attribute of edges

`gw graph generate --list` shows all generators and options, `gw graph convert --list` all formats.";

/// The commands about graphs.
#[derive(Subcommand)]
pub enum GraphCommand {
    /// Make a graph from a spec and write it to a file
    #[command(after_help = SPEC_HELP)]
    Generate(generate::Generate),
    /// Read a graph in one format and write it in another
    #[command(after_help = SPEC_HELP)]
    Convert(convert::Convert),
    /// Write a graph in parts, for processes that hold a part each
    #[command(after_help = SPEC_HELP)]
    Partition(partition::Partition),
    /// Print statistics of a graph
    #[command(after_help = SPEC_HELP)]
    Info(info::Info),
    /// Check a graph file: checksums, order, ranges, symmetry
    #[command(after_help = SPEC_HELP)]
    Validate(validate::Validate),
}

/// Runs a graph command.
pub fn run(command: GraphCommand) -> Result<(), CliError> {
    match command {
        GraphCommand::Generate(command) => command.run(),
        GraphCommand::Convert(command) => command.run(),
        GraphCommand::Info(command) => command.run(),
        GraphCommand::Partition(command) => command.run(),
        GraphCommand::Validate(command) => command.run(),
    }
}

/// Options of commands that write a graph.
#[derive(Args)]
struct OutputOptions {
    /// Format of the output [default: by the file name]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Store in-neighbours, too (.gwg only)
    #[arg(long)]
    incoming: bool,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

/// What a writing command did.
#[derive(Serialize)]
struct Outcome {
    source: String,
    output: PathBuf,
    format: &'static str,
    bytes: u64,
    vertices: usize,
    edges: usize,
    symmetric: bool,
    weighted: bool,
    seconds: Phases,
    notes: Vec<String>,
}

impl OutputOptions {
    /// Writes the graph and tells what happened.
    fn write(
        &self,
        graph: &Graph,
        source: String,
        phases: Phases,
        path: &Path,
        has_id_map: bool,
    ) -> Result<(), CliError> {
        let format = self.format.or_else(|| Format::of_path(path));
        if self.incoming && format.is_some_and(|f| f != Format::Gwg) {
            return Err(CliError::Usage("--incoming: only .gwg files store in-neighbours".to_string()));
        }
        let start = std::time::Instant::now();
        let options = WriteOptions { format: self.format, incoming: self.incoming };
        let bar = Bar::new();
        let Written { bytes, format, mut notes } = write(graph, path, &options, &bar)?;
        drop(bar);
        let keeps_ids = format.is_table() || format.is_document() || format == Format::Gwg;
        if graph.names().is_some() && !keeps_ids {
            let format = format.name();
            notes.push(match has_id_map {
                true => format!("the format {format} holds no ids of vertices, which are in the file of --id-map"),
                false => format!("the format {format} holds no ids of vertices; --id-map FILE writes them"),
            });
        }
        for (columns, of) in [(graph.edge_columns(), "edges"), (graph.vertex_columns(), "vertices")] {
            let columns = columns.filter(|columns| !columns.table.columns.is_empty());
            notes.extend(columns.map(|columns| match format {
                Format::Gwg => format!("columns of {of} that are kept: {}", columns.table),
                _ => format!("the format {} holds no columns of {of}; write a .gwg file to keep them", format.name()),
            }));
        }
        notes.extend(graph.rounded_weight().filter(|rounded| !rounded.asked).map(ToString::to_string));
        notes.extend(graph.wide_weights());
        notes.extend(graph.reading_notes());
        let mut seconds = phases;
        seconds.push(("write".to_string(), start.elapsed().as_secs_f64()));
        let outcome = Outcome {
            source,
            output: path.to_path_buf(),
            format: format.name(),
            bytes,
            vertices: graph.vertices(),
            edges: graph.edges(),
            symmetric: graph.is_symmetric(),
            weighted: graph.is_weighted(),
            seconds,
            notes,
        };
        match self.json {
            true => crate::output::json(&outcome),
            false => describe::outcome(&outcome),
        }
    }
}

/// Seconds by phase.
pub type Phases = Vec<(String, f64)>;

/// Loads a spec with a progress bar. Returns the graph, its canonical spec and the time of each phase.
pub fn load(spec: &str, columns: &Columns) -> Result<(Graph, String, Phases), CliError> {
    let bar = Bar::new();
    let loaded = columns.apply(GraphSpec::parse(spec)?)?.load(&bar)?;
    let phases = loaded.phases.iter().map(|p| (p.name.to_string(), p.seconds)).collect();
    Ok((loaded.graph, loaded.description, phases))
}
