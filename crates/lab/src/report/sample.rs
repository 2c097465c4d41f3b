//! Which variants, and the steps of which, fit into a page that opens at once.

use crate::StepTable;

/// Totals in a page, at most.
const TOTALS: usize = 150_000;
/// Times of steps in a page, at most.
const STEP_TIMES: usize = 120_000;
/// Bars of a variant, at most: neighbouring steps are summed up when there are more.
pub(super) const BARS: usize = 60;

/// A choice of variants.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// Places of the variants in the table.
    pub variants: Vec<usize>,
    /// Those of them whose steps are in the page.
    pub steps: Vec<usize>,
}

/// As many of the variants as fit, the first of each graph before the second of any. Steps of `wanted` come first.
pub(super) fn sample(table: &StepTable, variants: &[usize], wanted: &[usize]) -> Sample {
    let width = table.implementations.len().max(1);
    let order = in_turns(table, variants);
    let mut kept: Vec<usize> = order.iter().copied().take((TOTALS / width).max(1)).collect();
    let mut room = STEP_TIMES;
    let mut steps: Vec<usize> = Vec::new();
    for &variant in wanted.iter().chain(&order) {
        let size = table.variants[variant].steps.len().min(BARS) * width;
        if kept.contains(&variant) && !steps.contains(&variant) && size <= room {
            room -= size;
            steps.push(variant);
        }
    }
    kept.sort_unstable();
    steps.sort_unstable();
    Sample { variants: kept, steps }
}

/// The first variant of every graph, then the second of every graph, and so on.
fn in_turns(table: &StepTable, variants: &[usize]) -> Vec<usize> {
    let mut seen = vec![0usize; table.graphs.len()];
    let mut turns: Vec<(usize, usize)> = Vec::with_capacity(variants.len());
    for &variant in variants {
        let count = &mut seen[table.variants[variant].graph];
        turns.push((*count, variant));
        *count += 1;
    }
    turns.sort_unstable();
    turns.into_iter().map(|(_, variant)| variant).collect()
}

/// The first and last step of each bar of a variant with so many steps.
pub(super) fn bars(steps: usize) -> Vec<(usize, usize)> {
    let count = steps.min(BARS);
    (0..count).map(|bar| (bar * steps / count, (bar + 1) * steps / count - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Implementation, StepTimes, TableGraph, Variant};
    use gw_schedule::Feature;

    #[test]
    fn bars_cover_all_steps_once() {
        assert_eq!(bars(0), []);
        assert_eq!(bars(2), [(0, 0), (1, 1)]);
        for steps in [59, 60, 61, 100, 5_000] {
            let bars = bars(steps);
            assert_eq!((bars[0].0, bars[bars.len() - 1].1, bars.len()), (0, steps - 1, steps.min(BARS)));
            assert!(bars.windows(2).all(|pair| pair[1].0 == pair[0].1 + 1));
        }
    }

    #[test]
    fn every_graph_has_its_turn() {
        let graph = |id: i64| TableGraph {
            id,
            name: id.to_string(),
            dataset: String::new(),
            class: String::new(),
            vertices: 1,
            edges: 1,
        };
        let implementation = |id: i64| Implementation {
            id,
            name: id.to_string(),
            schedule: String::new(),
            target: String::new(),
            is_core: true,
        };
        let step = StepTimes { features: [0.0; Feature::COUNT], seconds: vec![1.0; 1_000] };
        let variant = |place: usize| Variant {
            id: 0,
            graph: place / 50,
            config: String::new(),
            totals: Vec::new(),
            steps: vec![step.clone(); 30],
        };
        let table = StepTable {
            implementations: (0..1_000).map(implementation).collect(),
            graphs: (0..4).map(graph).collect(),
            variants: (0..200).map(variant).collect(),
            ..StepTable::default()
        };
        let all: Vec<usize> = (0..200).collect();
        let sample = sample(&table, &all, &[3]);
        assert_eq!(sample.variants.len(), 150);
        assert!((0..4).all(|graph| sample.variants.iter().filter(|&&v| v / 50 == graph).count() >= 37));
        assert_eq!(sample.steps, [0, 3, 50, 100]);
    }
}
