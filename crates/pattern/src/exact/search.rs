//! The order of query nodes and the search along it, without recursion: queries may be long.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ExactOptions;
use super::domain::Domains;
use crate::LabelledGraph;

/// The order of query nodes, with the earlier nodes that each must be checked against.
pub struct Plan {
    /// Query nodes in the order of the search.
    pub order: Vec<u32>,
    /// Per position: the earlier query nodes that are neighbours.
    linked: Vec<Vec<u32>>,
    /// Per position: the earlier query nodes that are no neighbours.
    apart: Vec<Vec<u32>>,
    /// Per position: all possible partners, where no earlier node is a neighbour.
    starts: Vec<Vec<u32>>,
}

impl Plan {
    /// Each next node has the most neighbours among the earlier ones, then the smallest domain, then the highest
    /// degree.
    pub fn new(query: &LabelledGraph, domains: &Domains) -> Plan {
        let nodes = query.nodes() as u32;
        let (mut order, mut links) = (Vec::new(), vec![0_usize; query.nodes()]);
        let mut taken = vec![false; query.nodes()];
        let (mut linked, mut apart, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..nodes {
            let rank = |&q: &u32| {
                let rarity = std::cmp::Reverse(domains.size(q));
                (links[q as usize], rarity, query.degree(q), std::cmp::Reverse(q))
            };
            let open = (0..nodes).filter(|&q| !taken[q as usize]);
            let Some(next) = open.max_by_key(rank) else { break };
            let (near, far): (Vec<u32>, Vec<u32>) = order.iter().partition(|&&earlier| query.has_edge(next, earlier));
            starts.push(if near.is_empty() { domains.members(next) } else { Vec::new() });
            linked.push(near);
            apart.push(far);
            taken[next as usize] = true;
            query.neighbours(next).iter().for_each(|&v| links[v as usize] += 1);
            order.push(next);
        }
        Plan { order, linked, apart, starts }
    }

    /// The possible partners of the first query node.
    pub fn roots(&self) -> &[u32] {
        self.starts.first().map_or(&[], Vec::as_slice)
    }
}

/// What one root gave.
pub struct FromRoot {
    pub matches: Vec<Vec<u32>>,
    pub steps: u64,
    pub is_complete: bool,
}

/// Memory for the matches of all roots that are searched at the same time.
pub struct Room {
    matches: AtomicU64,
    most: u64,
}

impl Room {
    /// Room for so many matches.
    pub fn new(most: u64) -> Room {
        Room { matches: AtomicU64::new(0), most }
    }

    /// Takes the place of one match, where there is one.
    fn take(&self) -> bool {
        self.matches.fetch_add(1, Ordering::Relaxed) < self.most
    }

    /// How many matches there is room for.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Says how many matches are kept, between two batches.
    pub fn set(&self, matches: usize) {
        self.matches.store(matches as u64, Ordering::Relaxed);
    }

    /// True when somebody found no place any more.
    pub fn is_full(&self) -> bool {
        self.matches.load(Ordering::Relaxed) > self.most
    }
}

/// A search, used for one root after the other.
pub struct Search<'a> {
    target: &'a LabelledGraph,
    domains: &'a Domains,
    plan: &'a Plan,
    options: &'a ExactOptions,
    room: &'a Room,
    /// Per query node: its partner on the current path.
    partners: Vec<u32>,
    /// Per target node: whether it is a partner on the current path. All are free between two searches.
    used: Vec<bool>,
    /// Per position of the current path: its candidates and which is next.
    path: Vec<(&'a [u32], usize)>,
}

impl<'a> Search<'a> {
    pub fn new(
        query: &'a LabelledGraph,
        target: &'a LabelledGraph,
        domains: &'a Domains,
        plan: &'a Plan,
        options: &'a ExactOptions,
        room: &'a Room,
    ) -> Search<'a> {
        let (partners, used) = (vec![0; query.nodes()], vec![false; target.nodes()]);
        Search { target, domains, plan, options, room, partners, used, path: Vec::new() }
    }

    /// All matches in which `root` is the partner of the first query node, as far as limits allow.
    pub fn search(&mut self, root: &'a u32) -> FromRoot {
        let mut found = FromRoot { matches: Vec::new(), steps: 0, is_complete: true };
        self.path.push((std::slice::from_ref(root), 0));
        while let Some(position) = self.path.len().checked_sub(1) {
            let q = self.plan.order[position];
            let (candidates, next) = &mut self.path[position];
            let Some(&t) = candidates.get(*next) else {
                // Back to the position before, whose partner is free again.
                self.path.pop();
                if let Some(before) = self.path.len().checked_sub(1) {
                    self.used[self.partners[self.plan.order[before] as usize] as usize] = false;
                }
                continue;
            };
            *next += 1;
            found.steps += 1;
            if found.steps > self.options.most_steps {
                found.is_complete = false;
                break;
            }
            if !self.fits(position, q, t) {
                continue;
            }
            self.partners[q as usize] = t;
            if position + 1 < self.plan.order.len() {
                self.used[t as usize] = true;
                let candidates = self.candidates(position + 1);
                self.path.push((candidates, 0));
                continue;
            }
            if !self.room.take() {
                found.is_complete = false;
                break;
            }
            found.matches.push(self.partners.clone());
            // One more than the limit shows that there are more.
            if found.matches.len() > self.options.limit {
                found.is_complete = false;
                break;
            }
        }
        // Only an early end leaves partners in use: those before the last position.
        for &q in &self.plan.order[..self.path.len().saturating_sub(1)] {
            self.used[self.partners[q as usize] as usize] = false;
        }
        self.path.clear();
        found
    }

    fn fits(&self, position: usize, q: u32, t: u32) -> bool {
        let linked = |earlier: &u32| self.target.has_edge(t, self.partners[*earlier as usize]);
        self.domains.has(q, t)
            && !self.used[t as usize]
            && self.plan.linked[position].iter().all(linked)
            && !(self.options.induced && self.plan.apart[position].iter().any(linked))
    }

    /// The candidates of a position: neighbours of the earlier partner that has the fewest.
    fn candidates(&self, position: usize) -> &'a [u32] {
        let partner = |q: &u32| self.partners[*q as usize];
        match self.plan.linked[position].iter().map(partner).min_by_key(|&t| self.target.degree(t)) {
            Some(fewest) => self.target.neighbours(fewest),
            None => &self.plan.starts[position],
        }
    }
}
