//! Medians and spread of a handful of times.

/// A summary of several measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The middle value.
    pub median: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// The distance between the quartiles as a share of the median; between least and greatest value when there are
    /// fewer than four.
    pub spread: f64,
}

impl Summary {
    /// Summarises `values`; `None` without any.
    ///
    /// ```
    /// use gw_lab::stats::Summary;
    /// let summary = Summary::of(&[4.0, 1.0, 3.0, 2.0, 5.0]).unwrap();
    /// assert_eq!((summary.median, summary.min, summary.max), (3.0, 1.0, 5.0));
    /// assert_eq!(summary.spread, (4.0 - 2.0) / 3.0);
    /// ```
    pub fn of(values: &[f64]) -> Option<Summary> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let median = quantile(&sorted, 0.5);
        let width = match sorted.len() {
            0..4 => max - min,
            _ => quantile(&sorted, 0.75) - quantile(&sorted, 0.25),
        };
        let spread = if median > 0.0 { width / median } else { 0.0 };
        Some(Summary { median, min, max, spread })
    }
}

/// The value below which the share `at` of the sorted values lies, straight lines in between.
fn quantile(sorted: &[f64], at: f64) -> f64 {
    let place = at * (sorted.len() - 1) as f64;
    let (low, share) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + share * (sorted[high] - sorted[low])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn few_values() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[2.0]), Some(Summary { median: 2.0, min: 2.0, max: 2.0, spread: 0.0 }));
        let two = Summary::of(&[3.0, 1.0]).unwrap();
        assert_eq!((two.median, two.spread), (2.0, 1.0));
        let four = Summary::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!((four.median, four.spread), (2.5, 1.5 / 2.5));
        assert_eq!(Summary::of(&[0.0, 0.0]).unwrap().spread, 0.0);
    }

    proptest! {
        #[test]
        fn the_median_splits_the_values(values in proptest::collection::vec(0.001f64..10.0, 1..40)) {
            let summary = Summary::of(&values).unwrap();
            let half = values.len().div_ceil(2);
            prop_assert!(values.iter().filter(|&&v| v <= summary.median).count() >= values.len() / 2);
            prop_assert!(values.iter().filter(|&&v| v >= summary.median).count() >= values.len() / 2);
            prop_assert!(half == 0 || (summary.min <= summary.median && summary.median <= summary.max));
            prop_assert!(summary.spread >= 0.0 && summary.spread <= (summary.max - summary.min) / summary.median + 1e-9);
        }
    }
}
