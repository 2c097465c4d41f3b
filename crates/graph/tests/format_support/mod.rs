//! What the tests of file formats share: random graphs, and loading from bytes.
#![allow(dead_code)] // Each test uses its own part.

use std::path::{Path, PathBuf};

use gw_graph::format::{Format, LoadedGraph, ReadOptions, WriteOptions, Written, load, write};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, EdgeList, Graph, Result, WeightKind, build};
use proptest::prelude::*;

/// Loads with default options.
pub fn load_file(path: &Path) -> Result<LoadedGraph> {
    load(path, &ReadOptions::default(), &BuildOptions::default(), &Silent)
}

/// Writes with default options.
pub fn write_file(graph: &Graph, path: &Path) -> Result<Written> {
    write(graph, path, &WriteOptions::default(), &Silent)
}

/// A folder that lives as long as the test, and a way to put files into it.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Loads a file with this content.
    pub fn load(&self, name: &str, content: impl AsRef<[u8]>) -> Result<Graph> {
        load_file(&self.file(name, content)).map(|loaded| loaded.graph)
    }

    /// The message of a file that must not load, without the folder.
    pub fn refusal(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        match self.load(name, content) {
            Ok(graph) => panic!("{name} loaded: {graph:?}"),
            Err(error) => self.message(&error),
        }
    }

    pub fn message(&self, error: &gw_graph::GraphError) -> String {
        error.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }

    /// Names of all files.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// All edges with their weights as numbers (0 where there are none).
pub fn edges(graph: &Graph) -> Vec<(u32, u32, f64)> {
    let out = graph.out();
    let weight = |edge: usize| out.weights().real(edge).unwrap_or(0.0);
    (0..graph.vertices() as u32)
        .flat_map(|v| out.range(v).map(move |edge| (v, edge)))
        .map(|(v, edge)| (v, out.targets()[edge], weight(edge)))
        .collect()
}

/// The usual file name of a format.
pub fn file_name(format: Format, compression: &str) -> String {
    match format {
        Format::Konect => format!("out.graph-of-friends{compression}"),
        _ => format!("g.{}{compression}", format.suffixes()[0]),
    }
}

/// True when the format holds such a graph without loss.
pub fn can_hold(format: Format, graph: &Graph) -> bool {
    let kind = graph.weight_kind();
    let last = graph.vertices().wrapping_sub(1) as u32;
    let touched = |v: u32| graph.out().degree(v) > 0 || graph.out().targets().contains(&v);
    match format {
        Format::El => kind == WeightKind::None && graph.edges() > 0 && touched(last),
        Format::Wel => kind != WeightKind::None && graph.edges() > 0 && touched(last),
        Format::Csv | Format::Tsv | Format::Snap => graph.edges() > 0 && (0..graph.vertices() as u32).all(touched),
        Format::Gr => kind.is_whole(),
        Format::Wsg => kind == WeightKind::Int,
        Format::Metis => graph.is_symmetric() && !kind.is_real(),
        Format::Sg => kind == WeightKind::None,
        Format::AStar | Format::Parquet => false,
        Format::Mtx | Format::Konect | Format::Gwg => true,
        Format::GraphMl | Format::Gexf | Format::Json => true,
        Format::Adj => true,
    }
}

/// Random graphs of every kind: directed or symmetric, weighted or not, with and without isolated vertices.
pub fn graphs() -> impl Strategy<Value = Graph> {
    (0u32..60).prop_flat_map(|n| {
        let edge = (0..n.max(1), 0..n.max(1), any::<i32>(), any::<f32>());
        let most = if n == 0 { 0 } else { 200 };
        (prop::collection::vec(edge, 0..=most), 0..5u8, any::<bool>()).prop_map(move |(edges, kind, symmetrise)| {
            let options = BuildOptions { symmetrise, ..Default::default() };
            let n = n as usize;
            let finite = |f: f32| if f.is_finite() { f } else { 0.5 };
            let graph = match kind {
                0 => build(EdgeList::from_pairs(n, edges.iter().map(|e| (e.0, e.1)).collect()), &options),
                1 => build(EdgeList::from_triples(n, edges.iter().map(|e| (e.0, e.1, e.2))), &options),
                // Weights that no narrower type holds.
                2 => build(
                    EdgeList::from_triples(n, edges.iter().map(|e| (e.0, e.1, i64::from(e.2) << 32 | 1 << 40))),
                    &options,
                ),
                3 => build(
                    EdgeList::from_triples(n, edges.iter().map(|e| (e.0, e.1, f64::from(e.2) / 3.0 + 0.1))),
                    &options,
                ),
                _ => build(EdgeList::from_triples(n, edges.iter().map(|e| (e.0, e.1, finite(e.3)))), &options),
            };
            match graph.unwrap() {
                // Without edges, most formats cannot tell which kind of weights there would be.
                empty if empty.edges() == 0 => build(EdgeList::from_pairs(n, vec![]), &options).unwrap(),
                graph => graph,
            }
        })
    })
}
