//! The explanation for a terminal.

use std::fmt::Write;

use crate::energy::RunEnergy;
use crate::predict::Prediction;
use crate::report::{Explanation, StepReport};

/// Steps shown one by one; of longer runs the slowest.
pub const SHOWN: usize = 24;

/// Seconds in a unit that suits them.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.1} us", s * 1e6),
        s => format!("{:.0} ns", s * 1e9),
    }
}

/// A number with a suffix.
pub fn amount(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.1} G", n / 1e9),
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e4 => format!("{:.0} k", n / 1e3),
        n if n >= 100.0 || n.fract() == 0.0 => format!("{n:.0}"),
        n => format!("{n:.1}"),
    }
}

/// What limits a step, in a few words.
pub fn limit(prediction: &Prediction) -> String {
    match prediction.bottleneck() {
        Some(slowest) if !prediction.is_fixed_cost() => match slowest.mostly {
            Some(server) => format!("{}: {}", slowest.name, server.name()),
            None => slowest.name.clone(),
        },
        _ => "starting the step".to_string(),
    }
}

/// Parallelism reached against parallelism needed.
pub fn parallelism(prediction: &Prediction) -> String {
    match prediction.bottleneck() {
        Some(slowest) if !prediction.is_fixed_cost() => match slowest.needed {
            Some(needed) => format!("{} of {}", amount(slowest.parallelism), amount(needed)),
            None => format!("{} at work", amount(slowest.parallelism)),
        },
        _ => "-".to_string(),
    }
}

/// The steps to show, in order: all, or the slowest.
pub fn shown(explanation: &Explanation) -> Vec<(usize, &StepReport)> {
    let mut steps: Vec<(usize, &StepReport)> = explanation.steps.iter().enumerate().collect();
    if steps.len() > SHOWN {
        let time = |step: &StepReport| step.measured_seconds.unwrap_or(step.model.prediction.seconds);
        steps.sort_by(|a, b| time(b.1).total_cmp(&time(a.1)));
        steps.truncate(SHOWN);
        steps.sort_by_key(|(i, _)| *i);
    }
    steps
}

/// The explanation as text.
pub fn text(explanation: &Explanation) -> String {
    let e = explanation;
    let mut out = String::new();
    let _ = writeln!(out, "{} {} on {}, {}", e.program, e.arguments.join(" "), e.machine, threads(e.threads));
    if let Some((vertices, edges)) = e.graph {
        let _ = writeln!(out, "graph: {vertices} vertices, {edges} edges");
    }
    let _ = writeln!(out, "sheet: {}", e.sheet);
    let _ = writeln!(out, "schedule: {} ({})", e.schedule, e.origin);
    for reason in &e.reasons {
        reason.lines().for_each(|line| {
            let _ = writeln!(out, "  {line}");
        });
    }
    for note in &e.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let steps = shown(e);
    let _ = writeln!(
        out,
        "\n{:>4} {:<16} {:>8} {:>8} {:>9} {:>9} {:>9}  {:<34} {:>14}",
        "step", "place", "vertices", "edges", "measured", "modelled", "at least", "limited by", "in flight"
    );
    for (i, step) in &steps {
        let (model, prediction) = (&step.model, &step.model.prediction);
        let place = place(step);
        let _ = writeln!(
            out,
            "{i:>4} {:<16} {:>8} {:>8} {:>9} {:>9} {:>9}  {:<34} {:>14}",
            place,
            model.input.map_or("-".into(), |n| amount(n as f64)),
            model.edges.map_or("-".into(), |n| amount(n as f64)),
            step.measured_seconds.map_or("-".into(), seconds),
            format!("{}{}", seconds(prediction.seconds), if model.assumed { "*" } else { "" }),
            seconds(prediction.floor_seconds),
            limit(prediction),
            parallelism(prediction)
        );
    }
    if steps.len() < e.steps.len() {
        let _ = writeln!(out, "     ... the {} slowest of {} steps are shown", steps.len(), e.steps.len());
    }
    if e.steps.iter().any(|step| step.model.assumed) {
        let _ = writeln!(out, "   * not traced: taken to be as the last traced step of the operator");
    }
    let measured: f64 = e.steps.iter().filter_map(|step| step.measured_seconds).sum();
    let modelled: f64 = e.steps.iter().map(|step| step.model.prediction.seconds).sum();
    let floor: f64 = e.steps.iter().map(|step| step.model.prediction.floor_seconds).sum();
    let _ = writeln!(
        out,
        "all steps: measured {}, modelled {} ({:+.0} %), at least {}",
        seconds(measured),
        seconds(modelled),
        (modelled / measured.max(f64::MIN_POSITIVE) - 1.0) * 100.0,
        seconds(floor)
    );
    out.push_str(
        "\nmeasured: the least of several runs; modelled: what the counted accesses take on this machine;\n\
         at least: bytes touched / bandwidth of caches or memory. \"in flight\" is the parallelism reached against the one needed\n\
         to keep the limiting resource busy.\n",
    );
    if let Some(judged) = &e.criteria {
        let _ = writeln!(out, "\nhow well the kernels use the device ({}; 0 is bad, 1 is good):", judged.source);
        for (criterion, value) in judged.criteria.known() {
            let full = (value * 20.0).round() as usize;
            let bar = format!("{}{}", "█".repeat(full), "·".repeat(20 - full.min(20)));
            let _ = writeln!(out, "  {:<8} {bar} {value:.2}  {}", criterion.symbol(), criterion.words());
        }
        for line in &judged.advice {
            let _ = writeln!(out, "  {line}");
        }
    }
    if let Some(energy) = &e.energy {
        let _ = writeln!(out, "\nenergy: {}", energy_words(energy));
    }
    if e.suggestions.is_empty() && e.considered.is_some() {
        let _ = writeln!(out, "\n{}", nothing_faster(e));
    }
    if !e.suggestions.is_empty() {
        let now = e.measured_seconds.unwrap_or(measured);
        let _ = writeln!(out, "\nchanges of schedule that the model expects to help most:");
        for s in &e.suggestions {
            let expected = e.modelled_seconds / s.modelled_seconds;
            let seen = s
                .measured_seconds
                .map_or("not measured".to_string(), |m| format!("{} measured ({:.2}x)", seconds(m), now / m));
            let _ = writeln!(out, "  {:<58} {:.2}x expected; {seen}", s.change, expected);
            let _ = writeln!(out, "      --schedule '{}'", s.schedule);
        }
    }
    out
}

/// The energy of a run, or why it is not known.
pub(crate) fn energy_words(energy: &RunEnergy) -> String {
    match (energy.joules, energy.watts) {
        (Some(joules), Some(watts)) => {
            let (value, unit) = if joules >= 1.0 { (joules, "J") } else { (joules * 1e3, "mJ") };
            format!("{value:.2} {unit} per run at {watts:.0} W, idle power included (by {})", energy.meter)
        }
        _ => format!("not known ({})", energy.meter),
    }
}

/// A sentence for runs that the model cannot make faster.
pub(crate) fn nothing_faster(e: &Explanation) -> String {
    let considered = e.considered.unwrap_or(0);
    format!("no change of schedule is expected to be faster; the model looked at {considered} changes")
}

/// The place of a step: its label, or what kind of operator it is, with its rounds.
pub(crate) fn place(step: &StepReport) -> String {
    let model = &step.model;
    let place = if model.path.is_empty() { short(&model.operator) } else { model.path.clone() };
    if step.rounds > 1 { format!("{place} ({} rounds)", step.rounds) } else { place }
}

/// A number of threads in words.
pub(crate) fn threads(threads: usize) -> String {
    format!("{threads} thread{}", if threads == 1 { "" } else { "s" })
}

/// A short name of an operator without a label.
pub(crate) fn short(operator: &str) -> String {
    match operator {
        "VertexSetIterator" => "vertices".into(),
        "VertexSetFilter" => "vertex filter".into(),
        "EdgeSetIterator" => "edges".into(),
        "DequeueReadySet" => "dequeue".into(),
        other => other.into(),
    }
}
