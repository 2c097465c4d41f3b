//! What a graph looks like: sizes, degrees, components, estimated diameter and a one-word class.
//!
//! Everything is exact except the diameter, which is a lower bound, and the same for any number of threads.

mod class;
mod components;
mod degrees;
mod diameter;
mod histogram;
mod weights;

use rayon::prelude::*;
use serde::Serialize;

use crate::{Graph, WeightKind};

pub use class::{Class, ClassNumbers};
pub use components::{Components, components};
pub use degrees::{DegreeSummary, Degrees};
pub use diameter::double_sweep;
pub use histogram::{Bucket, histogram, render};
pub use weights::WeightSummary;

/// Statistics of a graph.
///
/// ```
/// use gw_graph::stats::{Statistics, StatsOptions};
/// use gw_graph::{build, BuildOptions, EdgeList};
/// let edges = EdgeList::from_pairs(4, vec![(0, 1), (0, 2), (0, 3)]);
/// let star = build(edges, &BuildOptions { symmetrise: true, ..Default::default() }).unwrap();
/// let statistics = Statistics::of(&star, &StatsOptions::default());
/// assert_eq!(statistics.max_degree, 3);
/// assert_eq!(statistics.components.unwrap().count, 1);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// Number of vertices.
    pub vertices: u64,
    /// Directed edges as stored: an undirected edge counts twice.
    pub edges: u64,
    /// Every edge has its reverse with the same weight.
    pub symmetric: bool,
    /// Edges carry weights.
    pub weighted: bool,
    /// The kind of weights.
    pub weight_kind: WeightKind,
    /// Least, greatest and mean weight.
    pub weights: Option<WeightSummary>,
    /// Greatest number of edges at a vertex: the greatest out-degree of a symmetric graph, in + out otherwise.
    pub max_degree: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
    /// Out-degrees.
    pub out_degree: DegreeSummary,
    /// In-degrees.
    pub in_degree: DegreeSummary,
    /// Total degrees: the out-degree in a symmetric graph, in + out otherwise.
    pub degree: DegreeSummary,
    /// Vertices by total degree, in buckets that double.
    pub degree_histogram: Vec<Bucket>,
    /// Weak components.
    pub components: Option<Components>,
    /// Lower bound of the diameter of the largest weak component, edge directions ignored.
    pub estimated_diameter: Option<u64>,
    /// What kind of graph this is, in one word.
    pub class: Class,
    /// Why it is of that class.
    pub class_rule: String,
}

/// What to work out beyond the degrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsOptions {
    /// Count weak components.
    pub components: bool,
    /// Estimate the diameter by two searches (counts the components too). Without it the class is less certain.
    pub diameter: bool,
}

impl Default for StatsOptions {
    fn default() -> Self {
        StatsOptions { components: true, diameter: true }
    }
}

impl Statistics {
    /// Works out the statistics. A directed graph builds (and keeps) its in-adjacency.
    pub fn of(graph: &Graph, options: &StatsOptions) -> Self {
        let (Degrees { out_degree, in_degree, degree }, degree_counts) = Degrees::with_counts(graph);

        let (components, estimated_diameter) = if options.components || options.diameter {
            let labels = components::labels(graph);
            let components = components::summary(graph, &labels);
            let diameter = options.diameter.then(|| {
                let degree = |v: u32| match graph.is_symmetric() {
                    true => graph.out().degree(v),
                    false => graph.out().degree(v) + graph.incoming().degree(v),
                };
                let start = (0..graph.vertices() as u32)
                    .into_par_iter()
                    .filter(|&v| labels[v as usize] == components.largest_label)
                    .max_by_key(|&v| (degree(v), std::cmp::Reverse(v)));
                start.map_or(0, |start| double_sweep(graph, start))
            });
            (Some(components), diameter)
        } else {
            (None, None)
        };

        let numbers = ClassNumbers {
            vertices: graph.vertices() as u64,
            edges: if graph.is_symmetric() { graph.edges() as u64 / 2 } else { graph.edges() as u64 },
            symmetric: graph.is_symmetric(),
            components: components.as_ref().map(|c| c.count),
            degree: degree.clone(),
            diameter: estimated_diameter,
        };
        let (class, class_rule) = numbers.classify();
        Statistics {
            vertices: graph.vertices() as u64,
            edges: graph.edges() as u64,
            symmetric: graph.is_symmetric(),
            weighted: graph.is_weighted(),
            weight_kind: graph.weight_kind(),
            weights: WeightSummary::of(graph.out().weights()),
            max_degree: degree.max,
            self_loops: self_loops(graph),
            out_degree,
            in_degree,
            degree,
            degree_histogram: histogram(&degree_counts),
            components,
            estimated_diameter,
            class,
            class_rule,
        }
    }
}

fn self_loops(graph: &Graph) -> u64 {
    (0..graph.vertices() as u32)
        .into_par_iter()
        .with_min_len(1 << 12)
        .map(|v| {
            // Lists are sorted, and parallel loops stand together.
            let list = graph.out().neighbours(v);
            let first = list.partition_point(|&n| n < v);
            list[first..].iter().take_while(|&&n| n == v).count() as u64
        })
        .sum()
}
