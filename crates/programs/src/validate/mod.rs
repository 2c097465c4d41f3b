//! Validators: does a result solve the problem on this graph?
//!
//! One file per problem, each with an oracle of its own that shares nothing with the `.gt` program: another method
//! where there is one, otherwise a proof that the values are right (tight paths, residuals). Checks run over vertices
//! in parallel and report the first vertex at fault.

mod betweenness;
mod bfs;
mod bipartite;
mod blocks;
mod bridges;
mod cf;
mod closeness;
mod clustering;
mod coloring;
mod communities;
mod components;
mod counting;
mod distances;
mod eccentricity;
mod edge_betweenness;
mod eigenvector;
mod embedding;
mod flow;
mod forest;
mod harmonic;
mod hits;
mod katz;
mod kcore;
mod labels;
mod length;
mod matching;
mod mis;
mod pagerank;
mod personalised;
mod point_to_point;
mod setcover;
mod several_paths;
mod similar;
mod similarity;
mod spmv;
mod sssp;
mod strong;
mod temporal;
mod topo;
mod triangles;
mod truss;
mod walks;

use std::borrow::Cow;

use gw_graph::{Graph, VertexId, Weights};
use rayon::prelude::*;

use crate::registry::Remark;
use crate::results::{Number, Results, Values};

pub(crate) use betweenness::{bc, betweenness};
pub(crate) use bfs::{bfs, bfs_levels, khop, levels};
pub(crate) use bipartite::bipartite;
pub(crate) use blocks::biconnected;
pub(crate) use bridges::bridges;
pub(crate) use cf::cf;
pub(crate) use closeness::closeness;
pub(crate) use clustering::{lcc, triangles_per_vertex};
pub(crate) use coloring::coloring;
pub(crate) use communities::{leiden, louvain, too_great};
pub(crate) use components::components;
pub(crate) use distances::msbfs;
pub(crate) use eccentricity::{eccentricity, open_bounds};
pub(crate) use edge_betweenness::{edge_betweenness, no_betweenness, weighted_betweenness};
pub(crate) use eigenvector::{eigenvector, unfinished_eigenvector, weighted_eigenvector};
pub(crate) use embedding::fastrp;
pub(crate) use flow::{maxflow, no_flow};
pub(crate) use forest::msf;
pub(crate) use harmonic::harmonic;
pub(crate) use hits::{hits, weighted_hits};
pub(crate) use katz::{katz, unfinished_katz, weighted_katz};
pub(crate) use kcore::kcore;
pub(crate) use labels::cdlp;
pub(crate) use matching::{matching, matching_weighted, no_weight};
pub(crate) use mis::mis;
pub(crate) use pagerank::{
    pagerank, pagerank_delta, pagerank_gs, unfinished_in_place, unfinished_ranks, unfinished_walk, weighted_pagerank,
};
pub(crate) use personalised::{ppr, weighted_ppr};
pub(crate) use point_to_point::{astar, ppsp, too_long};
pub(crate) use setcover::setcover;
pub(crate) use several_paths::{k_shortest_paths, too_long_paths};
pub(crate) use similar::similar;
pub(crate) use similarity::{similarity, similarity_edges};
pub(crate) use spmv::spmv;
pub(crate) use sssp::{INFINITY, no_distances, sssp, sssp_delta};
pub(crate) use strong::scc;
pub(crate) use temporal::{earliest_arrival, temporal_reach};
pub(crate) use topo::topo;
pub(crate) use triangles::triangles;
pub(crate) use truss::ktruss;
pub(crate) use walks::{node2vec, walks};

/// A finished run: what a validator looks at.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The graph as the program loaded it.
    pub graph: &'a Graph,
    /// `argv[1]`, `argv[2]`, ...
    pub args: &'a [String],
    /// What came out.
    pub results: &'a dyn Results,
}

/// Why a result is not right, or cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The run has no global of this name.
    #[error("the run left no result named `{0}`")]
    Missing(&'static str),
    /// The global has another type.
    #[error("the result `{name}` has type {found} instead of {expected}")]
    WrongType {
        /// The global.
        name: &'static str,
        /// The type found.
        found: &'static str,
        /// The type that the program declares.
        expected: &'static str,
    },
    /// The vector has the wrong length.
    #[error("the result `{name}` has {found} entries instead of {expected}")]
    WrongLength {
        /// The vector.
        name: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// An argument of the run makes no sense for this graph.
    #[error("argument {index} of the run: {problem}")]
    Argument {
        /// `argv` index.
        index: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The check needs more memory than may be used.
    #[error("the result cannot be checked: {0}")]
    Memory(String),
    /// A value is wrong.
    #[error("{0}")]
    Wrong(String),
}

impl From<gw_graph::GraphError> for Invalid {
    fn from(error: gw_graph::GraphError) -> Self {
        Invalid::Memory(error.to_string())
    }
}

/// The verdict "wrong", with a formatted sentence.
macro_rules! wrong {
    ($($part:tt)*) => { $crate::validate::Invalid::Wrong(format!($($part)*)) };
}
pub(crate) use wrong;

/// Turns a condition into a verdict.
pub(crate) fn ensure(good: bool, otherwise: impl FnOnce() -> Invalid) -> Result<(), Invalid> {
    if good { Ok(()) } else { Err(otherwise()) }
}

/// Checks all vertices in parallel; the error is that of the least vertex at fault.
pub(crate) fn every_vertex(
    graph: &Graph,
    check: impl Fn(VertexId) -> Result<(), Invalid> + Sync,
) -> Result<(), Invalid> {
    let first = (0..graph.vertices() as VertexId).into_par_iter().with_min_len(256).find_map_first(|v| check(v).err());
    first.map_or(Ok(()), Err)
}

/// The weight of the edge at this position as an integer program reads it; 1 without weights.
#[inline]
pub(crate) fn int_weight(weights: &Weights, edge: usize) -> i64 {
    match weights {
        Weights::None => 1,
        Weights::Int(w) => w[edge].into(),
        Weights::Float(w) => i64::from(w[edge] as i32),
        Weights::Int64(w) => w[edge],
        Weights::Double(w) => w[edge] as i64,
    }
}

/// The weight of the edge at this position as a program with real weights reads it; 1 without weights.
#[inline]
pub(crate) fn real_weight(weights: &Weights, edge: usize) -> f64 {
    weights.real(edge).unwrap_or(1.0)
}

/// The remark of programs that always have a result as good as they promise.
pub(crate) fn nothing(_: &Run<'_>) -> Option<Remark> {
    None
}

/// Checks the end of an iteration whose last change and the one before were worked out again: `change` is told as it
/// was, and the rounds ended at the limit or as soon as the change fell below the tolerance.
pub(crate) fn ended(
    rounds: i128,
    limit: usize,
    change: f64,
    last: f64,
    before: f64,
    tolerance: f64,
    rounding: f64,
) -> Result<(), Invalid> {
    let near = (change - last).abs() <= rounding || (!change.is_finite() && !last.is_finite());
    ensure(near, || wrong!("change is {change:.3e} instead of {last:.3e}"))?;
    ensure(rounds == limit as i128 || change < tolerance || change.is_nan(), || {
        wrong!(
            "the rounds ended after {rounds} of {limit} with the change {change:.2e}, the tolerance being {tolerance:e}"
        )
    })?;
    ensure(rounds == 0 || before >= tolerance - rounding, || {
        wrong!("round {rounds} was done after a change of {before:.2e}, less than the tolerance {tolerance:e}")
    })
}

/// Every edge has its reverse, whatever their weights.
fn has_reverses(graph: &Graph) -> bool {
    let out = graph.out();
    let found = |u: VertexId, v: VertexId| out.neighbours(v).binary_search(&u).is_ok();
    let vertices = (0..graph.vertices() as VertexId).into_par_iter().with_min_len(256);
    graph.is_symmetric() || vertices.all(|u| out.neighbours(u).iter().all(|&v| found(u, v)))
}

macro_rules! typed_vectors {
    ($($method:ident: $t:ty = $variant:ident, $word:literal;)*) => {$(
        pub(crate) fn $method(&self, name: &'static str) -> Result<Cow<'a, [$t]>, Invalid> {
            match self.results.vector(name).ok_or(Invalid::Missing(name))? {
                Values::$variant(v) if v.len() == self.graph.vertices() => Ok(v),
                Values::$variant(v) => {
                    Err(Invalid::WrongLength { name, found: v.len(), expected: self.graph.vertices() })
                }
                other => Err(Invalid::WrongType { name, found: other.type_name(), expected: $word }),
            }
        }
    )*};
}

impl<'a> Run<'a> {
    typed_vectors! {
        ints: i32 = Int, "int";
        uint64s: u64 = Uint64, "uint_64";
        floats: f32 = Float, "float";
        doubles: f64 = Double, "double";
        bools: bool = Bool, "bool";
    }

    /// A nested vector of floats, `width` per vertex.
    pub(crate) fn rows(&self, name: &'static str, width: usize) -> Result<Cow<'a, [f32]>, Invalid> {
        let expected = width * self.graph.vertices();
        match self.results.vector(name).ok_or(Invalid::Missing(name))? {
            Values::Float(v) if v.len() == expected => Ok(v),
            Values::Float(v) => Err(Invalid::WrongLength { name, found: v.len(), expected }),
            other => Err(Invalid::WrongType { name, found: other.type_name(), expected: "float" }),
        }
    }

    /// A nested vector of doubles, `width` per vertex.
    pub(crate) fn double_rows(&self, name: &'static str, width: usize) -> Result<Cow<'a, [f64]>, Invalid> {
        let expected = width * self.graph.vertices();
        match self.results.vector(name).ok_or(Invalid::Missing(name))? {
            Values::Double(v) if v.len() == expected => Ok(v),
            Values::Double(v) => Err(Invalid::WrongLength { name, found: v.len(), expected }),
            other => Err(Invalid::WrongType { name, found: other.type_name(), expected: "double" }),
        }
    }

    /// The length of the rows of a nested vector, of which `wanted` entries are asked for: as many, or the usual length
    /// in the program's text where that is enough.
    pub(crate) fn row_length(&self, name: &'static str, wanted: usize, written: u32) -> Result<usize, Invalid> {
        let (exact, usual, vertices) = (wanted.max(1), written as usize, self.graph.vertices());
        let found = self.results.vector(name).ok_or(Invalid::Missing(name))?.len();
        Ok(if usual >= exact && found == usual * vertices { usual } else { exact })
    }

    /// A nested vector of ints, `width` per vertex.
    pub(crate) fn int_rows(&self, name: &'static str, width: usize) -> Result<Cow<'a, [i32]>, Invalid> {
        self.sized_ints(name, width * self.graph.vertices())
    }

    /// A vector of ints over edges.
    pub(crate) fn edge_ints(&self, name: &'static str) -> Result<Cow<'a, [i32]>, Invalid> {
        self.sized_ints(name, self.graph.edges())
    }

    /// A vector of doubles over edges.
    pub(crate) fn edge_doubles(&self, name: &'static str) -> Result<Cow<'a, [f64]>, Invalid> {
        match self.results.vector(name).ok_or(Invalid::Missing(name))? {
            Values::Double(v) if v.len() == self.graph.edges() => Ok(v),
            Values::Double(v) => Err(Invalid::WrongLength { name, found: v.len(), expected: self.graph.edges() }),
            other => Err(Invalid::WrongType { name, found: other.type_name(), expected: "double" }),
        }
    }

    /// A vector has an entry per vertex.
    pub(crate) fn one_per_vertex(&self, name: &'static str, found: usize) -> Result<(), Invalid> {
        let expected = self.graph.vertices();
        if found == expected { Ok(()) } else { Err(Invalid::WrongLength { name, found, expected }) }
    }

    fn sized_ints(&self, name: &'static str, expected: usize) -> Result<Cow<'a, [i32]>, Invalid> {
        match self.results.vector(name).ok_or(Invalid::Missing(name))? {
            Values::Int(v) if v.len() == expected => Ok(v),
            Values::Int(v) => Err(Invalid::WrongLength { name, found: v.len(), expected }),
            other => Err(Invalid::WrongType { name, found: other.type_name(), expected: "int" }),
        }
    }

    pub(crate) fn integer(&self, name: &'static str) -> Result<i128, Invalid> {
        match self.results.scalar(name).ok_or(Invalid::Missing(name))? {
            Number::Integer(value) => Ok(value),
            Number::Real(_) => Err(Invalid::WrongType { name, found: "double", expected: "int" }),
        }
    }

    pub(crate) fn real(&self, name: &'static str) -> Result<f64, Invalid> {
        match self.results.scalar(name).ok_or(Invalid::Missing(name))? {
            Number::Real(value) => Ok(value),
            Number::Integer(_) => Err(Invalid::WrongType { name, found: "int", expected: "double" }),
        }
    }

    /// `argv[index]` as a number.
    pub(crate) fn count_arg(&self, index: usize) -> Result<usize, Invalid> {
        let bad = |problem: String| Invalid::Argument { index, problem };
        let text = self.args.get(index - 1).ok_or_else(|| bad("it is missing".into()))?;
        text.trim().parse().map_err(|_| bad(format!("`{text}` is not a number from 0 on")))
    }

    /// `argv[index]` as a real number.
    pub(crate) fn real_arg(&self, index: usize) -> Result<f64, Invalid> {
        let bad = |problem: String| Invalid::Argument { index, problem };
        let text = self.args.get(index - 1).ok_or_else(|| bad("it is missing".into()))?;
        text.trim().parse().map_err(|_| bad(format!("`{text}` is not a number")))
    }

    /// `argv[index]` as a vertex of the graph.
    pub(crate) fn vertex_arg(&self, index: usize) -> Result<VertexId, Invalid> {
        let vertex = self.count_arg(index)?;
        let vertices = self.graph.vertices();
        ensure(vertex < vertices, || Invalid::Argument {
            index,
            problem: format!("there is no vertex {vertex}, the graph has {vertices}"),
        })?;
        Ok(vertex as VertexId)
    }

    /// The problem is defined on undirected graphs only; weights in the two directions may differ.
    pub(crate) fn needs_symmetric(&self) -> Result<(), Invalid> {
        ensure(has_reverses(self.graph), || Invalid::Argument {
            index: 1,
            problem: "the graph is not symmetric; add `:sym` to its spec".into(),
        })
    }
}
