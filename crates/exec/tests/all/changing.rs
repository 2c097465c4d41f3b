//! `edges.insert(batch)` and `edges.delete(batch)` against a set of edges, and what they refuse.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common;

use common::{HEAD, WEIGHTED, graph, options, run, weighted};
use gw_exec::{RunOptions, SpecGraphs};
use gw_graph::rng::Rng;
use gw_graph::{BuildOptions, EdgeList, Graph, Names, build};

/// Options with several graphs, each under its own name as an argument.
fn with_graphs(graphs: &[Arc<Graph>]) -> RunOptions {
    let (known, mut names) = (SpecGraphs::new(), Vec::new());
    for (i, graph) in graphs.iter().enumerate() {
        names.push(format!("graph{i}"));
        known.insert(&names[i], Arc::clone(graph));
    }
    RunOptions { graphs: Arc::new(known), ..RunOptions::with_args(names) }
}

fn real(vertices: usize, edges: &[(u32, u32, f32)]) -> Arc<Graph> {
    let list = EdgeList::from_triples(vertices, edges.iter().copied());
    Arc::new(build(list, &BuildOptions::default()).unwrap())
}

/// Random batches by turns, of both directions and of one; after each all edges are printed.
#[test]
fn batches_against_a_set_of_edges() {
    for seed in 0..6 {
        let (mut rng, n) = (Rng::new(seed, 0), 30u64);
        let mut edges = |count: u64, mirrored: bool| {
            let mut edges = BTreeMap::new();
            for _ in 0..count {
                let (a, b, w) = (rng.below(n) as u32, rng.below(n) as u32, rng.below(9) as i32);
                edges.insert((a, b), w);
                if mirrored {
                    edges.insert((b, a), w);
                }
            }
            edges.retain(|way, _| way.0 != way.1);
            edges
        };
        let first = edges(40, seed % 2 == 0);
        // Even seeds stay symmetric until the fourth batch.
        let batches: Vec<_> =
            [10, 1, 25, 8, 3].iter().map(|&count| edges(count, seed % 2 == 0 && count != 8)).collect();
        let triples = |edges: &BTreeMap<(u32, u32), i32>| {
            let triples: Vec<(u32, u32, i32)> = edges.iter().map(|(way, w)| (way.0, way.1, *w)).collect();
            weighted(n as usize, &triples)
        };
        let graphs: Vec<Arc<Graph>> = [&first].into_iter().chain(&batches).map(triples).collect();
        let mut source = format!("{WEIGHTED}element Change end\n");
        for i in 0..batches.len() {
            let at = i + 2;
            source += &format!("const batch{i} : edgeset{{Change}}(Node,Node,int) = load(argv[{at}]);\n");
        }
        source += "func show()\n    for v in nodes\n        var degree : int = links.getOutDegree(v);\n        \
                   for i in 0:degree\n            print v, getOutNgh(links, v, i), getOutWeight(links, v, i);\n        \
                   end\n    end\nend\nfunc main()\n";
        let (mut now, mut wanted) = (first, String::new());
        for round in 0..2 {
            for (i, batch) in batches.iter().enumerate() {
                if (i + round) % 2 == 0 {
                    source += &format!("    links.insert(batch{i});\n    show();\n");
                    now.extend(batch);
                } else {
                    source += &format!("    links.delete(batch{i});\n    show();\n");
                    now.retain(|way, _| !batch.contains_key(way));
                }
                now.iter().for_each(|(way, w)| wanted += &format!("{} {} {w}\n", way.0, way.1));
            }
        }
        source += "end\n";
        let printed = run(&source, &with_graphs(&graphs)).unwrap_or_else(|e| panic!("{e}\n{source}")).printed;
        assert_eq!(printed, wanted, "seed {seed}");
    }
}

/// A program with a batch, and its main.
fn program(head: &str, weight: &str, body: &str) -> String {
    let batch = format!("element Change end\nconst batch : edgeset{{Change}}(Node,Node{weight}) = load(argv[2]);\n");
    format!("{head}{batch}const old : edgeset{{Link}}(Node,Node{weight});\nfunc main()\n{body}\nend\n")
}

#[test]
fn names_keep_their_version() {
    let body = "old = links; links.insert(batch); print old.getEdges(), links.getEdges(), batch.getEdges();
                old = old.delete(batch); print old.getEdges(), links.getEdges();
                links = links.insert(links); print links.getEdges(); links.delete(links); print links.getEdges();";
    let graphs = [graph(4, &[(0, 1), (1, 2)]), graph(3, &[(0, 1), (2, 0), (2, 1)])];
    let ran = run(&program(HEAD, "", body), &with_graphs(&graphs)).unwrap();
    assert_eq!(ran.printed, "2 4 3\n1 4\n4\n0\n");
}

#[test]
fn vertices_are_known_by_their_ids() {
    let named = |edges: &[(u32, u32)], names: &[&str]| {
        let graph = build(EdgeList::from_pairs(names.len(), edges.to_vec()), &BuildOptions::default()).unwrap();
        Arc::new(graph.with_names(Some(Arc::new(Names::from_texts(names.iter().copied())))))
    };
    let body = "links.insert(batch); print links.getEdges(), edgeIndex(links, 2, 0) >= 0;";
    let source = program(HEAD, "", body);
    let own = named(&[(0, 1)], &["ann", "bob", "cid"]);
    let ran = run(&source, &with_graphs(&[own.clone(), named(&[(0, 1)], &["cid", "ann"])])).unwrap();
    assert_eq!(ran.printed, "2 1\n");
    let error = run(&source, &with_graphs(&[own, named(&[(0, 1)], &["cid", "dan"])])).unwrap_err().to_string();
    assert!(error.starts_with("the batch has an edge at vertex dan, which is not among the 3 vertices"), "{error}");
    // Numbers of a file with gaps, for a graph without names.
    let gaps = Names::from_unsigned(vec![2, 0]);
    let batch = build(EdgeList::from_pairs(2, vec![(0, 1)]), &BuildOptions::default()).unwrap();
    let batch = Arc::new(batch.with_names(Some(Arc::new(gaps))));
    let ran = run(&source, &with_graphs(&[graph(3, &[(0, 1)]), batch])).unwrap();
    assert_eq!(ran.printed, "2 1\n");
}

#[test]
fn weights_of_two_kinds_become_reals() {
    let head = WEIGHTED.replace("int)", "float)");
    let body = "links.insert(batch); print getOutWeight(links, 0, 0), getOutWeight(links, 1, 0);";
    let source = program(&head, ",float", body);
    let (whole, parts) = (weighted(3, &[(0, 1, 7)]), real(3, &[(1, 2, 0.5)]));
    for graphs in [[whole.clone(), parts.clone()], [parts.clone(), whole]] {
        assert_eq!(run(&source, &with_graphs(&graphs)).unwrap().printed, "7 0.5\n");
    }
    let error = run(&source, &with_graphs(&[parts, weighted(3, &[(0, 1, 16_777_217)])])).unwrap_err().to_string();
    assert!(error.starts_with("the weight 16777217 does not fit the type float"), "{error}");
    // A program without weights does not see those of its files.
    let plain = program(HEAD, "", "links.insert(batch); links.delete(batch); print links.getEdges();");
    let graphs = [weighted(3, &[(0, 1, 7), (1, 2, 3)]), real(3, &[(1, 2, 0.5)])];
    assert_eq!(run(&plain, &with_graphs(&graphs)).unwrap().printed, "1\n");
}

#[test]
fn what_cannot_be_changed_is_explained() {
    let source = program(HEAD, "", "links.insert(batch);");
    let small = graph(3, &[(0, 1)]);
    let error = run(&source, &with_graphs(&[small.clone(), graph(5, &[(1, 4)])])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the batch has an edge at vertex 4, which is not among the 3 vertices of the graph; vertices cannot be added \
         inside a program: begin with a graph that has them all"
    );
    assert_eq!(error.span().line, 9, "{source}");
    // Vertices without edges do not matter.
    assert!(run(&source, &with_graphs(&[small.clone(), graph(5, &[(1, 2)])])).is_ok());
    let list = EdgeList::from_pairs(3, vec![(0, 1), (0, 1)]);
    let parallel =
        build(list, &BuildOptions { parallel: gw_graph::Parallel::Keep, ..BuildOptions::default() }).unwrap();
    let error = run(&source, &with_graphs(&[Arc::new(parallel), small.clone()])).unwrap_err().to_string();
    assert!(error.starts_with("the graph has parallel edges, such as 0 -> 1"), "{error}");
    // A vector over edges belongs to the graph of its time.
    let body = "var marks : vector{Link}(bool) = true; links.insert(batch); links = links.filter(marks);";
    let error = run(&program(HEAD, "", body), &with_graphs(&[small, graph(3, &[(1, 2)])])).unwrap_err().to_string();
    assert!(error.starts_with("the vector has 1 entries, but this graph has 2 edges"), "{error}");
    let unset = format!("{HEAD}const none : edgeset{{Link}}(Node,Node);\nfunc main()\n links.insert(none);\nend\n");
    let error = run(&unset, &options(graph(2, &[(0, 1)]), &[])).unwrap_err().to_string();
    assert!(error.starts_with("`none` holds nothing here"), "{error}");
}
