//! Graphs for tests and measurements: random targets, and queries cut out of a target, so that an exact occurrence
//! exists.

use gw_graph::rng::Rng;
use rustc_hash::FxHashMap;

use crate::{LabelledGraph, PatternError, Result};

/// A random graph: `edges` pairs drawn evenly (loops and repetitions drop out) and labels drawn evenly.
///
/// # Panics
/// Without nodes or without labels.
pub fn random_graph(nodes: u32, edges: usize, labels: u32, seed: u64) -> LabelledGraph {
    assert!(nodes > 0 && labels > 0, "at least one node and one label");
    let mut rng = Rng::new(seed, 0x9a7);
    let node_labels = (0..nodes).map(|_| rng.below(labels.into()) as u32).collect();
    let pairs: Vec<(u32, u32)> =
        (0..edges).map(|_| (rng.below(nodes.into()) as u32, rng.below(nodes.into()) as u32)).collect();
    LabelledGraph::new(node_labels, &pairs).expect("all pairs are nodes")
}

/// A connected part of a target with so many nodes and all edges among them, nodes in the order they were found.
///
/// [`PatternError::Argument`] when no component of the target is large enough.
pub fn connected_part(target: &LabelledGraph, nodes: usize, seed: u64) -> Result<LabelledGraph> {
    const ATTEMPTS: u64 = 64;
    for attempt in 0..ATTEMPTS {
        let mut rng = Rng::new(seed, 0xc0de + attempt);
        if target.nodes() == 0 || nodes == 0 {
            break;
        }
        let start = rng.below(target.nodes() as u64) as u32;
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::from_iter([(start, 0)]);
        let mut members = vec![start];
        let mut frontier: Vec<u32> = target.neighbours(start).to_vec();
        while members.len() < nodes && !frontier.is_empty() {
            let node = frontier.swap_remove(rng.below(frontier.len() as u64) as usize);
            if numbers.contains_key(&node) {
                continue;
            }
            numbers.insert(node, members.len() as u32);
            members.push(node);
            frontier.extend(target.neighbours(node).iter().filter(|v| !numbers.contains_key(v)));
        }
        if members.len() == nodes {
            let labels = members.iter().map(|&node| target.label(node)).collect();
            let inner = |&node: &u32| target.neighbours(node).iter().filter_map(|v| numbers.get(v)).copied();
            let edges: Vec<(u32, u32)> =
                members.iter().flat_map(|node| inner(node).map(|v| (numbers[node], v))).collect();
            return LabelledGraph::new(labels, &edges);
        }
    }
    let message = format!("the target has no connected part of {nodes} nodes that {ATTEMPTS} attempts could find");
    Err(PatternError::Argument(message))
}
