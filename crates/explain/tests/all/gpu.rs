//! An explanation of a run on a GPU, on the emulated device: times mean nothing there, everything else does.

use std::sync::Arc;
use std::time::Duration;

use graphwright::{Machine, Program};
use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_explain::{Judged, Options, Subject, explain, page, text, typical};
use gw_graph::progress::Silent;
use gw_meter::Target;

#[test]
fn a_loop_that_is_one_kernel_is_one_step_with_its_rounds() {
    let Some(device) = EmulatedDevice::new() else { return };
    let machine = Machine::new(CudaVm::on(Arc::new(device)), 1);
    let program = Program::find("bfs").unwrap();
    let subject = Subject::new(&program, &[], &["kron:6".to_string(), "0".to_string()]).unwrap();
    let fused = "s0@loop=fused;s0:s1@push,lb=wm";
    let options = Options { runs: 1, suggestions: 1, search: Duration::from_millis(1), ..Options::default() };
    let explained = |schedule: &str| {
        let wanted = subject.wanted(Some(schedule)).unwrap();
        explain(&subject, &wanted, &machine, &typical(Target::Cuda), &options, &Silent).unwrap()
    };
    let whole = explained(fused);
    let rounds = explained("s0:s1@push,lb=wm");
    let by_host = rounds.steps.iter().filter(|step| step.model.path == "s0:s1").count();
    let loops: Vec<usize> = whole.steps.iter().filter(|step| step.rounds > 1).map(|step| step.rounds).collect();
    assert_eq!(loops, [by_host]);
    let edges = |e: &gw_explain::Explanation| e.steps.iter().filter_map(|step| step.model.edges).sum::<u64>();
    assert_eq!(edges(&whole), edges(&rounds));
    // Lanes and bytes are known without a profiler, what only a device knows is not.
    let judged = whole.criteria.as_ref().unwrap();
    let known: Vec<&str> = judged.criteria.known().map(|(criterion, _)| criterion.symbol()).collect();
    assert_eq!(known, ["HSync", "TDiv", "LB_W", "Gran_L1", "Gran_L2"]);
    let told = text::text(&whole);
    assert!(told.contains(&format!("s0 ({by_host} rounds)")) && told.contains("TDiv"), "{told}");
    assert!(page::page(&whole).contains("How well the kernels use the device"));
}

#[test]
fn a_table_of_a_profiler_is_taken_instead() {
    let table = include_str!("../../../criteria/tests/h200/primitives.csv");
    let judged = Judged::of_ncu(table, None).unwrap();
    assert!(judged.source.contains("ncu") && judged.criteria.known().count() >= 8, "{judged:?}");
    assert!(Judged::of_ncu("no table", None).is_err());
}
