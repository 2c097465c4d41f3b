//! Classes of variables that are equal at every instant: only one of each is looked at further.
//!
//! Variables that agree in the first instants are compared with the first of them over the whole trace. Those that
//! turn out to be different are grouped among themselves again, until none are left.

use std::collections::BTreeMap;

use crate::Result;
use crate::check::{Candidate, Checker, Question, Rules};

/// The classes of some variables.
#[derive(Debug, Clone, Default)]
pub struct Classes {
    /// The variable that stands for each class, ascending, which is its first.
    pub leaders: Vec<u32>,
    /// The members of each class, the leader first.
    pub members: Vec<Vec<u32>>,
}

impl Classes {
    /// How often a variable of class `class` may be chosen.
    pub fn size(&self, class: u32) -> usize {
        self.members[class as usize].len()
    }

    /// Groups variables by a key of their first instants, then by comparing them over the whole trace with
    /// `question`. `is_same` says by the seen bits whether a variable belongs to the class.
    pub fn find<K: Ord>(
        variables: impl Iterator<Item = (K, u32)>,
        question: Question,
        is_same: impl Fn(u8) -> bool,
        checker: &mut dyn Checker,
        rules: &Rules,
    ) -> Result<Classes> {
        let mut groups: BTreeMap<K, Vec<u32>> = BTreeMap::new();
        variables.for_each(|(key, variable)| groups.entry(key).or_default().push(variable));
        let mut open: Vec<Vec<u32>> = groups.into_values().collect();
        let mut members: Vec<Vec<u32>> = Vec::new();
        while !open.is_empty() {
            let pairs = open.iter().flat_map(|group| group[1..].iter().map(|&other| [group[0], other, 0]));
            let mut candidates: Vec<Candidate> = pairs.map(|pair| Candidate::new(question, pair)).collect();
            checker.prune(&mut candidates, rules)?;
            let same: std::collections::BTreeSet<u32> = candidates
                .iter()
                .filter(|candidate| is_same(candidate.seen))
                .map(|candidate| candidate.variables[1])
                .collect();
            let mut left = Vec::new();
            for group in open {
                let (class, others): (Vec<u32>, Vec<u32>) =
                    group.iter().partition(|&v| *v == group[0] || same.contains(v));
                members.push(class);
                if !others.is_empty() {
                    left.push(others);
                }
            }
            open = left;
        }
        members.sort_by_key(|class| class[0]);
        Ok(Classes { leaders: members.iter().map(|class| class[0]).collect(), members })
    }
}
