//! Suites from their text to their results, on the reference machine.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gw_exec::{Choice, Executable, GraphVm, ReferenceVm};
use gw_graph::Graph;
use gw_graph::progress::{Progress, Silent};
use gw_ir::Module;
use gw_lab::{
    CellName, Counted, LabError, Listener, MachineFacts, Measurement, Outcome, Peak, Plan, Provenance, Selection,
    Settings, Suite,
};
use gw_schedule::Capabilities;

/// Notes the order of timed runs, and cancels after some.
#[derive(Default)]
struct Notes {
    order: Vec<String>,
    finished: usize,
    cancel_after: Option<usize>,
    cancel: Arc<AtomicBool>,
}

impl Listener for Notes {
    fn loading(&self) -> &dyn Progress {
        &Silent
    }

    fn running(&mut self, name: &CellName, run: usize, _runs: usize) {
        if run > 0 {
            self.order.push(format!("{}/{}", name.schedule, run));
            if self.cancel_after.is_some_and(|after| self.order.len() > after) {
                self.cancel.store(true, Ordering::Relaxed);
            }
        }
    }

    fn finished(&mut self, _row: &Measurement) {
        self.finished += 1;
    }
}

fn run(plan: &Plan, notes: &mut Notes) -> Outcome {
    run_on(&ReferenceVm::new(), plan, notes)
}

fn run_on(machine: &dyn GraphVm, plan: &Plan, notes: &mut Notes) -> Outcome {
    // A made-up machine: measuring its memory is tested elsewhere.
    let machine_facts = MachineFacts { cpu: None, cores: 1, caches: Vec::new(), memory_bytes: None, os: "none".into() };
    let peak = Peak { read: 1e10, triad: 1e10, array_bytes: 0 };
    let provenance =
        Provenance { version: "0".into(), commit: None, machine: machine_facts, peak: Some(peak), device: None };
    let cancel = Arc::clone(&notes.cancel);
    gw_lab::run(plan, &Settings { machine, threads: 1, cancel, provenance, energy: None }, notes)
}

fn plan(suite: &str, selection: &Selection) -> Plan {
    let suite = Suite::parse("test", suite).unwrap();
    Plan::new(&suite, selection).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(suite: &str, selection: &Selection) -> LabError {
    let suite = Suite::parse("test", suite).unwrap();
    Plan::new(&suite, selection).map(|_| ()).expect_err("the plan must be refused")
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn the_smoke_suite_is_measured_and_verified() {
    let suite = Suite::builtin("smoke").unwrap();
    let plan = Plan::new(&suite, &Selection::default()).unwrap();
    assert!(plan.notes().iter().any(|note| note.contains("--graph real=FILE")), "{:?}", plan.notes());
    let mut notes = Notes::default();
    let outcome = run(&plan, &mut notes);
    assert!(!outcome.interrupted);
    assert_eq!((outcome.rows.len(), notes.finished), (plan.cells().len(), plan.cells().len()));
    for row in &outcome.rows {
        assert_eq!((&row.error, &row.problem), (&None, &None), "{} on {}", row.program, row.graph);
        assert!(row.verified && row.complete, "{} on {}", row.program, row.graph);
        assert_eq!(row.verified_trials, row.sources.len().max(1));
        assert_eq!(row.trials, 2 * row.sources.len().max(1));
        assert_eq!(row.seconds.len(), row.trials);
        let (median, min) = (row.median_seconds.unwrap(), row.min_seconds.unwrap());
        assert!(min > 0.0 && min <= median && median <= row.max_seconds.unwrap());
        assert_eq!(row.counted, Counted::Steps);
        assert!((row.edges_per_second.unwrap() - row.edges.unwrap() as f64 / median).abs() < 1.0);
        assert!((row.bandwidth.unwrap() - row.bytes.unwrap() as f64 / median).abs() < 1.0);
    }
    let find =
        |program: &str, graph: &str| outcome.rows.iter().find(|r| r.program == program && r.graph == graph).unwrap();
    // Arguments come from the entry, the graph, and what is different on one graph.
    assert_eq!(find("sssp-delta", "kron").arguments[2], "8");
    assert_eq!(find("sssp-delta", "road").arguments[2], "100");
    assert_eq!(find("sssp-delta", "road").sources.len(), 3);
    assert_eq!(find("pagerank", "kron").arguments, ["kron", "20", "0.0001", "0.85", "auto"]);
    // Triangle counting touches every edge once; weights count for programs that load them.
    let triangles = find("tc", "kron");
    assert_eq!(triangles.edges, triangles.graph_edges.map(|e| e as u64));
    assert!(find("sssp-delta", "kron").bytes.unwrap() >= 8 * find("sssp-delta", "kron").edges.unwrap());
}

/// A machine whose rule looks at the size of the graph.
struct Chooser(ReferenceVm);

impl GraphVm for Chooser {
    fn name(&self) -> &str {
        "chooser"
    }

    fn family(&self) -> gw_schedule::Family {
        gw_schedule::Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn threads(&self) -> u64 {
        self.0.threads()
    }

    fn prepare(&self, module: Arc<Module>) -> gw_exec::Result<Box<dyn Executable>> {
        self.0.prepare(module)
    }

    fn choose(&self, mut module: Module, graph: &Graph) -> (Module, Choice) {
        gw_exec::label_operators(&mut module);
        let schedule = format!("op1@push,grain={}", graph.vertices()).parse().unwrap();
        (module, Choice { schedule, ..Choice::default() })
    }

    fn needs(&self, module: &Module, graph: &Graph) -> gw_exec::Result<gw_exec::Needs> {
        self.0.needs(module, graph)
    }
}

impl gw_exec::MachineReport for Chooser {}

#[test]
fn a_machine_chooses_for_each_graph() {
    let folder = tempfile::tempdir().unwrap();
    let program = "element V end\nelement E end\nconst edges : edgeset{E}(V,V) = load(argv[1]);\n\
        const seen : vector{V}(int) = 0;\nfunc touch(s : V, d : V)\n    seen[d] = 1;\nend\n\
        func main()\n    edges.apply(touch);\nend\n";
    std::fs::write(folder.path().join("mine.gt"), program).unwrap();
    let suite = "name = 'mine'\n[[entry]]\nprogram = 'mine.gt'\ngraphs = ['path:9', 'path:7']\n\
        schedules = ['default', 'auto', 'push']\n";
    std::fs::write(folder.path().join("suite.toml"), suite).unwrap();
    let suite = Suite::find(&folder.path().join("suite.toml").display().to_string()).unwrap();
    let plan = Plan::new(&suite, &Selection::default()).unwrap();
    let outcome = run_on(&Chooser(ReferenceVm::new()), &plan, &mut Notes::default());
    let rows: Vec<(&str, &str, &str)> =
        outcome.rows.iter().map(|r| (r.graph.as_str(), r.schedule_name.as_str(), r.schedule.as_str())).collect();
    let expected = [
        ("path:9", "default", "op1@push,grain=9"),
        ("path:9", "auto", "op1@push,grain=9"),
        ("path:9", "push", "push"),
        ("path:7", "default", "op1@push,grain=7"),
        ("path:7", "auto", "op1@push,grain=7"),
        ("path:7", "push", "push"),
    ];
    assert_eq!(rows, expected);
    assert!(outcome.rows.iter().all(|row| row.error.is_none() && row.complete), "{:?}", outcome.rows);
    // A machine without a rule uses its defaults.
    let rows = run(&plan, &mut Notes::default()).rows;
    assert_eq!((rows[1].schedule_name.as_str(), rows[1].schedule.as_str()), ("auto", "default"));
}

#[test]
fn schedules_take_turns_and_sources_follow_the_seed() {
    let suite = "name = 't'\n[[entry]]\nprogram = 'bfs'\ngraphs = ['kron:6']\nsources = 3\ntrials = 1\n\
                 schedules = ['s0:s1@push', 's0:s1@pull']";
    let mut notes = Notes::default();
    let first = run(&plan(suite, &Selection::default()), &mut notes);
    let expected = ["s0:s1@push/1", "s0:s1@pull/1", "s0:s1@pull/2", "s0:s1@push/2", "s0:s1@push/3", "s0:s1@pull/3"];
    assert_eq!(notes.order, expected);
    let [push, pull] = &first.rows[..] else { panic!("two rows") };
    assert_eq!(push.sources, pull.sources);
    assert_ne!(push.schedule, pull.schedule);
    let again = run(&plan(suite, &Selection::default()), &mut Notes::default());
    assert_eq!(again.rows[0].sources, push.sources);
    let other = run(&plan(suite, &Selection { seed: Some(99), ..Selection::default() }), &mut Notes::default());
    assert_ne!(other.rows[0].sources, push.sources);
}

#[test]
fn choices_change_the_plan() {
    let suite = Suite::builtin("smoke").unwrap();
    let choice = Selection {
        graphs: words(&["kron", "mine"]),
        given: vec![("mine".into(), "path:50".into()), ("kron".into(), "star:20".into())],
        programs: words(&["bfs"]),
        schedules: words(&["pull"]),
        trials: Some(5),
        sources: Some(1),
        verify: Some(false),
        ..Selection::default()
    };
    let outcome = run(&Plan::new(&suite, &choice).unwrap(), &mut Notes::default());
    let specs: Vec<&str> = outcome.rows.iter().map(|row| row.graph_spec.as_str()).collect();
    assert_eq!(specs, ["star:20", "path:50"]);
    for row in &outcome.rows {
        assert_eq!((row.trials, row.sources.len(), row.schedule_name.as_str()), (5, 1, "pull"));
        assert!(!row.verified && row.verified_trials == 0 && row.complete);
    }
    let choice = Selection {
        programs: words(&["pagerank"]),
        set: vec![("rounds".into(), "3".into()), ("scale".into(), "5".into())],
        ..Selection::default()
    };
    let rows = run(&Plan::new(&suite, &choice).unwrap(), &mut Notes::default()).rows;
    assert_eq!((rows[0].vertices, rows[0].arguments[1].as_str()), (Some(32), "3"));
    assert_eq!(rows[1].graph_spec, "road:6x6");
}

#[test]
fn wrong_choices_name_the_right_ones() {
    let smoke = Suite::builtin("smoke").unwrap();
    let refused = |choice: Selection| {
        let error = Plan::new(&smoke, &choice).map(|_| ()).expect_err("refused");
        assert!(error.is_usage() || matches!(error, LabError::Graph { .. } | LabError::Suite { .. }), "{error:?}");
        error.to_string()
    };
    let graphs = refused(Selection { graphs: words(&["korn"]), ..Selection::default() });
    assert!(graphs.contains("did you mean `kron`") && graphs.contains("road"), "{graphs}");
    let programs = refused(Selection { programs: words(&["sssp"]), ..Selection::default() });
    assert!(programs.contains("sssp-delta"), "{programs}");
    assert!(refused(Selection { schedules: words(&["push"]), ..Selection::default() }).contains("default, pull"));
    assert!(refused(Selection { set: vec![("x".into(), "1".into())], ..Selection::default() }).contains("scale"));
    assert!(refused(Selection { graphs: words(&["real"]), ..Selection::default() }).contains("--graph real=FILE"));
    let file = refused(Selection { given: vec![("real".into(), "no/such.mtx".into())], ..Selection::default() });
    assert!(file.contains("real") && file.contains("no/such.mtx"), "{file}");
    let none = refused(Selection { graphs: words(&["road"]), programs: words(&["tc"]), ..Selection::default() });
    assert!(none.contains("nothing to run"), "{none}");
}

#[test]
fn suites_that_cannot_be_carried_out_are_refused_before_anything_runs() {
    let nothing = Selection::default();
    let with = |entry: &str| format!("name = 't'\n[[entry]]\ngraphs = ['path:9']\n{entry}");
    assert!(matches!(
        refused(&with("program = 'bsf'"), &nothing),
        LabError::Program(graphwright::Error::UnknownProgram(_))
    ));
    assert!(matches!(
        refused(&with("program = 'none.gt'"), &nothing),
        LabError::Program(graphwright::Error::Read { .. })
    ));
    let schedule = refused(&with("program = 'bfs'\nschedules = ['s0:s9@pull']"), &nothing);
    assert!(
        matches!(&schedule, LabError::Program(graphwright::Error::Program { .. }))
            && schedule.to_string().contains("s0:s1"),
        "{schedule}"
    );
    let value = refused(&with("program = 'bfs'\nargs = ['{graph}', '{sauce}']"), &nothing);
    assert!(value.to_string().contains("`sauce` has no value"), "{value}");
    let sources = refused(&with("program = 'tc'\nsources = 3"), &nothing);
    assert!(sources.to_string().contains("no argument is {source}"), "{sources}");
    let spec = "name = 't'\n[[graph]]\nname = 'g'\nspec = 'kron:{size}'\n[[entry]]\nprogram = 'bfs'";
    assert!(refused(spec, &nothing).to_string().contains("`size` has no value"));
    let weights = "name = 't'\nweights = 'heavy'\n[[graph]]\nname = 'g'\nspec = 'path:5'\n[[entry]]\nprogram = 'bfs'";
    assert!(refused(weights, &nothing).to_string().contains("graph `g`"));
}

#[test]
fn a_row_that_fails_says_why_and_the_others_go_on() {
    let suite = "name = 't'\ntrials = 1\n\
        [[graph]]\nname = 'directed'\nspec = 'path:9:directed'\n\
        [[graph]]\nname = 'lone'\nspec = 'path:1'\n\
        [[graph]]\nname = 'far'\nspec = 'path:9'\nsources = [3, 200]\n\
        [[entry]]\nprogram = 'tc'\n\
        [[entry]]\nprogram = 'sssp'\n\
        [[entry]]\nprogram = 'bfs'\n";
    let outcome = run(&plan(suite, &Selection::default()), &mut Notes::default());
    let error = |program: &str, graph: &str| {
        let row = outcome.rows.iter().find(|r| r.program == program && r.graph == graph).unwrap();
        assert_eq!(row.complete, row.error.is_none());
        assert!(row.error.is_none() || !row.verified);
        row.error.clone().unwrap_or_default()
    };
    // Triangles are counted in the undirected graph, as by `gw run`.
    assert_eq!(error("tc", "directed"), "");
    let undirected = outcome.rows.iter().find(|r| r.program == "tc" && r.graph == "directed").unwrap();
    assert_eq!((undirected.verified, undirected.graph_edges), (true, Some(16)));
    assert!(error("sssp", "directed").contains("weights"));
    assert_eq!(error("bfs", "directed"), "");
    assert_eq!(error("tc", "lone"), "");
    assert!(error("bfs", "lone").contains("no edges"));
    assert!(error("bfs", "far").contains("no source 200"));
    assert_eq!(error("tc", "far"), "");
}

#[test]
fn cancelling_keeps_what_was_measured() {
    let suite = "name = 't'\n[[entry]]\nprogram = 'bfs'\ngraphs = ['kron:6', 'path:9']\nsources = 4\ntrials = 1";
    let mut notes = Notes { cancel_after: Some(2), ..Notes::default() };
    let outcome = run(&plan(suite, &Selection::default()), &mut notes);
    assert!(outcome.interrupted);
    let [row] = &outcome.rows[..] else { panic!("one row: {:?}", outcome.rows) };
    assert_eq!((row.trials, row.complete), (2, false));
    assert!(row.median_seconds.is_some() && row.error.is_none());
}

#[test]
fn files_of_a_suite_lie_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("tiny.el", "0 1\n1 2\n2 0\n");
    write(
        "mine.gt",
        "element V end\nelement E end\nconst edges : edgeset{E}(V,V) = load(argv[1]);\n\
        const seen : vector{V}(int) = 0;\nfunc touch(s : V, d : V)\n    seen[d] = 1;\nend\n\
        func main()\n    #s1# edges.apply(touch);\nend\n",
    );
    write("pull.txt", "s1@pull");
    write(
        "suite.toml",
        "name = 'mine'\n[[entry]]\nprogram = 'mine.gt'\ngraphs = ['tiny.el:sym']\n\
        schedules = ['default', 'pull.txt']\n",
    );
    let suite = Suite::find(&folder.path().join("suite.toml").display().to_string()).unwrap();
    let outcome = run(&Plan::new(&suite, &Selection::default()).unwrap(), &mut Notes::default());
    assert_eq!(outcome.rows.len(), 2);
    for row in &outcome.rows {
        assert_eq!((&row.error, row.trials, row.edges), (&None, 3, Some(6)));
        // Nobody can validate a program that is not a standard one.
        assert!(!row.verified);
    }
    assert!(outcome.rows[1].schedule.contains("pull"));
    assert!(Path::new(&outcome.rows[0].graph_spec).starts_with(folder.path()));
}

#[test]
fn the_suite_in_the_guide_can_be_planned() {
    let guide = include_str!("../../../../docs/bench.md");
    let (_, rest) = guide.split_once("```toml\n").expect("the guide shows a suite");
    let (text, _) = rest.split_once("```").expect("the suite ends");
    let plan = plan(text, &Selection::default());
    // bfs under three schedules on kron and fixed, sssp-delta on kron, fixed and the grid.
    assert_eq!(plan.cells().len(), 9);
    let grid = plan.cells().iter().find(|cell| cell.name.graph == "grid:500x500").expect("a graph by its spec");
    assert_eq!(grid.name.program, "sssp-delta");
}
