//! Golden texts: the C++ for people, and the task code that the simulator runs.

use std::sync::Arc;

use gw_ir::module::Module;
use gw_lang::{SourceFile, compile_front};
use gw_schedule::{Family, ProgramSchedule};
use gw_swarm::{Config, SwarmVm, emit};

fn module(program: &str, schedule: &str) -> Arc<Module> {
    let program = gw_programs::find(program).unwrap();
    let mut schedule: ProgramSchedule = schedule.parse().unwrap();
    schedule.set_family(Some(Family::Swarm));
    let file = SourceFile::new(program.file, program.source);
    let front = compile_front(&file).unwrap_or_else(|_| panic!("{} does not compile", program.name));
    let module = gw_ir::lower(&front.typed, program.source).unwrap();
    Arc::new(gw_ir::run_pipeline(module, &schedule, &gw_ir::Options::default()).unwrap())
}

fn listing(program: &str, schedule: &str) -> String {
    let machine = SwarmVm::new(Config::default()).unwrap();
    let programs = machine.listings(&module(program, schedule)).unwrap();
    programs.into_iter().map(|(title, functions)| format!("== {title}\n{}\n", functions.join("\n"))).collect()
}

#[test]
fn cpp_of_the_programs_of_the_thesis() {
    let edges = "s0:s1@lb=edge-based,hint=on";
    for (program, name, schedule) in [
        ("bfs", "bfs", "default"),
        ("bfs", "bfs-edges", edges),
        ("sssp-delta", "sssp-delta", "default"),
        ("sssp-delta", "sssp-delta-edges", edges),
        ("pagerank", "pagerank-edges", edges),
        ("bc", "bc", "default"),
    ] {
        insta::assert_snapshot!(name, emit::cpp(&module(program, schedule)));
    }
}

#[test]
fn task_code_of_shortest_paths() {
    insta::assert_snapshot!("sssp-delta-tasks", listing("sssp-delta", "s0:s1@lb=edge-based,hint=on"));
}

/// Every operation has its name, and none is an address.
#[test]
fn listings_say_what_runs() {
    for program in gw_programs::programs() {
        let text = listing(program.name, "default");
        assert!(!text.contains("0x") && !text.contains('?'), "{}:\n{text}", program.name);
        assert_eq!(text, listing(program.name, "default"));
    }
}

/// Settings without an effect are refused with a way out.
#[test]
fn ordered_loops_refuse_what_they_would_ignore() {
    let machine = SwarmVm::new(Config::default()).unwrap();
    for (program, schedule, expected) in [
        ("bfs", "s0:s1@coarsen=on", "add `lb=edge-based`"),
        ("sssp-delta", "s0:s1@coarsen=on", "add `lb=edge-based`"),
        ("bfs", "s0:s1@stride=on", "drop it, or use `queue=unordered`"),
        ("sssp-delta", "s0:s1@lb=edge-based,stride=on", "drop it, or use `queue=unordered`"),
    ] {
        let error = machine.listings(&module(program, schedule)).unwrap_err().to_string();
        assert!(error.contains(expected), "{program} under {schedule}: {error}");
    }
    for (program, schedule) in [
        ("bfs", "s0@queue=unordered;s0:s1@coarsen=on,stride=on"),
        ("bfs", "s0:s1@lb=edge-based,coarsen=on"),
        ("pagerank", "s0:s1@coarsen=on,stride=on"),
    ] {
        assert!(machine.listings(&module(program, schedule)).is_ok(), "{program} under {schedule}");
    }
}
