//! Schedules to begin with: what machines, people, models and earlier measurements say.
//!
//! Transfer decides: a few schedules that were good on other graphs come close to the best on most. So the starts are
//! many, and each costs at most twice the best run.

use std::collections::BTreeMap;

use graphwright::Program;
use graphwright::schedule::Adviser;
use gw_exec::GraphVm;
use gw_lab::{Lab, TrialOutcome, TrialRow, named_schedules};
use gw_learned::portfolio::PlaceKind;
use gw_schedule::ProgramSchedule;

use crate::bench::{Objective, Reading};
use crate::error::Result;
use crate::space::ProgramSpace;

/// Similar graphs of a lab that schedules are taken from, and the best schedules of each.
const GRAPHS: usize = 6;
const PER_GRAPH: usize = 3;

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
    all.extend(portfolio(space, rule).into_iter().map(|schedule| ("portfolio".to_string(), schedule)));
    let algorithm = program.name().split('-').next().unwrap_or_default();
    let named = named_schedules(algorithm, machine.family()).into_iter();
    all.extend(
        named.filter(|named| named.program == program.name()).map(|n| (format!("named {}", n.name), n.schedule)),
    );
    keep_possible(all, space)
}

/// The rule and the portfolio, for surveys.
pub(crate) fn rule_and_portfolio(space: &ProgramSpace, rule: &ProgramSchedule) -> Vec<ProgramSchedule> {
    let all = std::iter::once(rule.clone()).chain(portfolio(space, rule));
    let all = keep_possible(all.map(|schedule| (String::new(), schedule)).collect(), space);
    all.into_iter().map(|(_, schedule)| schedule).collect()
}

/// Each place in turn takes the candidates for its kind while the others stay as the rule has them. Where several
/// places are of a kind, all of them take each candidate together, too; where they are many, only together.
fn portfolio(space: &ProgramSpace, rule: &ProgramSchedule) -> Vec<ProgramSchedule> {
    const ALONE: usize = 2;
    let mut all = Vec::new();
    let kinds: Vec<Option<PlaceKind>> = space.slots.iter().map(|slot| PlaceKind::of(&slot.points[0])).collect();
    for kind in PlaceKind::ALL {
        let slots: Vec<_> = space.slots.iter().zip(&kinds).filter(|(_, of)| **of == Some(kind)).collect();
        for candidate in kind.candidates() {
            let mut together = rule.clone();
            for (slot, _) in &slots {
                let schedule = candidate.at(rule.get(slot.label.as_str()));
                together.insert(slot.label.clone(), schedule.clone());
                if slots.len() <= ALONE {
                    let mut alone = rule.clone();
                    alone.insert(slot.label.clone(), schedule);
                    all.push(alone);
                }
            }
            if slots.len() > 1 {
                all.push(together);
            }
        }
    }
    all
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
