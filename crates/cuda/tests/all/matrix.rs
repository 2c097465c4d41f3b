//! The conformance matrix of `gw check` on an emulated GPU: random legal schedules, every result validated.
//!
//! A part of the short matrix, with the programs that differ most; all of the short matrix in a nightly run. `GW_ONLY`
//! takes the whole matrix of one program instead (hours for some), or with `GW_SCHEDULES` so many of its schedules on
//! few graphs; `GW_SEED` draws other schedules.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_lab::{Check, CheckListener};
use gw_programs::{Program, programs};

/// Legal schedules per program by default, and the programs: frontiers, lists, queues, intersections.
const DRAWN: usize = 1;
const USUAL: [&str; 3] = ["bc", "kcore", "tc"];

struct Told;

impl CheckListener for Told {
    fn begin(&mut self, runs: u64) {
        println!("{runs} runs");
    }

    fn trying(&mut self, program: &str, schedule: &str) {
        println!("{program} {schedule}");
    }

    fn advance(&mut self, _runs: u64) {}
}

/// Checks every second program, so that two tests share the work.
fn half(first: usize) {
    let Some(device) = EmulatedDevice::new() else { return };
    let vm = CudaVm::on(Arc::new(device));
    let only = std::env::var("GW_ONLY").ok();
    let all = gw_testing::is_nightly();
    let wanted = |program: &&'static Program| match &only {
        Some(only) => only == program.name,
        None => all || USUAL.contains(&program.name),
    };
    let mut check = Check::new(&vm);
    check.programs = programs().iter().filter(wanted).skip(first).step_by(2).collect();
    if check.programs.is_empty() {
        return;
    }
    check.seed = std::env::var("GW_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let drawn = std::env::var("GW_SCHEDULES").ok().and_then(|n| n.parse().ok());
    if drawn.is_some() {
        (check.quick, check.schedules) = (true, drawn);
    } else if only.is_none() {
        (check.quick, check.schedules) = (true, (!all).then_some(DRAWN));
    }
    let report = gw_lab::check(&check, &mut Told).unwrap();
    for refusal in &report.refusals {
        println!("refused {} runs of {}: {}", refusal.runs, refusal.programs.join(", "), refusal.reason);
    }
    let failures: Vec<String> = report
        .failures
        .iter()
        .map(|failure| {
            format!("{} on {}: {}\n    {}", failure.program, failure.graph, failure.problem, failure.command)
        })
        .collect();
    println!("{:?}, {:.0} s", report.total, report.seconds);
    assert!(failures.is_empty(), "{} of {} runs:\n{}", failures.len(), report.total.runs(), failures.join("\n"));
    assert!(report.total.passed > 0);
}

#[test]
fn random_schedules_are_right_for_one_half_of_the_programs() {
    half(0);
}

#[test]
fn random_schedules_are_right_for_the_other_half() {
    half(1);
}
