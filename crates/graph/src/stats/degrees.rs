//! Summaries of degrees, exact, from the count of vertices per degree.

use serde::Serialize;

use crate::Graph;
use crate::parallel;

/// The degrees of a graph: out, in, and both together.
#[derive(Debug, Clone, PartialEq)]
pub struct Degrees {
    /// Out-degrees.
    pub out_degree: DegreeSummary,
    /// In-degrees.
    pub in_degree: DegreeSummary,
    /// Total degrees: the out-degree in a symmetric graph, in + out otherwise.
    pub degree: DegreeSummary,
}

impl Degrees {
    /// A walk over the offsets. A directed graph builds (and keeps) its in-adjacency.
    pub fn of(graph: &Graph) -> Degrees {
        Degrees::with_counts(graph).0
    }

    /// Also tells how many vertices there are of each total degree.
    pub(super) fn with_counts(graph: &Graph) -> (Degrees, Counts) {
        let count = |degree: &(dyn Fn(u32) -> usize + Sync)| counts(graph.vertices(), degree);
        let outgoing = count(&|v| graph.out().degree(v));
        let out_degree = DegreeSummary::of(&outgoing);
        if graph.is_symmetric() {
            return (Degrees { in_degree: out_degree.clone(), degree: out_degree.clone(), out_degree }, outgoing);
        }
        let in_degree = DegreeSummary::of(&count(&|v| graph.incoming().degree(v)));
        let both = count(&|v| graph.out().degree(v) + graph.incoming().degree(v));
        (Degrees { out_degree, in_degree, degree: DegreeSummary::of(&both) }, both)
    }
}

/// Spread of the degrees of a graph. Quartiles interpolate between neighbours in the sorted order, as NumPy's default
/// does; the standard deviation is that of the whole population.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DegreeSummary {
    /// Least degree.
    pub min: u64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Greatest degree.
    pub max: u64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub std_dev: f64,
    /// Gini coefficient: 0 when all degrees are equal, near 1 when few vertices have all edges.
    pub gini: f64,
}

/// (degree, vertices of that degree) for every degree that occurs, ascending.
pub(super) type Counts = Vec<(u64, u64)>;

/// Counts vertices per degree.
pub(super) fn counts(vertices: usize, degree: &(dyn Fn(u32) -> usize + Sync)) -> Counts {
    // Degrees below this are counted in an array, the few above are sorted.
    const DENSE: usize = 1 << 14;
    let piece = vertices.div_ceil(4 * rayon::current_num_threads()).max(1 << 14);
    let parts = parallel::pieces(vertices, piece, |range| {
        let (mut dense, mut large) = (vec![0u64; DENSE], Vec::new());
        for v in range {
            let degree = degree(v as u32);
            match dense.get_mut(degree) {
                Some(count) => *count += 1,
                None => large.push(degree as u64),
            }
        }
        (dense, large)
    });
    let (mut dense, mut large) = (vec![0u64; DENSE], Vec::new());
    for (counts, more) in parts {
        dense.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        large.extend(more);
    }
    large.sort_unstable();
    let small = (0..).zip(dense).filter(|&(_, count)| count > 0);
    let runs = large.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
    small.chain(runs).collect()
}

impl DegreeSummary {
    /// The out-degrees of a graph, by a walk over the offsets.
    pub fn of_out_edges(graph: &Graph) -> DegreeSummary {
        DegreeSummary::of(&counts(graph.vertices(), &|v| graph.out().degree(v)))
    }

    pub(super) fn of(counts: &Counts) -> Self {
        let n: u64 = counts.iter().map(|c| c.1).sum();
        let sum: u128 = counts.iter().map(|&(d, c)| u128::from(d) * u128::from(c)).sum();
        if n == 0 {
            return DegreeSummary { min: 0, q1: 0.0, median: 0.0, q3: 0.0, max: 0, mean: 0.0, std_dev: 0.0, gini: 0.0 };
        }
        let mean = sum as f64 / n as f64;
        let variance = counts.iter().map(|&(d, c)| (d as f64 - mean).powi(2) * c as f64).sum::<f64>() / n as f64;
        let quantile = |q: f64| {
            let place = q * (n - 1) as f64;
            let below = nth(counts, place.floor() as u64) as f64;
            let above = nth(counts, place.ceil() as u64) as f64;
            below + (above - below) * place.fract()
        };
        DegreeSummary {
            min: counts.first().map_or(0, |c| c.0),
            q1: quantile(0.25),
            median: quantile(0.5),
            q3: quantile(0.75),
            max: counts.last().map_or(0, |c| c.0),
            mean,
            std_dev: variance.sqrt(),
            gini: gini(counts, n, sum),
        }
    }
}

/// The degree at 0-based `rank` of the sorted order.
fn nth(counts: &Counts, rank: u64) -> u64 {
    let mut passed = 0;
    for &(degree, count) in counts {
        passed += count;
        if passed > rank {
            return degree;
        }
    }
    counts.last().map_or(0, |c| c.0)
}

/// 2 Σ i x_i / (n Σ x) - (n + 1) / n over ascending x with ranks i from 1; equal degrees share the mean of their ranks.
fn gini(counts: &Counts, n: u64, sum: u128) -> f64 {
    if sum == 0 {
        return 0.0;
    }
    let (n, sum) = (n as f64, sum as f64);
    let mut passed = 0.0;
    let mut weighted = 0.0;
    for &(degree, count) in counts {
        let count = count as f64;
        weighted += degree as f64 * count * (passed + (count + 1.0) / 2.0);
        passed += count;
    }
    (2.0 * weighted / (n * sum) - (n + 1.0) / n).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(degrees: &[u64]) -> DegreeSummary {
        DegreeSummary::of(&counts(degrees.len(), &|v| degrees[v as usize] as usize))
    }

    #[test]
    fn gini_of_known_cases() {
        assert_eq!(summary(&[4; 50]).gini, 0.0);
        assert_eq!(summary(&[0, 0, 0]).gini, 0.0);
        // One vertex has everything: (n - 1) / n.
        assert!((summary(&[0, 0, 0, 9]).gini - 0.75).abs() < 1e-12);
        // 1, 2, 3: mean absolute difference 8/9 over twice the mean 2.
        assert!((summary(&[3, 1, 2]).gini - 2.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn quartiles_interpolate() {
        let s = summary(&[4, 1, 3, 2]);
        assert_eq!((s.min, s.q1, s.median, s.q3, s.max), (1, 1.75, 2.5, 3.25, 4));
        assert!((s.std_dev - 1.25f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn large_degrees_are_counted_too() {
        let s = summary(&[1_000_000, 5, 5, 1_000_000, 70_000]);
        assert_eq!((s.min, s.median, s.max), (5, 70_000.0, 1_000_000));
    }

    #[test]
    fn nobody_has_no_degrees() {
        assert_eq!(summary(&[]).mean, 0.0);
    }
}
