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

use std::sync::Mutex;

use rayon::prelude::*;

use crate::report::{NamedMatch, Pair};
use crate::{LabelledGraph, PatternError, Result};
use domain::Domains;
use search::{FromRoot, Plan, Room, Search};

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
    let Some(domains) = Domains::new(query, target)? else {
        return Ok(found);
    };
    let plan = Plan::new(query, &domains);
    let roots = plan.roots();
    let room = Room::new(most_matches(query));
    // Searches are used again from batch to batch: each has a mark per target node.
    let idle = Mutex::new(Vec::new());
    let lent = || Lent::take(&idle, || Search::new(query, target, &domains, &plan, options, &room));
    // Batches grow, so that few roots are searched where few suffice, and all cores have work where many are needed.
    let (mut at, mut batch, mut is_over) = (0, rayon::current_num_threads(), options.limit == 0);
    // Whether there is one more match than the limit must not depend on how many roots a batch has.
    while at < roots.len() && !is_over {
        let part = &roots[at..(at + batch).min(roots.len())];
        let results: Vec<FromRoot> = part.par_iter().map_init(lent, |search, root| search.search(root)).collect();
        if room.is_full() {
            let each = bytes_of_match(query);
            return Err(PatternError::TooManyMatches { matches: room.most(), bytes: room.most().saturating_mul(each) });
        }
        let in_batch: usize = results.iter().map(|result| result.matches.len()).sum();
        for result in results {
            let wanted = options.limit - found.matches.len();
            is_over |= result.matches.len() > wanted;
            found.is_complete &= result.is_complete && result.matches.len() <= wanted;
            found.steps += result.steps;
            found.matches.extend(result.matches.into_iter().take(wanted));
        }
        room.set(found.matches.len());
        at += part.len();
        // Not many more matches than are wanted, as far as this batch can tell.
        let wanted = (options.limit - found.matches.len()).saturating_add(1);
        let expected = (wanted.saturating_mul(part.len()) / in_batch.max(1)).max(rayon::current_num_threads());
        batch = (2 * batch).min(4096).min(expected);
    }
    found.is_complete &= at >= roots.len();
    Ok(found)
}

/// Bytes that a match takes until it is told: as it is found, with its cost, and with names.
fn bytes_of_match(query: &LabelledGraph) -> u64 {
    let names = size_of::<Pair>() + 64;
    (size_of::<NamedMatch>() + query.nodes() * (size_of::<u32>() + size_of::<Option<u32>>() + names)) as u64
}

/// Matches for which there is memory.
fn most_matches(query: &LabelledGraph) -> u64 {
    // What everything else may still need.
    const RESERVE: u64 = 64 << 20;
    gw_graph::memory::room().map_or(u64::MAX, |room| room.bytes.saturating_sub(RESERVE) / bytes_of_match(query))
}

/// A search that goes back to the idle ones when nobody needs it any more.
struct Lent<'i, 'a> {
    idle: &'i Mutex<Vec<Search<'a>>>,
    search: Option<Search<'a>>,
}

impl<'i, 'a> Lent<'i, 'a> {
    fn take(idle: &'i Mutex<Vec<Search<'a>>>, new: impl FnOnce() -> Search<'a>) -> Lent<'i, 'a> {
        let search = idle.lock().ok().and_then(|mut idle| idle.pop());
        Lent { idle, search: Some(search.unwrap_or_else(new)) }
    }

    fn search(&mut self, root: &'a u32) -> FromRoot {
        match &mut self.search {
            Some(search) => search.search(root),
            None => FromRoot { matches: Vec::new(), steps: 0, is_complete: false },
        }
    }
}

impl Drop for Lent<'_, '_> {
    fn drop(&mut self) {
        if let (Ok(mut idle), Some(search)) = (self.idle.lock(), self.search.take()) {
            idle.push(search);
        }
    }
}
