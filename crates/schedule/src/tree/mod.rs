//! Decision trees as plain data: what a trained chooser looks at and what it answers. Training is not done here.
//!
//! A [`Tree`] has one line of text, in which it travels through GraphIR and model files:
//!
//! ```
//! use gw_schedule::{Answer, Feature, Tree};
//! let tree: Tree = "(frontier-edges-share<=0.05?0:(frontier<=100?{0,2}:1!))".parse().unwrap();
//! assert_eq!(tree.to_string(), "(frontier-edges-share<=0.05?0:(frontier<=100?{0,2}:1!))");
//! assert_eq!(tree.features(), [Feature::FrontierEdgesShare, Feature::Frontier]);
//! let answer = tree.decide(|feature| if feature == Feature::Frontier { 500.0 } else { 0.2 });
//! assert_eq!(answer, Answer { candidate: Some(1), weak: true });
//! ```
//!
//! A split goes left when the feature is at most the threshold. A leaf is a candidate by number, `!` behind it when its
//! training rows gave little support; or a set of candidates in braces when they tie: then the choice of the step
//! before stays. Behind the tree may stand what each candidate costs: `;cost=` and [`Cost::TERMS`] numbers.

mod choose;
mod feature;
mod text;

pub use choose::{ChosenBy, Guard};
pub use feature::{Feature, Features, StepSizes};
pub use text::TreeError;

/// A decision tree over the candidates of an adaptive schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The root is the first. Children come after their parent.
    nodes: Vec<TreeNode>,
    /// The expected cost of a step by candidate; empty when it is not known.
    costs: Vec<Cost>,
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum TreeNode {
    /// Goes on left when the feature is at most the threshold, else right.
    Split {
        /// What is looked at.
        feature: Feature,
        /// The greatest value that goes left.
        threshold: f64,
        /// Place of the left child.
        left: u32,
        /// Place of the right child.
        right: u32,
    },
    /// An answer.
    Leaf(Leaf),
}

/// The answer of a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The candidate, or those that tie; never empty.
    pub candidates: Vec<u16>,
    /// The training rows gave it little support.
    pub weak: bool,
}

/// What a tree says about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The candidate; `None` when several tie.
    pub candidate: Option<usize>,
    /// The training rows gave it little support.
    pub weak: bool,
}

/// The expected seconds of a step under one candidate: a sum of sizes times factors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost(pub [f64; Cost::TERMS]);

impl Cost {
    /// A constant, frontier, frontier edges, vertices, edges, unexplored edges.
    pub const TERMS: usize = 6;

    /// The sizes that the factors belong to.
    pub fn terms(step: &StepSizes) -> [f64; Cost::TERMS] {
        [
            1.0,
            step.frontier as f64,
            step.frontier_edges as f64,
            step.vertices as f64,
            step.edges as f64,
            step.unexplored_edges() as f64,
        ]
    }

    /// The expected seconds of a step.
    pub fn seconds(&self, step: &StepSizes) -> f64 {
        self.of(&Cost::terms(step))
    }

    /// The expected seconds for these sizes.
    pub fn of(&self, terms: &[f64; Cost::TERMS]) -> f64 {
        self.0.iter().zip(terms).map(|(factor, size)| factor * size).sum()
    }

    /// Whether it is at most `factor` times another one for all sizes between two bounds each.
    ///
    /// ```
    /// use gw_schedule::Cost;
    /// let (flat, steep) = (Cost([8.0, 0.0, 0.0, 0.0, 0.0, 0.0]), Cost([1.0, 0.5, 0.0, 0.0, 0.0, 0.0]));
    /// let until = |frontier: f64| [(1.0, 1.0), (1.0, frontier), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)];
    /// assert!(steep.is_at_most(2.0, &flat, &until(30.0)) && !steep.is_at_most(2.0, &flat, &until(31.0)));
    /// ```
    pub fn is_at_most(&self, factor: f64, other: &Cost, bounds: &[(f64, f64); Cost::TERMS]) -> bool {
        // Sums of terms that go one way each: the most of the difference is where each is at its most.
        let differences = self.0.iter().zip(&other.0).map(|(own, other)| own - factor * other);
        let most = differences.zip(bounds).map(|(by, (least, most))| by * if by > 0.0 { most } else { least });
        most.sum::<f64>() <= 0.0
    }
}

impl Leaf {
    /// One candidate, well supported.
    pub fn of(candidate: u16) -> Leaf {
        Leaf { candidates: vec![candidate], weak: false }
    }

    /// The answer.
    pub fn answer(&self) -> Answer {
        let candidate = match self.candidates[..] {
            [one] => Some(usize::from(one)),
            _ => None,
        };
        Answer { candidate, weak: self.weak }
    }
}

impl Tree {
    /// A tree of nodes; the first is the root.
    pub fn new(nodes: Vec<TreeNode>, costs: Vec<Cost>) -> Result<Tree, TreeError> {
        let tree = Tree { nodes, costs };
        tree.check()?;
        Ok(tree)
    }

    /// The tree that always answers the same.
    pub fn constant(candidate: u16) -> Tree {
        Tree { nodes: vec![TreeNode::Leaf(Leaf::of(candidate))], costs: Vec::new() }
    }

    /// The tree that answers step after step as recorded, and like the last step from then on.
    ///
    /// ```
    /// let tree = gw_schedule::Tree::replay(&[0, 0, 1, 0]);
    /// assert_eq!(tree.to_string(), "(iteration<=1?0:(iteration<=2?1:0))");
    /// ```
    pub fn replay(choices: &[u16]) -> Tree {
        // Runs of the same choice: the last step and the choice.
        let mut runs: Vec<(usize, u16)> = Vec::new();
        for (step, &choice) in choices.iter().enumerate() {
            match runs.last_mut() {
                Some((last, same)) if *same == choice => *last = step,
                _ => runs.push((step, choice)),
            }
        }
        fn build(runs: &[(usize, u16)], nodes: &mut Vec<TreeNode>) {
            match runs {
                [] => nodes.push(TreeNode::Leaf(Leaf::of(0))),
                [(_, choice)] => nodes.push(TreeNode::Leaf(Leaf::of(*choice))),
                _ => {
                    let middle = runs.len() / 2;
                    let at = nodes.len();
                    let left = at as u32 + 1;
                    let threshold = runs[middle - 1].0 as f64;
                    nodes.push(TreeNode::Split { feature: Feature::Iteration, threshold, left, right: 0 });
                    build(&runs[..middle], nodes);
                    let end = nodes.len() as u32;
                    if let TreeNode::Split { right, .. } = &mut nodes[at] {
                        *right = end;
                    }
                    build(&runs[middle..], nodes);
                }
            }
        }
        let mut nodes = Vec::new();
        build(&runs, &mut nodes);
        Tree { nodes, costs: Vec::new() }
    }

    /// The nodes; the first is the root.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The expected costs by candidate; empty when they are not known.
    pub fn costs(&self) -> &[Cost] {
        &self.costs
    }

    /// Every number in its place: children behind parents, each node with one parent, thresholds that are numbers.
    fn check(&self) -> Result<(), TreeError> {
        let mut parents = vec![0u32; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            match node {
                TreeNode::Split { threshold, left, right, .. } => {
                    if threshold.is_nan() {
                        return Err(TreeError::new(i, "the threshold of a split is not a number"));
                    }
                    for &child in [left, right] {
                        match parents.get_mut(child as usize) {
                            Some(count) if child as usize > i => *count += 1,
                            _ => return Err(TreeError::new(i, "a child must come after its parent")),
                        }
                    }
                }
                TreeNode::Leaf(leaf) if leaf.candidates.is_empty() => {
                    return Err(TreeError::new(i, "a leaf without a candidate"));
                }
                TreeNode::Leaf(_) => {}
            }
        }
        match parents.split_first() {
            None => Err(TreeError::new(0, "a tree without nodes")),
            Some((_, others)) => match others.iter().position(|&count| count != 1) {
                Some(i) => Err(TreeError::new(i + 1, "a node must have one parent")),
                None => Ok(()),
            },
        }
    }

    /// The features that the tree looks at, in the order of its nodes, each once.
    pub fn features(&self) -> Vec<Feature> {
        let mut found = Vec::new();
        for node in &self.nodes {
            if let TreeNode::Split { feature, .. } = node
                && !found.contains(feature)
            {
                found.push(*feature);
            }
        }
        found
    }

    /// The candidates that it can answer with, ascending.
    pub fn candidates(&self) -> Vec<u16> {
        let leaves = self.nodes.iter().filter_map(|node| match node {
            TreeNode::Leaf(leaf) => Some(leaf.candidates.iter().copied()),
            TreeNode::Split { .. } => None,
        });
        let mut all: Vec<u16> = leaves.flatten().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The longest way from the root to a leaf, in splits.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if let TreeNode::Split { left, right, .. } = node {
                depths[*left as usize] = depths[i] + 1;
                depths[*right as usize] = depths[i] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The place of the leaf that answers for these features.
    pub fn leaf(&self, value: impl Fn(Feature) -> f64) -> usize {
        let mut at = 0;
        while let TreeNode::Split { feature, threshold, left, right } = &self.nodes[at] {
            at = if value(*feature) <= *threshold { *left } else { *right } as usize;
        }
        at
    }

    /// What the tree says whatever the features are between two values each; `None` if that depends, or if it takes
    /// long to find out.
    ///
    /// ```
    /// use gw_schedule::{Answer, Feature, Tree};
    /// let tree: Tree = "(frontier-degree<=3?(discovered<=90?0:4):0!)".parse().unwrap();
    /// let at = |discovered: f64| move |feature| match feature {
    ///     Feature::Discovered => (discovered, discovered),
    ///     _ => (1.0, 8.0),
    /// };
    /// assert_eq!(tree.decide_between(at(50.0)), Some(Answer { candidate: Some(0), weak: false }));
    /// assert_eq!(tree.decide_between(at(100.0)), None);
    /// ```
    pub fn decide_between(&self, bounds: impl Fn(Feature) -> (f64, f64)) -> Option<Answer> {
        // Few nodes: looking at many would take longer than finding the features out.
        const MOST_NODES: usize = 24;
        const MOST_OPEN: usize = 8;
        let mut open = [0u32; MOST_OPEN];
        let (mut count, mut found) = (1usize, None);
        for _ in 0..MOST_NODES {
            let Some(last) = count.checked_sub(1) else { return found };
            let at = open[last] as usize;
            match &self.nodes[at] {
                TreeNode::Split { feature, threshold, left, right } => {
                    let (one, other) = bounds(*feature);
                    let (small, large) = (one <= *threshold, other > *threshold);
                    open[last] = if small { *left } else { *right };
                    if small == large {
                        // Both ways are open.
                        *open.get_mut(count)? = if small { *right } else { *left };
                        count += 1;
                    }
                }
                TreeNode::Leaf(leaf) => {
                    let mut answer = leaf.answer();
                    // The safe candidate is taken whether its leaf is weak or not.
                    answer.weak &= answer.candidate != Some(0);
                    if found.is_some_and(|found| found != answer) {
                        return None;
                    }
                    (found, count) = (Some(answer), last);
                }
            }
        }
        None
    }

    /// The tree where some features are known once and for all: without the splits that these decide, and without
    /// those that make no difference.
    ///
    /// ```
    /// use gw_schedule::{Feature, Tree};
    /// let tree: Tree = "(vertices<=100?(frontier<=3?0:1):(growth<=2?0!:(frontier<=9?0:2)))".parse().unwrap();
    /// let large = tree.narrowed(|feature| (feature == Feature::Vertices).then_some(5000.0));
    /// assert_eq!(large.to_string(), "(growth<=2?0!:(frontier<=9?0:2))");
    /// let tree: Tree = "(growth<=2?0!:(vertices<=100?1:0))".parse().unwrap();
    /// assert_eq!(tree.narrowed(|feature| (feature == Feature::Vertices).then_some(5000.0)).to_string(), "0");
    /// ```
    pub fn narrowed(&self, known: impl Fn(Feature) -> Option<f64>) -> Tree {
        // Children come after their parents, so from the last node on both are done.
        let mut done: Vec<Vec<TreeNode>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            done[at] = match node {
                TreeNode::Leaf(_) => vec![node.clone()],
                TreeNode::Split { feature, threshold, left, right } => {
                    let (left, right) = (*left as usize, *right as usize);
                    match known(*feature) {
                        Some(value) => std::mem::take(&mut done[if value <= *threshold { left } else { right }]),
                        None => {
                            let (small, large) = (std::mem::take(&mut done[left]), std::mem::take(&mut done[right]));
                            joined(*feature, *threshold, small, large)
                        }
                    }
                }
            };
        }
        Tree { nodes: std::mem::take(&mut done[0]), costs: self.costs.clone() }
    }

    /// The tree for graphs of one size, in numbers where it has shares: numbers need no division.
    ///
    /// ```
    /// use gw_schedule::{Feature, Tree};
    /// let tree: Tree = "(frontier-share<=0.57?0:1)".parse().unwrap();
    /// let tree = tree.in_numbers(100, 800);
    /// assert_eq!(tree.features(), [Feature::Frontier]);
    /// assert_eq!([57.0, 58.0].map(|frontier| tree.decide(|_| frontier).candidate), [Some(0), Some(1)]);
    /// ```
    pub fn in_numbers(&self, vertices: u64, edges: u64) -> Tree {
        let nodes = self.nodes.iter().cloned().map(|mut node| {
            if let TreeNode::Split { feature, threshold, .. } = &mut node
                && let Some((number, whole)) = match *feature {
                    Feature::FrontierShare => Some((Feature::Frontier, vertices)),
                    Feature::DiscoveredShare => Some((Feature::Discovered, vertices)),
                    Feature::FrontierEdgesShare => Some((Feature::FrontierEdges, edges)),
                    Feature::UnexploredEdgesShare => Some((Feature::UnexploredEdges, edges)),
                    _ => None,
                }
            {
                // Numbers are whole: what was exactly the share is still at most the number.
                (*feature, *threshold) = (number, *threshold * whole as f64 * (1.0 + 4.0 * f64::EPSILON));
            }
            node
        });
        Tree { nodes: nodes.collect(), costs: self.costs.clone() }
    }

    /// What the tree says about a step with these features.
    pub fn decide(&self, value: impl Fn(Feature) -> f64) -> Answer {
        self.answer_at(self.leaf(value))
    }

    /// The answer of a leaf.
    pub(crate) fn answer_at(&self, leaf: usize) -> Answer {
        match &self.nodes[leaf] {
            TreeNode::Leaf(leaf) => leaf.answer(),
            TreeNode::Split { .. } => Answer { candidate: None, weak: true },
        }
    }

    /// The splits from the root to a leaf: feature, threshold, and whether the value was at most the threshold.
    pub fn path(&self, value: impl Fn(Feature) -> f64) -> Vec<(Feature, f64, bool)> {
        let (mut at, mut path) = (0, Vec::new());
        while let TreeNode::Split { feature, threshold, left, right } = &self.nodes[at] {
            let small = value(*feature) <= *threshold;
            path.push((*feature, *threshold, small));
            at = if small { *left } else { *right } as usize;
        }
        path
    }

    /// The same tree with other numbers for its candidates; those for which there is none fall out of ties, and a leaf
    /// of such alone answers 0 and is weak. Costs follow their candidates.
    pub fn renumbered(&self, number: impl Fn(u16) -> Option<u16>) -> Tree {
        let nodes = self.nodes.iter().map(|node| match node {
            TreeNode::Leaf(leaf) => {
                let candidates: Vec<u16> = leaf.candidates.iter().filter_map(|&c| number(c)).collect();
                match candidates.is_empty() {
                    true => TreeNode::Leaf(Leaf { candidates: vec![0], weak: true }),
                    false => TreeNode::Leaf(Leaf { candidates, weak: leaf.weak }),
                }
            }
            split => split.clone(),
        });
        let mut costs = Vec::new();
        for (old, cost) in self.costs.iter().enumerate() {
            if let Some(new) = u16::try_from(old).ok().and_then(&number) {
                let new = usize::from(new);
                costs.resize(costs.len().max(new + 1), Cost::default());
                costs[new] = *cost;
            }
        }
        Tree { nodes: nodes.collect(), costs }
    }
}

/// The nodes of a split above two trees; of one of them where both answer the same.
fn joined(feature: Feature, threshold: f64, left: Vec<TreeNode>, right: Vec<TreeNode>) -> Vec<TreeNode> {
    // The safe candidate is taken whether its leaf is weak or not.
    let is_safe = |nodes: &[TreeNode]| matches!(nodes, [TreeNode::Leaf(leaf)] if leaf.candidates == [0]);
    if left == right || is_safe(&left) && is_safe(&right) {
        return right;
    }
    let places = [1, 1 + left.len() as u32];
    let mut nodes = vec![TreeNode::Split { feature, threshold, left: places[0], right: places[1] }];
    for (tree, by) in [left, right].into_iter().zip(places) {
        nodes.extend(tree.into_iter().map(|node| match node {
            TreeNode::Split { feature, threshold, left, right } => {
                TreeNode::Split { feature, threshold, left: left + by, right: right + by }
            }
            leaf => leaf,
        }));
    }
    nodes
}
