//! Standard programs on 1, 2, 3 and 4 workers: validators must accept what comes out, whole numbers must be those of
//! the reference machine, and what cannot run must be refused with the reason.

use std::sync::Arc;

use gw_exec::{GraphVm, MachineReport, ReferenceVm, RunOptions, RunResult, SpecGraphs, Value};
use gw_flow::{Cluster, Exchange, FlowVm, Sync};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args, find, programs};
use gw_schedule::{Family, ProgramSchedule};

const GRAPHS: [&str; 7] = ["kron:7", "road:9x9", "path:40", "star:30", "kron:6:directed", "path:3", "grid:6x5"];

fn flow(workers: usize) -> FlowVm {
    FlowVm::new(Cluster::threads(workers).unwrap(), workers)
}

/// Workers that tell each other only what they need, as those of several processes do.
fn flow_by_mirrors(workers: usize) -> FlowVm {
    FlowVm::new(Cluster::threads(workers).unwrap().with_exchange(Exchange::Mirrors), workers)
}

fn load(spec: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph)
}

/// A program for a machine: under a schedule, or under its own where none is given.
fn prepare(machine: &dyn GraphVm, program: &Program, schedule: Option<&str>) -> Result<gw_exec::Program, String> {
    let source = program.example_text();
    let file = SourceFile::new(program.file, &*source).with_weights(program.usual_weights());
    let front = compile_front(&file).map_err(|_| "does not compile".to_string())?;
    let mut schedule = match schedule {
        Some(text) => text.parse::<ProgramSchedule>().map_err(|e| format!("{e}"))?,
        None => front.schedule.unwrap_or_default(),
    };
    schedule.set_family(Some(Family::Cpu));
    let module = gw_ir::lower(&front.typed, &source).map_err(|e| e.to_string())?;
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).map_err(|e| e.to_string())?;
    gw_exec::Program::prepare(machine, Arc::new(module)).map_err(|e| e.to_string())
}

fn options(args: &[String], graph: &Arc<Graph>) -> RunOptions {
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(graph));
    RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.to_vec()) }
}

/// Runs a program twice and validates its results.
fn check(
    machine: &dyn GraphVm,
    program: &Program,
    spec: &str,
    graph: &Arc<Graph>,
    text: Option<&str>,
) -> Result<RunResult, String> {
    let args = example_args(program, spec, graph);
    let mut prepared = prepare(machine, program, text)?;
    let mut validated = || {
        let result = prepared.run(&options(&args, graph)).map_err(|e| e.to_string())?;
        let run = Run { graph, args: &args, results: &result.globals };
        program.validate(&run).map_err(|e| format!("wrong: {e}")).map(|()| result)
    };
    validated().and_then(|_| validated())
}

/// The entries of a vector of whole numbers.
fn whole(result: &RunResult, name: &str) -> Vec<i32> {
    match result.globals.get(name) {
        Some(Value::Vector(vector)) => vector.to_vec().unwrap(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn host_and_machine_agree() {
    for workers in [1, 2, 4] {
        gw_exec::conformance::host_and_machine(&flow(workers)).unwrap();
        gw_exec::conformance::host_and_machine(&flow_by_mirrors(workers)).unwrap();
    }
}

#[test]
fn the_first_four_programs_under_push_pull_and_hybrids() {
    let schedules = [None, Some("s0:s1@push"), Some("s0:s1@pull"), Some("s0:s1@pull,frontier=boolmap")];
    let results = [("bfs", None), ("cc", Some("label")), ("sssp", Some("dist")), ("pagerank", None)];
    let mut ran = 0;
    for spec in GRAPHS {
        let spec = format!("{spec}:weights=1..9");
        let graph = load(&spec);
        for (name, exact) in results {
            let program = find(name).unwrap();
            if !program.suits(&graph) {
                continue;
            }
            let wanted = check(&ReferenceVm::new(), program, &spec, &graph, None).unwrap();
            // PageRank has no frontier to keep in a map.
            let legal = if name == "pagerank" { &schedules[..3] } else { &schedules[..] };
            for (i, &schedule) in legal.iter().enumerate() {
                for workers in [1, 2, 3, 4] {
                    let machine = if workers == 3 { flow_by_mirrors(workers) } else { flow(workers) };
                    let found = check(&machine, program, &spec, &graph, schedule)
                        .unwrap_or_else(|e| panic!("{name} {spec} {schedule:?} on {workers} workers: {e}"));
                    if let Some(vector) = exact {
                        let (found, wanted) = (whole(&found, vector), whole(&wanted, vector));
                        assert_eq!(found, wanted, "{name} {spec} {i} on {workers} workers");
                    }
                    ran += 1;
                }
            }
        }
    }
    assert!(ran > 300, "{ran}");
}

#[test]
fn loops_that_are_drained_end_where_others_end() {
    let drains = |workers: usize, exchange: Exchange| {
        let cluster = Cluster::threads(workers).unwrap().with_exchange(exchange).with_sync(Sync::Drain);
        FlowVm::new(cluster, workers)
    };
    let mut exchanges = Vec::new();
    for spec in GRAPHS.into_iter().chain(["road:30x30", "path:3000"]) {
        let spec = format!("{spec}:weights=1..9");
        let graph = load(&spec);
        for (name, vector) in [("cc", "label"), ("sssp", "dist")] {
            let program = find(name).unwrap();
            if !program.suits(&graph) {
                continue;
            }
            let wanted = whole(&check(&ReferenceVm::new(), program, &spec, &graph, None).unwrap(), vector);
            for (workers, exchange) in [(2, Exchange::All), (3, Exchange::Mirrors), (4, Exchange::All)] {
                let machine = drains(workers, exchange);
                // A hybrid drains its pushes.
                for schedule in [Some("s0:s1@push"), None] {
                    let found = check(&machine, program, &spec, &graph, schedule).unwrap();
                    assert_eq!(whole(&found, vector), wanted, "{name} {spec} {schedule:?} on {workers} workers");
                }
            }
            if spec.starts_with("path:3000") {
                for machine in [flow(2), drains(2, Exchange::All)] {
                    check(&machine, program, &spec, &graph, Some("s0:s1@push")).unwrap();
                    let report = machine.report().unwrap();
                    let count = report.split(", ").nth(1).and_then(|part| part.split(' ').next()).unwrap().to_string();
                    exchanges.push(count.parse::<u64>().unwrap());
                }
            }
        }
    }
    // Two runs each: about 3,000 exchanges per run of `sssp`, or a few. Labels run along the path in one step already.
    let [cc, cc_drained, sssp, sssp_drained] = exchanges[..] else { panic!("{exchanges:?}") };
    assert!(cc < 60 && cc_drained < 60 && sssp > 2_000 && sssp_drained < 60, "{exchanges:?}");
}

#[test]
fn a_cycle_that_lowers_itself_ends_drained_loops() {
    let pairs: Vec<(u32, u32, i32)> = (0..20).map(|v| (v, (v + 1) % 20, if v == 7 { -30 } else { 1 })).collect();
    let path = std::env::temp_dir().join(format!("graphwright-drained-{}.wel", std::process::id()));
    let lines: String = pairs.iter().map(|(a, b, w)| format!("{a} {b} {w}\n")).collect();
    std::fs::write(&path, lines).unwrap();
    let spec = path.display().to_string();
    let graph = load(&spec);
    let machine = FlowVm::new(Cluster::threads(3).unwrap().with_sync(Sync::Drain), 3);
    let result = check(&machine, find("sssp").unwrap(), &spec, &graph, None).unwrap();
    assert_eq!(result.globals.get("negative_cycle").and_then(Value::bits), Some(1));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn programs_without_a_loop_to_drain_say_so() {
    let graph = load("kron:5");
    for name in ["bfs", "bfs-levels", "pagerank"] {
        let machine = FlowVm::new(Cluster::threads(2).unwrap().with_sync(Sync::Drain), 2);
        let refused = check(&machine, find(name).unwrap(), "kron:5", &graph, None).err().unwrap();
        assert!(refused.contains("no loop of this program can be drained"), "{name}: {refused}");
    }
}

/// Under its own schedule every program is right, but for those that want queues of one memory.
#[test]
fn every_program_is_right() {
    let (mut ran, mut problems) = (0, Vec::new());
    for program in programs() {
        for (i, spec) in ["kron:6:weights=1..9", "road:6x5:weights=1..9"].into_iter().enumerate() {
            let graph = load(spec);
            if !program.suits(&graph) {
                continue;
            }
            let machine = if i == 0 { flow(2) } else { flow_by_mirrors(3) };
            match check(&machine, program, spec, &graph, None) {
                Ok(_) => ran += 1,
                Err(reason) if reason.contains("changes buckets of a queue while edges are visited") => {}
                Err(problem) => problems.push(format!("{} {spec}: {problem}", program.name)),
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(ran > 90, "{ran}");
}

#[test]
fn the_machine_chooses_what_several_workers_can_run() {
    let spec = "kron:7:weights=1..9";
    let graph = load(spec);
    for (name, wanted) in [("bc", "pull"), ("kcore", "pull"), ("pagerank", "pull"), ("bfs", "hybrid"), ("cc", "hybrid")]
    {
        let (machine, program) = (flow(3), find(name).unwrap());
        let front = compile_front(&SourceFile::new(program.file, program.source).with_weights(program.usual_weights()))
            .unwrap();
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        let (module, choice) = machine.choose(module, &graph);
        assert!(choice.reasons.iter().any(|reason| reason.schedule.starts_with(wanted)), "{name}: {choice:?}");
        let module = gw_ir::run_pipeline(module, &choice.schedule, &gw_ir::Options::default()).unwrap();
        let mut prepared = gw_exec::Program::prepare(&machine, Arc::new(module)).unwrap();
        let args = example_args(program, spec, &graph);
        let result = prepared.run(&options(&args, &graph)).unwrap();
        program.validate(&Run { graph: &graph, args: &args, results: &result.globals }).unwrap();
    }
    // Their own schedules push, which workers cannot share.
    for (name, operator) in [("bc", "applyModified(count_paths"), ("kcore", "applyUpdatePriority(peel")] {
        let (machine, program) = (flow(2), find(name).unwrap());
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let front = compile_front(&file).unwrap();
        let module = gw_ir::lower(&front.typed, &file.text).unwrap();
        let optimised = || gw_ir::run_pipeline(module.clone(), front.schedule.as_ref()?, &Default::default()).ok();
        let found = machine.shortfalls(&mut || optimised());
        // The operator of bc stands in a module: the text is that of all files.
        let line = file.text.lines().position(|line| line.contains(operator)).unwrap() + 1;
        let told = format!("line {line} runs on one of the workers while the others wait: line ");
        assert!(!found[0].refused && found[0].text.starts_with(&told), "{name}: {found:?}");
        assert!(flow(1).shortfalls(&mut || optimised()).is_empty());
    }
}

const HEAD: &str = "element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const x : vector{Node}(int) = 1;
const y : vector{Node}(int) = 0;
const total : int = 0;
";

fn compiled(body: &str) -> Result<gw_ir::Module, String> {
    let source = format!("{HEAD}{body}");
    let file = SourceFile::new("small.gt", &source);
    let front = compile_front(&file).map_err(|found| gw_lang::diagnostic::render(&found, &file, false))?;
    let module = gw_ir::lower(&front.typed, &source).map_err(|e| e.to_string())?;
    let options = gw_ir::Options { family: Some(Family::Cpu), ..gw_ir::Options::default() };
    gw_ir::run_pipeline(module, &ProgramSchedule::new(), &options).map_err(|e| e.to_string())
}

fn run_small(machine: &dyn GraphVm, body: &str) -> Result<RunResult, String> {
    let mut program = gw_exec::Program::prepare(machine, Arc::new(compiled(body)?)).map_err(|e| e.to_string())?;
    program.run(&RunOptions::with_args(["path:9"])).map_err(|e| e.to_string())
}

/// Runs a small program on three workers.
fn small(body: &str) -> Result<RunResult, String> {
    run_small(&flow(3), body)
}

/// What workers cannot share runs on one of them, with the results of one worker and the reason in words of the
/// program.
#[test]
fn what_would_depend_on_other_workers_runs_on_one() {
    for (body, words) in [
        (
            "func f(src : Node, dst : Node)
    y[dst] += 1;
    if y[dst] == 2 x[src] = 0; end
end
func main() links.apply(f); end",
            "line 9 adds to entries of `y` at vertices that are not the worker's own: line 10 of the same operator \
             reads `y`, and no worker knows what others add",
        ),
        (
            "func f(src : Node, dst : Node) x[dst] = src; y[dst] = src; end
func main() links.apply(f); end",
            "line 8 assigns entries of `x` that other workers may assign as well: the values of `y` would not fit",
        ),
        (
            "func f(src : Node, dst : Node)
    if compare_and_swap(x, dst, 1, src) y[src] = 1; end
end
func main() links.apply(f); end",
            "line 9 goes on by the outcome of a `compare_and_swap` at a vertex that is not the worker's own: two workers",
        ),
        (
            "func f(v : Node) total += v; y[v] = total; end
func main() nodes.apply(f); end",
            "line 8 changes `total`: line 8 of the same operator reads it, and no worker knows what others do",
        ),
        (
            "func f(v : Node) print v; end
func main() nodes.apply(f); end",
            "line 8 prints: that is to happen once, in order",
        ),
        (
            "func f(v : Node) -> yes : bool x[v / 2] = v; y[v / 2] = v; yes = mod(v, 2) == 0; end
func main()
    var even : vertexset{Node} = nodes.filter(f);
    print even.getVertexSetSize();
    delete even;
end",
            "line 8 assigns entries of `x` that other workers may assign as well",
        ),
    ] {
        let machine = flow(3);
        let found = machine.shortfalls(&mut || compiled(body).ok());
        assert!(found.len() == 1 && !found[0].refused && found[0].text.contains(words), "{words}: {found:?}");
        let wanted = run_small(&ReferenceVm::new(), body).unwrap();
        for machine in [machine, flow_by_mirrors(2)] {
            let ran = run_small(&machine, body).unwrap();
            for name in ["x", "y"] {
                assert_eq!(whole(&ran, name), whole(&wanted, name), "{words}: {name}");
            }
            assert_eq!(ran.printed, wanted.printed, "{words}");
            assert_eq!(
                ran.globals.get("total").and_then(Value::bits),
                wanted.globals.get("total").and_then(Value::bits)
            );
        }
    }
}

#[test]
fn helpers_sums_and_constants_of_all_workers_meet() {
    let body = "func note(v : Node, by : int) y[v] = by; total += y[v]; end
func f(v : Node) note(v, 2); end
func mark(src : Node, dst : Node) x[dst] = 7; end
func main()
    nodes.apply(f);
    links.apply(mark);
    y[4] += 1;
    print y.sum();
    print x.sum();
    print total;
end";
    assert_eq!(small(body).unwrap().printed, "19\n63\n18\n");
}

#[test]
fn a_fault_of_one_worker_ends_the_run_of_all() {
    let body = "func f(v : Node) y[v + 1] = 3; end
func main() nodes.apply(f); print y.sum(); end";
    let fault = small(body).unwrap_err();
    assert!(fault.contains("worker 2: line 8: index 9 is out of range"), "{fault}");
}

/// Workers of a process share its part of a graph out among them: degrees and cuts are agreed upon.
#[test]
fn workers_share_a_part_of_a_graph() {
    for spec in ["kron:7:weights=1..9", "kron:6:directed", "path:40"] {
        let (whole, folder) = (load(spec), tempfile::tempdir().unwrap());
        let parts = gw_graph::format::write_parts(&whole, 1, folder.path(), &Silent).unwrap();
        let part = Arc::new(parts.load(0, &Silent).unwrap());
        for (name, vector) in [("bfs-levels", "level"), ("cc", "label"), ("pagerank", "rank")] {
            let program = find(name).unwrap();
            if !program.suits(&whole) {
                continue;
            }
            let args = example_args(program, spec, &whole);
            let run = |machine: &dyn GraphVm, graph: &Arc<Graph>| {
                let ran = prepare(machine, program, None)?.run(&options(&args, graph)).map_err(|e| e.to_string())?;
                Ok::<_, String>(ran.globals.vector(vector).unwrap().to_f64())
            };
            let wanted = run(&ReferenceVm::new(), &whole).unwrap();
            for workers in [1, 2, 3] {
                for machine in [flow(workers), flow_by_mirrors(workers)] {
                    let found = run(&machine, &part).unwrap_or_else(|e| panic!("{name} {spec} {workers}: {e}"));
                    let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * a.abs().max(1e-3);
                    assert!(found.iter().zip(&wanted).all(same), "{name} {spec} on {workers} workers");
                }
            }
        }
        let triangles = find("triangles").unwrap();
        if triangles.suits(&whole) {
            let args = example_args(triangles, spec, &whole);
            let refused = prepare(&flow(2), triangles, None).unwrap().run(&options(&args, &part)).unwrap_err();
            assert!(refused.to_string().contains("the graph is there in parts"), "{refused}");
        }
    }
}

/// Every worker changes its own graphs in the same way, and the edges of a worker follow.
#[test]
fn edges_come_and_go_on_all_workers() {
    let source = include_str!("../../../fuzz/tests/features/changing.gt");
    let module = || {
        let front = compile_front(&SourceFile::new("changing.gt", source)).unwrap();
        let mut schedule = ProgramSchedule::default();
        schedule.set_family(Some(Family::Cpu));
        let module = gw_ir::lower(&front.typed, source).unwrap();
        gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap()
    };
    let (graphs, args) = (SpecGraphs::new(), ["graph", "batch"]);
    graphs.insert(args[0], load("kron:7"));
    graphs.insert(args[1], load("grid:6x10"));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args) };
    let run = |machine: &dyn GraphVm| {
        let ran = gw_exec::Program::prepare(machine, Arc::new(module())).unwrap().run(&options).unwrap();
        (ran.printed.clone(), whole(&ran, "degree"), whole(&ran, "label"))
    };
    let wanted = run(&ReferenceVm::new());
    assert!(!wanted.0.contains('0'), "{}", wanted.0);
    for workers in [1, 2, 3, 4] {
        assert_eq!(run(&flow(workers)), wanted, "{workers} workers");
        assert_eq!(run(&flow_by_mirrors(workers)), wanted, "{workers} workers by mirrors");
    }
}

/// What a worker keeps of a graph from an earlier run holds under the cut of that run: a graph that is read behind
/// another one of the same size is cut like that one.
#[test]
fn graphs_trade_places_from_run_to_run() {
    let source = "element V end
element E end
element F end
const first : edgeset{E}(V,V) = load(argv[1]);
const second : edgeset{F}(V,V) = load(argv[2]);
const vertices : vertexset{V} = first.getVertices();
const x : vector{V}(int) = 0;
const y : vector{V}(int) = 0;
func begin(v : V) x[v] = v + 1; y[v] = 0; end
func over_first(src : V, dst : V) y[dst] += x[src]; end
func over_second(src : V, dst : V) x[dst] += y[src]; end
func main()
    vertices.apply(begin);
    for i in 0:2
        first.apply(over_first);
        second.apply(over_second);
    end
    print x.sum(), y.sum();
end
";
    let front = compile_front(&SourceFile::new("two.gt", source)).unwrap();
    let module = || {
        let module = gw_ir::lower(&front.typed, source).unwrap();
        let options = gw_ir::Options { family: Some(Family::Cpu), ..gw_ir::Options::default() };
        Arc::new(gw_ir::run_pipeline(module, &ProgramSchedule::new(), &options).unwrap())
    };
    // All edges of one stand at its beginning, all edges of the other at its end.
    let n = 60;
    let graph = |edges: Vec<(u32, u32)>| {
        let list = gw_graph::EdgeList::from_pairs(n, edges);
        Arc::new(gw_graph::build(list, &gw_graph::BuildOptions::default()).unwrap())
    };
    let (low, high) = (0..20, 40..60);
    let front_heavy = graph(low.clone().flat_map(|a| low.clone().map(move |b| (a, b))).collect());
    let back_heavy = graph(
        high.clone().flat_map(|a| high.clone().map(move |b| (a, b))).chain((0..60).map(|v| (v, 59 - v))).collect(),
    );
    let options = |args: [&str; 2]| {
        let graphs = SpecGraphs::new();
        graphs.insert("front", Arc::clone(&front_heavy));
        graphs.insert("back", Arc::clone(&back_heavy));
        RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args) }
    };
    let orders = [["front", "back"], ["back", "front"], ["front", "front"], ["front", "back"], ["back", "back"]];
    for machine in [flow(2), flow(3), flow_by_mirrors(2), flow_by_mirrors(3), flow_by_mirrors(4)] {
        let mut reference = gw_exec::Program::prepare(&ReferenceVm::new(), module()).unwrap();
        let mut program = gw_exec::Program::prepare(&machine, module()).unwrap();
        for args in orders {
            let limited = RunOptions { timeout: Some(std::time::Duration::from_secs(20)), ..options(args) };
            let found = program.run(&limited).unwrap_or_else(|error| panic!("{args:?}: {error}"));
            assert_eq!(found.printed, reference.run(&options(args)).unwrap().printed, "{args:?}");
        }
    }
}

/// A run that ends in its middle leaves nothing behind that the next one stumbles over.
#[test]
fn a_cancelled_run_changes_no_later_one() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let graph = load("kron:7");
    for name in ["cc", "bfs-levels", "pagerank"] {
        let program = find(name).unwrap();
        let args = example_args(program, "kron:7", &graph);
        for machine in [flow(3), flow_by_mirrors(3)] {
            let mut prepared = prepare(&machine, program, None).unwrap();
            for after in 0..12 {
                let mut cancelled = options(&args, &graph);
                let (cancel, steps) = (Arc::clone(&cancelled.cancel), AtomicU64::new(0));
                cancelled.observer = Some(Arc::new(move |_: &gw_exec::StepRecord| {
                    if steps.fetch_add(1, Ordering::Relaxed) >= after {
                        cancel.store(true, Ordering::Relaxed);
                    }
                }));
                // It may have been over before.
                let _ = prepared.run(&cancelled);
                let limit = Some(std::time::Duration::from_secs(20));
                let whole = RunOptions { timeout: limit, ..options(&args, &graph) };
                let result = prepared.run(&whole).unwrap_or_else(|error| panic!("{name} after {after}: {error}"));
                let run = Run { graph: &graph, args: &args, results: &result.globals };
                program.validate(&run).unwrap_or_else(|error| panic!("{name} after {after}: {error}"));
            }
        }
    }
}
