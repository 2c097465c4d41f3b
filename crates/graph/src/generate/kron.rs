//! Kronecker (R-MAT) graphs with the constants of Graph500.
//!
//! An edge descends `scale` levels of the adjacency matrix and picks a quadrant with probabilities a, b, c, d at each.
//! Four levels are picked at once: the 256 joint outcomes sit in an alias table (Walker's method), so 32 random bits,
//! one lookup and one comparison give four bits of both ids. Ids are then permuted, so that they say nothing
//! about degrees. Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004.

use super::blocks;
use super::hash::Permutation;
use super::{Generator, Params, Size};
use crate::progress::Progress;
use crate::{EdgeList, Result, VertexId};

/// A Kronecker graph with `2^scale` vertices and `edge_factor * 2^scale` drawn edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Kron {
    /// Logarithm of the number of vertices.
    pub scale: u32,
    /// Drawn edges per vertex.
    pub edge_factor: u64,
    /// Probability of the quadrant (0, 0).
    pub a: f64,
    /// Probability of the quadrant (0, 1).
    pub b: f64,
    /// Probability of the quadrant (1, 0).
    pub c: f64,
}

const A: f64 = 0.57;
const B: f64 = 0.19;
const C: f64 = 0.19;
pub(super) const EDGE_FACTOR: u64 = 16;

impl Kron {
    /// A graph with the constants of Graph500.
    pub fn graph500(scale: u32) -> Self {
        Kron { scale, edge_factor: EDGE_FACTOR, a: A, b: B, c: C }
    }

    pub(super) fn from_params(params: &mut Params) -> Result<Self> {
        let kron = Kron {
            scale: params.required("SCALE")?,
            edge_factor: params.optional("EDGE_FACTOR", EDGE_FACTOR)?,
            a: params.named("a")?.unwrap_or(A),
            b: params.named("b")?.unwrap_or(B),
            c: params.named("c")?.unwrap_or(C),
        };
        let sum = kron.a + kron.b + kron.c;
        params.check(kron.a >= 0.0 && kron.b >= 0.0 && kron.c >= 0.0 && sum <= 1.0 + 1e-9, || {
            format!("a + b + c is {sum}: the three must be at least 0 and add up to at most 1")
        })?;
        Ok(kron)
    }
}

impl Generator for Kron {
    fn spec(&self) -> String {
        let mut spec = format!("kron:{}", self.scale);
        if self.edge_factor != EDGE_FACTOR {
            spec += &format!(":{}", self.edge_factor);
        }
        for (name, value, default) in [("a", self.a, A), ("b", self.b, B), ("c", self.c, C)] {
            if value != default {
                spec += &format!(":{name}={value}");
            }
        }
        spec
    }

    fn size(&self) -> Size {
        scaled_size(self.scale, self.edge_factor)
    }

    fn edges(&self, seed: u64, progress: &dyn Progress) -> Result<EdgeList> {
        let size = self.size();
        let permutation = Permutation::new(self.scale, seed);
        let probabilities = [self.a, self.b, self.c, (1.0 - self.a - self.b - self.c).max(0.0)];
        let quads = QuadTable::new(probabilities, 4);
        let rest = QuadTable::new(probabilities, self.scale % 4);
        let (pairs, single) = (self.scale / 8, self.scale / 4 % 2 == 1);
        Ok(blocks::draw(size.vertices, size.edges, seed, progress, |rng| {
            let word = rng.next_u64();
            let (mut source, mut target) = rest.pick(word as u32);
            let mut descend = |random: u32| {
                let (s, t) = quads.pick(random);
                source = source << 4 | s;
                target = target << 4 | t;
            };
            if single {
                descend((word >> 32) as u32);
            }
            for _ in 0..pairs {
                let word = rng.next_u64();
                descend(word as u32);
                descend((word >> 32) as u32);
            }
            (permutation.apply(source), permutation.apply(target))
        }))
    }
}

/// Size of a graph of `2^scale` vertices with `factor` edges each.
pub(super) fn scaled_size(scale: u32, factor: u64) -> Size {
    let vertices = 1u128.checked_shl(scale).unwrap_or(u128::MAX);
    Size::new(vertices, vertices.saturating_mul(u128::from(factor)))
}

/// Joint choice of up to four levels: an alias table over `4^levels` outcomes, outcome = source bits << 4 | target
/// bits.
struct QuadTable {
    slots: [Slot; 256],
    mask: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// The slot's own outcome is taken when 24 random bits are below this.
    threshold: u32,
    /// Its own outcome and the other one. An array, so that picking one is a load and not a branch.
    outcomes: [u8; 2],
}

const THRESHOLD_BITS: u32 = 24;

impl QuadTable {
    fn new(quadrants: [f64; 4], levels: u32) -> Self {
        let count = 1usize << (2 * levels);
        let mut outcomes = Vec::with_capacity(count);
        let mut share = Vec::with_capacity(count);
        for index in 0..count {
            let (mut source, mut target, mut probability) = (0u8, 0u8, 1.0);
            for level in 0..levels {
                let quadrant = index >> (2 * level) & 3;
                source = source << 1 | (quadrant >> 1) as u8;
                target = target << 1 | (quadrant & 1) as u8;
                probability *= quadrants[quadrant];
            }
            outcomes.push(source << 4 | target);
            share.push(probability * count as f64);
        }

        // Walker's method: every slot with less than its share is filled up by one with more.
        let mut slots = [Slot::default(); 256];
        let (mut small, mut large): (Vec<_>, Vec<_>) = (0..count).partition(|&i| share[i] < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            slots[poor] = Slot {
                threshold: (share[poor] * f64::from(1 << THRESHOLD_BITS)).round() as u32,
                outcomes: [outcomes[poor], outcomes[rich]],
            };
            share[rich] -= 1.0 - share[poor];
            if share[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
            if large.is_empty() {
                break;
            }
        }
        for i in small.into_iter().chain(large) {
            slots[i] = Slot { threshold: 1 << THRESHOLD_BITS, outcomes: [outcomes[i]; 2] };
        }
        QuadTable { slots, mask: count as u32 - 1 }
    }

    /// Source and target bits for 32 random bits: 8 choose the slot, 24 decide inside it.
    #[inline]
    fn pick(&self, random: u32) -> (VertexId, VertexId) {
        let slot = self.slots[(random & self.mask) as usize & 255];
        let outcome = slot.outcomes[usize::from(random >> (32 - THRESHOLD_BITS) >= slot.threshold)];
        (u32::from(outcome >> 4), u32::from(outcome & 15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn table_has_the_joint_distribution() {
        let quadrants = [0.57, 0.19, 0.19, 0.05];
        for levels in 0..=4 {
            let table = QuadTable::new(quadrants, levels);
            let count = 1usize << (2 * levels);
            let mut found = [0.0; 256];
            for slot in &table.slots[..count] {
                let own = f64::from(slot.threshold) / f64::from(1 << THRESHOLD_BITS);
                found[slot.outcomes[0] as usize] += own / count as f64;
                found[slot.outcomes[1] as usize] += (1.0 - own) / count as f64;
            }
            for source in 0..1usize << levels {
                for target in 0..1usize << levels {
                    let expected: f64 =
                        (0..levels).map(|l| quadrants[(source >> l & 1) << 1 | (target >> l & 1)]).product();
                    assert!((found[source << 4 | target] - expected).abs() < 1e-7, "{levels} {source} {target}");
                }
            }
        }
    }

    #[test]
    fn certain_quadrant_is_always_taken() {
        let table = QuadTable::new([0.0, 0.0, 0.0, 1.0], 4);
        let mut rng = Rng::new(3, 3);
        assert!((0..10_000).all(|_| table.pick(rng.next_u64() as u32) == (15, 15)));
    }
}
