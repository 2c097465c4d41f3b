//! The quality metric: one number from 0 to 1 for how well an implementation uses the device.

use crate::criteria::Criteria;
use crate::criterion::Weights;

impl Criteria {
    /// QM: the mean of the known criteria by their weights. `None` when none of them has a weight above 0.
    pub fn quality(&self, weights: &Weights) -> Option<f64> {
        let (sum, all) = self
            .known()
            .map(|(criterion, value)| (weights[criterion] * value, weights[criterion]))
            .fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        (all > 0.0).then(|| sum / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::Criterion;

    #[test]
    fn unknown_criteria_drop_out_of_both_sums() {
        let mut criteria = Criteria::default();
        assert_eq!(criteria.quality(&Weights::published()), None);
        criteria[Criterion::Occupancy] = Some(0.5); // weight 30
        criteria[Criterion::GranularityL1] = Some(0.8); // weight 100
        let expected = (30.0 * 0.5 + 100.0 * 0.8) / 130.0;
        assert_eq!(criteria.quality(&Weights::published()), Some(expected));
    }
}
