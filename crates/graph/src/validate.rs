//! Checks that a graph keeps every promise of its storage.

use std::ops::Range;

use serde::Serialize;

use crate::parallel::{self, PIECE};
use crate::{Adjacency, Graph, GraphError, Result, Weight, WeightKind, Weights, with_weights};

/// What [`validate`] found in a well-formed graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of directed edges as stored.
    pub edges: usize,
    /// Edges from a vertex to itself.
    pub self_loops: usize,
    /// Edges beyond the first between the same two vertices.
    pub parallel_edges: usize,
    /// The graph is marked symmetric, and it is.
    pub symmetric: bool,
    /// The graph is not marked symmetric although every edge has its reverse.
    pub symmetric_unmarked: bool,
    /// Kind of weights.
    pub weights: WeightKind,
    /// Least and greatest weight, where there are any.
    pub weight_range: Option<(f64, f64)>,
    /// The in-adjacency was at hand and checked as well.
    pub incoming_checked: bool,
}

/// Checks a graph: offsets ascend and end right, ids are in range, lists sorted, weights finite, the mark of symmetry
/// true, and the in-adjacency, when there is one, the mirror of the out-adjacency.
///
/// ```
/// use gw_graph::{build, validate, BuildOptions, EdgeList};
/// let graph = build(EdgeList::from_pairs(2, vec![(0, 1)]), &BuildOptions::default()).unwrap();
/// assert_eq!(validate(&graph).unwrap().self_loops, 0);
/// ```
pub fn validate(graph: &Graph) -> Result<Report> {
    let out = graph.out();
    check_adjacency(out).map_err(|m| GraphError::Malformed(format!("out-adjacency: {m}")))?;
    let fingerprint = Fingerprint::of(out);
    let mirrored = fingerprint.forward == fingerprint.backward && out.is_symmetric();
    if graph.is_symmetric() && !mirrored {
        let message = "it is marked symmetric, but an edge lacks its reverse with the same weight";
        return Err(GraphError::Malformed(message.into()));
    }
    let incoming_checked = graph.has_incoming() && !graph.is_symmetric();
    if incoming_checked {
        let incoming = graph.incoming();
        check_adjacency(incoming).map_err(|m| GraphError::Malformed(format!("in-adjacency: {m}")))?;
        if incoming.vertices() != out.vertices() || Fingerprint::of(incoming).backward != fingerprint.forward {
            return Err(GraphError::Malformed("the in-adjacency is not the mirror of the out-adjacency".into()));
        }
    }
    let count = |per_list: fn(u32, &[u32]) -> usize| -> usize {
        let lists = |range: Range<usize>| range.map(|v| per_list(v as u32, out.neighbours(v as u32))).sum::<usize>();
        parallel::pieces(out.vertices(), PIECE, lists).into_iter().sum()
    };
    Ok(Report {
        vertices: graph.vertices(),
        edges: graph.edges(),
        self_loops: count(|v, list| list[list.partition_point(|&t| t < v)..].iter().take_while(|&&t| t == v).count()),
        parallel_edges: count(|_, list| list.windows(2).filter(|pair| pair[0] == pair[1]).count()),
        symmetric: graph.is_symmetric(),
        symmetric_unmarked: !graph.is_symmetric() && mirrored,
        weights: graph.weight_kind(),
        weight_range: weight_range(out.weights()),
        incoming_checked,
    })
}

fn weight_range(weights: &Weights) -> Option<(f64, f64)> {
    fn of<W: Weight>(weights: &[W]) -> Option<(f64, f64)> {
        let ends = parallel::pieces(weights.len(), PIECE, |range| {
            let wider = |(least, greatest): (W, W), &weight: &W| {
                (if weight < least { weight } else { least }, if weight > greatest { weight } else { greatest })
            };
            let first = weights[range.start];
            weights[range].iter().fold((first, first), wider)
        });
        let ends = ends.into_iter().map(|(least, greatest)| (least.real(), greatest.real()));
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
    with_weights!(weights, none => None, w => of(w))
}

/// What memory safety of later work rests on: offsets ascend from 0 to the number of targets, ids are in range.
/// Streams through the arrays once.
pub(crate) fn check_bounds(adjacency: &Adjacency) -> Result<(), String> {
    let (vertices, edges) = (adjacency.vertices(), adjacency.edges());
    let offsets = adjacency.offsets();
    let weights = adjacency.weights().count().unwrap_or(edges);
    if weights != edges {
        return Err(format!("{edges} edges have {weights} weights"));
    }
    if offsets.at(0) != 0 || offsets.total() != edges {
        return Err(format!("the offsets run from {} to {}, not from 0 to {edges}", offsets.at(0), offsets.total()));
    }
    let falls = |&v: &usize| offsets.at(v) > offsets.at(v + 1);
    let falling = parallel::first(vertices, PIECE, |mut range| range.find(falls));
    if let Some(v) = falling {
        return Err(format!("the offsets of vertex {v} do not ascend"));
    }
    // A maximum is a loop without branches; only when it is wrong is the place looked for.
    let targets = adjacency.targets();
    let outside = parallel::first(edges, PIECE, |range| {
        let largest = targets[range.clone()].iter().fold(0, |a, &b| a.max(b));
        if (largest as usize) < vertices { None } else { range.into_iter().find(|&e| targets[e] as usize >= vertices) }
    });
    if let Some(edge) = outside {
        let target = targets[edge];
        return Err(format!("edge {edge} leads to vertex {target}, but there are {vertices} vertices"));
    }
    Ok(())
}

pub(crate) fn check_adjacency(adjacency: &Adjacency) -> Result<(), String> {
    check_bounds(adjacency)?;
    let unsorted = |&v: &usize| !adjacency.neighbours(v as u32).is_sorted();
    if let Some(v) = parallel::first(adjacency.vertices(), PIECE, |mut range| range.find(unsorted)) {
        return Err(format!("the neighbours of vertex {v} are not sorted"));
    }
    match first_infinite(adjacency.weights()) {
        Some((edge, weight)) => Err(format!("the weight of edge {edge} is {weight}")),
        None => Ok(()),
    }
}

/// The first weight that is infinite or NaN, and where it stands.
pub(crate) fn first_infinite(weights: &Weights) -> Option<(usize, f64)> {
    fn of<W: Weight>(weights: &[W]) -> Option<(usize, f64)> {
        let edge = parallel::first(weights.len(), PIECE, |mut range| range.find(|&edge| !weights[edge].is_finite()))?;
        Some((edge, weights[edge].real()))
    }
    with_weights!(weights, none => None, w => of(w))
}

/// Sums of a hash over all edges, each taken from source to target and from target to source. They do not depend on
/// the order of edges, so two adjacencies hold the same edges when the sums agree, but for a chance of 2^-64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) forward: u64,
    pub(crate) backward: u64,
}

impl Fingerprint {
    /// Needs [`check_bounds`] to hold.
    pub(crate) fn of(adjacency: &Adjacency) -> Self {
        let bits = |edge: usize| match adjacency.weights() {
            Weights::None => 0,
            Weights::Int(w) => u64::from(w[edge] as u32),
            // Both zeros count as one.
            Weights::Float(w) => u64::from((w[edge] + 0.0).to_bits()),
            Weights::Int64(w) => w[edge] as u64,
            Weights::Double(w) => (w[edge] + 0.0).to_bits(),
        };
        let sums = parallel::pieces(adjacency.vertices(), PIECE, |range| {
            let (mut forward, mut backward) = (0u64, 0u64);
            for v in range.start as u32..range.end as u32 {
                for (edge, &t) in adjacency.range(v).zip(adjacency.neighbours(v)) {
                    let weight = bits(edge);
                    forward = forward.wrapping_add(hash(v, t, weight));
                    backward = backward.wrapping_add(hash(t, v, weight));
                }
            }
            (forward, backward)
        });
        let (forward, backward) =
            sums.into_iter().fold((0u64, 0u64), |a, b| (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1)));
        Fingerprint { forward, backward }
    }
}

#[inline]
fn hash(source: u32, target: u32, weight: u64) -> u64 {
    let mut z = (u64::from(source) << 32 | u64::from(target)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z ^= weight.wrapping_mul(0xd6e8_feb8_6659_fd93);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, EdgeList, Offsets, Weight, build};

    fn adjacency(offsets: Vec<u64>, targets: Vec<u32>, weights: Weights) -> Adjacency {
        Adjacency::from_parts(Offsets::from_positions(offsets), targets.into(), weights)
    }

    fn refused(out: Adjacency, symmetric: bool) -> String {
        validate(&Graph::new(out, symmetric)).unwrap_err().to_string()
    }

    #[test]
    fn a_good_graph_is_described() {
        let options = BuildOptions { keep_loops: true, parallel: crate::Parallel::Keep, ..Default::default() };
        let edges = vec![(0, 1, -2), (1, 0, -2), (0, 0, 7), (2, 2, 1), (2, 2, 1)];
        let report = validate(&build(EdgeList::from_triples(4, edges), &options).unwrap()).unwrap();
        assert_eq!((report.self_loops, report.parallel_edges, report.symmetric), (3, 1, true));
        assert_eq!(report.weight_range, Some((-2.0, 7.0)));
    }

    #[test]
    fn an_unmarked_symmetric_graph_is_noticed() {
        let options = BuildOptions { symmetry: crate::Symmetry::Directed, ..Default::default() };
        let graph = build(EdgeList::from_pairs(2, vec![(0, 1), (1, 0)]), &options).unwrap();
        graph.incoming();
        let report = validate(&graph).unwrap();
        assert!(report.symmetric_unmarked && report.incoming_checked);
    }

    #[test]
    fn each_broken_promise_is_named() {
        let plain = |offsets, targets| adjacency(offsets, targets, Weights::None);
        assert!(refused(plain(vec![0, 2, 1, 2], vec![0, 1]), false).contains("offsets of vertex 1 do not ascend"));
        assert!(refused(plain(vec![0, 1, 2], vec![0, 2]), false).contains("edge 1 leads to vertex 2"));
        assert!(refused(plain(vec![0, 2, 2], vec![1, 0]), false).contains("neighbours of vertex 0 are not sorted"));
        assert!(refused(plain(vec![0, 1, 1], vec![1]), true).contains("lacks its reverse"));
        let nan = adjacency(vec![0, 1], vec![0], f32::wrap(vec![f32::NAN]));
        assert!(refused(nan, false).contains("weight of edge 0 is NaN"));
        let short = adjacency(vec![0, 1], vec![0], i32::wrap(vec![]));
        assert!(refused(short, false).contains("1 edges have 0 weights"));
        let uneven = adjacency(vec![0, 1, 2], vec![1, 0], i32::wrap(vec![3, 4]));
        assert!(refused(uneven, true).contains("lacks its reverse"));

        let (out, wrong) = (plain(vec![0, 1, 1], vec![1]), plain(vec![0, 1, 1], vec![1]));
        let error = validate(&Graph::with_incoming(out, wrong)).unwrap_err().to_string();
        assert!(error.contains("not the mirror"), "{error}");
    }
}
