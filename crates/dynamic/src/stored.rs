//! A store as a graph, for programs that only read it: without its lock, beside a process that writes to it.
//!
//! A store is read from its newest checkpoint and the log of that. Both are whole at every moment, and the end of a log
//! that is just being written is no whole record, which is left out: what is read is the graph after some batch. Only
//! when the writer begins a new pair do the files of the old one go; then the new pair is read.

use std::path::Path;

use gw_graph::folders::{self, FolderReader};
use gw_graph::{Graph, GraphError, with_weight_type};

use crate::store::{Store, newest, replay};
use crate::weight::EdgeWeight;
use crate::{DynamicError, Result};

/// From now on graph specs name stores as they name files.
pub fn know_stores() {
    let read = |folder: &Path| {
        graph_of(folder).map_err(|error| match error {
            DynamicError::Graph(error) => error,
            DynamicError::Io { action, path, cause } => GraphError::io(action, &path, cause),
            DynamicError::Store { path, problem } => GraphError::file(&path, format!("the store {problem}")),
            other => GraphError::file(folder, other.to_string()),
        })
    };
    folders::read_with(FolderReader { holds_graph: Store::is_at, read });
}

/// The graph that a store keeps, after its last whole batch.
fn graph_of(folder: &Path) -> Result<Graph> {
    loop {
        let found = newest(folder)?.ok_or_else(|| DynamicError::store(folder, "holds no graph"))?;
        let graph = match of_weights::<()>(folder, found) {
            Err(DynamicError::WeightKind { found: kind, .. }) => {
                with_weight_type!(kind, W => of_weights::<W>(folder, found))
            }
            other => other,
        };
        // The writer may have begun a new pair meanwhile, and removed the files that were to be read.
        if graph.is_ok() || newest(folder)? == Some(found) {
            return graph;
        }
    }
}

fn of_weights<W: EdgeWeight>(folder: &Path, found: u64) -> Result<Graph> {
    replay::<W>(folder, found)?.graph.snapshot().to_graph()
}
