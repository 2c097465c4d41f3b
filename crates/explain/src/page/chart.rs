//! The pictures of the page: bars per step, and the operator machine of the slowest step.

use std::fmt::Write;

use super::escaped;
use crate::machine::Server;
use crate::predict::Prediction;
use crate::report::{Explanation, StepReport};
use crate::text::{amount, limit, place, seconds, shown};

/// Colours of resources; told apart by people who do not see red and green apart.
fn colour(prediction: &Prediction) -> &'static str {
    let name = prediction.bottleneck().filter(|_| !prediction.is_fixed_cost()).map_or("", |s| s.name.as_str());
    colour_of(name)
}

fn colour_of(name: &str) -> &'static str {
    match name {
        "core" | "instruction issue" => "#0072b2",
        "L2" | "L2 hits" => "#56b4e9",
        "L3" | "DRAM open rows" => "#009e73",
        "DRAM latency" | "DRAM new rows" => "#d55e00",
        "DRAM bandwidth" => "#e69f00",
        "atomics" => "#cc79a7",
        "longest warp" => "#f0e442",
        _ => "#999999",
    }
}

const WIDTH: f64 = 560.0;
const LEFT: f64 = 150.0;

/// Three bars per step: measured, modelled, at least.
pub(super) fn steps(e: &Explanation) -> String {
    let steps = shown(e);
    let time = |step: &StepReport| step.measured_seconds.unwrap_or(0.0).max(step.model.prediction.seconds);
    let longest = steps.iter().map(|(_, step)| time(step)).fold(f64::MIN_POSITIVE, f64::max);
    let height = steps.len() * 38 + 26;
    let mut out = format!(
        "<h2>Where the time goes</h2>\n<p class=\"key\"><span><i style=\"background:#444\"></i>measured</span>\
         <span><i style=\"background:#0072b2\"></i>modelled, in the colour of what the step waits for</span>\
         <span><i style=\"background:#ddd;border:1px solid #999\"></i>at least: every touched byte once</span></p>\n\
         <svg width=\"{}\" height=\"{height}\" role=\"img\" aria-label=\"time per step\">\n",
        LEFT + WIDTH + 330.0
    );
    for (row, (i, step)) in steps.iter().enumerate() {
        let prediction = &step.model.prediction;
        let y = row * 38 + 8;
        let name = place(step);
        let size = match step.model.input {
            None => String::new(),
            Some(1) => "1 vertex".to_string(),
            Some(n) => format!("{} vertices", amount(n as f64)),
        };
        let _ = writeln!(
            out,
            "<text x=\"0\" y=\"{}\">step {i}: {}</text><text x=\"0\" y=\"{}\" fill=\"#777\">{}</text>",
            y + 11,
            escaped(&name),
            y + 26,
            escaped(&size)
        );
        let mut bar = |seconds_of: f64, y: usize, height: usize, fill: &str, title: String| {
            let width = (seconds_of / longest * WIDTH).max(if seconds_of > 0.0 { 1.0 } else { 0.0 });
            let _ = writeln!(
                out,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{fill}\"><title>{title}</title></rect>"
            );
        };
        if let Some(measured) = step.measured_seconds {
            bar(measured, y, 12, "#444", format!("measured {}", seconds(measured)));
        }
        bar(prediction.seconds, y + 13, 12, colour(prediction), format!("modelled {}", seconds(prediction.seconds)));
        bar(prediction.floor_seconds, y + 26, 4, "#bbb", format!("at least {}", seconds(prediction.floor_seconds)));
        let measured = step.measured_seconds.map_or(String::new(), |s| format!("{} measured, ", seconds(s)));
        let end = LEFT + (time(step) / longest * WIDTH) + 8.0;
        let _ = writeln!(
            out,
            "<text x=\"{end:.0}\" y=\"{}\">{measured}{} modelled</text><text x=\"{end:.0}\" y=\"{}\" fill=\"{}\">{}</text>",
            y + 11,
            seconds(prediction.seconds),
            y + 26,
            colour(prediction),
            escaped(&limit(prediction))
        );
    }
    out + "</svg>\n"
}

const BOX: f64 = 132.0;
const GAP: f64 = 22.0;
const PER_ROW: usize = 6;

/// The machine of the slowest step: a box per server, with what it served and how often it went to slow memory.
pub(super) fn machine(e: &Explanation) -> String {
    let time = |step: &StepReport| step.measured_seconds.unwrap_or(step.model.prediction.seconds);
    let slowest = e.steps.iter().enumerate().max_by(|a, b| time(a.1).total_cmp(&time(b.1)));
    let Some((i, step)) = slowest else { return String::new() };
    let Some(machine) = step.model.machine.and_then(|m| e.machines.get(m)) else { return String::new() };
    let counts = &step.model.counts;
    let rows = machine.servers.len().div_ceil(PER_ROW);
    let hot = step.model.prediction.bottleneck().and_then(|s| s.mostly);
    let mut out = format!(
        "<h2>Inside step {i}, the slowest</h2>\n<p>The step as a line of counters that vertices and edges pass. The orange one \
         keeps the step waiting.</p>\n<svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"operator machine\">\n\
         <defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#888\"/></marker></defs>\n",
        PER_ROW as f64 * (BOX + GAP),
        rows * 120
    );
    for (n, plan) in machine.servers.iter().enumerate() {
        let (x, y) = ((n % PER_ROW) as f64 * (BOX + GAP), (n / PER_ROW * 120 + 4) as f64);
        let fill = if hot == Some(plan.server) { "#fbe3d0" } else { "#f4f7fa" };
        let edge = if hot == Some(plan.server) { "#d55e00" } else { "#9ab" };
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX}\" height=\"96\" rx=\"6\" fill=\"{fill}\" stroke=\"{edge}\" \
             stroke-width=\"1.6\"/><text x=\"{}\" y=\"{}\" font-weight=\"600\">{}</text>",
            x + 8.0,
            y + 18.0,
            plan.server.name()
        );
        for (line, text) in wrapped(&plan.how, 21).iter().take(2).enumerate() {
            let at = y + 34.0 + line as f64 * 14.0;
            let _ = writeln!(out, "<text x=\"{}\" y=\"{at}\" fill=\"#666\">{}</text>", x + 8.0, escaped(text));
        }
        let served = counts.completions[plan.server];
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\">served {}</text><text x=\"{}\" y=\"{}\">{}</text>",
            x + 8.0,
            y + 72.0,
            amount(served as f64),
            x + 8.0,
            y + 87.0,
            far(step, plan.server)
        );
        if n + 1 < machine.servers.len() && (n + 1) % PER_ROW != 0 {
            let _ = writeln!(
                out,
                "<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"#888\" marker-end=\"url(#a)\"/>",
                x + BOX,
                x + BOX + GAP,
                y + 48.0,
                y + 48.0
            );
        }
    }
    out + "</svg>\n"
}

/// How often a server went to memory beyond the near caches.
fn far(step: &StepReport, server: Server) -> String {
    let (cpu, gpu) = (step.model.counts.cpu[server], step.model.counts.gpu[server]);
    match (cpu.accesses, gpu.sectors) {
        (0, 0) => "no memory access".to_string(),
        (0, _) => format!("{} from DRAM", amount((gpu.row_hits + gpu.row_misses) as f64)),
        _ if cpu.dram > 0 => format!("{} from DRAM", amount(cpu.dram as f64)),
        _ => format!("{} beyond L1", amount((cpu.l2 + cpu.l3) as f64)),
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
