//! A page of stacked bars: what the cores did, over numbers of cores, and the speedup.

use std::fmt::Write;

use crate::report::{Report, grouped};

/// Colours of the parts, in the order of [`Report::parts`]; told apart by people who do not see red and green apart.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#cc79a7", "#e69f00", "#f0e442", "#bbbbbb"];
const BAR_WIDTH: usize = 64;
const GAP: usize = 28;
const HEIGHT: f64 = 260.0;
const LEFT: usize = 64;

/// A page about the runs of one program on one graph; the first report is what speedups refer to.
pub fn page(title: &str, reports: &[Report]) -> String {
    let mut out = String::new();
    let title = escaped(title);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>\
         body{{font:15px/1.4 system-ui,sans-serif;margin:2em;max-width:60em}}\
         table{{border-collapse:collapse}}td,th{{padding:.2em .8em;text-align:right}}\
         tr:nth-child(even){{background:#f4f4f4}}svg text{{font:12px system-ui,sans-serif}}</style></head>\n<body><h1>{title}</h1>\n\
         <p>Core cycles relative to one run on {} core{}: a bar lower than the first has saved work, the blue part is useful.</p>\n",
        reports.first().map_or(0, |r| r.config.cores),
        plural(reports.first().map_or(0, |r| r.config.cores)),
    );
    out.push_str(&bars(reports));
    out.push_str(&table(reports));
    out.push_str("</body></html>\n");
    out
}

/// The stacked bars as SVG. Heights are core cycles (cores times cycles) relative to the first run.
pub fn bars(reports: &[Report]) -> String {
    let base = reports.first().map_or(1, |r| r.stats.cores.total()).max(1) as f64;
    let tallest = reports.iter().map(|r| r.stats.cores.total() as f64 / base).fold(1.0, f64::max);
    let width = LEFT + reports.len() * (BAR_WIDTH + GAP) + 150;
    let floor = HEIGHT + 20.0;
    let mut out = format!("<svg width=\"{width}\" height=\"{}\" role=\"img\">\n", floor + 48.0);
    let step = (tallest / 4.0).max(0.25);
    for i in 0..=4 {
        let value = step * f64::from(i);
        let y = floor - value / tallest.max(step * 4.0) * HEIGHT;
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value:.2}</text>",
            width - 150,
            LEFT - 8,
            y + 4.0
        );
    }
    let scale = HEIGHT / tallest.max(step * 4.0);
    for (i, report) in reports.iter().enumerate() {
        let x = LEFT + GAP / 2 + i * (BAR_WIDTH + GAP);
        let mut y = floor;
        for ((name, cycles), colour) in report.parts().iter().zip(COLOURS) {
            let height = *cycles as f64 / base * scale;
            y -= height;
            if height > 0.0 {
                let _ = writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y:.2}\" width=\"{BAR_WIDTH}\" height=\"{height:.2}\" fill=\"{colour}\"><title>{name}: {} core cycles</title></rect>",
                    grouped(*cycles)
                );
            }
        }
        let middle = x + BAR_WIDTH / 2;
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{} core{}</text><text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{:.1}x</text>",
            floor + 18.0,
            report.config.cores,
            plural(report.config.cores),
            floor + 36.0,
            speedup(reports, report)
        );
    }
    let parts = Report::default().parts();
    for (i, ((name, _), colour)) in parts.iter().zip(COLOURS).enumerate() {
        let y = 30 + i * 22;
        let x = width - 135;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" fill=\"{colour}\"/><text x=\"{}\" y=\"{}\">{name}</text>",
            x + 20,
            y + 12
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Cycles of the first run divided by those of this one.
pub fn speedup(reports: &[Report], report: &Report) -> f64 {
    let first = reports.first().map_or(0, |r| r.stats.cycles);
    first as f64 / report.stats.cycles.max(1) as f64
}

fn table(reports: &[Report]) -> String {
    let mut out =
        "<table><tr><th>cores</th><th>cycles</th><th>speedup</th><th>committed tasks</th><th>aborted runs</th>\
                   <th>spilled</th><th>L1 hits</th><th>memory</th></tr>\n"
            .to_string();
    for report in reports {
        let (stats, accesses) = (&report.stats, report.stats.memory.accesses.max(1) as f64);
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{:.2}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1} %</td><td>{:.1} %</td></tr>",
            report.config.cores,
            grouped(stats.cycles),
            speedup(reports, report),
            grouped(stats.tasks.committed),
            grouped(stats.aborts()),
            grouped(stats.tasks.spilled),
            stats.memory.l1_hits as f64 * 100.0 / accesses,
            stats.memory.memory as f64 * 100.0 / accesses
        );
    }
    out + "</table>\n"
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::config::Config;

    #[test]
    fn bars_are_as_high_as_their_cycles() {
        let mut reports = vec![Report::default(), Report::default()];
        (reports[0].config, reports[1].config) = (Config::default().with_cores(1), Config::default().with_cores(4));
        (reports[0].stats.cycles, reports[1].stats.cycles) = (100, 50);
        reports[0].stats.cores.committed = 100;
        (reports[1].stats.cores.committed, reports[1].stats.cores.empty) = (100, 100);
        let text = page("bfs <kron:5>", &reports);
        assert!(text.contains("bfs &lt;kron:5&gt;") && text.contains(">2.0x<"));
        // The second bar is the tallest and fills the height: half of it useful, half empty.
        assert_eq!(text.matches("height=\"130.00\"").count(), 3);
    }
}
