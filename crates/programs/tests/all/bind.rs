//! Arguments by name and by position, and vertices by their ids.

use std::sync::Arc;

use gw_graph::{BuildOptions, EdgeList, Graph, Names, build};
use gw_programs::{ArgumentError, ResultMap, Run, find, programs};

fn bound(
    program: &str,
    named: &[(&str, &str)],
    positional: &[&str],
    graph: &Graph,
) -> Result<Vec<String>, ArgumentError> {
    let named: Vec<_> = named.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let positional: Vec<_> = positional.iter().map(ToString::to_string).collect();
    Ok(find(program).unwrap().bind(&named, &positional)?.settle(graph)?.args)
}

fn graph() -> Graph {
    build(EdgeList::from_triples(4, [(0, 1, 2), (1, 2, 2), (1, 3, 2)]), &BuildOptions::default()).unwrap()
}

#[test]
fn names_come_first_and_positions_fill_the_rest() {
    let graph = graph();
    let settled = |named: &[(&str, &str)], positional: &[&str]| bound("ppsp", named, positional, &graph).unwrap();
    let expected = ["g", "0", "3", "5"];
    assert_eq!(settled(&[], &["g", "0", "3", "5"]), expected);
    assert_eq!(settled(&[("target", "3")], &["g", "0", "5"]), expected);
    assert_eq!(settled(&[("delta", "5"), ("target", "3"), ("source", "0")], &["g"]), expected);
    // A source is found: the vertex with the most out-edges.
    assert_eq!(settled(&[("delta", "5"), ("target", "3")], &["g"]), ["g", "1", "3", "5"]);
    assert_eq!(
        bound("pagerank", &[("tolerance", "0.5")], &["g"], &graph).unwrap(),
        ["g", "100", "0.5", "0.85", "auto"]
    );
}

#[test]
fn widths_and_landmarks_are_found_where_none_is_given() {
    let triples = [(0, 1, 2), (1, 2, 2), (2, 3, 2), (3, 4, 2)];
    let graph = build(EdgeList::from_triples(5, triples), &BuildOptions::default()).unwrap();
    let settled = |program: &str, named: &[(&str, &str)]| {
        let named: Vec<_> = named.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        find(program).unwrap().bind(&named, &["g".to_string()]).unwrap().settle(&graph).unwrap()
    };
    // 2 x 22 for less than an edge per vertex.
    let found = settled("sssp-delta", &[("source", "0")]);
    assert_eq!(found.args, ["g", "0", "44"]);
    let told = "no delta is given: taken is 44, for the mean weight 2.0 and 0.8 edges per vertex";
    assert_eq!((found.chosen_delta.as_deref(), found.chosen_source), (Some(told), None));
    let found = settled("astar", &[("source", "2"), ("target", "4")]);
    assert_eq!((&found.args[3..], found.chosen_landmark), (&["0".to_string(), "44".to_string()][..], Some(0)));
    let found = settled("astar", &[("target", "4"), ("landmark", "1"), ("delta", "3")]);
    assert_eq!(found.args, ["g", "0", "4", "1", "3"]);
    assert_eq!((found.chosen_delta, found.chosen_landmark, found.chosen_source), (None, None, Some(0)));
    assert_eq!(find("astar").unwrap().usage(), "astar GRAPH SOURCE TARGET [LANDMARK] [DELTA]");
    assert_eq!(find("sssp-delta").unwrap().usage(), "sssp-delta GRAPH [SOURCE] [DELTA]");
}

#[test]
fn mistakes_are_told() {
    let graph = graph();
    let wrong =
        |named: &[(&str, &str)], positional: &[&str]| bound("ppsp", named, positional, &graph).unwrap_err().to_string();
    assert_eq!(
        wrong(&[("root", "1")], &["g"]),
        "ppsp has no argument `root`; its arguments are graph, source, target, delta"
    );
    assert_eq!(wrong(&[("delta", "1"), ("delta", "2")], &["g"]), "argument DELTA is given twice");
    assert!(wrong(&[("source", "1")], &["g", "1", "2", "3"]).starts_with("surplus argument `3`"));
    assert!(wrong(&[("source", "1")], &["g"]).starts_with("missing argument TARGET"));
    assert!(
        wrong(&[("delta", "x")], &["g", "1", "2"]).starts_with("argument DELTA: `x` is not a number greater than 0")
    );
    for vertex in ["4", "-1", "x", "", "99999999999999999999"] {
        let expected = format!("argument TARGET: `{vertex}` is not a vertex: the graph has 4, numbered from 0 to 3");
        assert_eq!(wrong(&[("target", vertex)], &["g", "0", "1"]), expected);
    }
    let empty = build(EdgeList::from_pairs(0, vec![]), &BuildOptions::default()).unwrap();
    assert!(bound("bfs", &[], &["g"], &empty).is_err());
}

#[test]
fn vertices_are_named_by_their_ids() {
    let names = |names: Names| graph().with_names(Some(Arc::new(names)));
    let people = names(Names::from_texts(["ann", "bob", "1", "dee"]));
    assert_eq!(bound("bfs", &[("source", "dee")], &["g"], &people).unwrap(), ["g", "3"]);
    assert_eq!(bound("bfs", &[], &["g", "1"], &people).unwrap(), ["g", "2"], "an id, not a number");
    let error = bound("bfs", &[], &["g", "0"], &people).unwrap_err().to_string();
    assert_eq!(error, "argument SOURCE: `0` is not the id of a vertex: the graph has 4, such as ann, bob, 1");
    let numbers = names(Names::from_signed(vec![-7, 1, 5, 9]));
    assert_eq!(bound("bfs", &[("source", "-7")], &["g"], &numbers).unwrap(), ["g", "0"]);
}

#[test]
fn searches_count_the_edges_of_what_they_reached() {
    let graph = build(EdgeList::from_pairs(5, vec![(0, 1), (1, 2), (3, 4)]), &BuildOptions::default()).unwrap();
    let results = ResultMap::new()
        .with_vector("parent", vec![0, 0, 1, -1, -1])
        .with_vector("level", vec![0, 1, 2, -1, -1])
        .with_vector("steps", vec![0, 1, 2, -1, -1])
        .with_vector("arrival", vec![0, 1, 2, i64::MAX, i64::MAX])
        .with_vector("dist", vec![0, 1, 2, i32::MAX, i32::MAX]);
    for program in programs() {
        let expected = if program.reached.is_some() { 2 } else { 3 };
        let counted = program.counted_edges(&Run { graph: &graph, args: &[], results: &results });
        assert_eq!(counted, expected, "{}", program.name);
        // The vector is one of the results.
        let known = |name: &str| program.results.iter().any(|result| result.name == name);
        assert!(program.reached.is_none_or(|reached| known(reached.vector)), "{}", program.name);
        // A search starts somewhere. These start somewhere and are none: one goes over all edges in every round,
        // one two steps far, a flow comes back over the edges it went, and several paths are many searches.
        let starts_somewhere = program.args.iter().any(|arg| arg.name == "source");
        let no_searches = ["k-shortest-paths", "maxflow", "ppr", "ppr-weighted", "similarity"];
        let is_search = starts_somewhere && !no_searches.contains(&program.name);
        assert_eq!(program.reached.is_some(), is_search, "{}", program.name);
    }
    let real = ResultMap::new().with_vector("dist", vec![0.0, 1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]);
    let run = Run { graph: &graph, args: &[], results: &real };
    assert_eq!(find("sssp-real").unwrap().counted_edges(&run), 2);
    let mirrored = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    let graph = build(EdgeList::from_pairs(5, vec![(0, 1), (1, 2), (3, 4)]), &mirrored).unwrap();
    assert_eq!(find("bfs").unwrap().counted_edges(&Run { graph: &graph, args: &[], results: &results }), 2);
}

#[test]
fn several_sources_are_lists_and_files() {
    let graph = graph();
    let settled =
        |sources: &str, graph: &Graph| bound("ppr", &[("source", sources)], &["g"], graph).map(|a| a[1].clone());
    assert_eq!(settled("2", &graph).unwrap(), "2");
    assert_eq!(settled("2, 0 =0.5", &graph).unwrap(), "2,0=0.5");
    let people = self::graph().with_names(Some(Arc::new(Names::from_texts(["ann", "bob", "1", "a,b=c"]))));
    assert_eq!(settled("bob,ann=3", &people).unwrap(), "1,0=3");
    assert_eq!(settled("a,b=c", &people).unwrap(), "3");
    let file = std::env::temp_dir().join(format!("gw-sources-{}", std::process::id()));
    let text = format!("@{}", file.display());
    std::fs::write(&file, "bob 2\nann 1\n").unwrap();
    assert_eq!(settled(&text, &people).unwrap(), text);
    assert!(settled(&text[1..], &people).unwrap_err().to_string().contains("to read it, write `@"));
    std::fs::write(&file, "bob -2\n").unwrap();
    let negative = settled(&text, &people).unwrap_err().to_string();
    assert!(negative.contains("the weight -2 of vertex") && negative.contains("bob"), "{negative}");
    std::fs::write(&file, "eve 1\n").unwrap();
    assert!(
        settled(&text, &people).unwrap_err().to_string().ends_with(":1: the graph has no vertex with the id `eve`")
    );
    std::fs::remove_file(&file).unwrap();
    for (sources, part) in
        [("1,1", "named twice"), ("4,1", "is not a vertex"), ("1=0", "above 0"), ("1=x", "not a number"), ("@", "read")]
    {
        let error = settled(sources, &graph).unwrap_err().to_string();
        assert!(error.contains(part), "{sources}: {error}");
    }
}
