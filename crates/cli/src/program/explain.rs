//! `--explain-schedule`: which schedule stands where, and why.

use std::fmt::Write;

use graphwright::{Origin, Settled};
use gw_ir::{Point, program_points};

use gw_schedule::PointKind;

/// The schedule of a run in words, place by place.
pub fn explain(settled: &Settled, machine: &str) -> String {
    let decision = &settled.decision;
    let mut text = match decision.origin {
        Origin::Program => "schedule: the program's own\n".to_string(),
        Origin::Given => "schedule: given by --schedule\n".to_string(),
        Origin::Chosen if decision.reasons.is_empty() => {
            format!("schedule: chosen by the machine {machine}; no place of the program needs one\n")
        }
        Origin::Chosen => format!("schedule: chosen by the machine {machine}\n"),
        Origin::Tuned => "schedule: tuned\n".to_string(),
        Origin::None => {
            let because = decision.defaults_because.as_deref().unwrap_or("nothing is said");
            format!("schedule: the defaults of the machine {machine}: {because}\n")
        }
    };
    for reason in &decision.reasons {
        for line in reason.to_string().lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    if !matches!(decision.origin, Origin::Chosen | Origin::Tuned) {
        for line in fixed(settled) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// The lines of a schedule that nobody gave reasons for.
fn fixed(settled: &Settled) -> Vec<String> {
    let schedule = &settled.decision.schedule;
    let places = program_points(settled.module());
    let order = schedule.order().map(|order| format!("the program: order={}", order.word()));
    let transforms = schedule.transforms().iter().map(|change| format!("the program: {change}"));
    let mut lines: Vec<String> = order.into_iter().chain(transforms).collect();
    lines.extend(schedule.everywhere().map(|everywhere| format!("wherever it is possible: {everywhere}")));
    for (label, schedule) in schedule.labels() {
        let label = label.to_string();
        // A par_for is also known by its bare label.
        let bare = |place: &&Point| {
            place.point.kind == PointKind::ParFor
                && place.path.as_deref().is_some_and(|path| path.rsplit(':').next() == Some(label.as_str()))
        };
        let exact = places.iter().find(|place| place.path.as_deref() == Some(label.as_str()));
        lines.push(match exact.or_else(|| places.iter().find(bare)) {
            Some(place) => format!("line {}, `{label}` ({}): {schedule}", place.span.line, place.point.kind.phrase()),
            // Labels of parts that a change of the program makes are not in its text.
            None => format!("`{label}`: {schedule}"),
        });
    }
    lines
}
