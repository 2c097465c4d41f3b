//! Every standard program, on graphs of every class, under its own and under random schedules, on several threads with
//! tiny chunks: validators must accept what comes out.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{GraphVm, Observer, RunOptions, SpecGraphs, StepRecord};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args, example_graphs, programs};
use gw_schedule::{Adaptive, Chooser, Name, ProgramSchedule, SimpleSchedule, Sources, Tree};

/// Small graphs of every class, all weighted; fractions are no weights for most programs.
fn graphs() -> Vec<String> {
    let graphs = example_graphs().iter().filter(|graph| !graph.is_fractional());
    graphs.map(|graph| graph.weighted_spec()).collect()
}

fn check(program: &Program, spec: &str, graph: &Arc<Graph>, schedule: &str, vm: &dyn GraphVm) -> Result<(), String> {
    let schedule: Option<ProgramSchedule> = match schedule {
        "own" => None,
        text => Some(text.parse().map_err(|e| format!("{e}"))?),
    };
    check_schedule(program, spec, graph, schedule, vm, None)
}

fn check_schedule(
    program: &Program,
    spec: &str,
    graph: &Arc<Graph>,
    schedule: Option<ProgramSchedule>,
    vm: &dyn GraphVm,
    observer: Option<Arc<dyn Observer>>,
) -> Result<(), String> {
    run_twice(&mut prepare(program, schedule, vm)?, program, spec, graph, observer)
}

/// Without a schedule the program's own is taken.
fn prepare(program: &Program, schedule: Option<ProgramSchedule>, vm: &dyn GraphVm) -> Result<gw_exec::Program, String> {
    let text = program.example_text();
    let file = SourceFile::new(program.file, &*text).with_weights(program.usual_weights());
    let front = compile_front(&file).map_err(|_| "does not compile".to_string())?;
    let module = gw_ir::lower(&front.typed, &text).map_err(|e| e.to_string())?;
    let schedule = schedule.or(front.schedule).unwrap_or_default();
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).map_err(|e| e.to_string())?;
    gw_exec::Program::prepare(vm, Arc::new(module)).map_err(|e| e.to_string())
}

fn run_twice(
    prepared: &mut gw_exec::Program,
    program: &Program,
    spec: &str,
    graph: &Arc<Graph>,
    observer: Option<Arc<dyn Observer>>,
) -> Result<(), String> {
    let args = example_args(program, spec, graph);
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), observer, ..RunOptions::with_args(args.clone()) };
    // Twice: executables are reused.
    for _ in 0..2 {
        let result = prepared.run(&options).map_err(|e| e.to_string())?;
        let run = Run { graph, args: &args, results: &result.globals };
        program.validate(&run).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn all(schedule: &str, vm: &dyn GraphVm) {
    let load = |spec: String| {
        let graph = GraphSpec::parse(&spec).and_then(|s| s.load(&Silent)).unwrap().graph;
        (spec, Arc::new(graph))
    };
    let graphs: Vec<(String, Arc<Graph>)> = graphs().into_iter().map(load).collect();
    let schedule: Option<ProgramSchedule> = (schedule != "own").then(|| schedule.parse().unwrap());
    let mut problems = Vec::new();
    for program in programs() {
        // Prepared once: a program goes from graph to graph.
        let mut prepared = match prepare(program, schedule.clone(), vm) {
            Ok(prepared) => prepared,
            Err(problem) => {
                problems.push(format!("{}: {problem}", program.name));
                continue;
            }
        };
        for (spec, graph) in graphs.iter().filter(|(_, graph)| program.suits(graph)) {
            if let Err(problem) = run_twice(&mut prepared, program, spec, graph, None) {
                problems.push(format!("{} {spec}: {problem}", program.name));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn right_alone() {
    all("own", &CpuVm::new(1));
}

#[test]
fn right_together_under_their_own_schedules() {
    all("own", &CpuVm::with_tiny_chunks(4));
}

#[test]
fn right_together_without_a_schedule() {
    all("default", &CpuVm::with_tiny_chunks(3));
}

/// Random legal schedules for every labelled point of every program on random graphs, on machines that share the
/// smallest work. Every second program, so that two tests share the work.
fn right_under_random_schedules(first: usize) {
    let schedules: u64 = gw_testing::usually(20, 2000);
    let machine = CpuVm::with_tiny_chunks(3);
    let (graphs, mut tried, mut problems) = (graphs(), 0, Vec::new());
    for program in programs().iter().skip(first).step_by(2) {
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let front = compile_front(&file).unwrap_or_else(|_| panic!("{} does not compile", program.name));
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        let points = gw_ir::program_points(&module);
        for seed in 0..schedules {
            let mut schedule = ProgramSchedule::new();
            for (i, point) in points.iter().enumerate() {
                let Some(path) = &point.path else { continue };
                let space = gw_schedule::Space::new(&point.point, &machine.capabilities());
                if let Some(picked) = space.sample(seed * 31 + i as u64, 1).pop() {
                    schedule.set(path, picked).unwrap();
                }
            }
            let spec = &with_seed(&graphs[seed as usize % graphs.len()], seed / graphs.len() as u64);
            let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
            if !program.suits(&graph) {
                continue;
            }
            tried += 1;
            let text = schedule.to_string();
            if let Err(problem) = check(program, spec, &graph, &text, &machine) {
                problems.push(format!("{} {spec} under `{text}`: {problem}", program.name));
            }
        }
    }
    println!("{tried} combinations of program, graph and schedule tried");
    assert!(tried > 300, "{tried} tried");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn one_half_is_right_under_random_schedules() {
    right_under_random_schedules(0);
}

#[test]
fn the_other_half_is_right_under_random_schedules() {
    right_under_random_schedules(1);
}

/// What a tree looks at is the same here as on the reference machine, which counts everything by hand.
#[test]
fn trees_see_what_the_reference_machine_sees() {
    let trees = [
        "(frontier-edges<=40?0:1)",
        "(frontier-degree<=12?0:1)",
        "(unexplored-edges-share<=0.6?0:1)",
        "(edges-ahead-ratio<=0.2?(growth<=2?0:1):1)",
    ];
    let program = gw_programs::find("bfs-levels").unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for (spec, text) in ["kron:8", "kron:8:directed", "star:50", "road:12x12", "powerlaw:300:2.2:directed"]
        .into_iter()
        .flat_map(|spec| trees.map(|tree| (spec, tree)))
    {
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        let chosen = |vm: &dyn GraphVm| -> Vec<usize> {
            let mut schedule: ProgramSchedule =
                "s0:s1@adaptive,by=tree.test+push+pull,frontier=bitmap".parse().unwrap();
            schedule.set_tree(Name::new("test").unwrap(), Arc::new(text.parse::<Tree>().unwrap()));
            let variants = Arc::new(std::sync::Mutex::new(Vec::new()));
            let heard = Arc::clone(&variants);
            let observer = move |record: &StepRecord| {
                if record.path.starts_with("s0:s1") {
                    heard.lock().unwrap().push(record.variant);
                }
            };
            check_schedule(program, spec, &graph, Some(schedule), vm, Some(Arc::new(observer)))
                .unwrap_or_else(|problem| panic!("{spec} by {text}: {problem}"));
            variants.lock().unwrap().clone()
        };
        let (here, there) = (chosen(&CpuVm::with_tiny_chunks(2)), chosen(&gw_exec::ReferenceVm::new()));
        assert_eq!(here, there, "{spec} by {text}");
        seen.extend(here);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1]);
}

/// Trees switch between random candidates at every edge operator with a frontier, and validators accept the results.
#[test]
fn right_under_adaptive_schedules() {
    let trees = [
        "(iteration<=0?1:(frontier-share<=0.2?0:(discovered-share<=0.5?2:1)))",
        "(edges-ahead-ratio<=0.1?2:(growth<=1?{0,1}:1!));cost=1,0,0,0,0,0;cost=0,1,0,0,0,0;cost=0,0,0,0,1,0",
        "(iteration<=1?2:(iteration<=2?1:(iteration<=4?0:(degree-mean<=3?1:2))))",
    ]
    .map(|text| Arc::new(text.parse::<Tree>().unwrap()));
    let machine = CpuVm::with_tiny_chunks(3);
    let (graphs, mut adapted, mut problems) = (graphs(), Vec::new(), Vec::new());
    let variants = Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    for program in programs() {
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let front = compile_front(&file).unwrap_or_else(|_| panic!("{} does not compile", program.name));
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        for seed in 0..12u64 {
            let (name, tree) = (Name::new("test").unwrap(), &trees[seed as usize % trees.len()]);
            let mut schedule = ProgramSchedule::new();
            for point in gw_ir::program_points(&module) {
                let Some(path) = point.path.as_deref().filter(|_| point.point.from == Sources::Set) else { continue };
                let space = gw_schedule::Space::new(&point.point, &machine.capabilities());
                let sample = space.sample(seed, 40);
                let simple: Vec<SimpleSchedule> = sample.iter().flat_map(|s| s.parts()).copied().collect();
                // Parts of one schedule must agree on some axes: the first three that do.
                let adaptive = |candidates: &[SimpleSchedule]| {
                    let chooser = Chooser::Tree(name.clone());
                    gw_schedule::Schedule::from(Adaptive { candidates: candidates.to_vec(), chooser })
                };
                let mut candidates = Vec::new();
                for next in simple {
                    candidates.push(next);
                    if adaptive(&candidates).legal(&point.point).is_err() {
                        candidates.pop();
                    }
                    if candidates.len() == 3 {
                        schedule.set(path, adaptive(&candidates)).unwrap();
                        schedule.set_tree(name.clone(), Arc::clone(tree));
                        break;
                    }
                }
            }
            let spec = &with_seed(&graphs[seed as usize % graphs.len()], seed);
            let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
            if schedule.is_default() || !program.suits(&graph) {
                continue;
            }
            adapted.push(program.name);
            let seen = Arc::clone(&variants);
            let observer = move |record: &StepRecord| {
                seen.lock().unwrap().insert(record.variant);
            };
            let text = schedule.to_string();
            let checked = check_schedule(program, spec, &graph, Some(schedule), &machine, Some(Arc::new(observer)));
            if let Err(problem) = checked {
                problems.push(format!("{} {spec} under `{text}` by {tree}: {problem}", program.name));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert_eq!(variants.lock().unwrap().iter().copied().collect::<Vec<_>>(), [0, 1, 2]);
    adapted.dedup();
    for program in ["bfs", "bfs-levels", "bc", "cc", "sssp", "pagerank-delta"] {
        assert!(adapted.contains(&program), "{program} is not among {adapted:?}");
    }
}

/// The spec of another random graph of the same kind.
fn with_seed(spec: &str, seed: u64) -> String {
    let random = ["kron", "urand", "road", "bipartite", "tree"].iter().any(|kind| spec.starts_with(kind));
    if random && !spec.contains("seed=") { format!("{spec}:seed={seed}") } else { spec.to_string() }
}

/// Programs whose threads race for the same vertices, a thousand times each with the smallest chunks: every run must be
/// right, whoever wins.
#[test]
fn races_do_no_harm() {
    let graph = "kron:6:weights=1..20";
    let loaded = Arc::new(GraphSpec::parse(graph).and_then(|s| s.load(&Silent)).unwrap().graph);
    let machine = CpuVm::with_tiny_chunks(4);
    for name in ["bfs", "sssp-delta", "cc-fast", "bc", "kcore", "pagerank-delta", "mis"] {
        let program = gw_programs::find(name).unwrap();
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let front = compile_front(&file).unwrap_or_else(|_| panic!("{name} does not compile"));
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        let schedule = front.schedule.unwrap_or_default();
        let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap();
        let mut prepared = gw_exec::Program::prepare(&machine, Arc::new(module)).unwrap();
        let args = example_args(program, graph, &loaded);
        let graphs = SpecGraphs::new();
        graphs.insert(&args[0], Arc::clone(&loaded));
        let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
        for round in 0..1000 {
            let result = prepared.run(&options).unwrap();
            let run = Run { graph: &loaded, args: &args, results: &result.globals };
            program.validate(&run).unwrap_or_else(|e| panic!("{name}, run {round}: {e}"));
        }
    }
}
