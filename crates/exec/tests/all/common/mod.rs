//! What the tests share: compiling source, small graphs, running on the reference machine.
#![allow(dead_code)]

use std::sync::Arc;

use gw_exec::{ExecError, GraphVm, Program, ReferenceVm, RunOptions, RunResult, SpecGraphs};
use gw_graph::{BuildOptions, EdgeList, Graph, build};
use gw_ir::Module;
use gw_lang::{SourceFile, compile_front, diagnostic};
use gw_schedule::ProgramSchedule;

/// The declarations most tests start with.
pub const HEAD: &str = "element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
";

/// The same with weights.
pub const WEIGHTED: &str = "element Node end
element Link end
const links : edgeset{Link}(Node,Node,int) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
";

/// Lowers a program without running any pass.
pub fn lower(source: &str) -> (Module, ProgramSchedule) {
    let file = SourceFile::new("test.gt", source);
    let front = compile_front(&file).unwrap_or_else(|e| panic!("{}", diagnostic::render(&e, &file, false)));
    let module = gw_ir::lower(&front.typed, source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    gw_ir::validate(&module).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    (module, front.schedule.unwrap_or_default())
}

/// A directed graph, loops and repeats dropped as loading does.
pub fn graph(vertices: usize, edges: &[(u32, u32)]) -> Arc<Graph> {
    Arc::new(build(EdgeList::from_pairs(vertices, edges.to_vec()), &BuildOptions::default()).unwrap())
}

/// A directed graph with integer weights.
pub fn weighted(vertices: usize, edges: &[(u32, u32, i32)]) -> Arc<Graph> {
    let list = EdgeList::from_triples(vertices, edges.iter().copied());
    Arc::new(build(list, &BuildOptions::default()).unwrap())
}

/// Options in which `argv[1]` is `graph` and the rest follows.
pub fn options(graph: Arc<Graph>, args: &[&str]) -> RunOptions {
    let graphs = SpecGraphs::new();
    graphs.insert("graph", graph);
    let mut options = RunOptions::with_args(["graph"].into_iter().chain(args.iter().copied()));
    options.graphs = Arc::new(graphs);
    options
}

/// Runs a module on a machine.
pub fn run_on(vm: &dyn GraphVm, module: Module, options: &RunOptions) -> Result<RunResult, ExecError> {
    Program::prepare(vm, Arc::new(module))?.run(options)
}

/// Runs source on the reference machine.
pub fn run(source: &str, options: &RunOptions) -> Result<RunResult, ExecError> {
    run_on(&ReferenceVm::new(), lower(source).0, options)
}

/// What a program prints.
pub fn printed(source: &str, graph: Arc<Graph>, args: &[&str]) -> String {
    run(source, &options(graph, args)).unwrap_or_else(|e| panic!("{e} at {:?}\n{source}", e.span())).printed
}

/// The lines that a `main` with this body prints, on a path of three vertices.
pub fn main_prints(body: &str) -> Vec<String> {
    let source = format!("{HEAD}func main()\n{body}\nend\n");
    printed(&source, graph(3, &[(0, 1), (1, 2)]), &[]).lines().map(str::to_string).collect()
}

/// The error of running a `main` with this body on a path of three vertices.
pub fn main_fails(body: &str) -> ExecError {
    let source = format!("{HEAD}func main()\n{body}\nend\n");
    match run(&source, &options(graph(3, &[(0, 1), (1, 2)]), &[])) {
        Ok(result) => panic!("{body}: printed {:?} instead of failing", result.printed),
        Err(error) => error,
    }
}
