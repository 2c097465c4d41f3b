//! Growing a decision tree: CART, by Gini impurity or by what wrong choices cost.
//!
//! Why not a crate: those that are maintained (`linfa-trees`, `smartcore`) learn from one label per row, with one
//! weight per row at most. Here a row says what *every* candidate would cost, the leaves must tell ties apart from
//! winners, and pruning needs the sums of every node. That is more than the search for splits itself, which is short.
//!
//! Rows are sorted once per feature; a split keeps the order of both parts, so that a level of the tree costs a walk
//! over the rows per feature.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::Data;

/// What a split shall reduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// The Gini impurity of the labels: how often two rows of a leaf have different best candidates.
    Gini,
    /// The cost of giving all rows of a leaf the same candidate.
    Regret,
    /// The spread of what each candidate costs: rows come together in which all candidates cost alike, whichever is
    /// best.
    Spread,
}

impl Criterion {
    /// Whether rows are judged by what candidates cost, not by their labels.
    pub(crate) fn is_by_cost(self) -> bool {
        self != Criterion::Gini
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub max_depth: usize,
    pub min_rows: usize,
    /// Least gain of a split, as a share of the score of all rows.
    pub min_gain: f64,
}

/// How much the impurity, in the unit of cost, counts beside the regret. Regret alone sees no gain in a split both
/// sides of which want the same candidate, although a split behind it may gain much.
const IMPURITY_SHARE: f64 = 0.3;

/// A node with what its rows say.
pub(crate) struct Node {
    /// What each candidate loses in its rows.
    pub costs: Vec<f64>,
    /// The rows that each candidate is best in.
    pub counts: Vec<u32>,
    /// The summed weighted least time.
    pub least: f64,
    /// The summed stakes.
    pub stakes: f64,
    /// Its rows, as a range of [`Grown::members`].
    pub rows: std::ops::Range<usize>,
    pub split: Option<Split>,
}

pub(crate) struct Split {
    /// Place in [`Data::features`].
    pub feature: usize,
    pub threshold: f64,
    pub left: usize,
    pub right: usize,
    /// What the split reduces.
    pub gain: f64,
}

/// A tree as it was grown; the root is first, children come after their parent.
pub(crate) struct Grown {
    pub nodes: Vec<Node>,
    /// The rows, those of each node together.
    pub members: Vec<u32>,
    pub criterion: Criterion,
}

impl Node {
    /// The candidate that fits its rows best; of several the first.
    pub fn best(&self, criterion: Criterion) -> u16 {
        let best = match criterion.is_by_cost() {
            true => (0..self.costs.len()).min_by(|&a, &b| self.costs[a].total_cmp(&self.costs[b])),
            false => (0..self.counts.len()).max_by_key(|&c| (self.counts[c], std::cmp::Reverse(c))),
        };
        best.unwrap_or(0) as u16
    }

    /// What its best candidate loses: cost, or rows with another label.
    pub fn risk(&self, criterion: Criterion) -> f64 {
        let best = usize::from(self.best(criterion));
        match criterion.is_by_cost() {
            true => self.costs[best],
            false => f64::from(self.counts.iter().sum::<u32>() - self.counts[best]),
        }
    }
}

impl Grown {
    /// The leaf or the pruned node that a row comes to; `stops` tells at which nodes to stop.
    pub fn descend(&self, data: &Data, row: u32, stops: impl Fn(usize) -> bool) -> usize {
        let mut at = 0;
        while let Some(split) = &self.nodes[at].split {
            if stops(at) {
                break;
            }
            at = if data.columns[split.feature][row as usize] <= split.threshold { split.left } else { split.right };
        }
        at
    }
}

/// Grows a tree over these rows of the data, which must not be none.
pub(crate) fn grow(data: &Data, rows: &[u32], criterion: Criterion, limits: Limits) -> Grown {
    let mut orders: Vec<Vec<u32>> = data
        .columns
        .par_iter()
        .map(|column| {
            let mut order = rows.to_vec();
            order.sort_by(|&a, &b| column[a as usize].total_cmp(&column[b as usize]));
            order
        })
        .collect();
    // Without features there is still an order of the rows.
    let mut members = rows.to_vec();
    let mut goes_left = vec![false; data.len()];
    let mut nodes = vec![node(data, &members, 0..rows.len())];
    let floor = limits.min_gain * score(&nodes[0], criterion);
    let mut open = vec![(0, 0)];
    while let Some((at, depth)) = open.pop() {
        let range = nodes[at].rows.clone();
        let impure = nodes[at].risk(criterion) > 0.0;
        if depth >= limits.max_depth || range.len() < 2 * limits.min_rows.max(1) || !impure {
            continue;
        }
        let search = |feature: usize| {
            let order = &orders[feature][range.clone()];
            best_split(data, &data.columns[feature], order, &nodes[at], criterion, limits.min_rows.max(1))
                .map(|(gain, threshold)| (feature, gain, threshold))
        };
        let found: Vec<Option<(usize, f64, f64)>> = match range.len() < 512 {
            true => (0..orders.len()).map(search).collect(),
            false => (0..orders.len()).into_par_iter().map(search).collect(),
        };
        // Of equal gains the first feature of the list wins.
        let Some((feature, gain, threshold)) =
            found.into_iter().flatten().reduce(|best, next| if next.1 > best.1 { next } else { best })
        else {
            continue;
        };
        if gain < floor {
            continue;
        }
        for &row in &members[range.clone()] {
            goes_left[row as usize] = data.columns[feature][row as usize] <= threshold;
        }
        let middle = range.start + partition(&mut members[range.clone()], &goes_left);
        for order in &mut orders {
            partition(&mut order[range.clone()], &goes_left);
        }
        let (left, right) = (nodes.len(), nodes.len() + 1);
        nodes.push(node(data, &members, range.start..middle));
        nodes.push(node(data, &members, middle..range.end));
        nodes[at].split = Some(Split { feature, threshold, left, right, gain });
        open.extend([(right, depth + 1), (left, depth + 1)]);
    }
    Grown { nodes, members, criterion }
}

fn node(data: &Data, members: &[u32], rows: std::ops::Range<usize>) -> Node {
    let (mut costs, mut counts) = (vec![0.0; data.classes], vec![0; data.classes]);
    let (mut least, mut stakes) = (0.0, 0.0);
    for &row in &members[rows.clone()] {
        costs.iter_mut().zip(data.costs(row)).for_each(|(sum, cost)| *sum += cost);
        counts[usize::from(data.labels[row as usize])] += 1;
        least += data.least[row as usize];
        stakes += data.stakes[row as usize];
    }
    Node { costs, counts, least, stakes, rows, split: None }
}

/// What a split reduces: regret, or rows times impurity. Spread is judged by the regret that there is.
fn score(node: &Node, criterion: Criterion) -> f64 {
    if criterion.is_by_cost() {
        return node.risk(criterion);
    }
    let count = f64::from(node.counts.iter().sum::<u32>());
    count - node.counts.iter().map(|&c| f64::from(c).powi(2)).sum::<f64>() / count.max(1.0)
}

/// Keeps the order within both parts; the number of rows that go left.
fn partition(rows: &mut [u32], goes_left: &[bool]) -> usize {
    let right: Vec<u32> = rows.iter().copied().filter(|&row| !goes_left[row as usize]).collect();
    let mut left = 0;
    for i in 0..rows.len() {
        if goes_left[rows[i] as usize] {
            rows[left] = rows[i];
            left += 1;
        }
    }
    rows[left..].copy_from_slice(&right);
    left
}

/// Weighted labels of one side of a split, and the sum of their squares.
struct Labels {
    weights: Vec<f64>,
    squares: f64,
    sum: f64,
}

impl Labels {
    fn new(classes: usize) -> Labels {
        Labels { weights: vec![0.0; classes], squares: 0.0, sum: 0.0 }
    }

    fn add(&mut self, label: u16, weight: f64) {
        let entry = &mut self.weights[usize::from(label)];
        self.squares += weight * (2.0 * *entry + weight);
        *entry += weight;
        self.sum += weight;
    }

    /// Weight times impurity.
    fn impurity(&self) -> f64 {
        if self.sum > 0.0 { (self.sum - self.squares / self.sum).max(0.0) } else { 0.0 }
    }
}

/// The threshold with the greatest gain for rows sorted by one feature.
fn best_split(
    data: &Data,
    column: &[f64],
    order: &[u32],
    node: &Node,
    criterion: Criterion,
    min_rows: usize,
) -> Option<(f64, f64)> {
    let value = |place: usize| column[order[place] as usize];
    if value(0) == value(order.len() - 1) {
        return None;
    }
    let weight = |row: u32| if criterion.is_by_cost() { data.stakes[row as usize] } else { 1.0 };
    let (mut left, mut right) = (Labels::new(data.classes), Labels::new(data.classes));
    order.iter().for_each(|&row| right.add(data.labels[row as usize], weight(row)));
    let whole_impurity = right.impurity();
    let whole_risk = node.risk(Criterion::Regret);
    let mut costs = vec![0.0; data.classes];
    let mut best: Option<(f64, usize)> = None;
    for (place, &row) in order.iter().enumerate().take(order.len() - min_rows) {
        let label = data.labels[row as usize];
        left.add(label, weight(row));
        right.add(label, -weight(row));
        if criterion.is_by_cost() {
            costs.iter_mut().zip(data.costs(row)).for_each(|(sum, cost)| *sum += cost);
        }
        if place + 1 < min_rows || value(place) == value(place + 1) {
            continue;
        }
        let purer = whole_impurity - left.impurity() - right.impurity();
        let gain = match criterion {
            Criterion::Gini => purer,
            Criterion::Regret => {
                let (mut least_left, mut least_right) = (f64::INFINITY, f64::INFINITY);
                for (&cost, &all) in costs.iter().zip(&node.costs) {
                    least_left = least_left.min(cost);
                    least_right = least_right.min(all - cost);
                }
                whole_risk - least_left - least_right.max(0.0) + IMPURITY_SHARE * purer
            }
            // Costs in units of what is at stake in a row, weighted by that: the sum of squares that a split explains.
            Criterion::Spread => {
                let explained = |sum: f64, stakes: f64| if stakes > 0.0 { sum * sum / stakes } else { 0.0 };
                let split = costs.iter().zip(&node.costs).map(|(&cost, &all)| {
                    explained(cost, left.sum) + explained(all - cost, right.sum) - explained(all, node.stakes)
                });
                split.sum()
            }
        };
        if best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, place));
        }
    }
    best.map(|(gain, place)| (gain.max(0.0), threshold(value(place), value(place + 1))))
}

/// A number that is at least `low` and below `high`: halfway on a logarithmic scale, as most features are sizes and
/// shares, and with as few digits as will do.
fn threshold(low: f64, high: f64) -> f64 {
    let middle = if low > 0.0 { low.sqrt() * high.sqrt() } else { low + (high - low) / 2.0 };
    let fits = |number: f64| low <= number && number < high;
    let rounded = (1..17).filter_map(|digits| format!("{middle:.digits$e}").parse::<f64>().ok());
    rounded.into_iter().find(|&number| fits(number)).unwrap_or(if fits(middle) { middle } else { low })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn thresholds_separate(low in 0.0f64..1e9, step in 1e-12f64..1e3) {
            let high = low + step;
            prop_assume!(high > low);
            let found = threshold(low, high);
            prop_assert!(low <= found && found < high);
        }

        #[test]
        fn neighbours_are_separated(low in 0.0f64..1e9) {
            let high = low.next_up();
            let found = threshold(low, high);
            prop_assert!(low <= found && found < high);
        }
    }

    #[test]
    fn thresholds_are_short() {
        assert_eq!(threshold(1000.0, 100_000.0), 10_000.0);
        assert_eq!(threshold(0.0, 1.0), 0.5);
        assert_eq!(threshold(123.0, 456.0), 240.0);
    }
}
