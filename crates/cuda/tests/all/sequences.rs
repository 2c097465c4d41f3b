//! Sequences of runs on an emulated GPU: graphs that change on the device, executables used again, updates that go on
//! from what an earlier run left. A nightly run has many more; `gw-fuzz sequences --on emulator` as many as one likes.

use std::sync::Arc;

use graphwright::Machine;
use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_lab::{Ending, SequenceKind, Sequences, Targets, play, run_sequences};

/// Programs of a usual run: every kernel takes a compiler half a second when it is first met.
const USUAL: [&str; 2] = ["cc", "sssp"];

/// The machines, with the emulated GPU among them.
fn targets() -> Targets {
    let mut targets = Targets::standard(1);
    targets.add("emulator", || Ok(Machine::new(CudaVm::on(Arc::new(EmulatedDevice::open()?)), 1)));
    targets
}

/// Changes are sent to the device between runs: the flag of a run that was cancelled before is none of theirs.
#[test]
fn a_graph_changes_after_a_cancelled_run() {
    if EmulatedDevice::new().is_none() {
        return;
    }
    let text = "cc emulator schedule=default undirected n=6 0-1 2-3 | again 0 | stop 0 0 | change +1-2 | again 1";
    let played = play(&text.parse().unwrap(), &targets());
    assert_eq!((played.ending, played.judged), (Ending::Right, 2), "{:?}", played.refused);
}

#[test]
fn one_run_does_not_change_the_next() {
    if EmulatedDevice::new().is_none() {
        return;
    }
    let targets = targets();
    let is_wanted = |program: &&gw_programs::Program| gw_testing::is_nightly() || USUAL.contains(&program.name);
    let session = Sequences {
        targets: &targets,
        on: vec!["emulator".to_string()],
        partners: ["reference", "cpu", "emulator"].map(String::from).into(),
        programs: gw_programs::programs().iter().filter(is_wanted).collect(),
        kinds: SequenceKind::ALL.into(),
        seed: 1,
        count: gw_testing::usually(12, 2000),
        random: if gw_testing::is_nightly() { 10 } else { 0 },
        command: "gw-fuzz sequences --play".to_string(),
        cancel: Arc::default(),
    };
    let report = run_sequences(&session, &mut |_| {});
    let failures: Vec<String> =
        report.failures.iter().map(|failure| format!("{}\n  {}", failure.problem, failure.command)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(report.tallies.iter().map(|tally| tally.judged).sum::<u64>() > 12, "{:?}", report.tallies);
}
