//! What follows from one template for other variables: where `a <= b + c` holds and `x <= a` and `b <= y`, then
//! `x <= y + c` holds. Sums, roots and products of numbers that are not negative keep order when they are rounded, so
//! that this is exact.
//!
//! Of many candidates only the *strongest* must be looked at over the whole trace: those of which no other one would
//! follow. A chain of 25 numbers has 2,300 sums, and one of them decides all.

use std::collections::{HashMap, HashSet};

use crate::ranges::Range;
use crate::template::Template;

/// A template of classes of equal variables; the third is 0 where there are two.
pub type Key = (Kind, [u32; 3]);

/// Templates that rise or fall with each of their variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Root,
    Next,
    Product,
    Sum,
}

impl Kind {
    /// The kind of a template that has one.
    pub fn of(template: Template) -> Option<Kind> {
        match template {
            Template::BelowRoot => Some(Kind::Root),
            Template::BelowNext => Some(Kind::Next),
            Template::BelowProduct => Some(Kind::Product),
            Template::AtMostSum => Some(Kind::Sum),
            _ => None,
        }
    }

    fn is_of_three(self) -> bool {
        matches!(self, Kind::Product | Kind::Sum)
    }
}

/// The order of classes, reduced to neighbours.
pub struct Dominance<'a> {
    ranges: &'a [Range],
    /// Per class: the least of those that are never below it, and the largest of those that are never above it.
    up: Vec<Vec<u32>>,
    down: Vec<Vec<u32>>,
}

impl<'a> Dominance<'a> {
    /// The order of classes with these ranges, by pairs of which the first is never above the second. The pairs of a
    /// chain must all be there.
    pub fn new(ranges: &'a [Range], pairs: impl Iterator<Item = (u32, u32)>) -> Dominance<'a> {
        let (up, down) = neighbours(ranges.len(), pairs);
        Dominance { ranges, up, down }
    }

    /// True when a key follows from stronger ones: infinite numbers have sums and products that are none.
    fn is_monotone(&self, (kind, [_, b, c]): Key) -> bool {
        let range = |class: u32| self.ranges[class as usize];
        match kind {
            Kind::Root | Kind::Next => true,
            Kind::Sum => range(b).is_finite() && range(c).is_finite(),
            Kind::Product => {
                let fits = |class| range(class).is_finite() && range(class).least >= 0.0;
                fits(b) && fits(c)
            }
        }
    }

    /// Keys one step from this one: with a larger first and smaller other classes, or the other way round.
    fn steps(&self, (kind, [a, b, c]): Key, are_stronger: bool) -> impl Iterator<Item = Key> + '_ {
        let (firsts, others) = if are_stronger { (&self.up, &self.down) } else { (&self.down, &self.up) };
        let thirds: &[u32] = if kind.is_of_three() { &others[c as usize] } else { &[] };
        let firsts = firsts[a as usize].iter().map(move |&x| [x, b, c]);
        let seconds = others[b as usize].iter().map(move |&x| [a, x, c]);
        firsts.chain(seconds).chain(thirds.iter().map(move |&x| [a, b, x])).map(move |key| (kind, sorted(kind, key)))
    }

    /// The open keys of which no other open one is one step stronger.
    pub fn strongest(&self, open: &HashSet<Key>) -> HashSet<Key> {
        let is_weaker = |key: Key| self.is_monotone(key) && self.steps(key, true).any(|other| open.contains(&other));
        open.iter().copied().filter(|&key| !is_weaker(key)).collect()
    }

    /// Takes the keys that follow from those that hold out of the open ones.
    pub fn spread(&self, holding: impl Iterator<Item = Key>, open: &mut HashSet<Key>) -> HashSet<Key> {
        let mut followed = HashSet::new();
        let mut pending: Vec<Key> = holding.collect();
        while let Some(key) = pending.pop() {
            // The numbers of a product that holds must not be negative either; those above them are not.
            if !self.is_monotone(key) {
                continue;
            }
            for weaker in self.steps(key, false) {
                if self.is_monotone(weaker) && open.remove(&weaker) {
                    followed.insert(weaker);
                    pending.push(weaker);
                }
            }
        }
        followed
    }
}

/// A key as candidates have it: the last two of three ascending.
pub fn sorted(kind: Kind, [a, b, c]: [u32; 3]) -> [u32; 3] {
    if kind.is_of_three() && c < b { [a, c, b] } else { [a, b, c] }
}

/// The neighbours of each in a partial order that is given by all of its pairs: above, and below.
pub fn neighbours(count: usize, pairs: impl Iterator<Item = (u32, u32)>) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let mut above: HashMap<u32, HashSet<u32>> = HashMap::new();
    for (low, high) in pairs {
        above.entry(low).or_default().insert(high);
    }
    let (mut up, mut down) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (&low, highs) in &above {
        let is_between = |other: &u32, high: &u32| above.get(other).is_some_and(|beyond| beyond.contains(high));
        for &high in highs.iter().filter(|&high| !highs.iter().any(|other| is_between(other, high))) {
            up[low as usize].push(high);
            down[high as usize].push(low);
        }
    }
    (up, down)
}

/// Per low end, everything above it that pairs lead to.
pub fn closure(count: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<HashSet<u32>> {
    let mut above = vec![Vec::new(); count];
    pairs.for_each(|(low, high)| above[low as usize].push(high));
    let reached = |low: usize| {
        let (mut reached, mut pending) = (HashSet::new(), above[low].clone());
        while let Some(high) = pending.pop() {
            if reached.insert(high) {
                pending.extend(&above[high as usize]);
            }
        }
        reached
    };
    (0..count).map(reached).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_one_strongest_sum() {
        let ranges = [Range { least: 1.0, most: 9.0, has_nan: false }; 6];
        let chain = || (0..6).flat_map(|low| (low + 1..6).map(move |high| (low, high)));
        let dominance = Dominance::new(&ranges, chain());
        assert_eq!((&dominance.up[2], &dominance.down[2]), (&vec![3], &vec![1]));
        let triples = (0..6).flat_map(|a| (0..a).flat_map(move |c| (0..c).map(move |b| (Kind::Sum, [a, b, c]))));
        let mut open: HashSet<Key> = triples.collect();
        assert_eq!(open.len(), 20);
        let strongest = dominance.strongest(&open);
        assert_eq!(strongest, HashSet::from([(Kind::Sum, [5, 0, 1])]));
        open.remove(&(Kind::Sum, [5, 0, 1]));
        assert_eq!(dominance.spread(strongest.into_iter(), &mut open).len(), 19);
        assert!(open.is_empty());
    }

    #[test]
    fn infinite_and_negative_numbers_decide_nothing() {
        let range = |least: f64, most: f64| Range { least, most, has_nan: false };
        let ranges = [range(-1.0, 5.0), range(0.0, f64::INFINITY), range(1.0, 5.0), range(1.0, 6.0)];
        let dominance = Dominance::new(&ranges, [(2, 3)].into_iter());
        // From a < 2 * b follows a < 3 * b only where b is not negative and finite.
        for b in [0, 1] {
            let mut open = HashSet::from([(Kind::Product, [2, b, 3])]);
            assert!(dominance.spread([(Kind::Product, [2, b, 2])].into_iter(), &mut open).is_empty());
        }
        let mut open = HashSet::from([(Kind::Product, [2, 2, 3])]);
        assert_eq!(dominance.spread([(Kind::Product, [2, 2, 2])].into_iter(), &mut open).len(), 1);
    }
}
