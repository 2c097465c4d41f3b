//! The graphs of `gw run`: loaded as everywhere, with a word where vertices have other numbers than in their file.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gw_exec::{GraphSource, GraphStore, SpecGraphs};
use gw_flow::Cluster;
use gw_graph::format::{PartedGraph, is_parted};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphError, Numbering};
use gw_ir::types::Scalar;

/// Loads files and specs and keeps what was loaded.
#[derive(Default)]
pub struct Graphs {
    source: SpecGraphs,
    told: Mutex<HashSet<String>>,
    by_ids: bool,
    /// The number of this process and of all: process K loads part K of a graph in parts.
    process: OnceLock<(usize, usize)>,
}

impl Graphs {
    /// Graphs of a standard program, whose vertices people name by their ids: numbers of such vertices are no news.
    pub fn by_ids() -> Self {
        Graphs { by_ids: true, ..Graphs::default() }
    }

    /// Says which process of how many this one is, before the first graph; on other machines than flow, graphs in parts
    /// are refused.
    pub fn set_process(&self, is_flow: bool, cluster: Option<&Cluster>) {
        if is_flow {
            let place = cluster.map_or((0, 1), |cluster| (cluster.process(), cluster.number()));
            // There is one call.
            let _ = self.process.set(place);
        }
    }

    /// The part of a graph in parts that is this process's.
    fn part(&self, folder: &Path) -> gw_exec::Result<Graph> {
        let parted = PartedGraph::open(folder)?;
        let parts = parted.parts.len();
        match self.process.get() {
            Some(&(process, processes)) if processes == parts => Ok(parted.load(process, &Silent)?),
            Some((_, processes)) => {
                let message = format!("the graph is in {parts} parts, but there are {processes} processes: as many");
                Err(GraphError::file(folder, message + " as parts are needed, or other parts").into())
            }
            None => {
                let message = format!("the graph is in {parts} parts: --target flow --processes {parts} runs on them");
                Err(GraphError::file(folder, message).into())
            }
        }
    }
}

impl GraphStore for Graphs {
    fn keep(&self, text: &str, graph: Arc<Graph>) {
        self.source.insert(text, graph);
    }
}

impl GraphSource for Graphs {
    fn load(&self, text: &str, weight: Option<Scalar>) -> gw_exec::Result<Arc<Graph>> {
        if is_parted(Path::new(text)) && !self.source.has(text) {
            self.source.insert(text, Arc::new(self.part(Path::new(text))?));
        }
        let graph = self.source.load(text, weight)?;
        if let Some(numbering) = graph.numbering().filter(|_| !self.by_ids || graph.names().is_none())
            && self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_string())
        {
            eprintln!("note: {}", note(text, numbering));
        }
        Ok(graph)
    }
}

fn note(name: &str, numbering: &Numbering) -> String {
    match numbering {
        Numbering::Dense { .. } | Numbering::Texts { .. } => {
            format!("{name}: {numbering}; `--top` and tables of `--out` show the ids, the program has the numbers")
        }
        Numbering::FromOne => format!("{name}: {numbering}"),
    }
}
