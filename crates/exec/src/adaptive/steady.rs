//! Steps that need not ask: where a search goes on as it did, the tree is shown once that it says the same about all
//! steps to come as long as their sizes stay within bounds. To look at these bounds is a few comparisons.

use gw_schedule::{Cost, Feature, Guard, StepSizes, Tree};

use super::Pick;

/// A steady phase lasts at most so many steps: the more, the wider the bounds on all that has been visited.
const STEPS: u64 = 16;
/// A steady phase is looked for not before this step, nor sooner after one where there was none: the first steps grow
/// too fast.
pub(super) const STEADY_AFTER: u64 = 4;

/// What is true of steps that need not ask, and the candidate they get.
#[derive(Debug, Clone, Copy)]
pub(super) struct SteadyPhase {
    /// Bounds of their frontiers.
    least: u64,
    most: u64,
    /// The last of them.
    last_iteration: u64,
    /// What the tree and the guard say about all of them.
    pub(super) pick: Pick,
}

impl SteadyPhase {
    /// Whether this step is one of them. Frontiers do not double or halve.
    pub(super) fn holds(&self, step: &StepSizes) -> bool {
        let frontier = step.frontier;
        (self.least..=self.most).contains(&frontier) && step.iteration <= self.last_iteration && grows_steadily(step)
    }

    /// Whether the step after this one may still be one of them.
    pub(super) fn goes_on_after(&self, step: &StepSizes) -> bool {
        step.iteration < self.last_iteration
    }

    /// Bounds within which the tree says the same about the steps after this one. `current` is the candidate of this
    /// step.
    pub(super) fn after(
        step: &StepSizes,
        tree: &Tree,
        most_degree: u64,
        current: usize,
        guard: Option<&Guard>,
    ) -> Option<SteadyPhase> {
        if !grows_steadily(step) {
            return None;
        }
        let within = Within::after(step, most_degree);
        let answer = tree.decide_between(|feature| within.bounds(feature))?;
        let pick = tree.choose_by(answer, None, Some(current), None);
        if let Some(guard) = guard.filter(|_| pick.0 != 0) {
            let factor = if answer.weak { guard.weak_factor } else { guard.factor };
            let is_followed = match (tree.costs().first(), tree.costs().get(pick.0)) {
                (Some(safe), Some(wanted)) => wanted.is_at_most(factor, safe, &within.terms()),
                _ => !answer.weak,
            };
            if !is_followed {
                return None;
            }
        }
        let Within { frontier: (least, most), last_iteration, .. } = within;
        Some(SteadyPhase { least, most, last_iteration, pick })
    }
}

/// A frontier has between half and twice the vertices of the one before.
fn grows_steadily(step: &StepSizes) -> bool {
    let (before, now) = (step.previous_frontier, step.frontier);
    now <= before.saturating_mul(2) && before <= now.saturating_mul(2)
}

/// Least and greatest sizes of some steps.
struct Within {
    of_graph: (u64, u64),
    frontier: (u64, u64),
    frontier_edges: u64,
    most_degree: u64,
    discovered: (u64, u64),
    unexplored: (u64, u64),
    first_iteration: u64,
    last_iteration: u64,
}

impl Within {
    /// The sizes of the next [`STEPS`] steps, if frontiers stay between half and twice what they are.
    fn after(step: &StepSizes, most_degree: u64) -> Within {
        let most = step.frontier.saturating_mul(2);
        let most_edges = most.saturating_mul(most_degree);
        let explored = step.explored_edges.saturating_add(most_edges.saturating_mul(STEPS + 1));
        Within {
            of_graph: (step.vertices, step.edges),
            frontier: ((step.frontier / 2).max(1), most),
            frontier_edges: most_edges,
            most_degree,
            discovered: (step.discovered, step.discovered.saturating_add(most.saturating_mul(STEPS))),
            unexplored: (step.edges.saturating_sub(explored), step.edges.saturating_sub(step.explored_edges)),
            first_iteration: step.iteration + 1,
            last_iteration: step.iteration + STEPS,
        }
    }

    /// Least and greatest value of a feature. Shares are numbers by now, and what is of the graph is decided.
    fn bounds(&self, feature: Feature) -> (f64, f64) {
        let number = |(least, most): (u64, u64)| (least as f64, most as f64);
        match feature {
            Feature::Frontier => number(self.frontier),
            Feature::Discovered => number(self.discovered),
            Feature::FrontierEdges => number((0, self.frontier_edges)),
            Feature::UnexploredEdges => number(self.unexplored),
            Feature::Iteration => number((self.first_iteration, self.last_iteration)),
            Feature::FrontierDegree => number((0, self.most_degree)),
            Feature::EdgesAheadRatio => (0.0, self.frontier_edges as f64 / (self.unexplored.0 as f64 + 1.0)),
            Feature::Growth => (0.5, 2.0),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Bounds of the terms of costs.
    fn terms(&self) -> [(f64, f64); Cost::TERMS] {
        let (vertices, edges) = (self.of_graph.0 as f64, self.of_graph.1 as f64);
        [
            (1.0, 1.0),
            self.bounds(Feature::Frontier),
            self.bounds(Feature::FrontierEdges),
            (vertices, vertices),
            (edges, edges),
            self.bounds(Feature::UnexploredEdges),
        ]
    }
}

#[cfg(test)]
mod tests {
    use gw_schedule::ChosenBy;

    use super::*;

    /// A step of a search on a road network.
    fn step(iteration: u64, previous_frontier: u64, frontier: u64) -> StepSizes {
        StepSizes {
            frontier,
            previous_frontier,
            iteration,
            frontier_edges: 3 * frontier,
            discovered: 1000,
            explored_edges: 3000,
            ..StepSizes::first(100_000, 300_000)
        }
    }

    fn steady(tree: &str, guard: bool) -> Option<(usize, ChosenBy)> {
        let tree: Tree = tree.parse().unwrap();
        SteadyPhase::after(&step(20, 95, 100), &tree, 4, 0, guard.then_some(&Guard::default()))
            .map(|steady| steady.pick)
    }

    #[test]
    fn a_tree_that_says_the_same_about_the_next_steps() {
        // Frontiers from 50 to 200 with at most 800 edges, until 4,200 vertices and 16,600 edges are behind.
        assert_eq!(steady("(frontier<=200?1:0)", false), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("(frontier<=199?1:0)", false), None);
        assert_eq!(steady("(frontier<=49?0:1)", false), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("(frontier-edges<=800?1:0)", false), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("(frontier-edges<=799?1:0)", false), None);
        assert_eq!(steady("(discovered<=4200?1:0)", false), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("(unexplored-edges<=283399?0:1)", false), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("(unexplored-edges<=283400?0:1)", false), None);
        assert_eq!(steady("(iteration<=36?1:0)", false), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("(iteration<=35?1:0)", false), None);
        assert_eq!(steady("(growth<=2?(frontier-degree<=4?1:0):0)", false), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("(edges-ahead-ratio<=0.002?1:0)", false), None);
        assert_eq!(steady("(edges-ahead-ratio<=0.003?1:0)", false), Some((1, ChosenBy::Leaf)));
        // Nothing is known of degrees here.
        assert_eq!(steady("(degree-max<=4?1:0)", false), None);
    }

    #[test]
    fn the_guard_must_have_nothing_to_say() {
        assert_eq!(steady("1!", true), None);
        assert_eq!(steady("1", true), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("0!", true), Some((0, ChosenBy::Leaf)));
        // Twice the safe candidate's 1 and 0.01 per vertex are 3 at least; 0.01 per edge is 8 at most.
        assert_eq!(steady("1;cost=1,0.01,0,0,0,0;cost=3,0,0,0,0,0", true), Some((1, ChosenBy::Leaf)));
        assert_eq!(steady("1;cost=1,0.01,0,0,0,0;cost=3.1,0,0,0,0,0", true), None);
        assert_eq!(steady("1!;cost=1,0.01,0,0,0,0;cost=1.6,0,0,0,0,0", true), None);
        assert_eq!(steady("1;cost=4,0,0,0,0,0;cost=0,0,0.01,0,0,0", true), Some((1, ChosenBy::Leaf)));
    }

    #[test]
    fn a_steady_phase_ends() {
        let tree = Tree::constant(0);
        assert!(SteadyPhase::after(&step(20, 30, 100), &tree, 4, 0, None).is_none(), "the frontier has tripled");
        let steady = SteadyPhase::after(&step(20, 95, 100), &tree, 4, 0, None).unwrap();
        assert!(steady.holds(&step(21, 100, 150)) && steady.holds(&step(36, 110, 70)));
        assert!(!steady.holds(&step(37, 100, 100)), "for how long");
        assert!(!steady.holds(&step(22, 150, 201)) && !steady.holds(&step(22, 60, 49)), "how many");
        assert!(!steady.holds(&step(22, 60, 130)) && !steady.holds(&step(22, 130, 60)), "how fast");
        assert!(steady.goes_on_after(&step(35, 100, 100)) && !steady.goes_on_after(&step(36, 100, 100)));
    }
}
