//! The Kolmogorov-Smirnov test on degrees.

use std::fmt;
use std::str::FromStr;

use super::Target;

/// Level of the test: the probability to reject degrees that do follow the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Significance {
    /// p = 0.20, the strictest.
    P20,
    /// p = 0.15.
    P15,
    /// p = 0.10.
    P10,
    /// p = 0.05.
    #[default]
    P05,
    /// p = 0.01, the most lenient.
    P01,
}

use Significance::{P01, P05, P10, P15, P20};

impl Significance {
    const ALL: [(Significance, &'static str, f64); 5] =
        [(P20, "0.20", 1.07), (P15, "0.15", 1.14), (P10, "0.10", 1.22), (P05, "0.05", 1.36), (P01, "0.01", 1.63)];

    /// The greatest distance accepted for a sample of this size: c / √N, and with Stephens's correction
    /// c / (√N + 0.12 + 0.11 / √N) for the samples of at most 35 to which the table of the former does not apply.
    pub fn limit(self, sample: usize) -> f64 {
        let root = (sample.max(1) as f64).sqrt();
        let factor = Self::ALL.iter().find(|row| row.0 == self).map_or(1.36, |row| row.2);
        if sample > 35 { factor / root } else { factor / (root + 0.12 + 0.11 / root) }
    }
}

impl fmt::Display for Significance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Self::ALL.iter().find(|row| row.0 == *self).map_or("", |row| row.1);
        f.write_str(text)
    }
}

impl FromStr for Significance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
        let row = Self::ALL.iter().find(|row| row.1.parse() == Ok(value));
        row.map(|row| row.0).ok_or_else(|| "p is one of 0.20, 0.15, 0.10, 0.05, 0.01".to_owned())
    }
}

/// Greatest difference between the share of vertices with degree at most k and the target's probability of that, over
/// all k. `counts[k]` vertices have degree k.
pub fn distance(counts: &[u64], target: &Target) -> f64 {
    let total: u64 = counts.iter().sum();
    let mut sum = 0;
    let mut greatest: f64 = 0.0;
    for k in 0..counts.len().max(target.len()) {
        sum += counts.get(k).copied().unwrap_or(0);
        let share = if total == 0 { 0.0 } else { sum as f64 / total as f64 };
        greatest = greatest.max((share - target.cdf(k)).abs());
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::super::Distribution;
    use super::*;

    #[test]
    fn distances_by_hand() {
        let target = Distribution::Uniform { low: 0, high: 3 }.target(100, false).unwrap();
        assert!(distance(&[5, 5, 5, 5], &target) < 1e-12);
        assert!((distance(&[20, 0, 0, 0], &target) - 0.75).abs() < 1e-12);
        assert!((distance(&[0, 0, 0, 0, 0, 7], &target) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn limits_of_the_table() {
        assert!((Significance::P05.limit(100) - 0.136).abs() < 1e-12);
        assert!((Significance::P20.limit(400) - 0.0535).abs() < 1e-12);
        assert_eq!("0.2".parse(), Ok(Significance::P20));
        assert!("0.3".parse::<Significance>().is_err());
    }
}
