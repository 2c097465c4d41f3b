//! A random forest that predicts a number with its uncertainty: the surrogate of the search.
//!
//! Extremely randomised trees (Geurts, Ernst, Wehenkel, Machine Learning 63, 2006): every split takes the best of a few
//! random columns at a random threshold. The spread of the trees' answers is the uncertainty, as in SMAC (Hutter,
//! Hoos, Leyton-Brown, LION 2011). Why not a crate: those at hand predict no spread, and this is a page.

use gw_graph::rng::Rng;

/// How large the forest is.
const TREES: usize = 20;
const DEEPEST: usize = 14;
/// A node with fewer rows is a leaf.
const LEAST_ROWS: usize = 3;

/// Trees grown from rows of numbers.
#[derive(Debug, Clone)]
pub struct Forest {
    trees: Vec<Vec<Node>>,
}

#[derive(Debug, Clone, Copy)]
enum Node {
    Leaf { mean: f64 },
    Split { column: usize, threshold: f64, left: usize, right: usize },
}

/// What a forest expects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The mean of the trees.
    pub mean: f64,
    /// Their standard deviation.
    pub spread: f64,
}

impl Forest {
    /// Grows a forest; `None` without rows. All rows have the same number of columns.
    pub fn grow(rows: &[Vec<f64>], targets: &[f64], rng: &mut Rng) -> Option<Forest> {
        if rows.is_empty() || rows.len() != targets.len() {
            return None;
        }
        let grow_one = |rng: &mut Rng| {
            // Drawn with replacement, so that the trees differ where data is thin.
            let mut drawn: Vec<usize> = (0..rows.len()).map(|_| rng.below(rows.len() as u64) as usize).collect();
            let mut nodes = Vec::new();
            grow(rows, targets, &mut drawn, 0, &mut nodes, rng);
            nodes
        };
        Some(Forest { trees: (0..TREES).map(|_| grow_one(rng)).collect() })
    }

    /// What the forest expects of a row.
    pub fn expect(&self, row: &[f64]) -> Expected {
        let answers: Vec<f64> = self.trees.iter().map(|tree| answer(tree, row)).collect();
        let mean = answers.iter().sum::<f64>() / answers.len() as f64;
        let variance = answers.iter().map(|answer| (answer - mean).powi(2)).sum::<f64>() / answers.len() as f64;
        Expected { mean, spread: variance.sqrt() }
    }
}

/// Grows the subtree of some rows and returns its place.
fn grow(
    rows: &[Vec<f64>],
    targets: &[f64],
    members: &mut [usize],
    depth: usize,
    nodes: &mut Vec<Node>,
    rng: &mut Rng,
) -> usize {
    let place = nodes.len();
    let mean = members.iter().map(|&row| targets[row]).sum::<f64>() / members.len() as f64;
    nodes.push(Node::Leaf { mean });
    if members.len() < LEAST_ROWS || depth >= DEEPEST {
        return place;
    }
    let columns = rows[members[0]].len();
    let mut best: Option<(f64, usize, f64)> = None;
    for _ in 0..(columns / 2).max(4) {
        let column = rng.below(columns.max(1) as u64) as usize;
        let (low, high) = members
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), &row| (low.min(rows[row][column]), high.max(rows[row][column])));
        if low >= high {
            continue;
        }
        let threshold = low + (high - low) * rng.unit();
        let gain = gain(rows, targets, members, column, threshold);
        if best.is_none_or(|(most, ..)| gain > most) {
            best = Some((gain, column, threshold));
        }
    }
    let Some((gain, column, threshold)) = best else { return place };
    if gain <= 0.0 {
        return place;
    }
    members.sort_unstable_by(|&a, &b| rows[a][column].total_cmp(&rows[b][column]));
    let cut = members.partition_point(|&row| rows[row][column] <= threshold);
    let (below, above) = members.split_at_mut(cut);
    let left = grow(rows, targets, below, depth + 1, nodes, rng);
    let right = grow(rows, targets, above, depth + 1, nodes, rng);
    nodes[place] = Node::Split { column, threshold, left, right };
    place
}

/// By how much a split reduces the summed squares.
fn gain(rows: &[Vec<f64>], targets: &[f64], members: &[usize], column: usize, threshold: f64) -> f64 {
    let mut sums = [(0.0f64, 0.0f64); 2];
    for &row in members {
        let side = &mut sums[usize::from(rows[row][column] > threshold)];
        side.0 += 1.0;
        side.1 += targets[row];
    }
    let [(low, low_sum), (high, high_sum)] = sums;
    if low == 0.0 || high == 0.0 {
        return 0.0;
    }
    low_sum * low_sum / low + high_sum * high_sum / high - (low_sum + high_sum).powi(2) / (low + high)
}

fn answer(tree: &[Node], row: &[f64]) -> f64 {
    let mut at = 0;
    loop {
        match tree[at] {
            Node::Leaf { mean } => return mean,
            Node::Split { column, threshold, left, right } => at = if row[column] <= threshold { left } else { right },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forest_learns_an_interaction_and_knows_where_it_is_unsure() {
        let mut rng = Rng::new(1, 2);
        let truth = |row: &[f64]| if row[0] > 0.5 { 3.0 * row[1] } else { 1.0 };
        let rows: Vec<Vec<f64>> = (0..400).map(|_| (0..6).map(|_| rng.unit()).collect()).collect();
        let targets: Vec<f64> = rows.iter().map(|row| truth(row)).collect();
        let forest = Forest::grow(&rows, &targets, &mut rng).unwrap();
        let mut wrong = 0.0;
        for _ in 0..200 {
            let row: Vec<f64> = (0..6).map(|_| rng.unit()).collect();
            wrong += (forest.expect(&row).mean - truth(&row)).abs() / 200.0;
        }
        assert!(wrong < 0.2, "mean error {wrong}");
        let (flat, steep) = (forest.expect(&[0.1; 6]), forest.expect(&[0.52, 0.95, 0.5, 0.5, 0.5, 0.5]));
        assert!(flat.spread < steep.spread, "{flat:?} {steep:?}");
        assert!(Forest::grow(&[], &[], &mut rng).is_none());
    }
}
