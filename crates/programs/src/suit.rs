//! The graph that a standard program gets: the one given, seen as the program needs it, or a refusal before the run.

use std::sync::Arc;

use gw_exec::shown_graph;
use gw_graph::derived::NotSimple;
use gw_graph::{Graph, GraphSpec, WeightKind};

use crate::registry::Program;

/// A program with a graph that suits it.
pub struct Suited {
    /// The program.
    pub program: &'static Program,
    /// The graph as the program gets it.
    pub graph: Arc<Graph>,
    /// What is not as given, one sentence each.
    pub notes: Vec<String>,
}

/// Why a program cannot run on a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsuitable {
    /// A weight that is kept as another number.
    #[error(
        "{program} cannot run on {}: {rounded}; change the unit of the weights so that numbers of 64 bits hold them",
        shown_graph(graph)
    )]
    Rounded {
        /// The program.
        program: &'static str,
        /// The graph as its argument names it.
        graph: String,
        /// The first such weight.
        rounded: String,
    },
    /// The graph as the program needs it takes more memory than may be used.
    #[error("{0}")]
    Memory(String),
    /// Loops or parallel edges.
    #[error(
        "{program} needs a graph without loops and parallel edges, but {} has {what} at vertex {vertex}; {}",
        shown_graph(graph),
        simplify(graph)
    )]
    NotSimple {
        /// The program.
        program: &'static str,
        /// The graph as its argument names it.
        graph: String,
        /// A loop or parallel edges.
        what: &'static str,
        /// The first vertex that has one, by its original id where the graph has such.
        vertex: String,
    },
    /// Directed, and in parts.
    #[error(
        "{program} is for undirected graphs, but {} holds the parts of a directed one; make them of GRAPH:sym",
        shown_graph(graph)
    )]
    DirectedParts {
        /// The program.
        program: &'static str,
        /// The graph as its argument names it.
        graph: String,
    },
    /// Negative weights.
    #[error(
        "{program} needs weights from 0 on, but {} has the weight {weight}; {}",
        shown_graph(graph),
        mend(*instead)
    )]
    Negative {
        /// The program.
        program: &'static str,
        /// The graph as its argument names it.
        graph: String,
        /// The least weight.
        weight: String,
        /// The program that takes negative weights.
        instead: Option<&'static str>,
    },
    /// Weights are to count, and there are none.
    #[error(
        "{program} cannot count edges by their weights: `{graph}` has none; name their column, or leave out `weights`"
    )]
    NoWeights {
        /// The program.
        program: &'static str,
        /// The graph as its argument names it.
        graph: String,
    },
    /// Weights that were to count cannot.
    #[error("{reason}; or count all edges alike with `--weights ignore`")]
    ByWeight {
        /// Why not.
        reason: Box<Unsuitable>,
    },
    /// Weights that are 0 or less.
    #[error(
        "{program} needs weights greater than 0, but {} has the weight {weight}; change the weights",
        shown_graph(graph)
    )]
    NotPositive {
        /// The program.
        program: &'static str,
        /// The graph as its argument names it.
        graph: String,
        /// The least weight.
        weight: String,
    },
}

/// How a graph loses loops and parallel edges: one that was read is read again, one in memory is changed. Files that
/// hold adjacencies are taken as they are; reading a text leaves such edges out.
fn simplify(graph: &str) -> String {
    if shown_graph(graph) == graph {
        return "take such edges away".to_string();
    }
    match GraphSpec::parse(graph) {
        Ok(spec) if spec.options.loops || spec.options.parallel == Some(gw_graph::Parallel::Keep) => {
            "read it without `:loops` and `:parallel`".to_string()
        }
        _ => format!("convert it to a text and run on that: gw graph convert {graph} simple.csv"),
    }
}

fn mend(instead: Option<&'static str>) -> String {
    match instead {
        Some(program) => format!("run `{program}`, which takes negative weights"),
        None => "change the weights".to_string(),
    }
}

impl Program {
    /// The graph as this program gets it. A directed graph is taken as undirected by programs that are defined on
    /// undirected graphs. A graph without weights passes: the run itself tells where the program asks for them. `name`
    /// stands in messages.
    pub fn suit(&'static self, graph: Arc<Graph>, name: &str) -> Result<Suited, Unsuitable> {
        let mut suited = Suited { program: self, graph, notes: Vec::new() };
        if self.needs_exact
            && let Some(rounded) = suited.graph.rounded_weight().filter(|rounded| !rounded.asked)
        {
            let (graph, rounded) = (name.to_string(), rounded.to_string());
            return Err(Unsuitable::Rounded { program: self.name, graph, rounded });
        }
        // Ranks, communities and the like are counted in reals, whatever the weights are.
        if self.uses_weights()
            && !self.follows_weights()
            && suited.graph.weight_kind() == WeightKind::Int64
            && suited.graph.share().is_none()
            && let Some(weight) = suited.graph.out().first_inexact(WeightKind::Double)
        {
            let rounded = suited.graph.anew().with_weight_kind(WeightKind::Double);
            suited.graph = Arc::new(rounded.map_err(|error| Unsuitable::Memory(error.to_string()))?);
            suited.notes.push(format!(
                "{} has the weight {weight}: {} takes the nearest real of 64 bits",
                shown_graph(name),
                self.name
            ));
        }
        if suited.program.needs_simple
            && let Some(found) = suited.graph.not_simple()
        {
            let (what, vertex) = match found {
                NotSimple::Loop(vertex) => ("a loop", vertex),
                NotSimple::Parallel(vertex) => ("parallel edges", vertex),
            };
            let vertex = suited.graph.shown(vertex).to_string();
            return Err(Unsuitable::NotSimple { program: self.name, graph: name.to_string(), what, vertex });
        }
        if suited.program.needs_nonnegative
            && let Some(least) = suited.graph.least_weight().filter(|&least| least < 0.0)
        {
            let (graph, weight) = (name.to_string(), least.to_string());
            return Err(Unsuitable::Negative { program: self.name, graph, weight, instead: self.instead });
        }
        if suited.program.needs_positive
            && let Some(least) = suited.graph.least_weight().filter(|&least| least <= 0.0)
        {
            let (graph, weight) = (name.to_string(), least.to_string());
            return Err(Unsuitable::NotPositive { program: self.name, graph, weight });
        }
        if suited.program.needs_symmetric && !suited.graph.is_symmetric() {
            if suited.graph.share().is_some() {
                return Err(Unsuitable::DirectedParts { program: self.name, graph: name.to_string() });
            }
            if let Some(NotSimple::Parallel(_)) = suited.graph.not_simple() {
                let program = suited.program.name;
                suited.notes.push(format!(
                    "the graph has parallel edges, which are one edge for {program}; `:sym` when it is read keeps them"
                ));
            }
            let symmetric = suited.graph.symmetric_view().map_err(|error| Unsuitable::Memory(error.to_string()))?;
            // Weights that differ between the directions matter to programs with weights only.
            if symmetric.edges() != suited.graph.edges() {
                suited.notes.push(format!("the graph is directed: taken as undirected for {}", suited.program.name));
            } else if suited.program.uses_weights() {
                let program = suited.program.name;
                suited.notes.push(format!(
                    "the graph has edges of different weight there and back: {program} takes the lesser"
                ));
            }
            suited.graph = symmetric;
        }
        Ok(suited)
    }
}
