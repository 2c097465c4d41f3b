//! The learned choice from made-up surveys: it finds what holds, says nothing where nothing was measured, and is judged
//! on what it has not seen.

use std::collections::BTreeMap;

use gw_lab::{Lab, TrialOutcome, TrialRow, TuneCell};
use gw_model::choice::{Learning, LeaveOut, Summary, judge, proven, rows, train};

const RULE: &str = "s0:s1@hybrid,by=input-work,at=0.1+push,par=dynamic+pull,par=dynamic,frontier=bitmap";
const SERIAL: &str = "s0:s1@push,par=serial";
const PULL: &str = "s0:s1@pull,par=serial,frontier=bitmap";

fn cell(program: &str, graph: usize, degree: f64, target: &str) -> TuneCell {
    let vertices = 1000.0 * (1 + graph % 7) as f64;
    let numbers = [
        ("vertices", vertices),
        ("edges", degree * vertices),
        ("out-degree-max", 4.0 * degree),
        ("probe-rounds", 5.0),
        ("probe-met", 1.0),
        ("edge-distance", 0.8),
        ("threads", 4.0),
    ];
    let features: BTreeMap<String, f64> = numbers.map(|(name, value)| (name.to_string(), value)).into();
    TuneCell {
        program: program.to_string(),
        program_hash: program.to_string(),
        graph: format!("g{graph}"),
        graph_name: Some(format!("/somewhere/g{graph}.gwg:weights=1..9")),
        features,
        target: target.to_string(),
        hardware: "made up, threads: 4".to_string(),
        commit: "none".to_string(),
    }
}

fn trial(schedule: &str, seconds: f64, outcome: TrialOutcome) -> TrialRow {
    let schedule = schedule.to_string();
    TrialRow { schedule, input: 0, outcome, seconds, bytes: 0, joules: None, compile_seconds: 0.001 }
}

/// Serial pushes take half the time on flat graphs and thrice on others; serial pulls never come to their end.
fn surveys(lab: &mut Lab, program: &str, graphs: usize, target: &str) {
    for graph in 0..graphs {
        let degree = if graph % 2 == 0 { 2.0 } else { 20.0 };
        let serial = if graph % 2 == 0 { 0.5 } else { 3.0 };
        let noise = 1.0 + 0.01 * (graph % 5) as f64;
        let trials = [
            trial(RULE, 0.01, TrialOutcome::Done),
            trial(SERIAL, 0.01 * serial * noise, TrialOutcome::Done),
            trial(PULL, 0.08, TrialOutcome::Slow),
        ];
        lab.store_trials(&cell(program, graph, degree, target), &trials).unwrap();
    }
}

fn lab() -> (tempfile::TempDir, Lab) {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::create(folder.path().join("made.lab")).unwrap();
    (folder, lab)
}

#[test]
fn what_holds_on_other_graphs_is_found() {
    let (_folder, mut lab) = lab();
    surveys(&mut lab, "cc", 24, "cpu");
    surveys(&mut lab, "bfs", 24, "cpu");
    let rows = rows(&[lab], "cpu").unwrap();
    assert_eq!((rows.cases.len(), rows.passed_over.len()), (48, 0));
    // Made-up graphs differ in little but their degree, which some trees are not shown: their doubt is left out.
    let bold = Learning { doubt: 0.0, ..Learning::default() };
    let judged = judge(&rows, "cpu", &bold, LeaveOut::Graph).unwrap();
    let sum = Summary::of(judged.iter());
    assert!(sum.mean[0] > 1.35 && sum.mean[1] < 1.02, "{sum:?}");
    assert_eq!((sum.cases, sum.changed, sum.slower), (48, 24, 0));
    assert!(!proven(&rows, &judged).is_empty());
    // The operators of the two programs do different things: what is known of one says nothing about the other.
    let judged = judge(&rows, "cpu", &bold, LeaveOut::Program).unwrap();
    let sum = Summary::of(judged.iter());
    assert_eq!((sum.cases, sum.changed, sum.mean[1]), (48, 0, sum.mean[0]));
    assert!(proven(&rows, &judged).is_empty());
    let model = train(&rows, "cpu", &Learning::default(), |_| true).unwrap();
    assert_eq!((model.about.graphs, model.about.programs), (24, 2));
    // The same draws give the same model.
    assert_eq!(model, train(&rows, "cpu", &Learning::default(), |_| true).unwrap());
}

#[test]
fn without_surveys_there_is_nothing_to_learn() {
    let (_folder, mut made) = lab();
    surveys(&mut made, "cc", 8, "cuda");
    let nothing = rows(&[made], "cpu").unwrap();
    let refused = train(&nothing, "cpu", &Learning::default(), |_| true);
    let words = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(words.contains("machine cpu") && words.contains("there are 0") && words.contains("--survey"), "{words}");
}

#[test]
fn cells_that_cannot_be_used_are_counted() {
    let (_folder, mut made) = lab();
    surveys(&mut made, "cc", 4, "cpu");
    let own = cell("my-own", 0, 2.0, "cpu");
    made.store_trials(&own, &[trial(RULE, 0.01, TrialOutcome::Done)]).unwrap();
    let unlucky = cell("bfs", 1, 2.0, "cpu");
    made.store_trials(&unlucky, &[trial(RULE, 0.01, TrialOutcome::Slow), trial(SERIAL, 0.01, TrialOutcome::Done)])
        .unwrap();
    let mut old = cell("bfs", 2, 2.0, "cpu");
    old.features.remove("probe-rounds");
    made.store_trials(&old, &[trial(RULE, 0.01, TrialOutcome::Done), trial(SERIAL, 0.01, TrialOutcome::Done)]).unwrap();
    let rows = rows(&[made], "cpu").unwrap();
    assert_eq!((rows.cases.len(), rows.passed_over.values().sum::<usize>()), (4, 3), "{:?}", rows.passed_over);
}
