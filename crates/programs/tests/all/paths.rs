//! Shortest paths out of results, against all paths from the definition.

use gw_graph::{Graph, GraphSpec, progress::Silent};
use gw_programs::{Number, Path, PathError, ResultMap, Run, example_args, find, programs};

use crate::machine::{Scheduled, prepare, run};
use crate::oracle::solve;

fn graph(spec: &str) -> Graph {
    GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).unwrap().graph
}

/// The first path to a target by length, number of edges and vertices, as `k-shortest-paths` defines it.
fn first(graph: &Graph, source: u32, target: u32) -> Option<Vec<u32>> {
    let args: Vec<String> = ["g".to_string(), source.to_string(), target.to_string(), "1".to_string()].into();
    let results = solve("k-shortest-paths", graph, &args);
    let run = Run { graph, args: &args, results: &results };
    find("k-shortest-paths").unwrap().listed_paths(&run).unwrap().pop().map(|path| path.vertices)
}

#[test]
fn paths_are_the_first_of_all_shortest_ones() {
    for spec in ["grid:4x4:weights=0..1", "kron:5:weights=1..4", "kron:5:directed:weights=0..3", "cycle:9:weights=2..2"]
    {
        let graph = graph(spec);
        for program in ["sssp", "sssp-delta", "sssp-real"] {
            let args = ["g".to_string(), "1".to_string(), "2".to_string()];
            let results = solve(program, &graph, &args);
            let run = Run { graph: &graph, args: &args, results: &results };
            let program = find(program).unwrap();
            let targets: Vec<u32> = (0..graph.vertices() as u32).collect();
            let paths = program.shortest_paths(&run, &targets).unwrap();
            let parents = program.parents(&run).unwrap();
            for (&target, path) in targets.iter().zip(&paths) {
                let vertices = path.as_ref().map(|path| path.vertices.clone());
                assert_eq!(vertices, first(&graph, 1, target), "{spec} {} {target}", program.name);
                let Some(path) = path else {
                    assert_eq!(parents[target as usize], -1);
                    continue;
                };
                assert_eq!(program.check_path(&run, path), Ok(()));
                let before = path.vertices.iter().rev().nth(1).unwrap_or(&target);
                assert_eq!(parents[target as usize], *before as i32, "{spec}");
                // One target alone, where the search ends early, gives the same.
                assert_eq!(program.shortest_paths(&run, &[target]).unwrap()[0].as_ref(), Some(path));
            }
        }
    }
}

#[test]
fn every_program_with_paths_finds_one_on_every_machine() {
    for program in programs().iter().filter(|program| program.has_parents()) {
        for spec in ["grid:5x4:weights=0..2", "kron:6:weights=1..9"] {
            let graph = std::sync::Arc::new(graph(spec));
            let args = example_args(program, "g", &graph);
            let mut compiled =
                prepare(program.file, program.source, Scheduled::Own, &gw_exec::ReferenceVm::new()).unwrap();
            let result = run(&mut compiled, &graph, &args).unwrap();
            let run = Run { graph: &graph, args: &args, results: &result.globals };
            let target = program.only_target(&args).unwrap_or(graph.vertices() as u32 / 2);
            let path = program.shortest_paths(&run, &[target]).unwrap().pop().unwrap();
            assert!(path.is_none_or(|path| program.check_path(&run, &path) == Ok(())), "{} {spec}", program.name);
            assert_eq!(program.parents(&run).unwrap().len(), graph.vertices());
        }
    }
}

#[test]
fn wrong_paths_and_wrong_questions_are_refused() {
    let graph = graph("path:5:weights=3..3");
    let args = ["g".to_string(), "0".to_string()];
    let right = solve("sssp", &graph, &args);
    let sssp = find("sssp").unwrap();
    let run = Run { graph: &graph, args: &args, results: &right };
    let path = sssp.shortest_paths(&run, &[3]).unwrap().pop().unwrap().unwrap();
    assert_eq!((path.hops(), path.length), (3, Number::Integer(9)));
    let refused = |path: Path| assert!(sssp.check_path(&run, &path).is_err(), "{path:?}");
    refused(Path { vertices: vec![0, 2, 3], weights: vec![Number::Integer(6), Number::Integer(3)], ..path.clone() });
    refused(Path { weights: vec![Number::Integer(3); 2], ..path.clone() });
    refused(Path { weights: vec![Number::Integer(2), Number::Integer(4), Number::Integer(3)], ..path.clone() });
    refused(Path { length: Number::Integer(8), ..path.clone() });
    refused(Path { length: Number::Real(9.0), ..path.clone() });
    refused(Path { vertices: vec![1, 2, 3], weights: vec![Number::Integer(3); 2], length: Number::Integer(6) });
    let there_and_back = Path { vertices: vec![0, 1, 0, 1], weights: vec![Number::Integer(3); 3], ..path.clone() };
    refused(there_and_back);
    refused(Path { vertices: Vec::new(), weights: Vec::new(), length: Number::Integer(0) });

    // Distances that no path has, and a run that has none.
    let wrong = right.clone().with_vector("dist", vec![0, 3, 6, 8, 12]);
    let run = |results| Run { graph: &graph, args: &args, results };
    assert!(matches!(sssp.shortest_paths(&run(&wrong), &[3]), Err(PathError::Wrong(_))));
    let none = right.clone().with_scalar("too_long", true);
    assert!(matches!(sssp.shortest_paths(&run(&none), &[3]), Err(PathError::NoResult(_))));
    let nothing = ResultMap::new();
    assert!(matches!(sssp.parents(&run(&nothing)), Err(PathError::Wrong(_))));
    assert!(matches!(sssp.shortest_paths(&run(&right), &[5]), Err(PathError::NoVertex { .. })));
    assert!(matches!(find("cc").unwrap().parents(&run(&right)), Err(PathError::NoPaths { .. })));
}
