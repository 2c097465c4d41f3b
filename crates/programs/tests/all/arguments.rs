//! Programs on random graphs with random arguments, beyond the examples: targets, bucket widths, landmarks, pivots.

use std::sync::Arc;

use crate::machine::{Scheduled, prepare, run};
use gw_exec::{ReferenceVm, Value};
use gw_graph::{BuildOptions, EdgeList, Graph, build};
use gw_programs::{Number, Results, Run, Values, find};
use proptest::prelude::*;

/// Runs a program with these arguments and validates what it leaves.
fn validated(name: &str, graph: &Arc<Graph>, numbers: &[usize]) -> Result<(), String> {
    let program = find(name).unwrap();
    let mut args = vec!["graph".to_string()];
    args.extend(numbers.iter().map(ToString::to_string));
    let args = program.with_defaults(&args);
    let mut compiled = prepare(program.file, program.source, Scheduled::Own, &ReferenceVm::new())?;
    let result = run(&mut compiled, graph, &args)?;
    let verdict = program.validate(&Run { graph, args: &args, results: &result.globals });
    verdict.map_err(|e| format!("{name} {numbers:?}: {e}"))
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
    fn negative_weights_with_and_without_cycles(
        triples in proptest::collection::vec((0u32..12, 0u32..12, -4..20i32), 0..40),
        source in 0usize..12,
    ) {
        prop_assert_eq!(validated("sssp", &graph(12, &triples), &[source]), Ok(()));
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
