//! From the answer of a tree to the candidate of a step: ties, and the guard against bad advice.

use super::{Answer, Cost, Tree};

/// When the advice of a tree is not followed. The safe candidate, the first, takes its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guard {
    /// Expected costs may differ by this factor before the dearer candidate is refused.
    pub factor: f64,
    /// As `factor`, where the leaf is weak.
    pub weak_factor: f64,
}

impl Default for Guard {
    fn default() -> Self {
        Guard { factor: 2.0, weak_factor: 1.0 }
    }
}

/// Why a step runs the candidate it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// The leaf names it.
    Leaf,
    /// Several candidates tie: the one of the step before stays, the safe one at the first step.
    Tie,
    /// The leaf is weak, and its candidate is not expected to cost less than the safe one.
    WeakLeaf,
    /// The candidate of the leaf is expected to cost much more than the safe one.
    Cost,
    /// An earlier step under this candidate took much longer than expected: the safe one.
    Time,
    /// The step is so small that choosing would take longer than anything could be gained: the safe one.
    Small,
}

impl Tree {
    /// The candidate for a step about which the tree says `answer`. `current` is that of the step before, `None` at
    /// the first step.
    ///
    /// `sizes` are the [`Cost::terms`] of the step, where they are known. Without them, or where the tree knows no
    /// costs, the guard refuses all weak leaves and nothing else.
    pub fn choose_by(
        &self,
        answer: Answer,
        sizes: Option<&[f64; Cost::TERMS]>,
        current: Option<usize>,
        guard: Option<&Guard>,
    ) -> (usize, ChosenBy) {
        let Answer { candidate, weak } = answer;
        let (candidate, by) = match candidate {
            Some(candidate) => (candidate, ChosenBy::Leaf),
            None => (current.unwrap_or(0), ChosenBy::Tie),
        };
        let Some(guard) = guard.filter(|_| candidate != 0) else { return (candidate, by) };
        let (factor, refused) =
            if weak { (guard.weak_factor, ChosenBy::WeakLeaf) } else { (guard.factor, ChosenBy::Cost) };
        let is_refused = match (sizes, self.costs.first(), self.costs.get(candidate)) {
            (Some(sizes), Some(safe), Some(wanted)) => wanted.of(sizes) > factor * safe.of(sizes),
            _ => weak,
        };
        if is_refused { (0, refused) } else { (candidate, by) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepSizes;

    #[test]
    fn ties_weak_leaves_and_costs() {
        let tree: Tree =
            "(frontier<=10?{1,2}:(frontier<=100?1:2!));cost=1,0,0,0,0,0;cost=0,0.1,0,0,0,0;cost=9,0,0,0,0,0"
                .parse()
                .unwrap();
        let choose = |frontier: u64, current, guard: Option<&Guard>| {
            let step = StepSizes { frontier, ..StepSizes::first(1000, 1000) };
            let answer = tree.decide(|f| step.feature(f).unwrap_or(0.0));
            tree.choose_by(answer, Some(&Cost::terms(&step)), current, guard)
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
        // A weak leaf is believed where its candidate is expected to be the cheaper one.
        let cheap: Tree = "1!;cost=9,0,0,0,0,0;cost=1,0,0,0,0,0".parse().unwrap();
        let sizes = Cost::terms(&StepSizes::first(1000, 1000));
        assert_eq!(cheap.choose_by(cheap.decide(|_| 0.0), Some(&sizes), None, Some(&guard)), (1, ChosenBy::Leaf));
        assert_eq!(cheap.choose_by(cheap.decide(|_| 0.0), None, None, Some(&guard)), (0, ChosenBy::WeakLeaf));
    }
}
