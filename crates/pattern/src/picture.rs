//! A picture of matches as SVG: the query, and beside it each match drawn in the same places.
//!
//! A colour stands for a label. Pairs of unequal labels have a red ring, missing edges are red and dashed, query
//! nodes without a partner are hollow.

use std::fmt::Write;

use crate::find::Match;
use crate::labels::{LabelId, Labels};
use crate::layout;
use crate::{LabelledGraph, Result};

/// Side of one panel, in pixels.
const PANEL: f64 = 320.0;

/// Space around the nodes of a panel.
const MARGIN: f64 = 36.0;

/// Space for the heading of a panel.
const HEADING: f64 = 40.0;

/// Panels in one row.
const COLUMNS: usize = 3;

/// Larger queries are drawn without texts at the nodes.
const MOST_TEXTS: usize = 40;

/// Draws the query and the given matches.
pub fn picture(query: &LabelledGraph, target: &LabelledGraph, labels: &Labels, matches: &[Match]) -> Result<String> {
    let places = layout::places(query);
    let panels = matches.len() + 1;
    let (width, height) = (PANEL * panels.min(COLUMNS) as f64, (PANEL + HEADING) * panels.div_ceil(COLUMNS) as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let panel = Panel { query, target, labels, places: &places };
    for at in 0..panels {
        let (x, y) = ((at % COLUMNS) as f64 * PANEL, (at / COLUMNS) as f64 * (PANEL + HEADING));
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        match at.checked_sub(1) {
            None => panel.draw_query(&mut svg),
            Some(number) => panel.draw_match(&mut svg, number, &matches[number]),
        }
        svg += "</g>\n";
    }
    Ok(svg + "</svg>\n")
}

/// What all panels share.
struct Panel<'a> {
    query: &'a LabelledGraph,
    target: &'a LabelledGraph,
    labels: &'a Labels,
    places: &'a [(f64, f64)],
}

impl Panel<'_> {
    fn draw_query(&self, svg: &mut String) {
        let size = format!("{} nodes, {} edges", self.query.nodes(), self.query.edges());
        heading(svg, "query", &size);
        self.query.edge_list().for_each(|(u, v)| self.edge(svg, u, v, false));
        for q in 0..self.query.nodes() as u32 {
            let label = self.query.label(q);
            self.node(svg, q, Some(label), false, &format!("{}: {}", self.query.node_name(q), self.labels.text(label)));
        }
    }

    fn draw_match(&self, svg: &mut String, number: usize, found: &Match) {
        let cost = &found.cost;
        let lacks = format!(
            "labels {:.2}, unmatched nodes {}, missing edges {}",
            cost.labels, cost.unmatched, cost.missing_edges
        );
        heading(svg, &format!("match {}: cost {:.3}", number + 1, cost.total), &lacks);
        let partner = |q: u32| found.partners[q as usize];
        for (u, v) in self.query.edge_list() {
            let kept = matches!((partner(u), partner(v)), (Some(a), Some(b)) if self.target.has_edge(a, b));
            self.edge(svg, u, v, !kept);
        }
        for q in 0..self.query.nodes() as u32 {
            match partner(q) {
                Some(t) => {
                    let label = self.target.label(t);
                    let text = format!("{}: {}", self.target.node_name(t), self.labels.text(label));
                    self.node(svg, q, Some(label), label != self.query.label(q), &text);
                }
                None => self.node(svg, q, None, true, "-"),
            }
        }
    }

    fn place(&self, q: u32) -> (f64, f64) {
        let (x, y) = self.places[q as usize];
        let span = PANEL - 2.0 * MARGIN;
        (MARGIN + x * span, HEADING + MARGIN + y * span)
    }

    fn edge(&self, svg: &mut String, u: u32, v: u32, is_missing: bool) {
        let ((x1, y1), (x2, y2)) = (self.place(u), self.place(v));
        let style = match is_missing {
            true => "stroke=\"#d62728\" stroke-dasharray=\"4 3\"",
            false => "stroke=\"#808080\"",
        };
        let _ = writeln!(svg, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>");
    }

    fn node(&self, svg: &mut String, q: u32, label: Option<LabelId>, is_wrong: bool, text: &str) {
        let (x, y) = self.place(q);
        let radius = if self.query.nodes() > MOST_TEXTS { 4.0 } else { 8.0 };
        let fill = label.map_or("#ffffff".to_owned(), colour);
        let stroke = if is_wrong { "#d62728\" stroke-width=\"3" } else { "#404040\" stroke-width=\"1" };
        let text = escaped(text);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{stroke}\"><title>{text}</title></circle>"
        );
        if self.query.nodes() <= MOST_TEXTS {
            let below = y + radius + 11.0;
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{text}</text>");
        }
    }
}

fn heading(svg: &mut String, text: &str, details: &str) {
    let (text, details) = (escaped(text), escaped(details));
    let _ = writeln!(svg, "<text x=\"12\" y=\"18\" font-size=\"13\" font-weight=\"bold\">{text}</text>");
    let _ = writeln!(svg, "<text x=\"12\" y=\"32\" fill=\"#606060\">{details}</text>");
}

/// Colours far apart for neighbouring numbers: steps of the golden angle around the circle.
fn colour(label: LabelId) -> String {
    let hue = (f64::from(label) * 137.508) % 360.0;
    let lightness = 55 + 10 * (label % 3);
    format!("hsl({hue:.0} 65% {lightness}%)")
}

/// A text as SVG takes it, without characters that XML does not have.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '"' => escaped += "&quot;",
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}
