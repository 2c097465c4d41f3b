//! The graph at hand: loaded, hashed, its properties worked out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gw_exec::{SpecGraphs, graph_features};
use gw_graph::progress::Silent;
use gw_graph::stats::{Statistics, StatsOptions};
use gw_graph::{Graph, GraphSpec, VertexId};
use gw_schedule::Feature;
use xxhash_rust::xxh3::Xxh3;

use super::compiled::GRAPH;
use crate::sources;

/// A graph as the programs of the lab load it.
pub(super) struct AtHand {
    pub(super) graph: Arc<Graph>,
    pub(super) source: Arc<SpecGraphs>,
    pub(super) content_hash: String,
}

impl AtHand {
    /// Reads or makes a graph. A file is looked for in `folder` first, by its name.
    pub(super) fn load(path: &str, folder: Option<&Path>) -> Result<AtHand, String> {
        let text = folder.and_then(|folder| in_folder(path, folder)).unwrap_or_else(|| path.to_string());
        let spec = GraphSpec::parse(&text).map_err(|error| error.to_string())?;
        let graph = Arc::new(spec.load(&Silent).map_err(|error| error.to_string())?.graph);
        let source = Arc::new(SpecGraphs::new());
        source.insert(GRAPH, Arc::clone(&graph));
        let content_hash = content_hash(&graph);
        Ok(AtHand { graph, source, content_hash })
    }

    /// The class of the graph in a word, and its properties.
    pub(super) fn properties(&self) -> (String, Vec<(Feature, f64)>) {
        let statistics = Statistics::of(&self.graph, &StatsOptions::default());
        let features = graph_features(&self.graph);
        let of_graph = Feature::ALL.iter().filter(|feature| feature.is_of_graph());
        let found = of_graph.map(|&feature| (feature, features[feature.index()])).collect();
        (statistics.class.word().to_string(), found)
    }

    /// The `number`-th root that a seed draws, from 0.
    pub(super) fn root(&self, seed: u32, number: u32) -> Result<VertexId, String> {
        let drawn = sources::choose(self.graph.out(), number as usize + 1, seed.into(), sources::SOURCES);
        drawn.last().copied().ok_or_else(|| "the graph has no edges: there is no vertex to start from".to_string())
    }
}

/// The spec with its file in another folder, if that has a file of this name.
fn in_folder(path: &str, folder: &Path) -> Option<String> {
    let (before, name) = path.rsplit_once('/').unwrap_or(("", path));
    let at = folder.join(name);
    // Options such as `:sym` come after the name of the file.
    let file = PathBuf::from(name.split(':').next()?);
    let is_file = !before.is_empty() || file.extension().is_some();
    (is_file && folder.join(file).is_file()).then(|| at.to_string_lossy().into_owned())
}

/// A number of 128 bits that tells graphs apart: vertices, lists of neighbours, weights.
fn content_hash(graph: &Graph) -> String {
    let out = graph.out();
    let mut hash = Xxh3::new();
    hash.update(&(graph.vertices() as u64).to_le_bytes());
    for v in 0..graph.vertices() as VertexId {
        let list = out.neighbours(v);
        hash.update(&(list.len() as u64).to_le_bytes());
        hash.update(bytemuck::cast_slice(list));
    }
    hash.update(out.weights().as_bytes());
    format!("{:032x}", hash.digest128())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_a_directed_and_a_symmetric_star() {
        let value = |at_hand: &AtHand, feature| {
            at_hand.properties().1.into_iter().find(|(f, _)| *f == feature).map(|(_, value)| value)
        };
        let star = AtHand::load("star:11:directed", None).unwrap();
        assert_eq!(value(&star, Feature::Vertices), Some(11.0));
        assert_eq!(value(&star, Feature::Edges), Some(10.0));
        assert_eq!(value(&star, Feature::DegreeMax), Some(10.0));
        assert_eq!(star.properties().1.len(), 23);
        // Every edge goes in and out at both ends.
        let star = AtHand::load("star:11", None).unwrap();
        assert_eq!(value(&star, Feature::OutDegreeMax), Some(10.0));
        assert_eq!(value(&star, Feature::DegreeMax), Some(20.0));
    }

    #[test]
    fn hashes_tell_graphs_apart() {
        let hash = |spec: &str| AtHand::load(spec, None).unwrap().content_hash;
        assert_eq!(hash("kron:6:seed=1"), hash("kron:6:seed=1"));
        assert_ne!(hash("kron:6:seed=1"), hash("kron:6:seed=2"));
        assert_ne!(hash("path:9"), hash("path:9:weights=1..5"));
        assert_ne!(hash("path:9"), hash("path:10"));
    }

    #[test]
    fn files_are_found_in_another_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("two.el"), "0 1\n1 2\n").unwrap();
        let found = AtHand::load("gone/two.el:sym", Some(folder.path())).unwrap();
        assert_eq!(found.graph.edges(), 4);
        assert!(AtHand::load("gone/two.el", None).is_err());
        assert!(AtHand::load("path:3", Some(folder.path())).is_ok());
    }
}
