//! Judging matches: costs over distinct matches, tests between two sets of costs, and coherence of terms.

mod coherence;
mod hypergeometric;
mod rank_sum;

pub use coherence::{Coherence, coherence};
pub use hypergeometric::hypergeometric_tail;
pub use rank_sum::rank_sum;

use serde::Serialize;

/// The distribution of some values.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Summary {
    /// How many values there are.
    pub count: usize,
    /// Their mean; 0 where there are none.
    pub mean: f64,
    /// Their standard deviation (of the values themselves, not of a sample).
    pub deviation: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

/// The distribution of some values.
pub fn summary(values: &[f64]) -> Summary {
    if values.is_empty() {
        return Summary::default();
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Summary { count: values.len(), mean, deviation: variance.sqrt(), least, most }
}

/// The false discovery rates of Benjamini and Hochberg (1995) for p-values of several tests, in the same order.
pub fn false_discovery_rates(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut rates = vec![0.0; p_values.len()];
    let mut least: f64 = 1.0;
    for (from_last, &test) in order.iter().enumerate() {
        let rank = p_values.len() - from_last;
        least = least.min(p_values[test] * p_values.len() as f64 / rank as f64);
        rates[test] = least;
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_of_known_values() {
        let found = summary(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((found.mean, found.deviation, found.least, found.most), (5.0, 2.0, 2.0, 9.0));
        assert_eq!(summary(&[]), Summary::default());
    }

    #[test]
    fn false_discovery_rates_of_known_values() {
        let rates = false_discovery_rates(&[0.01, 0.04, 0.03, 0.005]);
        for (rate, expected) in rates.iter().zip([0.02, 0.04, 0.04, 0.02]) {
            assert!((rate - expected).abs() < 1e-12, "{rates:?}");
        }
    }
}
