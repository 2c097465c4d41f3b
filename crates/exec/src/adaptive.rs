//! Adaptive schedules at run time: before every step a tree picks the candidate, by sizes of the frontier and of the graph.
//!
//! Only what the tree looks at is worked out. The edges of a frontier are counted only where their number decides: often the size
//! of the frontier and the greatest degree bound it well enough. The guard bounds bad luck: weak leaves and dear candidates give way to the
//! safe one ([`Tree::choose`]), and a candidate two of whose steps in a row took much longer than the safe one should is not used
//! again in the run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use gw_graph::Graph;
use gw_graph::stats::{DegreeSummary, Degrees};
use gw_schedule::{ChosenBy, Cost, Feature, Features, Guard, Leaf, StepSizes, Tree, TreeNode};

/// A step may take this many times longer than expected of it and of the safe candidate: giving way to that one must pay.
const LATE_FACTOR: f64 = 4.0;
/// One late step may be the fault of others on the machine.
const LATE_STEPS: u32 = 2;
/// And this much longer, whatever was expected: processors are shared, clocks are coarse.
const LATE_SLACK: Duration = Duration::from_micros(200);

/// The features of a graph: those that are the same at every step. The others are 0.
pub fn graph_features(graph: &Graph) -> Features {
    let mut features = [0.0; Feature::COUNT];
    features[Feature::Vertices.index()] = graph.vertices() as f64;
    features[Feature::Edges.index()] = graph.edges() as f64;
    if graph.vertices() == 0 {
        return features;
    }
    let degrees = Degrees::of(graph);
    // The degree of a vertex is in + out, also where an undirected graph stores both as one.
    let both = if graph.is_symmetric() { 2.0 } else { 1.0 };
    let mut put = |first: Feature, summary: &DegreeSummary, scale: f64| {
        let DegreeSummary { min, q1, median, q3, max, mean, std_dev, .. } = *summary;
        let values = [min as f64, q1, median, q3, max as f64, mean, std_dev];
        for (place, value) in features[first.index()..].iter_mut().zip(values) {
            *place = value * scale;
        }
    };
    put(Feature::InDegreeMin, &degrees.in_degree, 1.0);
    put(Feature::OutDegreeMin, &degrees.out_degree, 1.0);
    put(Feature::DegreeMin, &degrees.degree, both);
    features
}

/// Features of the graphs met so far. They cost a walk over all vertices, so they are kept as long as the graph.
#[derive(Debug, Default)]
pub struct KnownFeatures(Vec<(Weak<Graph>, Arc<Features>)>);

impl KnownFeatures {
    /// The features of a graph, worked out when it is met first.
    pub fn of(&mut self, graph: &Arc<Graph>) -> Arc<Features> {
        if let Some((_, features)) = self.0.iter().find(|(known, _)| is_same(known, graph)) {
            return Arc::clone(features);
        }
        self.0.retain(|(known, _)| known.strong_count() > 0);
        let features = Arc::new(graph_features(graph));
        self.0.push((Arc::downgrade(graph), Arc::clone(&features)));
        features
    }
}

/// A graph that is still there cannot share its address with another one.
fn is_same(known: &Weak<Graph>, graph: &Arc<Graph>) -> bool {
    std::ptr::eq(known.as_ptr(), Arc::as_ptr(graph))
}

/// What a tree needs to be asked.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) tree: Arc<Tree>,
    pub(crate) needs_edges: bool,
    /// The answer of a tree that looks at nothing.
    pub(crate) constant: Option<usize>,
    needs_degrees: bool,
    /// Candidates that push: they visit the edges of their frontier, so that these need not be counted beforehand.
    pushes: Vec<bool>,
    graphs: Mutex<KnownFeatures>,
    /// Candidates that have run before, by number: the first time a machine may have to compile, so that step is not judged.
    used: AtomicU64,
}

impl Asked {
    pub(crate) fn new(tree: Arc<Tree>, pushes: Vec<bool>) -> Asked {
        let features = tree.features();
        let constant = match tree.nodes() {
            [TreeNode::Leaf(Leaf { candidates, weak: false })] if candidates.len() == 1 => {
                Some(usize::from(candidates[0]))
            }
            _ => None,
        };
        Asked {
            constant,
            needs_edges: features.iter().any(|f| f.needs_frontier_edges()),
            needs_degrees: features.iter().any(|f| f.is_of_degrees()),
            tree,
            pushes,
            graphs: Mutex::default(),
            used: AtomicU64::new(0),
        }
    }

    fn graph(&self, graph: &Arc<Graph>) -> Option<Arc<Features>> {
        self.needs_degrees.then(|| self.graphs.lock().unwrap_or_else(PoisonError::into_inner).of(graph))
    }
}

/// The steps of one adaptive operator in a run.
#[derive(Debug)]
pub(crate) struct Steps {
    sizes: StepSizes,
    graph: Weak<Graph>,
    degrees: Option<Arc<Features>>,
    current: Option<usize>,
    /// When the step before began and what it was expected to take; nothing for the safe candidate.
    began: Option<(Instant, f64)>,
    /// Late steps in a row, by candidate.
    late: Vec<u32>,
    /// The edges of this step's frontier were not counted; there are at least and at most so many.
    bounded: Option<(u64, u64)>,
}

impl Steps {
    pub(crate) fn new(asked: &Asked, graph: &Arc<Graph>) -> Steps {
        Steps {
            sizes: StepSizes::first(graph.vertices() as u64, graph.edges() as u64),
            graph: Arc::downgrade(graph),
            degrees: asked.graph(graph),
            current: None,
            began: None,
            late: Vec::new(),
            bounded: None,
        }
    }

    /// Whether these are the steps on this graph.
    pub(crate) fn are_on(&self, graph: &Arc<Graph>) -> bool {
        is_same(&self.graph, graph)
    }

    /// The candidate for the next step.
    pub(crate) fn choose(
        &mut self,
        asked: &Asked,
        frontier: FrontierSizes<impl FnMut(Effort) -> Option<u64>>,
    ) -> (usize, ChosenBy) {
        let FrontierSizes { size, most_degree, mut count_edges, visited_before, guard } = frontier;
        // The clock is read only for candidates that can be late: reading it takes as long as choosing.
        let mut now = None;
        if let (Some((began, expected)), Some(current)) = (self.began.take(), self.current) {
            let bound = Duration::from_secs_f64((LATE_FACTOR * expected).clamp(0.0, 1e6)) + LATE_SLACK;
            let taken = *now.insert(Instant::now()) - began;
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
        let (degrees, current) = (self.degrees.as_deref(), self.current);
        let rules = Guard::default();
        let pick = |sizes: &StepSizes| {
            let value = |feature: Feature| {
                let of_step = sizes.feature(feature);
                of_step.unwrap_or_else(|| degrees.map_or(0.0, |known| known[feature.index()]))
            };
            let leaf = asked.tree.leaf(value);
            let terms = asked.needs_edges.then(|| Cost::terms(sizes));
            (leaf, asked.tree.choose_at(leaf, terms.as_ref(), current, guard.then_some(&rules)))
        };
        let with = |edges: u64| StepSizes { frontier_edges: edges, ..self.sizes };
        // Features and costs go one way with the edges: what holds for both bounds holds between.
        let between = |least: u64, most: u64| {
            let (by_least, by_most) = (pick(&with(least)), pick(&with(most)));
            // What is left unexplored must be known later on.
            let is_enough = by_least == by_most && asked.pushes.get(by_least.1.0) == Some(&true);
            is_enough.then_some((by_least.1, (least, most)))
        };
        let mut guess = 0;
        let within = most_degree.filter(|_| asked.needs_edges && size > FEW).and_then(|most_degree| {
            let mean = self.sizes.edges as f64 / (self.sizes.vertices as f64).max(1.0);
            let most = size.saturating_mul(most_degree);
            guess = most.min((size as f64 * mean) as u64);
            between(0, most).or_else(|| {
                if size <= MANY {
                    return None;
                }
                // A few members tell the mean degree of the others well enough, but one hub among these may be missed.
                guess = count_edges(Effort::Guess)?;
                between(guess / GUESS_FACTOR, most.min(guess.saturating_mul(GUESS_FACTOR).saturating_add(most_degree)))
            })
        });
        let (mut candidate, mut by) = match within {
            Some((chosen, bounds)) => {
                self.sizes.frontier_edges = guess;
                self.bounded = Some(bounds);
                chosen
            }
            None => {
                self.sizes.frontier_edges = if asked.needs_edges { count_edges(Effort::Count).unwrap_or(0) } else { 0 };
                pick(&self.sizes).1
            }
        };
        if self.late.get(candidate).is_some_and(|late| *late >= LATE_STEPS) {
            (candidate, by) = (0, ChosenBy::Time);
        }
        if guard && candidate != 0 && asked.needs_edges {
            let bit = 1 << candidate.min(63);
            let is_known = asked.used.load(Ordering::Relaxed) & bit != 0 || {
                asked.used.fetch_or(bit, Ordering::Relaxed);
                false
            };
            let costs = asked.tree.costs();
            if let (Some(own), Some(safe), true) = (costs.get(candidate), costs.first(), is_known) {
                let expected = own.seconds(&self.sizes).max(safe.seconds(&self.sizes));
                self.began = Some((now.unwrap_or_else(Instant::now), expected));
            }
        }
        self.current = Some(candidate);
        (candidate, by)
    }
}

/// What is known about a frontier before its step.
pub(crate) struct FrontierSizes<F> {
    /// Its vertices.
    pub(crate) size: u64,
    /// The greatest out-degree of the graph; `None` where counting edges is no work.
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
    /// From a few vertices.
    Guess,
    /// As well as the machine can without taking as long as a step.
    Count,
}

/// To count the edges of so few vertices is as quick as to do without.
const FEW: u64 = 16;
/// To guess is quicker than to count if there are more than this.
const MANY: u64 = 256;
/// A guess may be wrong by this factor, and by one vertex of the greatest degree.
const GUESS_FACTOR: u64 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use gw_graph::{BuildOptions, EdgeList, build};

    fn star(symmetrise: bool) -> Arc<Graph> {
        let edges = EdgeList::from_pairs(5, vec![(0, 1), (0, 2), (0, 3), (0, 4)]);
        let options = BuildOptions { symmetrise, ..BuildOptions::default() };
        Arc::new(build(edges, &options).unwrap_or_else(|e| panic!("{e}")))
    }

    #[test]
    fn features_of_a_star() {
        let value = |features: &Features, feature: Feature| features[feature.index()];
        let both = graph_features(&star(true));
        assert_eq!(value(&both, Feature::Vertices), 5.0);
        assert_eq!(value(&both, Feature::Edges), 8.0);
        assert_eq!(value(&both, Feature::OutDegreeMax), 4.0);
        assert_eq!(value(&both, Feature::DegreeMax), 8.0);
        let one = graph_features(&star(false));
        assert_eq!((value(&one, Feature::InDegreeMax), value(&one, Feature::OutDegreeMax)), (1.0, 4.0));
        assert_eq!(value(&one, Feature::DegreeMax), 4.0);
        assert_eq!(value(&one, Feature::Growth), 0.0);
    }

    #[test]
    fn late_candidates_are_left_alone() {
        // Both candidates are expected to take no time at all.
        let tree: Tree = "(frontier-edges<=10?0:1);cost=0,0,0,0,0,0;cost=0,0,0,0,0,0".parse().unwrap();
        let asked = Asked::new(Arc::new(tree), vec![true, false]);
        let graph = star(true);
        let sizes = |guard| FrontierSizes {
            size: 2,
            most_degree: None,
            count_edges: |_| Some(20),
            visited_before: None,
            guard,
        };
        let mut steps = Steps::new(&asked, &graph);
        assert_eq!(steps.choose(&asked, sizes(true)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        // The first time it may have been compiled.
        assert_eq!(steps.choose(&asked, sizes(true)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        // Once may be an accident.
        assert_eq!(steps.choose(&asked, sizes(true)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        assert_eq!(steps.choose(&asked, sizes(true)), (0, ChosenBy::Time));
        assert_eq!(steps.choose(&asked, sizes(true)), (0, ChosenBy::Time));
        let mut steps = Steps::new(&asked, &graph);
        assert_eq!(steps.choose(&asked, sizes(false)), (1, ChosenBy::Leaf));
        std::thread::sleep(2 * LATE_SLACK);
        assert_eq!(steps.choose(&asked, sizes(false)), (1, ChosenBy::Leaf));
    }

    #[test]
    fn edges_are_counted_only_where_they_decide() {
        let tree: Tree = "(frontier-edges<=100?0:(unexplored-edges<=30?2:1))".parse().unwrap();
        let asked = Asked::new(Arc::new(tree), vec![true, true, false]);
        let graph = star(true);
        let mut steps = Steps::new(&asked, &graph);
        steps.sizes.edges = 1000;
        let mut step = |size: u64, most_degree: u64, guess: Option<u64>, exact: u64, visited: Option<u64>| {
            let mut efforts = Vec::new();
            let frontier = FrontierSizes {
                size,
                most_degree: Some(most_degree),
                count_edges: |effort| {
                    efforts.push(effort);
                    if effort == Effort::Guess { guess } else { Some(exact) }
                },
                visited_before: visited,
                guard: true,
            };
            (steps.choose(&asked, frontier).0, efforts)
        };
        // Few vertices are counted at once.
        assert_eq!(step(10, 8, None, 50, None), (0, vec![Effort::Count]));
        // At most 80 edges: whatever their number, it is below 100.
        assert_eq!(step(20, 4, None, 70, Some(50)), (0, vec![]));
        // A guess may tell: three times 20 and a vertex of degree 8 are still below 100.
        assert_eq!(step(300, 8, Some(20), 60, Some(70)), (0, vec![Effort::Guess]));
        // Up to 2,400 edges decide, also through what is left.
        assert_eq!(step(300, 8, Some(300), 440, Some(60)), (1, vec![Effort::Guess, Effort::Count]));
        // 620 edges are behind: those visited count, not what was guessed. Few vertices are not worth a guess.
        assert_eq!(step(100, 8, None, 360, Some(440)), (2, vec![Effort::Count]));
    }
}
