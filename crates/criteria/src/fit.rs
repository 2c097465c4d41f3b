//! Weights of the quality metric from measured speeds, by non-negative least squares.
//!
//! Speeds of different primitives are not comparable, so each primitive has a slope and an intercept of its own:
//! logarithms of speed are centred and scaled within a primitive, criteria are centred, and one set of weights that
//! are not negative is fitted to all rows. The fit is judged on a primitive that took no part in it.

use serde::Serialize;

use crate::criteria::Criteria;
use crate::criterion::{Criterion, Weights};
use crate::rank::spearman;

/// An implementation of a primitive.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What it computes; implementations of one primitive on one input are compared.
    pub primitive: String,
    /// Its criteria.
    pub criteria: Criteria,
    /// Its speed, in any unit.
    pub speed: f64,
}

/// Rank correlations of quality and speed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// Per primitive, in order of their first samples; `None` where the quality does not differ.
    pub primitives: Vec<(String, Option<f64>)>,
    /// Mean over the primitives that have one.
    pub mean: f64,
    /// Over all samples, with speeds as they are.
    pub pooled: Option<f64>,
}

/// Rank correlation of quality and speed under given weights.
pub fn judge(samples: &[Sample], weights: &Weights) -> Judgement {
    judge_each(samples, |_| weights.clone())
}

/// The same with each primitive judged by weights that were fitted to all others.
pub fn leave_one_out(samples: &[Sample]) -> Judgement {
    judge_each(samples, |primitive| {
        let others: Vec<Sample> = samples.iter().filter(|s| s.primitive != primitive).cloned().collect();
        fit(&others)
    })
}

fn judge_each(samples: &[Sample], weights: impl Fn(&str) -> Weights) -> Judgement {
    let (mut primitives, mut all) = (Vec::new(), (Vec::new(), Vec::new()));
    for (name, rows) in by_primitive(samples) {
        let weights = weights(name);
        let quality: Vec<f64> = rows.iter().map(|s| s.criteria.quality(&weights).unwrap_or(0.0)).collect();
        let speed: Vec<f64> = rows.iter().map(|s| s.speed).collect();
        primitives.push((name.to_string(), spearman(&quality, &speed)));
        all.0.extend(quality);
        all.1.extend(speed);
    }
    let known: Vec<f64> = primitives.iter().filter_map(|(_, value)| *value).collect();
    let mean = if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
    Judgement { primitives, mean, pooled: spearman(&all.0, &all.1) }
}

/// Weights under which quality follows speed within every primitive. Samples whose speed is not above 0 are left out.
pub fn fit(samples: &[Sample]) -> Weights {
    let (mut rows, mut targets) = (Vec::new(), Vec::new());
    for (_, group) in by_primitive(samples) {
        let logs: Vec<f64> = group.iter().map(|s| s.speed.ln()).collect();
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        let deviation = (logs.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
        if deviation <= 0.0 {
            continue;
        }
        // An unknown criterion is like the mean of the others: it says nothing.
        let means = Criterion::ALL.map(|c| {
            let known: Vec<f64> = group.iter().filter_map(|s| s.criteria[c]).collect();
            if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 }
        });
        for (sample, y) in group.iter().zip(&logs) {
            rows.push(
                Criterion::ALL.map(|c| sample.criteria[c].unwrap_or(means[c as usize]) - means[c as usize]).to_vec(),
            );
            targets.push((y - mean) / deviation);
        }
    }
    let solution = nnls(&rows, &targets);
    let mut weights = [0.0; 11];
    weights.iter_mut().zip(solution).for_each(|(to, from)| *to = from);
    Weights::scaled(weights)
}

fn by_primitive(samples: &[Sample]) -> Vec<(&str, Vec<&Sample>)> {
    let mut groups: Vec<(&str, Vec<&Sample>)> = Vec::new();
    for sample in samples.iter().filter(|s| s.speed > 0.0 && s.speed.is_finite()) {
        match groups.iter_mut().find(|(name, _)| *name == sample.primitive) {
            Some((_, group)) => group.push(sample),
            None => groups.push((&sample.primitive, vec![sample])),
        }
    }
    groups
}

/// The vector `x` with no negative entry that minimises the length of `rows * x - targets` (Lawson and Hanson, Solving
/// Least Squares Problems, 1974, chapter 23). Small and dense; without rows there is nothing to find.
pub fn nnls(rows: &[Vec<f64>], targets: &[f64]) -> Vec<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    let dot = |f: &dyn Fn(usize) -> f64| (0..rows.len()).map(f).sum::<f64>();
    // Normal equations: `gram * x = right`.
    let gram: Vec<Vec<f64>> =
        (0..columns).map(|i| (0..columns).map(|j| dot(&|r| rows[r][i] * rows[r][j])).collect()).collect();
    let right: Vec<f64> = (0..columns).map(|i| dot(&|r| rows[r][i] * targets[r])).collect();
    let scale = gram.iter().enumerate().map(|(i, row)| row[i]).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut x = vec![0.0; columns];
    let mut free: Vec<usize> = Vec::new();
    // Each round frees a column; the bound only ends loops that rounding would keep going.
    for _ in 0..3 * columns.max(1) {
        let slope = |i: usize| right[i] - (0..columns).map(|j| gram[i][j] * x[j]).sum::<f64>();
        let steepest = (0..columns).filter(|i| !free.contains(i)).max_by(|&a, &b| slope(a).total_cmp(&slope(b)));
        let Some(steepest) = steepest.filter(|&i| slope(i) > 1e-10 * scale) else { break };
        free.push(steepest);
        while let Some(solved) = solve(&gram, &right, &free) {
            if solved.iter().all(|&value| value > 0.0) {
                x.fill(0.0);
                free.iter().zip(&solved).for_each(|(&i, &value)| x[i] = value);
                break;
            }
            // Go towards the solution until the first entry becomes 0, and bind that one.
            let step = free
                .iter()
                .zip(&solved)
                .filter(|(_, value)| **value <= 0.0)
                .map(|(&i, &value)| x[i] / (x[i] - value).max(f64::MIN_POSITIVE))
                .fold(1.0, f64::min);
            free.iter().zip(&solved).for_each(|(&i, &value)| x[i] += step * (value - x[i]));
            let before = free.len();
            free.retain(|&i| x[i] > 1e-12);
            (0..columns).filter(|i| !free.contains(i)).for_each(|i| x[i] = 0.0);
            if free.len() == before || free.is_empty() {
                break;
            }
        }
    }
    x
}

/// The solution of the equations of these columns by elimination with pivots; `None` where they are dependent.
fn solve(gram: &[Vec<f64>], right: &[f64], columns: &[usize]) -> Option<Vec<f64>> {
    let n = columns.len();
    let mut a: Vec<Vec<f64>> = columns
        .iter()
        .map(|&i| columns.iter().map(|&j| gram[i][j]).chain(std::iter::once(right[i])).collect())
        .collect();
    let scale = (0..n).map(|i| a[i][i].abs()).fold(0.0, f64::max);
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| a[p][k].abs().total_cmp(&a[q][k].abs()))?;
        if a[pivot][k].abs() <= 1e-12 * scale {
            return None;
        }
        a.swap(k, pivot);
        let (above, below) = a.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            for (entry, pivot) in row[k..].iter_mut().zip(&above[k][k..]) {
                *entry -= factor * pivot;
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (a[k][n] - known) / a[k][k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_positive_solution_is_that_of_least_squares() {
        let rows = vec![vec![1.0, 0.0], vec![0.0, 2.0], vec![1.0, 1.0]];
        let x = nnls(&rows, &[3.0, 4.0, 5.0]);
        assert!((x[0] - 3.0).abs() < 1e-9 && (x[1] - 2.0).abs() < 1e-9, "{x:?}");
    }

    /// Unbounded, the first entry would be -1: bound to 0, the second is the mean of the targets.
    #[test]
    fn negative_entries_are_bound() {
        let rows = vec![vec![1.0, 1.0], vec![0.0, 1.0]];
        let x = nnls(&rows, &[1.0, 2.0]);
        assert!(x[0] == 0.0 && (x[1] - 1.5).abs() < 1e-9, "{x:?}");
        assert_eq!(nnls(&[], &[]), Vec::<f64>::new());
    }

    /// Speeds that grow with known weights: their ratios come back, and so does the order.
    #[test]
    fn known_weights_are_recovered() {
        let mut samples = Vec::new();
        for primitive in 0..4u32 {
            for k in 0..12u32 {
                let mut criteria = Criteria::default();
                let value = |salt: u32| f64::from((k * 7 + salt * 5 + primitive * 3) % 11) / 11.0;
                criteria[Criterion::Occupancy] = Some(value(1));
                criteria[Criterion::GranularityL2] = Some(value(2));
                criteria[Criterion::Intensity] = Some(value(4));
                let quality = 1.0 * value(1) + 3.0 * value(2);
                let speed = (f64::from(primitive) + quality).exp();
                samples.push(Sample { primitive: format!("p{primitive}"), criteria, speed });
            }
        }
        let weights = fit(&samples);
        let ratio = weights[Criterion::GranularityL2] / weights[Criterion::Occupancy];
        assert!((ratio - 3.0).abs() < 0.2, "{weights:?}");
        assert!(weights[Criterion::Intensity] < 10.0, "{weights:?}");
        assert!(leave_one_out(&samples).mean > 0.98);
        assert!(judge(&samples, &Weights::published()).mean < leave_one_out(&samples).mean);
    }

    proptest! {
        /// No entry is negative, and the optimality conditions hold: at free entries the slope is 0, at bound ones it
        /// points outward.
        #[test]
        fn solutions_are_optimal(
            rows in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, 4), 4..12), seed in 0u64..1000
        ) {
            let targets: Vec<f64> = (0..rows.len()).map(|i| ((seed + 13 * i as u64) % 17) as f64 - 8.0).collect();
            let x = nnls(&rows, &targets);
            prop_assert!(x.iter().all(|&v| v >= 0.0));
            let residual: Vec<f64> = rows.iter().zip(&targets)
                .map(|(row, t)| t - row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>()).collect();
            for (column, &value) in x.iter().enumerate() {
                let slope: f64 = rows.iter().zip(&residual).map(|(row, r)| row[column] * r).sum();
                prop_assert!(slope < 1e-6, "column {column}: {slope}");
                if value > 1e-9 {
                    prop_assert!(slope.abs() < 1e-6, "column {column}: {slope}");
                }
            }
        }
    }
}
