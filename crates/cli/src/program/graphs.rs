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

use crate::progress::Bar;

/// The graphs of one program, as it sees them.
pub struct Graphs {
    /// What was loaded.
    given: Arc<Given>,
    /// What this program sees in place of a graph that others see as it was given.
    views: SpecGraphs,
    by_ids: bool,
}

/// Loads files and specs and keeps what was loaded, for all programs of a command.
#[derive(Default)]
pub struct Given {
    source: SpecGraphs,
    told: Mutex<HashSet<String>>,
    /// Several programs need the graphs as they were given, or a file that is written.
    is_kept: bool,
    /// The number of this process and of all: process K loads part K of a graph in parts.
    process: OnceLock<(usize, usize)>,
}

impl Graphs {
    /// The graphs of a program. The vertices of a standard program are named by their ids (`by_ids`): numbers of such
    /// vertices are no news.
    pub fn new(given: Arc<Given>, by_ids: bool) -> Self {
        Graphs { given, views: SpecGraphs::new(), by_ids }
    }
}

impl Given {
    /// Nothing yet. Where `is_kept`, a graph stays as it was given also where a program sees it in another way.
    pub fn new(is_kept: bool) -> Given {
        Given { is_kept, ..Given::default() }
    }

    /// The graph as it was given, where it was loaded.
    pub fn graph(&self, text: &str) -> Option<Arc<Graph>> {
        self.source.has(text).then(|| self.source.load(text, None).ok()).flatten()
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
        match self.given.is_kept {
            true => self.views.insert(text, graph),
            // Nobody needs the graph as it was given any more.
            false => self.given.source.insert(text, graph),
        }
    }

    fn ask(&self, columns: &[String]) {
        self.given.source.ask(columns);
    }
}

impl GraphSource for Graphs {
    fn load(&self, text: &str, weight: Option<Scalar>) -> gw_exec::Result<Arc<Graph>> {
        if self.views.has(text) {
            return self.views.load(text, weight);
        }
        let given = &self.given;
        if is_parted(Path::new(text)) && !given.source.has(text) {
            given.source.insert(text, Arc::new(given.part(Path::new(text))?));
        }
        let is_new = !given.source.has(text);
        let graph = match given.process.get() {
            // One process shows a bar.
            Some(&(process, _)) if process > 0 => given.source.load(text, weight)?,
            _ => given.source.load_with(text, weight, &Bar::late())?,
        };
        // Weights as a program wants them make another graph.
        if is_new {
            let graph = given.source.load(text, None)?;
            graph.reading_notes().iter().for_each(|note| eprintln!("note: {text}: {note}"));
        }
        if let Some(numbering) = graph.numbering().filter(|_| !self.by_ids || graph.names().is_none())
            && given.told.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_string())
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
