//! Exact matching: all injective maps of the query into the target that keep labels and edges, by backtracking.
//!
//! 1. Each query node gets a domain: target nodes with its label, enough neighbours, and enough neighbours of every
//!    label; a target node also leaves a domain when it has no neighbour in the domain of some neighbour
//!    (`domain.rs`).
//! 2. Query nodes are put in an order in which each has as many earlier neighbours as possible, rarest domain first
//!    (after RI: Bonnici et al., BMC Bioinformatics 14, 2013).
//! 3. The search tries the neighbours of the earlier partner with the fewest neighbours, never all target nodes.
//!
//! Partners of the first query node are searched in parallel; the matches come in the same order for any number of
//! threads. Induced matching keeps non-edges as well.

mod domain;
mod search;

use rayon::prelude::*;

use crate::{LabelledGraph, PatternError, Result};
use domain::Domains;
use search::{Plan, Search};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactOptions {
    /// Non-edges of the query must be non-edges among the partners, too.
    pub induced: bool,
    /// Matches that are enough.
    pub limit: usize,
    /// Pairs tried per partner of the first query node before the search there is given up.
    pub most_steps: u64,
}

impl Default for ExactOptions {
    fn default() -> Self {
        ExactOptions { induced: false, limit: 100, most_steps: u64::MAX }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    /// The partner of every query node, match by match.
    pub matches: Vec<Vec<u32>>,
    /// Pairs tried.
    pub steps: u64,
    /// True when there are no other matches: neither the limit nor the number of steps ended the search.
    pub is_complete: bool,
}

/// Finds exact matches.
pub fn exact(query: &LabelledGraph, target: &LabelledGraph, options: &ExactOptions) -> Result<Exact> {
    if query.nodes() == 0 {
        return Err(PatternError::Argument("the query has no nodes".to_owned()));
    }
    let mut found = Exact { matches: Vec::new(), steps: 0, is_complete: true };
    let Some(domains) = Domains::new(query, target) else {
        return Ok(found);
    };
    let plan = Plan::new(query, &domains);
    let roots = domains.members(plan.order[0]);
    let search_root = |search: &mut Search<'_>, &root: &u32| search.search(root);
    // Batches grow, so that few roots are searched where few suffice, and all cores have work where many are needed.
    let (mut at, mut batch, mut is_over) = (0, rayon::current_num_threads(), options.limit == 0);
    // Whether there is one more match than the limit must not depend on how many roots a batch has.
    while at < roots.len() && !is_over {
        let part = &roots[at..(at + batch).min(roots.len())];
        let results: Vec<_> =
            part.par_iter().map_init(|| Search::new(query, target, &domains, &plan, options), search_root).collect();
        for result in results {
            let room = options.limit - found.matches.len();
            is_over |= result.matches.len() > room;
            found.is_complete &= result.is_complete && result.matches.len() <= room;
            found.steps += result.steps;
            found.matches.extend(result.matches.into_iter().take(room));
        }
        at += part.len();
        batch = (2 * batch).min(4096);
    }
    found.is_complete &= at >= roots.len();
    Ok(found)
}
