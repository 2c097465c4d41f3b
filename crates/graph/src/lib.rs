//! Graphs for Graphwright: storage, building, file formats, generators, statistics and reordering.
//!
//! A [`Graph`] is a pair of sorted adjacencies ([`Adjacency`], CSR) over ids `0..vertices`. It comes from an
//! [`EdgeList`] through [`build()`], and edge lists come from readers and generators. Nothing here knows an algorithm.

mod adjacency;
pub mod attributes;
mod buffer;
mod build;
mod cache_folder;
pub mod columns;
mod contract;
mod csr;
pub mod derived;
mod dictionary;
mod edge_list;
mod edges_hash;
mod error;
pub mod folders;
pub mod format;
mod from_arrays;
pub mod generate;
mod graph;
mod graph_id;
mod huge_pages;
mod links;
mod made;
mod mapped;
pub mod memory;
mod names;
mod numbering;
mod offsets;
mod parallel;
mod part;
pub mod partial_file;
pub mod progress;
mod remote_lists;
mod renumbering;
mod reorder;
pub mod rng;
mod rows;
mod same_file;
mod scatter;
mod share;
mod spans;
pub mod spec;
pub mod stats;
mod stream;
pub mod text_file;
mod validate;
mod vertex_limit;
pub mod vertex_values;
mod weighing;
mod weight_conversion;
mod weights;

pub use adjacency::Adjacency;
pub use buffer::Buffer;
pub use build::{BuildOptions, Symmetry, build, build_any};
pub use cache_folder::cache_folder;
pub use dictionary::{Dictionary, NoNumber};
pub use edge_list::{AnyEdgeList, EdgeChunk, EdgeList};
pub use error::{GraphError, Result};
pub use graph::Graph;
pub use graph_id::{AdjacencyId, GraphId};
pub use huge_pages::ZeroedCells;
pub use mapped::{MappedFile, explain_bus_errors};
pub use names::{Name, Names, ShownVertex};
pub use numbering::Numbering;
pub use offsets::Offsets;
pub use remote_lists::RemoteLists;
pub use renumbering::{Permutation, Renumbering};
pub use reorder::Reorder;
pub use rows::{Parallel, build_rows};
pub use same_file::is_same_file;
pub use share::Share;
pub use spans::Spans;
pub use spec::GraphSpec;
pub use validate::{Report, validate};
pub use vertex_limit::MAX_VERTICES;
pub use weighing::ConstantWeight;
pub use weights::{RoundedWeight, Weight, WeightKind, Weights};

/// A vertex: an index below the number of vertices.
pub type VertexId = u32;
