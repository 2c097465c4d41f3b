//! Graph generators: deterministic by seed and independent of the number of threads.
//!
//! Every generator is a plain value that implements [`Generator`]; the table [`generators`] names them all for specs
//! and help. Work is cut into fixed blocks with a random stream each (see `blocks.rs`), so threads never matter.
//!
//! All models are undirected: [`Generator::edges`] lists each edge once, and a graph is made by mirroring. Without
//! mirroring (`directed` in a spec) each edge keeps the direction in which it was listed.

mod bipartite;
mod blocks;
mod complete;
pub mod degrees;
pub mod evolve;
mod grid;
mod hash;
mod kron;
mod params;
mod path;
mod powerlaw;
mod regular;
mod road;
mod shape;
mod size;
mod small_world;
mod star;
mod tree;
mod urand;
mod weights;

use std::fmt;
use std::sync::Arc;

use crate::progress::Progress;
use crate::{EdgeList, Result};

pub use bipartite::Bipartite;
pub use complete::Complete;
pub use degrees::Degrees;
pub use evolve::Evolve;
pub use grid::Grid;
pub use kron::Kron;
pub use params::Params;
pub(crate) use params::suggestion;
pub use path::{Cycle, Path};
pub use powerlaw::PowerLaw;
pub use regular::Regular;
pub use road::Road;
pub use shape::Shape;
pub use size::Size;
pub use small_world::SmallWorld;
pub use star::Star;
pub use tree::Tree;
pub use urand::Urand;
pub use weights::WeightRange;

/// A recipe for graphs of one model with fixed parameters.
///
/// ```
/// use gw_graph::generate::{Generator, Urand};
/// use gw_graph::{build, progress::Silent, BuildOptions};
/// let edges = Urand { scale: 8, edge_factor: 4 }.edges(7, &Silent).unwrap();
/// let graph = build(edges, &BuildOptions { symmetrise: true, ..Default::default() }).unwrap();
/// assert_eq!(graph.vertices(), 256);
/// ```
pub trait Generator: fmt::Debug + Send + Sync {
    /// The canonical spec text, such as `kron:20`: parameters that have their default are left out.
    fn spec(&self) -> String;

    /// Vertices and undirected edges to expect, before anything is allocated.
    fn size(&self) -> Size;

    /// The edges under `seed`, each once. Loops and parallel edges may occur where the model draws them; the builder
    /// removes them.
    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList>;
}

/// A row of the table of generators.
#[derive(Debug)]
pub struct GeneratorInfo {
    /// First part of the spec.
    pub name: &'static str,
    /// Parameters after the name; those in brackets may be left out.
    pub parameters: &'static str,
    /// What it makes, in one line.
    pub summary: &'static str,
    /// A spec that works.
    pub example: &'static str,
    make: fn(&mut Params) -> Result<Arc<dyn Generator>>,
}

impl GeneratorInfo {
    /// The generator with these parameters.
    pub fn make(&self, params: &mut Params) -> Result<Arc<dyn Generator>> {
        let generator = (self.make)(params)?;
        params.finish(self.parameters)?;
        Ok(generator)
    }
}

/// All generators, for specs, help and documentation.
pub fn generators() -> &'static [GeneratorInfo] {
    const TABLE: &[GeneratorInfo] = &[
        GeneratorInfo {
            name: "kron",
            parameters: "SCALE[:EDGE_FACTOR=16][:a=0.57][:b=0.19][:c=0.19]",
            summary: "Kronecker (R-MAT) graph with 2^SCALE vertices and permuted ids; Graph500 constants",
            example: "kron:20:16:seed=7",
            make: |p| Ok(Arc::new(Kron::from_params(p)?)),
        },
        GeneratorInfo {
            name: "urand",
            parameters: "SCALE[:EDGE_FACTOR=16]",
            summary: "uniform random graph with 2^SCALE vertices",
            example: "urand:18",
            make: |p| Ok(Arc::new(Urand::from_params(p)?)),
        },
        GeneratorInfo {
            name: "grid",
            parameters: "WIDTHxHEIGHT[xDEPTH]",
            summary: "2-D or 3-D grid, each vertex joined to its neighbours along the axes",
            example: "grid:1000x1000",
            make: |p| Ok(Arc::new(Grid::from_params(p)?)),
        },
        GeneratorInfo {
            name: "road",
            parameters: "WIDTHxHEIGHT[:drop=0.05][:diagonals=0]",
            summary: "road-like perturbed grid: a share of edges dropped, diagonals added, always connected",
            example: "road:1000x1000:weights=1..100",
            make: |p| Ok(Arc::new(Road::from_params(p)?)),
        },
        GeneratorInfo {
            name: "smallworld",
            parameters: "VERTICES[:NEIGHBOURS=10][:REWIRE=0.1]",
            summary: "Watts-Strogatz ring of near neighbours with a share of edges rewired",
            example: "smallworld:100000:10:0.1",
            make: |p| Ok(Arc::new(SmallWorld::from_params(p)?)),
        },
        GeneratorInfo {
            name: "regular",
            parameters: "VERTICES:DEGREE",
            summary: "random simple graph in which every vertex has the same degree",
            example: "regular:100000:8",
            make: |p| Ok(Arc::new(Regular::from_params(p)?)),
        },
        GeneratorInfo {
            name: "powerlaw",
            parameters: "VERTICES[:EXPONENT=2.5][:min=1][:max=sqrt(VERTICES)]",
            summary: "configuration model with power-law degrees, simple",
            example: "powerlaw:100000:2.2:min=2",
            make: |p| Ok(Arc::new(PowerLaw::from_params(p)?)),
        },
        GeneratorInfo {
            name: "star",
            parameters: "VERTICES",
            summary: "vertex 0 joined to all others",
            example: "star:1000:directed",
            make: |p| Ok(Arc::new(Star::from_params(p)?)),
        },
        GeneratorInfo {
            name: "path",
            parameters: "VERTICES",
            summary: "a chain 0-1-2-...",
            example: "path:1000",
            make: |p| Ok(Arc::new(Path::from_params(p)?)),
        },
        GeneratorInfo {
            name: "cycle",
            parameters: "VERTICES",
            summary: "a chain closed to a ring",
            example: "cycle:1000",
            make: |p| Ok(Arc::new(Cycle::from_params(p)?)),
        },
        GeneratorInfo {
            name: "complete",
            parameters: "VERTICES",
            summary: "every pair of vertices joined",
            example: "complete:1000",
            make: |p| Ok(Arc::new(Complete::from_params(p)?)),
        },
        GeneratorInfo {
            name: "bipartite",
            parameters: "LEFT:RIGHT[:EDGES=all]",
            summary: "two sides with EDGES random edges between them, or all (complete bipartite)",
            example: "bipartite:1000:3000:20000",
            make: |p| Ok(Arc::new(Bipartite::from_params(p)?)),
        },
        GeneratorInfo {
            name: "tree",
            parameters: "VERTICES[:ARITY=2|random]",
            summary: "complete tree of that arity, or a random recursive tree",
            example: "tree:1023",
            make: |p| Ok(Arc::new(Tree::from_params(p)?)),
        },
        GeneratorInfo {
            name: "degrees",
            parameters: "VERTICES:DISTRIBUTION[:p=0.05][:unconnected] where DISTRIBUTION is uniform:LOW..HIGH, \
                         normal:MEAN:DEVIATION, exponential:RATE, powerlaw:EXPONENT:LOW..HIGH or file:PATH",
            summary: "simple connected graph with a prescribed degree distribution, accepted by a Kolmogorov-Smirnov test",
            example: "degrees:10000:normal:50:10",
            make: |p| Ok(Arc::new(Degrees::from_params(p)?)),
        },
        GeneratorInfo {
            name: "shape",
            parameters: "ITEMS:MEAN:DEVIATION:MAX[:min=1][:units]",
            summary: "edges from ITEMS vertices whose out-degrees (`directed`) have that mean, standard deviation and \
                      maximum, to random items; with `units` to a vertex of its own per edge",
            example: "shape:325729:5.2:21.4:3445:directed",
            make: |p| Ok(Arc::new(Shape::from_params(p)?)),
        },
        GeneratorInfo {
            name: "evolve",
            parameters: "VERTICES:DISTRIBUTION[:p=0.05][:population=100][:generations=1000]\
                         [:crossover=vertex|edge|point][:insert=N][:delete=N]",
            summary: "the same target reached by an evolutionary search; for up to about 10000 vertices",
            example: "evolve:100:normal:50:10",
            make: |p| Ok(Arc::new(Evolve::from_params(p)?)),
        },
    ];
    TABLE
}
