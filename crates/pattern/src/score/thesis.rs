//! The scoring of the thesis: `P(q, t)` is the sum of label similarity, degree similarity and BFS similarity, divided
//! by the sum of its row (eq. 10.2 and 10.3), and a match grows by label similarity times agreement of connection
//! profiles (10.5).
//!
//! BFS similarity: a tree edge `(u, v)` into level `l` of the query's tree is matchable when the target's tree has an
//! edge `(u', v')` into the same level with similar labels and degrees that suffice. The similarity is the share of
//! matchable tree edges, those of level `l` counted `l` times. A "maximal set" of matchable edges is read as all of
//! them: a target edge may serve several query edges.

use gw_graph::rng::Rng;
use rayon::prelude::*;

use super::bits::{BitRows, ones};
use super::{DeviceScoring, Links, Scoring, Seeds};
use crate::similarity::Similarity;
use crate::{LabelledGraph, PatternError, Result};

/// Target nodes of one piece of parallel work.
const PIECE: usize = 64;

/// Which similarities are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Of labels.
    pub label: bool,
    /// Of degrees: 1 when the target node has enough neighbours.
    pub degree: bool,
    /// Of neighbourhoods.
    pub bfs: bool,
}

/// The scoring of the thesis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thesis {
    /// Which similarities are summed for seeds.
    pub terms: Terms,
    /// The similarity of unequal labels while a match grows; 0 in the thesis.
    pub floor: f64,
}

impl Default for Thesis {
    fn default() -> Self {
        Thesis { terms: Terms { label: true, degree: true, bfs: true }, floor: 0.0 }
    }
}

impl std::str::FromStr for Terms {
    type Err = PatternError;

    /// Names joined by `+`, such as `label+bfs`.
    fn from_str(text: &str) -> Result<Terms> {
        let mut terms = Terms { label: false, degree: false, bfs: false };
        for name in text.split('+') {
            match name {
                "label" => terms.label = true,
                "degree" => terms.degree = true,
                "bfs" => terms.bfs = true,
                _ => {
                    let message =
                        format!("`{name}` is no similarity of the thesis: label, degree and bfs are, joined by +");
                    return Err(PatternError::Argument(message));
                }
            }
        }
        Ok(terms)
    }
}

impl Scoring for Thesis {
    fn name(&self) -> String {
        let Terms { label, degree, bfs } = self.terms;
        let names: Vec<_> = [(label, "label"), (degree, "degree"), (bfs, "bfs")]
            .into_iter()
            .filter_map(|(is_used, name)| is_used.then_some(name))
            .collect();
        if names.len() == 3 { "thesis".to_owned() } else { format!("thesis:{}", names.join("+")) }
    }

    fn seeds<'a>(&self, similarity: &Similarity<'a>, depth: usize) -> Result<Box<dyn Seeds + 'a>> {
        Ok(Box::new(ThesisSeeds::new(*similarity, self.terms, depth.max(1))?))
    }

    fn floor(&self) -> f64 {
        self.floor
    }

    fn growth(&self, similarity: f64, links: Links) -> f64 {
        let differing = links.query + links.target - 2 * links.common;
        similarity * (links.pairs - differing) as f64 / links.pairs.max(1) as f64
    }

    fn needs_common_link(&self) -> bool {
        false
    }

    fn on_device(&self) -> Option<DeviceScoring> {
        Some(DeviceScoring::Thesis(*self))
    }
}

#[cfg(feature = "cuda")]
impl Thesis {
    /// The weights of all pairs as seeds, a row per query node, and the sum of each row.
    pub(crate) fn table(&self, similarity: Similarity<'_>, depth: usize) -> Result<(Vec<f32>, Vec<f64>)> {
        let ThesisSeeds { scores, sums, .. } = ThesisSeeds::new(similarity, self.terms, depth.max(1))?;
        Ok((scores, sums))
    }
}

/// The matrix of sums, and the sum of each row.
struct ThesisSeeds {
    /// A row per query node.
    scores: Vec<f32>,
    sums: Vec<f64>,
    targets: usize,
}

impl ThesisSeeds {
    fn new(similarity: Similarity<'_>, terms: Terms, depth: usize) -> Result<ThesisSeeds> {
        let (query, target) = (similarity.query(), similarity.target());
        let (queries, targets) = (query.nodes(), target.nodes());
        let bytes = 2 * queries as u64 * targets as u64 * 4;
        gw_graph::memory::allow(bytes, "the matrix of query nodes and target nodes")?;
        let trees = terms.bfs.then(|| Trees::new(&similarity, depth));
        let column = |t: u32| -> Vec<f32> {
            let bfs = trees.as_ref().map(|trees| trees.similarities(target, t));
            (0..queries)
                .map(|q| {
                    let label = if terms.label { similarity.get(q as u32, t) } else { 0.0 };
                    let enough = terms.degree && query.degree(q as u32) <= target.degree(t);
                    (label + f64::from(u8::from(enough)) + bfs.as_ref().map_or(0.0, |bfs| bfs[q])) as f32
                })
                .collect()
        };
        let columns: Vec<Vec<f32>> = (0..targets as u32).into_par_iter().with_min_len(PIECE).map(column).collect();
        let mut scores = vec![0.0; queries * targets];
        for (t, column) in columns.iter().enumerate() {
            for (q, &score) in column.iter().enumerate() {
                scores[q * targets + t] = score;
            }
        }
        let sums = scores.chunks(targets.max(1)).map(|row| row.iter().map(|&s| f64::from(s)).sum()).collect();
        Ok(ThesisSeeds { scores, sums, targets })
    }

    fn row(&self, q: u32) -> &[f32] {
        &self.scores[q as usize * self.targets..(q as usize + 1) * self.targets]
    }
}

impl Seeds for ThesisSeeds {
    /// Every row has the same weight: the query node is drawn evenly, then the target node from its row.
    fn draw(&self, rng: &mut Rng) -> (u32, u32) {
        let q = rng.below(self.sums.len() as u64) as u32;
        let sum = self.sums[q as usize];
        if sum <= 0.0 {
            return (q, rng.below(self.targets as u64) as u32);
        }
        let mut rest = rng.unit() * sum;
        let mut last = 0;
        for (t, &score) in self.row(q).iter().enumerate() {
            if score > 0.0 {
                last = t;
                rest -= f64::from(score);
                if rest < 0.0 {
                    break;
                }
            }
        }
        (q, last as u32)
    }

    fn probability(&self, query: u32, target: u32) -> f64 {
        f64::from(self.row(query)[target as usize]) / self.sums[query as usize] / self.sums.len() as f64
    }
}

/// The BFS trees of all query nodes.
struct Trees {
    depth: usize,
    /// Per query node: the edges of its tree with the level they lead to.
    edges: Vec<Vec<(usize, u32, u32)>>,
    /// Per target node: the query nodes with a similar label and not more neighbours.
    fitting: BitRows,
    /// Per query node: its neighbours.
    adjacent: BitRows,
    nodes: usize,
}

impl Trees {
    fn new(similarity: &Similarity<'_>, depth: usize) -> Trees {
        let (query, target) = (similarity.query(), similarity.target());
        let nodes = query.nodes();
        let mut adjacent = BitRows::new(nodes, nodes);
        query.edge_list().for_each(|(u, v)| {
            adjacent.set(u as usize, v as usize);
            adjacent.set(v as usize, u as usize);
        });
        let mut fitting = BitRows::new(target.nodes(), nodes);
        for t in 0..target.nodes() as u32 {
            let fits = |q: &u32| similarity.get(*q, t) != 0.0 && query.degree(*q) <= target.degree(t);
            (0..nodes as u32).filter(fits).for_each(|q| fitting.set(t as usize, q as usize));
        }
        let edges = (0..nodes as u32).map(|q| tree(query, q, depth)).collect();
        Trees { depth, edges, fitting, adjacent, nodes }
    }

    /// The BFS similarity of every query node with a target node.
    fn similarities(&self, target: &LabelledGraph, t: u32) -> Vec<f64> {
        // The query edges (u, v) that some tree edge of the target at a level can stand for: a row per level and u.
        let mut matchable = BitRows::new(self.depth * self.nodes, self.nodes);
        for (level, u, v) in tree(target, t, self.depth) {
            let ends = self.fitting.row(v as usize);
            for q in ones(self.fitting.row(u as usize)) {
                let row = matchable.row_mut((level - 1) * self.nodes + q);
                let partners = self.adjacent.row(q).iter().zip(ends).map(|(a, b)| a & b);
                row.iter_mut().zip(partners).for_each(|(to, from)| *to |= from);
            }
        }
        let similarity = |edges: &Vec<(usize, u32, u32)>| {
            let weight = |matched: bool| -> usize {
                edges
                    .iter()
                    .filter(|(level, u, v)| {
                        !matched || matchable.has((level - 1) * self.nodes + *u as usize, *v as usize)
                    })
                    .map(|(level, ..)| level)
                    .sum()
            };
            match weight(false) {
                0 => 0.0,
                all => weight(true) as f64 / all as f64,
            }
        };
        self.edges.iter().map(similarity).collect()
    }
}

/// The edges of the BFS tree of a node, with the level they lead to. The parent of a node is its first visited
/// neighbour.
fn tree(graph: &LabelledGraph, root: u32, depth: usize) -> Vec<(usize, u32, u32)> {
    let mut seen = rustc_hash::FxHashSet::from_iter([root]);
    let mut edges = Vec::new();
    let mut level = vec![root];
    for number in 1..=depth {
        let mut next = Vec::new();
        for &u in &level {
            for &v in graph.neighbours(u) {
                if seen.insert(v) {
                    edges.push((number, u, v));
                    next.push(v);
                }
            }
        }
        level = next;
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bfs_similarity_weighs_deeper_levels_more() {
        // Query: the path 0-1-2-3 of labels A B C D, seen from node 0 to depth 2: edges A-B (level 1) and B-C (level
        // 2).
        let query = LabelledGraph::new(vec![0, 1, 2, 3], &[(0, 1), (1, 2), (2, 3)]).unwrap();
        let target = LabelledGraph::new(vec![0, 1, 9, 0, 9, 2, 3], &[(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)]).unwrap();
        let similarity = Similarity::new(&query, &target, None).unwrap();
        let trees = Trees::new(&similarity, 2);
        // From target node 0 the edge A-B is there, B-C is not: 1 of 1 + 2.
        assert!((trees.similarities(&target, 0)[0] - 1.0 / 3.0).abs() < 1e-12);
        // From target node 6 (D) seen by query node 3 (D): D-C is there, C-B is not.
        assert!((trees.similarities(&target, 6)[3] - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(trees.similarities(&target, 2)[0], 0.0);
    }

    #[test]
    fn rows_of_the_matrix_are_probabilities() {
        let target = crate::plant::random_graph(80, 200, 5, 1);
        let query = crate::plant::connected_part(&target, 7, 2).unwrap();
        let similarity = Similarity::new(&query, &target, None).unwrap();
        let seeds = Thesis::default().seeds(&similarity, 2).unwrap();
        for q in 0..7 {
            let sum: f64 = (0..80).map(|t| seeds.probability(q, t)).sum();
            assert!((sum - 1.0 / 7.0).abs() < 1e-6, "{sum}");
        }
    }

    #[test]
    fn agreement_counts_edges_and_non_edges() {
        let links = Links { pairs: 4, query: 2, target: 2, common: 1 };
        assert_eq!(Thesis::default().growth(1.0, links), 0.5);
        assert_eq!(super::super::Released.growth(1.0, links), 0.5);
    }
}
