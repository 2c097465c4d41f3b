//! Shortest paths from the results of searches: the parent of every vertex, and the path to a target.
//!
//! Programs leave distances: writing a distance and a parent in one atomic update would slow every relaxation down. An
//! edge is *tight* when the distance of its end equals that of its start plus its weight, added in the precision of the
//! program; a path of tight edges is a shortest path. A breadth-first search along tight edges reaches every vertex
//! with the fewest edges possible and is not confused by cycles of length 0. It visits lists of neighbours in order, so
//! that among several shortest paths it takes the one with the fewest edges, and among these the one whose vertices,
//! compared from the source on, have the least numbers. The path is the same on every machine and for any number of
//! threads.

mod check;
mod lengths;
mod tree;

use gw_graph::VertexId;
use serde::Serialize;

use crate::registry::{ArgKind, Program};
use crate::results::Number;
use crate::validate::{Invalid, Run};
pub(crate) use check::is_path;
use tree::{NONE, Tree};

/// To which vertices the runs of a program lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathKind {
    /// To all vertices in reach of the source.
    ToAll,
    /// To the vertex that the argument of kind [`ArgKind::Target`] names.
    ToTarget,
    /// The program lists paths among its results.
    Listed,
}

/// The result that is worked out where it is asked for: the vertex before each on a shortest path.
pub const PARENT: &str = "parent";

/// A path with its length.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The vertices, from the source to the target; one where these are the same.
    pub vertices: Vec<VertexId>,
    /// The weights of the edges between them; 1 where the program counts hops.
    pub weights: Vec<Number>,
    /// The sum of the weights, added from the source on in the precision of the program.
    pub length: Number,
}

impl Path {
    /// The number of edges.
    pub fn hops(&self) -> usize {
        self.weights.len()
    }
}

/// Why a run has no path to tell of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The program is no search for paths.
    #[error("{program} finds no paths; the programs that do are {}", finders())]
    NoPaths {
        /// The program.
        program: String,
    },
    /// A path to another vertex than the target of the run.
    #[error("{program} finds the path to its target {target} only, not to {asked}; `sssp` finds paths to all vertices")]
    OtherTarget {
        /// The program.
        program: &'static str,
        /// The target of the run, as the caller names vertices.
        target: String,
        /// The vertex asked for.
        asked: String,
    },
    /// The graph is there in part only, so that lists of neighbours are missing.
    #[error("a path needs the whole graph, but this process has a part of it; give the graph as one file")]
    InParts,
    /// There is no such vertex.
    #[error("there is no vertex {vertex}: the graph has {vertices}")]
    NoVertex {
        /// The number asked for.
        vertex: VertexId,
        /// The number of vertices.
        vertices: usize,
    },
    /// The run has no result.
    #[error("{0}")]
    NoResult(String),
    /// The results do not hold together.
    #[error("the result is wrong: {0}")]
    Wrong(#[from] Invalid),
}

fn finders() -> String {
    let finders = crate::programs().iter().filter(|program| program.paths.is_some());
    finders.map(|program| program.name).collect::<Vec<_>>().join(", ")
}

impl Program {
    /// The only vertex to which runs with these checked arguments find paths; `None` where they find paths to all.
    pub fn only_target(&self, args: &[String]) -> Option<VertexId> {
        let at = self.args.iter().position(|arg| arg.kind == ArgKind::Target)?;
        args.get(at).filter(|_| matches!(self.paths, Some(PathKind::ToTarget | PathKind::Listed)))?.parse().ok()
    }

    /// The vertex from which the paths of a finished run lead.
    pub fn source_of(&self, run: &Run<'_>) -> Result<VertexId, PathError> {
        let at = self.args.iter().position(|arg| arg.kind == ArgKind::Source);
        let at = at.ok_or_else(|| PathError::NoPaths { program: self.name.to_string() })?;
        Ok(run.vertex_arg(at + 1)?)
    }

    /// Whether [`Program::parents`] has an answer.
    pub fn has_parents(&self) -> bool {
        matches!(self.paths, Some(PathKind::ToAll | PathKind::ToTarget))
    }

    /// The greatest number of hops of the paths that a run looked for, where there is a limit.
    pub fn most_hops(&self, run: &Run<'_>) -> Option<usize> {
        let at = self.args.iter().position(|arg| arg.name == "hops")?;
        run.count_arg(at + 1).ok()
    }

    /// Whether lengths of paths are numbers of hops, whatever the weights.
    pub fn counts_hops(&self) -> bool {
        self.reached.is_some_and(|reached| reached.vector != "dist")
    }

    /// The vertex before each on a shortest path: the source is its own parent, vertices out of reach have -1. Programs
    /// with a target know vertices up to the distance of the target; the others count as out of reach.
    pub fn parents(&self, run: &Run<'_>) -> Result<Vec<i32>, PathError> {
        let tree = Tree::new(self, run)?;
        let parents = tree.grow(&[], self.only_target(run.args).and_then(|target| tree.reach_of(&[target])));
        Ok(parents.into_iter().map(|parent| if parent == NONE { -1 } else { parent as i32 }).collect())
    }

    /// The shortest path from the source of a finished run to each of these vertices; `None` where there is none. Of
    /// several it is the one with the fewest edges, then the one with the least vertex numbers from the source on.
    ///
    /// ```
    /// use gw_graph::{BuildOptions, EdgeList, build};
    /// use gw_programs::{ResultMap, Run, find};
    /// let edges = EdgeList::from_triples(4, vec![(0, 1, 2), (1, 3, 2), (0, 2, 4)]);
    /// let graph = build(edges, &BuildOptions::default()).unwrap();
    /// let results = ResultMap::new()
    ///     .with_vector("dist", vec![0, 2, 4, 4])
    ///     .with_scalar("negative_cycle", false)
    ///     .with_scalar("too_long", false);
    /// let run = Run { graph: &graph, args: &["edges.wel".into(), "0".into()], results: &results };
    /// let paths = find("sssp").unwrap().shortest_paths(&run, &[3]).unwrap();
    /// assert_eq!(paths[0].as_ref().unwrap().vertices, [0, 1, 3]);
    /// ```
    pub fn shortest_paths(&self, run: &Run<'_>, targets: &[VertexId]) -> Result<Vec<Option<Path>>, PathError> {
        let tree = Tree::new(self, run)?;
        let vertices = run.graph.vertices();
        if let Some(&vertex) = targets.iter().find(|&&target| target as usize >= vertices) {
            return Err(PathError::NoVertex { vertex, vertices });
        }
        if let Some(only) = self.only_target(run.args)
            && let Some(&asked) = targets.iter().find(|&&target| target != only)
        {
            let (target, asked) = (only.to_string(), asked.to_string());
            return Err(PathError::OtherTarget { program: self.name, target, asked });
        }
        let known: Vec<VertexId> = targets.iter().copied().filter(|&target| tree.lengths.are_known(target)).collect();
        let mut paths = tree.paths(&known)?.into_iter();
        Ok(targets.iter().map(|&target| if tree.lengths.are_known(target) { paths.next() } else { None }).collect())
    }
}
