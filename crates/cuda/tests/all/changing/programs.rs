//! Programs on graphs that change, on an emulated GPU: lists in blocks give what compressed rows give, and stay on the
//! device from batch to batch.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_dynamic::{Batch, ChangedEdge, DynamicGraph, EdgeWeight, Ends};
use gw_emulator::EmulatedDevice;
use gw_exec::{EdgeChange, GraphVm, MachineReport, RunOptions, SpecGraphs, Value};
use gw_graph::progress::Silent;
use gw_graph::rng::Rng;
use gw_graph::{Graph, GraphSpec, Names};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args, find, programs};
use gw_schedule::{Family, ProgramSchedule};

type Results = Vec<(String, Vec<f64>)>;

/// The results of a program on a graph; a validator has looked at them, which reads `rows`.
fn run(
    vm: &CudaVm,
    program: &Program,
    schedule: Option<&str>,
    graph: &Arc<Graph>,
    rows: &Arc<Graph>,
) -> Result<Results, String> {
    let text = program.example_text();
    let front = compile_front(&SourceFile::new(program.file, &*text).with_weights(program.usual_weights()))
        .map_err(|_| "does not compile")?;
    let module = gw_ir::lower(&front.typed, &text).map_err(|e| e.to_string())?;
    let (module, schedule) = match schedule {
        Some(text) => (module, text.parse::<ProgramSchedule>().map_err(|e| e.to_string())?),
        None => {
            let (module, choice) = vm.choose(module, graph);
            (module, choice.schedule)
        }
    };
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &options).map_err(|e| e.to_string())?;
    let mut prepared = gw_exec::Program::prepare(vm, Arc::new(module)).map_err(|e| e.to_string())?;
    let args = example_args(program, "changing", rows);
    let graphs = SpecGraphs::new();
    graphs.insert("changing", Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
    let result = prepared.run(&options).map_err(|e| e.to_string())?;
    let checked = Run { graph: rows, args: &args, results: &result.globals };
    program.validate(&checked).map_err(|e| e.to_string())?;
    let numbers = |value: &Value| match value {
        Value::Vector(vector) => vector.to_f64(),
        Value::Set(set) => set.ids().unwrap_or_default().into_iter().map(f64::from).collect(),
        value => value.bits().into_iter().map(|bits| bits as f64).collect(),
    };
    Ok(result.globals.iter().map(|(name, value)| (name.to_string(), numbers(value))).collect())
}

/// A graph after a batch of changes with the degrees of the graph.
fn change<W: EdgeWeight>(graph: &mut DynamicGraph<W>, seed: u64, weight: impl Fn(u64) -> W) -> Vec<ChangedEdge<W>> {
    let (mut random, mut batch) = (Rng::new(seed, 0), Batch::new());
    let snapshot = graph.snapshot();
    for _ in 0..graph.edges() / 8 + 4 {
        let [source, target] = [0; 2].map(|_| random.below(graph.vertices() as u64) as u32);
        let list = snapshot.neighbours(source);
        match random.below(2) {
            0 if !list.is_empty() => batch.delete(source, list[random.below(list.len() as u64) as usize]),
            // Many programs want no loops.
            _ if source == target => continue,
            _ => batch.insert(source, target, weight(random.below(20) + 1)),
        };
    }
    drop(snapshot);
    graph.apply(&batch).unwrap().changes
}

fn load(spec: &str) -> Graph {
    GraphSpec::parse(spec).and_then(|spec| spec.load(&Silent)).unwrap().graph
}

fn is_copied(graph: &Graph) -> bool {
    graph.derived().iter().any(|form| form.name.starts_with("compressed copy"))
}

/// Names of results that differ.
fn differences(here: &Results, there: &Results) -> Vec<String> {
    let near = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-4 * (a.abs() + b.abs());
    let same = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| near(a, b));
    here.iter().zip(there).filter(|(a, b)| !same(&a.1, &b.1)).map(|(a, _)| a.0.clone()).collect()
}

/// Programs whose results do not depend on the order of threads, read in place and from rows; others are only
/// validated. No copy in compressed rows is made on the host.
fn same<W: EdgeWeight>(names: &[&str], spec: &str, ends: Ends, weight: impl Fn(u64) -> W, exact: bool) {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let mut dynamic = DynamicGraph::<W>::from_graph(&load(spec), ends).unwrap();
    change(&mut dynamic, 5, weight);
    let snapshot = dynamic.snapshot();
    let rows = Arc::new(snapshot.to_graph().unwrap());
    for name in names {
        let program = find(name).unwrap();
        if !program.suits(&rows) {
            continue;
        }
        let spans = Arc::new(snapshot.graph().unwrap());
        let here = run(&vm, program, None, &spans, &rows).unwrap_or_else(|e| panic!("{name} on {spec}: {e}"));
        assert!(!is_copied(&spans), "{name} on {spec} reads a copy");
        if exact {
            let there = run(&vm, program, None, &rows, &rows).unwrap();
            assert_eq!(differences(&here, &there), Vec::<String>::new(), "{name} on {spec}");
        }
    }
}

#[test]
fn programs_read_lists_where_they_stand() {
    same(&["bfs-levels", "cc", "pagerank", "tc", "triangles", "kcore"], "kron:7", Ends::Undirected, |_| (), true);
}

#[test]
fn directed_graphs_and_both_sides() {
    same(&["bfs-levels", "scc", "pagerank"], "kron:6:directed", Ends::DirectedBoth, |_| (), false);
    same(&["bfs-levels", "pagerank"], "kron:6:directed", Ends::Directed, |_| (), false);
}

#[test]
fn weights_and_positions_of_edges() {
    same(&["sssp", "bc-edges", "walks", "ktruss"], "kron:6:weights=1..9", Ends::Undirected, |w| w as i32, false);
}

/// All programs, in a nightly run.
#[test]
fn every_program() {
    if !gw_testing::is_nightly() {
        return;
    }
    let names: Vec<&str> = programs().iter().map(|program| program.name).collect();
    // Classes of edges and weights for all edges stand in arrays of compressed rows.
    let names: Vec<&str> = names.into_iter().filter(|name| !["louvain", "leiden"].contains(name)).collect();
    same(&names, "kron:6:weights=1..9", Ends::Undirected, |w| w as i32, false);
    same(&names, "road:6x6", Ends::Undirected, |_| (), false);
}

/// Every balancer walks lists in blocks.
#[test]
fn schedules_walk_lists_in_blocks() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let mut dynamic = DynamicGraph::<()>::from_graph(&load("kron:6"), Ends::Undirected).unwrap();
    change(&mut dynamic, 9, |_| ());
    let snapshot = dynamic.snapshot();
    let rows = Arc::new(snapshot.to_graph().unwrap());
    let (bfs, spans) = (find("bfs-levels").unwrap(), Arc::new(snapshot.graph().unwrap()));
    let all = [
        "on=gpu;push,lb=twc",
        "on=gpu;push,lb=wm,hubs=8",
        "on=gpu;pull,lb=cm,frontier=bitmap,create=unfused-bitmap",
        "on=gpu;pull,lb=vw8,frontier=boolmap",
        "on=gpu;dense-push,lb=strict,frontier=bitmap",
        "on=gpu;push,lb=merge-path",
        "on=gpu;push,lb=multi-phase,leaves=drop",
        "on=gpu;push,lb=cta-warp-scan",
        "on=gpu;pull,lb=local-warp-search",
        "on=gpu;push,lb=dvw",
        "on=gpu;push,lb=etwc,edges=csr-m",
    ];
    let step = gw_testing::usually(3, 1);
    for schedule in all.into_iter().step_by(step) {
        run(&vm, bfs, Some(schedule), &spans, &rows).unwrap_or_else(|e| panic!("{schedule}: {e}"));
    }
    assert!(!is_copied(&spans));
    // The list of all edges is made on the host.
    run(&vm, bfs, Some("on=gpu;push,lb=edge-only"), &spans, &rows).unwrap();
}

/// Classes of edges stand beside compressed rows: a program that looks at them reads a copy.
#[test]
fn classes_of_edges_are_read_in_rows() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let mut dynamic = DynamicGraph::<i32>::from_graph(&load("kron:6:weights=1..9"), Ends::Undirected).unwrap();
    change(&mut dynamic, 9, |w| w as i32);
    let snapshot = dynamic.snapshot();
    let (rows, spans) = (Arc::new(snapshot.to_graph().unwrap()), Arc::new(snapshot.graph().unwrap()));
    let schedule = "on=gpu;push,lb=etwc,classes=marked";
    run(&vm, find("sssp").unwrap(), Some(schedule), &spans, &rows).unwrap();
    assert!(is_copied(&spans));
}

fn changes<W: EdgeWeight>(changed: &[ChangedEdge<W>]) -> impl Iterator<Item = EdgeChange> {
    let change =
        |edge: &ChangedEdge<W>| EdgeChange { source: edge.source, target: edge.target, weight: edge.new_bits() };
    changed.iter().map(change)
}

/// From batch to batch only changes go to the device, and results are those of the graph as it is; its vertices have
/// ids, to which batches add.
#[test]
fn lists_stay_on_the_device() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let mut dynamic = DynamicGraph::<i32>::from_graph(&load("kron:7:weights=1..9"), Ends::Undirected).unwrap();
    let name = |dynamic: &mut DynamicGraph<i32>, vertices: usize| {
        let ids = (0..vertices as u64).map(|vertex| 7 * vertex + 1000).collect();
        dynamic.name(Arc::new(Names::from_unsigned(ids))).unwrap();
    };
    let vertices = dynamic.vertices();
    name(&mut dynamic, vertices);
    let program = find("sssp").unwrap();
    let view = |dynamic: &DynamicGraph<i32>| Arc::new(dynamic.snapshot().graph().unwrap());
    let rows = |dynamic: &DynamicGraph<i32>| Arc::new(dynamic.snapshot().to_graph().unwrap());
    let spans = view(&dynamic);
    run(&vm, program, None, &spans, &rows(&dynamic)).unwrap();
    let mut before = spans.out().id();
    drop(spans);
    for round in 0..4 {
        if round == 2 {
            name(&mut dynamic, vertices + 70);
        }
        let changed = change(&mut dynamic, 100 + round, |w| w as i32);
        let after = view(&dynamic);
        let sent = vm.usage().unwrap().uploaded_bytes;
        assert!(vm.follow(before, &after, &mut changes(&changed)).unwrap(), "round {round}");
        let sent = vm.usage().unwrap().uploaded_bytes - sent;
        assert!(sent <= 12 * changed.len() as u64, "{sent} bytes for {} changes", changed.len());
        let sent = vm.usage().unwrap().uploaded_bytes;
        run(&vm, program, None, &after, &rows(&dynamic)).unwrap();
        let sent = vm.usage().unwrap().uploaded_bytes - sent;
        assert!(sent < 4 * dynamic.edges() as u64, "{sent} bytes for a run");
        before = after.out().id();
    }
    // Changes that do not lead to the graph are found out, and the graph comes from the host.
    let changed = change(&mut dynamic, 200, |w| w as i32);
    let after = view(&dynamic);
    assert!(!vm.follow(before, &after, &mut changes(&changed[1..])).unwrap());
    assert!(!vm.follow(before, &after, &mut [].into_iter()).unwrap(), "nobody has these lists");
    run(&vm, program, None, &after, &rows(&dynamic)).unwrap();
}

/// Six versions of a graph, each read by an operator.
const CHANGES: &str = "
element Vertex end
element Edge end
element Change end
const edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);
const batch : edgeset{Change}(Vertex,Vertex) = load(argv[2]);
const sum : vector{Vertex}(int) = 0;

func add(src : Vertex, dst : Vertex)
    sum[dst] += src + 1;
end

func main()
    for i in 0:3
        edges.insert(batch);
        edges.apply(add);
        print sum.sum();
        edges.delete(batch);
        edges.apply(add);
        print sum.sum();
    end
end
";

fn printed(vm: &dyn GraphVm, graph: &Arc<Graph>, batch: &Arc<Graph>) -> String {
    let front = compile_front(&SourceFile::new("changes.gt", CHANGES)).expect("the program is right");
    let module = gw_ir::lower(&front.typed, CHANGES).unwrap();
    let options = gw_ir::Options { family: Some(vm.family()), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &ProgramSchedule::default(), &options).unwrap();
    let graphs = SpecGraphs::new();
    graphs.insert("graph", Arc::clone(graph));
    graphs.insert("batch", Arc::clone(batch));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(["graph", "batch"]) };
    gw_exec::Program::prepare(vm, Arc::new(module)).unwrap().run(&options).unwrap().printed
}

/// A program that changes its graph sends the changes to the device, not every version of the graph.
#[test]
fn programs_change_graphs_on_the_device() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let (graph, batch) = (Arc::new(load("kron:8")), Arc::new(load("road:16x16")));
    let before = vm.usage().unwrap().uploaded_bytes;
    let found = printed(&vm, &graph, &batch);
    let sent = vm.usage().unwrap().uploaded_bytes - before;
    assert_eq!(found, printed(&gw_exec::ReferenceVm::new(), &graph, &batch));
    // The first version in blocks, with ranges and gaps; of the five others their changes.
    let image = 2 * 4 * graph.edges() as u64 + 9 * graph.vertices() as u64;
    assert!(sent < image + 5 * 8 * batch.edges() as u64 + 8000, "{sent} bytes were sent");
}

/// The way of `gw stream`: a job per batch, on the machine that was told what changed.
#[test]
fn jobs_follow_a_stream() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm: Arc<dyn GraphVm> = Arc::new(CudaVm::on(Arc::new(device)));
    let machine = graphwright::Machine::shared(Arc::clone(&vm), 1);
    let mut dynamic = DynamicGraph::<()>::from_graph(&load("kron:7"), Ends::Undirected).unwrap();
    let program = graphwright::Program::find("cc").unwrap();
    let mut before = None;
    for round in 0..3 {
        let changed = change(&mut dynamic, round, |_| ());
        let graph = graphwright::Graph::from(dynamic.snapshot().graph().unwrap());
        let sent = vm.usage().unwrap().uploaded_bytes;
        if let Some(before) = before.replace(graph.out().id()) {
            assert!(vm.follow(before, graph.shared(), &mut changes(&changed)).unwrap());
        }
        let outcome = program.on(&graph).machine(&machine).run().unwrap();
        outcome.verify().unwrap();
        let sent = vm.usage().unwrap().uploaded_bytes - sent;
        let whole = 4 * graph.edges() as u64;
        assert!((round == 0) == (sent > whole), "round {round}: {sent} bytes were sent, the lists are {whole}");
    }
}
