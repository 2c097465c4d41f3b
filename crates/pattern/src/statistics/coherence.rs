//! Do the target nodes of a match share terms more often than chance has it? (Thesis, section 10.4, after
//! GO::TermFinder.)

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{false_discovery_rates, hypergeometric_tail};
use crate::format::terms::Terms;

/// How coherent the terms of a match are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coherence {
    /// Terms of any target node of the match.
    pub terms: usize,
    /// The mean of their p-values after correction for their number.
    pub mean_p: f64,
    /// The smallest corrected p-value.
    pub least_p: f64,
}

/// The coherence of a match; `None` when no target node of the match has a term.
pub fn coherence(partners: &[Option<u32>], terms: &Terms) -> Option<Coherence> {
    let mut here: FxHashMap<u32, u64> = FxHashMap::default();
    let matched: Vec<u32> = partners.iter().flatten().copied().collect();
    matched.iter().flat_map(|&t| terms.of(t)).for_each(|&term| *here.entry(term).or_default() += 1);
    let mut counts: Vec<(u32, u64)> = here.into_iter().collect();
    counts.sort_unstable();
    let p_values: Vec<f64> = counts
        .iter()
        .map(|&(term, hits)| {
            hypergeometric_tail(terms.nodes() as u64, terms.nodes_with(term), matched.len() as u64, hits)
        })
        .collect();
    let rates = false_discovery_rates(&p_values);
    let least_p = rates.iter().copied().reduce(f64::min)?;
    Some(Coherence { terms: rates.len(), mean_p: rates.iter().sum::<f64>() / rates.len() as f64, least_p })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_rare_terms_are_coherent() {
        let of_node = (0..1000).map(|t| if t < 5 { vec![7] } else { vec![100 + t % 3] }).collect();
        let terms = Terms::new(of_node);
        let same = coherence(&[Some(0), Some(1), Some(2), None], &terms).unwrap();
        let mixed = coherence(&[Some(10), Some(11), Some(12)], &terms).unwrap();
        assert!(same.mean_p < 1e-6 && same.terms == 1, "{same:?}");
        assert!(mixed.mean_p > 0.5 && mixed.terms == 3, "{mixed:?}");
        assert_eq!(coherence(&[None], &terms), None);
    }
}
