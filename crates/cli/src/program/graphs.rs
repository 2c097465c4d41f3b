//! The graphs of `gw run`: loaded as everywhere, with a word where vertices have other numbers than in their file.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gw_exec::{GraphSource, SpecGraphs};
use gw_graph::{Graph, Numbering};
use gw_ir::types::Scalar;

/// Loads files and specs and keeps what was loaded.
#[derive(Default)]
pub struct Graphs {
    source: SpecGraphs,
    told: Mutex<HashSet<String>>,
}

impl Graphs {
    /// Makes `text` name this graph.
    pub fn insert(&self, text: &str, graph: Arc<Graph>) {
        self.source.insert(text, graph);
    }
}

impl GraphSource for Graphs {
    fn load(&self, text: &str, weight: Option<Scalar>) -> gw_exec::Result<Arc<Graph>> {
        let graph = self.source.load(text, weight)?;
        if let Some(numbering) = graph.numbering()
            && self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_string())
        {
            eprintln!("note: {}", note(text, numbering));
        }
        Ok(graph)
    }
}

fn note(name: &str, numbering: &Numbering) -> String {
    match numbering {
        Numbering::Dense { .. } => {
            format!("{name}: {numbering}; `gw graph convert {name} OUTPUT --id-map FILE` writes the table")
        }
        Numbering::FromOne => format!("{name}: {numbering}"),
    }
}
