//! The lab file and its runner, whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gw_cpu::CpuVm;
use gw_exec::{GraphVm, ReferenceVm};
use gw_graph::{GraphSpec, progress::Silent};
use gw_lab::{
    Collected, Collection, Environment, Field, Lab, LabError, ModelRecord, NewGraph, Sheet, TableQuery, VariantPlan,
    build_commit, collect, read_implementation, revalidate,
};
use gw_schedule::{Feature, StepSizes};
use rusqlite::Connection;

const GRAPHS: [&str; 3] = ["path:6", "path:9:directed", "kron:6:seed=3"];

struct Bench {
    folder: tempfile::TempDir,
    machine: ReferenceVm,
    counting: CpuVm,
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: tempfile::tempdir().unwrap(), machine: ReferenceVm::new(), counting: CpuVm::new(1) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A lab with two schedules of BFS on these graphs, from two roots each.
    fn lab(&self, name: &str, graphs: &[&str]) -> Lab {
        let mut lab = Lab::create(self.path(name)).unwrap();
        let graphs: Vec<NewGraph> = graphs.iter().map(|text| NewGraph::read(text).unwrap()).collect();
        lab.add_graphs("made", &graphs).unwrap();
        lab.add_variants("bfs", VariantPlan::Roots { count: 2, seed: 5 }).unwrap();
        self.add(&mut lab, &["push=s0:s1@push", "pull=s0:s1@pull"]);
        self.configure(&mut lab, "bfs", 3);
        lab
    }

    fn add(&self, lab: &mut Lab, schedules: &[&str]) {
        let read = |text: &&str| read_implementation(text, "bfs-levels", self.machine.name()).unwrap();
        lab.add_implementations("bfs", &schedules.iter().map(read).collect::<Vec<_>>()).unwrap();
    }

    fn configure(&self, lab: &mut Lab, algorithm: &str, repeats: u32) {
        let environment = Environment::of(&self.machine, 1);
        let platform = lab.add_platform(&environment, Some("here")).unwrap();
        lab.add_run_config(algorithm, &platform, "made", &build_commit(), repeats).unwrap();
    }

    fn settings(&self) -> Collection<'_> {
        Collection {
            machine: &self.machine,
            threads: 1,
            property_machine: &self.counting,
            time_limit: None,
            stop_after: None,
            retries: 1,
            graph_folder: None,
            energy: None,
            cancel: Arc::new(AtomicBool::new(false)),
        }
    }

    fn collect(&self, lab: &mut Lab) -> Collected {
        collect(lab, &self.settings(), &mut ()).unwrap()
    }
}

fn query() -> TableQuery {
    TableQuery { algorithm: "bfs".to_string(), ..TableQuery::default() }
}

fn column(sheet: &Sheet, name: &str) -> Vec<Field> {
    let at = sheet.columns.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}: {sheet:?}"));
    sheet.rows.iter().map(|row| row[at].clone()).collect()
}

fn count(lab: &Lab, sql: &str) -> i64 {
    match lab.query(sql, None).unwrap().rows[0][0] {
        Field::Integer(count) => count,
        ref other => panic!("{sql}: {other:?}"),
    }
}

/// Frontier sizes and their out-edges, by a search of its own.
fn frontiers(spec: &str, root: u32) -> Vec<(u64, u64)> {
    let graph = GraphSpec::parse(spec).unwrap().load(&Silent).unwrap().graph;
    let mut seen = vec![false; graph.vertices()];
    let mut frontier = vec![root];
    seen[root as usize] = true;
    let mut found = Vec::new();
    while !frontier.is_empty() {
        let edges = frontier.iter().map(|&v| graph.out().degree(v) as u64).sum();
        found.push((frontier.len() as u64, edges));
        let mut next = Vec::new();
        for v in frontier {
            for &n in graph.out().neighbours(v) {
                if !std::mem::replace(&mut seen[n as usize], true) {
                    next.push(n);
                }
            }
        }
        frontier = next;
    }
    found
}

#[test]
fn what_is_missing_is_measured_and_read_back() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &GRAPHS);
    let collected = bench.collect(&mut lab);
    assert_eq!((collected.runs, collected.properties, collected.left), (12, 6, 0));
    assert_eq!((collected.not_validated, collected.problems.len()), (0, 0));
    assert_eq!(lab.check_integrity().unwrap(), Vec::<String>::new());

    let table = lab.step_table(&TableQuery { complete: true, ..query() }).unwrap();
    assert_eq!((table.program.as_str(), table.platform.as_str()), ("bfs", "here"));
    assert_eq!(table.implementations.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["push", "pull"]);
    assert!(table.implementations.iter().all(|i| i.is_core && i.target == "reference"));
    assert_eq!(table.graphs.iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), GRAPHS);
    assert_eq!((table.graphs[0].vertices, table.graphs[0].edges, table.graphs[0].class.as_str()), (6, 10, "path-like"));
    assert_eq!(table.variants.len(), 6);
    for variant in &table.variants {
        let graph = &table.graphs[variant.graph];
        let root: u32 = variant.config.strip_prefix("root ").unwrap().parse().unwrap();
        let expected = frontiers(&graph.name, root);
        assert_eq!(variant.steps.len(), expected.len(), "{} from {root}", graph.name);
        let mut sizes = StepSizes::first(graph.vertices, graph.edges);
        for (step, (frontier, frontier_edges)) in variant.steps.iter().zip(expected) {
            (sizes.frontier, sizes.frontier_edges) = (frontier, frontier_edges);
            for feature in Feature::ALL.iter().filter(|feature| !feature.is_of_degrees()) {
                assert_eq!(Some(step.features[feature.index()]), sizes.feature(*feature), "{feature:?}");
            }
            sizes = sizes.next();
        }
        for implementation in 0..2 {
            let sum: f64 = variant.steps.iter().map(|step| step.seconds[implementation]).sum();
            let total = variant.totals[implementation];
            assert!(total > 0.0 && (sum - total).abs() <= 1e-9 + total * 1e-9, "{sum} {total}");
        }
    }
    let mean = Feature::OutDegreeMean.index();
    let directed = table.variants.iter().find(|variant| variant.graph == 1).unwrap();
    assert_eq!(directed.steps[0].features[mean], 8.0 / 9.0);

    // Running again finds nothing to do; a new schedule brings only its own runs.
    assert_eq!(bench.collect(&mut lab).runs, 0);
    bench.add(&mut lab, &["s0:s1@hybrid"]);
    let more = bench.collect(&mut lab);
    assert_eq!((more.runs, more.properties), (6, 0));
    let table = lab.step_table(&query()).unwrap();
    assert_eq!(table.implementations.iter().map(|i| i.is_core).collect::<Vec<_>>(), [true, true, false]);
    let steps_of_hybrid = table.variants.iter().flat_map(|variant| &variant.steps).map(|step| step.seconds[2]);
    assert!(steps_of_hybrid.clone().count() > 6 && steps_of_hybrid.clone().all(|seconds| seconds > 0.0));
    assert_eq!(count(&lab, "SELECT COUNT(*) FROM Run WHERE samples = 3 AND environmentId IS NOT NULL"), 18);
}

#[test]
fn rounds_and_tolerance() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &["kron:6:seed=3"]);
    lab.add_variants("pagerank", VariantPlan::Rounds(4)).unwrap();
    let push = read_implementation("push=s0:s1@push", "pagerank", "reference").unwrap();
    let pull = read_implementation("pull=s0:s1@pull", "pagerank", "reference").unwrap();
    lab.add_implementations("pagerank", &[push, pull]).unwrap();
    bench.configure(&mut lab, "pagerank", 2);
    let collected = bench.collect(&mut lab);
    assert_eq!((collected.runs, collected.not_validated, collected.problems.len()), (6, 0, 0));
    let table = lab.step_table(&TableQuery { algorithm: "pagerank".into(), ..query() }).unwrap();
    assert_eq!((table.variants.len(), table.variants[0].config.as_str()), (1, "4 rounds"));
    assert_eq!(table.variants[0].steps.len(), 4);
    let frontier = Feature::FrontierShare.index();
    assert!(table.variants[0].steps.iter().all(|step| step.features[frontier] == 1.0));

    // A run that nobody found right is looked at again; so is one whose reference is another result.
    drop(lab);
    let file = Connection::open(bench.path("a.lab")).unwrap();
    file.execute("UPDATE Run SET validated = 0", []).unwrap();
    file.execute("UPDATE Variant SET result = x'77'", []).unwrap();
    drop(file);
    let mut lab = Lab::open(bench.path("a.lab")).unwrap();
    assert!(lab.step_table(&query()).unwrap().variants.is_empty(), "only validated runs count");
    let looked = revalidate(&mut lab, &bench.settings()).unwrap();
    assert_eq!((looked.right, looked.wrong), (6, Vec::new()));
    assert_eq!(lab.step_table(&query()).unwrap().variants.len(), 2);
}

#[test]
fn failures_are_counted_and_told() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &["path:6"]);
    let gone = bench.path("gone.el");
    std::fs::write(&gone, "0 1\n").unwrap();
    let graph = NewGraph::read(gone.to_str().unwrap()).unwrap();
    assert_eq!(graph.name, "gone");
    lab.add_graphs("made", &[graph]).unwrap();
    std::fs::remove_file(&gone).unwrap();
    // A schedule for labels that the program does not have, as another version of the program might.
    let mut broken = read_implementation("broken=s0:s1@push", "bfs-levels", "reference").unwrap();
    broken.schedule = "s0:s8@push".parse().unwrap();
    lab.add_implementations("bfs", &[broken]).unwrap();
    let collected = bench.collect(&mut lab);
    assert_eq!(collected.runs, 4, "what can be measured is");
    assert_eq!(collected.problems.len(), 4, "{:?}", collected.problems);
    for problem in &collected.problems {
        assert_eq!(problem.times, 2, "one try and one more: {problem:?}");
        match problem.implementation.as_deref() {
            Some("broken") => assert!(problem.graph == "path:6" && problem.message.contains("s0:s8"), "{problem:?}"),
            None => assert!(problem.graph == "gone" && problem.message.contains("gone.el"), "{problem:?}"),
            other => panic!("{other:?}"),
        }
    }
    // They are left alone from now on, but not forgotten.
    let later = bench.collect(&mut lab);
    assert_eq!((later.runs, later.problems.len(), later.left), (0, 4, 0));
    assert!(later.problems.iter().all(|problem| problem.times == 2));
    // With the file back, a second chance succeeds; in another folder it is found by its name.
    let elsewhere = bench.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("gone.el"), "0 1\n").unwrap();
    assert_eq!(lab.forget_failures().unwrap(), 4);
    let settings = Collection { graph_folder: Some(elsewhere.clone()), ..bench.settings() };
    assert_eq!(collect(&mut lab, &settings, &mut ()).unwrap().runs, 4);
    // Another graph under the same name is not mixed in.
    std::fs::write(elsewhere.join("gone.el"), "0 1\n1 2\n").unwrap();
    bench.add(&mut lab, &["later=s0:s1@pull,frontier=bitmap"]);
    let collected = collect(&mut lab, &settings, &mut ()).unwrap();
    let other = collected.problems.iter().filter(|problem| problem.message.contains("not the graph")).count();
    assert_eq!(other, 2, "{:?}", collected.problems);
}

#[test]
fn time_is_limited() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &GRAPHS);
    let settings = Collection { stop_after: Some(std::time::Duration::ZERO), ..bench.settings() };
    let collected = collect(&mut lab, &settings, &mut ()).unwrap();
    assert_eq!((collected.runs, collected.left, collected.interrupted), (0, 12, false));
    let settings = Collection { cancel: Arc::new(AtomicBool::new(true)), ..bench.settings() };
    assert!(collect(&mut lab, &settings, &mut ()).unwrap().interrupted);
    let settings = Collection { time_limit: Some(std::time::Duration::from_nanos(1)), ..bench.settings() };
    let collected = collect(&mut lab, &settings, &mut ()).unwrap();
    assert_eq!(collected.runs, 0);
    assert!(
        collected.problems.iter().all(|problem| problem.message.contains("time limit")),
        "{:?}",
        collected.problems
    );
    lab.forget_failures().unwrap();
    assert_eq!(bench.collect(&mut lab).runs, 12);
}

#[test]
fn questions_about_the_past() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &["path:6"]);
    bench.collect(&mut lab);
    let Field::Text(last) = lab.query("SELECT MAX(timestamp) FROM Run", None).unwrap().rows[0][0].clone() else {
        panic!("no run")
    };
    let before = lab.step_table(&query()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));
    lab.add_graphs("made", &[NewGraph::read("star:5").unwrap()]).unwrap();
    bench.add(&mut lab, &["late=s0:s1@pull,frontier=bitmap"]);
    lab.store_model(&model("late", &before)).unwrap();
    assert_eq!(bench.collect(&mut lab).runs, 2 + 6);
    let now = lab.step_table(&query()).unwrap();
    assert_eq!((now.graphs.len(), now.variants.len(), now.implementations.len()), (2, 4, 3));
    let then = lab.step_table(&TableQuery { as_of: Some(last.clone()), ..query() }).unwrap();
    assert_eq!(then.implementations, before.implementations);
    assert_eq!(then.variants, before.variants);
    let rows = |what: &str, as_of: Option<&str>| lab.list(what, as_of).unwrap().rows.len();
    assert_eq!((rows("graphs", None), rows("graphs", Some(&last))), (2, 1));
    assert_eq!((rows("runs", None), rows("runs", Some(&last))), (12, 4));
    assert_eq!((rows("implementations", None), rows("implementations", Some(&last))), (3, 2));
    assert_eq!((rows("models", None), rows("models", Some(&last))), (1, 0));
    assert_eq!(lab.models(Some(&last)).unwrap(), Vec::new());
    let sql = "SELECT name FROM Graph WHERE timestamp <= :as_of";
    assert_eq!(lab.query(sql, Some(&last)).unwrap().rows.len(), 1);
    assert!(lab.query("SELECT name FROM Graph", Some(&last)).unwrap_err().to_string().contains(":as_of"));
    assert!(lab.list("graphs", Some("tuesday")).unwrap_err().to_string().contains("UTC"));
    assert!(lab.step_table(&TableQuery { as_of: Some("2020-01-01".into()), ..query() }).is_err());
    for entity in gw_lab::entities() {
        lab.list(entity.name, Some(&last)).unwrap_or_else(|error| panic!("{}: {error}", entity.name));
    }
}

fn model(name: &str, table: &gw_lab::StepTable) -> ModelRecord {
    ModelRecord {
        name: name.to_string(),
        algorithm: "bfs".to_string(),
        platform: "here".to_string(),
        commit: build_commit(),
        description: Some("for a test".to_string()),
        file: "{\"tree\": []}".to_string(),
        seed: u64::MAX - 3,
        train_graphs: 0.5,
        train_variants: 1.0,
        train_steps: 0.25,
        skip_incomplete: true,
        datasets: vec!["made".to_string()],
        features: vec![(Feature::Frontier, 0.75), (Feature::DegreeMean, 0.25)],
        unknown: vec![(table.implementations.iter().map(|i| i.id).collect(), 3)],
        created: String::new(),
    }
}

#[test]
fn models_come_back_as_they_were() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &["path:6"]);
    bench.collect(&mut lab);
    let given = model("first", &lab.step_table(&query()).unwrap());
    lab.store_model(&given).unwrap();
    let found = lab.model("first").unwrap();
    assert!(found.created.ends_with('Z'));
    assert_eq!(ModelRecord { created: String::new(), ..found.clone() }, given);
    assert_eq!(lab.models(None).unwrap(), [found]);
    assert!(lab.store_model(&given).unwrap_err().to_string().contains("another name"));
    assert!(lab.model("frist").unwrap_err().to_string().contains("`first`"));
    let lost = ModelRecord { name: "second".into(), datasets: vec!["gone".into()], ..given };
    assert!(lab.store_model(&lost).is_err());
    assert_eq!(lab.models(None).unwrap().len(), 1, "nothing is half-written");
    assert!(lab.remove_model("first").unwrap() && !lab.remove_model("first").unwrap());
    assert_eq!(lab.check_integrity().unwrap(), Vec::<String>::new());
    assert_eq!(count(&lab, "SELECT COUNT(*) FROM UnknownPredictionSet"), 0);
}

#[test]
fn a_model_is_measured_like_a_schedule() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &["kron:6:seed=3"]);
    bench.collect(&mut lab);
    let file = r#"{"name": "chooser", "program": "bfs-levels", "target": "reference", "label": "s0:s1",
        "candidates": [{"name": "push", "schedule": "s0:s1@push"}, {"name": "pull", "schedule": "s0:s1@pull"}],
        "tree": "(frontier-share<=0.1?0:1)"}"#;
    let record = ModelRecord { file: file.to_string(), ..model("chooser", &lab.step_table(&query()).unwrap()) };
    lab.store_model(&record).unwrap();
    lab.store_model(&ModelRecord { name: "empty".into(), ..record.clone() }).unwrap();
    assert!(lab.add_model_implementation("pagerank", "chooser", "pagerank", "reference").is_err());
    assert_eq!(lab.add_model_implementation("bfs", "chooser", "bfs-levels", "reference").unwrap().new, 1);
    assert_eq!(lab.add_model_implementation("bfs", "chooser", "bfs-levels", "reference").unwrap().known, 1);
    let collected = bench.collect(&mut lab);
    assert_eq!((collected.runs, collected.not_validated), (2, 0), "{:?}", collected.problems);
    let table = lab.step_table(&query()).unwrap();
    let derived = &table.implementations[2];
    assert_eq!((derived.name.as_str(), derived.is_core), ("chooser", false));
    assert!(table.variants.iter().flat_map(|variant| &variant.steps).all(|step| step.seconds[2] > 0.0));
}

fn archived(path: &Path) {
    let file = Connection::open(path).unwrap();
    file.execute_batch(include_str!("../archive/lab-1.sql")).unwrap();
}

#[test]
fn old_files_are_brought_to_the_present() {
    let bench = Bench::new();
    let path = bench.path("old.lab");
    archived(&path);
    let lab = Lab::open(&path).unwrap();
    assert_eq!(lab.check_integrity().unwrap(), Vec::<String>::new());
    let runs = lab.list("runs", None).unwrap();
    assert_eq!(column(&runs, "samples"), [Field::Integer(7)], "version 1 kept them with the run configuration");
    let table = lab.step_table(&query()).unwrap();
    let variant = &table.variants[0];
    assert_eq!((variant.config.as_str(), &variant.totals[..]), ("root 0", &[3.0][..]));
    assert_eq!(variant.steps.iter().map(|step| step.seconds[0]).collect::<Vec<_>>(), [1.0, 2.0]);
    assert_eq!(variant.steps[1].features[Feature::Discovered.index()], 1.0);
    // An old file has the same tables as a new one.
    let tables = "SELECT m.name, i.name, i.type FROM sqlite_schema m JOIN pragma_table_info(m.name) i ORDER BY 1, 2";
    let new = Lab::create(bench.path("new.lab")).unwrap();
    assert_eq!(lab.query(tables, None).unwrap(), new.query(tables, None).unwrap());
    drop(lab);
    assert_eq!(Lab::open(&path).unwrap().list("runs", None).unwrap(), runs);
}

#[test]
fn other_files_are_refused() {
    let bench = Bench::new();
    let path = bench.path("newer.lab");
    drop(Lab::create(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = Lab::open(&path).unwrap_err();
    assert!(matches!(error, LabError::NewerLab { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("newer"), "{error}");
    std::fs::write(bench.path("text.lab"), "these are words, not a database, and there are enough of them to tell")
        .unwrap();
    assert!(matches!(Lab::open(bench.path("text.lab")), Err(LabError::NotALab { .. })));
    Connection::open(bench.path("foreign.lab")).unwrap().execute_batch("CREATE TABLE t(x)").unwrap();
    assert!(matches!(Lab::open(bench.path("foreign.lab")), Err(LabError::NotALab { .. })));
    assert!(matches!(Lab::open(bench.path("gone.lab")), Err(LabError::NoLab { .. })));
    let lab = Lab::open_read_only(bench.path("newer.lab"));
    assert!(lab.is_err());
    drop(Lab::create(bench.path("fine.lab")).unwrap());
    let lab = Lab::open_read_only(bench.path("fine.lab")).unwrap();
    assert!(lab.query("DELETE FROM Graph", None).unwrap_err().to_string().contains("only look"));
    assert!(lab.query("SELECT nothing FROM Graph", None).unwrap_err().to_string().contains("nothing"));
    assert!(lab.list("graph", None).unwrap_err().to_string().contains("did you mean `graphs`"));
}

#[test]
fn labs_of_two_machines_become_one() {
    let bench = Bench::new();
    let mut ours = bench.lab("a.lab", &GRAPHS[..2]);
    bench.collect(&mut ours);
    let mut theirs = bench.lab("b.lab", &GRAPHS[1..]);
    bench.add(&mut theirs, &["more=s0:s1@pull,frontier=bitmap"]);
    bench.collect(&mut theirs);
    let table = theirs.step_table(&query()).unwrap();
    theirs.store_model(&model("theirs", &table)).unwrap();
    let csv = bench.path("other.csv");
    std::fs::write(&csv, "system,graph,config,seconds\nfast,kron:6:seed=3,root #0 of seed 5,0.5\n").unwrap();
    theirs.import(&csv, "bfs", "here").unwrap();
    drop(theirs);

    let merged = ours.merge(&bench.path("b.lab")).unwrap();
    // The graph that both have was measured here too, except under the schedule that only they have.
    assert_eq!((merged.graphs, merged.implementations, merged.runs), (1, 1, 3 * 2 * 2 - 2 * 2));
    assert_eq!((merged.external, merged.models), (1, 1));
    assert_eq!(ours.check_integrity().unwrap(), Vec::<String>::new());
    let again = ours.merge(&bench.path("b.lab")).unwrap();
    assert_eq!(again, gw_lab::Merged::default(), "nothing is taken twice");
    let both = ours.step_table(&query()).unwrap();
    assert_eq!((both.graphs.len(), both.variants.len(), both.implementations.len()), (3, 6, 3));
    let measured = both.variants.iter().flat_map(|variant| &variant.totals).filter(|total| !total.is_nan()).count();
    assert_eq!(measured, 2 * 2 + 2 * 3 + 2 * 3);
    // Times and features come along.
    for theirs in &table.variants {
        let graph = &table.graphs[theirs.graph].name;
        let same = |v: &&gw_lab::Variant| both.graphs[v.graph].name == *graph && v.config == theirs.config;
        let ours = both.variants.iter().find(same).unwrap();
        assert_eq!(ours.totals[2], theirs.totals[2]);
        assert_eq!(
            ours.steps.iter().map(|step| step.features).collect::<Vec<_>>(),
            theirs.steps.iter().map(|step| step.features).collect::<Vec<_>>()
        );
    }
    let model = ours.model("theirs").unwrap();
    assert_eq!(model.features.len(), 2);
    assert_eq!(model.unknown[0].0, both.implementations.iter().map(|i| i.id).collect::<Vec<_>>());
    // What is still missing is measured here.
    assert_eq!(bench.collect(&mut ours).runs, 2);
    assert!(ours.merge(&bench.path("a.lab")).unwrap_err().to_string().contains("same lab"));

    let mut other = Lab::create(bench.path("c.lab")).unwrap();
    let mut graph = NewGraph::read("path:6").unwrap();
    graph.path = "path:7".to_string();
    other.add_graphs("made", &[graph]).unwrap();
    other.add_variants("bfs", VariantPlan::Roots { count: 1, seed: 5 }).unwrap();
    bench.add(&mut other, &["push=s0:s1@push"]);
    bench.configure(&mut other, "bfs", 3);
    bench.collect(&mut other);
    drop(other);
    let error = ours.merge(&bench.path("c.lab")).unwrap_err().to_string();
    assert!(error.contains("made/path:6"), "{error}");
    // After an error the lab works as before.
    assert_eq!(ours.merge(&bench.path("b.lab")).unwrap(), gw_lab::Merged::default());
}

#[test]
fn timings_of_other_systems() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &["path:6", "star:5"]);
    bench.collect(&mut lab);
    let csv = bench.path("t.csv");
    let mut import = |text: &str| {
        std::fs::write(&csv, text).unwrap();
        lab.import(&csv, "bfs", "here")
    };
    let good = "system,graph,config,seconds,min,max,std_dev\n\
                fast,path:6,root #0 of seed 5,0.5,0.4,0.6,0.01\n\"slow, but nice\",star:5,root #1 of seed 5,2,,,\n";
    let found = import(good).unwrap();
    assert_eq!((found.systems, found.timings, found.replaced), (2, 2, 0));
    assert_eq!(import(good).unwrap().replaced, 2);
    for (text, words) in [
        ("system,graph\n", "`seconds` is missing"),
        ("system,graph,seconds,colour\n", "`colour`"),
        ("system,graph,seconds\nx,path:6,1\n", "several configurations"),
        ("system,graph,seconds,config\nx,path:6,1,root #0 of seed 5\nx,path:7,1,root #0 of seed 5\n", "line 3"),
        ("system,graph,seconds,config\nx,path:6,quick,root #0 of seed 5\n", "`quick`"),
        ("system,graph,seconds,root\nx,path:6,1,99\n", "starts at 99"),
        ("system,graph,seconds\nx,path:6\n", "line 2"),
    ] {
        let error = import(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    let all = lab.list("external", None).unwrap();
    assert_eq!(column(&all, "system"), [Field::Text("fast".into()), Field::Text("slow, but nice".into())]);
    assert_eq!(column(&all, "max"), [Field::Real(0.6), Field::Real(2.0)]);
}

#[test]
fn a_table_needs_a_single_commit_and_platform() {
    let bench = Bench::new();
    let mut lab = bench.lab("a.lab", &["path:6"]);
    assert!(lab.step_table(&query()).unwrap_err().to_string().contains("gw lab run"));
    bench.collect(&mut lab);
    drop(lab);
    let path = bench.path("a.lab");
    let file = Connection::open(&path).unwrap();
    file.execute_batch(
        "INSERT INTO RunConfig SELECT 2, algorithmId, platformId, datasetId, 'abc123', 1, timestamp FROM RunConfig;
         INSERT INTO Run(runConfigId, variantId, implId, algorithmId, timestamp, validated)
             SELECT 2, variantId, implId, algorithmId, timestamp, 1 FROM Run WHERE id = 1;",
    )
    .unwrap();
    drop(file);
    let lab = Lab::open(&path).unwrap();
    let error = lab.step_table(&query()).unwrap_err().to_string();
    assert!(error.contains("--commit") && error.contains("abc123"), "{error}");
    let with = |commit: &str| lab.step_table(&TableQuery { commit: Some(commit.into()), ..query() });
    assert_eq!(with("abc").unwrap().variants.len(), 1);
    assert_eq!(with(&build_commit()).unwrap().variants.len(), 2);
    assert!(with("zzz").unwrap_err().to_string().contains("abc123"));
    let wrong = TableQuery { platform: Some("there".into()), ..query() };
    assert!(lab.step_table(&wrong).unwrap_err().to_string().contains("here"));
    let wrong = TableQuery { datasets: vec!["mad".into()], commit: Some("abc".into()), ..query() };
    assert!(lab.step_table(&wrong).unwrap_err().to_string().contains("`made`"));
}

/// Counts 30 W in steps of 5 ms.
struct Thirty(std::time::Instant);

impl gw_meter::power::EnergyMeter for Thirty {
    fn name(&self) -> String {
        "thirty".to_string()
    }

    fn joules(&self) -> Option<f64> {
        Some((self.0.elapsed().as_millis() / 5) as f64 * 0.15)
    }

    fn watts(&self) -> Option<f64> {
        None
    }
}

#[test]
fn energy_of_runs_is_listed_contributed_and_merged() {
    let bench = Bench::new();
    let mut lab = Lab::create(bench.path("a.lab")).unwrap();
    lab.add_graphs("made", &[NewGraph::read("kron:6:seed=3").unwrap()]).unwrap();
    lab.add_variants("bfs", VariantPlan::Roots { count: 1, seed: 5 }).unwrap();
    bench.add(&mut lab, &["push=s0:s1@push"]);
    bench.configure(&mut lab, "bfs", 1);
    let meter = Thirty(std::time::Instant::now());
    let settings = Collection { energy: Some(&meter), ..bench.settings() };
    let collected = collect(&mut lab, &settings, &mut ()).unwrap();
    assert_eq!((collected.runs, collected.problems.len()), (1, 0));
    let listed = lab.list("energy", None).unwrap();
    let number = |name: &str| match column(&listed, name)[..] {
        [Field::Real(number)] => number,
        ref other => panic!("{name}: {other:?}"),
    };
    assert!((number("watts") - 30.0).abs() < 6.0, "{listed:?}");
    assert!((number("joules") - number("watts") * number("seconds")).abs() < 1e-9, "{listed:?}");
    assert_eq!(column(&listed, "meter"), [Field::Text("thirty".to_string())]);
    lab.contribute(&bench.path("given.lab")).unwrap();
    let mut other = Lab::create(bench.path("b.lab")).unwrap();
    assert_eq!(other.merge(&bench.path("given.lab")).unwrap().runs, 1);
    let taken = other.list("energy", None).unwrap();
    assert_eq!(column(&taken, "joules"), column(&listed, "joules"));
    assert_eq!(other.merge(&bench.path("given.lab")).unwrap(), gw_lab::Merged::default());
    assert!(other.check_integrity().unwrap().is_empty());
}

#[test]
fn sheets_of_machines_are_kept_and_found_by_target_and_name() {
    use gw_meter::{Sheet as MachineSheet, Target};
    let bench = Bench::new();
    let read = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/sheets");
        MachineSheet::load(&folder.join(name)).unwrap()
    };
    let (gpu, cpu) = (read("h200.json"), read("xeon-2cores.json"));
    let mut lab = Lab::create(bench.path("a.lab")).unwrap();
    let problem = lab.machine(Target::Cuda, None).unwrap_err().to_string();
    assert!(problem.contains("a.lab") && problem.contains("gw meter --target cuda --lab"), "{problem}");
    let older = MachineSheet { measured: "2020-01-01T00:00:00Z".to_string(), ..gpu.clone() };
    for sheet in [&gpu, &cpu, &older, &gpu] {
        lab.store_machine(sheet).unwrap();
    }
    assert_eq!(lab.machine(Target::Cuda, None).unwrap(), gpu, "the newest");
    assert_eq!(lab.machine(Target::Cpu, Some("xeon")).unwrap(), cpu);
    assert!(lab.machine(Target::Cpu, Some("H200")).unwrap_err().to_string().contains("named H200"));
    assert_eq!(lab.list("machines", None).unwrap().rows.len(), 3);
    assert_eq!(lab.list("machines", Some("2021-01-01")).unwrap().rows.len(), 1);
    let mut other = Lab::create(bench.path("b.lab")).unwrap();
    assert_eq!(other.merge(&bench.path("a.lab")).unwrap().machines, 3);
    assert_eq!(other.merge(&bench.path("a.lab")).unwrap().machines, 0);
    assert_eq!(other.machine(Target::Cuda, Some("h200")).unwrap(), gpu);
}

/// A graph under two names has one content; the names that people gave are theirs.
#[test]
fn a_contribution_takes_a_graph_twice_and_tells_no_names() {
    let bench = Bench::new();
    let mut lab = Lab::create(bench.path("a.lab")).unwrap();
    let graphs = ["mygraph=kron:6:seed=3", "yourgraph=kron:6:seed=3"].map(|text| NewGraph::read(text).unwrap());
    lab.add_graphs("mydataset", &graphs).unwrap();
    lab.add_variants("bfs", VariantPlan::Roots { count: 1, seed: 5 }).unwrap();
    bench.add(&mut lab, &["myschedule=s0:s1@push"]);
    let environment = Environment::of(&bench.machine, 1);
    let platform = lab.add_platform(&environment, Some("mycomputer")).unwrap();
    lab.add_run_config("bfs", &platform, "mydataset", &build_commit(), 1).unwrap();
    assert_eq!(bench.collect(&mut lab).runs, 2);
    let made = lab.contribute(&bench.path("given.lab")).unwrap();
    assert_eq!((made.graphs, made.runs), (2, 2));
    let bytes = std::fs::read(bench.path("given.lab")).unwrap();
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    for word in ["mygraph", "yourgraph", "mydataset", "myschedule", "mycomputer"] {
        assert!(!has(word.as_bytes()), "{word}");
    }
    assert!(has(b"s0:s1@push"));
    // The machine has another name in the lab that takes it in.
    let mut other = Lab::create(bench.path("b.lab")).unwrap();
    other.add_platform(&environment, Some("ours")).unwrap();
    assert_eq!(other.merge(&bench.path("given.lab")).unwrap().runs, 2);
    assert_eq!(other.merge(&bench.path("given.lab")).unwrap(), gw_lab::Merged::default());
    assert_eq!(count(&other, "SELECT COUNT(*) FROM Platform"), 1);
    assert!(other.check_integrity().unwrap().is_empty());
}
