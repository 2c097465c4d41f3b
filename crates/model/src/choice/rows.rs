//! What the lab says about the portfolio: how long every candidate took at every place, against the rule.

use std::collections::BTreeMap;

use graphwright::Program;
use gw_lab::{Lab, TrialOutcome, TuneCell};
use gw_learned::features::{Features, PlaceFeatures};
use gw_learned::model::ALONE;
use gw_learned::places::{Place, labelled_places};
use gw_learned::portfolio::{Candidate, PlaceKind};
use gw_schedule::ProgramSchedule;

use crate::error::Result;

/// A program on a graph and a machine, with the rule's time.
#[derive(Debug, Clone)]
pub struct Case {
    /// The program.
    pub program: String,
    /// What tells its graph from others.
    pub graph: String,
    /// Processor and threads, or device.
    pub hardware: String,
    /// Edges of the graph.
    pub edges: f64,
    /// Threads of the machine; 0 where it does not count its work in threads.
    pub threads: f64,
    /// Seconds under the rule.
    pub rule: f64,
    /// The least seconds of all schedules.
    pub best: f64,
}

/// A candidate at a place of a case.
#[derive(Debug, Clone)]
pub struct Row {
    /// The place of the case among all.
    pub case: usize,
    /// The kind of place.
    pub kind: PlaceKind,
    /// Labels that took the candidate.
    pub labels: Vec<String>,
    /// The text of the candidate.
    pub candidate: &'static str,
    /// What is known about place and graph.
    pub features: Features,
    /// Logarithm of its time over the rule's.
    pub cost: f64,
    /// It came to its end; otherwise the cost is at least as given.
    pub done: bool,
}

/// The rows of labs.
#[derive(Debug, Default)]
pub struct Rows {
    /// Programs on graphs.
    pub cases: Vec<Case>,
    /// Candidates.
    pub rows: Vec<Row>,
    /// Cells that cannot be used, with the reason.
    pub passed_over: BTreeMap<String, usize>,
}

/// Reads the surveys of a machine.
pub fn rows(labs: &[Lab], target: &str) -> Result<Rows> {
    let mut found = Rows::default();
    for lab in labs {
        for (id, cell) in lab.tune_cells(None, target)? {
            if let Err(why) = add(&mut found, lab, id, &cell)? {
                *found.passed_over.entry(why).or_default() += 1;
            }
        }
    }
    Ok(found)
}

fn add(found: &mut Rows, lab: &Lab, id: i64, cell: &TuneCell) -> Result<Result<(), String>> {
    let Ok(program) = Program::find(&cell.program) else {
        return Ok(Err("programs that are not standard ones".to_string()));
    };
    let mut times: Vec<(ProgramSchedule, f64, bool)> = Vec::new();
    for trial in lab.trials(id)?.into_iter().filter(|trial| trial.input == 0 && trial.outcome != TrialOutcome::Failed) {
        let Ok(schedule) = trial.schedule.parse::<ProgramSchedule>() else { continue };
        let done = trial.outcome == TrialOutcome::Done;
        match times.iter_mut().find(|(known, ..)| *known == schedule) {
            None => times.push((schedule, trial.seconds, done)),
            Some((_, seconds, known)) => {
                *seconds = if done == *known {
                    seconds.min(trial.seconds)
                } else if done {
                    trial.seconds
                } else {
                    *seconds
                };
                *known |= done;
            }
        }
    }
    // A survey begins with the rule.
    let Some((rule, seconds, true)) = times.first().cloned() else {
        return Ok(Err("cells whose rule was not measured".to_string()));
    };
    let places = labelled_places(program.module(), &rule);
    let best = times.iter().filter(|(.., done)| *done).map(|(_, seconds, _)| *seconds).fold(seconds, f64::min);
    let case = found.cases.len();
    let rows_before = found.rows.len();
    for (schedule, time, done) in times.iter().skip(1) {
        let changed: Vec<_> =
            places.iter().filter(|place| schedule.get(&place.label) != rule.get(&place.label)).collect();
        let Some(kind) = changed.first().map(|place| place.kind) else { continue };
        let is_candidate =
            |text: &&'static str| changed.iter().all(|place| place.kind == kind && is(text, place, &rule, schedule));
        let Some(candidate) = kind.texts().find(is_candidate) else { continue };
        // Many places of a kind take a candidate together, though the rule may give it to some of them, too.
        let alike: Vec<_> = places.iter().filter(|place| place.kind == kind).collect();
        let changed = if alike.len() > ALONE { alike } else { changed };
        let features: Vec<&PlaceFeatures> = changed.iter().map(|place| &place.features).collect();
        let Some(features) = PlaceFeatures::together(&features).on(&cell.features) else {
            return Ok(Err("cells of versions that did not look at the graph".to_string()));
        };
        let labels = changed.iter().map(|place| place.label.clone()).collect();
        let cost = (time / seconds).max(1e-6).ln();
        found.rows.push(Row { case, kind, labels, candidate, features, cost, done: *done });
    }
    // A candidate that is the rule costs what the rule costs.
    for place in &places {
        if places.iter().filter(|other| other.kind == place.kind).count() > ALONE {
            continue;
        }
        let same = place.kind.texts().find(|text| is(text, place, &rule, &rule));
        if let (Some(candidate), Some(features)) = (same, place.features.on(&cell.features)) {
            let labels = vec![place.label.clone()];
            found.rows.push(Row { case, kind: place.kind, labels, candidate, features, cost: 0.0, done: true });
        }
    }
    if found.rows.len() > rows_before {
        let number = |name: &str| cell.features.get(name).copied().unwrap_or(0.0);
        // A device has no threads behind its name: those of the host say nothing about it.
        let threads = cell.hardware.rsplit_once("threads: ").and_then(|(_, threads)| threads.parse().ok());
        let threads = threads.unwrap_or(0.0);
        let (edges, hardware) = (number("edges"), cell.hardware.clone());
        let (program, graph) = (cell.program.clone(), graph_name(cell));
        found.cases.push(Case { program, graph, hardware, edges, threads, rule: seconds, best });
    }
    Ok(Ok(()))
}

/// Whether a schedule has a candidate at a place.
fn is(text: &str, place: &Place, rule: &ProgramSchedule, schedule: &ProgramSchedule) -> bool {
    let wanted = Candidate::parse(text).map(|candidate| candidate.at(rule.get(&place.label)));
    wanted.is_some() && wanted.as_ref() == schedule.get(&place.label)
}

/// The name of a graph without folder and weights, so that a graph with other weights is the same graph.
fn graph_name(cell: &TuneCell) -> String {
    let name = cell.graph_name.as_deref().unwrap_or(&cell.graph);
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split(":weights").next().unwrap_or(name).to_string()
}
