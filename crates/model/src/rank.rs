//! Rank correlation: do two measures put things into the same order?

/// Spearman's rank correlation: 1 for the same order, -1 for the reverse. Equal values share the mean of their ranks.
/// `None` for fewer than two pairs, for lists of different lengths, for NaN, and when all values of a list are equal.
///
/// ```
/// use gw_model::spearman;
/// assert_eq!(spearman(&[1.0, 2.0, 9.0], &[10.0, 20.0, 21.0]), Some(1.0));
/// assert_eq!(spearman(&[1.0, 2.0, 9.0], &[3.0, 2.0, 1.0]), Some(-1.0));
/// ```
pub fn spearman(left: &[f64], right: &[f64]) -> Option<f64> {
    if left.len() != right.len() || left.len() < 2 || left.iter().chain(right).any(|value| value.is_nan()) {
        return None;
    }
    let (left, right) = (ranks(left), ranks(right));
    // Ranks always sum up to the same, with ties or without.
    let mean = (left.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    let scale = (product(&left, &left) * product(&right, &right)).sqrt();
    (scale > 0.0).then(|| (product(&left, &right) / scale).clamp(-1.0, 1.0))
}

/// The rank of each value, from 1; equal values share the mean.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..].iter().take_while(|&&at| values[at] == values[order[start]]).count();
        for &at in &order[start..start + same] {
            ranks[at] = start as f64 + (same as f64 + 1.0) / 2.0;
        }
        start += same;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        // Differences of ranks 0, 1, 1, 2, 2: 1 - 6 * 10 / (5 * 24).
        assert_eq!(spearman(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0, 3.0, 2.0, 6.0, 4.0]), Some(0.8));
        assert_eq!(ranks(&[5.0, 1.0, 5.0, -0.0, 0.0]), [4.5, 3.0, 4.5, 1.5, 1.5]);
        let tied = spearman(&[1.0, 1.0, 2.0], &[1.0, 2.0, 3.0]).unwrap();
        assert!((tied - 0.75f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn no_order_to_compare() {
        assert_eq!(spearman(&[1.0], &[1.0]), None);
        assert_eq!(spearman(&[1.0, 2.0], &[1.0]), None);
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0, f64::NAN], &[1.0, 2.0]), None);
    }

    proptest! {
        #[test]
        fn only_the_order_matters(pairs in proptest::collection::vec((-9i32..9, -9i32..9), 2..30)) {
            let left: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.0)).collect();
            let right: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.1)).collect();
            let bent: Vec<f64> = left.iter().map(|x| x.exp()).collect();
            prop_assert_eq!(spearman(&left, &right), spearman(&bent, &right));
            prop_assert_eq!(spearman(&left, &right), spearman(&right, &left));
            if let Some(value) = spearman(&left, &right) {
                prop_assert!((-1.0..=1.0).contains(&value));
            }
        }
    }
}
