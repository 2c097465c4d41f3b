//! Programs on an emulated GPU under schedules that name the values a drawn schedule may miss: near-far queues in all
//! their kinds, level masks, pairs of offsets, with loops on the host and on the device.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, ReferenceVm, RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_ir::module::Module;
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Run, example_args};
use gw_schedule::{Family, PointKind, ProgramSchedule};

fn graph_of(spec: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(&crate::sized(spec)).and_then(|s| s.load(&Silent)).unwrap().graph)
}

fn lowered(file: &str, source: &str) -> Module {
    let front = compile_front(&SourceFile::new(file, source)).unwrap_or_else(|_| panic!("{file} does not compile"));
    gw_ir::lower(&front.typed, source).unwrap()
}

/// A module under a schedule: each of its parts goes to the places where it is legal and none was before. All must go
/// somewhere.
fn scheduled(module: Module, texts: &[&str]) -> Module {
    let mut module = module;
    gw_exec::label_operators(&mut module);
    let mut schedule = ProgramSchedule::default();
    schedule.set_family(Some(Family::Gpu));
    let places = gw_ir::points::program_points(&module);
    for text in texts {
        let part: ProgramSchedule = format!("on=gpu;{text}").parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        let part = part.everywhere().cloned().unwrap();
        let lacks = gw_cuda::capabilities().unsupported(&part);
        assert!(lacks.is_empty(), "{text}: {lacks:?}");
        let mut used = false;
        for place in &places {
            if let Some(path) = &place.path
                && schedule.get(path).is_none()
                && places.iter().filter(|p| p.path == place.path).all(|p| part.legal(&p.point).is_ok())
            {
                schedule.set(path, part.clone()).unwrap();
                used = true;
            }
        }
        assert!(used, "{text} is legal nowhere");
    }
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    gw_ir::run_pipeline(module, &schedule, &options).unwrap_or_else(|e| panic!("{texts:?}: {e}"))
}

fn options(args: &[String], graph: &Arc<Graph>) -> RunOptions {
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(graph));
    RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.to_vec()) }
}

/// A standard program on graphs under schedules, with loops on the host and on the device where there are some to be.
fn right(name: &str, specs: &[&str], schedules: &[&str]) {
    let Some(device) = EmulatedDevice::new() else { return };
    right_on(&CudaVm::on(Arc::new(device)), name, specs, schedules);
}

fn right_on(vm: &CudaVm, name: &str, specs: &[&str], schedules: &[&str]) {
    let program = gw_programs::find(name).unwrap();
    for text in schedules {
        for loops in ["loop=fused", "loop=host"] {
            let module = lowered(program.file, program.source);
            let fusable =
                |p: &gw_ir::points::Point| p.point.kind == PointKind::WhileLoop && p.point.body_obstacle.is_none();
            let module = match gw_ir::points::program_points(&module).iter().any(fusable) {
                true => Arc::new(scheduled(module, &[text, loops])),
                false => Arc::new(scheduled(module, &[text])),
            };
            let mut prepared = gw_exec::Program::prepare(vm, module).unwrap_or_else(|e| panic!("{text}: {e}"));
            for spec in specs {
                let graph = graph_of(spec);
                let args = example_args(program, spec, &graph);
                let result = prepared.run(&options(&args, &graph)).unwrap_or_else(|e| panic!("{text} on {spec}: {e}"));
                let run = Run { graph: &graph, args: &args, results: &result.globals };
                program.validate(&run).unwrap_or_else(|e| panic!("{name} under {text}, {loops} on {spec}: {e}"));
            }
        }
    }
}

/// A program of its own on graphs under schedules: the vector `result` is as the reference machine makes it.
fn like_the_reference(source: &str, specs: &[&str], schedules: &[&str]) {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    for spec in specs {
        let graph = graph_of(spec);
        let args = vec![spec.to_string()];
        let result = |vm: &dyn GraphVm, texts: &[&str]| {
            let module = scheduled(lowered("test.gt", source), texts);
            let mut prepared = gw_exec::Program::prepare(vm, Arc::new(module)).unwrap();
            let result = prepared.run(&options(&args, &graph));
            let result = result.unwrap_or_else(|e| panic!("{} under {texts:?} on {spec}: {e}", vm.name()));
            result.globals.vector("result").unwrap().to_f64()
        };
        let expected = result(&ReferenceVm::new(), &[]);
        for text in schedules {
            for loops in ["loop=fused", "loop=host"] {
                assert_eq!(result(&vm, &[text, loops]), expected, "{text}, {loops} on {spec}");
            }
        }
    }
}

const WEIGHTED: &[&str] =
    &["path:1:weights=1..2", "kron:8:weights=1..64", "road:12x12:weights=1..50", "urand:7:1:weights=1..20"];

/// More vertices far away at once than blocks keep in shared memory.
const WIDE: &str = "star:9000:weights=5..60";

#[test]
fn shortest_paths_by_a_near_and_a_far_list() {
    right(
        "sssp-delta",
        WEIGHTED,
        &["update=near-far,delta=1", "update=near-far,delta=8", "pull,update=near-far,delta=30"],
    );
}

#[test]
fn far_lists_longer_than_what_blocks_keep_to_themselves() {
    right("sssp-delta", &[WIDE], &["update=near-far,delta=4"]);
}

#[test]
fn a_near_far_queue_is_asked_about_a_vertex() {
    right("ppsp", WEIGHTED, &["update=near-far,delta=8"]);
    right("astar", &["road:12x12:weights=1..50"], &["update=near-far,delta=8"]);
}

#[test]
fn buckets_of_sums_are_found_without_a_search() {
    right("kcore", &["kron:8", "grid:9x8", "complete:14"], &["push,update=lazy"]);
}

/// A program with a queue over `result`, of this type and in this order of buckets, that begins at vertex 0.
fn queue_program(ty: &str, order: i32, unknown: &str, start: &str, function: &str) -> String {
    format!(
        "element Vertex end
element Edge end
const edges : edgeset{{Edge}}(Vertex,Vertex,{ty}) = load(argv[1]);
const vertices : vertexset{{Vertex}} = edges.getVertices();
const result : vector{{Vertex}}({ty}) = {unknown};
const queue : priority_queue{{Vertex}}({ty});
func visit(src : Vertex, dst : Vertex, weight : {ty})
    {function}
end
func main()
    result[0] = {start};
    queue = new priority_queue{{Vertex}}({ty})(false, false, result, {order}, 0, false, 0);
    #s0# while queue.finished() == false
        var least : vertexset{{Vertex}} = queue.dequeue_ready_set();
        #s1# edges.from(least).applyUpdatePriority(visit);
        delete least;
    end
    delete queue;
end
"
    )
}

const QUEUES: &[&str] = &["update=near-far,delta=1", "update=near-far,delta=3", "update=lazy,delta=3"];

#[test]
fn priorities_with_fractions() {
    let function = "queue.updatePriorityMin(dst, result[dst], result[src] + weight);";
    let program = queue_program("float", 1, "340282346638528859811704183484516925440.0", "0.0", function);
    like_the_reference(&program, &["kron:7:weights=0.25..4.0", "grid:9x8:weights=0.25..4.0"], QUEUES);
}

#[test]
fn priorities_that_grow_in_falling_order() {
    let function = "var width : int = result[src];
    if weight < width
        width = weight;
    end
    queue.updatePriorityMax(dst, result[dst], width);";
    let program = queue_program("int", 0, "0", "1000", function);
    like_the_reference(&program, &["kron:8:weights=1..64", "road:12x12:weights=1..50"], QUEUES);
}

#[test]
fn priorities_that_come_before_the_open_bucket() {
    let function = "queue.updatePriorityMin(dst, result[dst], result[src] / 2 + weight);";
    let program = queue_program("int", 1, "2147483647", "200", function);
    like_the_reference(&program, &["kron:6:weights=1..64", "road:8x8:weights=1..50"], QUEUES);
}

/// Masks that come in, go out, or both; a set may hold vertices of the set it is made from.
const MASKS: &[&str] = &[
    "pull,frontier=level-mask,create=level-mask,count=block",
    "push,lb=etwc,create=level-mask,count=plain",
    "dense-push,frontier=level-mask,create=unfused-bitmap",
    "pull,frontier=bitmap,create=level-mask,count=warp",
    "push,lb=edge-only,frontier=level-mask,create=level-mask",
];
const SEARCHED: &[&str] = &["kron:8:weights=1..64", "road:12x12:weights=1..50"];

#[test]
fn searches_with_level_masks() {
    right("bfs", SEARCHED, MASKS);
    right("bc", &["kron:7"], MASKS);
}

#[test]
fn vertices_in_one_mask_after_the_other() {
    right("sssp", SEARCHED, MASKS);
    right("cc", &["kron:7", "urand:7:1"], MASKS);
}

#[test]
fn queues_fed_by_level_masks() {
    right("sssp-delta", SEARCHED, &["pull,frontier=level-mask,create=level-mask,update=near-far,delta=8"]);
    right("kcore", &["kron:7"], &["push,create=level-mask,update=lazy"]);
}

#[test]
fn edge_lists_test_the_map_that_is_asked_for() {
    let module = |form: &str| {
        let program = gw_programs::find("bfs").unwrap();
        scheduled(lowered(program.file, program.source), &[&format!("push,lb=edge-only,frontier={form}")])
    };
    for (form, test) in [("bitmap", "from.has_bit("), ("boolmap", "from.has_byte("), ("level-mask", "from.has_level(")]
    {
        let units = gw_cuda::listings(&Arc::new(module(form))).unwrap();
        assert!(units.iter().any(|unit| unit.source.contains(test)), "{form}");
    }
}

#[test]
fn rounds_begin_anew_when_their_numbers_run_out() {
    for rounds in [1, 2, 5] {
        let Some(device) = EmulatedDevice::new() else { return };
        let vm = CudaVm::with_few_rounds(Arc::new(device), rounds);
        right_on(&vm, "bfs", &["kron:7", "grid:9x8", "kron:7"], &MASKS[..1]);
        right_on(
            &vm,
            "sssp",
            &["kron:7:weights=1..64"],
            &["push,dedup=on,dedup-by=counters-fused", MASKS[1], MASKS[3]],
        );
    }
}

#[test]
fn lists_found_by_pairs_of_offsets() {
    let balancers = [
        "vertex-based",
        "vw8",
        "twc",
        "etwc",
        "wm",
        "cm",
        "strict",
        "cta-warp-scan",
        "local-warp-search",
        "merge-path",
    ];
    for (i, balancer) in balancers.iter().enumerate() {
        let way = ["push", "pull", "dense-push"][i % 3];
        right("bfs", &["kron:7:directed"], &[&format!("{way},lb={balancer},edges=csr-m")]);
    }
    right("pagerank", &["kron:7:directed"], &["pull,lb=multi-phase,edges=csr-m", "push,lb=wm,edges=csr-m"]);
    right("sssp-delta", SEARCHED, &["push,lb=etwc,edges=csr-m,update=near-far,delta=8"]);
    right("tc", &["kron:7"], &["push,lb=etwc,edges=csr-m"]);
}

/// What BFS-4K and Helix do to the queues of a search: repeats found by hash tables and lanes, register queues,
/// ballots, hubs apart, leaves left out, a switch by the threads of the device.
const PUSHES: &[&str] = &[
    "push,lb=dvw,dedup=on,dedup-by=hash64,claim=store,append=registers",
    "push,lb=wm,dedup-input=warp,claim=store,visited=bits,append=ballot",
    "push,lb=vw4,hubs=32,dedup-input=block,claim=store,append=registers,leaves=drop",
    "push,lb=cm,hubs=resident,dedup=on,dedup-by=hash64,append=ballot",
    "hybrid,by=input-threads,at=0.01+push,lb=local-warp-search,append=registers+push,lb=vertex-based,hubs=40",
];
const TRAVERSED: &[&str] = &["kron:8", "grid:9x8", "star:900", "path:40"];

#[test]
fn searches_with_the_queues_of_bfs_4k_and_helix() {
    right("bfs", TRAVERSED, &PUSHES[..gw_testing::usually(2, PUSHES.len())]);
}

#[test]
fn queues_of_exact_outputs() {
    let exact = [
        "push,lb=vw4,hubs=32,append=registers",
        "push,lb=cm,hubs=resident,dedup-by=bitmap,append=ballot",
        "push,lb=local-warp-search,dedup-by=boolmap,dedup-input=block,append=registers",
    ];
    right("sssp", WEIGHTED, &exact[..gw_testing::usually(1, exact.len())]);
    right("cc", &["kron:8", "star:900"], &exact[..gw_testing::usually(0, 1)]);
}

/// A vertex that is owned by its thread is no longer so when its list is shared.
#[test]
fn entries_of_hubs_need_atomics() {
    right("pagerank", &["kron:7", "star:300"], &["pull,lb=vertex-based,hubs=32"]);
}

/// The three forms of traversal for strongly connected components: sweeps by threads and by lanes, and a queue.
#[test]
fn components_by_every_form_of_traversal() {
    let forms = ["push,lb=etwc", "dense-push,lb=vw4", "dense-push,lb=vertex-based"];
    right("scc", &["kron:7:4:directed", "cycle:40:directed"], &forms[..gw_testing::usually(1, forms.len())]);
}
