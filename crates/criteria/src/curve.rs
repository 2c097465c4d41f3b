//! Characterisation functions: what a component of the device reaches at a given load, measured once per device.

use serde::Serialize;

use crate::error::CriteriaError;

/// A piecewise-linear function through measured points, constant beyond the first and the last.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// The function through these points, in any order.
    pub fn through(name: &str, mut points: Vec<(f64, f64)>) -> Result<Curve, CriteriaError> {
        let fail = |message: &str| Err(CriteriaError::Curve { name: name.into(), message: message.into() });
        if points.is_empty() {
            return fail("it has no points");
        }
        if points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
            return fail("a point is not finite");
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        if points.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return fail("two points have the same load");
        }
        Ok(Curve(points))
    }

    /// The function that is 1 everywhere.
    pub fn one() -> Curve {
        Curve(vec![(0.0, 1.0)])
    }

    /// The value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        let points = &self.0;
        let after = points.partition_point(|&(px, _)| px < x);
        match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
            (Some((x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
            (Some((_, y)), None) | (None, Some(&(_, y))) => y,
            (None, None) => 1.0,
        }
    }

    /// The same divided by its greatest value, so that the best point is 1.
    pub fn normalised(mut self) -> Curve {
        let best = self.0.iter().map(|&(_, y)| y).fold(0.0, f64::max);
        if best > 0.0 {
            self.0.iter_mut().for_each(|(_, y)| *y /= best);
        }
        self
    }

    /// True when it never falls, or never rises, by more than `slack` of a value.
    pub fn is_monotone(&self, slack: f64) -> bool {
        let rises = |&[a, b]: &[f64; 2]| b >= a - slack * a.abs();
        let falls = |&[a, b]: &[f64; 2]| b <= a + slack * a.abs();
        let pairs: Vec<[f64; 2]> = self.0.windows(2).map(|p| [p[0].1, p[1].1]).collect();
        pairs.iter().all(rises) || pairs.iter().all(falls)
    }
}

/// The four functions of the model, each 1 at its best.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Characterisation {
    /// Reachable share of the memory's throughput against bytes moved.
    pub dram: Curve,
    /// Reachable share of the arithmetic throughput against operations per thread.
    pub arithmetic: Curve,
    /// Speed of shared memory against lanes per bank, by that without conflicts.
    pub shared: Curve,
    /// Speed of a warp against its divergent paths, times the paths: 1 where divergence costs only the idle lanes.
    pub divergence: Curve,
}

impl Default for Characterisation {
    /// A device that reaches everything at any load: what is known without measurements.
    fn default() -> Self {
        Characterisation {
            dram: Curve::one(),
            arithmetic: Curve::one(),
            shared: Curve::one(),
            divergence: Curve::one(),
        }
    }
}

impl Characterisation {
    /// Reads the table that `bench/primitives/characterise.cu` writes: tab-separated columns with the names `group`,
    /// `variant` (the load), `median_ms` and `GB_per_s`. A group that is not there stays 1.
    pub fn from_table(text: &str) -> Result<Characterisation, CriteriaError> {
        let mut lines = (1u64..).zip(text.lines());
        let heads: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
        let column = |name: &str| {
            let message = format!("the head of the table has no column `{name}`");
            heads.iter().position(|h| *h == name).ok_or(CriteriaError::Curve { name: "all".into(), message })
        };
        let (group, load, time, rate) =
            (column("group")?, column("variant")?, column("median_ms")?, column("GB_per_s")?);
        let mut points: [Vec<(f64, f64)>; 4] = Default::default();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let cells: Vec<&str> = line.split('\t').collect();
            let value = |at: usize| -> Result<f64, CriteriaError> {
                let text = cells.get(at).copied().unwrap_or_default();
                let wrong =
                    CriteriaError::Value { line: number, column: heads[at].to_string(), value: text.to_string() };
                text.parse().map_err(|_| wrong)
            };
            let (x, ms) = (value(load)?, value(time)?);
            match cells.get(group).copied().unwrap_or_default() {
                "dram" => points[0].push((x, value(rate)?)),
                "arithmetic" => points[1].push((x, value(rate)?)),
                "shared" => points[2].push((x, x / ms)),
                "divergence" => points[3].push((x, x / ms)),
                _ => {}
            }
        }
        // Accesses that collide n-fold take n times as long at best: what is lost beyond that is the curve.
        let [dram, arithmetic, shared, divergence] = points;
        let curve = |name: &str, points: Vec<(f64, f64)>| match points.is_empty() {
            true => Ok(Curve::one()),
            false => Curve::through(name, points).map(Curve::normalised),
        };
        Ok(Characterisation {
            dram: curve("dram", dram)?,
            arithmetic: curve("arithmetic", arithmetic)?,
            shared: curve("shared", shared)?,
            divergence: curve("divergence", divergence)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_on_the_lines_between_points() {
        let curve = Curve::through("x", vec![(10.0, 1.0), (0.0, 0.0), (20.0, 3.0)]).unwrap();
        assert_eq!([-5.0, 0.0, 5.0, 10.0, 15.0, 99.0].map(|x| curve.at(x)), [0.0, 0.0, 0.5, 1.0, 2.0, 3.0]);
        assert!(curve.is_monotone(0.0));
        assert!(!Curve::through("x", vec![(0.0, 1.0), (1.0, 2.0), (2.0, 1.5)]).unwrap().is_monotone(0.02));
        assert_eq!(Curve::one().at(1e9), 1.0);
    }

    #[test]
    fn bad_points_are_refused() {
        for points in [vec![], vec![(0.0, f64::NAN)], vec![(1.0, 1.0), (1.0, 2.0)]] {
            assert!(Curve::through("dram", points).unwrap_err().to_string().contains("`dram`"));
        }
    }

    #[test]
    fn a_table_becomes_curves_that_are_1_at_their_best() {
        let table = "group\tvariant\tinput\tmedian_ms\tmin_ms\tGB_per_s\tright\n\
                     dram\t1000\tbytes\t1\t1\t10\tyes\ndram\t4000\tbytes\t1\t1\t40\tyes\n\
                     shared\t1\tlanes\t2\t2\t0\tyes\nshared\t32\tlanes\t80\t80\t0\tyes\n";
        let read = Characterisation::from_table(table).unwrap();
        assert_eq!((read.dram.at(1000.0), read.dram.at(2500.0), read.dram.at(4000.0)), (0.25, 0.625, 1.0));
        // 32 lanes per bank take 80 ms where 64 ms would be 32 times one access.
        assert!((read.shared.at(32.0) - 1.0 * (32.0 / 80.0) / 0.5).abs() < 1e-12);
        assert_eq!(read.divergence, Curve::one());
        let wrong = Characterisation::from_table("group\tvariant\tmedian_ms\tGB_per_s\ndram\tx\t1\t1\n").unwrap_err();
        assert_eq!(wrong.to_string(), "line 2, column `variant`: `x` is no number");
        assert!(Characterisation::from_table("").is_err());
    }
}
