//! Links, sets of edges and triangles on the reference machine, against plain loops over all triples of vertices.

use std::collections::BTreeMap;
use std::sync::Arc;

use gw_exec::{RunResult, Value};
use gw_graph::progress::Silent;
use gw_graph::{BuildOptions, EdgeList, Graph, GraphSpec, Parallel, build};

use crate::groups::{ints, run_text};

const TEXT: &str = include_str!("triangles.gt");

fn wide(result: &RunResult, name: &str) -> Vec<u64> {
    match result.globals.get(name) {
        Some(Value::Vector(vector)) => (0..vector.len()).map(|at| vector.load_bits(at)).collect(),
        Some(value) => vec![value.bits().unwrap()],
        None => panic!("no {name}"),
    }
}

fn spec(text: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(text).and_then(|s| s.load(&Silent)).unwrap().graph)
}

/// A graph with one-way edges, loops and parallel edges.
fn odd() -> Arc<Graph> {
    let pairs = vec![(0, 1), (1, 0), (1, 2), (2, 0), (2, 2), (3, 1), (3, 2), (3, 2), (4, 0), (4, 3), (5, 5)];
    let options = BuildOptions { keep_loops: true, parallel: Parallel::Keep, ..BuildOptions::default() };
    Arc::new(build(EdgeList::from_pairs(7, pairs), &options).unwrap())
}

#[test]
fn every_form_is_what_plain_loops_find() {
    let edgeless = Arc::new(build(EdgeList::from_pairs(3, Vec::new()), &BuildOptions::default()).unwrap());
    let specs = ["kron:6", "kron:7:directed", "star:20", "grid:5x5", "complete:14", "urand:6"].map(spec);
    for (number, graph) in specs.into_iter().chain([odd(), edgeless]).enumerate() {
        compare(&graph, number);
    }
}

fn compare(graph: &Graph, number: usize) {
    let graph = Arc::new(graph.anew());
    let result = run_text(TEXT, &graph);
    let n = graph.vertices() as u32;
    let mut links = BTreeMap::new();
    for u in 0..n {
        for v in u + 1..n {
            let is_link = graph.out().neighbours(u).contains(&v) || graph.out().neighbours(v).contains(&u);
            if is_link {
                links.insert((u, v), links.len());
            }
        }
    }
    let mut triangles = Vec::new();
    for (&(a, b), &ab) in &links {
        for c in b + 1..n {
            if let (Some(&ac), Some(&bc)) = (links.get(&(a, c)), links.get(&(b, c))) {
                triangles.push(([a, b, c].map(|v| v as usize), [ab, ac, bc]));
            }
        }
    }
    let (vertices, edges) = (vec![0i32; n as usize], vec![0i32; links.len()]);
    let (mut corners, mut sides, mut sums) = (vertices.clone(), edges.clone(), edges.clone());
    let mut places = [vertices.clone(), vertices.clone(), vertices.clone()];
    let (mut even, mut marked, mut among, mut seen) =
        (edges.clone(), vertices.clone(), edges.clone(), vertices.clone());
    let (mut low_ones, mut lowered) = (edges.clone(), edges.clone());
    let mut turns = [edges.clone(), edges.clone(), edges.clone()];
    for (at, of) in &triangles {
        of.iter().for_each(|&link| sides[link] += 1);
        at.iter().for_each(|&v| corners[v] += 1);
    }
    let is_some = |link: usize| link % 4 == 1;
    let is_large = |link: usize| sides[link] > 1;
    for (at, of) in &triangles {
        for k in 0..3 {
            places[k][at[k]] += 1;
            sums[of[k]] += 3 * [1, 10, 100][k];
            even[of[k]] += i32::from(of.iter().all(|link| link % 3 != 2));
            marked[at[k]] += i32::from(of.iter().all(|link| link % 5 > 0));
            seen[at[k]] += i32::from(of.iter().any(|&link| is_large(link)) && of.iter().all(|link| link % 5 != 2));
        }
        if of.iter().any(|&link| is_some(link)) {
            let mut order = of.to_vec();
            order.sort_by_key(|&link| (!is_some(link), link));
            for k in 0..3 {
                turns[k][order[k]] += 1;
                let is_lowered = k == 1 || k == 2 && order[k] % 2 == 0;
                low_ones[order[k]] += 2 * i32::from(is_lowered && of.iter().all(|link| link % 5 > 0));
                among[order[k]] += if of.iter().all(|link| link % 5 > 0) { 2 * (k as i32 + 1) } else { 0 };
            }
        }
    }
    for (_, of) in triangles.iter().filter(|(_, of)| of.iter().any(|&link| is_large(link))) {
        let mut order = of.to_vec();
        order.sort_by_key(|&link| (!is_large(link), link));
        lowered[order[0]] += 1;
        lowered[order[2]] += 3;
    }
    assert_eq!(wide(&result, "total"), [triangles.len() as u64], "graph {number}");
    assert_eq!(wide(&result, "wrong"), [0], "graph {number}");
    let ends = |end: fn(&(u32, u32)) -> u32| links.keys().map(|pair| end(pair) as i32).collect::<Vec<_>>();
    let sides_found: Vec<i32> = wide(&result, "sides").into_iter().map(|x| x as i32).collect();
    let joined = (0..n).map(|v| links.keys().filter(|(a, b)| *a == v || *b == v).count() as i32).collect();
    let [least, middle, most] = places;
    let [firsts, seconds, thirds] = turns;
    for (name, expected) in [
        ("low", ends(|pair| pair.0)),
        ("high", ends(|pair| pair.1)),
        ("joined", joined),
        ("corners", corners),
        ("least", least),
        ("middle", middle),
        ("most", most),
        ("sums", sums),
        ("even_ones", even),
        ("marked_ones", marked),
        ("firsts", firsts),
        ("seconds", seconds),
        ("thirds", thirds),
        ("among", among),
        ("seen", seen),
        ("kept_low", low_ones.clone()),
        ("lowered", lowered.clone()),
    ] {
        assert_eq!(ints(&result, name), expected, "{name} of graph {number}");
    }
    assert_eq!(sides_found, sides, "graph {number}");
    let members = |is: &dyn Fn(usize) -> bool| (0..links.len()).filter(|&link| is(link)).collect::<Vec<_>>();
    let (both, rest) = (members(&|l| is_some(l) || is_large(l)), members(&|l| is_some(l) && !is_large(l)));
    for (name, expected) in [
        ("size_of_some", members(&is_some).len()),
        ("size_of_both", both.len()),
        ("size_of_rest", rest.len()),
        ("sum_of_touched", members(&|l| low_ones[l] > 0).iter().sum()),
        ("sum_of_lowered", members(&|l| lowered[l] > 0).iter().sum()),
        ("sum_of_both", both.iter().sum()),
        ("sum_of_rest", rest.iter().sum()),
    ] {
        assert_eq!(wide(&result, name), [expected as u64], "{name} of graph {number}");
    }
}

#[test]
fn what_operators_stand_for_is_no_result() {
    let result = run_text(TEXT, &spec("kron:5"));
    assert!(result.globals.iter().all(|(name, _)| !name.starts_with(gw_lang::DERIVED)));
}
