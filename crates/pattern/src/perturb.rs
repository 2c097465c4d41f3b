//! Queries with mistakes, to see how matching bears them (thesis, section 10.4): on a share of the nodes, a random
//! other label and one edge whose other end is replaced.

use gw_graph::rng::Rng;

use crate::{LabelledGraph, PatternError, Result};

/// The query after `share` of its nodes (rounded up) got a label drawn from those of the target and an edge with
/// another end.
pub fn perturb(query: &LabelledGraph, target: &LabelledGraph, share: f64, seed: u64) -> Result<LabelledGraph> {
    if !(0.0..=1.0).contains(&share) {
        return Err(PatternError::Argument(format!("a share of nodes lies between 0 and 1: {share} does not")));
    }
    let mut rng = Rng::new(seed, 0x9e27);
    let nodes = query.nodes() as u64;
    let mut labels = query.labels().to_vec();
    let mut edges: Vec<(u32, u32)> = query.edge_list().collect();
    let mut order: Vec<u32> = (0..query.nodes() as u32).collect();
    rng.shuffle(&mut order);
    let mut known = target.labels().to_vec();
    known.sort_unstable();
    known.dedup();
    for &node in &order[..(share * nodes as f64).ceil() as usize] {
        // 1. Another label, where the target has another.
        let others: Vec<u32> = known.iter().copied().filter(|&label| label != labels[node as usize]).collect();
        if !others.is_empty() {
            labels[node as usize] = others[rng.below(others.len() as u64) as usize];
        }
        // 2. Another end for one of its edges, where there is a node that it is not linked with.
        let own: Vec<usize> = (0..edges.len()).filter(|&e| edges[e].0 == node || edges[e].1 == node).collect();
        let linked = |other: u32| own.iter().any(|&e| edges[e].0 == other || edges[e].1 == other);
        let free: Vec<u32> = (0..nodes as u32).filter(|&other| other != node && !linked(other)).collect();
        if !own.is_empty() && !free.is_empty() {
            let edge = own[rng.below(own.len() as u64) as usize];
            edges[edge] = (node, free[rng.below(free.len() as u64) as usize]);
        }
    }
    Ok(LabelledGraph::new(labels, &edges)?.named_as(query))
}
