//! What the graph commands tell a person.

use std::fmt::Write;

use gw_graph::format::Format;
use gw_graph::generate::generators as generator_table;
use gw_graph::stats::{self, DegreeSummary, Statistics};
use gw_graph::{Graph, Report, WeightKind};

use super::Outcome;
use crate::error::CliError;
use crate::output::{bytes, grouped, seconds, text};

/// Columns of the histogram.
const WIDTH: usize = 60;

/// What a writing command did.
pub(super) fn outcome(outcome: &Outcome) -> Result<(), CliError> {
    let times: Vec<String> = outcome.seconds.iter().map(|(name, s)| format!("{name} {}", seconds(*s))).collect();
    let mut out = format!(
        "{}: {} vertices, {} edges{}{}\n{}: {}, {}\n{}\n",
        outcome.source,
        grouped(outcome.vertices as u64),
        grouped(outcome.edges as u64),
        if outcome.symmetric { ", symmetric" } else { ", directed" },
        if outcome.weighted { ", weighted" } else { "" },
        outcome.output.display(),
        outcome.format,
        bytes(outcome.bytes),
        times.join(", "),
    );
    for note in &outcome.notes {
        out += &format!("note: {note}\n");
    }
    text(&out)
}

/// The statistics of a graph.
pub(super) fn statistics(
    name: &str,
    graph: &Graph,
    statistics: &Statistics,
    phases: &[(String, f64)],
) -> Result<(), CliError> {
    let mut out = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(out, "{label:<18} {value}");
    };
    line("graph", name.to_string());
    line("vertices", grouped(statistics.vertices));
    line(
        "edges",
        match statistics.symmetric {
            true => {
                let undirected = (statistics.edges + statistics.self_loops) / 2;
                format!("{} directed, {} undirected", grouped(statistics.edges), grouped(undirected))
            }
            false => format!("{} directed", grouped(statistics.edges)),
        },
    );
    line("symmetric", if statistics.symmetric { "yes" } else { "no" }.to_string());
    line("self-loops", grouped(statistics.self_loops));
    let weights = match (&statistics.weights, statistics.weight_kind) {
        (Some(w), WeightKind::Int64) => {
            // Not all whole numbers of 64 bits are reals of 64 bits.
            let (min, max) = w.whole.unwrap_or((w.min as i64, w.max as i64));
            format!("{} {min} to {max}, mean {:.4}", kind_word(WeightKind::Int64), w.mean)
        }
        (Some(w), kind) => format!("{} {} to {}, mean {:.4}", kind_word(kind), w.min, w.max, w.mean),
        (None, _) => "none".to_string(),
    };
    line("weights", weights);
    for (columns, what) in [(graph.edge_columns(), "columns of edges"), (graph.vertex_columns(), "columns of vertices")]
    {
        if let Some(columns) = columns {
            line(what, columns.table.to_string());
        }
    }
    if let Some(components) = &statistics.components {
        line(
            "weak components",
            format!(
                "{}, the largest of {} vertices, {} isolated vertices",
                grouped(components.count),
                grouped(components.largest),
                grouped(components.isolated)
            ),
        );
    }
    if let Some(diameter) = statistics.estimated_diameter {
        line("diameter", format!("at least {diameter} (double sweep)"));
    }
    line("class", format!("{} ({})", statistics.class.word(), statistics.class_rule));
    line("memory", bytes(graph.bytes() as u64));
    let times: Vec<String> = phases.iter().map(|(name, s)| format!("{name} {}", seconds(*s))).collect();
    line("time", times.join(", "));

    out += "\ndegree          min       q1   median       q3          max       mean    std dev     gini\n";
    let mut row = |label: &str, d: &DegreeSummary| {
        let _ = writeln!(
            out,
            "{label:<8} {:>10} {:>8} {:>8} {:>8} {:>12} {:>10.3} {:>10.3} {:>8.4}",
            d.min, d.q1, d.median, d.q3, d.max, d.mean, d.std_dev, d.gini
        );
    };
    if statistics.symmetric {
        row("degree", &statistics.out_degree);
    } else {
        row("out", &statistics.out_degree);
        row("in", &statistics.in_degree);
        row("total", &statistics.degree);
    }
    out += "\n";
    out += &stats::render(&statistics.degree_histogram, WIDTH);
    text(&out)
}

/// The outcome of a check.
pub(super) fn report(name: &str, report: &Report) -> Result<(), CliError> {
    let mut out = format!(
        "{name}: valid\n{} vertices, {} edges, {} loops, {} parallel edges, {}\n",
        grouped(report.vertices as u64),
        grouped(report.edges as u64),
        grouped(report.self_loops as u64),
        grouped(report.parallel_edges as u64),
        match (report.symmetric, report.symmetric_unmarked) {
            (true, _) => "symmetric",
            (false, true) => "directed by its mark although every edge has its reverse",
            (false, false) => "directed",
        },
    );
    if let Some((low, high)) = report.weight_range {
        let _ = writeln!(out, "{} weights from {low} to {high}", kind_word(report.weights));
    }
    text(&out)
}

/// The table of generators.
pub(super) fn generators() -> Result<(), CliError> {
    let mut out = String::from("Generators:\n\n");
    for generator in generator_table() {
        let _ = writeln!(out, "{}:{}", generator.name, generator.parameters);
        let _ = writeln!(out, "    {}; for example {}", generator.summary, generator.example);
    }
    let _ = writeln!(out, "\nOptions after any generator or file: {}", gw_graph::spec::OPTIONS);
    text(&out)
}

/// The table of formats.
pub(super) fn formats() -> Result<(), CliError> {
    let mut out = String::from("Formats, plain or with .gz or .zst behind their suffix:\n\n");
    for format in Format::ALL {
        let _ = writeln!(out, "{:<8} {}", format.name(), format.about());
    }
    text(&out)
}

fn kind_word(kind: WeightKind) -> &'static str {
    match kind {
        WeightKind::None => "no",
        WeightKind::Int => "integer",
        WeightKind::Float => "real",
        WeightKind::Int64 => "64-bit integer",
        WeightKind::Double => "64-bit real",
    }
}
