//! What a decision tree may look at before a step: sizes of the graph, of the frontier and of what is left, and
//! summaries of degrees.

use crate::value::word_axis;

word_axis! {
    /// A number that is known before a step. The frontier is the input set of the operator, all vertices without one.
    Feature {
        Vertices = "vertices": "vertices of the graph",
        Edges = "edges": "edges of the graph, as stored",
        Frontier = "frontier": "vertices in the frontier",
        FrontierShare = "frontier-share": "frontier / vertices",
        Discovered = "discovered": "vertices in all frontiers before this one",
        DiscoveredShare = "discovered-share": "discovered / vertices",
        FrontierEdges = "frontier-edges": "out-edges of the frontier",
        FrontierEdgesShare = "frontier-edges-share": "frontier-edges / edges",
        UnexploredEdges = "unexplored-edges": "edges less the out-edges of all frontiers up to this one, at least 0",
        UnexploredEdgesShare = "unexplored-edges-share": "unexplored-edges / edges",
        Iteration = "iteration": "steps of this operator before this one",
        FrontierDegree = "frontier-degree": "frontier-edges / frontier",
        EdgesAheadRatio = "edges-ahead-ratio": "frontier-edges / (unexplored-edges + 1)",
        Growth = "growth": "frontier / the frontier before it; 1 at the first step",
        InDegreeMin = "in-degree-min": "least in-degree",
        InDegreeQ1 = "in-degree-q1": "lower quartile of the in-degrees",
        InDegreeMedian = "in-degree-median": "median of the in-degrees",
        InDegreeQ3 = "in-degree-q3": "upper quartile of the in-degrees",
        InDegreeMax = "in-degree-max": "greatest in-degree",
        InDegreeMean = "in-degree-mean": "mean of the in-degrees",
        InDegreeStdDev = "in-degree-std-dev": "standard deviation of the in-degrees",
        OutDegreeMin = "out-degree-min": "least out-degree",
        OutDegreeQ1 = "out-degree-q1": "lower quartile of the out-degrees",
        OutDegreeMedian = "out-degree-median": "median of the out-degrees",
        OutDegreeQ3 = "out-degree-q3": "upper quartile of the out-degrees",
        OutDegreeMax = "out-degree-max": "greatest out-degree",
        OutDegreeMean = "out-degree-mean": "mean of the out-degrees",
        OutDegreeStdDev = "out-degree-std-dev": "standard deviation of the out-degrees",
        DegreeMin = "degree-min": "least degree, in + out",
        DegreeQ1 = "degree-q1": "lower quartile of the degrees, in + out",
        DegreeMedian = "degree-median": "median of the degrees, in + out",
        DegreeQ3 = "degree-q3": "upper quartile of the degrees, in + out",
        DegreeMax = "degree-max": "greatest degree, in + out",
        DegreeMean = "degree-mean": "mean of the degrees, in + out",
        DegreeStdDev = "degree-std-dev": "standard deviation of the degrees, in + out",
    }
}

/// A value for every feature, by [`Feature::index`].
pub type Features = [f64; Feature::COUNT];

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Feature::ALL.len();

    /// Its place in [`Features`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether it is the same at every step of a run.
    pub fn is_of_graph(self) -> bool {
        matches!(self, Feature::Vertices | Feature::Edges) || self.index() >= Feature::InDegreeMin.index()
    }

    /// Whether it needs the degrees of the graph summed up.
    pub fn is_of_degrees(self) -> bool {
        self.index() >= Feature::InDegreeMin.index()
    }

    /// Whether it needs the out-edges of the frontier counted.
    pub fn needs_frontier_edges(self) -> bool {
        use Feature::*;
        matches!(
            self,
            FrontierEdges
                | FrontierEdgesShare
                | UnexploredEdges
                | UnexploredEdgesShare
                | FrontierDegree
                | EdgesAheadRatio
        )
    }
}

/// The sizes of one step and of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepSizes {
    /// Vertices of the graph.
    pub vertices: u64,
    /// Edges of the graph.
    pub edges: u64,
    /// Vertices in the frontier.
    pub frontier: u64,
    /// Out-edges of the frontier.
    pub frontier_edges: u64,
    /// Vertices in the frontiers before this one.
    pub discovered: u64,
    /// Out-edges of the frontiers before this one.
    pub explored_edges: u64,
    /// Vertices in the frontier before this one; 0 at the first step.
    pub previous_frontier: u64,
    /// Steps before this one.
    pub iteration: u64,
}

impl StepSizes {
    /// The first step on a graph of these sizes; the frontier is still to be set.
    pub fn first(vertices: u64, edges: u64) -> StepSizes {
        StepSizes { vertices, edges, ..StepSizes::default() }
    }

    /// The step after this one; its frontier is still to be set.
    pub fn next(self) -> StepSizes {
        StepSizes {
            vertices: self.vertices,
            edges: self.edges,
            frontier: 0,
            frontier_edges: 0,
            discovered: self.discovered.saturating_add(self.frontier),
            explored_edges: self.explored_edges.saturating_add(self.frontier_edges),
            previous_frontier: self.frontier,
            iteration: self.iteration + 1,
        }
    }

    /// Edges that no frontier up to this one has.
    pub fn unexplored_edges(&self) -> u64 {
        self.edges.saturating_sub(self.explored_edges.saturating_add(self.frontier_edges))
    }

    /// A feature of this step; `None` for those that need degrees.
    pub fn feature(&self, feature: Feature) -> Option<f64> {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        Some(match feature {
            Feature::Vertices => self.vertices as f64,
            Feature::Edges => self.edges as f64,
            Feature::Frontier => self.frontier as f64,
            Feature::FrontierShare => share(self.frontier, self.vertices),
            Feature::Discovered => self.discovered as f64,
            Feature::DiscoveredShare => share(self.discovered, self.vertices),
            Feature::FrontierEdges => self.frontier_edges as f64,
            Feature::FrontierEdgesShare => share(self.frontier_edges, self.edges),
            Feature::UnexploredEdges => self.unexplored_edges() as f64,
            Feature::UnexploredEdgesShare => share(self.unexplored_edges(), self.edges),
            Feature::Iteration => self.iteration as f64,
            Feature::FrontierDegree => share(self.frontier_edges, self.frontier),
            Feature::EdgesAheadRatio => self.frontier_edges as f64 / (self.unexplored_edges() as f64 + 1.0),
            Feature::Growth if self.previous_frontier == 0 => 1.0,
            Feature::Growth => share(self.frontier, self.previous_frontier),
            _ => return None,
        })
    }

    /// Writes all features of this step; those that need degrees stay as they are.
    pub fn fill(&self, features: &mut Features) {
        for &feature in Feature::ALL {
            if let Some(value) = self.feature(feature) {
                features[feature.index()] = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_kinds() {
        for (i, feature) in Feature::ALL.iter().enumerate() {
            assert_eq!(feature.index(), i);
            assert_eq!(Feature::from_word(feature.word()), Some(*feature));
            assert_eq!(StepSizes::default().feature(*feature).is_none(), feature.is_of_degrees());
        }
        assert_eq!(Feature::ALL.iter().filter(|f| f.is_of_degrees()).count(), 21);
    }

    #[test]
    fn a_search_from_one_root() {
        let mut step = StepSizes::first(10, 40);
        (step.frontier, step.frontier_edges) = (1, 4);
        assert_eq!(step.feature(Feature::Discovered), Some(0.0));
        assert_eq!(step.feature(Feature::UnexploredEdges), Some(36.0));
        assert_eq!(step.feature(Feature::Growth), Some(1.0));
        let mut step = step.next();
        (step.frontier, step.frontier_edges) = (4, 30);
        assert_eq!(step.feature(Feature::Discovered), Some(1.0));
        assert_eq!(step.feature(Feature::Growth), Some(4.0));
        assert_eq!(step.feature(Feature::UnexploredEdgesShare), Some(0.15));
        assert_eq!(step.feature(Feature::EdgesAheadRatio), Some(30.0 / 7.0));
        assert_eq!(step.feature(Feature::Iteration), Some(1.0));
        // A program may meet vertices again: nothing is left then, not less than nothing.
        step.explored_edges = 100;
        assert_eq!(step.feature(Feature::UnexploredEdges), Some(0.0));
    }
}
