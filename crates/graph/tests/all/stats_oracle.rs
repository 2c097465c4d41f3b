//! Statistics against brute force, and the class over the generators.

use gw_graph::progress::Silent;
use gw_graph::stats::{Class, Statistics, StatsOptions, components, double_sweep};
use gw_graph::{BuildOptions, EdgeList, Graph, GraphSpec, build};
use proptest::prelude::*;

fn load(spec: &str) -> Graph {
    GraphSpec::parse(spec).unwrap().load(&Silent).unwrap().graph
}

/// Everything again, slowly.
struct Oracle {
    out: Vec<u64>,
    incoming: Vec<u64>,
    total: Vec<u64>,
    loops: u64,
    labels: Vec<usize>,
}

impl Oracle {
    fn of(graph: &Graph) -> Self {
        let n = graph.vertices();
        let mut oracle =
            Oracle { out: vec![0; n], incoming: vec![0; n], total: vec![], loops: 0, labels: (0..n).collect() };
        for s in 0..n {
            for &t in graph.out().neighbours(s as u32) {
                oracle.out[s] += 1;
                oracle.incoming[t as usize] += 1;
                oracle.loops += u64::from(s == t as usize);
            }
        }
        oracle.total = match graph.is_symmetric() {
            true => oracle.out.clone(),
            false => oracle.out.iter().zip(&oracle.incoming).map(|(a, b)| a + b).collect(),
        };
        // Labels fall until nothing changes.
        let mut changed = true;
        while changed {
            changed = false;
            for s in 0..n {
                for &t in graph.out().neighbours(s as u32) {
                    let least = oracle.labels[s].min(oracle.labels[t as usize]);
                    for v in [s, t as usize] {
                        changed |= oracle.labels[v] != least;
                        oracle.labels[v] = least;
                    }
                }
            }
        }
        oracle
    }

    fn component_sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.labels.len()];
        self.labels.iter().for_each(|&l| sizes[l] += 1);
        sizes.retain(|&s| s > 0);
        sizes
    }
}

fn check_degrees(found: &gw_graph::stats::DegreeSummary, degrees: &[u64]) {
    let n = degrees.len() as f64;
    let mut sorted = degrees.to_vec();
    sorted.sort_unstable();
    let quantile = |q: f64| {
        let place = q * (n - 1.0);
        let (low, high) = (sorted[place as usize] as f64, sorted[place.ceil() as usize] as f64);
        low + (high - low) * place.fract()
    };
    let mean = degrees.iter().sum::<u64>() as f64 / n;
    let variance = degrees.iter().map(|&d| (d as f64 - mean).powi(2)).sum::<f64>() / n;
    // Gini by its definition: the mean absolute difference over twice the mean.
    let differences: f64 = degrees.iter().flat_map(|&a| degrees.iter().map(move |&b| a.abs_diff(b) as f64)).sum();
    let gini = if mean == 0.0 { 0.0 } else { differences / (2.0 * n * n * mean) };
    assert_eq!((found.min, found.max), (sorted[0], sorted[degrees.len() - 1]));
    for (value, expected) in [
        (found.q1, quantile(0.25)),
        (found.median, quantile(0.5)),
        (found.q3, quantile(0.75)),
        (found.mean, mean),
        (found.std_dev, variance.sqrt()),
        (found.gini, gini),
    ] {
        assert!((value - expected).abs() < 1e-9, "{value} {expected} {found:?}");
    }
}

fn distances(graph: &Graph, start: u32) -> Vec<Option<u64>> {
    let incoming = graph.incoming();
    let mut distance = vec![None; graph.vertices()];
    let mut queue = std::collections::VecDeque::from([start]);
    distance[start as usize] = Some(0);
    while let Some(v) = queue.pop_front() {
        for &t in graph.out().neighbours(v).iter().chain(incoming.neighbours(v)) {
            if distance[t as usize].is_none() {
                distance[t as usize] = distance[v as usize].map(|d| d + 1);
                queue.push_back(t);
            }
        }
    }
    distance
}

proptest! {
    #[test]
    fn statistics_agree_with_brute_force(
        vertices in 1usize..60, pairs in prop::collection::vec((0u32..60, 0u32..60), 0..150),
        symmetrise: bool, keep_loops: bool, keeps_parallel: bool,
    ) {
        let n = vertices as u32;
        let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a % n, b % n)).collect();
        let parallel = if keeps_parallel { gw_graph::Parallel::Keep } else { gw_graph::Parallel::Least };
        let options = BuildOptions { symmetrise, keep_loops, parallel, ..Default::default() };
        let graph = build(EdgeList::from_pairs(vertices, pairs), &options).unwrap();
        let found = Statistics::of(&graph, &StatsOptions::default());
        let oracle = Oracle::of(&graph);
        prop_assert_eq!(found.vertices, vertices as u64);
        prop_assert_eq!(found.edges, graph.edges() as u64);
        prop_assert_eq!(found.self_loops, oracle.loops);
        prop_assert_eq!(found.max_degree, *oracle.total.iter().max().unwrap());
        check_degrees(&found.out_degree, &oracle.out);
        check_degrees(&found.in_degree, &oracle.incoming);
        check_degrees(&found.degree, &oracle.total);
        prop_assert_eq!(found.degree_histogram.iter().map(|b| b.count).sum::<u64>(), vertices as u64);
        for bucket in &found.degree_histogram {
            let inside = oracle.total.iter().filter(|d| (bucket.low..=bucket.high).contains(d)).count();
            prop_assert_eq!(bucket.count, inside as u64);
        }

        let sizes = oracle.component_sizes();
        let largest = *sizes.iter().max().unwrap();
        let components = found.components.unwrap();
        prop_assert_eq!(components.count, sizes.len() as u64);
        prop_assert_eq!(components.largest, largest);
        prop_assert_eq!(components.isolated, sizes.iter().filter(|&&s| s == 1).count() as u64);

        // A lower bound of the true diameter, and at least half of it.
        let all: Vec<_> = (0..n).map(|v| distances(&graph, v)).collect();
        let diameter = (0..vertices)
            .filter(|&v| all[v].iter().flatten().count() as u64 == largest)
            .flat_map(|v| all[v].iter().flatten().copied())
            .max()
            .unwrap();
        let estimate = found.estimated_diameter.unwrap();
        prop_assert!(estimate <= diameter);
        if sizes.iter().filter(|&&s| s == largest).count() == 1 {
            prop_assert!(2 * estimate >= diameter);
        }
    }
}

#[test]
fn components_of_larger_graphs_agree_and_ignore_threads() {
    for spec in ["urand:14:1", "urand:14:1:directed", "kron:13:4:directed", "powerlaw:20000:2.6"] {
        let graph = load(spec);
        let sizes = Oracle::of(&graph).component_sizes();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| components(&graph));
            assert_eq!(found.count, sizes.len() as u64, "{spec}");
            assert_eq!(Some(&found.largest), sizes.iter().max(), "{spec}");
        }
    }
}

#[test]
fn statistics_do_not_depend_on_threads() {
    for spec in ["kron:12:weights=0.0..1.0", "road:200x200:directed:weights=1..9"] {
        let graph = load(spec);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Statistics::of(&graph, &StatsOptions::default()))
        };
        assert_eq!(with(1), with(5), "{spec}");
    }
}

#[test]
fn double_sweep_is_exact_on_trees_and_paths() {
    assert_eq!(double_sweep(&load("path:5000"), 2000), 4999);
    assert_eq!(double_sweep(&load("path:5000:directed"), 2000), 4999);
    assert_eq!(double_sweep(&load("star:50"), 7), 2);
    assert_eq!(double_sweep(&load("tree:1023"), 5), 18);
    assert_eq!(double_sweep(&load("grid:70x50"), 0), 118);
}

#[test]
fn weights_are_summed_up() {
    let edges = EdgeList::from_triples(3, vec![(0, 1, -2i32), (1, 2, 5), (2, 0, 6)]);
    let graph = build(edges, &BuildOptions::default()).unwrap();
    let weights = Statistics::of(&graph, &StatsOptions::default()).weights.unwrap();
    assert_eq!((weights.min, weights.max, weights.mean), (-2.0, 6.0, 3.0));
}

#[test]
fn empty_graphs_have_statistics() {
    for vertices in [0, 5] {
        let graph = build(EdgeList::from_pairs(vertices, vec![]), &BuildOptions::default()).unwrap();
        let found = Statistics::of(&graph, &StatsOptions::default());
        assert_eq!((found.class, found.max_degree), (Class::Empty, 0));
        assert_eq!(found.components.unwrap().isolated, vertices as u64);
        assert_eq!(found.estimated_diameter, Some(0));
    }
}

#[test]
fn options_leave_work_out() {
    let none = StatsOptions { components: false, diameter: false };
    let found = Statistics::of(&load("grid:30x30"), &none);
    assert_eq!((found.components, found.estimated_diameter), (None, None));
}

#[test]
fn generators_have_the_class_of_their_name() {
    for (spec, class) in [
        ("kron:14", Class::PowerLaw),
        ("kron:12:directed", Class::PowerLaw),
        ("powerlaw:50000:2.2:min=2", Class::PowerLaw),
        ("urand:14", Class::UniformRandom),
        ("grid:100x100", Class::MeshLike),
        ("grid:30x30", Class::MeshLike),
        ("grid:40x40x40", Class::MeshLike),
        ("road:200x200", Class::RoadLike),
        ("road:200x200:drop=0.35:diagonals=0.05", Class::RoadLike),
        ("smallworld:20000", Class::SmallWorld),
        ("regular:10000:8", Class::BoundedDegree),
        ("star:1000", Class::StarLike),
        ("star:1000:directed", Class::StarLike),
        ("path:1000", Class::PathLike),
        ("cycle:1000", Class::PathLike),
        ("tree:1000", Class::TreeLike),
        ("tree:1000:random:directed", Class::TreeLike),
        ("complete:100", Class::Dense),
        ("bipartite:1000:1000:16000", Class::UniformRandom),
    ] {
        let found = Statistics::of(&load(spec), &StatsOptions::default());
        assert_eq!(found.class, class, "{spec}: {}", found.class_rule);
        assert!(!found.class_rule.is_empty());
    }
}
