//! The graph of a row as programs load it: made once, with weights for those that ask for them.

use std::sync::{Arc, OnceLock};

use gw_exec::{GraphSource, Scalar, SpecGraphs};
use gw_graph::progress::Progress;
use gw_graph::{Graph, GraphError};

use crate::plan::PlannedGraph;

/// Hands out one graph by its name in the suite. Unweighted programs get it without random weights, so that they do not
/// carry arrays they never read.
pub(crate) struct BenchGraphs {
    name: String,
    plain: Arc<Graph>,
    weighted: OnceLock<Arc<Graph>>,
    random: Option<(gw_graph::generate::WeightRange, u64)>,
    plain_source: SpecGraphs,
    weighted_source: SpecGraphs,
}

impl BenchGraphs {
    /// Makes or reads the graph.
    pub(crate) fn load(planned: &PlannedGraph, progress: &dyn Progress) -> Result<Self, GraphError> {
        let plain = Arc::new(planned.spec.load(progress)?.graph);
        let plain_source = SpecGraphs::new();
        plain_source.insert(planned.name.clone(), Arc::clone(&plain));
        Ok(BenchGraphs {
            name: planned.name.clone(),
            plain,
            weighted: OnceLock::new(),
            random: planned.weights.map(|range| (range, planned.spec.seed())),
            plain_source,
            weighted_source: SpecGraphs::new(),
        })
    }

    /// The graph that programs with or without weights see.
    pub(crate) fn graph(&self, weighted: bool) -> &Arc<Graph> {
        if !weighted {
            return &self.plain;
        }
        self.weighted.get_or_init(|| {
            let graph = match self.random {
                Some((range, seed)) if !self.plain.is_weighted() => Arc::new(range.apply(&self.plain, seed)),
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
