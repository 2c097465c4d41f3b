//! `gw graph partition`.

use std::path::PathBuf;

use clap::Args;
use gw_graph::format::{PartedGraph, part_files, write_parts};
use serde::Serialize;

use super::columns::Columns;
use super::load;
use crate::apart::Apart;
use crate::error::CliError;
use crate::output::grouped;
use crate::progress::Bar;

/// Arguments of `gw graph partition`.
#[derive(Args)]
pub struct Partition {
    /// The graph: a file or a spec
    input: String,
    /// The number of parts; as many processes can run on them
    parts: usize,
    /// The folder to write the parts to
    folder: PathBuf,
    #[command(flatten)]
    columns: Columns,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Serialize)]
struct Outcome {
    source: String,
    folder: PathBuf,
    vertices: usize,
    edges: usize,
    parts: Vec<Part>,
}

/// A part, as it is told.
#[derive(Serialize)]
struct Part {
    first_vertex: u32,
    vertices: usize,
    out_edges: usize,
    in_edges: usize,
    bytes: u64,
}

impl Partition {
    pub fn run(self) -> Result<(), CliError> {
        let files: Vec<PathBuf> = part_files(&self.folder, self.parts).collect();
        Apart::reading([&*self.input]).writing("the file", files.iter().map(|file| &**file)).check()?;
        let (graph, source, _) = load(&self.input, &self.columns)?;
        if graph.names().is_some() {
            let message = "parts hold no ids of vertices; convert the graph to .gwg first, with --id-map FILE for ids";
            return Err(CliError::Usage(message.to_string()));
        }
        let bar = Bar::new();
        let written = write_parts(&graph, self.parts, &self.folder, &bar)?;
        drop(bar);
        let outcome = Outcome::of(source, self.folder, &written)?;
        if self.json {
            return crate::output::json(&outcome);
        }
        let (vertices, edges) = (grouped(outcome.vertices as u64), grouped(outcome.edges as u64));
        println!("{}: {vertices} vertices, {edges} edges, in {} parts", outcome.folder.display(), self.parts);
        for (i, part) in outcome.parts.iter().enumerate() {
            let (vertices, edges) = (grouped(part.vertices as u64), grouped(part.out_edges as u64));
            let (incoming, bytes) = (grouped(part.in_edges as u64), grouped(part.bytes));
            let first = part.first_vertex;
            println!("part {i}: {vertices} vertices from {first} on, {edges} out, {incoming} in, {bytes} bytes");
        }
        Ok(())
    }
}

impl Outcome {
    fn of(source: String, folder: PathBuf, written: &PartedGraph) -> Result<Outcome, CliError> {
        let part = |(i, part): (usize, &gw_graph::format::PartFile)| {
            let (first_vertex, vertices) = (part.range.start, part.range.len());
            let (out_edges, in_edges) = (part.out_edges, part.in_edges);
            Ok(Part { first_vertex, vertices, out_edges, in_edges, bytes: written.bytes(i)? })
        };
        let parts = written.parts.iter().enumerate().map(part).collect::<Result<_, CliError>>()?;
        Ok(Outcome { source, folder, vertices: written.vertices, edges: written.edges, parts })
    }
}
