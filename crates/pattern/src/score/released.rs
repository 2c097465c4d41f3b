//! The scoring of the program that APPAGATO's authors released.
//!
//! A query node `q` knows the ordered label pairs of all edges that leave nodes nearer than `depth`. The
//! neighbourhood score of `(q, t)` sums, over the edges `(u, v)` that leave nodes nearer than `depth` to `t`, the
//! degree of `v` where `q` knows the label pair. The weight of the seed is `degree similarity x label similarity x
//! neighbourhood score`.
//!
//! The released program walks around every target node anew for every query node, which costs the sum of squared
//! degrees times the query's nodes. Here an edge's part of the score is summed once per start node `u` for 64 query
//! nodes at a time, and the score of `t` at depth 2 is the sum of those of `t` and its neighbours: two passes over
//! the edges. Scores are integers, so that their order of summation does not matter; the weights of seeds are summed
//! per target node and in the order of target nodes, so that they are the same for any number of threads. Only these
//! sums are kept, not the matrix: the row of a drawn target node is computed again.

use gw_graph::rng::Rng;
use rayon::prelude::*;

use super::bits::{BitRows, meet, ones, words};
use super::{DeviceScoring, Links, MISMATCH_FLOOR, Scoring, Seeds};
use crate::Result;
use crate::similarity::Similarity;

/// Query nodes whose scores are computed together.
const BLOCK: usize = 64;

/// Target nodes of one piece of parallel work.
const PIECE: usize = 256;

/// The released program's scoring.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Released;

impl Scoring for Released {
    fn name(&self) -> String {
        "released".to_owned()
    }

    fn seeds<'a>(&self, similarity: &Similarity<'a>, depth: usize) -> Result<Box<dyn Seeds + 'a>> {
        Ok(Box::new(ReleasedSeeds::new(NeighbourhoodScores::new(*similarity, depth))?))
    }

    fn floor(&self) -> f64 {
        MISMATCH_FLOOR
    }

    fn growth(&self, similarity: f64, links: Links) -> f64 {
        if links.query == 0 { 0.0 } else { similarity * links.common as f64 / links.query as f64 }
    }

    fn needs_common_link(&self) -> bool {
        true
    }

    fn on_device(&self) -> Option<DeviceScoring> {
        Some(DeviceScoring::Released)
    }
}

/// Neighbourhood scores of query nodes and target nodes: what phase 1 spends its time on.
pub struct NeighbourhoodScores<'a> {
    similarity: Similarity<'a>,
    depth: usize,
    known: Known,
}

/// Which query nodes know an edge of the target.
enum Known {
    /// By the two labels: the row of `first label * labels + second label` holds query nodes.
    ByLabel {
        /// Numbers of the labels that occur in the query, by label; `u32::MAX` for others.
        dense: Vec<u32>,
        labels: usize,
        nodes: BitRows,
    },
    /// By the query nodes that are similar to each end.
    BySimilarity {
        /// Per target node: the query nodes with a similarity above 0.
        similar: BitRows,
        /// Per query node: its neighbours.
        adjacent: BitRows,
        /// Per query node: the query nodes nearer than the depth.
        near: BitRows,
    },
}

/// Which query nodes know an edge, by its two labels.
#[cfg(feature = "cuda")]
pub(crate) struct ByLabel<'k> {
    /// Numbers of the labels that occur in the query, by label; `u32::MAX` for others.
    pub dense: &'k [u32],
    /// How many labels occur in the query.
    pub labels: usize,
    /// A row of words per pair of labels.
    pub rows: &'k [u64],
}

impl<'a> NeighbourhoodScores<'a> {
    /// The scores of a query and a target; neighbourhoods reach `depth` edges far, at least 1.
    pub fn new(similarity: Similarity<'a>, depth: usize) -> NeighbourhoodScores<'a> {
        let depth = depth.max(1);
        let query = similarity.query();
        let nodes = query.nodes();
        let mut near = BitRows::new(nodes, nodes);
        for q in 0..nodes as u32 {
            for u in ball(query, q, depth - 1) {
                near.set(u as usize, q as usize);
            }
        }
        let known = if similarity.has_matrix() {
            let target = similarity.target();
            let (mut similar, mut adjacent) = (BitRows::new(target.nodes(), nodes), BitRows::new(nodes, nodes));
            for q in 0..nodes as u32 {
                query.neighbours(q).iter().for_each(|&v| adjacent.set(q as usize, v as usize));
                for t in (0..target.nodes() as u32).filter(|&t| similarity.get(q, t) > 0.0) {
                    similar.set(t as usize, q as usize);
                }
            }
            Known::BySimilarity { similar, adjacent, near }
        } else {
            let highest =
                query.labels().iter().chain(similarity.target().labels()).max().map_or(0, |&l| l as usize + 1);
            let mut dense = vec![u32::MAX; highest];
            let mut labels = 0;
            for &label in query.labels() {
                if dense[label as usize] == u32::MAX {
                    dense[label as usize] = labels as u32;
                    labels += 1;
                }
            }
            let mut by_label = BitRows::new(labels * labels, nodes);
            for u in 0..nodes as u32 {
                for &v in query.neighbours(u) {
                    let [first, second] = [u, v].map(|node| dense[query.label(node) as usize] as usize);
                    let row = by_label.row_mut(first * labels + second);
                    row.iter_mut().zip(near.row(u as usize)).for_each(|(to, from)| *to |= from);
                }
            }
            Known::ByLabel { dense, labels, nodes: by_label }
        };
        NeighbourhoodScores { similarity, depth, known }
    }

    /// Which query nodes know an edge, by its two labels; `None` where a matrix says what is similar.
    #[cfg(feature = "cuda")]
    pub(crate) fn by_label(&self) -> Option<ByLabel<'_>> {
        match &self.known {
            Known::ByLabel { dense, labels, nodes } => Some(ByLabel { dense, labels: *labels, rows: nodes.all() }),
            Known::BySimilarity { .. } => None,
        }
    }

    /// Edges from a node that its neighbourhood reaches.
    #[cfg(feature = "cuda")]
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Blocks of query nodes.
    pub fn blocks(&self) -> usize {
        words(self.similarity.query().nodes())
    }

    /// The query nodes of a block.
    pub fn block(&self, block: usize) -> std::ops::Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(self.similarity.query().nodes())
    }

    /// The query nodes of a block that know an edge of the target.
    #[inline]
    fn knowing(&self, block: usize, u: u32, v: u32) -> u64 {
        match &self.known {
            Known::ByLabel { dense, labels, nodes } => {
                let target = self.similarity.target();
                let [first, second] = [u, v].map(|node| dense[target.label(node) as usize]);
                if first == u32::MAX || second == u32::MAX {
                    return 0;
                }
                nodes.row(first as usize * labels + second as usize)[block]
            }
            Known::BySimilarity { similar, adjacent, near } => ones(similar.row(u as usize))
                .filter(|&q| meet(adjacent.row(q), similar.row(v as usize)))
                .fold(0, |found, q| found | near.row(q)[block]),
        }
    }

    /// Adds the parts of the edges that leave `u` to the scores of a block's query nodes.
    fn add_edges(&self, block: usize, u: u32, scores: &mut [u32]) {
        let target = self.similarity.target();
        for &v in target.neighbours(u) {
            let mut knowing = self.knowing(block, u, v);
            let degree = target.degree(v) as u32;
            while knowing != 0 {
                let lane = knowing.trailing_zeros() as usize;
                scores[lane] = scores[lane].saturating_add(degree);
                knowing &= knowing - 1;
            }
        }
    }

    /// The scores of one target node with the query nodes of a block.
    pub fn row(&self, block: usize, t: u32) -> Vec<u32> {
        let mut scores = vec![0; self.block(block).len()];
        for u in ball(self.similarity.target(), t, self.depth - 1) {
            self.add_edges(block, u, &mut scores);
        }
        scores
    }

    /// The scores of all target nodes with the query nodes of a block: a row per target node.
    pub fn all(&self, block: usize) -> Result<Vec<u32>> {
        let target = self.similarity.target();
        let lanes = self.block(block).len();
        let bytes = 2 * target.nodes() as u64 * lanes as u64 * 4;
        gw_graph::memory::allow(bytes, "neighbourhood scores of all target nodes")?;
        let by_row = |fill: &(dyn Fn(u32, &mut [u32]) + Sync)| {
            let mut scores = vec![0_u32; target.nodes() * lanes];
            scores.par_chunks_mut(PIECE * lanes).enumerate().for_each(|(piece, rows)| {
                for (at, row) in rows.chunks_exact_mut(lanes).enumerate() {
                    fill((piece * PIECE + at) as u32, row);
                }
            });
            scores
        };
        if self.depth > 2 {
            // Nodes at distance 2 are reached on several ways: each must count once.
            return Ok(by_row(&|t, row| row.copy_from_slice(&self.row(block, t))));
        }
        let starts = by_row(&|u, row| self.add_edges(block, u, row));
        if self.depth == 1 {
            return Ok(starts);
        }
        let start = |u: u32| &starts[u as usize * lanes..(u as usize + 1) * lanes];
        Ok(by_row(&|t, row| {
            row.copy_from_slice(start(t));
            for &u in target.neighbours(t) {
                row.iter_mut().zip(start(u)).for_each(|(sum, part)| *sum = sum.saturating_add(*part));
            }
        }))
    }
}

/// The nodes at most `radius` edges from `from`, nearest first.
fn ball(graph: &crate::LabelledGraph, from: u32, radius: usize) -> Vec<u32> {
    let mut found = vec![from];
    let mut seen = rustc_hash::FxHashSet::from_iter([from]);
    let mut level = 0..1;
    for _ in 0..radius {
        if level.is_empty() {
            break;
        }
        for at in level.clone() {
            for &v in graph.neighbours(found[at]) {
                if seen.insert(v) {
                    found.push(v);
                }
            }
        }
        level = level.end..found.len();
    }
    found
}

/// The weights of seeds, summed.
struct ReleasedSeeds<'a> {
    scores: NeighbourhoodScores<'a>,
    /// For each block, then each target node: the sum of the weights up to and with this one.
    sums: Vec<f64>,
}

impl<'a> ReleasedSeeds<'a> {
    fn new(scores: NeighbourhoodScores<'a>) -> Result<ReleasedSeeds<'a>> {
        let target = scores.similarity.target();
        let mut sums = Vec::with_capacity(scores.blocks() * target.nodes());
        for block in 0..scores.blocks() {
            let lanes = scores.block(block).len();
            let all = scores.all(block)?;
            let weigh = |(t, row): (usize, &[u32])| weights(&scores.similarity, block, t as u32, row).sum::<f64>();
            sums.par_extend(all.par_chunks_exact(lanes).enumerate().with_min_len(PIECE).map(weigh));
        }
        let mut total = 0.0;
        for sum in &mut sums {
            total += *sum;
            *sum = total;
        }
        Ok(ReleasedSeeds { scores, sums })
    }

    fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }
}

/// The weights of the query nodes of a block with a target node, from their scores.
fn weights<'r>(
    similarity: &'r Similarity<'_>,
    block: usize,
    t: u32,
    scores: &'r [u32],
) -> impl Iterator<Item = f64> + 'r {
    scores.iter().enumerate().map(move |(lane, &score)| {
        if score == 0 {
            return 0.0;
        }
        let q = (block * BLOCK + lane) as u32;
        degree_similarity(similarity, q, t) * similarity.with_floor(q, t, MISMATCH_FLOOR) * f64::from(score)
    })
}

/// 1 for equal degrees, less the more they differ.
pub(crate) fn degree_similarity(similarity: &Similarity<'_>, q: u32, t: u32) -> f64 {
    let (a, b) = (similarity.query().degree(q), similarity.target().degree(t));
    if a == b { 1.0 } else { 1.0 - a.abs_diff(b) as f64 / a.max(b) as f64 }
}

impl Seeds for ReleasedSeeds<'_> {
    fn draw(&self, rng: &mut Rng) -> (u32, u32) {
        let (query, target) = (self.scores.similarity.query(), self.scores.similarity.target());
        if self.total() <= 0.0 {
            // Nothing resembles anything: all pairs are equally good.
            return (rng.below(query.nodes() as u64) as u32, rng.below(target.nodes() as u64) as u32);
        }
        let drawn = rng.unit() * self.total();
        let at = self.sums.partition_point(|&sum| sum <= drawn).min(self.sums.len() - 1);
        let (block, t) = (at / target.nodes(), (at % target.nodes()) as u32);
        let mut rest = drawn - if at == 0 { 0.0 } else { self.sums[at - 1] };
        let row = self.scores.row(block, t);
        let mut found = None;
        for (lane, weight) in weights(&self.scores.similarity, block, t, &row).enumerate() {
            if weight > 0.0 {
                found = Some(lane);
                if rest < weight {
                    break;
                }
                rest -= weight;
            }
        }
        // Rounding may leave a target node without weight drawn at the very border of its neighbour's interval.
        ((block * BLOCK + found.unwrap_or(0)) as u32, t)
    }

    fn probability(&self, query: u32, target: u32) -> f64 {
        let (block, lane) = (query as usize / BLOCK, query as usize % BLOCK);
        let row = self.scores.row(block, target);
        weights(&self.scores.similarity, block, target, &row).nth(lane).unwrap_or(0.0) / self.total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plant;
    use crate::similarity::Matrix;

    /// The definition, walked pair by pair: labels known to `q` against the edges around `t`.
    fn by_definition(similarity: &Similarity<'_>, depth: usize, q: u32, t: u32) -> u32 {
        let (query, target) = (similarity.query(), similarity.target());
        let edges = |graph: &crate::LabelledGraph, from: u32| -> Vec<(u32, u32)> {
            let near = ball(graph, from, depth - 1);
            near.iter().flat_map(|&u| graph.neighbours(u).iter().map(move |&v| (u, v))).collect()
        };
        let known = edges(query, q);
        let fits =
            |(u, v): (u32, u32)| known.iter().any(|&(a, b)| similarity.get(a, u) > 0.0 && similarity.get(b, v) > 0.0);
        edges(target, t).into_iter().filter(|&edge| fits(edge)).map(|(_, v)| target.degree(v) as u32).sum()
    }

    #[test]
    fn scores_follow_their_definition() {
        for (nodes, labels, with_matrix) in [(6, 3, false), (70, 4, false), (5, 9, true)] {
            let target = plant::random_graph(120, 400, labels, 3);
            let query = plant::connected_part(&target, nodes, 5).unwrap();
            let matrix =
                Matrix::new((0..nodes * 120).map(|i| if i % 3 == 0 { 0.5 } else { 0.0 }).collect(), target.nodes());
            let similarity = Similarity::new(&query, &target, with_matrix.then_some(&matrix)).unwrap();
            for depth in 1..4 {
                let scores = NeighbourhoodScores::new(similarity, depth);
                for block in 0..scores.blocks() {
                    let range = scores.block(block);
                    let all = scores.all(block).unwrap();
                    for t in (0..120).step_by(7) {
                        let row = &all[t * range.len()..(t + 1) * range.len()];
                        assert_eq!(row, scores.row(block, t as u32));
                        for (lane, q) in range.clone().enumerate() {
                            assert_eq!(row[lane], by_definition(&similarity, depth, q as u32, t as u32));
                        }
                    }
                }
            }
        }
    }
}
