//! From the answer of a tree to the candidate of a step: ties, and the guard against bad advice.

use super::{Answer, Cost, Feature, StepSizes, Tree};

/// When the advice of a tree is not followed. The safe candidate, the first, takes its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guard {
    /// Expected costs may differ by this factor before the dearer candidate is refused.
    pub factor: f64,
}

impl Default for Guard {
    fn default() -> Self {
        Guard { factor: 3.0 }
    }
}

/// Why a step runs the candidate it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// The leaf names it.
    Leaf,
    /// Several candidates tie: the one of the step before stays, the safe one at the first step.
    Tie,
    /// The leaf is weak: the safe one.
    WeakLeaf,
    /// The candidate of the leaf is expected to cost much more than the safe one.
    Cost,
    /// An earlier step under this candidate took much longer than expected: the safe one.
    Time,
}

impl Tree {
    /// The candidate for a step. `current` is that of the step before, `None` at the first step.
    ///
    /// The guard compares expected costs only where the tree knows them and `step` has the edges of its frontier.
    pub fn choose(
        &self,
        value: impl Fn(Feature) -> f64,
        step: Option<&StepSizes>,
        current: Option<usize>,
        guard: Option<&Guard>,
    ) -> (usize, ChosenBy) {
        let answer: Answer = self.decide(value);
        let (candidate, by) = match answer.candidate {
            Some(candidate) => (candidate, ChosenBy::Leaf),
            None => (current.unwrap_or(0), ChosenBy::Tie),
        };
        let Some(guard) = guard else { return (candidate, by) };
        if answer.weak {
            return (0, ChosenBy::WeakLeaf);
        }
        if let (Some(step), Some(safe), Some(wanted)) = (step, self.costs.first(), self.costs.get(candidate))
            && candidate != 0
        {
            let terms = Cost::terms(step);
            if wanted.of(&terms) > guard.factor * safe.of(&terms) {
                return (0, ChosenBy::Cost);
            }
        }
        (candidate, by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_weak_leaves_and_costs() {
        let tree: Tree =
            "(frontier<=10?{1,2}:(frontier<=100?1:2!));cost=1,0,0,0,0,0;cost=0,0.1,0,0,0,0;cost=9,0,0,0,0,0"
                .parse()
                .unwrap();
        let choose = |frontier: u64, current, guard: Option<&Guard>| {
            let step = StepSizes { frontier, ..StepSizes::first(1000, 1000) };
            tree.choose(|f| step.feature(f).unwrap_or(0.0), Some(&step), current, guard)
        };
        let guard = Guard::default();
        assert_eq!(choose(5, None, None), (0, ChosenBy::Tie));
        assert_eq!(choose(5, Some(2), None), (2, ChosenBy::Tie));
        assert_eq!(choose(20, Some(2), Some(&guard)), (1, ChosenBy::Leaf));
        // 60 vertices at 0.1 are six times dearer than the safe candidate.
        assert_eq!(choose(60, None, Some(&guard)), (0, ChosenBy::Cost));
        assert_eq!(choose(60, None, None), (1, ChosenBy::Leaf));
        assert_eq!(choose(500, None, Some(&guard)), (0, ChosenBy::WeakLeaf));
        assert_eq!(choose(500, None, None), (2, ChosenBy::Leaf));
    }
}
