//! What adaptive schedules know of a graph, worked out once and kept as long as the graph.

use std::sync::{Arc, Weak};

use gw_graph::stats::{DegreeSummary, Degrees};
use gw_graph::{Graph, GraphId};
use gw_schedule::{Feature, Features};

/// The sizes of a graph among its features. The others are 0.
pub(super) fn sizes_of(graph: &Graph) -> Features {
    let mut features = [0.0; Feature::COUNT];
    features[Feature::Vertices.index()] = graph.vertices() as f64;
    features[Feature::Edges.index()] = graph.edges() as f64;
    features
}

/// The features of a graph: those that are the same at every step. The others are 0.
pub fn graph_features(graph: &Graph) -> Features {
    let mut features = sizes_of(graph);
    if graph.vertices() == 0 {
        return features;
    }
    let degrees = Degrees::of(graph);
    // The degree of a vertex is in + out, also where an undirected graph stores both as one.
    let both = if graph.is_symmetric() { 2.0 } else { 1.0 };
    let mut put = |first: Feature, summary: &DegreeSummary, scale: f64| {
        let DegreeSummary { min, q1, median, q3, max, mean, std_dev, .. } = *summary;
        let values = [min as f64, q1, median, q3, max as f64, mean, std_dev];
        for (place, value) in features[first.index()..].iter_mut().zip(values) {
            *place = value * scale;
        }
    };
    put(Feature::InDegreeMin, &degrees.in_degree, 1.0);
    put(Feature::OutDegreeMin, &degrees.out_degree, 1.0);
    put(Feature::DegreeMin, &degrees.degree, both);
    features
}

/// What was worked out for the graphs met so far, kept as long as these.
#[derive(Debug)]
pub struct PerGraph<T>(Vec<(GraphId, Weak<Graph>, Arc<T>)>);

impl<T> Default for PerGraph<T> {
    fn default() -> Self {
        PerGraph(Vec::new())
    }
}

impl<T> PerGraph<T> {
    /// What belongs to a graph, made when the graph is met first.
    pub fn of(&mut self, graph: &Arc<Graph>, make: impl FnOnce(&Graph) -> T) -> Arc<T> {
        if let Some((_, _, made)) = self.0.iter().find(|(id, _, _)| *id == graph.id()) {
            return Arc::clone(made);
        }
        self.0.retain(|(_, known, _)| known.strong_count() > 0);
        let made = Arc::new(make(graph));
        self.0.push((graph.id(), Arc::downgrade(graph), Arc::clone(&made)));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::star;
    use super::*;

    #[test]
    fn features_of_a_star() {
        let value = |features: &Features, feature: Feature| features[feature.index()];
        let both = graph_features(&star(true));
        assert_eq!(value(&both, Feature::Vertices), 5.0);
        assert_eq!(value(&both, Feature::Edges), 8.0);
        assert_eq!(value(&both, Feature::OutDegreeMax), 4.0);
        assert_eq!(value(&both, Feature::DegreeMax), 8.0);
        let one = graph_features(&star(false));
        assert_eq!((value(&one, Feature::InDegreeMax), value(&one, Feature::OutDegreeMax)), (1.0, 4.0));
        assert_eq!(value(&one, Feature::DegreeMax), 4.0);
        assert_eq!(value(&one, Feature::Growth), 0.0);
    }
}
