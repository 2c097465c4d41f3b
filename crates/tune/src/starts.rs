//! Schedules to begin with: what machines, people, models and earlier measurements say.
//!
//! Transfer decides: a few schedules that were good on other graphs come close to the best on most. So the starts are
//! many, and each costs at most twice the best run.

use std::collections::BTreeMap;

use graphwright::{Adviser, Program};
use gw_exec::GraphVm;
use gw_lab::{Lab, TrialOutcome, TrialRow, named_schedules};
use gw_schedule::{PointKind, ProgramSchedule, Schedule, Sources};

use crate::bench::{Objective, Reading};
use crate::error::Result;
use crate::space::ProgramSpace;

/// Similar graphs of a lab that schedules are taken from, and the best schedules of each.
const GRAPHS: usize = 6;
const PER_GRAPH: usize = 3;

/// Schedules worth a try on any graph, by kind of place. What a machine cannot run and what is not legal falls out.
const FRONTIER: [&str; 6] = [
    "push,par=dynamic",
    "push,par=serial",
    "hybrid,by=input-work,at=0.1+push,par=dynamic+pull,par=dynamic,frontier=bitmap",
    "hybrid,by=input-work,at=0.05+push,par=serial+pull,par=dynamic,frontier=bitmap",
    "hybrid,by=input-size,at=0.02+push,par=dynamic+pull,par=edge-aware,frontier=bitmap",
    "push,par=dynamic,grain=256,create=sliding-queue",
];
const ALL_EDGES: [&str; 5] = [
    "pull,par=edge-aware",
    "pull,par=dynamic",
    "pull,par=static",
    "pull,par=edge-aware,segments=4",
    "push,par=dynamic",
];
const PRIORITY: [&str; 5] = [
    "push,par=dynamic,update=eager-with-merge",
    "push,par=dynamic,update=eager",
    "push,par=dynamic,update=lazy",
    "push,par=serial,update=lazy",
    "push,par=dynamic,update=constant-sum",
];
const INTERSECTIONS: [&str; 3] = ["intersect=combined", "intersect=hiroshi", "intersect=binary-search"];
const FRONTIER_GPU: [&str; 5] = [
    "push,lb=etwc",
    "hybrid,by=edges-ahead,at=0.05+push,lb=etwc+pull,lb=etwc,frontier=bitmap,create=unfused-bitmap",
    "hybrid,by=edges-ahead,at=0.05+push,lb=vw8+pull,lb=vertex-based,frontier=bitmap,create=unfused-bitmap",
    "push,lb=vertex-based",
    "push,lb=merge-path",
];
const ALL_EDGES_GPU: [&str; 4] = ["pull,lb=etwc", "pull,lb=vw8", "pull,lb=strict", "push,lb=etwc"];
const LOOPS: [&str; 2] = ["loop=fused", "loop=host"];

/// The schedules that a search begins with, each with the word for where it comes from; the rule's is the first.
pub fn starts(
    program: &Program,
    machine: &dyn GraphVm,
    space: &ProgramSpace,
    rule: &ProgramSchedule,
) -> Vec<(String, ProgramSchedule)> {
    let mut all = vec![("rule".to_string(), rule.clone())];
    if let Some(own) = &program.front().schedule {
        all.push(("program".to_string(), own.clone()));
    }
    if let Some(Ok(adviser)) = Adviser::default_for(machine.name(), program.name())
        && adviser.program == program.name()
    {
        let candidates = adviser.candidates.iter().filter_map(|candidate| candidate.schedule.parse().ok());
        all.extend(candidates.map(|schedule| ("model".to_string(), schedule)));
    }
    // Each place in turn takes the schedules for its kind; the others stay as the rule has them.
    for slot in &space.slots {
        let point = &slot.points[0];
        let texts = match (point.kind, point.from) {
            (PointKind::EdgeOperator, Sources::All) => [&ALL_EDGES[..], &ALL_EDGES_GPU[..]].concat(),
            (PointKind::EdgeOperator, _) => [&FRONTIER[..], &FRONTIER_GPU[..]].concat(),
            (PointKind::PriorityOperator, _) => PRIORITY.to_vec(),
            (PointKind::Intersection, _) => INTERSECTIONS.to_vec(),
            (PointKind::WhileLoop, _) => LOOPS.to_vec(),
            _ => Vec::new(),
        };
        for schedule in texts.iter().filter_map(|text| text.parse::<Schedule>().ok()) {
            let mut whole = rule.clone();
            whole.insert(slot.label.clone(), schedule);
            all.push(("portfolio".to_string(), whole));
        }
    }
    let algorithm = program.name().split('-').next().unwrap_or_default();
    let named = named_schedules(algorithm, machine.family()).into_iter();
    all.extend(
        named.filter(|named| named.program == program.name()).map(|n| (format!("named {}", n.name), n.schedule)),
    );
    keep_possible(all, space)
}

/// Leaves out what no place may have and what comes twice. The first stays in any case.
fn keep_possible(all: Vec<(String, ProgramSchedule)>, space: &ProgramSpace) -> Vec<(String, ProgramSchedule)> {
    let mut seen = std::collections::HashSet::new();
    let mut kept = Vec::new();
    for (place, (origin, schedule)) in all.into_iter().enumerate() {
        if seen.insert(space.key(&schedule)) && (place == 0 || space.allows(&schedule)) {
            kept.push((origin, schedule));
        }
    }
    kept
}

/// What a lab knows for the start of a search.
#[derive(Debug, Default)]
pub struct FromLab {
    /// Schedules, those of the most similar graphs first.
    pub schedules: Vec<(String, ProgramSchedule)>,
    /// Graphs that they come from.
    pub graphs: usize,
    /// All of these graphs were measured on other computers.
    pub elsewhere: bool,
}

/// The best schedules of the graphs of a lab that are most like this one: by the objective where trials of a graph were
/// metered, otherwise by time. Times of other computers say nothing about this one, but their best schedules are worth
/// a try.
pub fn starts_from_lab(
    lab: &Lab,
    program: &str,
    target: &str,
    hardware: &str,
    features: &BTreeMap<String, f64>,
    objective: Objective,
    space: &ProgramSpace,
) -> Result<FromLab> {
    // Distance, measured here, schedules.
    let mut graphs: Vec<(f64, bool, Vec<String>)> = Vec::new();
    for (id, cell) in lab.tune_cells(Some(program), target)? {
        let mut least: BTreeMap<String, BTreeMap<usize, f64>> = BTreeMap::new();
        let mut trials: Vec<TrialRow> = lab.trials(id)?;
        trials.retain(|trial| trial.outcome == TrialOutcome::Done);
        let metered = objective.needs_meter() && trials.iter().any(|trial| trial.joules.is_some());
        let objective = if metered { objective } else { Objective::Time };
        for trial in trials.into_iter().filter(|trial| !metered || trial.joules.is_some()) {
            let reading = Reading { seconds: trial.seconds, bytes: trial.bytes, joules: trial.joules };
            let known = least.entry(trial.schedule).or_default().entry(trial.input).or_insert(f64::MAX);
            *known = known.min(objective.measured(&reading));
        }
        let inputs = least.values().map(BTreeMap::len).max().unwrap_or(0);
        let mean =
            |times: &BTreeMap<usize, f64>| times.values().map(|t| t.max(1e-12).ln()).sum::<f64>() / times.len() as f64;
        let mut ranked: Vec<(f64, String)> = least
            .into_iter()
            .filter(|(_, times)| times.len() == inputs)
            .map(|(schedule, times)| (mean(&times), schedule))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let best = ranked.into_iter().take(PER_GRAPH).map(|(_, schedule)| schedule).collect();
        graphs.push((distance(features, &cell.features), cell.hardware == hardware, best));
    }
    for timed in lab.timed_schedules(program, target)? {
        let best = timed.schedules.into_iter().take(PER_GRAPH).map(|(schedule, _)| schedule).collect();
        graphs.push((distance(features, &timed.features), true, best));
    }
    graphs.sort_by(|a, b| a.0.total_cmp(&b.0));
    graphs.truncate(GRAPHS);
    let mut found = FromLab {
        graphs: graphs.len(),
        elsewhere: !graphs.is_empty() && graphs.iter().all(|(_, here, _)| !here),
        schedules: Vec::new(),
    };
    let parsed =
        graphs.into_iter().flat_map(|(.., texts)| texts).filter_map(|text| text.parse::<ProgramSchedule>().ok());
    for schedule in parsed.filter(|schedule| space.allows(schedule)) {
        if !found.schedules.iter().any(|(_, known)| *known == schedule) {
            found.schedules.push(("lab".to_string(), schedule));
        }
    }
    Ok(found)
}

/// How unlike two graphs are: distances of the logarithms of size, degree and skew.
fn distance(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> f64 {
    let of = |features: &BTreeMap<String, f64>| {
        let value = |name: &str| features.get(name).copied().unwrap_or(0.0).max(1e-3);
        let mean = value("edges") / value("vertices");
        let skew = (value("out-degree-max") / mean).max(1.0);
        [value("vertices").ln() / 4.0, mean.ln(), skew.ln() / 2.0, value("out-degree-std-dev").ln() / 4.0]
    };
    of(one).iter().zip(of(other)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
