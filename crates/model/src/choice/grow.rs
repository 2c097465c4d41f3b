//! Small regression trees for one candidate, each grown from graphs drawn with replacement.
//!
//! Graphs are drawn, not rows: rows of a graph say nearly the same, and the trees shall disagree where few graphs were
//! seen. A split is the one of a random part of the features that leaves the least squared error.

use gw_graph::rng::Rng;
use gw_learned::features::{COUNT, Features};
use gw_learned::tree::Tree;

/// How trees are grown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Trees per candidate.
    pub trees: usize,
    /// Questions in a row.
    pub depth: usize,
    /// Rows of a leaf at least.
    pub leaf: usize,
    /// The share of the features that a split looks at.
    pub share: f64,
}

/// What a tree learns from: features, cost, and the place of the graph.
pub type Example<'a> = (&'a Features, f64, usize);

/// Grows the trees of a candidate; none where there are too few examples.
pub fn forest(examples: &[Example<'_>], graphs: usize, shape: &Shape, rng: &mut Rng) -> Vec<Tree> {
    if examples.len() < 2 * shape.leaf {
        return Vec::new();
    }
    let mut by_graph: Vec<Vec<usize>> = vec![Vec::new(); graphs];
    examples.iter().enumerate().for_each(|(at, example)| by_graph[example.2].push(at));
    by_graph.retain(|rows| !rows.is_empty());
    let one = |_| {
        let drawn = (0..by_graph.len()).map(|_| rng.below(by_graph.len() as u64) as usize);
        let mut rows: Vec<usize> = drawn.flat_map(|graph| by_graph[graph].iter().copied()).collect();
        grow(examples, &mut rows, shape, 0, rng)
    };
    (0..shape.trees).map(one).collect()
}

fn grow(examples: &[Example<'_>], rows: &mut [usize], shape: &Shape, depth: usize, rng: &mut Rng) -> Tree {
    let mean = rows.iter().map(|&row| examples[row].1).sum::<f64>() / rows.len().max(1) as f64;
    let leaf = || Tree::Leaf(rounded(mean));
    if depth == shape.depth || rows.len() < 2 * shape.leaf {
        return leaf();
    }
    let mut best: Option<(f64, usize, f64)> = None;
    for feature in (0..COUNT).filter(|_| rng.unit() < shape.share).collect::<Vec<_>>() {
        rows.sort_by(|&a, &b| examples[a].0[feature].total_cmp(&examples[b].0[feature]));
        let value = |at: usize| examples[rows[at]].0[feature];
        let total: f64 = rows.iter().map(|&row| examples[row].1).sum();
        let mut left = 0.0;
        for at in 1..rows.len() {
            left += examples[rows[at - 1]].1;
            if value(at - 1) == value(at) || at < shape.leaf || rows.len() - at < shape.leaf {
                continue;
            }
            // The squared error falls by what the squares of the two sums bring.
            let (count, others) = (at as f64, (rows.len() - at) as f64);
            let gain = left * left / count + (total - left).powi(2) / others - total * total / (count + others);
            if best.is_none_or(|(known, ..)| gain > known + 1e-12) && gain > 1e-9 {
                best = Some((gain, feature, 0.5 * (value(at - 1) + value(at))));
            }
        }
    }
    let Some((_, feature, threshold)) = best else { return leaf() };
    let threshold = rounded(threshold);
    rows.sort_by(|&a, &b| examples[a].0[feature].total_cmp(&examples[b].0[feature]));
    let at = rows.partition_point(|&row| examples[row].0[feature] <= threshold);
    let (left, right) = rows.split_at_mut(at);
    if left.is_empty() || right.is_empty() {
        return leaf();
    }
    let sides = [grow(examples, left, shape, depth + 1, rng), grow(examples, right, shape, depth + 1, rng)];
    Tree::Split { feature, threshold, sides: Box::new(sides) }
}

/// Three digits behind the point: files stay short.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
