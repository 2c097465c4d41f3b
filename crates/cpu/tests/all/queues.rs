//! Priority queues of every kind on this machine: against validators, against the reference machine, and with input
//! that must be refused.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{Externs, GraphVm, Program, ReferenceVm, RunOptions, RunResult, SpecGraphs, Value, VertexSet};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Run, example_args, programs};
use gw_schedule::ProgramSchedule;

fn load(spec: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph)
}

fn prepare(vm: &dyn GraphVm, text: &str, schedule: &str) -> Program {
    let front = compile_front(&SourceFile::new("test.gt", text)).unwrap_or_else(|_| panic!("the program is right"));
    let module = gw_ir::lower(&front.typed, text).unwrap();
    let schedule: ProgramSchedule = schedule.parse().unwrap();
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap();
    Program::prepare(vm, Arc::new(module)).unwrap()
}

fn options(graph: &Arc<Graph>, args: &[&str]) -> RunOptions {
    let graphs = SpecGraphs::new();
    graphs.insert("g", Arc::clone(graph));
    let args = ["g"].iter().chain(args).map(ToString::to_string);
    RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args) }
}

/// Runs a standard program under a schedule and lets its validator judge.
fn judge(name: &str, spec: &str, schedule: &str, vm: &dyn GraphVm) {
    let program = programs().iter().find(|p| p.name == name).unwrap();
    let graph = load(spec);
    let args = example_args(program, "g", &graph);
    let mut prepared = prepare(vm, program.source, schedule);
    let rest: Vec<&str> = args[1..].iter().map(String::as_str).collect();
    let result = prepared.run(&options(&graph, &rest)).unwrap_or_else(|e| panic!("{name} {spec} {schedule}: {e}"));
    let run = Run { graph: &graph, args: &args, results: &result.globals };
    program.validate(&run).unwrap_or_else(|e| panic!("{name} {spec} {schedule}: {e}"));
}

#[test]
fn every_kind_of_queue_is_right_on_graphs_that_are_shared() {
    // Large enough for the team, for several windows of buckets and for hubs that are split.
    let machines = [CpuVm::new(2), CpuVm::with_tiny_chunks(3)];
    for vm in &machines {
        for spec in ["kron:13:weights=1..255", "road:80x80:weights=1..255", "star:20000:weights=1..9"] {
            for update in ["lazy", "lazy,buckets=4", "eager", "eager-with-merge", "eager-with-merge,merge=7"] {
                let schedule = format!("s0:s1@push,par=dynamic,update={update},delta=argv3");
                judge("sssp-delta", spec, &schedule, vm);
                let schedule = schedule.replace("argv3", "argv4");
                judge("ppsp", spec, &schedule, vm);
                judge("astar", spec, &schedule.replace("argv4", "argv5"), vm);
            }
            judge("sssp-delta", spec, "s0:s1@push,par=serial,update=eager,delta=argv3", vm);
            judge("sssp-delta", spec, "s0:s1@pull,par=dynamic,update=lazy,delta=argv3", vm);
        }
        for spec in ["kron:13", "road:80x80", "star:20000", "complete:90"] {
            for update in ["lazy", "lazy,buckets=4", "constant-sum", "constant-sum,buckets=2"] {
                judge("kcore", spec, &format!("s0:s1@push,par=dynamic,update={update}"), vm);
                judge("kcore", spec, &format!("s0:s1@pull,par=dynamic,update={update}"), vm);
                judge("kcore", spec, &format!("s0:s1@push,par=serial,update={update}"), vm);
            }
        }
    }
}

#[test]
fn every_intersection_counts_the_same_triangles() {
    for vm in [CpuVm::new(2), CpuVm::with_tiny_chunks(3)] {
        for method in ["naive", "hiroshi", "multiskip", "combined", "binary-search"] {
            for direction in ["push", "pull"] {
                let schedule = format!("s1@{direction},par=dynamic;s2@intersect={method}");
                judge("tc", "kron:11", &schedule, &vm);
                judge("tc", "grid:20x20", &schedule, &vm);
            }
        }
    }
}

const HEAD: &str = "element V end
element E end
const edges : edgeset{E}(V,V,int) = load(argv[1]);
const vertices : vertexset{V} = edges.getVertices();
const dist : vector{V}(int) = 2147483647;
const queue : priority_queue{V}(int);
";

const MAIN: &str = "func main()
    dist[0] = 0;
    queue = new priority_queue{V}(int)(false, false, dist, 1, 0, false, 0);
    #s0# while queue.finished() == false
        var near : vertexset{V} = queue.dequeue_ready_set();
        #s1# edges.from(near).applyUpdatePriority(relax);
        delete near;
    end
end
";

const RELAX: &str = "func relax(src : V, dst : V, weight : int)
    queue.updatePriorityMin(dst, dist[dst], dist[src] + weight);
end
";

const SCHEDULES: [&str; 3] = [
    "s0:s1@push,par=dynamic,update=lazy",
    "s0:s1@push,par=dynamic,update=eager",
    "s0:s1@push,par=dynamic,update=eager-with-merge",
];

fn run(text: &str, schedule: &str, graph: &Arc<Graph>) -> gw_exec::Result<RunResult> {
    prepare(&CpuVm::with_tiny_chunks(2), text, schedule).run(&options(graph, &[]))
}

#[test]
fn distances_that_do_not_fit_are_an_error() {
    let graph = load("path:5:weights=1000000000..1000000000");
    for schedule in SCHEDULES {
        let error = run(&format!("{HEAD}{RELAX}{MAIN}"), schedule, &graph).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("a distance that overflows `int`"), "{schedule}: {error}");
        assert_eq!(error.span().line, 8, "{schedule}");
    }
    let fits = load("path:3:weights=1000000000..1000000000");
    for schedule in SCHEDULES {
        let result = run(&format!("{HEAD}{RELAX}{MAIN}"), schedule, &fits).unwrap();
        let dist = result.globals.vector("dist").unwrap().to_vec::<i32>().unwrap();
        assert_eq!(dist, [0, 1_000_000_000, 2_000_000_000]);
    }
}

#[test]
fn negative_weights_are_refused_with_the_mend() {
    let graph = load("path:50:weights=-3..5");
    for schedule in SCHEDULES {
        let error = run(&format!("{HEAD}{RELAX}{MAIN}"), schedule, &graph).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("the graph has the negative weight -3"), "{schedule}: {error}");
        assert!(error.to_string().contains("Bellman-Ford"), "{error}");
    }
}

/// A function that is not compiled, because it prints, still finds its queue.
#[test]
fn loops_that_are_not_compiled_use_the_same_queues() {
    let graph = load("road:9x9:weights=1..9");
    let plain = run(&format!("{HEAD}{RELAX}{MAIN}"), SCHEDULES[1], &graph).unwrap();
    let wanted = plain.globals.vector("dist").unwrap().to_vec::<i32>().unwrap();
    let printing = RELAX.replace("    queue", "    if dst == 999999\n        print dst;\n    end\n    queue");
    for schedule in SCHEDULES {
        let result = run(&format!("{HEAD}{printing}{MAIN}"), schedule, &graph).unwrap();
        assert_eq!(result.globals.vector("dist").unwrap().to_vec::<i32>().unwrap(), wanted, "{schedule}");
    }
}

/// What an ordered function writes besides the priorities does not disturb them, even the source's own entries.
#[test]
fn functions_may_write_other_vectors() {
    let graph = load("kron:9:weights=1..64");
    let mut reference = prepare(&ReferenceVm::new(), &format!("{HEAD}{RELAX}{MAIN}"), SCHEDULES[0]);
    let wanted = reference.run(&options(&graph, &[])).unwrap().globals.vector("dist").unwrap().to_vec::<i32>();
    let relax = RELAX.replace("    queue", "    tried[src] += 1;\n    longest max= weight;\n    queue");
    let relax = format!("const tried : vector{{V}}(int) = 0;\nconst longest : int = 0;\n{relax}");
    for schedule in SCHEDULES {
        let result = run(&format!("{HEAD}{relax}{MAIN}"), schedule, &graph).unwrap();
        assert_eq!(result.globals.vector("dist").unwrap().to_vec::<i32>(), wanted, "{schedule}");
        assert!(result.globals.get("longest").unwrap().as_int() <= Some(64), "{schedule}");
        assert!(result.globals.get("longest").unwrap().as_int() > Some(32), "{schedule}");
    }
}

/// An extern function edits priorities; what it returns is queued anew.
#[test]
fn extern_priority_updates_are_bucketed_again() {
    let text = "element V end
element E end
const edges : edgeset{E}(V,V,int) = load(argv[1]);
const vertices : vertexset{V} = edges.getVertices();
const rank : vector{V}(int) = 3;
const rounds : int = 0;
const queue : priority_queue{V}(int);
extern func lower(ready : vertexset{V}) -> moved : vertexset{V};
func main()
    queue = new priority_queue{V}(int)(false, false, rank, 0, 0, true, -1);
    while queue.finished() == false
        var ready : vertexset{V} = queue.dequeue_ready_set();
        ready.applyUpdatePriorityExtern(lower);
        delete ready;
        rounds += 1;
    end
end
";
    let mut program = prepare(&CpuVm::with_tiny_chunks(2), text, "default");
    let mut options = options(&load("path:30:weights=1..2"), &[]);
    let mut externs = Externs::new();
    externs.register("lower", |call| {
        let Some(Value::Vector(rank)) = call.global("rank") else { return Err("no ranks".into()) };
        let ready = call.args()[0].as_set().and_then(|set| set.ids().ok()).unwrap_or_default();
        let mut moved = Vec::new();
        for v in ready {
            // Ranks fall to 1, which is the end of the way.
            let now = rank.get(v as usize).and_then(|r| r.as_int()).unwrap_or(0);
            if now > 1 {
                rank.set(v as usize, &Value::Int(now - 1));
                moved.push(v);
            }
        }
        Ok(VertexSet::from_ids(moved).into())
    });
    options.externs = Arc::new(externs);
    let result = program.run(&options).unwrap();
    assert_eq!(result.globals.get("rounds").unwrap().as_int(), Some(3));
    assert_eq!(result.globals.vector("rank").unwrap().to_vec::<i32>(), Some(vec![1; 30]));
}

/// What a program prints or why it fails, on the reference machine and under schedules on this machine.
fn agree(text: &str, schedules: &[&str], spec: &str) -> Result<String, String> {
    let graph = load(spec);
    let outcome = |vm: &dyn GraphVm, schedule: &str| {
        let result = prepare(vm, text, schedule).run(&options(&graph, &[]));
        result.map(|r| r.printed).map_err(|e| format!("line {}: {e}", e.span().line))
    };
    let wanted = outcome(&ReferenceVm::new(), "default");
    for schedule in schedules {
        assert_eq!(outcome(&ReferenceVm::new(), schedule), wanted, "reference, {schedule}\n{text}");
        for vm in [CpuVm::new(1), CpuVm::with_tiny_chunks(2)] {
            assert_eq!(outcome(&vm, schedule), wanted, "{schedule}\n{text}");
        }
    }
    wanted
}

/// A program that dequeues once and adds to the priorities of the neighbours.
fn adding(scalar: &str, first: &str, amount: &str) -> String {
    format!(
        "element V end
element E end
const edges : edgeset{{E}}(V,V) = load(argv[1]);
const vertices : vertexset{{V}} = edges.getVertices();
const first : {scalar} = {first};
const none : {scalar} = 0;
const amount : int = 100;
const rank : vector{{V}}({scalar}) = 0;
const queue : priority_queue{{V}}({scalar});
func begin(v : V)
    rank[v] = first;
end
func add(src : V, dst : V)
    queue.updatePrioritySum(dst, {amount}, none);
end
func main()
    vertices.apply(begin);
    queue = new priority_queue{{V}}({scalar})(false, false, rank, 1, 0, true, -1);
    var ready : vertexset{{V}} = queue.dequeue_ready_set();
    #s1# edges.from(ready).applyUpdatePriority(add);
    print rank[0];
    print queue.finished();
end
"
    )
}

#[test]
fn sums_that_do_not_fit_are_an_error() {
    let constant =
        ["s1@push,update=lazy", "s1@pull,update=lazy", "s1@push,update=constant-sum", "s1@pull,update=constant-sum"];
    for (scalar, most) in [("int", 2147483646u64), ("uint", 4294967294), ("uint_64", u64::MAX - 1)] {
        // Numbers of a program end at 2^63.
        let text = |below: u64| match most - below {
            n if n > i64::MAX as u64 => format!("(4294967295 * 4294967296 + {})", n - (0xffff_ffff << 32)),
            n => n.to_string(),
        };
        for (amount, schedules) in [("100", &constant[..]), ("amount", &constant[..2])] {
            let schedules = if scalar == "uint_64" && amount == "100" { &constant[..2] } else { schedules };
            let fits = agree(&adding(scalar, &text(100), amount), schedules, "path:2");
            assert_eq!(fits, Ok(format!("{most}\n0\n")), "{scalar}");
            for below in [99, 98, 50] {
                let error = agree(&adding(scalar, &text(below), amount), schedules, "path:2").unwrap_err();
                assert!(
                    error.starts_with("line 14: a vertex would get a negative priority or one that is too large"),
                    "{error}"
                );
            }
        }
    }
}

/// Nothing added is nothing changed, also to a vertex that is not queued.
#[test]
fn sums_of_nothing_move_no_vertex() {
    let schedules = ["s1@push,update=lazy", "s1@pull,update=lazy"];
    for scalar in ["int", "uint", "uint_64", "float"] {
        let program = adding(scalar, "5", "amount").replace("amount : int = 100", "amount : int = 0");
        let program = program.replace("dst, amount", if scalar == "float" { "dst, none" } else { "dst, amount" });
        assert_eq!(agree(&program, &schedules, "path:2"), Ok("5\n1\n".to_string()), "{scalar}");
    }
    let unqueued = adding("int", "2147483647", "amount").replace("amount : int = 100", "amount : int = 0");
    let from_all = unqueued.replace("edges.from(ready)", "edges");
    assert_eq!(agree(&from_all, &schedules, "path:2"), Ok("2147483647\n1\n".to_string()));
}

#[test]
fn the_priority_that_means_not_queued_is_no_distance() {
    let program = |first: &str| format!("{HEAD}{RELAX}{}", MAIN.replace("dist[0] = 0", &format!("dist[0] = {first}")));
    let schedules =
        [&SCHEDULES[..], &["s0:s1@pull,par=dynamic,update=lazy", "s0:s1@push,par=serial,update=eager"]].concat();
    let fits = program("2147483644").replace("    end\nend", "    end\n    print dist[2];\nend");
    assert_eq!(agree(&fits, &schedules, "path:3:weights=1..1"), Ok("2147483646\n".to_string()));
    let error = agree(&program("2147483645"), &schedules, "path:3:weights=1..1").unwrap_err();
    assert!(error.starts_with("line 8: a vertex would get a negative priority or one that is too large"), "{error}");
    for scalar in ["uint", "uint_64"] {
        let greatest = if scalar == "uint" { "4294967295" } else { "(4294967295 * 4294967296 + 4294967295)" };
        let text = program(&format!("{greatest} - 2")).replace("2147483647", greatest);
        let text = text.replace("vector{V}(int)", &format!("vector{{V}}({scalar})"));
        let text = text.replace("queue{V}(int)", &format!("queue{{V}}({scalar})"));
        let error = agree(&text, &schedules, "path:3:weights=1..1").unwrap_err();
        assert!(error.starts_with("line 8: a vertex would get"), "{scalar}: {error}");
    }
}

/// Every kind of queue begins with the vertices that have a priority when it is made, whatever the start vertex, and
/// keeps what a loop leaves.
#[test]
fn all_queues_begin_and_go_on_as_the_reference_machine() {
    let head = format!("{HEAD}const rounds : int = 0;\n{RELAX}");
    let make = "    queue = new priority_queue{V}(int)(false, false, dist, 1, 0, false, 0);\n";
    let lap = |label: &str, condition: &str| {
        format!(
            "    #{label}# while {condition}
        var near : vertexset{{V}} = queue.dequeue_ready_set();
        #s1# edges.from(near).applyUpdatePriority(relax);
        delete near;
    end
    print queue.get_current_priority();
    print queue.finished();
    print queue.finishedNode(3);
    print dist[0];
    print dist[3];
    print dist[8];
"
        )
    };
    let (all, some) = ("queue.finished() == false", "queue.finished() == false and queue.finishedNode(3) == false");
    let early = "queue.finished() == false and queue.get_current_priority() < 4";
    let dequeue = "    var one : vertexset{V} = queue.dequeue_ready_set();\n    print one.getVertexSetSize();\n";
    let none = make.to_string();
    let late = format!("{make}    dist[0] = 0;\n");
    let usual = format!("    dist[0] = 0;\n{make}");
    let others = format!("    dist[5] = 3;\n    dist[6] = 0;\n{make}");
    let moved = format!("    dist[0] = 0;\n    dist[5] = 0;\n{make}    dist[5] = 7;\n");
    let negative = format!("    dist[4] = -1;\n{make}");
    for begin in [none, late, usual, others, moved, negative] {
        for condition in [all, some, early] {
            for second in [String::new(), lap("s2", all), dequeue.to_string(), format!("{dequeue}{}", lap("s2", all))] {
                let text = format!("{head}func main()\n{begin}{}{second}end\n", lap("s0", condition));
                for update in ["lazy", "eager", "eager-with-merge", "eager-with-merge,merge=1"] {
                    // Who asks for the bucket sees how many rounds it took, which is up to the schedule.
                    if condition == early && update.contains("merge") {
                        continue;
                    }
                    for delta in [1, 3] {
                        let labels: &[&str] = if second.contains("#s2#") { &["s0:s1", "s2:s1"] } else { &["s0:s1"] };
                        let one = |label| format!("{label}@push,par=dynamic,update={update},delta={delta}");
                        let schedule = labels.iter().map(one).collect::<Vec<_>>().join(";");
                        let lazy = schedule.replace(&format!("update={update}"), "update=lazy");
                        let graph = load("path:9:weights=1..5");
                        let printed = |vm: &dyn GraphVm, schedule: &str| {
                            let result = prepare(vm, &text, schedule).run(&options(&graph, &[]));
                            result.map(|r| r.printed).map_err(|e| e.to_string())
                        };
                        let wanted = printed(&ReferenceVm::new(), &lazy);
                        for vm in [CpuVm::new(1), CpuVm::with_tiny_chunks(2)] {
                            assert_eq!(printed(&vm, &schedule), wanted, "{schedule}\n{text}");
                        }
                    }
                }
            }
        }
    }
}
