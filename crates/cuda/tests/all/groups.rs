//! Grouped neighbourhoods on the emulated device: lanes, warps, blocks and tables in memory find the groups of the
//! reference machine.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::{ExecError, GraphVm, Program, ReferenceVm, RunOptions, RunResult, SpecGraphs, Value};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};

const TEXT: &str = include_str!("../../../exec/tests/all/groups.gt");

fn run(vm: &dyn GraphVm, schedule: &str, graph: &Arc<Graph>) -> RunResult {
    run_text(vm, TEXT, &["g"], schedule, graph)
}

pub(crate) fn run_text(vm: &dyn GraphVm, text: &str, args: &[&str], schedule: &str, graph: &Arc<Graph>) -> RunResult {
    try_text(vm, text, args, schedule, &[graph]).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a text on graphs that it knows as `g`, `h` and so on.
fn try_text(
    vm: &dyn GraphVm,
    text: &str,
    args: &[&str],
    schedule: &str,
    loaded: &[&Arc<Graph>],
) -> Result<RunResult, ExecError> {
    let file = SourceFile::new("groups.gt", text);
    let front = compile_front(&file).unwrap_or_else(|_| panic!("the program is right"));
    let module = gw_ir::lower(&front.typed, &file.text).unwrap();
    let schedule = match schedule {
        "" => ProgramSchedule::default(),
        text => text.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    };
    let options = gw_ir::Options { family: Some(Family::Gpu), ..gw_ir::Options::default() };
    let module = gw_ir::run_pipeline(module, &schedule, &options).unwrap();
    let graphs = SpecGraphs::new();
    for (name, &graph) in ["g", "h"].into_iter().zip(loaded) {
        graphs.insert(name, Arc::clone(graph));
    }
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.iter().copied()) };
    Program::prepare(vm, Arc::new(module)).unwrap().run(&options)
}

/// The results as bits.
pub(crate) fn bits(result: &RunResult) -> Vec<(String, Vec<u64>)> {
    let bits = |value: &Value| match value {
        Value::Vector(vector) => (0..vector.len()).map(|i| vector.load_bits(i)).collect(),
        value => vec![value.bits().unwrap_or(0)],
    };
    result
        .globals
        .iter()
        .filter(|(_, v)| !matches!(v, Value::Graph(_)))
        .map(|(n, v)| (n.to_string(), bits(v)))
        .collect()
}

#[test]
fn lanes_warps_blocks_and_memory_find_the_same_groups() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    // The hub of the star needs a table in memory, that of the small star and the complete graph a block.
    for spec in ["kron:8:weights=1..9", "star:1200:weights=1..9", "grid:6x6:weights=1..9", "complete:90:weights=1..9"] {
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        let expected = bits(&run(&ReferenceVm::new(), "", &graph));
        for table in ["", "hash", "warp", "shared", "memory"] {
            let clause = |label: u32| format!("s{label}@table={table}");
            let schedule = match table {
                "" => String::new(),
                _ => (1..=8).map(clause).collect::<Vec<_>>().join(";"),
            };
            assert_eq!(bits(&run(&vm, &schedule, &graph)), expected, "{spec} {schedule}");
        }
    }
}

/// One seed, one result, whoever computes it.
#[test]
fn communities_and_colorings_are_those_of_the_reference_machine() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let programs = [
        ("louvain", &["g", "7", "1", "none"][..]),
        ("leiden", &["g", "7", "1", "none"]),
        ("cdlp", &["g", "10"]),
        ("coloring", &["g"]),
    ];
    for spec in ["kron:6", "grid:6x6:weights=1..9"] {
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        for (program, args) in programs {
            let text = gw_programs::find(program).unwrap().source;
            let expected = bits(&run_text(&ReferenceVm::new(), text, args, "", &graph));
            for run in 0..2 {
                assert!(bits(&run_text(&vm, text, args, "", &graph)) == expected, "{program} of {spec}, run {run}");
            }
        }
    }
}

/// The element has the vertices of the larger graph, which is loaded last; the neighbours of the smaller one are
/// grouped.
#[test]
fn a_vertex_that_the_grouped_graph_lacks_is_an_error() {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let text = "element Vertex end\nelement Edge end\n\
                const h : edgeset{Edge}(Vertex,Vertex) = load(argv[2]);\n\
                const g : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\n\
                const found : vector{Vertex}(int) = -1;\n\
                func key(v : Vertex, n : Vertex) -> k : int\n k = n;\nend\n\
                func main()\n h.groupBy(key).count().groups(found);\nend\n";
    let [large, small] = ["grid:9x9", "grid:3x3"]
        .map(|spec| Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph));
    let error = |vm: &dyn GraphVm| try_text(vm, text, &["g", "h"], "", &[&large, &small]).unwrap_err().to_string();
    assert_eq!(error(&vm), error(&ReferenceVm::new()));
}
