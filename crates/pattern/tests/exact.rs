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
