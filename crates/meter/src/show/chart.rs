//! One chart with lines, both axes logarithmic, as SVG.

use super::escaped;
use super::number::scaled;

/// A line of a chart.
pub(super) struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Marks at the points: they were measured.
    pub marked: bool,
}

/// A chart.
pub(super) struct Chart {
    /// What stands at the axes, with the unit that prefixes go before.
    pub x: (String, &'static str),
    pub y: (String, &'static str),
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;
const COLORS: [&str; 8] = ["#1f5fa8", "#c4491d", "#2d8a4e", "#8a3ea8", "#a8821f", "#1f9aa8", "#b03060", "#606060"];
/// Lines of text at the end of curves keep this distance.
const LETTERS: f64 = 15.0;

/// The powers of ten around some values.
fn decades(values: impl Iterator<Item = f64> + Clone) -> (i32, i32) {
    let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
    let high = values.fold(f64::NEG_INFINITY, f64::max).log10().ceil();
    (low as i32, (high as i32).max(low as i32 + 1))
}

impl Chart {
    /// The chart as SVG; empty where there is nothing to draw.
    pub fn svg(&self) -> String {
        let good = |&&(x, y): &&(f64, f64)| x.is_finite() && y.is_finite() && x > 0.0 && y > 0.0;
        let points = || self.lines.iter().flat_map(|line| &line.points).filter(good);
        if points().next().is_none() {
            return String::new();
        }
        let (x0, x1) = decades(points().map(|point| point.0));
        let (y0, y1) = decades(points().map(|point| point.1));
        let across = |x: f64| LEFT + (x.log10() - f64::from(x0)) / f64::from(x1 - x0) * (WIDTH - LEFT - RIGHT);
        let up = |y: f64| HEIGHT - BOTTOM - (y.log10() - f64::from(y0)) / f64::from(y1 - y0) * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n");
        // At most about eight labels per axis.
        for exponent in (x0..=x1).step_by(((x1 - x0) as usize / 8).max(1)) {
            let (at, value) = (across(10_f64.powi(exponent)), scaled_short(10_f64.powi(exponent), self.x.1));
            svg += &format!("<path class=\"grid\" d=\"M{at:.1} {TOP}V{:.1}\"/>", HEIGHT - BOTTOM);
            svg += &format!(
                "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>\n",
                HEIGHT - BOTTOM + 17.0
            );
        }
        for exponent in (y0..=y1).step_by(((y1 - y0) as usize / 8).max(1)) {
            let (at, value) = (up(10_f64.powi(exponent)), scaled_short(10_f64.powi(exponent), self.y.1));
            svg += &format!("<path class=\"grid\" d=\"M{LEFT} {at:.1}H{:.1}\"/>", WIDTH - RIGHT);
            svg += &format!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>\n", LEFT - 6.0, at + 4.0);
        }
        svg += &format!("<path class=\"axis\" d=\"M{LEFT} {TOP}V{:.1}H{:.1}\"/>\n", HEIGHT - BOTTOM, WIDTH - RIGHT);
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        let half = (TOP + HEIGHT - BOTTOM) / 2.0;
        let below = format!("<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">", HEIGHT - 8.0);
        let beside = format!("<text x=\"14\" y=\"{half}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {half})\">");
        svg += &format!("{below}{}</text>\n{beside}{}</text>\n", escaped(&self.x.0), escaped(&self.y.0));
        let mut names = Vec::new();
        for (line, color) in self.lines.iter().zip(COLORS.iter().cycle()) {
            let points: Vec<(f64, f64)> = line.points.iter().filter(good).map(|&(x, y)| (across(x), up(y))).collect();
            let Some(&end) = points.last() else { continue };
            let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            svg += &format!("<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\n", path.join("L"));
            if line.marked {
                for (x, y) in &points {
                    svg += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{color}\"/>");
                }
            }
            names.push((end.1, line.name.as_str(), color));
        }
        // Names stand at the right, in the order of the ends of their lines, none over another.
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = TOP;
        for (y, name, color) in names {
            let at = f64::max(y, free);
            free = at + LETTERS;
            let x = WIDTH - RIGHT + 8.0;
            svg += &format!("<text x=\"{x}\" y=\"{:.1}\" style=\"fill:{color}\">{}</text>\n", at + 4.0, escaped(name));
        }
        svg + "</svg>\n"
    }
}

/// A power of ten at an axis: `1 µs`.
fn scaled_short(value: f64, unit: &str) -> String {
    // A part of nothing in particular has no prefix.
    if unit.is_empty() && value < 1.0 {
        return value.to_string();
    }
    let text = scaled(value, unit);
    let short = text.split_once(' ').map(|(number, rest)| {
        let number = number.strip_suffix(".00").or(number.strip_suffix(".0")).unwrap_or(number);
        format!("{number} {rest}")
    });
    short.unwrap_or(text).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_its_lines_and_stays_in_its_frame() {
        let line =
            |name: &str, points: &[(f64, f64)]| Line { name: name.into(), points: points.to_vec(), marked: true };
        let lines = vec![
            line("a & b", &[(1.0, 1e-9), (1024.0, 3e-12)]),
            line("c", &[(1.0, 1e-9), (10.0, f64::NAN), (1024.0, 3e-12)]),
        ];
        let chart = Chart { x: ("in flight".into(), ""), y: ("time".into(), "s"), lines };
        let svg = chart.svg();
        assert!(svg.contains("a &amp; b") && svg.contains("1 ns") && svg.matches("<circle").count() == 4, "{svg}");
        assert!(!svg.contains("NaN"), "{svg}");
        let empty = Chart { x: (String::new(), ""), y: (String::new(), ""), lines: vec![line("none", &[])] };
        assert_eq!(empty.svg(), "");
    }

    #[test]
    fn labels_of_axes_are_short() {
        assert_eq!(scaled_short(1e-6, "s"), "1 µs");
        assert_eq!(scaled_short(1e11, "B/s"), "100 GB/s");
        assert_eq!([scaled_short(1000.0, ""), scaled_short(0.01, "")], ["1 k", "0.01"]);
    }
}
