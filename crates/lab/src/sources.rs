//! Where runs start: seeded, among vertices that lead somewhere.

use gw_graph::rng::Rng;
use gw_graph::{Adjacency, VertexId};

/// The stream of the generator that chooses sources; another one chooses targets.
pub(crate) const SOURCES: u64 = 0x736f;
/// See [`SOURCES`].
pub(crate) const TARGETS: u64 = 0x7461;

/// `count` vertices with out-edges, drawn evenly; all different while the graph has that many. The same seed gives the
/// same vertices, and a greater count begins with those of a smaller one. Empty when no vertex has out-edges.
pub(crate) fn choose(out: &Adjacency, count: usize, seed: u64, stream: u64) -> Vec<VertexId> {
    let useful: Vec<VertexId> = (0..out.vertices() as VertexId).filter(|&v| out.degree(v) > 0).collect();
    if useful.is_empty() {
        return Vec::new();
    }
    let mut rng = Rng::new(seed, stream);
    let mut chosen: Vec<VertexId> = Vec::new();
    let mut taken = vec![false; useful.len()];
    while chosen.len() < count {
        // Once all have been taken, they are taken again.
        if chosen.len().is_multiple_of(useful.len()) {
            taken.fill(false);
        }
        let at = rng.below(useful.len() as u64) as usize;
        if !std::mem::replace(&mut taken[at], true) {
            chosen.push(useful[at]);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_graph::{BuildOptions, EdgeList, build};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sources_have_edges_and_follow_the_seed(
            edges in proptest::collection::vec((0u32..40, 0u32..40), 0..60), count in 0usize..50, seed: u64,
        ) {
            let graph = build(EdgeList::from_pairs(40, edges), &BuildOptions::default()).unwrap();
            let out = graph.out();
            let chosen = choose(out, count, seed, SOURCES);
            let useful = (0..40).filter(|&v| out.degree(v) > 0).count();
            prop_assert_eq!(chosen.len(), if useful == 0 { 0 } else { count });
            prop_assert!(chosen.iter().all(|&v| out.degree(v) > 0));
            let mut different = chosen.clone();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(different.len(), chosen.len().min(useful));
            let longer = choose(out, count + 5, seed, SOURCES);
            prop_assert_eq!(&longer[..chosen.len()], &chosen[..]);
        }
    }
}
