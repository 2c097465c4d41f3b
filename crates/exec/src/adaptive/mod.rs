//! Adaptive schedules at run time: before every step a tree picks the candidate, by sizes of the frontier and of the
//! graph.
//!
//! Only what the tree looks at is worked out. What is known of the graph is decided once ([`Tree::narrowed`]). The
//! edges of a frontier are counted only where their number decides: often the size of the frontier and the greatest
//! degree bound it well enough, and where a search goes on as it did, whole runs of steps are decided at once
//! ([`SteadyPhase`]). The guard bounds bad luck: weak leaves and dear candidates give way to the safe one
//! ([`Tree::choose_by`]), and a candidate two of whose steps in a row took much longer than the safe one should is
//! not used again in the run.

mod per_graph;
mod steady;

pub use per_graph::{PerGraph, graph_features};

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gw_graph::{Graph, GraphId};
use gw_schedule::{Answer, ChosenBy, Cost, Feature, Guard, Leaf, StepSizes, Tree, TreeNode};

use per_graph::sizes_of;
use steady::{STEADY_AFTER, SteadyPhase};

/// A step may take this many times longer than expected of it and of the safe candidate: giving way to that one must
/// pay.
const LATE_FACTOR: f64 = 4.0;
/// One late step may be the fault of others on the machine.
const LATE_STEPS: u32 = 2;
/// And this much longer, whatever was expected: processors are shared, clocks are coarse.
const LATE_SLACK: Duration = Duration::from_micros(200);

/// What a tree needs to be chooser.
#[derive(Debug)]
pub(crate) struct StepChooser {
    tree: Arc<Tree>,
    needs_edges: bool,
    /// The answer of a tree that looks at nothing.
    pub(crate) constant: Option<usize>,
    /// Candidates that push: they visit the edges of their frontier, so that these need not be counted beforehand.
    pushes: Vec<bool>,
    /// What is left of the tree on a graph.
    narrowed: Mutex<PerGraph<Tree>>,
    /// Candidates that have run before, by number: the first time a machine may have to compile, so that step is not
    /// judged.
    used: AtomicU64,
}

impl StepChooser {
    pub(crate) fn new(tree: Arc<Tree>, pushes: Vec<bool>) -> StepChooser {
        let features = tree.features();
        let constant = match tree.nodes() {
            [TreeNode::Leaf(Leaf { candidates, weak: false })] if candidates.len() == 1 => {
                Some(usize::from(candidates[0]))
            }
            _ => None,
        };
        StepChooser {
            constant,
            needs_edges: features.iter().any(|f| f.needs_frontier_edges()),
            tree,
            pushes,
            narrowed: Mutex::default(),
            used: AtomicU64::new(0),
        }
    }

    /// What is left of the tree on a graph.
    fn on(&self, graph: &Arc<Graph>) -> Arc<Tree> {
        let narrow = |graph: &Graph| {
            let needs_degrees = self.tree.features().iter().any(|f| f.is_of_degrees());
            let known = if needs_degrees { graph_features(graph) } else { sizes_of(graph) };
            let left = self.tree.narrowed(|feature| feature.is_of_graph().then(|| known[feature.index()]));
            left.in_numbers(graph.vertices() as u64, graph.edges() as u64)
        };
        self.narrowed.lock().unwrap_or_else(PoisonError::into_inner).of(graph, narrow)
    }
}

/// The steps of one adaptive operator in a run.
#[derive(Debug)]
pub(crate) struct Steps {
    sizes: StepSizes,
    graph: GraphId,
    tree: Arc<Tree>,
    current: Option<usize>,
    /// When the step before began and what it was expected to take; nothing for the safe candidate.
    began: Option<(Instant, f64)>,
    /// Late steps in a row, by candidate.
    late: Vec<u32>,
    /// The edges of this step's frontier were not counted; there are at least and at most so many.
    bounded: Option<(u64, u64)>,
    /// Edges had to be counted although that was not foreseen.
    mispredicted: bool,
    foreseen: bool,
    /// Up to this size of the next frontier its edges were found not to decide.
    steady_size: u64,
    /// Steps that need not ask, and the first step at which such are looked for.
    steady: Option<SteadyPhase>,
    steady_from: u64,
    /// Edges per vertex of the graph.
    mean_degree: f64,
}

/// A candidate and why.
type Pick = (usize, ChosenBy);

impl Steps {
    pub(crate) fn new(chooser: &StepChooser, graph: &Arc<Graph>) -> Steps {
        Steps {
            sizes: StepSizes::first(graph.vertices() as u64, graph.edges() as u64),
            graph: graph.id(),
            tree: chooser.on(graph),
            current: None,
            began: None,
            late: Vec::new(),
            bounded: None,
            mispredicted: false,
            foreseen: true,
            steady_size: 0,
            steady: None,
            steady_from: STEADY_AFTER,
            mean_degree: graph.edges() as f64 / (graph.vertices() as f64).max(1.0),
        }
    }

    /// Whether these are the steps on this graph.
    pub(crate) fn are_on(&self, graph: &Arc<Graph>) -> bool {
        self.graph == graph.id()
    }

    /// What the tree and the guard say about a step of these sizes.
    fn pick(&self, chooser: &StepChooser, guard: bool, sizes: &StepSizes) -> Pick {
        self.pick_by(self.tree.decide(|feature| value(sizes, feature)), chooser, guard, sizes)
    }

    fn pick_by(&self, answer: Answer, chooser: &StepChooser, guard: bool, sizes: &StepSizes) -> Pick {
        let terms = chooser.needs_edges.then(|| Cost::terms(sizes));
        self.tree.choose_by(answer, terms.as_ref(), self.current, guard.then_some(&Guard::default()))
    }

    /// What they say if the frontier has between `least` and `most` edges, as far as that is all the same. Features
    /// and costs go one way with the edges: what holds for both bounds holds between.
    fn pick_between(
        &self,
        chooser: &StepChooser,
        guard: bool,
        sizes: &StepSizes,
        least: u64,
        most: u64,
    ) -> Option<Pick> {
        let with = |edges: u64| StepSizes { frontier_edges: edges, ..*sizes };
        let (low, high) = (with(least), with(most));
        let answer = self.tree.decide_between(|feature| {
            let at_least = value(&low, feature);
            (at_least, if feature.needs_frontier_edges() { value(&high, feature) } else { at_least })
        })?;
        let by_least = self.pick_by(answer, chooser, guard, &low);
        // The guard has nothing to say about the safe candidate.
        let is_safe = answer.candidate == Some(0);
        let by_most = if is_safe { by_least } else { self.pick_by(answer, chooser, guard, &high) };
        // What is left unexplored must be known later on.
        (by_least == by_most && chooser.pushes.get(by_least.0) == Some(&true)).then_some(by_least)
    }

    /// The candidate for the next step.
    pub(crate) fn choose(
        &mut self,
        chooser: &StepChooser,
        frontier: FrontierSizes<impl FnMut(Effort) -> Option<u64>>,
    ) -> Pick {
        let FrontierSizes { size, most_degree, mut count_edges, visited_before, guard } = frontier;
        // The clock is read only for candidates that can be late: reading it takes as long as choosing.
        let mut now = None;
        if let (Some((began, expected)), Some(current)) = (self.began.take(), self.current) {
            let bound = (LATE_FACTOR * expected).max(0.0) + LATE_SLACK.as_secs_f64();
            let taken = (*now.insert(Instant::now()) - began).as_secs_f64();
            if self.late.len() <= current {
                self.late.resize(current + 1, 0);
            }
            self.late[current] = if taken > bound { self.late[current] + 1 } else { 0 };
        }
        if self.current.is_some() {
            // A step that pushes visits the edges of its frontier.
            if let (Some((least, most)), Some(visited)) = (self.bounded.take(), visited_before) {
                self.sizes.frontier_edges = visited.clamp(least, most);
            }
            self.sizes = self.sizes.next();
        }
        self.sizes.frontier = size;
        if let (Some(steady), Some(most_degree)) = (&self.steady, most_degree)
            && steady.holds(&self.sizes)
        {
            let (pick, most) = (steady.pick, size.saturating_mul(most_degree));
            (self.sizes.frontier_edges, self.bounded) = (self.guess(size, most), Some((0, most)));
            return self.begin(chooser, guard, pick, now);
        }
        self.steady = None;
        if chooser.needs_edges
            && size <= FEW
            && let Some(edges) = count_edges(Effort::Few).filter(|&edges| edges <= SMALL)
        {
            self.sizes.frontier_edges = edges;
            self.current = Some(0);
            return (0, ChosenBy::Small);
        }
        let mut guess = 0;
        let within = most_degree.filter(|_| chooser.needs_edges).and_then(|most_degree| {
            let most = size.saturating_mul(most_degree);
            guess = self.guess(size, most);
            let between =
                |least, most| Some((self.pick_between(chooser, guard, &self.sizes, least, most)?, (least, most)));
            between(0, most).or_else(|| {
                if size <= MANY {
                    return None;
                }
                // A few members tell the mean degree of the others well enough, but one hub among these may be missed.
                guess = count_edges(Effort::Guess)?;
                between(guess / GUESS_FACTOR, most.min(guess.saturating_mul(GUESS_FACTOR).saturating_add(most_degree)))
            })
        });
        let pick = match within {
            Some((chosen, bounds)) => {
                self.sizes.frontier_edges = guess;
                self.bounded = Some(bounds);
                chosen
            }
            None => {
                self.mispredicted |= !self.foreseen;
                self.sizes.frontier_edges =
                    if chooser.needs_edges { count_edges(Effort::Count).unwrap_or(0) } else { 0 };
                self.pick(chooser, guard, &self.sizes)
            }
        };
        let (candidate, by) = self.begin(chooser, guard, pick, now);
        if let Some(most_degree) =
            most_degree.filter(|_| chooser.needs_edges && self.sizes.iteration >= self.steady_from)
        {
            self.steady_from = self.sizes.iteration + STEADY_AFTER;
            let steady =
                SteadyPhase::after(&self.sizes, &self.tree, most_degree, candidate, guard.then_some(&Guard::default()));
            // What is left unexplored must be known later on.
            self.steady = steady.filter(|steady| chooser.pushes.get(steady.pick.0) == Some(&true));
        }
        (candidate, by)
    }

    /// The edges of a frontier, as far as its size tells.
    fn guess(&self, size: u64, most: u64) -> u64 {
        most.min((size as f64 * self.mean_degree) as u64)
    }

    /// The step begins with this candidate, or with the safe one if that was late before.
    fn begin(
        &mut self,
        chooser: &StepChooser,
        guard: bool,
        (mut candidate, mut by): Pick,
        now: Option<Instant>,
    ) -> Pick {
        if self.late.get(candidate).is_some_and(|late| *late >= LATE_STEPS) {
            (candidate, by) = (0, ChosenBy::Time);
        }
        if guard && candidate != 0 && chooser.needs_edges {
            let bit = 1 << candidate.min(63);
            let is_known = chooser.used.load(Ordering::Relaxed) & bit != 0 || {
                chooser.used.fetch_or(bit, Ordering::Relaxed);
                false
            };
            let costs = chooser.tree.costs();
            if let (Some(own), Some(safe), true) = (costs.get(candidate), costs.first(), is_known) {
                let expected = own.seconds(&self.sizes).max(safe.seconds(&self.sizes));
                self.began = Some((now.unwrap_or_else(Instant::now), expected));
            }
        }
        self.current = Some(candidate);
        (candidate, by)
    }

    /// Whether the choice after this step may depend on the edges of its frontier, for machines that count them while
    /// they make it: for a small frontier even that takes a good part of the step.
    pub(crate) fn foresee_edges(&mut self, chooser: &StepChooser, most_degree: u64, guard: bool) -> bool {
        self.foreseen = chooser.needs_edges
            && (self.mispredicted || self.bounded.is_none() || {
                if self.steady.is_some_and(|steady| steady.goes_on_after(&self.sizes)) {
                    self.foreseen = false;
                    return false;
                }
                // A frontier may grow twice as fast as the last time.
                let growth = 2.0 * value(&self.sizes, Feature::Growth).max(1.0);
                let size = (self.sizes.frontier as f64 * growth) as u64;
                if size > self.steady_size {
                    let next = StepSizes { frontier: size, ..self.sizes.next() };
                    let picked = self.pick_between(chooser, guard, &next, 0, size.saturating_mul(most_degree));
                    // To look again at every step would take as long as to choose.
                    self.steady_size = if picked.is_some() { size } else { 0 };
                }
                self.steady_size == 0
            });
        self.foreseen
    }
}

/// A feature of a step. What is known of the graph was decided before.
fn value(sizes: &StepSizes, feature: Feature) -> f64 {
    sizes.feature(feature).unwrap_or(0.0)
}

/// What is known about a frontier before its step.
pub(crate) struct FrontierSizes<F> {
    /// Its vertices.
    pub(crate) size: u64,
    /// The greatest out-degree of the graph; `None` where the edges are known.
    pub(crate) most_degree: Option<u64>,
    /// Counts its edges; a guess is not always to be had.
    pub(crate) count_edges: F,
    /// Edges that the step before visited.
    pub(crate) visited_before: Option<u64>,
    /// Bad advice is not followed.
    pub(crate) guard: bool,
}

/// How well edges are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Only if a small step takes less time than a choice.
    Few,
    /// From a few vertices.
    Guess,
    /// As well as the machine can without taking as long as a step.
    Count,
}

/// So few vertices may make a small step: one with at most [`SMALL`] edges.
const FEW: u64 = 4;
/// To visit so many edges takes about as long as to choose.
const SMALL: u64 = 64;
/// To guess is quicker than to count if there are more than this.
const MANY: u64 = 256;
/// A guess may be wrong by this factor, and by one vertex of the greatest degree.
const GUESS_FACTOR: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use gw_graph::{BuildOptions, EdgeList, build};

    pub(super) fn star(symmetrise: bool) -> Arc<Graph> {
        let edges = EdgeList::from_pairs(5, vec![(0, 1), (0, 2), (0, 3), (0, 4)]);
        let options = BuildOptions { symmetrise, ..BuildOptions::default() };
        Arc::new(build(edges, &options).unwrap_or_else(|e| panic!("{e}")))
    }

    #[test]
    fn late_candidates_are_left_alone() {
        // Both candidates are expected to take no time at all.
        let tree: Tree = "(frontier-edges<=10?0:1);cost=0,0,0,0,0,0;cost=0,0,0,0,0,0".parse().unwrap();
        let chooser = StepChooser::new(Arc::new(tree), vec![true, false]);
        let graph = star(true);
        let sizes = |guard| FrontierSizes {
            size: 2,
            most_degree: None,
            count_edges: |effort| (effort == Effort::Count).then_some(20),
            visited_before: None,
            guard,
        };
        let mut steps = Steps::new(&chooser, &graph);
        assert_eq!(steps.choose(&chooser, sizes(true)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        // The first time it may have been compiled.
        assert_eq!(steps.choose(&chooser, sizes(true)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        // Once may be an accident.
        assert_eq!(steps.choose(&chooser, sizes(true)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        assert_eq!(steps.choose(&chooser, sizes(true)), (0, ChosenBy::Time));
        assert_eq!(steps.choose(&chooser, sizes(true)), (0, ChosenBy::Time));
        let mut steps = Steps::new(&chooser, &graph);
        assert_eq!(steps.choose(&chooser, sizes(false)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        assert_eq!(steps.choose(&chooser, sizes(false)), (1, ChosenBy::Leaf));
    }

    #[test]
    fn edges_are_counted_only_where_they_decide() {
        let tree: Tree = "(frontier-edges<=100?0:(unexplored-edges<=30?2:1))".parse().unwrap();
        let chooser = StepChooser::new(Arc::new(tree), vec![true, true, false]);
        let graph = star(true);
        let mut steps = Steps::new(&chooser, &graph);
        steps.sizes.edges = 1000;
        let mut step = |size: u64, most_degree: u64, guess: Option<u64>, exact: u64, visited: Option<u64>| {
            let mut efforts = Vec::new();
            let frontier = FrontierSizes {
                size,
                most_degree: Some(most_degree),
                count_edges: |effort| {
                    efforts.push(effort);
                    match effort {
                        Effort::Few => None,
                        Effort::Guess => guess,
                        Effort::Count => Some(exact),
                    }
                },
                visited_before: visited,
                guard: true,
            };
            (steps.choose(&chooser, frontier).0, efforts)
        };
        // At most 80 edges: whatever their number, it is below 100.
        assert_eq!(step(10, 8, None, 50, None), (0, vec![]));
        assert_eq!(step(20, 4, None, 70, Some(50)), (0, vec![]));
        // A guess may tell: three times 20 and a vertex of degree 8 are still below 100.
        assert_eq!(step(300, 8, Some(20), 60, Some(70)), (0, vec![Effort::Guess]));
        // Up to 2,400 edges decide, also through what is left.
        assert_eq!(step(300, 8, Some(300), 440, Some(60)), (1, vec![Effort::Guess, Effort::Count]));
        // 620 edges are behind: those visited count, not what was guessed. Few vertices are not worth a guess.
        assert_eq!(step(100, 8, None, 360, Some(440)), (2, vec![Effort::Count]));
    }

    #[test]
    fn steady_steps_do_not_count() {
        // The number of edges decides about each step alone.
        let tree: Tree = "(frontier-edges<=100?(frontier<=1?0:1):0);cost=1,0,0,0,0,0;cost=0,0,0,0,0,0".parse().unwrap();
        let chooser = StepChooser::new(Arc::new(tree), vec![true, true]);
        let mut steps = Steps::new(&chooser, &star(true));
        let mut step = |size: u64| {
            let mut counted = false;
            let count_edges = |effort| {
                counted |= effort == Effort::Count;
                (effort == Effort::Count).then_some(2 * size)
            };
            let visited_before = Some(1);
            let sizes = FrontierSizes { size, most_degree: Some(4), count_edges, visited_before, guard: false };
            let chosen = steps.choose(&chooser, sizes).0;
            (chosen, counted, steps.steady.is_some(), steps.foresee_edges(&chooser, 4, false))
        };
        for size in [4, 6, 8, 10] {
            assert_eq!(step(size), (1, false, false, false));
        }
        // At the fifth step it is seen that up to 24 vertices have at most 96 edges.
        assert_eq!(step(12), (1, false, true, false));
        assert_eq!(step(24), (1, false, true, false));
        // 30 vertices may have 120.
        assert_eq!(step(30), (1, true, false, true));
    }

    #[test]
    fn small_steps_are_not_chosen_for() {
        let choose = |tree: &str, size: u64, edges: u64| {
            let chooser = StepChooser::new(Arc::new(tree.parse().unwrap()), vec![true, false]);
            let count_edges = |_| Some(edges);
            let sizes = FrontierSizes { size, most_degree: None, count_edges, visited_before: None, guard: true };
            Steps::new(&chooser, &star(true)).choose(&chooser, sizes)
        };
        assert_eq!(choose("(frontier-edges<=1?0:1)", 3, 50), (0, ChosenBy::Small));
        assert_eq!(choose("(frontier-edges<=1?0:1)", 3, 500), (1, ChosenBy::Leaf));
        assert_eq!(choose("(frontier-edges<=1?0:1)", 30, 50), (1, ChosenBy::Leaf));
        // To count edges for this would be work.
        assert_eq!(choose("(iteration<=1?1:0)", 3, 50), (1, ChosenBy::Leaf));
    }

    #[test]
    fn edges_are_foreseen_where_the_next_choice_may_need_them() {
        let tree: Tree = "(vertices<=3?1:(frontier-edges<=100?0:1))".parse().unwrap();
        let chooser = StepChooser::new(Arc::new(tree), vec![true, false]);
        let mut steps = Steps::new(&chooser, &star(true));
        let mut step = |size: u64, exact: u64| {
            let count_edges = |effort| (effort == Effort::Count).then_some(exact);
            let sizes = FrontierSizes { size, most_degree: Some(4), count_edges, visited_before: None, guard: true };
            (steps.choose(&chooser, sizes).0, steps.foresee_edges(&chooser, 4, true))
        };
        // Twice as many vertices have at most 8 edges.
        assert_eq!(step(1, 4), (0, false));
        // 16 grew from 1: there may be 32 times as many, too many to tell.
        assert_eq!(step(16, 60), (0, true));
        // From 16 to 12: at most 24 with 96 edges come next.
        assert_eq!(step(12, 40), (0, false));
        // More than foreseen: from now on edges are counted, whatever is foreseen.
        assert_eq!(step(60, 150), (1, true));
        assert_eq!(step(1, 4), (0, true));
    }
}
