//! A machine uses as many threads as it was made for, also for its priority queues.
//!
//! One test only: it compares the processor time of this thread with that of the whole process.

use std::sync::Arc;
use std::time::Duration;

use gw_cpu::CpuVm;
use gw_exec::{Program, RunOptions, SpecGraphs};
use gw_graph::GraphSpec;
use gw_graph::progress::Silent;
use gw_lang::{SourceFile, compile_front};
use gw_programs::programs;

/// Processor time of this thread or of the whole process so far.
fn processor_time(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    assert_eq!(unsafe { libc::clock_gettime(clock, &raw mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn a_machine_with_one_thread_works_on_no_other() {
    let graph = Arc::new(GraphSpec::parse("kron:16:weights=1..64").and_then(|s| s.load(&Silent)).unwrap().graph);
    let vm = CpuVm::new(1);
    for (name, schedule, args) in [
        ("kcore", "s0:s1@push,update=lazy", &["g"][..]),
        ("kcore", "s0:s1@push,update=constant-sum", &["g"]),
        ("sssp-delta", "s0:s1@push,update=lazy,delta=argv3", &["g", "0", "8"]),
        ("sssp-delta", "s0:s1@push,update=eager,delta=argv3", &["g", "0", "8"]),
    ] {
        let program = programs().iter().find(|p| p.name == name).unwrap();
        let front = compile_front(&SourceFile::new(program.file, program.source).with_weights(program.usual_weights()))
            .unwrap();
        let module = gw_ir::lower(&front.typed, program.source).unwrap();
        let module = gw_ir::run_pipeline(module, &schedule.parse().unwrap(), &gw_ir::Options::default()).unwrap();
        let mut program = Program::prepare(&vm, Arc::new(module)).unwrap();
        let graphs = SpecGraphs::new();
        graphs.insert("g", Arc::clone(&graph));
        let args = args.iter().map(ToString::to_string);
        let options = RunOptions { graphs: Arc::new(graphs), ..RunOptions::with_args(args) };
        // What is done once per graph is done now, and the threads that loaded the graph fall asleep.
        program.run(&options).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let others = || {
            let own = processor_time(libc::CLOCK_THREAD_CPUTIME_ID);
            (own, processor_time(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(own))
        };
        let begin = others();
        for _ in 0..3 {
            program.run(&options).unwrap();
        }
        let end = others();
        let (own, others) = (end.0 - begin.0, end.1.saturating_sub(begin.1));
        assert!(others < own / 50, "{name} {schedule}: {own:?} on the thread of the caller, {others:?} on others");
    }
}
