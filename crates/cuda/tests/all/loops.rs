//! The forms of loops that other tests only meet by chance: a kernel that the device launches again and again, and
//! one block that hands large frontiers to the host.

use std::sync::{Arc, Mutex};

use gw_cuda::CudaVm;
use gw_device::{Device, Usage};
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, Observer, RunOptions, SpecGraphs, StepRecord};
use gw_graph::GraphSpec;
use gw_graph::progress::Silent;
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Run, example_args};
use gw_schedule::{Family, PointKind, Schedule};

/// Notes the operators that ran, loops among them.
#[derive(Default)]
struct Steps(Mutex<Vec<String>>);

impl Observer for Steps {
    fn step(&self, record: &StepRecord) {
        self.0.lock().unwrap().push(record.operator.to_string());
    }
}

/// What one run did.
struct Told {
    steps: Vec<String>,
    usage: Usage,
}

impl Told {
    fn count(&self, operator: &str) -> usize {
        self.steps.iter().filter(|step| *step == operator).count()
    }
}

/// Runs a program with its outer loops in a form and all else as the machine chooses; the results must be right.
/// `None` without an emulated device.
fn run(program: &str, spec: &str, form: &str) -> Option<Told> {
    Some(run_on(EmulatedDevice::new()?, program, spec, form))
}

fn run_on(device: EmulatedDevice, program: &str, spec: &str, form: &str) -> Told {
    let spec = &crate::sized(spec);
    let device = Arc::new(device);
    let vm = CudaVm::on(Arc::clone(&device) as Arc<dyn Device>);
    let program = gw_programs::find(program).unwrap();
    let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
    let front = compile_front(&SourceFile::new(program.file, program.source)).unwrap_or_else(|_| panic!("no front"));
    let module = gw_ir::lower(&front.typed, program.source).unwrap();
    let (module, choice) = vm.choose(module, &graph);
    let mut schedule = choice.schedule;
    let wanted: Schedule = format!("loop={form}").parse().unwrap();
    let mut loops = 0;
    for place in gw_ir::points::program_points(&module) {
        if let Some(path) = &place.path
            && place.point.kind == PointKind::WhileLoop
            && wanted.legal(&place.point).is_ok()
        {
            schedule.set(path, wanted.clone()).unwrap();
            loops += 1;
        }
    }
    assert!(loops > 0, "{}: no loop takes `{wanted}`", program.name);
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &options).unwrap();
    let mut prepared = gw_exec::Program::prepare(&vm, Arc::new(module)).unwrap_or_else(|e| panic!("{e}"));
    let args = example_args(program, spec, &graph);
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(&graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
    let checked = |result: gw_exec::Result<gw_exec::RunResult>| {
        let result = result.unwrap_or_else(|e| panic!("{} on {spec}: {e}", program.name));
        let run = Run { graph: &graph, args: &args, results: &result.globals };
        program.validate(&run).unwrap_or_else(|e| panic!("{} on {spec}: {e}", program.name));
    };
    let before = device.usage();
    checked(prepared.run(&options));
    let after = device.usage();
    // Again, because executables are reused, with somebody who looks on.
    let steps = Arc::new(Steps::default());
    checked(prepared.run(&RunOptions { observer: Some(Arc::clone(&steps) as Arc<dyn Observer>), ..options }));
    let usage = Usage { launches: after.launches - before.launches, waits: after.waits - before.waits, ..after };
    Told { steps: std::mem::take(&mut steps.0.lock().unwrap()), usage }
}

#[test]
fn the_device_repeats_loops_over_frontiers() {
    for spec in ["path:1:weights=1..2", "path:40:weights=1..20", "road:12x12:weights=1..50", "kron:8:weights=1..64"] {
        for program in ["bfs", "sssp", "cc"] {
            run(program, spec, "device-graph");
        }
    }
}

#[test]
fn the_device_repeats_loops_with_queues() {
    for spec in ["path:1:weights=1..2", "road:12x12:weights=1..50", "kron:8:weights=1..64"] {
        for program in ["sssp-delta", "kcore", "ppsp"] {
            run(program, spec, "device-graph");
        }
    }
}

/// Lists, views into them, scalars of both kinds, loops in loops.
#[test]
fn the_device_repeats_loops_with_all_kinds_of_variables() {
    let programs = ["bc", "setcover", "coloring", "pagerank", "pagerank-delta", "kcore-unordered"];
    for program in &programs[..gw_testing::usually(3, programs.len())] {
        run(program, "kron:6:weights=1..64", "device-graph");
        run(program, "road:6x6:weights=1..50", "device-graph");
    }
}

#[test]
fn a_repeated_loop_is_one_launch_and_one_wait() {
    let Some(short) = run("bfs", "path:10", "device-graph") else { return };
    let Some(long) = run("bfs", "path:60", "device-graph") else { return };
    assert_eq!((short.usage.launches, short.usage.waits), (long.usage.launches, long.usage.waits));
    assert_eq!((long.count("While"), long.count("EdgeSetIterator")), (1, 0), "{:?}", long.steps);
}

/// Loops with many balancers may not fit in large blocks.
#[test]
fn loops_that_do_not_compile_get_smaller_blocks() {
    let Some(device) = EmulatedDevice::new() else { return };
    let told = run_on(device.with_largest_block(256), "bfs", "kron:8", "fused");
    assert_eq!(told.count("While"), 1, "{:?}", told.steps);
}

/// Fused loops whose frontiers are small, grow beyond what one block takes, and shrink again.
#[test]
fn one_block_runs_rounds_of_few_edges_alone() {
    let programs = ["kcore", "bfs", "sssp-delta", "bc", "sssp", "ppsp", "cc"];
    let taken = gw_testing::usually(4, programs.len());
    for spec in ["path:40:weights=1..20", "road:12x12:weights=1..50", "kron:9:weights=1..64"] {
        for program in &programs[..taken] {
            run(program, spec, "fused");
        }
    }
}

#[test]
fn one_block_runs_loops_over_small_frontiers() {
    let programs = ["bfs", "bc", "sssp-delta", "kcore", "mis", "sssp", "cc", "ppsp", "coloring", "pagerank-delta"];
    let taken = gw_testing::usually(3, programs.len());
    for spec in ["path:1:weights=1..2", "road:12x12:weights=1..50", "kron:8:weights=1..64"] {
        for program in &programs[..taken] {
            run(program, spec, "single-block");
        }
    }
    let Some(told) = run("bfs", "road:12x12", "single-block") else { return };
    assert_eq!((told.count("While"), told.count("EdgeSetIterator")), (1, 0), "{:?}", told.steps);
}

/// A star has one small frontier, then one of all leaves; the block is entered again for what is left.
#[test]
fn the_host_takes_over_large_frontiers() {
    let Some(told) = run("bfs", "star:3000", "single-block") else { return };
    assert!(told.count("While") > 0 && told.count("EdgeSetIterator") > 0, "{:?}", told.steps);
    assert_eq!(told.steps.last().map(String::as_str), Some("While"), "{:?}", told.steps);
    for program in ["bc", "sssp-delta", "sssp", "cc", "kcore"] {
        let Some(told) = run(program, "star:3000:weights=1..20", "single-block") else { return };
        assert!(told.count("EdgeSetIterator") > 0, "{program}: {:?}", told.steps);
    }
}

/// A loop that may end before it begins or in the middle, whose variables the host sees afterwards: numbers, and a
/// set taken off a list.
const VARIABLES: &str = "element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const vertices : vertexset{Vertex} = edges.getVertices();
const x : vector{Vertex}(int) = 0;
const total : int = 0;
const rounds : int = 0;
func bump(v : Vertex)
    x[v] += 1;
    total += 1;
end
func first(v : Vertex) -> yes : bool
    yes = v < 5;
end
func main()
    var few : vertexset{Vertex} = vertices.filter(first);
    var sets : list{vertexset{Vertex}} = new list{vertexset{Vertex}}();
    sets.append(few);
    sets.append(vertices);
    sets.append(few);
    sets.append(few);
    var top : vertexset{Vertex} = new vertexset{Vertex}(0);
    var limit : int = atoi(argv[2]);
    var i : int = 0;
    var half : double = 1.0;
    #s0# while i < limit
        top = sets.pop();
        top.apply(bump);
        i = i + 1;
        rounds = rounds + 10;
        half = half / 2.0;
        if i == 3
            break;
        end
    end
    print i;
    print half;
    print rounds;
    print total;
    print x.sum();
    print top.getVertexSetSize();
    top.apply(bump);
    print total;
end
";

/// The program with its loop in a form, ready to run.
fn variables(vm: &CudaVm, form: &str) -> gw_exec::Result<gw_exec::Program> {
    let file = SourceFile::new("variables.gt", VARIABLES);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", gw_lang::diagnostic::render(&e, &file, false)));
    let module = gw_ir::lower(&front.typed, VARIABLES).unwrap();
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let schedule = format!("s0@loop={form}").parse().unwrap();
    let module = gw_ir::run_pipeline(module, &schedule, &options).unwrap();
    gw_exec::Program::prepare(vm, Arc::new(module))
}

#[test]
fn a_driver_without_conditional_nodes_is_told_with_the_line() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device.without_repeats()));
    let error = variables(&vm, "device-graph").map(|_| ()).unwrap_err();
    let line = VARIABLES.lines().position(|line| line.contains("#s0#")).unwrap() + 1;
    assert_eq!(error.span().line as usize, line, "{error}");
    assert!(error.to_string().contains("`loop=device-graph`") && error.to_string().contains("12.4"), "{error}");
    assert!(variables(&vm, "fused").is_ok());
}

#[test]
fn variables_come_back_from_every_form() {
    let expected = [
        ("0", ["0", "1", "0", "0", "0", "0", "0"]),
        ("1", ["1", "0.5", "10", "5", "5", "5", "10"]),
        ("2", ["2", "0.25", "20", "10", "10", "5", "15"]),
        ("9", ["3", "0.125", "30", "50", "50", "40", "90"]),
    ];
    let graph = Arc::new(GraphSpec::parse("path:40").and_then(|s| s.load(&Silent)).unwrap().graph);
    for form in ["host", "fused", "device-graph"] {
        let Some(device) = EmulatedDevice::new() else { return };
        let vm = CudaVm::on(Arc::new(device));
        let mut prepared = variables(&vm, form).unwrap_or_else(|e| panic!("{e}"));
        for (rounds, lines) in &expected {
            let graphs = SpecGraphs::new();
            graphs.insert("path", Arc::clone(&graph));
            let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(["path", rounds]) };
            let result = prepared.run(&options).unwrap_or_else(|e| panic!("{form}: {e}"));
            assert_eq!(result.printed.lines().collect::<Vec<_>>(), lines, "{form}, {rounds} rounds");
        }
    }
}
