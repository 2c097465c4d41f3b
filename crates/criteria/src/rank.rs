//! Rank correlation: do two columns put the rows in the same order?

/// Ranks from 1; equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    while begin < order.len() {
        let same = order[begin..].iter().take_while(|&&i| values[i] == values[order[begin]]).count();
        for &i in &order[begin..begin + same] {
            ranks[i] = begin as f64 + (same as f64 + 1.0) / 2.0;
        }
        begin += same;
    }
    ranks
}

/// Pearson's correlation; `None` when a column is constant or the columns have no two rows in common.
pub fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() != b.len() || a.len() < 2 {
        return None;
    }
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - mean_a, y - mean_b)).sum::<f64>();
    let (both, square_a, square_b) = (sum(&|x, y| x * y), sum(&|x, _| x * x), sum(&|_, y| y * y));
    (square_a > 0.0 && square_b > 0.0).then(|| both / (square_a * square_b).sqrt())
}

/// Spearman's rank correlation.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    pearson(&ranks(a), &ranks(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn order_counts_and_distance_does_not() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 10.0, 11.0]), Some(1.0));
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, -5.0]), Some(-1.0));
        // d = (0, 1, -1, 0): 1 - 6 * 2 / (4 * 15) = 0.8
        assert!((spearman(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]).unwrap() - 0.8).abs() < 1e-12);
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
    }
}
