//! The order of query nodes and the search along it, without recursion: queries may be long.

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
}

impl Plan {
    /// Each next node has the most neighbours among the earlier ones, then the smallest domain, then the highest
    /// degree.
    pub fn new(query: &LabelledGraph, domains: &Domains) -> Plan {
        let nodes = query.nodes() as u32;
        let (mut order, mut links) = (Vec::new(), vec![0_usize; query.nodes()]);
        let mut taken = vec![false; query.nodes()];
        let (mut linked, mut apart) = (Vec::new(), Vec::new());
        for _ in 0..nodes {
            let rank = |&q: &u32| {
                let rarity = std::cmp::Reverse(domains.size(q));
                (links[q as usize], rarity, query.degree(q), std::cmp::Reverse(q))
            };
            let open = (0..nodes).filter(|&q| !taken[q as usize]);
            let Some(next) = open.max_by_key(rank) else { break };
            let (near, far) = order.iter().partition(|&&earlier| query.has_edge(next, earlier));
            linked.push(near);
            apart.push(far);
            taken[next as usize] = true;
            query.neighbours(next).iter().for_each(|&v| links[v as usize] += 1);
            order.push(next);
        }
        Plan { order, linked, apart }
    }
}

/// What one root gave.
pub struct FromRoot {
    pub matches: Vec<Vec<u32>>,
    pub steps: u64,
    pub is_complete: bool,
}

/// A search, used for one root after the other.
pub struct Search<'a> {
    query: &'a LabelledGraph,
    target: &'a LabelledGraph,
    domains: &'a Domains,
    plan: &'a Plan,
    options: &'a ExactOptions,
    /// Per query node: its partner on the current path.
    partners: Vec<u32>,
    used: Vec<bool>,
    /// Per position of the current path: where its candidates come from and which is next.
    path: Vec<(Candidates, usize)>,
}

/// Where the candidates of a position come from.
enum Candidates {
    /// The neighbours of a target node.
    Neighbours(u32),
    /// Any list, for the root and for further components of the query.
    List(Vec<u32>),
}

impl<'a> Search<'a> {
    pub fn new(
        query: &'a LabelledGraph,
        target: &'a LabelledGraph,
        domains: &'a Domains,
        plan: &'a Plan,
        options: &'a ExactOptions,
    ) -> Search<'a> {
        let (partners, used) = (vec![0; query.nodes()], vec![false; target.nodes()]);
        Search { query, target, domains, plan, options, partners, used, path: Vec::new() }
    }

    /// All matches in which `root` is the partner of the first query node, as far as limits allow.
    pub fn search(&mut self, root: u32) -> FromRoot {
        let mut found = FromRoot { matches: Vec::new(), steps: 0, is_complete: true };
        self.path.push((Candidates::List(vec![root]), 0));
        while let Some(position) = self.path.len().checked_sub(1) {
            let q = self.plan.order[position];
            let (candidates, next) = &mut self.path[position];
            let list: &[u32] = match candidates {
                Candidates::Neighbours(node) => self.target.neighbours(*node),
                Candidates::List(list) => list,
            };
            let Some(&t) = list.get(*next) else {
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
            found.matches.push(self.partners.clone());
            // One more than the limit shows that there are more.
            if found.matches.len() > self.options.limit {
                found.is_complete = false;
                break;
            }
        }
        self.path.clear();
        self.used.fill(false);
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
    fn candidates(&self, position: usize) -> Candidates {
        let partner = |q: &u32| self.partners[*q as usize];
        debug_assert!(self.plan.order.len() == self.query.nodes());
        match self.plan.linked[position].iter().map(partner).min_by_key(|&t| self.target.degree(t)) {
            Some(fewest) => Candidates::Neighbours(fewest),
            None => Candidates::List(self.domains.members(self.plan.order[position])),
        }
    }
}
