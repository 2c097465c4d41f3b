//! Folders that hold a graph: which there are and how one is read is known to a crate above this one.
//!
//! The crate dynamic keeps graphs that change in folders, and imports this crate. It registers its reader here, so that
//! a [`GraphSpec`](crate::GraphSpec) names such a folder wherever it names a file.

use std::path::Path;
use std::sync::OnceLock;

use crate::{Graph, Result};

/// How folders that hold a graph are known and read.
#[derive(Debug, Clone, Copy)]
pub struct FolderReader {
    /// Whether a path leads to such a folder.
    pub holds_graph: fn(&Path) -> bool,
    /// The graph in it.
    pub read: fn(&Path) -> Result<Graph>,
}

static READER: OnceLock<FolderReader> = OnceLock::new();

/// From now on graph specs name such folders. The first call counts.
pub fn read_with(reader: FolderReader) {
    let _ = READER.set(reader);
}

/// The reader of this path, if it leads to a folder that holds a graph.
pub(crate) fn reader(path: &Path) -> Option<&'static FolderReader> {
    READER.get().filter(|reader| path.is_dir() && (reader.holds_graph)(path))
}
