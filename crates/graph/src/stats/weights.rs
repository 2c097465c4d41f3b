//! Least, greatest and mean weight.

use serde::Serialize;

use crate::parallel;
use crate::{Weight, Weights, with_weights};

/// Spread of edge weights.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightSummary {
    /// Least weight.
    pub min: f64,
    /// Greatest weight.
    pub max: f64,
    /// Mean weight.
    pub mean: f64,
    /// Least and greatest weight of whole numbers of 64 bits, all digits.
    #[serde(skip)]
    pub whole: Option<(i64, i64)>,
}

impl WeightSummary {
    /// The summary, if there are weights.
    pub fn of(weights: &Weights) -> Option<Self> {
        let summary: WeightSummary = with_weights!(weights, none => None, w => summary(w))?;
        let whole = match weights {
            Weights::Int64(list) => list.iter().min().copied().zip(list.iter().max().copied()),
            _ => None,
        };
        Some(WeightSummary { whole, ..summary })
    }
}

/// Sums block by block in order: floats would otherwise add up differently from run to run.
fn summary<W: Weight>(weights: &[W]) -> Option<WeightSummary> {
    if weights.is_empty() {
        return None;
    }
    let blocks: Vec<(f64, f64, f64)> = parallel::pieces(weights.len(), 1 << 16, |block| {
        let start = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        weights[block].iter().map(|&w| w.real()).fold(start, |(min, max, sum), w| (min.min(w), max.max(w), sum + w))
    });
    let min = blocks.iter().map(|b| b.0).fold(f64::INFINITY, f64::min);
    let max = blocks.iter().map(|b| b.1).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = blocks.iter().map(|b| b.2).sum();
    Some(WeightSummary { min, max, mean: sum / weights.len() as f64, whole: None })
}
