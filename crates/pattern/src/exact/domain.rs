//! The target nodes that may be partners of each query node.

use rustc_hash::FxHashMap;

use crate::labels::LabelId;
use crate::{LabelledGraph, Result};

/// A set of target nodes per query node.
pub struct Domains {
    words: usize,
    bits: Vec<u64>,
    sizes: Vec<usize>,
}

impl Domains {
    /// The domains of all query nodes; `None` when one is empty, and there is no match.
    pub fn new(query: &LabelledGraph, target: &LabelledGraph) -> Result<Option<Domains>> {
        let words = target.nodes().div_ceil(64);
        let bytes = (8 * words as u64).saturating_mul(query.nodes() as u64);
        let (q, t) = (query.nodes(), target.nodes());
        gw_graph::memory::allow(bytes, format_args!("the table of {q} query nodes and {t} target nodes"))?;
        let mut domains = Domains { words, bits: vec![0; words * query.nodes()], sizes: vec![0; query.nodes()] };
        // 1. Label, degree, and labels around.
        let mut by_label: FxHashMap<LabelId, Vec<u32>> = FxHashMap::default();
        (0..target.nodes() as u32).for_each(|t| by_label.entry(target.label(t)).or_default().push(t));
        for q in 0..query.nodes() as u32 {
            let wanted = labels_around(query, q);
            let fits = |&&t: &&u32| target.degree(t) >= query.degree(q) && has_around(target, t, &wanted);
            let same = by_label.get(&query.label(q)).map_or(&[][..], Vec::as_slice);
            for &t in same.iter().filter(fits) {
                domains.bits[q as usize * words + t as usize / 64] |= 1 << (t % 64);
                domains.sizes[q as usize] += 1;
            }
            if domains.sizes[q as usize] == 0 {
                return Ok(None);
            }
        }
        // 2. Once over all nodes: a partner needs neighbours that may be partners of the neighbours.
        for q in 0..query.nodes() as u32 {
            for t in domains.members(q) {
                let supported = |&r: &u32| target.neighbours(t).iter().any(|&v| domains.has(r, v));
                if !query.neighbours(q).iter().all(supported) {
                    domains.bits[q as usize * words + t as usize / 64] &= !(1 << (t % 64));
                    domains.sizes[q as usize] -= 1;
                }
            }
            if domains.sizes[q as usize] == 0 {
                return Ok(None);
            }
        }
        Ok(Some(domains))
    }

    /// Whether a target node may be the partner of a query node.
    #[inline]
    pub fn has(&self, query: u32, target: u32) -> bool {
        self.bits[query as usize * self.words + target as usize / 64] >> (target % 64) & 1 == 1
    }

    /// How many target nodes may be partners.
    pub fn size(&self, query: u32) -> usize {
        self.sizes[query as usize]
    }

    /// The possible partners, ascending.
    pub fn members(&self, query: u32) -> Vec<u32> {
        let mut members = Vec::with_capacity(self.sizes[query as usize]);
        for (at, &word) in self.bits[query as usize * self.words..][..self.words].iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                members.push(64 * at as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        members
    }
}

/// How often each label stands on the neighbours of a node.
fn labels_around(graph: &LabelledGraph, node: u32) -> Vec<(LabelId, usize)> {
    let mut counts: FxHashMap<LabelId, usize> = FxHashMap::default();
    graph.neighbours(node).iter().for_each(|&v| *counts.entry(graph.label(v)).or_default() += 1);
    counts.into_iter().collect()
}

/// Whether every label stands on the neighbours of a node at least as often as wanted.
fn has_around(graph: &LabelledGraph, node: u32, wanted: &[(LabelId, usize)]) -> bool {
    let count = |label| graph.neighbours(node).iter().filter(|&&v| graph.label(v) == label).count();
    wanted.iter().all(|&(label, times)| count(label) >= times)
}
