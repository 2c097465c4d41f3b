//! What a failure has to do with: parts of the case are taken out, and those without which it vanishes give it its
//! name.

use crate::case::{Case, Machine};
use crate::check::Failure;
use crate::compare::Kind;
use crate::worker::Worker;

/// Something that can be taken out of a case.
struct Ablation {
    name: &'static str,
    change: fn(&Case) -> Option<Case>,
}

const ABLATIONS: &[Ablation] = &[
    Ablation { name: "par_for", change: without_par_for },
    Ablation { name: "repeated vertex", change: without_repeats },
    Ablation { name: "repeats allowed", change: without_permission },
    Ablation { name: "schedule", change: without_schedule },
    Ablation { name: "threads", change: alone },
];

/// The class of a failure: its kind, and what it has to do with.
pub fn classify(worker: &mut Worker, case: &Case, failure: &Failure) -> String {
    let mut class = match failure.difference.kind {
        Kind::Crash | Kind::MissingFault => "memory".to_string(),
        kind => format!("{kind:?}").to_lowercase(),
    };
    if matches!(failure.difference.kind, Kind::Generator | Kind::Rule) {
        return class;
    }
    let case = Case { trials: vec![failure.trial.clone()], ..case.clone() };
    for ablation in ABLATIONS {
        let Some(changed) = (ablation.change)(&case) else { continue };
        // Races do not show in every run.
        let fine = |worker: &mut Worker| {
            worker
                .case(&changed)
                .is_ok_and(|report| report.failures.is_empty() && report.runs > 0 && report.refused == 0)
        };
        let vanished = fine(worker) && fine(worker);
        if vanished {
            class += &format!(", {}", ablation.name);
        }
    }
    class
}

fn changed(case: &Case, program: String) -> Option<Case> {
    (program != case.program).then(|| Case { program, ..case.clone() })
}

fn without_par_for(case: &Case) -> Option<Case> {
    let mut changed = changed(case, case.program.replace("par_for ", "for "))?;
    // The schedule of a `par_for` suits no other loop. The generator begins their labels, and no others, with a p.
    for schedule in changed.trials.iter_mut().filter_map(|trial| trial.schedule.as_mut()) {
        let of_par_for = |part: &str| {
            let path = part.split('@').next().unwrap_or_default();
            path.rsplit(':').next().is_some_and(|label| label.starts_with('p'))
        };
        let kept: Vec<&str> = schedule.split(';').filter(|part| !of_par_for(part)).collect();
        *schedule = if kept.is_empty() { "default".into() } else { kept.join(";") };
    }
    Some(changed)
}

/// `addVertex` of a vertex that was added to the same set before, or to a set that an operator filled.
fn without_repeats(case: &Case) -> Option<Case> {
    let mut seen: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for line in case.program.lines() {
        let text = line.trim();
        if let Some((set, _)) = text.split_once(".addVertex(") {
            let by_hand = case.program.contains(&format!("var {set} : vertexset{{Vertex}} = new"))
                || case.program.contains(&format!("var {set} : vertexset{{Item}} = new"));
            if !by_hand || seen.contains(&text) {
                continue;
            }
            seen.push(text);
        }
        lines.push(line);
    }
    changed(case, lines.join("\n") + "\n")
}

/// The third argument of `applyModified`.
fn without_permission(case: &Case) -> Option<Case> {
    changed(case, case.program.replace(", true);", ");"))
}

fn without_schedule(case: &Case) -> Option<Case> {
    let mut case = case.clone();
    let trial = case.trials.first_mut()?;
    (trial.schedule.as_deref() != Some("default")).then(|| trial.schedule = Some("default".into()))?;
    Some(case)
}

fn alone(case: &Case) -> Option<Case> {
    let mut case = case.clone();
    let trial = case.trials.first_mut()?;
    matches!(trial.machine, Machine::Cpu(2..)).then(|| trial.machine = Machine::Cpu(1))?;
    Some(case)
}
