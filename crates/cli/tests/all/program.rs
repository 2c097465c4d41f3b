//! `gw run`, `gw compile` and `gw programs` as a person uses them.

use crate::common::{failure, gw, json, success};

#[test]
fn a_verified_run_tells_the_promised_keys() {
    let folder = tempfile::tempdir().unwrap();
    let answer = json(folder.path(), &["run", "bfs", "kron:8", "0", "--verify", "--json"]);
    assert_eq!(answer["program"], "bfs");
    assert_eq!(answer["target"], "cpu");
    assert_eq!(answer["verified"], true);
    for key in ["load_seconds", "compile_seconds", "seconds", "steps", "edges", "edges_per_second"] {
        assert!(answer[key].is_number(), "{key}: {answer}");
    }
    assert!(answer["schedule"].is_string());
    assert_eq!(answer["schedule_origin"], "program");
    assert!(answer["touched_edges"].is_null() && answer["schedule_reasons"].is_null());
}

#[test]
fn edges_per_second_are_those_of_what_was_reached_and_with_a_trace_also_those_touched() {
    let folder = tempfile::tempdir().unwrap();
    let answer = json(folder.path(), &["run", "bfs", "path:9", "0", "--trace", "--json", "--target", "reference"]);
    assert_eq!((&answer["target"], &answer["edges"]), (&"reference".into(), &16.into()));
    let rate = answer["edges_per_second"].as_f64().unwrap() * answer["seconds"].as_f64().unwrap();
    assert!((rate - 8.0).abs() < 1e-6, "an undirected edge counts once: {answer}");
    // From an isolated vertex nothing is reached, however fast.
    let nothing = json(folder.path(), &["run", "bfs", "urand:7:1", "0", "--json"]);
    let isolated = nothing["counted_edges"].as_u64().unwrap();
    assert!(isolated < nothing["edges"].as_u64().unwrap() / 2, "{nothing}");
    let all = json(folder.path(), &["run", "pagerank", "path:9", "--json"]);
    assert_eq!((&all["edges"], &all["counted_edges"]), (&16.into(), &16.into()));
    assert!(answer["touched_edges"].as_u64().is_some_and(|e| e > 0), "{answer}");
    let told = gw(folder.path(), &["run", "bfs", "path:9", "0"]);
    let line = String::from_utf8(told.stderr).unwrap();
    assert!(line.starts_with("bfs on cpu: ") && line.contains("16 edges in the graph, 8 reached, "), "{line}");
}

/// A program without labels and without a schedule.
const OWN: &str = "element V end\nelement E end\n\
    const edges : edgeset{E}(V,V) = load(argv[1]);\n\
    const hits : vector{V}(int) = 0;\n\
    func hit(src : V, dst : V)\n    hits[dst] += 1;\nend\n\
    func main()\n    edges.apply(hit);\n    print hits.sum();\nend\n";

#[test]
fn the_machine_chooses_where_nobody_does() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("own.gt"), OWN).unwrap();
    let chosen = json(at, &["run", "own.gt", "path:9", "--json"]);
    assert_eq!((&chosen["schedule_origin"], &chosen["printed"]), (&"chosen".into(), &"16\n".into()));
    assert_eq!(chosen["schedule"], "op1@pull,par=edge-aware");
    let [reason] = &chosen["schedule_reasons"].as_array().unwrap()[..] else { panic!("{chosen}") };
    assert_eq!((&reason["path"], &reason["line"]), (&"op1".into(), &9.into()));
    assert!(reason["because"].as_str().is_some_and(|b| !b.is_empty()), "{reason}");
    assert!(chosen["load_seconds"].as_f64().unwrap() > 0.0);

    let none = json(at, &["run", "own.gt", "path:9", "--json", "--target", "reference"]);
    assert_eq!((&none["schedule_origin"], &none["schedule"]), (&"none".into(), &"default".into()));
    let given = json(at, &["run", "bfs", "path:9", "0", "--json", "--schedule", "s0:s1@push"]);
    assert_eq!((&given["schedule_origin"], &given["schedule"]), (&"given".into(), &"s0:s1@push".into()));
    // The same program, another graph, another choice.
    let schedule = |graph: &str| {
        let answer = json(at, &["run", "bfs", graph, "2", "--json", "--verify", "--schedule", "auto"]);
        assert_eq!((&answer["schedule_origin"], &answer["verified"]), (&"chosen".into(), &true.into()));
        answer["schedule"].as_str().unwrap().to_string()
    };
    assert!(schedule("kron:10").contains("hybrid"));
    assert!(!schedule("road:40x40").contains("hybrid"));
}

#[test]
fn schedules_are_explained_wherever_they_come_from() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("own.gt"), OWN).unwrap();
    let explained = |args: &[&str]| {
        let output = gw(at, &[&["run"], args, &["--explain-schedule"]].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        errors
    };
    let chosen = explained(&["own.gt", "path:9"]);
    assert!(
        chosen.starts_with("schedule: chosen by the machine cpu\n  line 9, `op1` (an edge operator): pull"),
        "{chosen}"
    );
    let own = explained(&["bfs", "path:9", "0"]);
    assert!(own.starts_with("schedule: the program's own\n  line ") && own.contains("`s0:s1` (an edge"), "{own}");
    let given = explained(&["bfs", "path:9", "0", "--schedule", "s0:s1@push"]);
    assert!(given.contains("given by --schedule\n") && given.contains("(an edge operator): push\n"), "{given}");
    let everywhere = explained(&["bfs", "path:9", "0", "--schedule", "push"]);
    assert!(everywhere.contains("wherever it is possible: push\n"), "{everywhere}");
    let none = explained(&["own.gt", "path:9", "--target", "reference"]);
    assert!(none.contains("the defaults of the machine reference: this machine has no rule"), "{none}");
    let computed = OWN.replace("print hits", "edges = load(argv[atoi(argv[2])]);\n    print hits");
    std::fs::write(at.join("two.gt"), &computed).unwrap();
    let first = explained(&["two.gt", "path:9", "1"]);
    assert!(first.contains("chosen by the machine cpu"), "{first}");
    let computed = OWN.replace("load(argv[1])", "load(argv[atoi(argv[2])])");
    std::fs::write(at.join("computed.gt"), &computed).unwrap();
    let unknown = explained(&["computed.gt", "path:9", "1"]);
    assert!(unknown.contains("no graph that is known before it runs"), "{unknown}");
}

#[test]
fn the_cpu_machine_is_the_usual_one_and_right() {
    let folder = tempfile::tempdir().unwrap();
    for (program, args) in
        [("bfs", "kron:10 5"), ("pagerank", "road:30x30 20"), ("sssp-delta", "kron:9:weights=1..50 3 8")]
    {
        let mut line = vec!["--threads", "3", "run", program, "--verify", "--json"];
        line.extend(args.split(' '));
        let answer = json(folder.path(), &line);
        assert_eq!(answer["target"], "cpu");
        assert_eq!(answer["verified"], true, "{answer}");
    }
    assert!(success(folder.path(), &["compile", "bfs", "--emit", "asm"]).lines().count() > 50);
    assert!(success(folder.path(), &["compile", "cc-fast", "--emit", "clif"]).contains("atomic_cas"));
}

#[test]
fn another_schedule_gives_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    for schedule in ["s0:s1@pull", "s0:s1@push", "push"] {
        let args = ["run", "bfs-levels", "road:20x20", "3", "--schedule", schedule, "--verify", "--out", "level=l.txt"];
        success(folder.path(), &args);
        let levels = std::fs::read_to_string(folder.path().join("l.txt")).unwrap();
        assert_eq!(levels.lines().count(), 400);
        assert_eq!(levels.lines().nth(3), Some("0"));
    }
}

#[test]
fn a_program_of_ones_own_runs_and_prints() {
    let folder = tempfile::tempdir().unwrap();
    let program = "element V end\nelement E end\n\
        const edges : edgeset{E}(V,V) = load(argv[1]);\n\
        func main()\n    print edges.getVertices();\n    print 1.0 / 3.0;\nend\n";
    std::fs::write(folder.path().join("mine.gt"), program).unwrap();
    let out = success(folder.path(), &["run", "mine.gt", "path:7"]);
    assert!(out.starts_with("7\n0.333333\n"), "{out}");
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(failure(at, &["run", "bsf", "kron:8", "0"], 2).contains("bfs"));
    assert!(failure(at, &["run", "bfs"], 2).contains("usage: gw run bfs"));
    assert!(failure(at, &["run", "ppsp", "path:5", "0"], 2).contains("usage: gw run ppsp"));
    assert!(failure(at, &["run", "sssp", "kron:8", "0"], 1).contains("weights"));
    assert!(
        failure(at, &["run", "bfs", "path:5", "99"], 2)
            .contains("argument SOURCE: `99` is not a vertex: the graph has 5")
    );
    assert!(failure(at, &["run", "bfs", "path:5", "0", "--schedule", "s0:s2@pull"], 1).contains("s0:s1"));
    assert!(failure(at, &["run", "bfs", "path:5", "0", "--schedule", "s0:s1@pul"], 1).contains("pull"));
    assert!(failure(at, &["run", "missing.gt", "path:5"], 1).contains("missing.gt"));
    assert!(failure(at, &["run", "bfs", "missing.mtx", "0", "--schedule", "auto"], 1).contains("missing.mtx"));
    assert!(failure(at, &["compile", "bfs", "--schedule", "auto"], 2).contains("gw run PROGRAM GRAPH"));
    assert!(failure(at, &["run", "bfs", "path:5", "0", "--out", "nothing=f"], 2).contains("parent"));
    std::fs::write(at.join("slip.gt"), "func main()\n    var total : int = 1;\n    print totl;\nend\n").unwrap();
    let error = failure(at, &["run", "slip.gt"], 1);
    assert!(error.contains("slip.gt:3") && error.contains("total"), "{error}");
}

#[test]
fn a_program_that_never_ends_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("forever.gt"), "func main()\n    while 1\n    end\nend\n").unwrap();
    let error = failure(folder.path(), &["run", "forever.gt", "--timeout", "0.2"], 1);
    assert!(error.contains("time limit"), "{error}");
}

#[test]
fn every_stage_of_the_compiler_can_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(success(at, &["compile", "bfs", "--emit", "tokens"]).contains("frontier"));
    assert!(!success(at, &["compile", "bfs", "--emit", "ast"]).is_empty());
    let ir = success(at, &["compile", "bfs", "--emit", "graphir"]);
    assert!(ir.contains("EdgeSetIterator") && ir.contains("CompareAndSwap"), "{ir}");
    let early = success(at, &["compile", "bfs", "--emit", "graphir", "--after", "start-up"]);
    assert!(!early.contains("CompareAndSwap"), "{early}");
    assert!(failure(at, &["compile", "bfs", "--after", "nonsense"], 2).contains("atomics"));
}

#[test]
fn the_standard_programs_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let list = success(folder.path(), &["programs"]);
    for name in ["bfs", "sssp", "pagerank", "cc", "bc", "tc", "kcore", "mis", "setcover"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name} is missing:\n{list}");
    }
    assert!(json(folder.path(), &["programs", "--json"]).as_array().unwrap().len() >= 20);
    assert!(success(folder.path(), &["programs", "bfs", "--source"]).contains("func main()"));
}

#[test]
fn kernels_for_a_gpu_can_be_read_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let given = success(at, &["compile", "bfs", "--emit", "cuda", "--schedule", "s0@loop=fused;s0:s1@push,lb=twc"]);
    assert!(given.starts_with("// bfs under on=gpu;s0@loop=fused;s0:s1@push,lb=twc\n"), "{given}");
    assert!(given.contains("__global__") && given.contains("balance_twc.cuh") && given.contains("fn_visit"), "{given}");
    // The machine's choice for a graph; a small one is searched in one direction.
    let chosen = success(at, &["compile", "bfs", "--emit", "cuda", "--graph", "kron:8"]);
    assert!(chosen.lines().next().is_some_and(|line| line.contains("s0:s1@push,lb=cm")), "{chosen}");
    // Its own schedule is for CPUs.
    let output = gw(at, &["compile", "pagerank", "--emit", "cuda"]);
    let (told, listing) = (String::from_utf8(output.stderr).unwrap(), String::from_utf8(output.stdout).unwrap());
    assert!(told.contains("par=edge-aware") && told.contains("defaults"), "{told}");
    assert!(output.status.success() && listing.starts_with("// pagerank under on=gpu\n"), "{listing}");

    let refused = failure(at, &["compile", "bfs", "--emit", "cuda", "--schedule", "s0:s1@par=dynamic"], 1);
    assert!(refused.contains("par=dynamic"), "{refused}");
    assert!(failure(at, &["compile", "bfs", "--emit", "ast", "--graph", "path:9"], 2).contains("--graph"));
    let both = ["compile", "bfs", "--emit", "cuda", "--graph", "path:9", "--schedule", "s0:s1@push"];
    assert!(failure(at, &both, 2).contains("--schedule"));
    assert!(success(at, &["compile", "bfs", "--emit", "asm", "--graph", "path:9"]).contains("; "));
}

#[test]
fn results_are_told_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // A complete graph of 6 vertices has 20 triangles.
    assert_eq!(success(at, &["run", "tc", "complete:6"]), "triangles = 20\n");
    let path = success(at, &["run", "ppsp", "path:5:weights=3..3", "0", "4", "2"]);
    assert!(path.starts_with("distance = 12\ndist: 5 entries from 0 to 12, first 0 3 6 9 12\n"), "{path}");
    let levels = success(at, &["run", "bfs-levels", "path:9", "0"]);
    assert_eq!(levels, "level: 9 entries from 0 to 8, first 0 1 2 3 4 ...\ndepth = 8\n");
    assert!(success(at, &["run", "eigenvector", "complete:6", "100"]).contains("\nlambda = 5"));
    assert!(success(at, &["run", "cf", "complete:6:weights=1..5", "3"]).contains("\nrmse = 0."));
    assert!(success(at, &["run", "setcover", "star:9"]).starts_with("chosen: 9 entries, 2 of them true, first "));

    let answer = json(at, &["run", "tc", "complete:6", "--json"]);
    assert_eq!(answer["results"]["triangles"], 20);
    let answer = json(at, &["run", "bfs-levels", "path:9", "0", "--json"]);
    assert_eq!(answer["results"]["depth"], 8);
    assert_eq!(answer["results"]["level"], serde_json::json!({ "length": 9, "min": 0, "max": 8 }));
}

#[test]
fn results_go_where_they_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert_eq!(success(at, &["run", "tc", "complete:6", "--out", "triangles=t.txt"]), "triangles = 20\n");
    assert_eq!(std::fs::read_to_string(at.join("t.txt")).unwrap(), "20\n");
    // Standard output then holds nothing else.
    for place in ["-", "/dev/stdout"] {
        assert_eq!(success(at, &["run", "tc", "complete:6", "--out", &format!("triangles={place}")]), "20\n");
        assert_eq!(success(at, &["run", "bfs", "path:4", "1", "--out", &format!("parent={place}")]), "1\n1\n1\n2\n");
    }
    std::fs::write(at.join("own.gt"), OWN).unwrap();
    let output = gw(at, &["run", "own.gt", "path:3", "--out", "hits=-"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1\n2\n1\n");
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("4\n"), "what the program prints goes elsewhere");
    // Nothing runs when nothing could be written.
    let unknown = failure(at, &["run", "bfs", "missing.mtx", "0", "--out", "nothing=f"], 1);
    assert!(unknown.contains("missing.mtx"), "{unknown}");
    assert!(failure(at, &["run", "tc", "path:3", "--out", "nothing=f"], 2).contains("it has triangles"));
    assert!(failure(at, &["run", "tc", "path:3", "--out", "triangles"], 2).contains("RESULT=FILE"));
    assert!(failure(at, &["run", "tc", "path:3", "--json", "--out", "triangles=-"], 2).contains("--json"));
}

#[test]
fn a_program_of_ones_own_tells_its_globals_apart_from_its_prints() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let program =
        OWN.replace("func hit", "const total : uint_64 = 0;\nfunc hit").replace("print", "total = hits.sum();\n print");
    std::fs::write(at.join("own.gt"), program).unwrap();
    let output = gw(at, &["run", "own.gt", "path:3", "surplus"]);
    let (out, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(out, "4\n", "standard output is the program's");
    assert!(
        errors.contains("total = 4\n") && errors.contains("hits: 3 entries from 1 to 2, first 1 2 1\n"),
        "{errors}"
    );
    assert!(errors.contains("warning: the program never reads argv[2], `surplus`"), "{errors}");
    assert_eq!(json(at, &["run", "own.gt", "path:3", "--json"])["results"]["total"], 4);
}

#[test]
fn arguments_of_standard_programs_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(failure(at, &["run", "bfs", "path:5", "abc"], 2).contains("argument SOURCE: `abc`"));
    assert!(failure(at, &["run", "bfs", "path:5", "-1"], 2).contains("argument SOURCE: `-1`"));
    assert!(failure(at, &["run", "bfs", "path:5", "0", "7"], 2).contains("surplus argument `7`"));
    assert!(failure(at, &["run", "pagerank", "path:5", "999999999999"], 2).contains("argument ROUNDS"));
    assert!(failure(at, &["run", "sssp-delta", "path:5:weights=1..2", "0", "0"], 2).contains("argument DELTA"));
    assert!(failure(at, &["run", "ppsp", "path:5:weights=1..2", "0", "5", "1"], 2).contains("argument TARGET: `5`"));
    let stranded = gw(at, &["run", "bfs", "path:5:directed", "4"]);
    assert!(String::from_utf8(stranded.stderr).unwrap().contains("warning: no edge leaves the vertex 4"));
}

#[test]
fn directed_graphs_are_taken_as_undirected_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("two.el"), "0 1\n2 1\n3 4\n4 5\n5 3\n").unwrap();
    for (program, more) in [("cc", ""), ("cc-fast", ""), ("kcore", ""), ("mis", ""), ("coloring", ""), ("tc", "")] {
        let output = gw(
            at,
            &["run", program, "two.el", more, "--verify"].into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>(),
        );
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && errors.contains("result verified"), "{program}: {errors}");
        assert!(
            errors.contains(&format!("gw: the graph is directed: taken as undirected for {program}\n")),
            "{errors}"
        );
    }
    assert_eq!(success(at, &["run", "cc", "two.el", "--out", "label=-"]), "0\n0\n0\n3\n3\n3\n");
    assert_eq!(success(at, &["run", "tc", "two.el"]), "triangles = 1\n");
    std::fs::write(at.join("asym.wel"), "0 1 1\n1 0 2\n").unwrap();
    let output = gw(at, &["run", "cc", "asym.wel", "--verify"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !errors.contains("directed"), "{errors}");
}

#[test]
fn there_is_no_result_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("cycle.wel"), "0 1 5\n1 2 -3\n2 1 1\n2 3 4\n").unwrap();
    for verify in [&["--verify"][..], &[]] {
        let error = failure(at, &[&["run", "sssp", "cycle.wel", "0"], verify].concat(), 1);
        assert!(error.contains("has the length -2"), "{error}");
    }
    std::fs::write(at.join("long.wel"), "0 1 2000000000\n1 2 2000000000\n").unwrap();
    let error = failure(at, &["run", "sssp", "long.wel", "0", "--out", "dist=d.txt"], 1);
    assert!(error.contains("does not fit the type int") && error.contains("sssp-real"), "{error}");
    assert!(!at.join("d.txt").exists());
    assert_eq!(success(at, &["run", "sssp-real", "long.wel", "0", "--out", "dist=-"]), "0\n2000000000\n4000000000\n");
    assert!(failure(at, &["run", "sssp-delta", "long.wel", "0", "1000"], 1).contains("does not fit the type int"));
    std::fs::write(at.join("real.wel"), "0 1 0.5\n1 2 0.25\n0 2 1\n").unwrap();
    let output = gw(at, &["run", "sssp", "real.wel", "0", "--verify", "--out", "dist=-"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "0\n0.5\n0.75\n", "{errors}");
    for more in [&[][..], &["0.3"]] {
        let args = [&["run", "sssp-delta", "real.wel", "0"][..], more, &["--verify", "--out", "dist=-"]].concat();
        assert_eq!(success(at, &args), "0\n0.5\n0.75\n");
    }
    assert!(success(at, &["run", "ppsp", "real.wel", "0", "2"]).starts_with("distance = 0.75\n"));
}

#[test]
fn pagerank_needs_no_rounds_and_says_when_it_is_rough() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let fine = json(at, &["run", "pagerank", "kron:8", "--verify", "--json"]);
    assert_eq!((&fine["verified"], &fine["arguments"][1]), (&true.into(), &"100".into()));
    assert!(fine["results"]["change"].as_f64().unwrap() < 1e-6 && fine["remark"].is_null(), "{fine}");
    let rough = json(at, &["run", "pagerank", "kron:8", "1", "--verify", "--json"]);
    assert!(rough["remark"].as_str().is_some_and(|text| text.starts_with("not converged: 1 rounds")), "{rough}");
    let exactly = json(at, &["run", "pagerank", "kron:8", "7", "0", "--verify", "--json"]);
    assert_eq!((&exactly["results"]["rounds"], &exactly["verified"]), (&7.into(), &true.into()));
    assert!(exactly["remark"].is_null(), "{exactly}");
}

/// A setting that does nothing on this computer is dropped with a warning; it cannot make a schedule illegal.
#[test]
fn numa_does_nothing_on_one_node() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let nodes = std::fs::read_dir("/sys/devices/system/node").map_or(1, |entries| {
        let is_node = |name: &str| name.strip_prefix("node").is_some_and(|rest| rest.parse::<u32>().is_ok());
        entries.flatten().filter(|entry| is_node(&entry.file_name().to_string_lossy())).count()
    });
    if nodes > 1 {
        return;
    }
    let file = "schedule:\nprogram->configApplyDirection(\"s0:s1\", \"DensePull\");\n\
                program->configApplyNumSSG(\"s0:s1\", \"fixed-vertex-count\", 4, \"DensePull\");\n\
                program->configApplyNUMA(\"s0:s1\", \"static-parallel\", \"DensePull\");\n";
    std::fs::write(at.join("numa.sched"), file).unwrap();
    let bfs = ["bfs", "kron:8", "1"];
    let sssp = ["sssp", "kron:8:weights=1..5", "1"];
    for (run, schedule) in [
        (bfs, "s0:s1@pull,segments=4,numa=static-parallel"),
        (bfs, "s0:s1@pull,segments=4,numa=dynamic-parallel"),
        (bfs, "s0:s1@pull,numa=serial"),
        (bfs, "numa.sched"),
        (sssp, "pull,segments=4,numa=static-parallel"),
    ] {
        let output = gw(at, &[&["run"], &run[..], &["--verify", "--schedule", schedule]].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && errors.contains("result verified"), "{schedule}: {errors}");
        assert!(errors.contains("has no effect: this computer has one NUMA node"), "{schedule}: {errors}");
    }
    let answer = json(at, &["run", "bfs", "kron:8", "1", "--json", "--schedule", "s0:s1@pull,numa=serial"]);
    assert_eq!(answer["schedule"], "s0:s1@pull");
}

#[test]
fn messages_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for vertex in ["2147483647", "4294967296", "99999999999999999999999"] {
        let error = failure(at, &["run", "bfs", "path:5", vertex], 2);
        assert!(error.contains("is not a vertex: the graph has 5, numbered from 0 to 4"), "{error}");
    }
    std::fs::write(at.join("f53.wel"), "0 1 9007199254740993.0\n1 2 3\n").unwrap();
    for (program, more) in [("sssp", &["0"][..]), ("sssp-delta", &["0", "2"]), ("sssp-real", &["0"]), ("spmv", &[])] {
        let error = failure(at, &[&["run", program, "f53.wel"], more].concat(), 1);
        assert!(error.contains("the weight 9007199254740993.0 in line 1 is kept as 9007199254740992"), "{error}");
        assert!(error.contains("change the unit of the weights") && !error.contains("in the program"), "{error}");
    }
    // Who asks for a type takes what it does to weights.
    success(at, &["run", "sssp", "f53.wel:as=double", "0"]);
    // Weights that nobody asks for do not matter.
    success(at, &["run", "bfs", "f53.wel", "0"]);

    let vertices = OWN
        .replace("func hit(src : V, dst : V)\n    hits[dst]", "func hit(v : V)\n    hits[v]")
        .replace("const hits", "const vertices : vertexset{V} = edges.getVertices();\nconst hits")
        .replace("edges.apply(hit)", "vertices.apply(hit)");
    std::fs::write(at.join("vertices.gt"), vertices).unwrap();
    let error = failure(at, &["run", "vertices.gt", "path:5", "--schedule", "push"], 1);
    assert!(error.contains("fits no place of the program: none of its settings"), "{error}");

    for limit in ["1e300", "inf", "1e9"] {
        success(at, &["run", "bfs", "path:5", "0", "--timeout", limit]);
    }
    for limit in ["0", "-1", "nan"] {
        assert!(failure(at, &["run", "bfs", "path:5", "0", &format!("--timeout={limit}")], 2).contains("positive"));
    }
}

#[test]
fn a_run_without_a_result_is_not_called_verified() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("cycle.wel"), "0 1 5\n1 2 -3\n2 1 1\n2 3 4\n").unwrap();
    let output = gw(at, &["run", "sssp", "cycle.wel", "0", "--verify"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && errors.contains("has the length -2"), "{errors}");
    assert!(!errors.contains("verified") && output.stdout.is_empty(), "{errors}");
    let output = gw(at, &["run", "sssp", "cycle.wel", "0", "--verify", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["verified"].is_null() && answer["problem"].is_string(), "{answer}");
}

#[test]
fn other_numbers_than_those_of_the_file_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let notes = |args: &[&str]| {
        let output = gw(at, args);
        let errors = String::from_utf8(output.stderr).unwrap();
        errors.lines().filter(|line| line.starts_with("note: ")).map(str::to_string).collect::<Vec<_>>()
    };
    std::fs::write(at.join("s.txt"), "# c\n100 7\n7 55\n55 100\n3 7\n").unwrap();
    std::fs::write(at.join("own.gt"), OWN).unwrap();
    let sparse = "note: s.txt: 4 ids between 3 and 100 were renumbered 0 to 3; \
                  `--top` and tables of `--out` show the ids, the program has the numbers";
    assert_eq!(notes(&["run", "own.gt", "s.txt"]), [sparse]);
    // Standard programs take and show ids.
    for args in [&["bfs", "s.txt", "3"][..], &["bfs", "s.txt", "100"], &["cc", "s.txt", "--verify"]] {
        success(at, &[&["run"], args].concat());
        assert!(notes(&[&["run"], args].concat()).is_empty(), "{args:?}");
    }
    assert!(failure(at, &["run", "bfs", "s.txt", "1"], 2).contains("`1` is not the id of a vertex: the graph has 4"));
    success(at, &["graph", "convert", "s.txt", "s.gwg", "--id-map", "ids"]);
    assert_eq!(std::fs::read_to_string(at.join("ids")).unwrap(), "3\n7\n55\n100\n");
    assert!(notes(&["run", "bfs", "s.gwg", "3"]).is_empty());
    success(at, &["run", "sssp", "s.txt:weights=1..5", "--source", "55", "--verify"]);
    std::fs::write(at.join("d.txt"), "0 2\n2 1\n").unwrap();
    assert!(notes(&["run", "bfs", "d.txt", "0"]).is_empty());
    std::fs::write(at.join("t.gr"), "p sp 3 3\na 1 2 5\na 2 3 5\na 3 1 5\n").unwrap();
    let dimacs = "note: t.gr: ids are kept and begin at 1: vertex 0 exists, without edges";
    assert_eq!(notes(&["run", "pagerank", "t.gr"]), [dimacs]);
}

#[test]
fn errors_in_excess_are_not_dropped_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let wrong = |count: usize| {
        let lines: String = (0..count).map(|i| format!("    print missing{i};\n")).collect();
        std::fs::write(at.join("wrong.gt"), format!("func main()\n{lines}end\n")).unwrap();
        failure(at, &["run", "wrong.gt"], 1)
    };
    assert!(wrong(60).ends_with("gw: no more than 50 errors are shown; there may be more\n"));
    assert!(!wrong(10).contains("there may be more"));
}
