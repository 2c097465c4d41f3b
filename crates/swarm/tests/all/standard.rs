//! Every standard program as tasks: on graphs of every class, on 1 to 64 cores, under random Swarm schedules;
//! validators must accept what comes out.

use crate::common;
use std::sync::Arc;

use gw_exec::{GraphVm, RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args, example_graphs, programs};
use gw_schedule::{Family, ProgramSchedule, Space};
use gw_swarm::sim::config::{Config, Conflicts};
use gw_swarm::{Report, SwarmVm};

/// A machine with small queues, so that everything that can happen to a task happens.
fn small(cores: usize, seed: u64) -> Config {
    let base = Config { cores, ..Config::default() };
    match seed % 4 {
        0 => base,
        1 => Config { task_queue_per_core: 4, commit_queue_per_core: 1, send_buffer: 2, ..base },
        2 => Config { conflicts: Conflicts::Bloom, bloom_bits: 128, task_queue_per_core: 16, ..base },
        _ => Config { l1_bytes: 512, l2_bytes_per_core: 1024, balance_hints: true, balance_period: 2000, ..base },
    }
}

fn load(spec: &str) -> Arc<Graph> {
    Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph)
}

/// Runs a program and validates its result.
fn check(program: &Program, spec: &str, graph: &Arc<Graph>, text: &str, config: Config) -> Result<Report, String> {
    let machine = SwarmVm::new(config).map_err(|e| e.to_string())?;
    let mut schedule: ProgramSchedule = text.parse().map_err(|e| format!("{e}"))?;
    schedule.set_family(Some(Family::Swarm));
    let text = program.example_text();
    let file = SourceFile::new(program.file, &*text).with_weights(program.usual_weights());
    let front = compile_front(&file).map_err(|_| "does not compile".to_string())?;
    let module = gw_ir::lower(&front.typed, &text).map_err(|e| e.to_string())?;
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).map_err(|e| e.to_string())?;
    let mut prepared = gw_exec::Program::prepare(&machine, Arc::new(module)).map_err(|e| e.to_string())?;
    let args = example_args(program, spec, graph);
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
    let result = prepared.run(&options).map_err(|e| e.to_string())?;
    let run = Run { graph, args: &args, results: &result.globals };
    program.validate(&run).map_err(|e| e.to_string())?;
    let report = machine.last_report();
    match report.stats.cores.total() == report.stats.cycles * report.config.cores as u64 {
        true => Ok(report),
        false => Err("some cycles are not accounted for".to_string()),
    }
}

#[test]
fn host_and_machine_agree() {
    gw_exec::conformance::host_and_machine(&SwarmVm::new(Config::default()).unwrap()).unwrap();
}

/// The defaults on graphs of every class.
#[test]
fn right_without_a_schedule() {
    let quick = |graph: &&gw_programs::ExampleGraph| gw_testing::is_nightly() || graph.quick;
    let graphs = example_graphs().iter().filter(|graph| !graph.is_fractional()).filter(quick);
    let mut problems = Vec::new();
    for (i, spec) in graphs.map(|graph| graph.weighted_spec()).filter(|spec| !spec.starts_with("kron:11")).enumerate() {
        let graph = load(&spec);
        // A third of the programs on each graph in a usual run, all of them by night.
        let turn = |at: usize| gw_testing::is_nightly() || (at + i).is_multiple_of(3);
        let chosen = programs().iter().enumerate().filter(|(at, _)| turn(*at)).map(|(_, program)| program);
        for program in chosen.filter(|p| p.suits(&graph)) {
            let cores = [1, 4, 16, 64][i % 4];
            if let Err(problem) = check(program, &spec, &graph, "default", small(cores, 0)) {
                problems.push(format!("{} {spec} on {cores} cores: {problem}", program.name));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Random legal schedules for every labelled point of every program.
#[test]
fn right_under_random_schedules() {
    let specs = ["kron:7", "road:8x8", "star:40", "urand:6:4", "path:30", "grid:6x5", "kron:6:directed", "tree:31"];
    let (schedules, mut tried, mut problems) = (common::seeds(5, 400), 0, Vec::new());
    let capabilities = SwarmVm::new(Config::default()).unwrap().capabilities();
    for program in programs() {
        let file = SourceFile::new(program.file, program.source).with_weights(program.usual_weights());
        let front = compile_front(&file).unwrap_or_else(|_| panic!("{} does not compile", program.name));
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        let points = gw_ir::program_points(&module);
        for seed in schedules.clone() {
            let mut schedule = ProgramSchedule::new();
            for (i, point) in points.iter().enumerate() {
                let Some(path) = &point.path else { continue };
                let space = Space::new(&point.point, &capabilities);
                if let Some(picked) = space.sample(seed * 31 + i as u64, 1).pop() {
                    schedule.set(path, picked).unwrap();
                }
            }
            let spec = format!("{}:weights=1..20", specs[(seed as usize + program.name.len()) % specs.len()]);
            let graph = load(&spec);
            if !program.suits(&graph) {
                continue;
            }
            let cores = [1, 2, 4, 8, 16, 64][(seed / 2) as usize % 6];
            let text = schedule.to_string();
            match check(program, &spec, &graph, &text, small(cores, seed)) {
                // Not every loop can become tasks; the refusal says so.
                Err(problem) if problem.contains("queue=unordered`") => {}
                Err(problem) => {
                    problems.push(format!("{} {spec} on {cores} cores under `{text}`: {problem}", program.name));
                }
                Ok(_) => tried += 1,
            }
        }
    }
    println!("{tried} combinations of program, graph and schedule tried");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(tried > 100, "{tried} tried");
}

/// What the thesis is about runs as tasks, not on the host.
#[test]
fn the_programs_of_the_thesis_become_tasks() {
    let graph = load("kron:7:weights=1..20");
    for name in ["bfs", "sssp", "sssp-delta", "cc", "pagerank", "bc", "kcore", "tc"] {
        let program = gw_programs::find(name).unwrap();
        let report = check(program, "kron:7:weights=1..20", &graph, "default", small(16, 0)).unwrap();
        assert!(report.host.is_empty(), "{name}: {:?}", report.host);
        assert!(report.stats.tasks.committed > 100, "{name}: {report:?}");
    }
}

/// Tasks of edges touch their destination only, and a long list keeps nobody waiting.
#[test]
fn tasks_of_edges_abort_little_where_tasks_of_vertices_abort_much() {
    let machine = || Config { cores: 64, ..Config::default() };
    for name in ["bfs", "sssp-delta"] {
        let (program, spec) = (gw_programs::find(name).unwrap(), "kron:9:weights=1..64");
        let graph = load(spec);
        let run = |schedule| check(program, spec, &graph, schedule, machine()).unwrap().stats;
        let (vertices, edges) = (run("default"), run("s0:s1@lb=edge-based,hint=on"));
        assert!(edges.cores.aborted * 5 < vertices.cores.aborted, "{name}: {:?}, {:?}", edges.cores, vertices.cores);
        assert!(edges.cycles * 2 < vertices.cycles, "{name}: {} and {} cycles", edges.cycles, vertices.cycles);
    }
    let (program, spec) = (gw_programs::find("bfs").unwrap(), "star:3000");
    let graph = load(spec);
    let cycles = |cores| {
        let config = Config { cores, flat_memory: true, ..Config::default() };
        check(program, spec, &graph, "s0:s1@lb=edge-based", config).unwrap().stats.cycles
    };
    assert!(
        cycles(1) > 20 * cycles(64),
        "the edges of the centre are handed out by many: {} and {}",
        cycles(1),
        cycles(64)
    );
}
