//! A small counter-seeded random generator: the same numbers for the same (seed, stream), on any machine and with any
//! number of threads. Each block of generated work gets a stream of its own.

/// xoshiro256++ (Blackman and Vigna), seeded by SplitMix64 from a seed and a stream number.
#[derive(Debug, Clone)]
pub struct Rng([u64; 4]);

impl Rng {
    /// The generator of stream `stream` under `seed`.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut state = mix(seed).wrapping_add(mix(stream ^ 0x6a09_e667_f3bc_c908));
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        };
        Rng([next(), next(), next(), next()])
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let t = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= t;
        *d = d.rotate_left(45);
        result
    }

    /// A number below `bound` (which must not be 0), without bias (Lemire's method).
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// A number in `[0, 1)`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Puts the items into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// A bijective hash of 64 bits: SplitMix64's finaliser.
#[inline]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let first = |seed, stream| Rng::new(seed, stream).next_u64();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(2, 1));
        assert_ne!(first(1, 2), first(1, 3));
    }

    #[test]
    fn below_is_uniform_enough() {
        let mut rng = Rng::new(7, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)), "{counts:?}");
    }
}
