//! A settled schedule in words: which schedule stands where, and why.

use std::fmt::Write;

use gw_ir::{Point, program_points};
use gw_lang::SourceFile;
use gw_schedule::PointKind;

use super::settled::Settled;
use super::wanted::Origin;

/// The schedule of a run on this machine in words, place by place; `file` is the text of the program, and `title` says
/// where a given schedule was given.
pub(crate) fn in_words(settled: &Settled, file: &SourceFile, machine: &str, title: &str) -> String {
    let decision = &settled.decision;
    let mut text = match decision.origin {
        Origin::Program => "schedule: the program's own\n".to_string(),
        Origin::Given => format!("schedule: given by {title}\n"),
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
        let text_line = format!("line {}", reason.line);
        let words = reason.to_string().replacen(&text_line, &file.line_in_words(reason.line as usize), 1);
        for line in words.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    if !matches!(decision.origin, Origin::Chosen | Origin::Tuned) {
        for line in fixed(settled, file) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// The lines of a schedule that has no reasons.
fn fixed(settled: &Settled, file: &SourceFile) -> Vec<String> {
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
            Some(place) => {
                let line = file.line_in_words(place.span.line as usize);
                format!("{line}, `{label}` ({}): {schedule}", place.point.kind.phrase())
            }
            // Labels of parts that a change of the program makes are not in its text.
            None => format!("`{label}`: {schedule}"),
        });
    }
    lines
}
