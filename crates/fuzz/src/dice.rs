//! The stream of decisions behind a generated case: drawn from a seed, or read from bytes that somebody else chooses.

use gw_graph::rng::{Rng, mix};

/// Where decisions come from.
pub struct Dice {
    rng: Rng,
    /// Decisions given from outside; `None` draws all of them.
    bytes: Option<std::vec::IntoIter<u8>>,
}

impl Dice {
    /// Decisions drawn from a seed. Each purpose has a stream of its own, so that a change in one leaves the others
    /// alone.
    pub fn new(seed: u64, stream: u64) -> Dice {
        Dice { rng: Rng::new(seed, stream), bytes: None }
    }

    /// Decisions read from bytes, two at a time; once they are used up, drawn from a seed made of them. This is the
    /// form for fuzzers that mutate bytes under the guidance of coverage.
    pub fn from_bytes(bytes: &[u8]) -> Dice {
        let seed = bytes.iter().fold(1, |seed: u64, &byte| mix(seed ^ u64::from(byte)));
        Dice { rng: Rng::new(seed, 0), bytes: Some(Vec::from(bytes).into_iter()) }
    }

    /// A number below `bound`; 0 where the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound < 2 {
            return 0;
        }
        if let Some(bytes) = &mut self.bytes
            && let (Some(low), Some(high)) = (bytes.next(), bytes.next())
        {
            return (usize::from(high) << 8 | usize::from(low)) % bound;
        }
        self.rng.below(bound as u64) as usize
    }

    /// A number from `low` up to and including `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of the items, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the items, if there are any.
    pub fn maybe<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(self.pick(items)) }
    }

    /// The place of one of the weights, each as likely as it says.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (i, &weight) in weights.iter().enumerate() {
            if at < weight {
                return i;
            }
            at -= weight;
        }
        0
    }

    /// 64 random bits, for seeds of other things.
    pub fn bits(&mut self) -> u64 {
        self.rng.next_u64()
    }
}
