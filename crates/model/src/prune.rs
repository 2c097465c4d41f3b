//! Pruning: how much of a grown tree is kept is decided on graphs that it was not grown from.
//!
//! Weakest-link pruning (Breiman et al., 1984): each split is worth what it reduces per leaf that it adds; the worst
//! is undone first. How far to go is read off trees grown without some of the graphs and judged on these: the
//! smallest tree that is within three thousandths of a run time of the best.

use crate::data::Data;
use crate::grow::{Criterion, Grown, Limits, grow};
use crate::sample;

/// How far a tree is pruned.
pub(crate) struct Pruning {
    /// Splits that are worth no more than this are undone.
    pub price: f64,
    /// For each row the candidate that a tree answers which has not seen the row's graph; empty without
    /// cross-validation.
    pub unseen: Vec<u16>,
}

/// The smallest tree this near to the best one is taken: in rows for Gini, in run times for regret.
const TOLERANCE: f64 = 0.003;

/// The price at which each split is undone, never less than that of the splits below it; negative infinity for leaves.
pub(crate) fn prices(grown: &Grown, scale: f64) -> Vec<f64> {
    let nodes = &grown.nodes;
    let risk: Vec<f64> = nodes.iter().map(|node| node.risk(grown.criterion) / scale).collect();
    let mut parent = vec![usize::MAX; nodes.len()];
    let (mut below, mut leaves) = (risk.clone(), vec![1usize; nodes.len()]);
    for at in (0..nodes.len()).rev() {
        if let Some(split) = &nodes[at].split {
            parent[split.left] = at;
            parent[split.right] = at;
            below[at] = below[split.left] + below[split.right];
            leaves[at] = leaves[split.left] + leaves[split.right];
        }
    }
    let mut price = vec![f64::NEG_INFINITY; nodes.len()];
    let mut open: Vec<usize> = (0..nodes.len()).filter(|&at| nodes[at].split.is_some()).collect();
    let mut paid: f64 = 0.0;
    while !open.is_empty() {
        let worth = |at: usize| (risk[at] - below[at]) / (leaves[at] - 1) as f64;
        let weakest = open.iter().map(|&at| worth(at)).fold(f64::INFINITY, f64::min);
        paid = paid.max(weakest);
        let at = *open.iter().find(|&&at| worth(at) <= weakest).unwrap_or(&open[0]);
        let (gained, lost) = (risk[at] - below[at], leaves[at] - 1);
        // All splits below go with it.
        let mut doomed = vec![at];
        while let Some(node) = doomed.pop() {
            if let Some(split) = &nodes[node].split
                && price[node] == f64::NEG_INFINITY
            {
                price[node] = paid;
                doomed.extend([split.left, split.right]);
            }
        }
        let mut up = at;
        while up != usize::MAX {
            below[up] += gained;
            leaves[up] -= lost;
            up = parent[up];
        }
        open.retain(|&at| price[at] == f64::NEG_INFINITY);
    }
    price
}

/// Chooses the price by cross-validation over the graphs; `folds` below 2, or fewer than 2 graphs, keep the whole tree.
pub(crate) fn choose(
    data: &Data,
    grown: &Grown,
    criterion: Criterion,
    limits: Limits,
    folds: usize,
    seed: u64,
) -> Pruning {
    let folds = folds.min(data.group_count);
    if folds < 2 {
        return Pruning { price: 0.0, unseen: Vec::new() };
    }
    let fold_of = sample::folds(data.group_count, folds, seed);
    let scale = |rows: usize| rows.max(1) as f64;

    // 1. A tree for each fold, grown without it.
    let parts: Vec<(Vec<u32>, Grown, Vec<f64>)> = (0..folds)
        .map(|fold| {
            let is_out = |row: &u32| fold_of[data.groups[*row as usize] as usize] == fold;
            let (out, within): (Vec<u32>, Vec<u32>) = (0..data.len() as u32).partition(is_out);
            let tree = grow(data, &within, criterion, limits);
            let price = prices(&tree, scale(within.len()));
            (out, tree, price)
        })
        .collect();

    // 2. What each degree of pruning costs on the graphs left out. Between two prices of the whole tree nothing
    //    changes there;
    // the geometric mean stands for the range.
    let mut steps: Vec<f64> =
        prices(grown, scale(data.len())).into_iter().filter(|price| *price > f64::NEG_INFINITY).collect();
    steps.push(0.0);
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let tried: Vec<f64> = steps
        .iter()
        .enumerate()
        .map(|(i, &price)| steps.get(i + 1).map_or(f64::INFINITY, |&next| (price * next).sqrt()))
        .collect();
    let answer = |tree: &Grown, price: &[f64], row: u32, tried: f64| {
        tree.nodes[tree.descend(data, row, |at| price[at] <= tried)].best(criterion)
    };
    let loss = |row: u32, class: u16| match criterion.is_by_cost() {
        true => data.costs(row)[usize::from(class)],
        false => f64::from(u8::from(data.labels[row as usize] != class)),
    };
    // On the way from the root a row stops at the first node whose price is paid: each node of the way answers for a
    // range of prices, and the loss changes only between these.
    let mut changes = vec![0.0; tried.len() + 1];
    for (out, tree, price) in &parts {
        for &row in out {
            let mut end = tried.len();
            let mut at = 0;
            loop {
                let start = tried.partition_point(|&tried| tried < price[at]);
                if start < end {
                    let lost = loss(row, tree.nodes[at].best(criterion));
                    changes[start] += lost;
                    changes[end] -= lost;
                    end = start;
                }
                let Some(split) = &tree.nodes[at].split else { break };
                let is_left = data.columns[split.feature][row as usize] <= split.threshold;
                at = if is_left { split.left } else { split.right };
            }
        }
    }
    let losses: Vec<f64> = changes[..tried.len()]
        .iter()
        .scan(0.0, |sum, change| {
            *sum += change;
            Some(*sum)
        })
        .collect();
    let unit = if criterion.is_by_cost() { data.variant_count } else { data.len() } as f64;
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let chosen = losses.iter().rposition(|&loss| loss <= best + TOLERANCE * unit).unwrap_or(0);

    // 3. What trees of this degree say about graphs they have not seen.
    let mut unseen = vec![0; data.len()];
    for (out, tree, price) in &parts {
        for &row in out {
            unseen[row as usize] = answer(tree, price, row, tried[chosen]);
        }
    }
    Pruning { price: steps[chosen], unseen }
}
