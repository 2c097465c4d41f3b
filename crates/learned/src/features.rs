//! What the learned choice looks at: numbers about a graph, and what an operator does, never what it is called.

use std::collections::BTreeMap;

use gw_exec::{GraphVm, operator_at};
use gw_graph::Graph;
use gw_ir::Module;
use gw_ir::analysis::operator::EdgeFacts;
use gw_ir::points::{Point, program_points};
use gw_schedule::{Direction, Family, PointKind, PriorityChange, Schedule, Sources};

use crate::probe::Probe;

/// The names of all features, in the order of [`Features`].
pub const NAMES: [&str; COUNT] = [
    "vertices",
    "mean-degree",
    "greatest-degree",
    "probe-rounds",
    "probe-met",
    "edge-distance",
    "threads",
    "has-to",
    "output",
    "unique-output",
    "claims",
    "tracks-extreme",
    "weighted",
    "reduction",
    "early-exit",
    "owns-destinations",
    "tested-sources",
    "vectors-at-source",
    "vectors-at-destination",
    "least-priority",
    "constant-sum",
    "ordered-loop",
    "places",
    "rule-changes-direction",
    "rule-pulls",
    "intersects",
];
/// How many features there are.
pub const COUNT: usize = 26;
/// Features of graph and machine; those of the operator follow.
const OF_GRAPH: usize = 7;

/// Features that say what an operator does: classes of operators are told apart by them.
const OF_CLASS: [usize; 16] = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 25];

/// The class of an operator: what it does, as a text with a digit for every question.
pub fn signature(features: &Features) -> String {
    OF_CLASS.iter().map(|&at| char::from(b'0' + features[at].round().clamp(0.0, 9.0) as u8)).collect()
}

/// The features of a place on a graph.
pub type Features = [f64; COUNT];

/// The threads of a machine as models know them: those of a processor. Models of GPUs know none.
pub fn known_threads(machine: &dyn GraphVm) -> Option<usize> {
    (machine.family() == Family::Cpu).then(|| machine.threads() as usize)
}

/// Cheap numbers about a graph by the names that labs have for them, and the threads of the machine.
pub fn graph_numbers(graph: &Graph, threads: Option<usize>) -> BTreeMap<String, f64> {
    let sizes = [
        ("vertices", graph.vertices() as f64),
        ("edges", graph.edges() as f64),
        ("out-degree-max", graph.greatest_out_degree() as f64),
        ("threads", threads.unwrap_or(0) as f64),
    ];
    let all = sizes.into_iter().chain(Probe::of(graph).named());
    all.map(|(name, value)| (name.to_string(), value)).collect()
}

/// What stands at a place: the part of the features that does not depend on the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceFeatures([f64; COUNT - OF_GRAPH]);

impl PlaceFeatures {
    /// The features of a place of a module as lowered that the rule gives this schedule.
    pub fn of(module: &Module, place: &Point, rule: Option<&Schedule>) -> PlaceFeatures {
        let point = &place.point;
        let edges = operator_at(module, place).map(|operator| EdgeFacts::of(module, operator));
        let edges = edges.as_ref();
        let vectors = || edges.into_iter().flat_map(|edges| edges.vectors.values());
        let pulls = |schedule: &Schedule| schedule.parts().iter().all(|part| part.direction == Some(Direction::Pull));
        let flags = [
            point.has_to,
            point.requires_output,
            point.needs_unique_output,
            point.claims_destinations,
            point.tracks_extreme,
            edges.is_some_and(|edges| edges.weight.is_some()),
            point.reduction_extractable,
            edges.is_some_and(|edges| edges.early_exit),
            edges.is_some_and(|edges| edges.writes_destination_only),
            point.from == Sources::Filter,
        ];
        let at_source = vectors().filter(|vector| vector.read.source || vector.written.source).count();
        let at_destination = vectors().filter(|vector| vector.read.destination || vector.written.destination).count();
        let later = [
            point.priority_change == Some(PriorityChange::Min),
            point.priority_change == Some(PriorityChange::ConstantSum),
            point.eager_loop,
        ];
        let of_rule = [matches!(rule, Some(Schedule::Hybrid(_))), rule.is_some_and(pulls)];
        let number = |flag: bool| f64::from(u8::from(flag));
        let mut values = Vec::with_capacity(COUNT - OF_GRAPH);
        values.extend(flags.map(number));
        values.extend([at_source as f64, at_destination as f64]);
        values.extend(later.map(number));
        // One place changes unless [`PlaceFeatures::together`] says otherwise.
        values.push(1.0);
        values.extend(of_rule.map(number));
        values.push(number(edges.is_some_and(|edges| intersects(module, edges))));
        let mut features = [0.0; COUNT - OF_GRAPH];
        features.copy_from_slice(&values);
        PlaceFeatures(features)
    }

    /// The features of places that take a schedule together: the means of theirs, and their number.
    pub fn together(places: &[&PlaceFeatures]) -> PlaceFeatures {
        let mut mean = [0.0; COUNT - OF_GRAPH];
        for (at, value) in mean.iter_mut().enumerate() {
            *value = places.iter().map(|place| place.0[at]).sum::<f64>() / places.len().max(1) as f64;
        }
        let places_at = NAMES.iter().position(|name| *name == "places").unwrap_or(COUNT - 1) - OF_GRAPH;
        mean[places_at] = places.len() as f64;
        PlaceFeatures(mean)
    }

    /// With the numbers of a graph; `None` where one is missing.
    pub fn on(&self, numbers: &BTreeMap<String, f64>) -> Option<Features> {
        let number = |name: &str| numbers.get(name).copied().filter(|value| value.is_finite());
        let (vertices, edges) = (number("vertices")?.max(1.0), number("edges")?);
        let mean = (edges / vertices).max(1e-3);
        let of_graph = [
            vertices.log2(),
            mean.log2(),
            (number("out-degree-max")?.max(1.0) / mean).max(1e-3).log2(),
            (1.0 + number("probe-rounds")?).log2(),
            number("probe-met")?,
            number("edge-distance")?,
            number("threads")?.max(1.0).log2(),
        ];
        let mut all = [0.0; COUNT];
        all[..OF_GRAPH].copy_from_slice(&of_graph);
        all[OF_GRAPH..].copy_from_slice(&self.0);
        Some(all)
    }
}

/// Whether the functions of an operator intersect lists.
fn intersects(module: &Module, edges: &EdgeFacts) -> bool {
    let mut places = program_points(module).into_iter().filter(|place| place.point.kind == PointKind::Intersection);
    places.any(|place| place.function.is_some_and(|function| edges.functions.functions.contains(&function)))
}
