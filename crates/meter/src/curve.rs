//! A measured function of one variable, such as the service time of a memory against the requests in flight.

use serde::{Deserialize, Serialize};

use crate::measured::Measured;

/// One measured point of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Where it was measured; above zero.
    pub x: f64,
    /// What was measured there.
    pub y: Measured,
}

/// A measured function: points sorted by `x`, between them linear in the logarithm of `x`, outside them constant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CurveText")]
pub struct Curve {
    /// What `x` counts, such as `requests in flight`.
    pub x_is: String,
    /// What `y` is, with its unit, such as `seconds per 32-byte sector`.
    pub y_is: String,
    points: Vec<Point>,
}

/// A curve as it stands in a file, before its points are checked.
#[derive(Deserialize)]
struct CurveText {
    x_is: String,
    y_is: String,
    points: Vec<Point>,
}

impl TryFrom<CurveText> for Curve {
    type Error = String;

    fn try_from(text: CurveText) -> Result<Curve, String> {
        Curve::new(&text.x_is, &text.y_is, text.points)
    }
}

impl Curve {
    /// A curve through some points; they are sorted here. An error says what is wrong with the points.
    pub fn new(x_is: &str, y_is: &str, mut points: Vec<Point>) -> Result<Curve, String> {
        if points.is_empty() {
            return Err(format!("the curve of {y_is} against {x_is} has no points"));
        }
        if let Some(bad) = points.iter().find(|p| !(p.x.is_finite() && p.x > 0.0 && p.y.median.is_finite())) {
            let (x, y) = (bad.x, bad.y.median);
            return Err(format!(
                "the curve of {y_is} against {x_is} has a point ({x}, {y}); x must be above zero, both must be finite"
            ));
        }
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        if let Some(pair) = points.windows(2).find(|pair| pair[0].x == pair[1].x) {
            return Err(format!("the curve of {y_is} against {x_is} has two points at {}", pair[0].x));
        }
        Ok(Curve { x_is: x_is.to_string(), y_is: y_is.to_string(), points })
    }

    /// The measured points, by rising `x`; at least one.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The value at `x`: between two points linear in the logarithm of `x`, outside them that of the nearest point.
    pub fn at(&self, x: f64) -> f64 {
        let after = self.points.partition_point(|point| point.x < x);
        let (first, last) = (&self.points[0], &self.points[self.points.len() - 1]);
        match after {
            0 => first.y.median,
            n if n == self.points.len() => last.y.median,
            n => {
                let (low, high) = (&self.points[n - 1], &self.points[n]);
                let share = (x.ln() - low.x.ln()) / (high.x.ln() - low.x.ln());
                low.y.median + share * (high.y.median - low.y.median)
            }
        }
    }

    /// The smallest value of all points: a service time when the server is saturated.
    pub fn least(&self) -> f64 {
        self.points.iter().map(|point| point.y.median).fold(f64::INFINITY, f64::min)
    }

    /// The largest value of all points: a bandwidth when the memory is saturated.
    pub fn greatest(&self) -> f64 {
        self.points.iter().map(|point| point.y.median).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The smallest measured `x` whose value is within `factor` of the smallest value: for a service time, the
    /// parallelism that saturates the server. `saturation(1.1)` asks for 10 %.
    pub fn saturation(&self, factor: f64) -> f64 {
        let bound = self.least() * factor;
        self.points.iter().find(|point| point.y.median <= bound).map_or(f64::INFINITY, |point| point.x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> Result<Curve, String> {
        let point = |&(x, y): &(f64, f64)| Point { x, y: Measured { median: y, spread: 0.0, runs: 1 } };
        Curve::new("m", "s", points.iter().map(point).collect())
    }

    #[test]
    fn linear_in_the_logarithm_and_constant_outside() {
        let curve = curve(&[(16.0, 2.0), (1.0, 10.0), (4.0, 6.0)]).unwrap();
        assert_eq!(curve.at(0.5), 10.0);
        assert_eq!(curve.at(1.0), 10.0);
        assert!((curve.at(2.0) - 8.0).abs() < 1e-12);
        assert!((curve.at(8.0) - 4.0).abs() < 1e-12);
        assert_eq!(curve.at(1e9), 2.0);
        assert_eq!((curve.least(), curve.greatest()), (2.0, 10.0));
        assert_eq!(curve.saturation(1.1), 16.0);
        assert_eq!(curve.saturation(4.0), 4.0);
    }

    #[test]
    fn bad_points_are_refused() {
        for (points, part) in [
            (&[][..], "no points"),
            (&[(0.0, 1.0)][..], "above zero"),
            (&[(1.0, f64::NAN)][..], "finite"),
            (&[(1.0, 1.0), (1.0, 2.0)][..], "two points at 1"),
        ] {
            assert!(curve(points).unwrap_err().contains(part), "{points:?}");
        }
        let text = r#"{"x_is": "m", "y_is": "s", "points": []}"#;
        assert!(serde_json::from_str::<Curve>(text).unwrap_err().to_string().contains("no points"));
    }
}
