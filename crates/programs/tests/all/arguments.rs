//! Programs on random graphs with random arguments, beyond the examples: targets, bucket widths, landmarks, pivots.

use std::sync::Arc;

use crate::machine::{Scheduled, prepare, run};
use gw_exec::{ReferenceVm, RunResult, Value};
use gw_graph::{BuildOptions, EdgeList, Graph, build};
use gw_programs::{Number, Program, Results, Run, Values, find};
use proptest::prelude::*;

/// Runs a program with these arguments and validates what it leaves.
fn validated(name: &str, graph: &Arc<Graph>, numbers: &[usize]) -> Result<(), String> {
    let program = find(name).unwrap();
    let mut args = vec!["graph".to_string()];
    args.extend(numbers.iter().map(ToString::to_string));
    validated_with(program, graph, &program.with_defaults(&args)).map(drop)
}

/// The same with arguments of any kind; what the run leaves.
fn validated_with(program: &Program, graph: &Arc<Graph>, args: &[String]) -> Result<RunResult, String> {
    let mut compiled = prepare(program.file, &program.text_for(args), Scheduled::Own, &ReferenceVm::new())?;
    let result = run(&mut compiled, graph, args)?;
    let verdict = program.validate(&Run { graph, args, results: &result.globals });
    verdict.map_err(|e| format!("{} {args:?}: {e}", program.name))?;
    Ok(result)
}

fn texts(args: &[&str]) -> Vec<String> {
    args.iter().map(ToString::to_string).collect()
}

/// The entries of a result as reals.
fn reals(result: &RunResult, name: &str) -> Vec<f64> {
    match Results::vector(&result.globals, name) {
        Some(Values::Float(entries)) => entries.iter().map(|&entry| f64::from(entry)).collect(),
        Some(Values::Double(entries)) => entries.into_owned(),
        other => panic!("{name}: {other:?}"),
    }
}

fn graph(vertices: usize, triples: &[(u32, u32, i32)]) -> Arc<Graph> {
    let edges = EdgeList::from_triples(vertices, triples.iter().copied());
    Arc::new(build(edges, &BuildOptions::default()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_target_width_and_landmark(
        triples in proptest::collection::vec((0u32..20, 0u32..20, 0..30i32), 0..80),
        ends in (0usize..20, 0usize..20),
        landmark in 0usize..20,
        delta in 1usize..40,
    ) {
        let graph = graph(20, &triples);
        let (source, target) = ends;
        prop_assert_eq!(validated("sssp-delta", &graph, &[source, delta]), Ok(()));
        prop_assert_eq!(validated("ppsp", &graph, &[source, target, delta]), Ok(()));
        prop_assert_eq!(validated("astar", &graph, &[source, target, landmark, delta]), Ok(()));
    }

    #[test]
    fn any_number_of_pivots_and_rounds(
        triples in proptest::collection::vec((0u32..15, 0u32..15, 1..9i32), 0..60),
        pivots in 1usize..20,
        rounds in 0usize..30,
    ) {
        let graph = graph(15, &triples);
        prop_assert_eq!(validated("closeness", &graph, &[pivots]), Ok(()));
        prop_assert_eq!(validated("pagerank", &graph, &[rounds]), Ok(()));
        prop_assert_eq!(validated("eigenvector", &graph, &[rounds]), Ok(()));
    }

    #[test]
    fn any_damping_and_weights_from_0_on(
        triples in proptest::collection::vec((0u32..12, 0u32..12, 0..9i32), 0..50),
        damping in 0.0f64..0.99,
        sources in (0usize..12, 0usize..12),
    ) {
        let graph = graph(12, &triples);
        let damping = damping.to_string();
        let source = format!("{},{}=2.5", sources.0, (sources.0 + 1 + sources.1 % 11) % 12);
        for (name, args) in [
            ("pagerank", &["g", "40", "0.001", &damping, "ignore"][..]),
            ("pagerank-div", &["g", "40", "0.001", &damping]),
            ("pagerank-delta", &["g", "0.001", &damping]),
            ("pagerank-gs", &["g", "0.001", &damping]),
            ("pagerank-weighted", &["g", "40", "0.001", &damping]),
            ("ppr", &["g", &source, "40", "0.001", &damping, "ignore"]),
            ("ppr-weighted", &["g", &source, "40", "0.001", &damping]),
            ("hits-weighted", &["g", "40", "0.001"]),
            ("katz-weighted", &["g", "0", "40", "0.001"]),
            ("eigenvector-weighted", &["g", "40", "0.001"]),
        ] {
            let found = validated_with(find(name).unwrap(), &graph, &texts(args)).map(drop);
            prop_assert_eq!(found, Ok(()));
        }
    }

    #[test]
    fn negative_weights_with_and_without_cycles(
        triples in proptest::collection::vec((0u32..12, 0u32..12, -4..20i32), 0..40),
        source in 0usize..12,
    ) {
        prop_assert_eq!(validated("sssp", &graph(12, &triples), &[source]), Ok(()));
    }
}

/// Rows are as long as the argument says, shorter and longer than in the texts.
#[test]
fn rows_have_as_many_entries_as_asked_for() {
    let triples: Vec<_> = (0..90u32).flat_map(|v| [(v, (v * 7 + 1) % 90, 1), (v, (v * 5 + 3) % 90, 1)]).collect();
    let graph = graph(90, &triples);
    for (name, argument, vector) in
        [("walks", 1, "walk"), ("node2vec", 3, "walk"), ("similar", 1, "similar"), ("msbfs", 1, "hops")]
    {
        let program = find(name).unwrap();
        for length in [0usize, 1, 3, 10, 17, 64, 65, 80, 81, 128, 130] {
            let mut args = program.with_defaults(&texts(&["g", "1", "1", "12", "1"][..program.args.len()]));
            args[argument] = length.to_string();
            let result = validated_with(program, &graph, &args).unwrap();
            let Some(Values::Int(found)) = Results::vector(&result.globals, vector) else { panic!("{name}") };
            assert_eq!(found.len(), 90 * length.max(1), "{name} {length}");
            let right = crate::plain::solve(name, &graph, &args);
            let Some(Values::Int(right)) = Results::vector(&right, vector) else { panic!("{name}") };
            assert_eq!(*found, *right, "{name} {length}");
        }
        let mut args = texts(&["g", "1", "1", "12", "1"][..program.args.len()]);
        args[argument] = "1048577".to_string();
        let refused = program.arguments(&args).unwrap_err().to_string();
        assert!(refused.contains("from 0 to 1048576, the most entries"), "{refused}");
    }
}

/// A program without its text's rows made longer does not answer for fewer without a word.
#[test]
fn a_row_that_is_too_short_is_an_error() {
    let graph = graph(4, &[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)]);
    let program = find("walks").unwrap();
    let mut compiled = prepare(program.file, program.source, Scheduled::Own, &ReferenceVm::new()).unwrap();
    let error = run(&mut compiled, &graph, &texts(&["g", "81", "1"])).err().unwrap();
    assert!(error.contains("80"), "{error}");
}

/// Values of NetworkX 3.6, on a graph with a vertex whose only out-edge has the weight 0, and one without in-edges.
#[test]
fn weights_count_as_in_networkx() {
    let triples = [(0, 1, 1.0f32), (0, 2, 9.0), (1, 0, 2.0), (2, 3, 0.0), (3, 0, 0.5), (3, 1, 1.5), (4, 0, 3.0)];
    let graph = Arc::new(build(EdgeList::from_triples(5, triples), &BuildOptions::default()).unwrap());
    let expected: [(&str, &[&str], &str, [f64; 5]); 5] = [
        (
            "pagerank-weighted",
            &["g", "1000", "0.00000001", "0.85"],
            "rank",
            [0.323049088, 0.169532093, 0.333894641, 0.086762089, 0.086762089],
        ),
        (
            "ppr-weighted",
            &["g", "0=1,3=2", "1000", "0.0000000001", "0.5"],
            "rank",
            [0.317460317, 0.158730159, 0.142857143, 0.380952381, 0.0],
        ),
        (
            "katz-weighted",
            &["g", "0.05", "1000", "0.0000000001"],
            "centrality",
            [0.472036498, 0.417287625, 0.578635774, 0.366219349, 0.366219349],
        ),
        (
            "hits-weighted",
            &["g", "10000", "0.000000000001"],
            "hub",
            [0.980819215, 0.000268157, 0.0, 0.018510394, 0.000402235],
        ),
        (
            "hits-weighted",
            &["g", "10000", "0.000000000001"],
            "authority",
            [0.001116915, 0.10242605, 0.896457035, 0.0, 0.0],
        ),
    ];
    for (name, args, vector, right) in expected {
        let result = validated_with(find(name).unwrap(), &graph, &texts(args)).unwrap();
        let found = reals(&result, vector);
        let off = found.iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 3e-7, "{name}: {found:?}");
    }
    // Where all weights are 0, every vertex is a dead end.
    let nothing = Arc::new(build(EdgeList::from_triples(3, [(0, 1, 0), (1, 2, 0)]), &BuildOptions::default()).unwrap());
    let args = texts(&["g", "100", "0.000001", "0.85"]);
    let result = validated_with(find("pagerank-weighted").unwrap(), &nothing, &args).unwrap();
    assert!(reals(&result, "rank").iter().all(|rank| (rank - 1.0 / 3.0).abs() < 1e-6));
}

/// Weights that are all 1 change nothing.
#[test]
fn a_weight_of_1_is_no_weight() {
    let triples: Vec<_> = (0..40u32).flat_map(|v| [(v, (v * 7 + 1) % 40, 1), (v, (v * v + 3) % 40, 1)]).collect();
    let graph = graph(40, &triples);
    for (name, vector, args) in [
        ("pagerank", "rank", &["g", "100", "0.000001", "0.85", "auto"][..]),
        ("ppr", "rank", &["g", "3", "100", "0.000001", "0.85", "auto"]),
        ("hits", "hub", &["g", "100", "0.000001", "auto"]),
        ("katz", "centrality", &["g", "0", "100", "0.000001", "auto"]),
        ("eigenvector", "centrality", &["g", "100", "0.000001", "auto"]),
    ] {
        let (plain, args) = (find(name).unwrap(), texts(args));
        let weighted = find(plain.weighted.unwrap()).unwrap();
        let found = reals(&validated_with(plain, &graph, &args).unwrap(), vector);
        let other = reals(&validated_with(weighted, &graph, &args[..args.len() - 1]).unwrap(), vector);
        assert!(found.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-6), "{name}: {found:?} {other:?}");
    }
}

#[test]
fn a_negative_cycle_is_found() {
    let graph = graph(4, &[(0, 1, 1), (1, 2, -2), (2, 1, 1), (2, 3, 1)]);
    let program = find("sssp").unwrap();
    let mut compiled = prepare(program.file, program.source, Scheduled::Nothing, &ReferenceVm::new()).unwrap();
    let result = run(&mut compiled, &graph, &["graph".to_string(), "0".to_string()]).unwrap();
    assert_eq!(result.globals.scalar("negative_cycle"), Some(Number::Integer(1)));
}

/// Fewer sets than greedy take is luck, many more would be a defect that the worst-case bound does not show.
#[test]
fn covers_are_nearly_as_small_as_those_of_greedy() {
    let mut rng = gw_graph::rng::Rng::new(5, 0);
    let triples: Vec<_> = (0..3000).map(|_| (rng.below(400) as u32, rng.below(1000) as u32, 1)).collect();
    let graph = graph(1000, &triples);
    let program = find("setcover").unwrap();
    let mut compiled = prepare(program.file, program.source, Scheduled::Own, &ReferenceVm::new()).unwrap();
    let result = run(&mut compiled, &graph, &["graph".to_string()]).unwrap();
    let chosen = result.globals.get("chosen").and_then(Value::as_vector).unwrap().to_f64().iter().sum::<f64>();
    let greedy = match crate::oracle::solve("setcover", &graph, &[]).vector("chosen") {
        Some(Values::Bool(sets)) => sets.iter().filter(|&&c| c).count() as f64,
        other => panic!("the oracle left {other:?}"),
    };
    assert!(chosen <= 1.3 * greedy, "{chosen} sets, greedy takes {greedy}");
}
