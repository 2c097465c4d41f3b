//! Stateless randomness: a hash of words, and a seeded permutation of `0..2^bits` that needs no memory.

use crate::rng::Rng;

/// Spreads the bits of `x` over the whole word (the finaliser of SplitMix64).
#[inline]
pub(super) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A seeded bijection of `0..2^bits`, `bits <= 32`.
///
/// Each round is a chain of bijections modulo 2^bits: xor with a key, multiply by an odd number, fold the upper half
/// into the lower. Computing it beats shuffling a table: no memory, no cache misses, the same on any thread.
#[derive(Debug, Clone)]
pub(super) struct Permutation {
    mask: u32,
    fold: u32,
    rounds: [(u32, u32); 4],
}

impl Permutation {
    pub(super) fn new(bits: u32, seed: u64) -> Self {
        debug_assert!(bits <= 32);
        let mask = u32::try_from((1u64 << bits) - 1).unwrap_or(u32::MAX);
        // A stream that no block of edges uses.
        let mut rng = Rng::new(seed, u64::MAX);
        let rounds = [(); 4].map(|()| {
            let word = rng.next_u64();
            ((word >> 32) as u32 & mask, word as u32 | 1)
        });
        Permutation { mask, fold: bits.div_ceil(2).max(1), rounds }
    }

    /// The place of `x`.
    #[inline]
    pub(super) fn apply(&self, mut x: u32) -> u32 {
        for (key, factor) in self.rounds {
            x = (x ^ key).wrapping_mul(factor) & self.mask;
            x ^= x >> self.fold;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutation_is_a_bijection() {
        for bits in 0..=14 {
            for seed in 0..3 {
                let permutation = Permutation::new(bits, seed);
                let mut places: Vec<u32> = (0..1u32 << bits).map(|x| permutation.apply(x)).collect();
                places.sort_unstable();
                assert!(places.iter().enumerate().all(|(i, &p)| i as u32 == p), "{bits} bits, seed {seed}");
            }
        }
    }

    #[test]
    fn permutation_spreads_neighbours() {
        // Neighbours of the original order land far apart: mean distance near a third of the range.
        let permutation = Permutation::new(16, 1);
        let distance: f64 = (0..65_535u32)
            .map(|x| (f64::from(permutation.apply(x)) - f64::from(permutation.apply(x + 1))).abs())
            .sum::<f64>()
            / 65_535.0;
        assert!((15_000.0..30_000.0).contains(&distance), "{distance}");
    }

    #[test]
    fn full_width_works() {
        let permutation = Permutation::new(32, 5);
        assert_ne!(permutation.apply(0), permutation.apply(u32::MAX));
    }
}
