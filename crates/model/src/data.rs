//! The rows that a tree learns from: one per step of each variant, with its features and what each candidate would
//! lose.
//!
//! A candidate that takes `t` seconds where the best takes `m` costs the row `(t - m) / opt(x) + w * (t - m) / mean
//! opt`, with `opt(x)` the optimal time of the row's variant and `mean opt` that of all training variants. Summed
//! over all rows and divided by the number of variants this is `(Avg - 1) + w * (Total - 1)` of the comparison, so
//! that a tree with little cost is good by both: `w` says how much Total counts.

use gw_lab::StepTable;
use gw_schedule::Feature;

use crate::error::{ModelError, Result};

/// The rows, column by column where a split looks for thresholds.
pub(crate) struct Data {
    /// What is looked at.
    pub features: Vec<Feature>,
    /// The values, by feature and row.
    pub columns: Vec<Vec<f64>>,
    /// How many candidates there are.
    pub classes: usize,
    /// What each candidate loses, by row and candidate.
    costs: Vec<f64>,
    /// The weighted least time of each row, in the unit of `costs`.
    pub least: Vec<f64>,
    /// The best candidate of each row.
    pub labels: Vec<u16>,
    /// What is at stake in each row: the mean cost of its candidates.
    pub stakes: Vec<f64>,
    /// The graph of each row, counted from 0 without gaps.
    pub groups: Vec<u32>,
    /// Number of graphs.
    pub group_count: usize,
    /// Variant and step of each row.
    pub places: Vec<(usize, usize)>,
    /// Number of variants with rows here.
    pub variant_count: usize,
}

/// The factor from seconds to cost for rows of each variant; zero for variants without rows.
pub(crate) fn weights(table: &StepTable, places: &[(usize, usize)], core: &[usize], total_weight: f64) -> Vec<f64> {
    let mut weights = vec![0.0; table.variants.len()];
    let mut optima = Vec::new();
    for &(variant, _) in places {
        if weights[variant] == 0.0 {
            // A variant that was not measured completely counts by the steps that were.
            let seconds: f64 =
                table.variants[variant].steps.iter().map(|s| least(&s.seconds, core)).filter(|s| s.is_finite()).sum();
            weights[variant] = seconds.max(f64::MIN_POSITIVE);
            optima.push(seconds);
        }
    }
    let mean = optima.iter().sum::<f64>() / optima.len().max(1) as f64;
    for weight in &mut weights {
        if *weight > 0.0 {
            *weight = 1.0 / *weight + total_weight / mean.max(f64::MIN_POSITIVE);
        }
    }
    weights
}

/// The least measured time of these implementations.
pub(crate) fn least(seconds: &[f64], implementations: &[usize]) -> f64 {
    implementations.iter().map(|&i| seconds[i]).fold(f64::NAN, f64::min)
}

impl Data {
    /// The rows at these places, with these implementations of the table as candidates.
    pub fn new(
        table: &StepTable,
        places: &[(usize, usize)],
        candidates: &[usize],
        weights: &[f64],
        features: &[Feature],
    ) -> Result<Data> {
        let mut data = Data {
            features: features.to_vec(),
            columns: vec![Vec::with_capacity(places.len()); features.len()],
            classes: candidates.len(),
            costs: Vec::with_capacity(places.len() * candidates.len()),
            least: Vec::with_capacity(places.len()),
            labels: Vec::with_capacity(places.len()),
            stakes: Vec::with_capacity(places.len()),
            groups: Vec::with_capacity(places.len()),
            group_count: 0,
            places: places.to_vec(),
            variant_count: 0,
        };
        let mut group_of = vec![None; table.graphs.len()];
        let mut seen = vec![false; table.variants.len()];
        for &(x, s) in places {
            let variant = &table.variants[x];
            let step = &variant.steps[s];
            for (column, &feature) in data.columns.iter_mut().zip(features) {
                let value = step.features[feature.index()];
                if value.is_nan() {
                    let graph = table.graphs[variant.graph].name.clone();
                    return Err(ModelError::MissingFeature { graph, feature });
                }
                column.push(value);
            }
            let measured = || candidates.iter().map(|&i| step.seconds[i]);
            let least = measured().fold(f64::NAN, f64::min);
            // What was not measured counts as the slowest that was: it is never preferred.
            let most = measured().fold(f64::NAN, f64::max);
            let start = data.costs.len();
            let weight = weights[x];
            data.costs.extend(measured().map(|t| weight * (if t.is_nan() { most } else { t } - least)));
            let row = &data.costs[start..];
            let label = measured().enumerate().filter(|(_, t)| !t.is_nan()).min_by(|a, b| a.1.total_cmp(&b.1));
            data.labels.push(label.map_or(0, |(class, _)| class as u16));
            data.stakes.push(row.iter().sum::<f64>() / row.len() as f64);
            data.least.push(weight * least);
            let group = *group_of[variant.graph].get_or_insert_with(|| {
                data.group_count += 1;
                data.group_count as u32 - 1
            });
            data.groups.push(group);
            data.variant_count += usize::from(!std::mem::replace(&mut seen[x], true));
        }
        Ok(data)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// What each candidate loses in a row.
    pub fn costs(&self, row: u32) -> &[f64] {
        &self.costs[row as usize * self.classes..][..self.classes]
    }

    /// Puts other costs in the place of those of each step alone: by row and candidate, only differences count.
    pub fn charge(&mut self, costs: &[f64]) {
        self.costs.copy_from_slice(costs);
        for (row, costs) in self.costs.chunks_mut(self.classes.max(1)).enumerate() {
            let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
            costs.iter_mut().for_each(|cost| *cost -= least);
            let label = costs.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            self.labels[row] = label.map_or(0, |(class, _)| class as u16);
            self.stakes[row] = costs.iter().sum::<f64>() / costs.len() as f64;
        }
    }

    /// What each candidate loses in all rows.
    pub fn cost_sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for row in 0..self.len() as u32 {
            sums.iter_mut().zip(self.costs(row)).for_each(|(sum, cost)| *sum += cost);
        }
        sums
    }
}
