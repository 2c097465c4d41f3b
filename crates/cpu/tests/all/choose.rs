//! The machine's own choice of a schedule: legal, supported and right for every standard program on graphs of every
//! class.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{GraphVm, RunOptions, SpecGraphs, choose_for_run};
use gw_graph::GraphSpec;
use gw_graph::progress::Silent;
use gw_lang::{SourceFile, compile_front};
use gw_programs::{Run, example_args, programs};

const GRAPHS: &[&str] = &[
    "kron:8:weights=1..64",
    "kron:7:directed:weights=1..64",
    "road:12x12:weights=1..50",
    "complete:14:weights=1..20",
    "bipartite:20:30:150:weights=1..5",
    "path:1:weights=1..2",
];

#[test]
fn every_choice_runs_and_its_result_is_right() {
    let machine = CpuVm::with_tiny_chunks(3);
    let mut scheduled = 0;
    for spec in GRAPHS {
        let graph = Arc::new(GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph);
        for program in programs().iter().filter(|p| !p.needs_symmetric || graph.is_symmetric()) {
            let text = program.example_text();
            let front =
                compile_front(&SourceFile::new(program.file, &*text).with_weights(program.usual_weights())).unwrap();
            let module = gw_ir::lower(&front.typed, &text).unwrap();
            let args = example_args(program, spec, &graph);
            let graphs = SpecGraphs::new();
            graphs.insert(&args[0], Arc::clone(&graph));
            let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args.clone()) };
            let chosen = choose_for_run(&machine, module, &options);
            let at = format!("{} {spec} under `{}`", program.name, chosen.choice.schedule);
            assert_eq!(chosen.choice.defaults_because, None, "{at}");
            for (_, schedule) in chosen.choice.schedule.labels() {
                assert!(machine.capabilities().unsupported(schedule).is_empty(), "{at}");
                scheduled += 1;
            }
            let module = gw_ir::run_pipeline(chosen.module, &chosen.choice.schedule, &gw_ir::Options::default());
            let module = Arc::new(module.unwrap_or_else(|e| panic!("{at}: {e}")));
            let mut prepared = gw_exec::Program::prepare(&machine, module).unwrap_or_else(|e| panic!("{at}: {e}"));
            let ran = prepared.run(&options).unwrap_or_else(|e| panic!("{at}: {e}"));
            let run = Run { graph: &graph, args: &args, results: &ran.globals };
            program.validate(&run).unwrap_or_else(|e| panic!("{at}: {e}"));
        }
    }
    assert!(scheduled > 100, "only {scheduled} places got a schedule");
}

/// A reason without the size of the cache of this computer.
fn anywhere(reason: &str) -> String {
    match reason.split_once(" of a cache of ") {
        Some((before, after)) => format!("{before} of a cache:{}", after.split_once(':').map_or("", |(_, why)| why)),
        None => reason.to_string(),
    }
}

/// The choices on graphs of several kinds, for all standard programs, as they were when the rules were measured. A
/// rule that changes one of them needs a measurement; `GW_BLESS=1` then writes the file anew.
#[test]
fn choices_stay_as_they_were_measured() {
    let mut text = String::new();
    for spec in GRAPHS {
        let graph = GraphSpec::parse(spec).and_then(|s| s.load(&Silent)).unwrap().graph;
        for program in programs() {
            let source = program.example_text();
            let file = SourceFile::new(program.file, &*source).with_weights(program.usual_weights());
            let front = compile_front(&file).unwrap();
            let module = gw_ir::lower(&front.typed, &file.text).unwrap();
            let (_, choice) = CpuVm::new(1).choose(module, &graph);
            text.push_str(&format!("{} {spec}\n", program.name));
            choice.reasons.iter().for_each(|reason| text.push_str(&format!("  {}\n", anywhere(&reason.to_string()))));
        }
    }
    gw_testing::assert_recorded(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/choices.txt"), &text);
}
