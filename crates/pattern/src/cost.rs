//! The cost of a match (thesis, eq. 10.1): 0 for an exact occurrence, 1 when nothing fits.
//!
//! Unmatched query nodes cost 1 each, missing query edges cost 1 each, and a pair of nodes costs what its labels lack
//! in similarity. The sum is divided by the number of nodes and edges of the query, each undirected edge counted
//! once. (The printed formula has the last two terms inside the sum over pairs; its worked example shows that they
//! stand outside.)

use serde::Serialize;

use crate::similarity::Similarity;

/// What a match costs, by cause.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// The sum of `1 - S(q, t)` over the pairs.
    pub labels: f64,
    /// Query nodes without a partner.
    pub unmatched: usize,
    /// Query edges without an edge between the partners of their ends.
    pub missing_edges: usize,
    /// The whole cost over nodes and edges of the query, from 0 to 1.
    pub total: f64,
    /// The statistic that the released program prints instead: unequal labels, and ordered pairs of matched nodes that
    /// are neighbours in one graph only, over `n + n^2`. Edges of the target that the query lacks count here.
    pub induced: f64,
}

/// The cost of giving every query node `q` the partner `partners[q]`.
pub fn cost(similarity: &Similarity<'_>, partners: &[Option<u32>]) -> Cost {
    let (query, target) = (similarity.query(), similarity.target());
    let matched = |q: u32| partners[q as usize];
    let pairs = || (0..query.nodes() as u32).filter_map(|q| Some((q, matched(q)?)));
    let labels = pairs().map(|(q, t)| 1.0 - similarity.get(q, t)).sum::<f64>();
    let unmatched = partners.iter().filter(|t| t.is_none()).count();
    let kept = query.edge_list().filter(|&(u, v)| match (matched(u), matched(v)) {
        (Some(u), Some(v)) => target.has_edge(u, v),
        _ => false,
    });
    let kept = kept.count();
    let missing_edges = query.edges() - kept;
    let size = (query.nodes() + query.edges()).max(1) as f64;
    let total = (labels + (unmatched + missing_edges) as f64) / size;
    Cost { labels, unmatched, missing_edges, total, induced: induced(similarity, partners, kept) }
}

/// The released program's statistic: edges on one side only are all edges less twice those on both sides.
fn induced(similarity: &Similarity<'_>, partners: &[Option<u32>], kept: usize) -> f64 {
    let (query, target) = (similarity.query(), similarity.target());
    let pairs = || partners.iter().enumerate().filter_map(|(q, t)| Some((q as u32, (*t)?)));
    let wrong = pairs().filter(|&(q, t)| similarity.get(q, t) < 1.0).count();
    let mut image: Vec<u32> = partners.iter().flatten().copied().collect();
    image.sort_unstable();
    let is_image = |t: &&u32| image.binary_search(t).is_ok();
    let in_target: usize = image.iter().map(|&t| target.neighbours(t).iter().filter(is_image).count()).sum();
    let is_matched = |q: &&u32| partners[**q as usize].is_some();
    let in_query: usize = pairs().map(|(q, _)| query.neighbours(q).iter().filter(is_matched).count()).sum();
    let nodes = query.nodes();
    (wrong + in_target + in_query - 4 * kept) as f64 / (nodes + nodes * nodes).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LabelledGraph;

    /// One wrong label in a query of 5 nodes and 5 edges costs 0.1, as in the worked example of the thesis.
    #[test]
    fn the_worked_example() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];
        let query = LabelledGraph::new(vec![0, 1, 2, 3, 4], &edges).unwrap();
        let target = LabelledGraph::new(vec![0, 1, 2, 3, 9], &edges).unwrap();
        let similarity = Similarity::new(&query, &target, None).unwrap();
        let partners: Vec<_> = (0..5).map(Some).collect();
        let found = cost(&similarity, &partners);
        assert!((found.total - 0.1).abs() < 1e-12, "{found:?}");
        let without = [&partners[..4], &[None]].concat();
        // The last node and its two edges.
        assert!((cost(&similarity, &without).total - 0.3).abs() < 1e-12);
        assert_eq!(cost(&similarity, &[None; 5]).total, 1.0);
    }
}
