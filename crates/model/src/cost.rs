//! What a step should take: the seconds of a candidate as a sum of sizes with factors that are not negative.
//!
//! Least squares of the relative error, so that short steps count as much as long ones. There are six factors: all
//! sets of factors that are not zero are tried, which is exact and needs no iteration.

use gw_lab::StepTable;
use gw_schedule::{Cost, Feature, Features};

const N: usize = Cost::TERMS;

/// The sizes that the factors of a [`Cost`] belong to, from the features of a step.
pub(crate) fn terms(features: &Features) -> [f64; N] {
    let of = |feature: Feature| features[feature.index()];
    [
        1.0,
        of(Feature::Frontier),
        of(Feature::FrontierEdges),
        of(Feature::Vertices),
        of(Feature::Edges),
        of(Feature::UnexploredEdges),
    ]
}

/// The factors that explain the seconds of an implementation at these steps best.
pub(crate) fn fit(table: &StepTable, places: &[(usize, usize)], implementation: usize) -> Cost {
    // Normal equations of terms / seconds against 1.
    let (mut gram, mut right, mut count) = ([[0.0; N]; N], [0.0; N], 0usize);
    for &(variant, step) in places {
        let step = &table.variants[variant].steps[step];
        let seconds = step.seconds[implementation];
        let row = terms(&step.features).map(|term| term / seconds);
        if !row.iter().all(|term| term.is_finite()) {
            continue;
        }
        count += 1;
        for i in 0..N {
            right[i] += row[i];
            for j in 0..N {
                gram[i][j] += row[i] * row[j];
            }
        }
    }
    let mut best = (f64::INFINITY, [0.0; N]);
    for set in 1usize..1 << N {
        let members: Vec<usize> = (0..N).filter(|i| set >> i & 1 == 1).collect();
        let Some(factors) = solve(&gram, &right, &members) else { continue };
        // |Ax - 1|^2 = x'Gx - 2 x'r + n
        let error: f64 = count as f64
            + (0..N)
                .map(|i| factors[i] * ((0..N).map(|j| gram[i][j] * factors[j]).sum::<f64>() - 2.0 * right[i]))
                .sum::<f64>();
        if factors.iter().all(|&factor| factor >= 0.0) && error < best.0 {
            best = (error, factors);
        }
    }
    Cost(best.1)
}

/// Solves the equations for some unknowns, the others being zero; `None` when they depend on each other.
fn solve(gram: &[[f64; N]; N], right: &[f64; N], members: &[usize]) -> Option<[f64; N]> {
    let scale: Vec<f64> = members.iter().map(|&i| gram[i][i].sqrt()).collect();
    if scale.iter().any(|&s| s <= 0.0 || !s.is_finite()) {
        return None;
    }
    let n = members.len();
    // Cholesky of the matrix scaled to a diagonal of ones.
    let mut lower = [[0.0; N]; N];
    for i in 0..n {
        for j in 0..=i {
            let entry = gram[members[i]][members[j]] / (scale[i] * scale[j]);
            let rest = entry - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
            if i == j {
                if rest <= 1e-10 {
                    return None;
                }
                lower[i][i] = rest.sqrt();
            } else {
                lower[i][j] = rest / lower[j][j];
            }
        }
    }
    let mut x = [0.0; N];
    for i in 0..n {
        let known: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
        x[i] = (right[members[i]] / scale[i] - known) / lower[i][i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| lower[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / lower[i][i];
    }
    let mut factors = [0.0; N];
    for (i, &member) in members.iter().enumerate() {
        factors[member] = x[i] / scale[i];
    }
    Some(factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_lab::{Implementation, StepTimes, TableGraph, Variant};
    use gw_schedule::StepSizes;
    use proptest::prelude::*;

    /// Steps of many sizes with the seconds that a function says.
    fn table(seconds: impl Fn(&StepSizes) -> f64) -> StepTable {
        let mut random = crate::sample::Pcg::new(5, 9);
        let steps = (0..60).map(|_| {
            let mut step = StepSizes::first(100 + random.below(100_000) as u64, 1000 + random.below(1_000_000) as u64);
            step.frontier = 1 + random.below(step.vertices as usize) as u64;
            step.frontier_edges = 1 + random.below(step.edges as usize) as u64;
            step.explored_edges = random.below((step.edges - step.frontier_edges) as usize + 1) as u64;
            let mut features = [0.0; Feature::COUNT];
            step.fill(&mut features);
            assert_eq!(terms(&features), Cost::terms(&step));
            StepTimes { features, seconds: vec![seconds(&step)] }
        });
        let core =
            Implementation { id: 1, name: "a".into(), schedule: "push".into(), target: "cpu".into(), is_core: true };
        let graph =
            TableGraph { id: 1, name: "g".into(), dataset: "d".into(), class: "c".into(), vertices: 1, edges: 1 };
        let variant = Variant { id: 1, graph: 0, config: "x".into(), totals: vec![f64::NAN], steps: steps.collect() };
        StepTable { implementations: vec![core], graphs: vec![graph], variants: vec![variant], ..StepTable::default() }
    }

    fn places(table: &StepTable) -> Vec<(usize, usize)> {
        (0..table.variants[0].steps.len()).map(|s| (0, s)).collect()
    }

    #[test]
    fn what_shrinks_with_size_gets_no_negative_factor() {
        let table = table(|step| 1.0 / (1.0 + step.frontier as f64));
        let cost = fit(&table, &places(&table), 0);
        assert!(cost.0.iter().all(|&factor| factor >= 0.0), "{cost:?}");
    }

    #[test]
    fn nothing_measured_is_no_cost() {
        let table = table(|_| f64::NAN);
        assert_eq!(fit(&table, &places(&table), 0), Cost::default());
    }

    proptest! {
        #[test]
        fn known_factors_are_found(factors in proptest::array::uniform6(prop_oneof![Just(0.0), 1e-9f64..1e-6])) {
            prop_assume!(factors.iter().any(|&f| f > 0.0));
            let cost = Cost(factors);
            let table = table(|step| cost.seconds(step));
            let found = fit(&table, &places(&table), 0);
            let mut step = StepSizes::first(5000, 70_000);
            (step.frontier, step.frontier_edges) = (300, 9000);
            let (is, should) = (found.seconds(&step), cost.seconds(&step));
            prop_assert!((is - should).abs() <= 1e-4 * should, "{is} {should} {found:?}");
        }
    }
}
