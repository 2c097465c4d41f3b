//! Graphs and arguments of the wrong kind: seen in the right way, handed over, or refused before the run.

use std::sync::Arc;

use crate::machine::{Scheduled, prepare_file, run};
use crate::plain::counted;
use gw_exec::ReferenceVm;
use gw_graph::{BuildOptions, EdgeList, Graph, Weight, build};
use gw_programs::{Number, Program, Remark, Results, Run, Values, find, programs};

fn graph(vertices: usize, triples: &[(u32, u32, i32)]) -> Arc<Graph> {
    weighted(vertices, triples)
}

fn real_graph(vertices: usize, triples: &[(u32, u32, f32)]) -> Arc<Graph> {
    weighted(vertices, triples)
}

fn weighted<W: Weight>(vertices: usize, triples: &[(u32, u32, W)]) -> Arc<Graph> {
    Arc::new(build(EdgeList::from_triples(vertices, triples.iter().copied()), &BuildOptions::default()).unwrap())
}

/// Suits the graph to the program, runs, validates; results and remark.
fn solved(name: &str, graph: &Arc<Graph>, more: &[&str]) -> (gw_exec::RunResult, Option<Remark>, &'static Program) {
    let suited = find(name).unwrap().suit(Arc::clone(graph), "g").unwrap();
    let program = suited.program;
    let args: Vec<String> = ["g"].iter().chain(more).map(ToString::to_string).collect();
    let args = program.arguments(&args).unwrap();
    program.check_vertices(&args, &suited.graph).unwrap();
    let mut compiled = prepare_file(&program.file_on(&suited.graph), Scheduled::Own, &ReferenceVm::new()).unwrap();
    let result = run(&mut compiled, &suited.graph, &args).unwrap();
    let finished = Run { graph: &suited.graph, args: &args, results: &result.globals };
    assert_eq!(program.validate(&finished), Ok(()), "{name}");
    let remark = program.remark(&finished);
    (result, remark, program)
}

fn refusal(name: &str, graph: &Arc<Graph>) -> String {
    find(name).unwrap().suit(Arc::clone(graph), "g").err().unwrap().to_string()
}

/// Found by sequences of runs: loops stay where a vertex was, gains below what moves it, bounds below the present key.
#[test]
fn communities_and_listed_paths_of_odd_graphs() {
    let undirected = |n: usize, triples: &[(u32, u32, i32)]| {
        let options = BuildOptions { symmetrise: true, keep_loops: true, ..BuildOptions::default() };
        Arc::new(build(EdgeList::from_triples(n, triples.iter().copied()), &options).unwrap())
    };
    let loops = undirected(2, &[(0, 1, 1), (1, 1, 1)]);
    let heavy_loop = undirected(2, &[(0, 1, 5), (0, 0, 580631)]);
    let far_apart = undirected(4, &[(1, 0, 6), (0, 3, 922063)]);
    for graph in [&loops, &heavy_loop, &far_apart] {
        for program in ["louvain", "leiden"] {
            solved(program, graph, &["1", "1"]);
        }
    }
    let (result, ..) = solved("louvain", &loops, &["1", "1"]);
    assert_eq!(result.globals.scalar("communities"), Some(Number::Integer(1)));
    let edges =
        [(9, 1), (0, 9), (13, 0), (3, 2), (7, 1), (1, 5), (4, 5), (3, 1), (4, 3), (2, 4), (3, 4), (3, 0), (0, 7)];
    let edges: Vec<_> = edges.into_iter().chain([(4, 13)]).map(|(a, b)| (a, b, 1)).collect();
    solved("k-shortest-paths", &graph(14, &edges), &["4", "5", "8", "1"]);
}

#[test]
fn directed_graphs_are_taken_as_undirected() {
    // 0 -> 1 <- 2, 3 -> 4, 4 -> 5 -> 3, 6 alone: weak components 0, 3, 6, and one triangle.
    let directed = graph(7, &[(0, 1, 1), (2, 1, 1), (3, 4, 1), (4, 5, 1), (5, 3, 1)]);
    for name in ["cc", "cc-fast"] {
        let (result, ..) = solved(name, &directed, &[]);
        let Some(Values::Int(label)) = Results::vector(&result.globals, "label") else { panic!("no labels") };
        assert_eq!(*label, [0, 0, 0, 3, 3, 3, 6], "{name}");
    }
    assert_eq!(solved("tc", &directed, &[]).0.globals.scalar("triangles"), Some(Number::Integer(1)));
    for name in ["kcore", "kcore-unordered", "mis", "coloring"] {
        solved(name, &directed, &[]);
    }
    let notes = |name: &str, graph: &Arc<Graph>| find(name).unwrap().suit(Arc::clone(graph), "g").unwrap().notes;
    assert_eq!(notes("cc", &directed), ["the graph is directed: taken as undirected for cc"]);
    assert!(notes("bfs", &directed).is_empty());
    // Only the weights differ between the directions: for components that is an undirected graph.
    let weights_differ = graph(2, &[(0, 1, 1), (1, 0, 2)]);
    assert!(notes("cc", &weights_differ).is_empty());
    solved("cc", &weights_differ, &[]);
    assert!(notes("cf", &weights_differ)[0].contains("takes the lesser"));
}

#[test]
fn every_program_for_undirected_graphs_runs_on_directed_ones() {
    let directed = graph(9, &[(0, 1, 2), (1, 2, 3), (2, 0, 4), (3, 2, 5), (4, 7, 1), (8, 0, 2)]);
    for program in programs().iter().filter(|p| p.needs_symmetric) {
        let more: &[&str] = if program.name == "cf" { &["4"] } else { &[] };
        solved(program.name, &directed, more);
    }
}

#[test]
fn long_paths_are_right_or_reported() {
    let huge = 2_000_000_000;
    let long = graph(4, &[(0, 1, huge), (1, 2, huge), (2, 3, 1)]);
    let (result, remark, _) = solved("sssp", &long, &["0"]);
    assert_eq!(result.globals.scalar("too_long"), Some(Number::Integer(1)));
    let Some(Remark::NoResult(why)) = remark else { panic!("{remark:?}") };
    assert!(why.contains("does not fit the type int") && why.contains("sssp-real"), "{why}");
    let (result, remark, _) = solved("sssp-real", &long, &["0"]);
    let Some(Values::Double(dist)) = Results::vector(&result.globals, "dist") else { panic!("no distances") };
    assert_eq!((&*dist, remark), (&[0.0, 2e9, 4e9, 4e9 + 1.0][..], None));
    for name in ["ppsp", "astar"] {
        let more: &[&str] = if name == "astar" { &["0", "3", "0", "1000000"] } else { &["0", "3", "1000000"] };
        let (_, remark, _) = solved(name, &long, more);
        assert!(matches!(&remark, Some(Remark::NoResult(why)) if why.contains("sssp-real")), "{name}: {remark:?}");
    }
    let (_, remark, _) = solved("k-shortest-paths", &long, &["0", "3", "2", "1000000"]);
    assert!(matches!(&remark, Some(Remark::NoResult(why)) if why.contains("sssp-real")), "{remark:?}");
    // The long way does not matter where a short one exists, and a distance may be as long as the type allows.
    let short = graph(4, &[(0, 1, huge), (1, 2, huge), (0, 3, 1), (3, 2, 1), (1, 3, i32::MAX)]);
    for (name, more) in [("sssp", &["0"][..]), ("ppsp", &["0", "2", "1000000"]), ("astar", &["0", "2", "1", "1000000"])]
    {
        let (result, remark, _) = solved(name, &short, more);
        assert_eq!((result.globals.scalar("too_long"), remark), (Some(Number::Integer(0)), None), "{name}");
    }
    // A path too long for a vertex that a short one reaches later.
    let detour = graph(4, &[(0, 1, 1), (1, 3, i32::MAX - 1), (0, 2, 100), (2, 3, 1)]);
    for delta in ["1", "50", "1000"] {
        let (result, remark, _) = solved("sssp-delta", &detour, &["0", delta]);
        let Some(Values::Int(dist)) = Results::vector(&result.globals, "dist") else { panic!("no distances") };
        assert_eq!((&*dist, remark), (&[0, 1, 100, 101][..], None), "delta {delta}");
    }
    let (result, remark, _) = solved("sssp-delta", &long, &["0", "1000000"]);
    assert_eq!(result.globals.scalar("too_long"), Some(Number::Integer(1)));
    assert!(matches!(&remark, Some(Remark::NoResult(why)) if why.contains("sssp-real")), "{remark:?}");
    // A path too long for the type leads on from the source, but none to the target.
    let apart = graph(5, &[(0, 1, i32::MAX - 1), (1, 2, i32::MAX - 1), (3, 0, 7)]);
    for (name, more) in [("ppsp", &["0", "4", "3"][..]), ("astar", &["0", "4", "3", "1"])] {
        let (result, remark, _) = solved(name, &apart, more);
        let found = ["distance", "too_long"].map(|scalar| result.globals.scalar(scalar));
        let expected = [i128::from(i32::MAX), 0].map(|value| Some(Number::Integer(value)));
        assert_eq!((found, remark), (expected, None), "{name}");
    }
    let limit = graph(3, &[(0, 1, i32::MAX - 1), (1, 2, 1)]);
    let (result, ..) = solved("sssp", &limit, &["0"]);
    assert_eq!(result.globals.scalar("too_long"), Some(Number::Integer(1)));
    let below = graph(3, &[(0, 1, i32::MIN), (1, 2, -1)]);
    let (result, ..) = solved("sssp", &below, &["0"]);
    assert_eq!(result.globals.scalar("too_long"), Some(Number::Integer(1)));
}

#[test]
fn a_negative_cycle_is_named() {
    let falling = graph(4, &[(0, 1, 5), (1, 2, -3), (2, 1, 1), (2, 3, 4)]);
    let (_, remark, _) = solved("sssp", &falling, &["0"]);
    let Some(Remark::NoResult(why)) = remark else { panic!("{remark:?}") };
    assert!(
        why.contains("the cycle 1 -> 2 -> 1 has the length -2") || why.contains("the cycle 2 -> 1 -> 2 has"),
        "{why}"
    );
    let real = real_graph(3, &[(0, 1, 0.5), (1, 0, -0.75), (1, 2, 1.0)]);
    let (_, remark, program) = solved("sssp", &real, &["2"]);
    assert_eq!((remark, program.name), (None, "sssp"));
    let (_, remark, _) = solved("sssp", &real, &["0"]);
    assert!(matches!(&remark, Some(Remark::NoResult(why)) if why.contains("has the length -0.25")), "{remark:?}");
}

#[test]
fn fractions_are_taken() {
    let real = real_graph(3, &[(0, 1, 0.5), (1, 2, 0.25), (0, 2, 1.0)]);
    let (result, _, program) = solved("sssp", &real, &["0"]);
    assert_eq!(program.name, "sssp");
    let Some(Values::Double(dist)) = Results::vector(&result.globals, "dist") else { panic!("no distances") };
    assert_eq!(*dist, [0.0, 0.5, 0.75]);
    let (result, ..) = solved("sssp-delta", &real, &["0", "0.25"]);
    let Some(Values::Double(dist)) = Results::vector(&result.globals, "dist") else { panic!("no distances") };
    assert_eq!(*dist, [0.0, 0.5, 0.75]);
    for (name, more) in [("ppsp", &["0", "2", "0.25"][..]), ("astar", &["0", "2", "0", "0.25"])] {
        let (result, ..) = solved(name, &real, more);
        assert_eq!(result.globals.scalar("distance"), Some(Number::Real(0.75)), "{name}");
    }
    // Whole numbers written as reals are whole numbers.
    let whole = real_graph(2, &[(0, 1, 3.0)]);
    assert_eq!(solved("sssp-delta", &whole, &["0", "2"]).2.name, "sssp-delta");
    let negative = refusal("sssp-delta", &graph(2, &[(0, 1, -3)]));
    assert_eq!(
        negative,
        "sssp-delta needs weights from 0 on, but `g` has the weight -3; run `sssp`, which takes negative weights"
    );
}

#[test]
fn weights_count_where_the_file_has_some() {
    let folder = std::env::temp_dir().join(format!("gw-weighing-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("trade.csv");
    std::fs::write(&file, "source,target,amount\n0,1,2\n").unwrap();
    let (file, column) = (file.display().to_string(), format!("{}:weight=amount", file.display()));
    let (weighted, plain) = (graph(2, &[(0, 1, 2)]), {
        Arc::new(build(EdgeList::from_pairs(2, vec![(0, 1)]), &BuildOptions::default()).unwrap())
    });
    let decided = |name: &str, weights: &str, graph: &Graph, spec: &str| {
        let program = find(name).unwrap();
        let at = program.args.iter().position(|arg| arg.name == "weights");
        let mut args = vec!["1".to_string(); program.args.len()];
        at.into_iter().for_each(|at| args[at] = weights.to_string());
        program.weighing(&args, graph, spec).map(|(program, told)| (program.name, told))
    };
    for (name, form) in [
        ("pagerank", "pagerank-weighted"),
        ("ppr", "ppr-weighted"),
        ("hits", "hits-weighted"),
        ("katz", "katz-weighted"),
        ("eigenvector", "eigenvector-weighted"),
    ] {
        let told = format!("{name} counts edges by their weights; `--weights ignore` counts all alike");
        for spec in [&file, &column] {
            assert_eq!(decided(name, "auto", &weighted, spec), Ok((form, Some(told.clone()))));
            assert_eq!(decided(name, "use", &weighted, spec), Ok((form, None)));
            assert_eq!(decided(name, "ignore", &weighted, spec), Ok((name, None)));
            assert_eq!(decided(name, "auto", &plain, spec), Ok((name, None)));
        }
        let random = format!("{file}:weights=1..9");
        for spec in ["kron:4:weights=1..9", "graph 7", &random] {
            assert_eq!(decided(name, "auto", &weighted, spec), Ok((name, None)), "{spec}");
            assert_eq!(decided(name, "use", &weighted, spec), Ok((form, None)), "{spec}");
        }
        let refused = decided(name, "use", &plain, "g").unwrap_err().to_string();
        assert!(refused.starts_with(&format!("{name} cannot count edges by their weights: `g` has none")), "{refused}");
        let refused = refusal(form, &graph(2, &[(0, 1, -3)]));
        assert!(refused.contains("needs weights from 0 on, but `g` has the weight -3"), "{refused}");
    }
    let unused = |name: &str, spec: &str| decided(name, "", &weighted, spec).unwrap().1;
    for spec in [&file, &column] {
        assert_eq!(unused("tc", spec).as_deref(), Some("tc does not use the weights"));
        assert_eq!(unused("bfs", spec).as_deref(), Some("bfs does not use the weights; `sssp` does"));
        let other = "pagerank-delta does not use the weights; `pagerank` does";
        assert_eq!(unused("pagerank-delta", spec).as_deref(), Some(other));
    }
    let random = format!("{file}:weights=1..9");
    for (name, spec) in [("tc", "roads.wel"), ("tc", &random), ("sssp", &column), ("louvain", &column)] {
        assert_eq!(unused(name, spec), None, "{name}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn ranks_in_place_that_do_not_converge_are_told() {
    let ring: Vec<(u32, u32, i32)> = (0..60).map(|v| (v, (v + 59) % 60, 1)).chain([(0, 30, 1)]).collect();
    let (_, remark, _) = solved("pagerank-gs", &graph(60, &ring), &["0", "0.999"]);
    assert!(
        matches!(&remark, Some(Remark::Rough(text)) if text.starts_with("not converged: 200 rounds")),
        "{remark:?}"
    );
    assert_eq!(solved("pagerank-gs", &graph(60, &ring), &["0.001"]).1, None);
}

#[test]
fn arguments_are_checked_before_the_run() {
    let wrong = |name: &str, args: &[&str]| {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        find(name).unwrap().arguments(&args).unwrap_err().to_string()
    };
    assert_eq!(wrong("bfs", &["g", "abc"]), "argument SOURCE: `abc` is not a vertex, a whole number from 0 on");
    assert!(wrong("bfs", &["g", "-1"]).starts_with("argument SOURCE: `-1` is not"));
    assert!(wrong("bfs", &["g", "4294967296"]).starts_with("argument SOURCE"));
    assert!(
        wrong("bfs", &["g", "1", "2"]).starts_with("surplus argument `2`: bfs takes no more than 2\nusage: gw run bfs")
    );
    assert!(wrong("bfs", &["g"]).starts_with("missing argument SOURCE: vertex to start from\nusage"));
    assert!(wrong("pagerank", &["g", "999999999999"]).starts_with("argument ROUNDS: `999999999999` is not a whole"));
    for tolerance in ["-1", "nan", "inf", "2", "x"] {
        assert!(wrong("pagerank", &["g", "5", tolerance]).ends_with("is not a number from 0 to 1"), "{tolerance}");
    }
    for damping in ["1", "-0.1", "nan", "x"] {
        let said = wrong("pagerank", &["g", "5", "0.1", damping]);
        assert_eq!(said, format!("argument DAMPING: `{damping}` is not a number from 0 to below 1"));
    }
    assert!(wrong("pagerank", &["g", "5", "0.1", "0.5", "yes"]).starts_with("argument WEIGHTS: `yes` is not `auto`"));
    for delta in ["0", "-3", "nan", ""] {
        assert!(wrong("sssp-delta", &["g", "0", delta]).starts_with("argument DELTA"), "{delta}");
    }
    let path = graph(3, &[(0, 1, 1), (1, 2, 1)]);
    let bfs = find("bfs").unwrap();
    let args = |source: &str| ["g".to_string(), source.to_string()];
    let error = bfs.check_vertices(&args("3"), &path).unwrap_err().to_string();
    assert_eq!(error, "argument SOURCE: `3` is not a vertex: the graph has 3, numbered from 0 to 2");
    assert_eq!((bfs.stranded(&args("2"), &path), bfs.stranded(&args("1"), &path)), (Some(2), None));
}

#[test]
fn pagerank_converges_without_being_told_how() {
    let wheel: Vec<(u32, u32, i32)> = (1..20).flat_map(|v| [(0, v, 1), (v, 1 + v % 19, 1)]).collect();
    let wheel = graph(20, &wheel);
    let exact = crate::oracle::ranks(&counted("pagerank", &wheel), 0.85, 1000, 0.0).0;
    for name in ["pagerank", "pagerank-div", "pagerank-delta", "pagerank-gs"] {
        let (result, remark, _) = solved(name, &wheel, &[]);
        let Some(Values::Float(rank)) = Results::vector(&result.globals, "rank") else { panic!("no ranks") };
        let off: f64 = rank.iter().zip(&exact).map(|(&a, b)| (f64::from(a) - b).abs()).sum();
        assert!(off < 1e-5 && remark.is_none(), "{name}: {off:e}, {remark:?}");
    }
    let (result, remark, _) = solved("pagerank", &wheel, &["1"]);
    assert_eq!(result.globals.scalar("rounds"), Some(Number::Integer(1)));
    assert!(matches!(&remark, Some(Remark::Rough(text)) if text.starts_with("not converged: 1 rounds")), "{remark:?}");
}

/// Equal shares of many neighbours, added up in single precision, would be off in the fourth digit, of millions in
/// the second.
#[test]
fn a_hub_gets_its_whole_rank() {
    let n = 40_001u32;
    let spokes: Vec<(u32, u32, i32)> = (1..n).flat_map(|v| [(0, v, 1), (v, 0, 1)]).collect();
    let star = graph(n as usize, &spokes);
    let (mut hub, mut leaf) = (1.0 / f64::from(n), 1.0 / f64::from(n));
    for _ in 0..300 {
        let others = f64::from(n - 1);
        (hub, leaf) = (0.15 / f64::from(n) + 0.85 * leaf * others, 0.15 / f64::from(n) + 0.85 * hub / others);
    }
    let names = ["pagerank", "pagerank-delta", "pagerank-div", "pagerank-gs"];
    let names = if gw_testing::is_nightly() { &names[..] } else { &names[..2] };
    for name in names {
        let (result, ..) = solved(name, &star, &[]);
        let Some(Values::Float(rank)) = Results::vector(&result.globals, "rank") else { panic!("no ranks") };
        assert!((f64::from(rank[0]) - hub).abs() < 1e-5, "{name}: {} instead of {hub}", rank[0]);
    }
}

/// Results of these programs are wrong or undefined on graphs with loops or parallel edges; those of others are right.
#[test]
fn loops_and_parallel_edges_are_refused_where_they_matter() {
    let made = |options: BuildOptions, triples: &[(u32, u32, i32)]| {
        let options = BuildOptions { symmetrise: true, ..options };
        Arc::new(build(EdgeList::from_triples(3, triples.iter().copied()), &options).unwrap())
    };
    let loops = made(BuildOptions { keep_loops: true, ..Default::default() }, &[(0, 0, 4), (0, 1, 2), (1, 2, 3)]);
    let parallel = made(
        BuildOptions { parallel: gw_graph::Parallel::Keep, ..Default::default() },
        &[(0, 1, 2), (1, 2, 3), (1, 2, 5)],
    );
    for name in [
        "bc-edges",
        "bc-weighted",
        "biconnected",
        "bridges",
        "cdlp",
        "coloring",
        "ktruss",
        "lcc",
        "matching",
        "matching-weighted",
        "maxflow",
        "similarity-edges",
        "tc",
        "triangles",
    ] {
        let said = refusal(name, &loops);
        assert!(said.contains("`g` has a loop at vertex 0; convert it to a text and run on that"), "{said}");
        assert!(refusal(name, &parallel).contains("`g` has parallel edges at vertex 1"), "{name}");
    }
    for name in ["cc", "msf", "kcore", "mis", "pagerank", "scc", "louvain"] {
        solved(name, &loops, &[]);
        solved(name, &parallel, &[]);
    }
}

#[test]
fn lengths_between_vertices_are_greater_than_0() {
    let refused = refusal("bc-weighted", &graph(3, &[(0, 1, 2), (1, 2, 0)]));
    assert_eq!(refused, "bc-weighted needs weights greater than 0, but `g` has the weight 0; change the weights");
    assert!(refusal("bc-weighted", &graph(2, &[(0, 1, -3)])).contains("greater than 0, but `g` has the weight -3"));
    // Two ways of one length beyond 32 bits, and a third that is longer by 1.
    let huge = i32::MAX;
    let ways = [(0, 1, huge), (1, 4, huge), (0, 2, huge - 1), (2, 4, huge), (0, 3, huge), (3, 4, huge - 1)];
    let (result, remark, _) = solved("bc-weighted", &graph(5, &ways), &["5"]);
    let Some(Values::Double(centrality)) = Results::vector(&result.globals, "centrality") else { panic!("no values") };
    assert_eq!((&*centrality, remark), (&[0.0, 0.0, 0.5, 0.5, 0.0][..], None));
    // Sums of reals are compared as they are: 0.1 + 0.2 is more than 0.3, and 0.5 + 0.25 just 0.75.
    for (step, direct, between) in [([0.1, 0.2], 0.3, 0.0), ([0.5, 0.25], 0.75, 0.5)] {
        let ways = weighted(3, &[(0, 1, step[0]), (1, 2, step[1]), (0, 2, direct)]);
        let (result, remark, _) = solved("bc-weighted", &ways, &["3"]);
        let Some(Values::Double(found)) = Results::vector(&result.globals, "centrality") else { panic!("no values") };
        assert_eq!((&*found, remark), (&[0.0, between, 0.0][..], None));
    }
}

/// What does not fit 64 bits is told, and so is what vanishes in them.
#[test]
fn sums_that_do_not_fit_64_bits_are_told() {
    let told = |name: &str, graph: &Arc<Graph>, more: &[&str], part: &str| {
        let (_, remark, _) = solved(name, graph, more);
        assert!(matches!(&remark, Some(Remark::NoResult(why)) if why.contains(part)), "{name}: {remark:?}");
    };
    let most = i64::MAX;
    let long = weighted(4, &[(0, 1, most - 9), (1, 2, most - 9), (2, 3, 1)]);
    let beyond = weighted(4, &[(0, 1, 1.6e308), (1, 2, 1.6e308), (2, 3, 0.5)]);
    for (graph, ty) in [(&long, "does not fit the type int_64"), (&beyond, "greatest real of 64 bits")] {
        told("sssp", graph, &["0"], ty);
        told("sssp-delta", graph, &["0", "1000"], ty);
        told("ppsp", graph, &["0", "3", "1000"], ty);
        told("astar", graph, &["0", "3", "0", "1000"], ty);
        told("bc-weighted", graph, &["4"], ty);
    }
    told("k-shortest-paths", &long, &["0", "3", "2", "1000"], "do not fit the type int_64");
    told("k-shortest-paths", &beyond, &["0", "3", "2", "1000"], "greatest real of 64 bits");
    let wide = weighted(4, &[(0, 1, most), (0, 2, most), (1, 3, most), (2, 3, most)]);
    told("maxflow", &wide, &["0", "3"], "more than the type int_64 holds");
    let wide = weighted(4, &[(0, 1, 1e308), (0, 2, 1e308), (1, 3, 1e308), (2, 3, 1e308)]);
    told("maxflow", &wide, &["0", "3"], "more than the type double holds");
    // 1e-9 is nothing beside 1e12.
    let fine = weighted(3, &[(0, 1, 1e12), (1, 2, 1e-9)]);
    told("bc-weighted", &fine, &["3"], "is rounded to that of the path");
    assert_eq!(solved("sssp", &fine, &["0"]).1, None);
}

#[test]
fn a_flow_needs_two_ends_and_may_be_greater_than_32_bits() {
    let huge = i32::MAX;
    let net = graph(4, &[(0, 1, huge), (0, 2, huge), (1, 3, huge), (2, 3, huge), (3, 0, 7)]);
    let (result, remark, _) = solved("maxflow", &net, &["0", "3"]);
    assert_eq!((result.globals.scalar("value"), remark), (Some(Number::Integer(2 * i128::from(huge))), None));
    let (result, remark, _) = solved("maxflow", &net, &["2", "2"]);
    assert_eq!(result.globals.scalar("value"), Some(Number::Integer(0)));
    let Some(Remark::NoResult(why)) = remark else { panic!("{remark:?}") };
    assert_eq!(why, "there is no flow from 2 to itself; give another vertex as sink");
    let (result, ..) = solved("maxflow", &net, &["1", "2"]);
    assert_eq!(result.globals.scalar("value"), Some(Number::Integer(7)));
    assert!(refusal("maxflow", &graph(2, &[(0, 1, -3)])).contains("weights from 0 on"));
}

#[test]
fn communities_count_weights_where_there_are_some() {
    // Two pairs with heavy edges, joined by light ones: without weights one square.
    let square = [(0, 1, 50), (2, 3, 50), (1, 2, 1), (3, 0, 1)];
    for name in ["louvain", "leiden"] {
        let (result, remark, _) = solved(name, &graph(4, &square), &[]);
        let Some(Values::Int(label)) = Results::vector(&result.globals, "label") else { panic!("no labels") };
        assert_eq!((&label[..], remark), (&[0, 0, 2, 2][..], None), "{name}");
        let pairs = vec![(0, 1), (2, 3), (1, 2), (3, 0)];
        let plain = Arc::new(build(EdgeList::from_pairs(4, pairs), &BuildOptions::default()).unwrap());
        assert_eq!(solved(name, &plain, &[]).1, None, "{name}");
        let halves = real_graph(4, &[(0, 1, 0.5), (2, 3, 0.5), (1, 2, 0.125), (3, 0, 0.125)]);
        let (result, ..) = solved(name, &halves, &[]);
        let modularity = result.globals.scalar("modularity");
        assert!(matches!(modularity, Some(Number::Real(q)) if (q - 0.3).abs() < 1e-12), "{name}: {modularity:?}");
        // The more edges expected at random count, the smaller communities are.
        let apart = solved(name, &graph(4, &square), &["1", "9"]).0.globals.scalar("communities");
        let together = solved(name, &graph(4, &square), &["1", "0.001"]).0.globals.scalar("communities");
        assert_eq!((apart, together), (Some(Number::Integer(4)), Some(Number::Integer(1))), "{name}");
        assert!(refusal(name, &graph(2, &[(0, 1, -3)])).contains("weights from 0 on"), "{name}");
        let (result, remark, _) = solved(name, &graph(4, &[(0, 1, i32::MAX), (2, 3, i32::MAX)]), &[]);
        let modularity = result.globals.scalar("modularity");
        assert_eq!((modularity, remark), (Some(Number::Real(0.5)), None), "{name}");
        let nothing = solved(name, &graph(3, &[(0, 1, 0), (1, 2, 0)]), &[]);
        assert_eq!(nothing.0.globals.scalar("communities"), Some(Number::Integer(3)), "{name}");
    }
}
