//! A measured number with the spread of its repetitions.

use serde::{Deserialize, Serialize};

/// A measured number: the median of its repetitions and how far they lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Median of the repetitions.
    pub median: f64,
    /// Third quartile minus first quartile, as a share of the median.
    pub spread: f64,
    /// Repetitions.
    pub runs: u32,
}

impl Measured {
    /// The median and spread of some repetitions. Without repetitions the median is not a number.
    pub fn of(mut values: Vec<f64>) -> Measured {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let median = quantile(&values, 0.5);
        let spread = (quantile(&values, 0.75) - quantile(&values, 0.25)) / median.abs().max(f64::MIN_POSITIVE);
        Measured { median, spread, runs: values.len() as u32 }
    }

    /// The number in another unit: `factor` of the new unit are one of the old.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Measured {
        Measured { median: self.median * factor, ..self }
    }

    /// A rate from a time, or a time from a rate: `amount` divided by the number. The relative spread stays.
    #[must_use]
    pub fn rate(self, amount: f64) -> Measured {
        Measured { median: amount / self.median, ..self }
    }
}

/// The value below which a share of the sorted values lies, linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    sorted[low] + part * (sorted[(low + 1).min(last)] - sorted[low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_quartiles() {
        let five = Measured::of(vec![5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!(five, Measured { median: 3.0, spread: 2.0 / 3.0, runs: 5 });
        assert_eq!(Measured::of(vec![2.0, 4.0]).median, 3.0);
        assert_eq!(Measured::of(vec![7.0]), Measured { median: 7.0, spread: 0.0, runs: 1 });
        assert!(Measured::of(vec![]).median.is_nan());
        assert_eq!(Measured::of(vec![f64::NAN, 2.0]).runs, 1);
    }

    #[test]
    fn units_change_the_median_only() {
        let seconds = Measured { median: 2e-6, spread: 0.1, runs: 3 };
        assert_eq!(seconds.scaled(1e6).median, 2.0);
        assert_eq!(seconds.rate(4.0), Measured { median: 2e6, ..seconds });
    }
}
