//! Adaptive schedules on an emulated GPU: trees on the device, in fused loops, and on the host; and all named
//! schedules.

use std::sync::Arc;

use graphwright::schedule::{Adviser, Wanted};
use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_ir::module::Module;
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args};
use gw_schedule::{Family, Name, ProgramSchedule, Tree};

fn lowered(program: &Program) -> Module {
    let file = SourceFile::new(program.file, program.source);
    let front = compile_front(&file).unwrap_or_else(|_| panic!("{} does not compile", program.name));
    gw_ir::lower(&front.typed, program.source).unwrap()
}

fn prepare(vm: &CudaVm, program: &Program, schedule: &str, tree: Option<&str>) -> gw_exec::Result<gw_exec::Program> {
    let mut schedule: ProgramSchedule = schedule.parse().unwrap_or_else(|e| panic!("{schedule}: {e}"));
    schedule.set_family(Some(Family::Gpu));
    if let Some(tree) = tree {
        schedule.set_tree(Name::new("test").unwrap(), Arc::new(tree.parse::<Tree>().unwrap()));
    }
    let module = gw_ir::run_pipeline(lowered(program), &schedule, &gw_ir::Options::default());
    gw_exec::Program::prepare(vm, Arc::new(module.unwrap_or_else(|e| panic!("{schedule}: {e}"))))
}

fn run(prepared: &mut gw_exec::Program, program: &Program, spec: &str, what: &str, guard: bool) {
    let graph: Arc<Graph> = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
    let args = example_args(program, spec, &graph);
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(&graph));
    let options = RunOptions { graphs: Arc::new(graphs), guard, ..RunOptions::with_args(args.clone()) };
    let result = prepared.run(&options).unwrap_or_else(|e| panic!("{} under {what} on {spec}: {e}", program.name));
    let run = Run { graph: &graph, args: &args, results: &result.globals };
    program.validate(&run).unwrap_or_else(|e| panic!("{} under {what} on {spec}: {e}", program.name));
}

const CANDIDATES: &str = "adaptive,by=tree.test+push,lb=etwc,create=fused\
    +pull,lb=vertex-based,frontier=bitmap,create=unfused-bitmap\
    +push,lb=edge-only,edges=coo-by-source,frontier=level-mask,create=level-mask";

/// Looks at every feature between them, ties, weak leaves and costs included.
const TREES: [&str; 3] = [
    "(iteration<=0?2:(frontier-share<=0.2?0:(discovered-share<=0.5?1:2)))",
    "(edges-ahead-ratio<=0.1?2:(growth<=1?{0,1}:1!));cost=1,0,0,0,0,0;cost=0,1,0.5,0,0,0;cost=0,0,0,1,1,1",
    "(degree-mean<=3?1:(iteration<=2?0:(unexplored-edges-share<=0.5?2:(frontier-degree<=4?1:2))))",
];

#[test]
fn trees_choose_on_the_device_and_on_the_host() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    // One program of the three; all in a nightly run.
    let taken = gw_testing::usually(1, 3);
    for (program, (i, tree)) in
        ["bfs-levels", "bfs", "cc"].into_iter().zip([1, 0, 2].map(|i| (i, TREES[i]))).take(taken)
    {
        let program = gw_programs::find(program).unwrap();
        for form in ["fused", "host"] {
            let schedule = format!("s0@loop={form};s0:s1@{CANDIDATES}");
            let what = format!("{form} loop by {tree}");
            let mut prepared = prepare(&vm, program, &schedule, Some(tree)).unwrap_or_else(|e| panic!("{what}: {e}"));
            for spec in ["kron:7", "path:40"] {
                run(&mut prepared, program, spec, &what, i != 0);
            }
        }
    }
}

/// The host's loop sees the edges that leave a frontier as whoever made it counted them, whatever form it has: as
/// many as the reference machine finds by hand. That one does not ask before small steps, so these are not compared.
#[test]
fn trees_of_the_host_see_what_the_reference_machine_sees() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let program = gw_programs::find("bfs-levels").unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for tree in [
        "(frontier-edges<=40?0:(frontier-edges<=120?1:2))",
        "(unexplored-edges-share<=0.6?(frontier-degree<=12?0:2):1)",
    ] {
        let mut schedules =
            [format!("s0@loop=host;s0:s1@{CANDIDATES}"), "s0:s1@adaptive,by=tree.test+push+pull+push".into()]
                .map(|text| text.parse::<ProgramSchedule>().unwrap());
        schedules[0].set_family(Some(Family::Gpu));
        let mut machines = schedules.iter_mut().enumerate().map(|(i, schedule)| {
            schedule.set_tree(Name::new("test").unwrap(), Arc::new(tree.parse::<Tree>().unwrap()));
            let module = Arc::new(gw_ir::run_pipeline(lowered(program), schedule, &gw_ir::Options::default()).unwrap());
            let reference = gw_exec::ReferenceVm::new();
            let machine: &dyn gw_exec::GraphVm = if i == 0 { &vm } else { &reference };
            gw_exec::Program::prepare(machine, module).unwrap()
        });
        let (mut here, mut there) = (machines.next().unwrap(), machines.next().unwrap());
        for spec in ["kron:7", "kron:7:directed", "star:50", "path:9"] {
            let graph: Arc<Graph> = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
            let args = example_args(program, spec, &graph);
            let chosen = |prepared: &mut gw_exec::Program| -> Vec<(usize, Option<u64>)> {
                let graphs = SpecGraphs::new();
                graphs.insert(&args[0], Arc::clone(&graph));
                let variants = Arc::new(std::sync::Mutex::new(Vec::new()));
                let heard = Arc::clone(&variants);
                let observer = move |record: &gw_exec::StepRecord| {
                    if record.path.starts_with("s0:s1") {
                        heard.lock().unwrap().push((record.variant, record.input));
                    }
                };
                let options = RunOptions {
                    graphs: Arc::new(graphs),
                    observer: Some(Arc::new(observer)),
                    ..RunOptions::with_args(args.clone())
                };
                prepared.run(&options).unwrap_or_else(|e| panic!("{spec} by {tree}: {e}"));
                variants.lock().unwrap().clone()
            };
            let (choices, expected) = (chosen(&mut here), chosen(&mut there));
            assert_eq!(choices.len(), expected.len(), "{spec} by {tree}");
            for (step, (&(choice, _), (expected, input))) in choices.iter().zip(expected).enumerate() {
                if input.is_some_and(|size| size > 4) {
                    assert_eq!(choice, expected, "step {step} of {spec} by {tree}");
                    seen.insert(choice);
                }
            }
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn loops_that_forget_between_launches_refuse_trees() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let program = gw_programs::find("bfs").unwrap();
    for form in ["device-graph", "single-block"] {
        let schedule = format!("s0@loop={form};s0:s1@{CANDIDATES}");
        let error = prepare(&vm, program, &schedule, Some(TREES[0])).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("a tree remembers steps: use loop=fused or loop=host"), "{form}: {error}");
    }
    let error = prepare(&vm, program, &format!("s0:s1@{CANDIDATES}"), None).err().map(|e| e.to_string());
    assert!(error.as_ref().is_some_and(|e| e.contains("the model `test`, which was not given")), "{error:?}");
}

#[test]
fn named_schedules_are_right() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    for algorithm in ["bfs", "pagerank"] {
        // Of those that differ in a number or in counting alone, one stands for all; `gw lab run` compares all on a
        // GPU.
        let alike = |name: &str| {
            let counts = ["-bulk", "-warpreduce", "-blockreduce"].iter().any(|end| name.ends_with(end));
            let warp = name.contains("-warp-") && !name.contains("-16-64");
            counts && name != "vertex-pull-warp-16-64-blockreduce" || warp
        };
        let (all, mut met) = (gw_testing::is_nightly(), 0_usize);
        for named in gw_lab::named_schedules(algorithm, Family::Gpu) {
            for (_, schedule) in named.schedule.labels() {
                let lacks = gw_cuda::capabilities().unsupported(schedule);
                assert!(lacks.is_empty(), "{}: {lacks:?}", named.name);
            }
            // Every second of the others, and all of them in a nightly run.
            met += usize::from(!alike(&named.name));
            if !all && (alike(&named.name) || met.is_multiple_of(2)) {
                continue;
            }
            let program = gw_programs::find(&named.program).unwrap();
            let mut prepared = prepare(&vm, program, &named.schedule.to_string(), None)
                .unwrap_or_else(|e| panic!("{}: {e}", named.name));
            run(&mut prepared, program, "kron:6", &named.name, true);
        }
    }
}

/// On roads a search in one kernel has nothing to choose, and every step would pay for counting edges.
#[test]
fn the_rule_stays_in_fused_loops_where_it_has_one_schedule() {
    let bfs = graphwright::Program::find("bfs").unwrap();
    let decided = |graph: &str, model: Option<Arc<Adviser>>| {
        let options = RunOptions { graphs: Arc::new(SpecGraphs::new()), ..RunOptions::with_args([graph, "0"]) };
        bfs.settle(&Wanted::Adaptive(model, "bfs".to_string()), &gw_cuda::PlanVm, &options).decision
    };
    let road = decided("road:30x30", None);
    assert!(!road.schedule.to_string().contains("adaptive"), "{}", road.schedule);
    assert!(road.not_adaptive.is_some_and(|why| why.contains("one kernel")));
    // The rule changes the direction here, so there is something to choose; and whoever names a model gets it.
    let dense = decided("complete:2100", None);
    assert!(dense.not_adaptive.is_none() && dense.schedule.to_string().contains("adaptive"), "{}", dense.schedule);
    let model = Adviser::default_for("cuda", "bfs").unwrap().unwrap();
    assert!(decided("road:30x30", Some(Arc::new(model))).schedule.to_string().contains("adaptive"));
}
