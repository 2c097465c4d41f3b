//! Prescribed degree distributions: direct construction and evolution, judged by the Kolmogorov-Smirnov test.

use std::io::Write;

use gw_graph::generate::degrees::{Distribution, Significance, degree_counts, distance};
use gw_graph::generate::evolve::Crossover;
use gw_graph::generate::{Degrees, Evolve, Generator};
use gw_graph::progress::Silent;
use gw_graph::stats::components;
use gw_graph::{GraphError, GraphSpec};

fn targets() -> Vec<Distribution> {
    vec![
        Distribution::Uniform { low: 0, high: 100 },
        Distribution::Normal { mean: 50.0, deviation: 10.0 },
        Distribution::Exponential { rate: 0.1 },
        Distribution::PowerLaw { exponent: 2.2, low: 2, high: 60 },
    ]
}

#[test]
fn every_distribution_is_accepted_at_every_size() {
    for distribution in targets() {
        for vertices in [100, 1000, 20_000] {
            for significance in [Significance::P20, Significance::P01] {
                let degrees = Degrees { vertices, distribution: distribution.clone(), significance, connected: true };
                let edges = degrees.edges(1, &Silent).unwrap_or_else(|e| panic!("{e}"));
                let pairs: Vec<_> = edges.iter().map(|(a, b, ())| (a, b)).collect();
                // Judged here again, from the edges alone.
                let counts = degree_counts(vertices as usize, &pairs);
                let found = distance(&counts, &distribution.target(vertices, true).unwrap());
                assert!(found <= significance.limit(vertices as usize), "{} at {found}", degrees.spec());
                let graph = GraphSpec::parse(&degrees.spec()).unwrap().load(&Silent).unwrap().graph;
                assert_eq!(components(&graph).count, 1, "{}", degrees.spec());
                assert_eq!(graph.edges(), 2 * pairs.len(), "{}: not simple", degrees.spec());
            }
        }
    }
}

#[test]
fn impossible_targets_are_refused() {
    // Mean degree below 2: no connected graph has so few edges.
    let sparse = GraphSpec::parse("degrees:5000:powerlaw:3:1..50").unwrap();
    let error = sparse.load(&Silent).unwrap_err();
    assert!(matches!(error, GraphError::Generate(_)));
    assert!(error.to_string().contains("unconnected"), "{error}");
    GraphSpec::parse("degrees:5000:powerlaw:3:1..50:unconnected").unwrap().load(&Silent).unwrap();

    // Half the vertices joined to all, half to one: no simple graph.
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "1 50\n99 50").unwrap();
    let spec = format!("degrees:100:file:{}", file.path().display());
    let error = GraphSpec::parse(&spec).unwrap().load(&Silent).unwrap_err();
    assert!(matches!(error, GraphError::Generate(_)), "{error}");
}

#[test]
fn degree_files_are_read_and_checked() {
    let with = |content: &str, vertices: u64| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        let spec = format!("degrees:{vertices}:file:{}", file.path().display());
        GraphSpec::parse(&spec).unwrap().load(&Silent).map(|loaded| loaded.graph)
    };
    let graph = with("# degree count\n2 500\n3 300\n10 200\n", 1000).unwrap();
    assert_eq!((0..1000).filter(|&v| graph.out().degree(v) == 10).count(), 200);
    assert_eq!((0..1000).filter(|&v| graph.out().degree(v) == 2).count(), 500);
    let message = |content: &str| with(content, 1000).unwrap_err().to_string();
    assert!(message("2 500\n3 x\n").contains(":2: expected `degree count`"));
    assert!(message("").contains("holds no degrees"));
    assert!(message("99999 5\n").contains("impossible"));
    assert!(message("0 5\n2 100\n").contains("degree 0"));
    assert!(message("1 2 3\n").contains(":1:"));
}

#[test]
fn evolution_reaches_acceptance() {
    for (distribution, generations) in
        [(Distribution::Normal { mean: 50.0, deviation: 10.0 }, 100), (Distribution::Exponential { rate: 0.1 }, 400)]
    {
        for crossover in [Crossover::Vertex, Crossover::Edge, Crossover::Point] {
            let evolve = Evolve { crossover, generations, ..Evolve::new(100, distribution.clone()) };
            let evolved = evolve.run(1, &Silent).unwrap();
            assert!(evolved.accepted, "{} stops at {}", evolve.spec(), evolved.distance);
            assert_eq!(evolved.connected, 1.0);
            assert!(evolved.history.last() > evolved.history.first(), "{}", evolve.spec());
            let counts = degree_counts(100, &evolved.edges);
            let found = distance(&counts, &distribution.target(100, true).unwrap());
            assert!((found - evolved.distance).abs() < 1e-12);
        }
    }
}

#[test]
fn evolution_never_loses_its_best() {
    let target = Distribution::Uniform { low: 0, high: 100 };
    let evolve = Evolve { population: 40, generations: 60, ..Evolve::new(100, target) };
    let evolved = evolve.run(3, &Silent).unwrap();
    assert!(evolved.history.is_sorted());
    assert!(evolved.history[60] > evolved.history[0] + 0.05, "{:?}", evolved.history);
    // Sixty generations are too few for this target, and the generator says so instead of giving something else.
    assert!(matches!(evolve.edges(3, &Silent), Err(GraphError::Generate(_))));
}
