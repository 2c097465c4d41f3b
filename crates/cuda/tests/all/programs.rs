//! Every standard program on an emulated GPU, as the machine schedules it: validators must accept what comes out. Other
//! schedules are the business of `matrix.rs`.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{GraphVm, RunOptions, SpecGraphs};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Program, Run, example_args, example_graphs, weighted_examples};
use gw_schedule::Family;

/// Small graphs of every class, all weighted; fractions are no weights for most programs.
fn graphs() -> Vec<String> {
    let graphs = example_graphs().iter().filter(|graph| !graph.is_fractional());
    graphs.map(|graph| crate::sized(&graph.weighted_spec())).collect()
}

fn check(program: &Program, spec: &str, graph: &Arc<Graph>, vm: &dyn GraphVm) -> Result<(), String> {
    let text = program.example_text();
    let file = SourceFile::new(program.file, &*text).with_weights(program.weights_on(graph));
    let front = compile_front(&file).map_err(|_| "does not compile".to_string())?;
    let module = gw_ir::lower(&front.typed, &text).map_err(|e| e.to_string())?;
    let (module, choice) = vm.choose(module, graph);
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &choice.schedule, &options).map_err(|e| e.to_string())?;
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

/// A program on every eighteenth graph and every tenth one with weights of 64 bits, others for each program, under the
/// schedule that is chosen for each; on all graphs in a nightly run.
fn right(name: &str) {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let program = gw_programs::find(name).unwrap();
    let mut problems = Vec::new();
    let number = gw_programs::programs().iter().position(|p| p.name == name).unwrap_or(0);
    for (i, spec) in graphs().iter().enumerate() {
        if !(i + number).is_multiple_of(gw_testing::usually(18, 1)) {
            continue;
        }
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        // Hundreds of steps, thread by thread.
        let is_slow = ["leiden", "louvain"].contains(&name) && graph.edges() > 250 && !gw_testing::is_nightly();
        if program.suits(&graph)
            && !is_slow
            && let Err(problem) = check(program, spec, &graph, &vm)
        {
            problems.push(format!("{spec}: {problem}"));
        }
    }
    for (i, example) in weighted_examples().unwrap().into_iter().enumerate() {
        if !program.uses_weights() || !(i + number).is_multiple_of(gw_testing::usually(10, 1)) {
            continue;
        }
        let Ok(suited) = program.suit(example.graph, "g") else { continue };
        if let Err(problem) = check(program, "g", &suited.graph, &vm) {
            problems.push(format!("{}: {problem}", example.name));
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// A test per program, so that cores share the work.
macro_rules! programs {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                right($name);
            }
        )*

        #[test]
        fn no_program_is_left_out() {
            let mut tested = vec![$($name),*];
            let mut known: Vec<&str> = gw_programs::programs().iter().map(|program| program.name).collect();
            (tested.sort(), known.sort());
            assert_eq!(tested, known);
        }
    };
}

programs! {
    astar: "astar",
    bc: "bc",
    bc_all: "bc-all",
    bc_edges: "bc-edges",
    bc_weighted: "bc-weighted",
    bfs: "bfs",
    bfs_levels: "bfs-levels",
    biconnected: "biconnected",
    bipartite: "bipartite",
    bridges: "bridges",
    cc: "cc",
    cc_fast: "cc-fast",
    cdlp: "cdlp",
    cf: "cf",
    closeness: "closeness",
    coloring: "coloring",
    earliest_arrival: "earliest-arrival",
    eccentricity: "eccentricity",
    eigenvector: "eigenvector",
    eigenvector_weighted: "eigenvector-weighted",
    fastrp: "fastrp",
    harmonic: "harmonic",
    hits: "hits",
    hits_weighted: "hits-weighted",
    k_shortest_paths: "k-shortest-paths",
    katz: "katz",
    katz_weighted: "katz-weighted",
    kcore: "kcore",
    kcore_unordered: "kcore-unordered",
    khop: "khop",
    ktruss: "ktruss",
    lcc: "lcc",
    leiden: "leiden",
    louvain: "louvain",
    matching: "matching",
    matching_weighted: "matching-weighted",
    maxflow: "maxflow",
    mis: "mis",
    msbfs: "msbfs",
    msf: "msf",
    node2vec: "node2vec",
    pagerank: "pagerank",
    pagerank_delta: "pagerank-delta",
    pagerank_div: "pagerank-div",
    pagerank_gs: "pagerank-gs",
    pagerank_weighted: "pagerank-weighted",
    ppr: "ppr",
    ppr_weighted: "ppr-weighted",
    ppsp: "ppsp",
    scc: "scc",
    setcover: "setcover",
    similar: "similar",
    similarity: "similarity",
    similarity_edges: "similarity-edges",
    spmv: "spmv",
    sssp: "sssp",
    sssp_delta: "sssp-delta",
    sssp_real: "sssp-real",
    tc: "tc",
    temporal_reach: "temporal-reach",
    topo: "topo",
    triangles: "triangles",
    walks: "walks",
}
