//! The graph of a row as programs load it: made once, with weights for those that ask for them.

use std::sync::{Arc, OnceLock};

use gw_exec::{GraphSource, Scalar, SpecGraphs};
use gw_graph::generate::WeightRange;
use gw_graph::progress::Progress;
use gw_graph::{Graph, GraphError};
use gw_programs::Program;

use crate::plan::PlannedGraph;

/// Hands out one graph by its name in the suite. Unweighted programs get it without random weights, so that they do not
/// carry arrays they never read.
pub(crate) struct BenchGraphs {
    name: String,
    plain: Arc<Graph>,
    weighted: OnceLock<Arc<Graph>>,
    random: Option<(WeightRange, u64)>,
    plain_source: SpecGraphs,
    weighted_source: SpecGraphs,
    /// The same graph as programs for undirected graphs see it, where that is another one.
    symmetric: OnceLock<Arc<BenchGraphs>>,
}

impl BenchGraphs {
    /// Makes or reads the graph.
    pub(crate) fn load(planned: &PlannedGraph, progress: &dyn Progress) -> Result<Self, GraphError> {
        let plain = Arc::new(planned.spec.load(progress)?.graph);
        let random = planned.weights.map(|range| (range, planned.spec.seed()));
        Ok(BenchGraphs::of(planned.name.clone(), plain, random))
    }

    fn of(name: String, plain: Arc<Graph>, random: Option<(WeightRange, u64)>) -> Self {
        let plain_source = SpecGraphs::new();
        plain_source.insert(name.clone(), Arc::clone(&plain));
        BenchGraphs {
            name,
            plain,
            weighted: OnceLock::new(),
            random,
            plain_source,
            weighted_source: SpecGraphs::new(),
            symmetric: OnceLock::new(),
        }
    }

    /// The same graphs as a program meets them that nobody has run before.
    pub(crate) fn anew(&self) -> Self {
        let anew = BenchGraphs::of(self.name.clone(), Arc::new(self.plain.anew()), self.random);
        if let Some(weighted) = self.weighted.get() {
            let weighted = Arc::new(weighted.anew());
            anew.weighted_source.insert(self.name.clone(), Arc::clone(&weighted));
            let _ = anew.weighted.set(weighted);
        }
        anew
    }

    /// The graphs as a program gets them, by the same rules as in `gw run`; the error says why it cannot take them.
    pub(crate) fn suited(self: &Arc<Self>, program: Option<&'static Program>) -> Result<Arc<BenchGraphs>, String> {
        let Some(program) = program else { return Ok(Arc::clone(self)) };
        let own = self.graph(program.needs_weights);
        if program.needs_symmetric && !own.is_symmetric() {
            let made = match self.symmetric.get() {
                Some(made) => made,
                None => {
                    let plain = self.plain.symmetrised().map_err(|error| error.to_string())?;
                    let made = BenchGraphs::of(self.name.clone(), Arc::new(plain), self.random);
                    self.symmetric.get_or_init(|| Arc::new(made))
                }
            };
            return made.suited(Some(program));
        }
        program.suit(Arc::clone(own), &self.name).map_err(|error| error.to_string())?;
        Ok(Arc::clone(self))
    }

    /// The graph that programs with or without weights see.
    pub(crate) fn graph(&self, weighted: bool) -> &Arc<Graph> {
        if !weighted {
            return &self.plain;
        }
        self.weighted.get_or_init(|| {
            let graph = match self.random {
                Some((range, seed)) if !self.plain.is_weighted() => Arc::new(range.apply(&self.plain, seed, None)),
                _ => Arc::clone(&self.plain),
            };
            self.weighted_source.insert(self.name.clone(), Arc::clone(&graph));
            graph
        })
    }
}

impl GraphSource for BenchGraphs {
    fn load(&self, text: &str, weight: Option<Scalar>) -> gw_exec::Result<Arc<Graph>> {
        if weight.is_none() || text != self.name {
            return self.plain_source.load(text, weight);
        }
        self.graph(true);
        self.weighted_source.load(text, weight)
    }
}
