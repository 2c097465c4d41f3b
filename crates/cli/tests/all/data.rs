//! One's own data: tables of edges in, original ids out; arguments by name; completions and the manual page.

use crate::common::{failure, gw, json, success};

/// Four people; bob is followed by all others.
const FOLLOWS: &str = "when,follower,followee,strength\n\
    2001,ann,bob,2\n2002,cem,bob,3\n2003,\"dee, x\",bob,1\n2004,bob,ann,5\n";

const COLUMNS: [&str; 4] = ["--source-column", "follower", "--target-column", "followee"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.csv"), FOLLOWS).unwrap();
    folder
}

#[test]
fn a_table_becomes_a_ranking_of_names() {
    let folder = folder();
    let at = folder.path();
    let told = success(at, &[&["run", "pagerank", "f.csv", "--top", "rank:2", "--verify"][..], &COLUMNS].concat());
    assert!(told.contains("rank: the 2 greatest of 4\n  bob  0.4"), "{told}");
    let least = success(at, &["run", "pagerank", "f.csv:source=follower:target=followee", "--top", "rank:2:least"]);
    assert!(least.contains("rank: the 2 least of 4\n  cem     0.0"), "the first of equal ones: {least}");
    let answer = json(at, &[&["run", "pagerank", "f.csv", "--top", "rank:1", "--json"][..], &COLUMNS].concat());
    let [best] = &answer["top"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert_eq!((&best["result"], &best["order"]), (&"rank".into(), &"greatest".into()));
    assert_eq!(best["entries"][0]["vertex"], "bob");
    assert!(best["entries"][0]["value"].as_f64().is_some_and(|rank| rank > 0.4), "{answer}");
    // A number alone is of the first result, of several programs of the first one.
    let first = |program: &str| json(at, &[&["run", program, "f.csv", "--top", "2", "--json"][..], &COLUMNS].concat());
    assert_eq!(first("pagerank")["top"][0]["result"], "rank");
    assert_eq!(first("pagerank,cc")[0]["top"][0]["result"], "rank");
    let none = failure(at, &["run", "tc", "path:3", "--top", "2"], 2);
    assert!(none.contains("no vector of numbers among its results"), "{none}");
    assert!(failure(at, &["run", "tc", "path:3", "--top", "rank:2"], 2).contains("no vector of numbers `rank`"));
    assert!(failure(at, &["run", "bfs", "path:3", "--top", "parent"], 2).contains("RESULT:COUNT"));
}

#[test]
fn results_are_tables_with_the_original_ids() {
    let folder = folder();
    let at = folder.path();
    let run = |program: &str, out: &str| {
        let args = ["run", program, "f.csv", "--source", "cem", "--out", out];
        success(at, &[&args[..], &COLUMNS].concat());
        std::fs::read_to_string(at.join(out.split_once('=').unwrap().1)).unwrap()
    };
    assert_eq!(run("bfs-levels", "level=l.csv"), "vertex,level\nann,2\nbob,1\ncem,0\n\"dee, x\",\n");
    assert_eq!(run("bfs-levels", "depth=d.tsv"), "depth\n2\n");
    // Vertices among the entries are ids, too; no vertex is empty.
    assert_eq!(run("bfs", "parent=p.tsv"), "vertex\tparent\nann\tbob\nbob\tcem\ncem\tcem\ndee, x\t\n");
    // Plain lines hold the numbers.
    assert_eq!(run("bfs", "parent=p.txt"), "1\n2\n2\n-1\n");
    let table = [&["run", "pagerank", "f.csv", "--out", "rank=r.parquet"][..], &COLUMNS].concat();
    success(at, &table);
    let bytes = std::fs::read(at.join("r.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    // As many edges as vertices: the entries are still those of edges.
    std::fs::write(at.join("ring.csv"), "source,target\nann,bob\nbob,cem\ncem,ann\n").unwrap();
    let ring = ["run", "similarity-edges", "ring.csv", "--out", "common=c.csv", "--top", "common:1", "--json"];
    let answer = json(at, &ring);
    let table = std::fs::read_to_string(at.join("c.csv")).unwrap();
    assert_eq!(table, "source,target,common\nann,bob,0\nbob,cem,0\ncem,ann,0\n");
    let first = &answer["top"][0]["entries"][0];
    assert_eq!((&first["source"], &first["target"]), (&"ann".into(), &"bob".into()), "{answer}");
    // Without ids there are numbers.
    success(at, &["run", "bfs-levels", "path:3", "0", "--out", "level=n.csv"]);
    assert_eq!(std::fs::read_to_string(at.join("n.csv")).unwrap(), "vertex,level\n0,0\n1,1\n2,2\n");
}

#[test]
fn vectors_of_vertices_in_a_program_of_ones_own_are_ids() {
    let folder = folder();
    let at = folder.path();
    let program = "element Vertex end\nelement Edge end\n\
        const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
        const leader : vector{Vertex}(Vertex) = 0;\n\
        func follow(src : Vertex, dst : Vertex)\n    leader[src] = dst;\nend\n\
        func main()\n    edges.apply(follow);\nend\n";
    std::fs::write(at.join("own.gt"), program).unwrap();
    success(at, &[&["run", "own.gt", "f.csv", "--out", "leader=l.csv"][..], &COLUMNS].concat());
    let table = std::fs::read_to_string(at.join("l.csv")).unwrap();
    assert_eq!(table, "vertex,leader\nann,bob\nbob,ann\ncem,bob\n\"dee, x\",bob\n");
    let by_name = failure(at, &["run", "own.gt", "f.csv", "--source", "ann"], 2);
    assert!(by_name.contains("own.gt has no argument `source`; its arguments are edges"), "{by_name}");
}

#[test]
fn arguments_have_names() {
    let folder = folder();
    let at = folder.path();
    let weights = ["--weight-column", "strength"];
    let path = ["run", "ppsp", "f.csv", "--source", "cem", "--to", "ann", "--delta", "2", "--verify"];
    assert!(success(at, &[&path[..], &COLUMNS, &weights].concat()).starts_with("distance = 8\n"));
    // By position, beside names and alone.
    let mixed = ["run", "ppsp", "f.csv", "ann", "2", "--source", "cem"];
    assert!(success(at, &[&mixed[..], &COLUMNS, &weights].concat()).starts_with("distance = 8\n"));
    let plain = ["run", "ppsp", "f.csv", "cem", "ann", "2"];
    assert!(success(at, &[&plain[..], &COLUMNS, &weights].concat()).starts_with("distance = 8\n"));
    assert!(success(at, &["run", "pagerank", "path:9", "--rounds", "3"]).contains("\nrounds = 3\n"));

    let error = |args: &[&str]| failure(at, &[&["run"], args].concat(), 2);
    assert_eq!(error(&["bfs", "path:5", "--delta", "3"]), "gw: --delta: bfs has no such argument; it has --source\n");
    assert!(error(&["ppsp", "path:5", "--rounds", "3"]).ends_with("it has --source, --to, --delta\n"));
    assert!(error(&["tc", "path:5", "--source", "3"]).ends_with("it has none by name\n"));
    assert!(error(&["bfs", "path:5", "1", "--source", "3"]).contains("surplus argument `1`"));
    let unknown = failure(at, &[&["run", "bfs", "f.csv", "--source", "eve"][..], &COLUMNS].concat(), 2);
    let expected = "argument SOURCE: `eve` is not the id of a vertex: the graph has 4, such as ann, bob, cem";
    assert!(unknown.contains(expected), "{unknown}");
}

/// What a command that succeeds writes to standard error.
fn told(at: &std::path::Path, args: &[&str]) -> String {
    let output = gw(at, args);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {told}");
    told
}

#[test]
fn weights_count_where_they_were_given() {
    let folder = folder();
    let at = folder.path();
    let weights = ["--weight-column", "strength"];
    let run = |program: &str, more: &[&str]| {
        told(at, &[&["run", program, "f.csv", "--verify"], &COLUMNS[..], &weights, more].concat())
    };
    let line = "gw: pagerank counts edges by their weights; `--weights ignore` counts all alike\n";
    let by_weights = run("pagerank", &["--damping", "0.5"]);
    assert!(by_weights.starts_with(&format!("{line}pagerank-weighted on cpu: ")), "{by_weights}");
    assert!(run("pagerank", &["--weights", "ignore"]).starts_with("pagerank on cpu: "));
    assert!(run("pagerank", &["--weights", "use"]).starts_with("pagerank-weighted on cpu: "));
    for program in ["ppr", "hits", "katz", "eigenvector"] {
        let told = run(program, &[]);
        assert!(told.contains(&format!("gw: {program} counts edges by their weights; ")), "{told}");
        assert!(told.contains(&format!("\n{program}-weighted on cpu: ")), "{told}");
    }
    let unused = run("bfs", &["--source", "cem"]);
    assert!(unused.starts_with("gw: bfs does not use the weights; `sssp` does\nbfs on cpu: "), "{unused}");
    assert!(!run("sssp", &["--source", "cem"]).contains("weights"));
    let program = "element Vertex end\nelement Edge end\n\
        const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\nfunc main()\n    print edges.getEdges();\nend\n";
    std::fs::write(at.join("own.gt"), program).unwrap();
    let own = told(at, &[&["run", "own.gt", "f.csv"], &COLUMNS[..], &weights].concat());
    assert!(own.starts_with("gw: own.gt does not use the weights\n"), "{own}");
    // Weights that were made at random do not count unless they are asked for.
    assert!(told(at, &["run", "pagerank", "kron:5:weights=1..9"]).starts_with("pagerank on cpu: "));
    let random = told(at, &["run", "pagerank", "kron:5:weights=1..9", "--weights", "use", "--verify"]);
    assert!(random.starts_with("pagerank-weighted on cpu: "), "{random}");
    let none = failure(at, &["run", "katz", "kron:5", "--weights", "use"], 1);
    assert!(none.contains("katz cannot count edges by their weights: `kron:5` has none"), "{none}");
    std::fs::write(at.join("debt.csv"), "source,target,weight\n0,1,-2\n1,2,3\n").unwrap();
    let negative = failure(at, &["run", "pagerank", "debt.csv"], 1);
    assert!(negative.contains("needs weights from 0 on, but `debt.csv` has the weight -2"), "{negative}");
    assert!(negative.contains("or count all edges alike with `--weights ignore`"), "{negative}");
    success(at, &["run", "pagerank", "debt.csv", "--weights", "ignore", "--verify"]);
}

#[test]
fn rows_are_as_long_as_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (program, length, result) in [("msbfs", "65", "hops"), ("walks", "81", "walk"), ("similar", "17", "similar")] {
        let out = format!("{result}=rows.csv");
        success(at, &["run", program, "kron:8", length, "--verify", "--out", &out]);
        let table = std::fs::read_to_string(at.join("rows.csv")).unwrap();
        let titles: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let last = length.parse::<usize>().unwrap() - 1;
        assert_eq!((titles.len(), titles[0], titles.last()), (last + 2, "vertex", Some(&&*format!("{result}_{last}"))));
    }
    success(at, &["run", "walks", "path:3", "--length", "3", "--out", "walk=w.csv"]);
    let table = std::fs::read_to_string(at.join("w.csv")).unwrap();
    assert!(table.starts_with("vertex,walk_0,walk_1,walk_2\n0,0,1,"), "{table}");
    let long = failure(at, &["run", "walks", "path:3", "--length", "1048577"], 2);
    assert!(long.contains("argument LENGTH: `1048577` is not a whole number from 0 to 1048576, the most"), "{long}");
}

#[test]
fn what_the_graph_decides_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let path = "path:30:weights=10..10";
    let found = told(at, &["run", "astar", path, "--source", "8", "--to", "20", "--verify"]);
    let lines = "gw: no landmark is given: taken is 0, which lies behind the source as seen from the target\n\
        gw: no delta is given: taken is 59, for the mean weight 10.0 and 1.9 edges per vertex\nastar on cpu: ";
    assert!(found.starts_with(lines), "{found}");
    assert_eq!(success(at, &["run", "ppsp", path, "8", "20"]).lines().next(), Some("distance = 120"));
    let alone = told(at, &["run", "similarity", "path:3:directed", "2", "--verify"]);
    let line = "gw: warning: no edge leaves the vertex 2, so it has no neighbours in common with any vertex, and all \
        values are 0\n";
    assert!(alone.starts_with(line), "{alone}");
}

#[test]
fn a_source_left_out_is_a_hub_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let output = gw(at, &["run", "bfs", "star:9:reorder=degree-asc", "--verify"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("gw: no source is given: taken is 8, the vertex with the most out-edges\n"), "{told}");
    let answer = json(at, &["run", "bfs-levels", "star:9:reorder=degree-asc", "--json"]);
    assert_eq!((&answer["chosen_source"], &answer["results"]["depth"]), (&"8".into(), &1.into()));
    let given = json(at, &["run", "bfs", "star:9", "3", "--json"]);
    assert!(given["chosen_source"].is_null());
}

#[test]
fn graph_commands_take_tables() {
    let folder = folder();
    let at = folder.path();
    let info = json(at, &[&["graph", "info", "f.csv", "--json"][..], &COLUMNS].concat());
    assert_eq!((&info["vertices"], &info["edges"]), (&4.into(), &4.into()));
    let args = [&["graph", "convert", "f.csv", "f.gwg", "--id-map", "ids", "--weight-column", "4"][..], &COLUMNS];
    // The file holds the ids, and the column that is left.
    assert!(success(at, &args.concat()).contains("note: columns of edges that are kept: `when`"));
    assert!(success(at, &["run", "pagerank", "f.gwg", "--top", "rank:4"]).contains("dee, x"));
    let args = [&["graph", "convert", "f.csv", "f.el"][..], &COLUMNS];
    assert!(success(at, &args.concat()).contains("note: the format el holds no ids of vertices"));
    assert_eq!(std::fs::read_to_string(at.join("ids")).unwrap(), "ann\nbob\ncem\ndee, x\n");
    success(at, &[&["graph", "convert", "f.csv", "g.tsv"][..], &COLUMNS].concat());
    let table = std::fs::read_to_string(at.join("g.tsv")).unwrap();
    assert_eq!(table, "source\ttarget\nann\tbob\nbob\tann\ncem\tbob\ndee, x\tbob\n");
    let missing = failure(at, &["graph", "info", "f.csv", "--source-column", "who"], 1);
    assert!(missing.contains("the columns are `when`, `follower`, `followee`, `strength`"), "{missing}");
    assert!(failure(at, &["graph", "info", "kron:4", "--source-column", "who"], 2).contains("generator"));
    assert!(failure(at, &["graph", "convert", "path:4", "p.gwg", "--id-map", "ids"], 2).contains("no ids"));
}

/// Whether something prints escape sequences to a terminal, made by `script`; `None` where there is no `script`.
#[cfg(target_os = "linux")]
fn colours(at: &std::path::Path, command: &str, no_colour: bool) -> Option<bool> {
    let mut script = std::process::Command::new("script");
    script.args(["-qec", command, "/dev/null"]).current_dir(at).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    if no_colour {
        script.env("NO_COLOR", "1");
    }
    let output = script.output().ok()?;
    Some(output.stdout.windows(4).any(|bytes| bytes.starts_with(b"\x1b[3") || bytes.starts_with(b"\x1b[1m")))
}

#[cfg(target_os = "linux")]
#[test]
fn no_color_means_no_colour() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("slip.gt"), "func main()\n    print totl;\nend\n").unwrap();
    let gw = crate::GW;
    for command in [format!("{gw} run slip.gt"), format!("{gw} run --nonsense")] {
        // A machine without `script` cannot show a terminal.
        let Some(coloured) = colours(at, &command, false) else { return };
        assert!(coloured, "{command}");
        assert_eq!(colours(at, &command, true), Some(false), "{command}");
    }
}

#[test]
fn ids_survive_another_order_of_the_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("n.csv"), "source,target\n0,1\n1,2\n3,2\n0,2\n").unwrap();
    for graph in ["n.csv", "n.csv:reorder=degree", "n.csv:reorder=random"] {
        success(at, &["run", "bfs-levels", graph, "--source", "0", "--out", "level=l.csv"]);
        let mut lines: Vec<String> =
            std::fs::read_to_string(at.join("l.csv")).unwrap().lines().map(str::to_string).collect();
        lines.sort();
        assert_eq!(lines, ["0,0", "1,1", "2,1", "3,", "vertex,level"], "{graph}");
    }
}

#[test]
fn headers_and_comments_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let edges = |text: &str, options: &[&str]| {
        std::fs::write(at.join("t.csv"), text).unwrap();
        success(at, &[&["graph", "convert", "t.csv", "o.csv"][..], options].concat());
        std::fs::read_to_string(at.join("o.csv")).unwrap().lines().skip(1).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(edges("#a,b\nb,c\n", &["--no-header"]), ["\"#a\",b", "b,c"]);
    assert_eq!(edges("# made by hand\nx,y\nb,c\n", &[]), ["b,c"]);
    // A year among the names does not make the header an edge.
    assert_eq!(edges("source,target,2019\na,b,3\n", &[]), ["a,b"]);
}

#[test]
fn every_id_can_be_shown_and_every_result_has_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("w.csv"), format!("source,target\n{},b\n\"x\ny\u{1b}[2J\",b\n", "x".repeat(70_000)))
        .unwrap();
    let shown = success(at, &["run", "pagerank", "w.csv", "--top", "rank:3"]);
    assert!(shown.contains("xxx…  ") && shown.contains("x\\ny\\u{1b}[2J"), "{shown}");
    let refused = failure(at, &["graph", "convert", "w.csv", "w.gwg", "--id-map", "w.ids"], 2);
    assert!(refused.contains("one id per line"), "{refused}");
    let twice = ["run", "pagerank", "path:3", "--out", "rank=r.csv", "--out", "rounds=r.csv"];
    assert!(failure(at, &twice, 2).contains("both `rank` and `rounds`"));
}
