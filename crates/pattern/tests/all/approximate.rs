//! Approximate matching against brute force, planted queries, and the rules that every match keeps.

use gw_pattern::plant::{connected_part, random_graph};
use gw_pattern::score::Seeds;
use gw_pattern::{
    ExactOptions, LabelledGraph, Match, Matrix, Options, Released, Scoring, Similarity, Thesis, exact, find, find_with,
    perturb,
};
use proptest::prelude::*;

/// The cheapest of all partial injective maps, with the cost computed independently of the crate.
fn optimum(query: &LabelledGraph, target: &LabelledGraph) -> f64 {
    fn go(query: &LabelledGraph, target: &LabelledGraph, partners: &mut Vec<Option<u32>>, best: &mut usize) {
        let q = partners.len() as u32;
        if q as usize == query.nodes() {
            let mut cost = 0;
            for u in 0..q {
                cost += match partners[u as usize] {
                    Some(t) => usize::from(query.label(u) != target.label(t)),
                    None => 1,
                };
                for v in 0..u {
                    let kept = match (partners[u as usize], partners[v as usize]) {
                        (Some(a), Some(b)) => target.neighbours(a).contains(&b),
                        _ => false,
                    };
                    cost += usize::from(query.neighbours(u).contains(&v) && !kept);
                }
            }
            *best = cost.min(*best);
            return;
        }
        for t in (0..target.nodes() as u32).map(Some).chain([None]) {
            if t.is_none() || !partners.contains(&t) {
                partners.push(t);
                go(query, target, partners, best);
                partners.pop();
            }
        }
    }
    let mut best = usize::MAX;
    go(query, target, &mut Vec::new(), &mut best);
    best as f64 / (query.nodes() + query.edges()) as f64
}

fn scorings() -> [(&'static str, Box<dyn Scoring>); 2] {
    [("released", Box::new(Released)), ("thesis", Box::new(Thesis::default()))]
}

/// Partners are distinct, costs lie in [0, 1], and 0 means an exact occurrence.
fn check_rules(query: &LabelledGraph, target: &LabelledGraph, found: &Match) {
    let mut partners: Vec<u32> = found.partners.iter().flatten().copied().collect();
    partners.sort_unstable();
    let count = partners.len();
    partners.dedup();
    assert_eq!(partners.len(), count, "a target node has two query nodes");
    assert!((0.0..=1.0).contains(&found.cost.total), "{:?}", found.cost);
    let labels =
        (0..query.nodes()).all(|q| found.partners[q].is_some_and(|t| query.label(q as u32) == target.label(t)));
    let edges = labels
        && query.edge_list().all(|(u, v)| {
            let [u, v] = [u, v].map(|q| found.partners[q as usize].unwrap());
            target.has_edge(u, v)
        });
    assert_eq!(found.cost.total == 0.0, edges);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(gw_testing::usually(24, 400)))]

    #[test]
    fn no_match_is_cheaper_than_the_optimum_and_many_solutions_reach_it(
        seed in 0_u64..1_000_000, nodes in 2_u32..5, targets in 4_u32..7, labels in 1_u32..4,
    ) {
        let target = random_graph(targets, 9, labels, seed);
        let query = random_graph(nodes, 4, labels, seed + 1);
        let best = optimum(&query, &target);
        let options = Options { solutions: 400, seed, ..Options::default() };
        for (name, scoring) in scorings() {
            let found = find_with(&*scoring, &query, &target, None, &options).unwrap();
            found.matches.iter().for_each(|found| check_rules(&query, &target, found));
            let cheapest = found.matches[0].cost.total;
            prop_assert!(cheapest >= best - 1e-12, "{name}: {cheapest} below the optimum {best}");
            // A connected query in a connected target reaches the optimum, unless the optimum leaves the frontier.
            if name == "released" && best == 0.0 && query.edges() + 1 >= nodes as usize {
                prop_assert!(cheapest == 0.0, "the exact occurrence was not found: {cheapest}");
            }
        }
    }

    #[test]
    fn matches_keep_the_rules_for_any_graph(
        seed in 0_u64..1_000_000, nodes in 1_u32..40, edges in 0_usize..80, labels in 1_u32..6, depth in 1_usize..4,
    ) {
        // Sparse queries have several components and lone nodes, and small targets run out of candidates.
        let query = random_graph(nodes, edges / 2, labels, seed);
        let target = random_graph(30, edges, labels, seed + 1);
        let options = Options { solutions: 20, depth, seed, rounds: 0 };
        for (_, scoring) in scorings() {
            let found = find_with(&*scoring, &query, &target, None, &options).unwrap();
            prop_assert_eq!(found.matches.iter().map(|found| found.solutions).sum::<usize>(), 20);
            found.matches.iter().for_each(|found| check_rules(&query, &target, found));
            prop_assert!(found.matches.is_sorted_by(|a, b| a.cost.total <= b.cost.total));
            // Rounds of improvement start from the same matches and never make one worse.
            let mean = |found: &gw_pattern::Found| {
                found.matches.iter().map(|found| found.cost.total * found.solutions as f64).sum::<f64>()
            };
            let improved = Options { rounds: 2, ..options.clone() };
            let improved = find_with(&*scoring, &query, &target, None, &improved).unwrap();
            improved.matches.iter().for_each(|found| check_rules(&query, &target, found));
            prop_assert!(mean(&improved) <= mean(&found) + 1e-9);
        }
    }
}

#[test]
fn planted_queries_are_found_at_no_cost() {
    let mut missed = 0;
    for seed in 0..20 {
        let target = random_graph(500, 1500, 12, seed);
        let query = connected_part(&target, 4 + seed as usize % 5, seed).unwrap();
        let found = find(&query, &target, None, &Options { solutions: 200, ..Options::default() }).unwrap();
        missed += usize::from(found.matches[0].cost.total > 0.0);
        let occurrences = exact(&query, &target, &ExactOptions::default()).unwrap();
        assert!(!occurrences.matches.is_empty());
    }
    assert_eq!(missed, 0);
}

#[test]
fn the_same_seed_gives_the_same_answer_for_any_number_of_threads() {
    let target = random_graph(3000, 12_000, 8, 4);
    let query = connected_part(&target, 70, 1).unwrap();
    for (name, scoring) in scorings() {
        let with_threads = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = Options { solutions: 30, seed, ..Options::default() };
            pool.install(|| find_with(&*scoring, &query, &target, None, &options)).unwrap().matches
        };
        let one = with_threads(1, 7);
        assert_eq!(one, with_threads(2, 7), "{name}");
        assert_eq!(one, with_threads(5, 7), "{name}");
        assert_ne!(one, with_threads(1, 8), "{name}: another seed changes nothing");
    }
}

/// Chi-square over classes of pairs: seeds appear as often as their probabilities say.
#[test]
fn seeds_follow_their_weights() {
    const DRAWS: usize = 100_000;
    let target = random_graph(40, 90, 3, 2);
    let query = connected_part(&target, 5, 3).unwrap();
    let similarity = Similarity::new(&query, &target, None).unwrap();
    for (name, scoring) in scorings() {
        let seeds: Box<dyn Seeds> = scoring.seeds(&similarity, 2).unwrap();
        let mut counts = vec![0.0; 5 * 40];
        let mut rng = gw_graph::rng::Rng::new(11, 0);
        for _ in 0..DRAWS {
            let (q, t) = seeds.draw(&mut rng);
            counts[q as usize * 40 + t as usize] += 1.0;
        }
        let (mut chi, mut classes, mut sum) = (0.0, 0.0, 0.0);
        for (at, &count) in counts.iter().enumerate() {
            let p = seeds.probability((at / 40) as u32, (at % 40) as u32);
            sum += p;
            if p == 0.0 {
                assert_eq!(count, 0.0, "{name}: an impossible seed");
            } else if p * DRAWS as f64 >= 5.0 {
                chi += (count - p * DRAWS as f64).powi(2) / (p * DRAWS as f64);
                classes += 1.0;
            }
        }
        assert!((sum - 1.0).abs() < 1e-5, "{name}: {sum}");
        // Five standard deviations above the mean of the distribution.
        assert!(chi < classes + 5.0 * (2.0_f64 * classes).sqrt(), "{name}: chi-square {chi} of {classes} classes");
    }
}

#[test]
fn a_matrix_says_what_is_similar() {
    // Labels of query and target have nothing in common; the matrix pairs node i with node 9 - i.
    let edges: Vec<(u32, u32)> = (0..4).map(|i| (i, i + 1)).collect();
    let query = LabelledGraph::new(vec![0, 1, 2, 3, 4], &edges).unwrap();
    let reversed: Vec<(u32, u32)> = (0..9).map(|i| (i, i + 1)).collect();
    let target = LabelledGraph::new((10..20).collect(), &reversed).unwrap();
    let value = |at: usize| if at / 10 + at % 10 == 9 { 1.0 } else { 0.0 };
    let matrix = Matrix::new((0..50).map(value).collect(), 10);
    for (_, scoring) in scorings() {
        let options = Options { solutions: 50, ..Options::default() };
        let found = find_with(&*scoring, &query, &target, Some(&matrix), &options).unwrap();
        let expected: Vec<_> = (0..5).map(|q| Some(9 - q)).collect();
        assert_eq!((found.matches[0].cost.total, &found.matches[0].partners), (0.0, &expected));
    }
    let wrong = Matrix::new(vec![1.0; 40], 8);
    let error = find(&query, &target, Some(&wrong), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("5 rows of 8 numbers"), "{error}");
}

#[test]
fn what_cannot_be_matched_is_refused() {
    let empty = LabelledGraph::new(vec![], &[]).unwrap();
    let one = LabelledGraph::new(vec![0], &[]).unwrap();
    let refused = |query, target, options| find(query, target, None, &options).unwrap_err().to_string();
    assert_eq!(refused(&empty, &one, Options::default()), "the query has no nodes");
    assert_eq!(refused(&one, &empty, Options::default()), "the target has no nodes");
    assert!(refused(&one, &one, Options { solutions: 0, ..Options::default() }).contains("at least one solution"));
    assert!(refused(&one, &one, Options { depth: 0, ..Options::default() }).contains("depth is at least 1"));
    assert!(perturb(&one, &one, 1.5, 1).unwrap_err().to_string().contains("between 0 and 1"));
    assert_eq!(perturb(&one.clone().with_name("q"), &one, 1.0, 1).unwrap().name(), "q");
}

#[test]
fn mistakes_in_a_query_raise_its_cost() {
    let target = random_graph(400, 1600, 10, 6);
    let mean = |share: f64| {
        let costs: Vec<f64> = (0..20)
            .map(|seed| {
                let query = perturb(&connected_part(&target, 12, seed).unwrap(), &target, share, seed).unwrap();
                find(&query, &target, None, &Options { solutions: 50, ..Options::default() }).unwrap().matches[0]
                    .cost
                    .total
            })
            .collect();
        costs.iter().sum::<f64>() / costs.len() as f64
    };
    let (none, few, many) = (mean(0.0), mean(0.1), mean(0.5));
    assert!(none < few && few < many, "{none} {few} {many}");
}

#[test]
fn numbers_beyond_all_bounds_neither_hang_nor_abort() {
    let graph = LabelledGraph::new(vec![0, 1, 0], &[(0, 1), (1, 2)]).unwrap();
    let refused = find(&graph, &graph, None, &Options { solutions: usize::MAX, ..Options::default() });
    assert!(matches!(refused, Err(gw_pattern::PatternError::Memory(_))));
    for scoring in ["released", "thesis"].map(|name| gw_pattern::scoring(name).unwrap()) {
        let at = |depth| find_with(&*scoring, &graph, &graph, None, &Options { depth, ..Options::default() }).unwrap();
        assert_eq!(at(usize::MAX).matches, at(3).matches);
    }
}
