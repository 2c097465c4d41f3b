//! Degree distributions: named ones with parameters, or counts from a file.

use std::fmt;
use std::path::Path;

use super::super::Params;
use crate::rng::Rng;
use crate::text_file::read_text;
use crate::{GraphError, Result};

/// A distribution of degrees, before it is fitted to a number of vertices.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// All degrees from `low` to `high` equally often.
    Uniform {
        /// Least degree.
        low: u64,
        /// Greatest degree.
        high: u64,
    },
    /// Normal, rounded to the nearest integer.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        deviation: f64,
    },
    /// Exponential, rounded down: degree k has probability proportional to exp(-rate k).
    Exponential {
        /// Rate; the mean is about 1 / rate.
        rate: f64,
    },
    /// Degree k in `low..=high` has probability proportional to k^-exponent.
    PowerLaw {
        /// Exponent.
        exponent: f64,
        /// Least degree, at least 1.
        low: u64,
        /// Greatest degree.
        high: u64,
    },
    /// Counts of degrees from a text file: lines `degree count`, comments after `#` or `%`.
    File {
        /// The file.
        path: String,
    },
}

impl Distribution {
    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let name: String = params.required("DISTRIBUTION")?;
        match name.as_str() {
            "uniform" => {
                let (low, high) = degree_range(params)?;
                Ok(Distribution::Uniform { low, high })
            }
            "normal" => {
                let (mean, deviation) = (params.required("MEAN")?, params.required("DEVIATION")?);
                params.check(f64::is_finite(mean) && deviation > 0.0 && f64::is_finite(deviation), || {
                    "a normal distribution needs a finite mean and a deviation above 0".into()
                })?;
                Ok(Distribution::Normal { mean, deviation })
            }
            "exponential" => {
                let rate: f64 = params.required("RATE")?;
                params.check(rate > 0.0 && rate.is_finite(), || "RATE must be above 0".into())?;
                Ok(Distribution::Exponential { rate })
            }
            "powerlaw" => {
                let exponent: f64 = params.required("EXPONENT")?;
                let (low, high) = degree_range(params)?;
                params.check(low >= 1 && exponent.is_finite(), || "power-law degrees start at 1 or above".into())?;
                Ok(Distribution::PowerLaw { exponent, low, high })
            }
            "file" => Ok(Distribution::File { path: params.required("PATH")? }),
            _ => {
                const KNOWN: [&str; 5] = ["uniform", "normal", "exponential", "powerlaw", "file"];
                let hint = super::super::suggestion(&name, KNOWN.into_iter());
                Err(params.error(format!(
                    "`{name}` is no distribution{hint}; there are uniform:LOW..HIGH, normal:MEAN:DEVIATION, \
                     exponential:RATE, powerlaw:EXPONENT:LOW..HIGH and file:PATH"
                )))
            }
        }
    }

    /// A mean degree not below the real one, for estimating memory.
    pub(in super::super) fn mean_bound(&self, vertices: u64) -> f64 {
        let most = vertices.saturating_sub(1) as f64;
        match *self {
            Distribution::Uniform { low, high } => ((low as f64 + high as f64) / 2.0).min(most),
            Distribution::Normal { mean, deviation } => (mean.max(0.0) + deviation).min(most),
            Distribution::Exponential { rate } => (1.0 / rate).min(most),
            // Integrals instead of sums, which overstate the mean of these falling curves.
            Distribution::PowerLaw { exponent, low, high } => {
                let (low, high) = (low as f64, high as f64 + 1.0);
                let integral = |power: f64| {
                    if (power + 1.0).abs() < 1e-9 {
                        (high / low).ln()
                    } else {
                        (high.powf(power + 1.0) - low.powf(power + 1.0)) / (power + 1.0)
                    }
                };
                (integral(1.0 - exponent) / integral(-exponent)).min(most)
            }
            // What a file asks for shows when it is read; it cannot ask for more than it holds.
            Distribution::File { .. } => 0.0,
        }
    }

    /// The distribution given that the degrees are those of a simple graph with so many vertices, and of a connected
    /// one where that is asked for: a connected graph has no vertex of degree 0. Reads the file of
    /// [`Distribution::File`].
    pub fn target(&self, vertices: u64, connected: bool) -> Result<Target> {
        let most = vertices.saturating_sub(1);
        let least = u64::from(connected && vertices > 1);
        let target = match *self {
            Distribution::Uniform { low, high } => {
                Target::from_masses(least, (0..=high.min(most)).map(|k| if k >= low { 1.0 } else { 0.0 }))
            }
            Distribution::Normal { mean, deviation } => {
                let high = most.min((mean + 9.0 * deviation).max(0.0).ceil() as u64);
                let below = |x: f64| normal_cdf((x - mean) / deviation);
                Target::from_masses(least, (0..=high).map(|k| below(k as f64 + 0.5) - below(k as f64 - 0.5)))
            }
            Distribution::Exponential { rate } => {
                // exp(-40) is below the resolution of any sample.
                let high = most.min((40.0 / rate).ceil() as u64);
                Target::from_masses(least, (0..=high).map(|k| (-rate * k as f64).exp()))
            }
            Distribution::PowerLaw { exponent, low, high } => {
                let mass = |k: u64| if k >= low { (k as f64).powf(-exponent) } else { 0.0 };
                Target::from_masses(least, (0..=high.min(most)).map(mass))
            }
            Distribution::File { ref path } => {
                let counts = read_counts(Path::new(path))?;
                if counts.len() as u64 > vertices {
                    let degree = counts.len() - 1;
                    return Err(GraphError::file(
                        Path::new(path),
                        format!("degree {degree} is impossible in a simple graph with {vertices} vertices"),
                    ));
                }
                if least > 0 && counts[0] > 0 {
                    return Err(GraphError::file(
                        Path::new(path),
                        format!("{} vertices of degree 0 cannot be in a connected graph", counts[0]),
                    ));
                }
                Target::from_masses(least, counts.into_iter().map(|c| c as f64))
            }
        };
        target.ok_or_else(|| {
            GraphError::Generate(format!("no degree of {self} is possible in a simple graph with {vertices} vertices"))
        })
    }
}

fn degree_range(params: &mut Params) -> Result<(u64, u64)> {
    let text: String = params.required("LOW..HIGH")?;
    let Some((low, high)) = text.split_once("..") else {
        return Err(params.error(format!("`{text}` is no range of degrees such as 0..100")));
    };
    let (low, high) = (params.value("degree", low)?, params.value("degree", high)?);
    params.check(low <= high, || format!("the range {text} is empty"))?;
    Ok((low, high))
}

/// Counts indexed by degree from lines `degree count`.
fn read_counts(path: &Path) -> Result<Vec<u64>> {
    const MAX_DEGREE: u64 = 1 << 28;
    let text = read_text(path).map_err(|e| GraphError::io("read", path, e))?;
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        let fields: Option<Vec<u64>> = line.split_whitespace().map(|f| f.parse().ok()).collect();
        match fields.as_deref() {
            Some(&[degree, count]) if degree <= MAX_DEGREE && count <= u64::from(u32::MAX) => {
                pairs.push((degree, count));
            }
            _ => return Err(GraphError::text(path, number, "expected `degree count`, two whole numbers")),
        }
    }
    let Some(&(highest, _)) = pairs.iter().max() else {
        return Err(GraphError::file(path, "the file holds no degrees"));
    };
    let mut counts = vec![0; highest as usize + 1];
    for (degree, count) in pairs {
        counts[degree as usize] += count;
    }
    Ok(counts)
}

/// Φ(z), with an error below 2e-7 (Abramowitz and Stegun 7.1.26).
fn normal_cdf(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let upper = 0.5 * poly * (-x * x).exp();
    if z >= 0.0 { 1.0 - upper } else { upper }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Uniform { low, high } => write!(f, "uniform:{low}..{high}"),
            Distribution::Normal { mean, deviation } => write!(f, "normal:{mean}:{deviation}"),
            Distribution::Exponential { rate } => write!(f, "exponential:{rate}"),
            Distribution::PowerLaw { exponent, low, high } => write!(f, "powerlaw:{exponent}:{low}..{high}"),
            Distribution::File { path } => write!(f, "file:{path}"),
        }
    }
}

/// A distribution fitted to a number of vertices: cumulative probabilities of the degrees 0, 1, 2, ...
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    cumulative: Vec<f64>,
}

impl Target {
    /// Normalises masses of the degrees 0, 1, 2, ... without those below `least`; `None` when there is no mass.
    fn from_masses(least: u64, masses: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = (0..)
            .zip(masses)
            .map(|(degree, mass)| {
                if degree >= least {
                    sum += mass.max(0.0);
                }
                sum
            })
            .collect();
        if !(sum > 0.0 && sum.is_finite()) {
            return None;
        }
        cumulative.iter_mut().for_each(|c| *c /= sum);
        Some(Target { cumulative })
    }

    /// P(degree <= k).
    pub fn cdf(&self, k: usize) -> f64 {
        self.cumulative.get(k).copied().unwrap_or(1.0)
    }

    /// Number of degrees with an entry.
    pub fn len(&self) -> usize {
        self.cumulative.len()
    }

    /// Never true: a target has at least one degree.
    pub fn is_empty(&self) -> bool {
        self.cumulative.is_empty()
    }

    /// The mean degree.
    pub fn mean(&self) -> f64 {
        self.cumulative.iter().map(|c| 1.0 - c).sum()
    }

    /// One degree per vertex, in random order: the quantiles at random points of `vertices` equal strata, so that the
    /// sample follows the target as closely as whole vertices can. The sum is made even.
    pub fn degrees(&self, vertices: usize, rng: &mut Rng) -> Vec<u32> {
        let mut degrees = Vec::with_capacity(vertices);
        let mut degree = 0;
        for stratum in 0..vertices {
            let level = (stratum as f64 + rng.unit()) / vertices as f64;
            while degree + 1 < self.cumulative.len() && self.cumulative[degree] <= level {
                degree += 1;
            }
            degrees.push(degree as u32);
        }
        rng.shuffle(&mut degrees);
        let total: u64 = degrees.iter().map(|&d| u64::from(d)).sum();
        if total % 2 == 1 {
            // Either direction keeps every degree possible; an odd sum means that some degree is above 0.
            let grown = degrees.iter_mut().find(|d| (**d as usize) < vertices - 1);
            match grown {
                Some(degree) => *degree += 1,
                None => degrees[0] -= 1,
            }
        }
        degrees
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_cdf_of_known_points() {
        for (z, p) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.96, 0.024_997_9), (3.0, 0.998_650_1)] {
            assert!((normal_cdf(z) - p).abs() < 1e-6, "{z}: {}", normal_cdf(z));
        }
    }

    #[test]
    fn means_are_those_of_the_distributions() {
        let mean = |d: Distribution| d.target(10_000, false).unwrap().mean();
        assert!((mean(Distribution::Uniform { low: 0, high: 100 }) - 50.0).abs() < 1e-9);
        assert!((mean(Distribution::Normal { mean: 50.0, deviation: 10.0 }) - 50.0).abs() < 1e-3);
        // Geometric with ratio exp(-0.1): 1 / (exp(0.1) - 1).
        assert!((mean(Distribution::Exponential { rate: 0.1 }) - 9.508_33).abs() < 1e-3);
    }

    #[test]
    fn connected_targets_have_no_degree_zero() {
        let uniform = Distribution::Uniform { low: 0, high: 3 };
        assert_eq!(uniform.target(100, false).unwrap().cdf(0), 0.25);
        assert_eq!(uniform.target(100, true).unwrap().cdf(0), 0.0);
        assert!((uniform.target(100, true).unwrap().cdf(1) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn impossible_targets_are_errors() {
        assert!(Distribution::Uniform { low: 10, high: 20 }.target(5, false).is_err());
        assert!(Distribution::PowerLaw { exponent: 2.0, low: 9, high: 12 }.target(5, false).is_err());
    }
}
