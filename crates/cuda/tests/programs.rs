//! Every standard program on an emulated GPU: validators must accept what comes out.

mod emulator;

use std::sync::Arc;

use emulator::EmulatedDevice;
use gw_cuda::CudaVm;
use gw_exec::{GraphVm, RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args, example_graphs, programs};
use gw_schedule::{Family, ProgramSchedule};

/// Small graphs of every class, all weighted; fractions are no weights for most programs.
fn graphs() -> Vec<String> {
    let graphs = example_graphs().iter().filter(|graph| !graph.is_fractional());
    graphs.map(|graph| graph.weighted_spec()).collect()
}

fn check(program: &Program, spec: &str, graph: &Arc<Graph>, schedule: &str, vm: &dyn GraphVm) -> Result<(), String> {
    let file = SourceFile::new(program.file, program.source);
    let front = compile_front(&file).map_err(|_| "does not compile".to_string())?;
    let mut module = gw_ir::lower(&front.typed, program.source).map_err(|e| e.to_string())?;
    let schedule: ProgramSchedule = match schedule {
        "auto" => {
            let (chosen, choice) = vm.choose(module, graph);
            module = chosen;
            choice.schedule
        }
        text => text.parse().map_err(|e| format!("{e}"))?,
    };
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &options).map_err(|e| e.to_string())?;
    let mut prepared = gw_exec::Program::prepare(vm, Arc::new(module)).map_err(|e| e.to_string())?;
    let args = example_args(program, spec, graph);
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
    // Twice: executables are reused.
    for _ in 0..2 {
        let result = prepared.run(&options).map_err(|e| e.to_string())?;
        let run = Run { graph, args: &args, results: &result.globals };
        program.validate(&run).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn all(schedule: &str) {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let only = std::env::var("GW_ONLY").ok();
    let on = std::env::var("GW_GRAPH").ok();
    let mut problems = Vec::new();
    for spec in graphs().iter().filter(|g| on.as_deref().is_none_or(|on| g.contains(on))) {
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        for program in programs().iter().filter(|p| p.suits(&graph)) {
            if only.as_deref().is_some_and(|only| only != program.name) {
                continue;
            }
            if let Err(problem) = check(program, spec, &graph, schedule, &vm) {
                problems.push(format!("{} {spec}: {problem}", program.name));
                eprintln!("{} {spec}: {problem}", program.name);
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn right_under_the_schedule_that_is_chosen() {
    all("auto");
}

#[test]
fn right_without_a_schedule() {
    all("default");
}
