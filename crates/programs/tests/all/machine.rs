//! Runs standard programs on the reference machine and validates what comes out.

use std::sync::Arc;

use gw_exec::{ReferenceVm, RunOptions, RunResult, SpecGraphs};
use gw_graph::Graph;
use gw_lang::{SourceFile, compile_front, diagnostic};
use gw_programs::{Program, Run, example_args};
use gw_schedule::ProgramSchedule;

/// Which schedule a program runs under.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheduled {
    /// Machine defaults.
    Nothing,
    /// That of the program's file.
    Own,
}

/// Compiles a program text for a reference machine.
pub fn prepare(name: &str, text: &str, scheduled: Scheduled, vm: &ReferenceVm) -> Result<gw_exec::Program, String> {
    prepare_file(&SourceFile::new(name, text), scheduled, vm)
}

/// Compiles a program for a reference machine.
pub fn prepare_file(file: &SourceFile, scheduled: Scheduled, vm: &ReferenceVm) -> Result<gw_exec::Program, String> {
    let front = compile_front(file).map_err(|findings| diagnostic::render(&findings, file, false))?;
    let module = gw_ir::lower(&front.typed, &file.text).map_err(|e| e.to_string())?;
    let schedule = match scheduled {
        Scheduled::Nothing => ProgramSchedule::new(),
        Scheduled::Own => front.schedule.unwrap_or_default(),
    };
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).map_err(|e| e.to_string())?;
    gw_exec::Program::prepare(vm, Arc::new(module)).map_err(|e| e.to_string())
}

/// Runs a compiled program on a graph in memory that it knows as `argv[1]`.
pub fn run(program: &mut gw_exec::Program, graph: &Arc<Graph>, args: &[String]) -> Result<RunResult, String> {
    let graphs = SpecGraphs::new();
    graphs.insert(&args[0], Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args) };
    program.run(&options).map_err(|e| e.to_string())
}

/// Runs a standard program with example arguments and validates the result; the error says all there is to know.
pub fn check(
    program: &Program,
    name: &str,
    graph: &Arc<Graph>,
    scheduled: Scheduled,
    shuffle: Option<u64>,
) -> Result<RunResult, String> {
    let vm = shuffle.map_or_else(ReferenceVm::new, ReferenceVm::shuffled);
    let args = example_args(program, name, graph);
    let verdict = || {
        let mut compiled = prepare(program.file, &program.text_for(&args), scheduled, &vm)?;
        let result = run(&mut compiled, graph, &args)?;
        let run = Run { graph, args: &args, results: &result.globals };
        program.validate(&run).map_err(|e| e.to_string())?;
        Ok(result)
    };
    verdict()
        .map_err(|e: String| format!("{} {args:?}, schedule {scheduled:?}, shuffle {shuffle:?}: {e}", program.name))
}
