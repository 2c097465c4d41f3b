//! Every validator accepts right results and rejects results with one value changed.

use crate::oracle::solve;
use gw_graph::{BuildOptions, EdgeList, Graph, build};
use gw_programs::{Number, Program, ResultMap, Results, Run, Values, example_args, find, programs};
use proptest::prelude::*;

fn graph(vertices: usize, triples: &[(u32, u32, i32)], symmetrise: bool) -> Graph {
    let options = BuildOptions { symmetrise, ..Default::default() };
    build(EdgeList::from_triples(vertices, triples.iter().copied()), &options).unwrap()
}

fn any_graph(symmetrise: bool) -> impl Strategy<Value = Graph> {
    (1usize..14).prop_flat_map(move |vertices| {
        let id = 0..vertices as u32;
        let edges = proptest::collection::vec((id.clone(), id, 1..20i32), 0..40);
        edges.prop_map(move |triples| graph(vertices, &triples, symmetrise))
    })
}

fn verdict(program: &Program, graph: &Graph, args: &[String], results: &ResultMap) -> Result<(), String> {
    program.validate(&Run { graph, args, results }).map_err(|e| e.to_string())
}

/// The result with entry `at` of a vector changed to something that cannot be right.
fn corrupted(program: &str, name: &str, graph: &Graph, right: &ResultMap, at: usize) -> Option<ResultMap> {
    // Rows and edges have more entries than there are vertices.
    let v = (at % graph.vertices()) as u32;
    let out = graph.out();
    match right.vector(name)? {
        Values::Int(values) => {
            let mut values = values.into_owned();
            values[at] = match (program, values[at]) {
                ("bfs", -1) => v as i32,
                ("bfs", _) => -1,
                ("mis", 1) => 2,
                ("mis", _) => 1,
                ("coloring", _) => out.neighbours(v).first().map_or(-1, |&n| values[n as usize]),
                ("sssp" | "sssp-delta", i32::MAX) => 5,
                (_, old) => old + 1,
            };
            Some(right.clone().with_vector(name, values))
        }
        Values::Float(values) => {
            let mut values = values.into_owned();
            values[at] += 0.02 + values[at].abs() * 0.1;
            Some(right.clone().with_vector(name, values))
        }
        Values::Double(values) => {
            let mut values = values.into_owned();
            values[at] = if values[at].is_infinite() { 5.0 } else { values[at] };
            values[at] += 0.02 + values[at].abs() * 0.1;
            Some(right.clone().with_vector(name, values))
        }
        Values::Int64(values) => {
            let mut values = values.into_owned();
            values[at] = values[at].wrapping_add(1);
            Some(right.clone().with_vector(name, values))
        }
        Values::Uint64(values) => {
            let mut values = values.into_owned();
            values[at] += 1;
            Some(right.clone().with_vector(name, values))
        }
        Values::Bool(values) => {
            let mut values = values.into_owned();
            values[at] = !values[at];
            Some(right.clone().with_vector(name, values))
        }
        _ => None,
    }
}

/// Vectors of which every entry is checked, by program.
fn checked_vectors(program: &str) -> &'static [&'static str] {
    match program {
        "bfs" => &["parent"],
        "bfs-levels" => &["level"],
        "sssp" | "sssp-delta" | "sssp-real" => &["dist"],
        "pagerank" | "pagerank-delta" | "pagerank-div" | "pagerank-gs" | "pagerank-weighted" => &["rank"],
        "cc" | "cc-fast" => &["label"],
        "bc" => &["level", "paths", "dependency"],
        "closeness" => &["closeness"],
        "eigenvector" | "eigenvector-weighted" => &["centrality"],
        "kcore" | "kcore-unordered" => &["core"],
        "cf" => &["latent"],
        "mis" => &["state"],
        "setcover" => &["covered"],
        "coloring" => &["color"],
        "spmv" => &["x", "y"],
        "scc" => &["component"],
        "msf" => &["length"],
        "ppr" | "ppr-weighted" => &["rank"],
        "hits" | "hits-weighted" => &["hub", "authority"],
        "katz" | "katz-weighted" | "bc-all" | "bc-edges" => &["centrality"],
        "bc-weighted" => &["centrality", "edge_centrality"],
        "k-shortest-paths" => &["length", "begin", "path"],
        "maxflow" => &["flow"],
        "triangles" => &["triangles", "clustering"],
        "lcc" => &["clustering"],
        "cdlp" => &["label"],
        "harmonic" => &["harmonic"],
        "eccentricity" => &["eccentricity", "upper"],
        "bipartite" => &["side"],
        "topo" | "khop" => &["level"],
        "earliest-arrival" => &["arrival"],
        "temporal-reach" => &["steps"],
        "matching" | "matching-weighted" => &["mate"],
        "biconnected" => &["block", "cut"],
        "bridges" => &["bridge_to", "part"],
        "similarity" | "similarity-edges" => &["common", "jaccard", "overlap", "cosine"],
        "ktruss" => &["truss"],
        "walks" => &["walk", "visits"],
        "node2vec" => &["walk"],
        "similar" => &["similar", "jaccard"],
        "msbfs" => &["hops"],
        _ => &[],
    }
}

fn checked_scalars(program: &str) -> &'static [&'static str] {
    match program {
        "bfs-levels" => &["depth"],
        "sssp" => &["negative_cycle", "too_long"],
        "sssp-delta" => &["too_long"],
        "sssp-real" => &["negative_cycle"],
        "pagerank" | "pagerank-div" | "pagerank-weighted" => &["change"],
        "ppsp" | "astar" => &["distance", "too_long"],
        "eigenvector" | "eigenvector-weighted" => &["lambda"],
        "tc" => &["triangles"],
        "cf" => &["scale", "rmse_before", "rmse"],
        "scc" => &["components"],
        "msf" => &["weight", "trees", "too_long"],
        "ppr" | "ppr-weighted" | "hits" | "hits-weighted" => &["change"],
        "katz" | "katz-weighted" => &["alpha", "change"],
        "triangles" => &["total", "average", "transitivity"],
        "cdlp" => &["changed"],
        "eccentricity" => &["diameter", "radius", "open"],
        "bipartite" => &["bipartite", "conflicts"],
        "topo" => &["levels", "acyclic"],
        "khop" | "earliest-arrival" | "temporal-reach" => &["reached"],
        "matching" => &["pairs"],
        "matching-weighted" => &["pairs", "weight", "too_long"],
        "biconnected" => &["blocks"],
        "bridges" => &["bridges"],
        "ktruss" => &["kmax"],
        "louvain" | "leiden" => &["communities", "modularity"],
        "node2vec" => &["draws"],
        "k-shortest-paths" => &["found", "too_long"],
        "maxflow" => &["value", "too_long"],
        "bc-weighted" => &["too_long", "too_short"],
        _ => &[],
    }
}

fn accept_then_reject(program: &Program, graph: &Graph, pick: usize) -> Result<(), TestCaseError> {
    let args = example_args(program, "test", graph);
    let right = solve(program.name, graph, &args);
    prop_assert_eq!(verdict(program, graph, &args, &right), Ok(()), "{}", program.name);
    for name in checked_vectors(program.name) {
        let length = right.vector(name).map_or(0, |values| values.len());
        if length == 0 {
            continue;
        }
        let at = pick % length;
        if let Some(bad) = corrupted(program.name, name, graph, &right, at) {
            let verdict = verdict(program, graph, &args, &bad);
            prop_assert!(verdict.is_err(), "{}: {name}[{at}] was changed without notice", program.name);
        }
    }
    for name in checked_scalars(program.name) {
        let bad = match right.scalar(name) {
            Some(Number::Integer(value)) => right.clone().with_scalar(name, value as i32 ^ 1),
            Some(Number::Real(value)) => right.clone().with_scalar(name, value + 0.1 + value.abs()),
            None => continue,
        };
        let verdict = verdict(program, graph, &args, &bad);
        prop_assert!(verdict.is_err(), "{}: {name} was changed without notice", program.name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(gw_testing::usually(100, 300)))]

    #[test]
    fn right_results_pass_and_changed_ones_fail_on_symmetric_graphs(graph in any_graph(true), pick in 0usize..1000) {
        for program in programs() {
            accept_then_reject(program, &graph, pick)?;
        }
    }

    #[test]
    fn right_results_pass_and_changed_ones_fail_on_directed_graphs(graph in any_graph(false), pick in 0usize..1000) {
        for program in programs().iter().filter(|p| !p.needs_symmetric || graph.is_symmetric()) {
            accept_then_reject(program, &graph, pick)?;
        }
    }
}

/// The validator's sentence for a result of a program on a graph.
fn sentence(name: &str, graph: &Graph, args: &[&str], results: ResultMap) -> String {
    let args: Vec<String> = args.iter().map(|a| a.to_string()).collect();
    verdict(find(name).unwrap(), graph, &args, &results).unwrap_err()
}

#[test]
fn sentences_name_the_place() {
    let diamond = graph(5, &[(0, 1, 4), (0, 2, 1), (2, 1, 1), (1, 3, 1)], false);
    let bfs = |parent: Vec<i32>| sentence("bfs", &diamond, &["g", "0"], ResultMap::new().with_vector("parent", parent));
    assert_eq!(bfs(vec![0, 2, 0, 1, -1]), "vertex 1: level 1, but its parent 2 has level 1");
    assert_eq!(bfs(vec![0, 0, 0, -1, -1]), "vertex 3: not reached, though it is 2 hops from the root");
    assert_eq!(bfs(vec![0, 0, 0, 1, 3]), "vertex 4: its parent is 3, but it is out of reach");
    assert_eq!(bfs(vec![0, 0, 0, 9, -1]), "vertex 3: its parent 9 is not a vertex");
    let far = i32::MAX;
    let sssp = |dist: Vec<i32>| {
        let results = ResultMap::new().with_vector("dist", dist).with_scalar("too_long", false);
        sentence("sssp-delta", &diamond, &["g", "0"], results)
    };
    assert_eq!(sssp(vec![0, 4, 1, 5, far]), "vertex 1: distance 4, but 2 by the edge of weight 1 from 2 at distance 1");
    assert_eq!(sssp(vec![0, 2, 1, 2, far]), "vertex 3: distance 2, but no path has that length");
    assert_eq!(sssp(vec![0, 2, 1, 3, 7]), "vertex 4: distance 7, but no path has that length");
    assert_eq!(
        sssp(vec![0, 2, 1, far, far]),
        "vertex 3: out of reach, though there is an edge of weight 1 from 1 at distance 2"
    );
    assert_eq!(
        sentence("bfs", &diamond, &["g", "7"], ResultMap::new().with_vector("parent", vec![0; 5])),
        "argument 2 of the run: there is no vertex 7, the graph has 5"
    );
    assert_eq!(sentence("bfs", &diamond, &["g", "0"], ResultMap::new()), "the run left no result named `parent`");
    assert_eq!(
        sentence("bfs", &diamond, &["g", "0"], ResultMap::new().with_vector("parent", vec![1.5f32])),
        "the result `parent` has type float instead of int"
    );
    assert_eq!(
        sentence("bfs", &diamond, &["g", "0"], ResultMap::new().with_vector("parent", vec![1])),
        "the result `parent` has 1 entries instead of 5"
    );
    assert_eq!(
        sentence("cc", &diamond, &["g"], ResultMap::new().with_vector("label", vec![0; 5])),
        "argument 1 of the run: the graph is not symmetric; add `:sym` to its spec"
    );
}

#[test]
fn a_cycle_of_weight_zero_out_of_reach_does_not_support_itself() {
    let loops = graph(3, &[(1, 2, 0), (2, 1, 0)], false);
    let results = ResultMap::new().with_vector("dist", vec![0, 5, 5]).with_scalar("too_long", false);
    assert_eq!(
        sentence("sssp-delta", &loops, &["g", "0"], results),
        "vertex 1: distance 5, but no path has that length"
    );
}

#[test]
fn negative_cycles_must_exist_to_be_reported() {
    let falling = graph(3, &[(0, 1, 2), (1, 2, -3), (2, 1, 1)], false);
    let rising = graph(3, &[(0, 1, 2), (1, 2, -3), (2, 1, 4)], false);
    let unreached = graph(3, &[(1, 2, -3), (2, 1, 1), (1, 0, 1)], false);
    let sssp = find("sssp").unwrap();
    let args = ["g".to_string(), "0".to_string()];
    let reported = ResultMap::new().with_vector("dist", vec![0; 3]).with_scalar("negative_cycle", true);
    assert_eq!(verdict(sssp, &falling, &args, &reported), Ok(()));
    assert!(verdict(sssp, &rising, &args, &reported).is_err());
    assert!(verdict(sssp, &unreached, &args, &reported).is_err());
    let denied = ResultMap::new()
        .with_vector("dist", vec![0, 2, -1])
        .with_scalar("negative_cycle", false)
        .with_scalar("too_long", false);
    assert!(verdict(sssp, &falling, &args, &denied).is_err());
    assert_eq!(verdict(sssp, &rising, &args, &denied), Ok(()));
}

#[test]
fn wasteful_covers_and_inconsistent_bounds_are_rejected() {
    let spokes: Vec<(u32, u32, i32)> = (1..1000).map(|v| (0, v, 1)).collect();
    let star = graph(1000, &spokes, true);
    let all = ResultMap::new().with_vector("chosen", vec![true; 1000]).with_vector("covered", vec![true; 1000]);
    assert_eq!(
        sentence("setcover", &star, &["g"], all),
        "1000 sets chosen, more than 1.6 H(999) times the 2 that greedy takes"
    );
    let none = ResultMap::new().with_vector("chosen", vec![false; 1000]).with_vector("covered", vec![false; 1000]);
    assert_eq!(
        sentence("setcover", &star, &["g"], none),
        "vertex 0: in none of the chosen sets, though 999 sets have it"
    );
    let line = graph(3, &[(0, 1, 2), (1, 2, 2)], false);
    let bad = ResultMap::new()
        .with_scalar("distance", 4)
        .with_scalar("too_long", false)
        .with_vector("dist", vec![0, 2, 4])
        .with_vector("bound", vec![5, 2, 0]);
    assert_eq!(
        sentence("astar", &line, &["g", "0", "2", "0", "1"], bad),
        "vertex 0: bound 5, but 1 behind an edge of weight 2 has bound 2"
    );
}

#[test]
fn exchanged_ranks_are_noticed_and_unfinished_ones_accepted() {
    let wheel: Vec<(u32, u32, i32)> = (1..20).flat_map(|v| [(0, v, 1), (v, 1 + v % 19, 1)]).collect();
    let wheel = graph(20, &wheel, false);
    let args = ["g", "100", "0.000001", "0.85", "auto"].map(str::to_string);
    let pagerank = find("pagerank").unwrap();
    let right = solve("pagerank", &wheel, &args);
    assert_eq!(verdict(pagerank, &wheel, &args, &right), Ok(()));
    let Some(Values::Float(rank)) = right.vector("rank") else { panic!("no ranks") };
    let mut exchanged = rank.into_owned();
    exchanged.swap(0, 5);
    let bad = right.with_vector("rank", exchanged);
    assert!(verdict(pagerank, &wheel, &args, &bad).unwrap_err().contains("rounds of power iteration; worst at vertex"));
    let delta = verdict(find("pagerank-delta").unwrap(), &wheel, &args[..1], &bad).unwrap_err();
    assert!(delta.starts_with("the ranks miss the PageRank equation by"), "{delta}");

    // No round at all leaves every vertex with the same rank: right for 0 rounds, wrong for 1 or many.
    let even = ResultMap::new().with_vector("rank", vec![0.05f32; 20]);
    let even = even.with_scalar("rounds", 0).with_scalar("change", 1.0);
    let rounds = |n: &str| verdict(pagerank, &wheel, &["g".to_string(), n.to_string()], &even);
    assert_eq!(rounds("0"), Ok(()));
    assert!(rounds("1").unwrap_err().starts_with("the rounds ended after 0 of 1 with the change 1"));
    assert!(rounds("100").is_err());
    let claimed = even.with_scalar("rounds", 1);
    let problem = verdict(pagerank, &wheel, &["g".to_string(), "1".to_string()], &claimed).unwrap_err();
    assert!(problem.contains("away from 1 rounds of power iteration"), "{problem}");
}

#[test]
fn edges_of_different_weight_there_and_back_are_an_undirected_edge_all_the_same() {
    let graph = graph(2, &[(0, 1, 1), (1, 0, 2)], false);
    assert!(!graph.is_symmetric());
    let right = ResultMap::new().with_vector("label", vec![0, 0]);
    assert_eq!(verdict(find("cc").unwrap(), &graph, &["g".to_string()], &right), Ok(()));
}
