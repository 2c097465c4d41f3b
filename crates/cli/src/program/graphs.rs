//! The graphs of `gw run`: loaded as everywhere, with a word where vertices have other numbers than in their file.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gw_exec::{GraphSource, GraphStore, SpecGraphs};
use gw_graph::{Graph, Numbering};
use gw_ir::types::Scalar;

/// Loads files and specs and keeps what was loaded.
#[derive(Default)]
pub struct Graphs {
    source: SpecGraphs,
    told: Mutex<HashSet<String>>,
    by_ids: bool,
}

impl Graphs {
    /// Graphs of a standard program, whose vertices people name by their ids: numbers of such vertices are no news.
    pub fn by_ids() -> Self {
        Graphs { by_ids: true, ..Graphs::default() }
    }
}

impl GraphStore for Graphs {
    fn keep(&self, text: &str, graph: Arc<Graph>) {
        self.source.insert(text, graph);
    }
}

impl GraphSource for Graphs {
    fn load(&self, text: &str, weight: Option<Scalar>) -> gw_exec::Result<Arc<Graph>> {
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
