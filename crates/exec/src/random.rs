//! Random draws of programs: the same for the same seed on every machine, under every schedule and with any number of
//! threads.
//!
//! A draw depends on nothing but the seed, the number of the operator call in the run, the function's role in the
//! operator, the vertex or edge that the function is called for, and on how many draws this call of the function has
//! made before. Who runs the function, and when, does not matter. Outside of operators the draws of a run are numbered.

use gw_graph::rng::mix;

/// What the state of a sequence of draws grows by at every draw (SplitMix64).
pub const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// In which capacity a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Role {
    /// The function that an operator applies, or a filter over a vertex set.
    Apply = 0,
    /// The `from` filter of an edge operator.
    From = 1,
    /// The `to` filter of an edge operator.
    To = 2,
    /// The body of a `par_for`, or code outside of operators.
    Host = 3,
}

/// The first state of the draws of one call of a function. `call` is the number of the operator call
/// ([`Environment::operator_calls`](crate::Environment::operator_calls)). `a` and `b` are the source and destination
/// of an edge function, the vertex and 0 of a vertex function or filter, the number and 0 of an iteration.
pub fn key(seed: u64, call: u64, role: Role, a: u32, b: u32) -> u64 {
    element_key(call_key(seed, call, role), a, b)
}

/// The part of a [`key`] that all elements of an operator call share.
pub fn call_key(seed: u64, call: u64, role: Role) -> u64 {
    mix(mix(seed) ^ mix(call.wrapping_mul(4).wrapping_add(role as u64)))
}

/// The [`key`] of an element, from that of the operator call.
pub fn element_key(call_key: u64, a: u32, b: u32) -> u64 {
    mix(call_key ^ (u64::from(a) << 32 | u64::from(b)))
}

/// The next 64 random bits.
pub fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(INCREMENT);
    mix(*state)
}

/// A number below `bound` from 64 random bits: the upper half of their product. The bias is below `bound / 2^64`.
pub fn below(bits: u64, bound: u64) -> u64 {
    ((u128::from(bits) * u128::from(bound)) >> 64) as u64
}

/// Random bits for a seed and two counters: what `randomBits` of a program gives. A function of its arguments alone,
/// by three rounds of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): the
/// state of a round is the result of the round before, with the next argument folded in.
pub fn bits(seed: u64, a: u64, b: u64) -> u64 {
    round(round(round(0, seed), a), b)
}

/// One round of [`bits`].
pub fn round(state: u64, argument: u64) -> u64 {
    mix((state ^ argument).wrapping_add(INCREMENT))
}

/// The draws of the function that is running on the host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draws {
    call_key: u64,
    element: (u32, u32),
    drawn: u64,
}

impl Draws {
    pub(crate) fn new(seed: u64, call: u64, role: Role) -> Draws {
        Draws { call_key: call_key(seed, call, role), element: (0, 0), drawn: 0 }
    }

    /// Draws so far.
    pub(crate) fn drawn(&self) -> u64 {
        self.drawn
    }

    /// Goes on as if there had been so many draws.
    pub(crate) fn set_drawn(&mut self, drawn: u64) {
        self.drawn = drawn;
    }

    /// A call of the function for another element begins.
    #[inline(always)]
    pub(crate) fn begin(&mut self, a: u32, b: u32) {
        (self.element, self.drawn) = ((a, b), 0);
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.drawn += 1;
        let state = element_key(self.call_key, self.element.0, self.element.1);
        below(mix(state.wrapping_add(self.drawn.wrapping_mul(INCREMENT))), bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_published_sequence_of_states() {
        let mut draws = Draws::new(7, 3, Role::To);
        draws.begin(11, 12);
        let mut state = key(7, 3, Role::To, 11, 12);
        for _ in 0..4 {
            assert_eq!(draws.below(1000), below(draw(&mut state), 1000));
        }
    }

    #[test]
    fn bits_by_counter_are_those_of_the_published_generator() {
        // The first number of SplitMix64 from state 0.
        assert_eq!(round(0, 0), 0xe220_a839_7b1d_cdaf);
        let base = bits(1, 2, 3);
        assert!([bits(2, 2, 3), bits(1, 3, 3), bits(1, 2, 4), bits(1, 3, 2)].iter().all(|&other| other != base));
        let ones: u32 = (0..10_000).map(|i| bits(7, i, 0).count_ones()).sum();
        assert!((318_000..322_000).contains(&ones), "{ones}");
    }

    #[test]
    fn every_part_of_the_key_matters() {
        let base = key(1, 2, Role::Apply, 3, 4);
        let others = [
            key(2, 2, Role::Apply, 3, 4),
            key(1, 3, Role::Apply, 3, 4),
            key(1, 2, Role::From, 3, 4),
            key(1, 2, Role::Apply, 4, 3),
            key(1, 2, Role::Apply, 3, 5),
        ];
        assert!(others.iter().all(|&other| other != base));
    }

    #[test]
    fn numbers_below_a_bound_are_spread_evenly() {
        let mut counts = [0u32; 7];
        for v in 0..70_000 {
            let mut state = key(1, 1, Role::Apply, v, 0);
            counts[below(draw(&mut state), 7) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (9_600..10_400).contains(&n)), "{counts:?}");
    }
}
