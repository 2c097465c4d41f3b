//! Schedules that the model expects to help: variations of the schedule at hand, modelled, the best measured.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use graphwright::schedule::{Decision, Origin, Wanted};
use gw_exec::GraphVm;
use gw_graph::progress::Progress;
use gw_meter::Sheet;
use gw_schedule::{
    Axis, Capabilities, Criterion, Hybrid, Param, ProgramSchedule, Schedule, SimpleSchedule, THRESHOLDS,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::measured::{Repeat, measure};
use crate::modelled::{ModelOptions, model};
use crate::subject::Subject;

/// A schedule that the model expects to help.
#[derive(Debug, Clone, Serialize)]
pub struct Suggestion {
    /// What changes, in words.
    pub change: String,
    /// The whole schedule, as `--schedule` takes it.
    pub schedule: String,
    /// The same as a value.
    #[serde(skip)]
    pub whole: ProgramSchedule,
    /// Modelled seconds of all steps.
    pub modelled_seconds: f64,
    /// Measured seconds of the run; `None` where the machine is not at hand.
    pub measured_seconds: Option<f64>,
}

/// Axes that a variation may change, those that matter most first.
const AXES: [Axis; 6] = [Axis::Direction, Axis::LoadBalance, Axis::Creation, Axis::Frontier, Axis::Edges, Axis::Dedup];

/// What came of the search for suggestions.
pub struct Suggested {
    /// Variations that take less than [`ModelOptions::most_seconds`], those with the least modelled time first.
    pub found: Vec<Suggestion>,
    /// Variations that the model looked at.
    pub considered: usize,
}

/// What the model says of a variation.
enum Verdict {
    /// It takes longer than what is wanted.
    Slower,
    /// It takes this long.
    Seconds(f64),
}

/// Models the variations of the schedule at `path` on all threads: every model is a run on one.
pub fn suggest(
    subject: &Subject,
    decision: &Decision,
    path: &str,
    (machine, sheet): (&dyn GraphVm, &Sheet),
    options: &ModelOptions,
    limit: Duration,
    progress: &dyn Progress,
) -> Suggested {
    let start = Instant::now();
    let mut texts = HashSet::new();
    let mut varied = variations(&decision.schedule, path, &machine.capabilities());
    varied.retain(|(_, schedule)| texts.insert(schedule.to_string()));
    progress.begin("modelling changes", Some(varied.len() as u64));
    let verdict = |schedule: &ProgramSchedule| {
        if start.elapsed() > limit {
            return None;
        }
        let wanted = Wanted::Fixed(Box::new(schedule.clone()), Origin::Given);
        // Most variations that a rule forbids fail here; they are no suggestions.
        let run = model(subject, &wanted, machine, sheet, options).ok()?;
        match run.cut_after {
            _ if run.too_slow => Some(Verdict::Slower),
            Some(_) => None,
            None => {
                let around = if run.fused { options.costs.loop_seconds() } else { 0.0 };
                Some(Verdict::Seconds(run.seconds() + around))
            }
        }
    };
    // Threads take one after another, so that those which matter most come first where time runs out.
    let verdicts = varied.into_iter().enumerate().par_bridge().filter_map(|(at, (change, schedule))| {
        let verdict = verdict(&schedule);
        progress.advance(1);
        verdict.map(|verdict| (at, change, schedule, verdict))
    });
    let mut verdicts: Vec<_> = verdicts.collect();
    verdicts.sort_by_key(|(at, ..)| *at);
    let considered = verdicts.len();
    let mut found: Vec<Suggestion> = Vec::new();
    for (_, change, whole, verdict) in verdicts {
        if let Verdict::Seconds(modelled_seconds) = verdict {
            let schedule = whole.to_string();
            found.push(Suggestion { change, schedule, whole, modelled_seconds, measured_seconds: None });
        }
    }
    found.sort_by(|a, b| a.modelled_seconds.total_cmp(&b.modelled_seconds));
    // Variations with the same counts are the same to the model: one of them is enough.
    found.dedup_by(|a, b| (a.modelled_seconds / b.modelled_seconds - 1.0).abs() < 1e-6);
    Suggested { found, considered }
}

/// Measures suggestions.
pub(crate) fn measure_all(
    subject: &Subject,
    suggestions: &mut [Suggestion],
    machine: &dyn GraphVm,
    repeat: Repeat,
    progress: &dyn Progress,
) {
    progress.begin("measuring changes", Some(suggestions.len() as u64));
    for suggestion in suggestions {
        let wanted = Wanted::Fixed(Box::new(suggestion.whole.clone()), Origin::Given);
        suggestion.measured_seconds = measure(subject, &wanted, machine, repeat).ok().map(|run| run.seconds);
        progress.advance(1);
    }
}

/// Schedules that differ from `schedule` in the operator at `path`.
fn variations(schedule: &ProgramSchedule, path: &str, machine: &Capabilities) -> Vec<(String, ProgramSchedule)> {
    let now = schedule.get(path).or(schedule.everywhere()).cloned().unwrap_or_default();
    let parts: Vec<SimpleSchedule> = now.parts().into_iter().copied().collect();
    let mut all: Vec<(String, Schedule)> = Vec::new();
    let like = |part: SimpleSchedule| {
        let own = parts.iter().find(|own| own.direction() == part.direction()).or(parts.first());
        own.map_or(part, |own| part.or(own))
    };
    // A simple schedule can become a hybrid, and a hybrid can do without one of its parts.
    let criteria = machine.criteria();
    if let Some(criterion) = criteria.iter().copied().find(|c| *c == Criterion::InputWork).or(criteria.first().copied())
    {
        for threshold in THRESHOLDS {
            let mut hybrid = Hybrid::push_pull();
            (hybrid.criterion, hybrid.threshold) = (criterion, Param::Value(threshold));
            // What the schedule at hand says beside the direction stays, such as the use of all cores.
            (hybrid.first, hybrid.second) = (like(hybrid.first), like(hybrid.second));
            let schedule = Schedule::Hybrid(hybrid);
            all.push((format!("push small steps, pull large ones (from {threshold} of the edges)"), schedule));
        }
    }
    // Runs that always push are dear to trace: they come last of these.
    let mut parts_last = parts.clone();
    parts_last.reverse();
    if parts.len() > 1 {
        for part in &parts_last {
            all.push((format!("always {part}"), (*part).into()));
        }
    }
    for axis in AXES {
        if !machine.knows(axis) {
            continue;
        }
        for value in machine.representatives(axis) {
            let text = value.text_of(axis).unwrap_or_default();
            let mut changed = now.clone();
            for part in changed.parts_mut() {
                part.copy_axis(axis, &value);
            }
            let change = match axis {
                Axis::Direction => format!("always {text}"),
                _ => format!("{}={text}", axis.key()),
            };
            if axis == Axis::Direction && parts.len() > 1 {
                changed = value.into();
            }
            all.push((change, changed));
        }
    }
    all.into_iter()
        .filter(|(_, changed)| *changed != now && machine.unsupported(changed).is_empty())
        .filter(|(_, changed)| machine.without_effect(changed).is_empty())
        .filter_map(|(change, changed)| {
            let mut whole = schedule.clone();
            whole.set(path, changed).ok()?;
            Some((change, whole))
        })
        .collect()
}
