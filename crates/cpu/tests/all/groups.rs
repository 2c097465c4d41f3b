//! Grouped neighbourhoods on this machine: with any number of threads and any table as on the reference machine.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{GraphVm, Program, ReferenceVm, RunOptions, RunResult, SpecGraphs, Value};
use gw_graph::progress::Silent;
use gw_graph::{Graph, GraphSpec};
use gw_lang::{SourceFile, compile_front};
use gw_schedule::ProgramSchedule;

const TEXT: &str = include_str!("../../../exec/tests/all/groups.gt");

fn run(vm: &dyn GraphVm, schedule: &str, graph: &Arc<Graph>) -> RunResult {
    run_text(vm, TEXT, &["g"], schedule, graph)
}

pub(crate) fn run_text(vm: &dyn GraphVm, text: &str, args: &[&str], schedule: &str, graph: &Arc<Graph>) -> RunResult {
    let file = SourceFile::new("groups.gt", text);
    let front = compile_front(&file).unwrap_or_else(|_| panic!("the program is right"));
    let module = gw_ir::lower(&front.typed, &file.text).unwrap();
    let schedule: ProgramSchedule =
        if schedule.is_empty() { ProgramSchedule::default() } else { schedule.parse().unwrap() };
    let module = gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap();
    let graphs = SpecGraphs::new();
    graphs.insert("g", Arc::clone(graph));
    let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.iter().copied()) };
    let mut program = Program::prepare(vm, Arc::new(module)).unwrap();
    program.run(&options).unwrap_or_else(|e| panic!("{schedule:?}: {e}"))
}

/// The results as bits; sums of reals over several vertices are none.
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
fn all_tables_and_teams_find_the_same_groups() {
    let machines = [CpuVm::new(1), CpuVm::new(3), CpuVm::with_tiny_chunks(4)];
    let kinds = ["kron:10:weights=1..9", "star:3000:weights=1..9", "grid:9x9:weights=1..9", "complete:80:weights=1..9"];
    for spec in kinds {
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        let expected = bits(&run(&ReferenceVm::new(), "", &graph));
        for vm in &machines {
            for table in ["", "hash", "dense"] {
                let labels = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"];
                let clause = |label: &&str| format!("{label}@table={table}");
                let schedule = match table {
                    "" => String::new(),
                    _ => labels.iter().map(clause).collect::<Vec<_>>().join(";"),
                };
                assert_eq!(bits(&run(vm, &schedule, &graph)), expected, "{spec} {schedule}");
            }
        }
    }
}

/// A graph whose weights are fractions.
fn fractions() -> Arc<Graph> {
    let plain = GraphSpec::parse("kron:8").and_then(|s| s.load(&Silent)).unwrap().graph;
    let weight = |u: u32, v: u32| ((u.min(v) * 31 + u.max(v) * 17) % 97) as f32 / 7.0;
    let sources = 0..plain.vertices() as u32;
    let triples = sources.flat_map(|u| plain.out().neighbours(u).iter().map(move |&v| (u, v, weight(u, v))));
    let edges = gw_graph::EdgeList::<f32>::from_triples(plain.vertices(), triples);
    Arc::new(gw_graph::build(edges, &gw_graph::BuildOptions::default()).unwrap())
}

/// One seed, one result, whoever computes it.
#[test]
fn communities_and_colorings_are_those_of_the_reference_machine() {
    let graph = |spec: &str| Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
    let edgeless = gw_graph::EdgeList::from_pairs(3, Vec::new());
    let edgeless = Arc::new(gw_graph::build(edgeless, &gw_graph::BuildOptions::default()).unwrap());
    let graphs = [graph("kron:9"), graph("grid:20x20:weights=1..9"), fractions(), edgeless];
    for (program, args) in [
        ("louvain", &["g", "7", "1", "none"][..]),
        ("louvain", &["g", "1", "2.5", "none"]),
        ("leiden", &["g", "7", "1", "none"]),
        ("leiden", &["g", "3", "1", "0=2,1=2,2=1"]),
        ("cdlp", &["g", "10"]),
        ("coloring", &["g"]),
    ] {
        let text = gw_programs::find(program).unwrap().source;
        for (number, graph) in graphs.iter().enumerate() {
            let expected = bits(&run_text(&ReferenceVm::new(), text, args, "", graph));
            for vm in [CpuVm::new(1), CpuVm::new(2), CpuVm::new(3), CpuVm::new(16), CpuVm::with_tiny_chunks(4)] {
                for run in 0..2 {
                    let found = bits(&run_text(&vm, text, args, "", graph));
                    assert!(found == expected, "{program} on graph {number}, run {run}");
                }
            }
        }
    }
}
