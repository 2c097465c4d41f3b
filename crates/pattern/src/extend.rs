//! Phase 3: a seed grows into a match, pair by pair (thesis, section 10.3.3, "emulated Gibbs sampling").
//!
//! 1. A query node is drawn evenly from the unmatched neighbours of matched query nodes.
//! 2. Candidates are the unmatched neighbours of matched target nodes; each has a weight by the scoring.
//! 3. The partner is drawn by weight. Where all weights are 0, all candidates are equally likely.
//!
//! Where the target has no candidate, the query node stays without a partner. A further component of the query starts
//! at a node drawn evenly, with a target node drawn by similarity of label and degree.
//!
//! With a scoring that asks for a common link, only neighbours of the partners of the query node's neighbours are
//! looked at, which are far fewer than all candidates. The numbers drawn depend on the seed and the number of the
//! solution only.

use gw_graph::rng::Rng;

use crate::score::{Links, Scoring};
use crate::similarity::Similarity;

/// What a worker needs for growing matches, kept from match to match. Marks of earlier matches are told apart by the
/// number of the match they were made for, so that nothing has to be cleared.
pub struct Grower<'a> {
    similarity: Similarity<'a>,
    scoring: &'a dyn Scoring,
    round: u32,
    /// Per target node: the match in which it is used.
    used: Vec<u32>,
    /// Per target node: the match in which it became a candidate, and its matched neighbours so far.
    met: Vec<u32>,
    links: Vec<u32>,
    /// All candidates of this match, with those that were used since.
    frontier: Vec<u32>,
    /// Per target node: the step in which it was found as a candidate of the query node, and its common links.
    step: u64,
    found: Vec<u64>,
    common: Vec<u32>,
    candidates: Vec<u32>,
    weights: Vec<f64>,
}

impl<'a> Grower<'a> {
    /// A worker for a query and a target.
    pub fn new(similarity: Similarity<'a>, scoring: &'a dyn Scoring) -> Grower<'a> {
        let targets = similarity.target().nodes();
        Grower {
            similarity,
            scoring,
            round: 0,
            used: vec![0; targets],
            met: vec![0; targets],
            links: vec![0; targets],
            frontier: Vec::new(),
            step: 0,
            found: vec![0; targets],
            common: vec![0; targets],
            candidates: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Grows a match from a seed: the partner of every query node.
    pub fn grow(&mut self, seed: (u32, u32), rng: &mut Rng) -> Vec<Option<u32>> {
        let query = self.similarity.query();
        self.round += 1;
        self.frontier.clear();
        let mut partners: Vec<Option<u32>> = vec![None; query.nodes()];
        let mut open = Open::new(query.nodes());
        open.close(seed.0, query.neighbours(seed.0));
        self.pair(&mut partners, seed);
        while !open.is_done() {
            let (q, partner) = match open.draw(rng) {
                Some(q) => (q, self.partner(q, &partners, rng)),
                None => {
                    let q = open.draw_untouched(rng);
                    (q, self.fresh_partner(q, rng))
                }
            };
            open.close(q, query.neighbours(q));
            if let Some(t) = partner {
                self.pair(&mut partners, (q, t));
            }
        }
        partners
    }

    /// Gives every query node in turn, in an order drawn anew, the partner that costs least while all others keep
    /// theirs: the pair's label and its query edges. The cost of the match never rises. Returns whether a partner
    /// changed.
    pub fn improve(&mut self, partners: &mut [Option<u32>], rng: &mut Rng) -> bool {
        let query = self.similarity.query();
        let mut order: Vec<u32> = (0..query.nodes() as u32).collect();
        rng.shuffle(&mut order);
        let mut has_changed = false;
        for q in order {
            let old = partners[q as usize].take();
            if let Some(t) = old {
                self.used[t as usize] = 0;
            }
            let links = self.count_common(q, partners);
            let kept = |t: u32| if self.found[t as usize] == self.step { self.common[t as usize] } else { 0 };
            let cost = |t: u32| 1.0 - self.similarity.get(q, t) + f64::from(links - kept(t));
            let unmatched = 1.0 + f64::from(links);
            let mut best = (old.map_or(unmatched, cost), old);
            for &t in &self.candidates {
                if cost(t) < best.0 {
                    best = (cost(t), Some(t));
                }
            }
            has_changed |= best.1 != old;
            partners[q as usize] = best.1;
            if let Some(t) = best.1 {
                self.used[t as usize] = self.round;
            }
        }
        has_changed
    }

    /// Makes a pair.
    fn pair(&mut self, partners: &mut [Option<u32>], (q, t): (u32, u32)) {
        partners[q as usize] = Some(t);
        self.used[t as usize] = self.round;
        if self.scoring.needs_common_link() {
            return;
        }
        for &v in self.similarity.target().neighbours(t) {
            if self.met[v as usize] != self.round {
                self.met[v as usize] = self.round;
                self.links[v as usize] = 0;
                self.frontier.push(v);
            }
            self.links[v as usize] += 1;
        }
        let (used, round) = (&self.used, self.round);
        self.frontier.retain(|&v| used[v as usize] != round);
    }

    /// Draws the partner of a query node with matched neighbours.
    fn partner(&mut self, q: u32, partners: &[Option<u32>], rng: &mut Rng) -> Option<u32> {
        // 1. Common links of the neighbours of the partners of q's neighbours.
        let query_links = self.count_common(q, partners) as usize;
        // 2. The weights of the candidates.
        let needs_common_link = self.scoring.needs_common_link();
        let pairs = if needs_common_link { 0 } else { partners.iter().flatten().count() };
        let list = if needs_common_link { &self.candidates } else { &self.frontier };
        self.weights.clear();
        let mut sum = 0.0;
        for &t in list {
            let at = t as usize;
            let common = if self.found[at] == self.step { self.common[at] as usize } else { 0 };
            let seen = if needs_common_link { common } else { self.links[at] as usize };
            let links = Links { pairs, query: query_links, target: seen, common };
            sum += self.scoring.growth(self.similarity.with_floor(q, t, self.scoring.floor()), links);
            self.weights.push(sum);
        }
        // 3. The draw.
        if sum > 0.0 {
            let drawn = rng.unit() * sum;
            let at = self.weights.partition_point(|&sum| sum <= drawn).min(self.weights.len() - 1);
            return Some(list[at]);
        }
        self.any_candidate(partners, rng)
    }

    /// Finds the unmatched neighbours of the partners of a query node's neighbours as candidates, and counts the
    /// links of each. Returns the matched neighbours of the query node.
    fn count_common(&mut self, q: u32, partners: &[Option<u32>]) -> u32 {
        let (query, target) = (self.similarity.query(), self.similarity.target());
        self.step += 1;
        self.candidates.clear();
        let mut query_links = 0;
        for partner in query.neighbours(q).iter().filter_map(|&w| partners[w as usize]) {
            query_links += 1;
            for &t in target.neighbours(partner) {
                if self.used[t as usize] == self.round {
                    continue;
                }
                if self.found[t as usize] != self.step {
                    self.found[t as usize] = self.step;
                    self.common[t as usize] = 0;
                    self.candidates.push(t);
                }
                self.common[t as usize] += 1;
            }
        }
        query_links
    }

    /// Draws evenly from all unmatched neighbours of matched target nodes.
    fn any_candidate(&mut self, partners: &[Option<u32>], rng: &mut Rng) -> Option<u32> {
        self.step += 1;
        self.candidates.clear();
        for &matched in partners.iter().flatten() {
            for &t in self.similarity.target().neighbours(matched) {
                if self.used[t as usize] != self.round && self.found[t as usize] != self.step {
                    self.found[t as usize] = self.step;
                    self.candidates.push(t);
                }
            }
        }
        match self.candidates.len() as u64 {
            0 => None,
            candidates => Some(self.candidates[rng.below(candidates) as usize]),
        }
    }

    /// Draws the partner of a query node without matched neighbours, by labels and degrees.
    fn fresh_partner(&mut self, q: u32, rng: &mut Rng) -> Option<u32> {
        let target = self.similarity.target();
        self.candidates.clear();
        self.weights.clear();
        let mut sum = 0.0;
        for t in (0..target.nodes() as u32).filter(|&t| self.used[t as usize] != self.round) {
            let alike = crate::score::degree_similarity(&self.similarity, q, t);
            let label = self.similarity.with_floor(q, t, crate::score::MISMATCH_FLOOR);
            // A node without neighbours fits every node, though its degree is unlike theirs.
            let degree = if self.similarity.query().degree(q) == 0 { 1.0 } else { alike };
            sum += degree * label;
            self.candidates.push(t);
            self.weights.push(sum);
        }
        match self.candidates.len() {
            0 => None,
            count if sum <= 0.0 => Some(self.candidates[rng.below(count as u64) as usize]),
            count => {
                let drawn = rng.unit() * sum;
                Some(self.candidates[self.weights.partition_point(|&sum| sum <= drawn).min(count - 1)])
            }
        }
    }
}

/// The query nodes that have not been looked at yet.
struct Open {
    /// Neighbours of nodes that have been looked at.
    frontier: Vec<u32>,
    state: Vec<State>,
    left: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Untouched,
    Frontier,
    Closed,
}

impl Open {
    fn new(nodes: usize) -> Open {
        Open { frontier: Vec::new(), state: vec![State::Untouched; nodes], left: nodes }
    }

    fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Takes a node of the frontier, drawn evenly.
    fn draw(&mut self, rng: &mut Rng) -> Option<u32> {
        match self.frontier.len() as u64 {
            0 => None,
            nodes => Some(self.frontier.swap_remove(rng.below(nodes) as usize)),
        }
    }

    /// A node of a further component, drawn evenly.
    fn draw_untouched(&self, rng: &mut Rng) -> u32 {
        let mut untouched = (0..self.state.len() as u32).filter(|&q| self.state[q as usize] == State::Untouched);
        let drawn = rng.below(self.left as u64) as usize;
        untouched.nth(drawn).expect("without a frontier, all nodes left are untouched")
    }

    /// A node has been looked at: its neighbours follow.
    fn close(&mut self, q: u32, neighbours: &[u32]) {
        self.state[q as usize] = State::Closed;
        self.left -= 1;
        for &v in neighbours {
            if self.state[v as usize] == State::Untouched {
                self.state[v as usize] = State::Frontier;
                self.frontier.push(v);
            }
        }
    }
}
