//! The explanation as one HTML page that needs nothing else: no scripts, no other files.

mod chart;
mod words;

use std::fmt::Write;

use crate::report::{Explanation, StepReport};
use crate::text::{amount, energy_words, limit, nothing_faster, parallelism, place, seconds, shown, threads};

pub use words::lead;

const STYLE: &str = include_str!("style.css");

/// The page.
pub fn page(explanation: &Explanation) -> String {
    let e = explanation;
    let title = escaped(&format!("Why {} takes {}", e.program, words::time_of(e)));
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style>\
         </head>\n<body><h1>{title}</h1>\n<p class=\"small\"><code>gw explain {} {}</code> on {}, {}",
        escaped(&e.program),
        escaped(&e.arguments.join(" ")),
        escaped(&e.machine),
        threads(e.threads)
    );
    if let Some((vertices, edges)) = e.graph {
        let _ = write!(out, "; graph of {} vertices and {} edges", amount(vertices as f64), amount(edges as f64));
    }
    let _ = writeln!(out, "; figures of the machine: {}</p>", escaped(&e.sheet));
    let _ = writeln!(out, "<p class=\"lead\">{}</p>", escaped(&lead(e)));
    out.push_str(&chart::steps(e));
    out.push_str(&table(e));
    out.push_str(&chart::machine(e));
    out.push_str(&suggestions(e));
    out.push_str(&criteria(e));
    if let Some(energy) = &e.energy {
        let _ = writeln!(out, "<h2>Energy</h2>\n<p>{}.</p>", escaped(&energy_words(energy)));
    }
    out.push_str(&schedule(e));
    out.push_str(words::GLOSSARY);
    out.push_str("</body></html>\n");
    out
}

/// A line per step.
fn table(e: &Explanation) -> String {
    let mut out = String::from(
        "<h2>Step by step</h2>\n<table><tr><th>step</th><th class=\"l\">place</th><th>vertices in</th><th>edges walked</th>\
         <th>measured</th><th>modelled</th><th>at least</th><th class=\"l\">waits for</th><th>in flight</th></tr>\n",
    );
    for (i, step) in shown(e) {
        let StepReport { measured_seconds, model, .. } = step;
        let number = |n: Option<u64>| n.map_or("-".to_string(), |n| amount(n as f64));
        let _ = writeln!(
            out,
            "<tr><td>{i}</td><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td><td>{}</td>\
             <td class=\"l\">{}</td><td>{}</td></tr>",
            escaped(&place(step)),
            number(model.input),
            number(model.edges),
            measured_seconds.map_or("-".to_string(), seconds),
            seconds(model.prediction.seconds),
            if model.assumed { "*" } else { "" },
            seconds(model.prediction.floor_seconds),
            escaped(&limit(&model.prediction)),
            escaped(&parallelism(&model.prediction))
        );
    }
    out.push_str("</table>\n");
    if e.steps.len() > shown(e).len() {
        let _ = writeln!(out, "<p class=\"small\">The {} slowest of {} steps.</p>", shown(e).len(), e.steps.len());
    }
    for note in &e.notes {
        let _ = writeln!(out, "<p class=\"small\">{}</p>", escaped(note));
    }
    out
}

/// What the model expects to help, beside what was measured.
fn suggestions(e: &Explanation) -> String {
    if e.suggestions.is_empty() {
        return match e.considered {
            None => String::new(),
            Some(_) => {
                let words = escaped(&nothing_faster(e));
                format!(
                    "<h2>What would help</h2>\n<p>A schedule says how the same program is carried out: {words}.</p>\n"
                )
            }
        };
    }
    let mut out = String::from(
        "<h2>What would help</h2>\n<p>A schedule says how the same program is carried out. These changes of the schedule are \
         the ones the model expects most of. Each was then run.</p>\n<table><tr><th class=\"l\">change</th>\
         <th>expected</th><th>measured</th><th>time</th><th class=\"l\">to try it</th></tr>\n",
    );
    let now = e.measured_seconds.unwrap_or(e.modelled_seconds);
    for s in &e.suggestions {
        let _ = writeln!(
            out,
            "<tr><td class=\"l w\">{}</td><td>{:.2} times as fast</td><td>{}</td><td>{}</td>\
             <td class=\"l w\"><code>--schedule '{}'</code></td></tr>",
            escaped(&s.change),
            e.modelled_seconds / s.modelled_seconds,
            s.measured_seconds.map_or("-".to_string(), |m| format!("{:.2} times as fast", now / m)),
            s.measured_seconds.map_or("-".to_string(), seconds),
            escaped(&s.schedule)
        );
    }
    out.push_str("</table>\n");
    out
}

/// Criteria of GPU kernels as bars.
fn criteria(e: &Explanation) -> String {
    let Some(judged) = &e.criteria else { return String::new() };
    let mut out = format!(
        "<h2>How well the kernels use the device</h2>\n<p>{}. A full bar is as good as it gets; a short one is a reason why \
         the device is not faster.</p>\n<table class=\"bars\">\n",
        escaped(&capitalised(&judged.source))
    );
    for (criterion, value) in judged.criteria.known() {
        let _ = writeln!(
            out,
            "<tr><td class=\"l\">{}</td><td class=\"l\"><svg width=\"202\" height=\"12\"><rect width=\"200\" height=\"12\" \
             fill=\"#eee\"/><rect width=\"{:.0}\" height=\"12\" fill=\"#0072b2\"/></svg></td><td>{value:.2}</td>\
             <td class=\"l\">{}</td></tr>",
            criterion.symbol(),
            value * 200.0,
            escaped(criterion.words())
        );
    }
    out.push_str("</table>\n");
    if !judged.advice.is_empty() {
        out.push_str("<ul>");
        judged.advice.iter().for_each(|line| {
            let _ = write!(out, "<li>{}</li>", escaped(line));
        });
        out.push_str("</ul>\n");
    }
    out
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn schedule(e: &Explanation) -> String {
    let mut out = format!(
        "<h2>The schedule, and why</h2>\n<p><code>{}</code>: {}.</p>\n",
        escaped(if e.schedule.is_empty() { "defaults" } else { &e.schedule }),
        escaped(e.origin)
    );
    if !e.reasons.is_empty() {
        out.push_str("<ul>");
        e.reasons.iter().for_each(|reason| {
            let _ = write!(out, "<li>{}</li>", escaped(reason));
        });
        out.push_str("</ul>\n");
    }
    out
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
