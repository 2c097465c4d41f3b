//! Exact matching against all injective maps.

use gw_pattern::plant::{connected_part, random_graph};
use gw_pattern::{ExactOptions, LabelledGraph, exact};
use proptest::prelude::*;

/// All matches, by trying every injective map.
fn by_trying(query: &LabelledGraph, target: &LabelledGraph, induced: bool) -> Vec<Vec<u32>> {
    fn go(query: &LabelledGraph, target: &LabelledGraph, induced: bool, path: &mut Vec<u32>, all: &mut Vec<Vec<u32>>) {
        let q = path.len() as u32;
        if q as usize == query.nodes() {
            all.push(path.clone());
            return;
        }
        for t in 0..target.nodes() as u32 {
            let fits = query.label(q) == target.label(t)
                && !path.contains(&t)
                && (0..q).all(|earlier| {
                    let wanted = query.neighbours(q).contains(&earlier);
                    let there = target.neighbours(t).contains(&path[earlier as usize]);
                    wanted == there || (!wanted && !induced)
                });
            if fits {
                path.push(t);
                go(query, target, induced, path, all);
                path.pop();
            }
        }
    }
    let mut all = Vec::new();
    go(query, target, induced, &mut Vec::new(), &mut all);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(gw_testing::usually(150, 5000)))]

    #[test]
    fn all_matches_are_found_and_no_others(
        seed in 0_u64..1_000_000, nodes in 1_u32..6, edges in 0_usize..8, labels in 1_u32..4, induced: bool,
    ) {
        let target = random_graph(12, 24, labels, seed);
        let query = random_graph(nodes, edges, labels, seed + 1);
        let options = ExactOptions { induced, limit: usize::MAX - 1, ..ExactOptions::default() };
        let mut found = exact(&query, &target, &options).unwrap();
        prop_assert!(found.is_complete);
        found.matches.sort();
        prop_assert_eq!(found.matches, by_trying(&query, &target, induced));
    }
}

#[test]
fn a_limit_gives_the_first_matches_for_any_number_of_threads() {
    let target = random_graph(300, 1500, 2, 3);
    let query = connected_part(&target, 4, 3).unwrap();
    let with = |threads: usize, limit: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = ExactOptions { limit, ..ExactOptions::default() };
        pool.install(|| exact(&query, &target, &options)).unwrap()
    };
    let all = with(1, 1_000_000);
    assert!(all.is_complete && all.matches.len() > 100);
    for threads in [1, 3] {
        let some = with(threads, 17);
        assert_eq!((some.matches.as_slice(), some.is_complete), (&all.matches[..17], false));
        // Exactly as many as there are: nothing is missing.
        assert!(with(threads, all.matches.len()).is_complete);
    }
}

#[test]
fn a_search_that_is_given_up_says_so() {
    let target = random_graph(60, 900, 1, 5);
    let query = random_graph(12, 60, 1, 6);
    let options = ExactOptions { most_steps: 10, ..ExactOptions::default() };
    let found = exact(&query, &target, &options).unwrap();
    assert!(!found.is_complete && found.steps <= 11 * 60);
}

#[test]
fn large_planted_queries_are_found() {
    let target = random_graph(5000, 20_000, 32, 9);
    for nodes in [16, 64, 256] {
        let query = connected_part(&target, nodes, 1).unwrap();
        for induced in [false, true] {
            let options = ExactOptions { induced, limit: 1, ..ExactOptions::default() };
            assert_eq!(exact(&query, &target, &options).unwrap().matches.len(), 1, "{nodes} nodes, induced {induced}");
        }
    }
}

/// A root costs what is tried there, not a look at every target node: a cycle of four times the length takes about
/// four times as long.
#[test]
fn long_targets_take_linear_time() {
    let query = LabelledGraph::new(vec![0; 3], &[(0, 1), (1, 2), (2, 0)]).unwrap();
    let seconds = |nodes: u32| {
        let edges: Vec<(u32, u32)> = (0..nodes).map(|v| (v, (v + 1) % nodes)).collect();
        let target = LabelledGraph::new(vec![0; nodes as usize], &edges).unwrap();
        let start = std::time::Instant::now();
        let found = exact(&query, &target, &ExactOptions::default()).unwrap();
        assert!(found.is_complete && found.matches.is_empty());
        start.elapsed().as_secs_f64()
    };
    // Quadratic time is 160 times the first; the least of three is told apart from that on any machine.
    let least = |nodes: u32| (0..3).map(|_| seconds(nodes)).fold(f64::INFINITY, f64::min);
    let (short, long) = (least(12_500), least(160_000));
    assert!(long < 60.0 * short.max(1e-3), "{short} s and {long} s");
}

/// Searches are used again: what an early end leaves behind must not be seen by the next root.
#[test]
fn a_search_that_was_given_up_leaves_nothing_behind() {
    let nodes = 9;
    let edges: Vec<(u32, u32)> = (0..nodes).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
    let target = LabelledGraph::new(vec![0; nodes as usize], &edges).unwrap();
    let query = LabelledGraph::new(vec![0; 4], &[(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // Ten steps lead to the first match of any root; a later step ends the search with three partners in use.
    for most_steps in 12..40 {
        let options = ExactOptions { limit: 1_000_000, most_steps, ..ExactOptions::default() };
        let found = pool.install(|| exact(&query, &target, &options)).unwrap();
        let roots: std::collections::BTreeSet<u32> = found.matches.iter().map(|partners| partners[0]).collect();
        assert_eq!(roots.len(), nodes as usize, "{most_steps} steps: {roots:?}");
        assert!(!found.is_complete);
    }
}
