//! Edge weights: none, 32-bit integers or 32-bit floats, and the trait that lets code be generic over the three.

use bytemuck::Pod;
use serde::Serialize;

use crate::Buffer;

/// The weights of an adjacency, parallel to its targets.
#[derive(Debug, PartialEq)]
pub enum Weights {
    /// An unweighted graph.
    None,
    /// Integer weights.
    Int(Buffer<i32>),
    /// Real weights.
    Float(Buffer<f32>),
}

/// A weight of a file that 32-bit floats hold as quite another number: from 2^24 on they do not hold every integer, and
/// below 1e-45 they hold nothing but 0.
/// Smaller fractions are rounded as well, by a part in 16 million at most, which is what 32-bit floats are.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundedWeight {
    /// Where it stands in the file: the line, from 1, where that is known.
    pub line: Option<u64>,
    /// The weight as written.
    pub written: String,
    /// The weight as kept.
    pub kept: f32,
}

impl std::fmt::Display for RoundedWeight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the weight {}", self.written)?;
        if let Some(line) = self.line {
            write!(f, " in line {line}")?;
        }
        // All digits: the shortest text that reads back as this float would look nearer than it is.
        match self.kept.fract() == 0.0 && self.kept.abs() < 1e38 {
            true => write!(f, " is kept as {}", self.kept as i128)?,
            false => write!(f, " is kept as {}", f64::from(self.kept))?,
        }
        f.write_str(": weights are 32 bits wide")
    }
}

/// Which kind of weights a graph carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightKind {
    /// No weights.
    None,
    /// `i32` weights.
    Int,
    /// `f32` weights.
    Float,
}

impl Weights {
    /// The kind of these weights.
    pub fn kind(&self) -> WeightKind {
        match self {
            Weights::None => WeightKind::None,
            Weights::Int(_) => WeightKind::Int,
            Weights::Float(_) => WeightKind::Float,
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Weights::None => 0,
            Weights::Int(w) => w.bytes(),
            Weights::Float(w) => w.bytes(),
        }
    }
}

/// A weight type: `()` for unweighted graphs, `i32` or `f32`.
///
/// Code that moves edges around is written once over `W: Weight`; for `()` every trace of weights compiles away.
/// A neighbour with its weight packs into one integer whose order is (target, weight), so that sorting a neighbour
/// list also brings the least weight of parallel edges to the front.
pub trait Weight: Copy + Send + Sync + PartialEq + Default + std::fmt::Debug + 'static {
    /// The kind stored.
    const KIND: WeightKind;
    /// An edge with its weight as the builder moves it: plain words.
    type Item: Pod + Send + Sync;
    /// A (target, weight) pair as one ordered integer.
    type Packed: Copy + Ord + Send + Sync + Default;

    /// Packs a neighbour.
    fn pack(target: u32, weight: Self) -> Self::Packed;
    /// The target of a packed neighbour.
    fn target(packed: Self::Packed) -> u32;
    /// The weight of a packed neighbour.
    fn weight(packed: Self::Packed) -> Self;
    /// An edge as an item.
    fn item(source: u32, target: u32, weight: Self) -> Self::Item;
    /// The source of an item and its neighbour, packed.
    fn split(item: Self::Item) -> (u32, Self::Packed);
    /// The weight as bits, if it has any.
    fn bits(self) -> Option<u32>;
    /// Inverse of [`Weight::bits`].
    fn from_bits(bits: u32) -> Self;
    /// Wraps an array of weights.
    fn wrap(weights: Vec<Self>) -> Weights;
    /// The weights of an adjacency as a slice of this type, if they are of this kind. For `()` the slice is empty.
    fn slice(weights: &Weights) -> Option<&[Self]>;
}

impl Weight for () {
    const KIND: WeightKind = WeightKind::None;
    type Item = [u32; 2];
    type Packed = u32;

    #[inline]
    fn pack(target: u32, _: ()) -> u32 {
        target
    }
    #[inline]
    fn target(packed: u32) -> u32 {
        packed
    }
    #[inline]
    fn weight(_: u32) {}
    #[inline]
    fn item(source: u32, target: u32, _: ()) -> [u32; 2] {
        [source, target]
    }
    #[inline]
    fn split([source, target]: [u32; 2]) -> (u32, u32) {
        (source, target)
    }
    fn bits(self) -> Option<u32> {
        None
    }
    fn from_bits(_: u32) {}
    fn wrap(_: Vec<()>) -> Weights {
        Weights::None
    }
    fn slice(weights: &Weights) -> Option<&[()]> {
        matches!(weights, Weights::None).then_some(&[])
    }
}

impl Weight for i32 {
    const KIND: WeightKind = WeightKind::Int;
    type Item = [u32; 3];
    type Packed = u64;

    #[inline]
    fn pack(target: u32, weight: i32) -> u64 {
        u64::from(target) << 32 | u64::from(weight as u32 ^ SIGN)
    }
    #[inline]
    fn target(packed: u64) -> u32 {
        (packed >> 32) as u32
    }
    #[inline]
    fn weight(packed: u64) -> i32 {
        (packed as u32 ^ SIGN) as i32
    }
    #[inline]
    fn item(source: u32, target: u32, weight: i32) -> [u32; 3] {
        [source, target, weight as u32]
    }
    #[inline]
    fn split([source, target, weight]: [u32; 3]) -> (u32, u64) {
        (source, Self::pack(target, <i32 as Weight>::from_bits(weight)))
    }
    fn bits(self) -> Option<u32> {
        Some(self as u32)
    }
    fn from_bits(bits: u32) -> i32 {
        bits as i32
    }
    fn wrap(weights: Vec<i32>) -> Weights {
        Weights::Int(weights.into())
    }
    fn slice(weights: &Weights) -> Option<&[i32]> {
        match weights {
            Weights::Int(w) => Some(w),
            _ => None,
        }
    }
}

impl Weight for f32 {
    const KIND: WeightKind = WeightKind::Float;
    type Item = [u32; 3];
    type Packed = u64;

    #[inline]
    fn pack(target: u32, weight: f32) -> u64 {
        // Flip all bits of negative numbers and the sign of the others: the bits then order like the numbers.
        let bits = weight.to_bits();
        let flip = ((bits as i32 >> 31) as u32) | SIGN;
        u64::from(target) << 32 | u64::from(bits ^ flip)
    }
    #[inline]
    fn target(packed: u64) -> u32 {
        (packed >> 32) as u32
    }
    #[inline]
    fn weight(packed: u64) -> f32 {
        let ordered = packed as u32;
        let flip = if ordered & SIGN != 0 { SIGN } else { u32::MAX };
        f32::from_bits(ordered ^ flip)
    }
    #[inline]
    fn item(source: u32, target: u32, weight: f32) -> [u32; 3] {
        [source, target, weight.to_bits()]
    }
    #[inline]
    fn split([source, target, weight]: [u32; 3]) -> (u32, u64) {
        (source, Self::pack(target, <f32 as Weight>::from_bits(weight)))
    }
    fn bits(self) -> Option<u32> {
        Some(self.to_bits())
    }
    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    fn wrap(weights: Vec<f32>) -> Weights {
        Weights::Float(weights.into())
    }
    fn slice(weights: &Weights) -> Option<&[f32]> {
        match weights {
            Weights::Float(w) => Some(w),
            _ => None,
        }
    }
}

const SIGN: u32 = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packed_integers_order_by_target_then_weight(a: (u32, i32), b: (u32, i32)) {
            prop_assert_eq!(i32::pack(a.0, a.1).cmp(&i32::pack(b.0, b.1)), a.cmp(&b));
            prop_assert_eq!(i32::weight(i32::pack(a.0, a.1)), a.1);
            prop_assert_eq!(i32::target(i32::pack(a.0, a.1)), a.0);
        }

        #[test]
        fn packed_floats_order_by_weight(a in -1e30f32..1e30, b in -1e30f32..1e30) {
            prop_assert_eq!(f32::pack(7, a) < f32::pack(7, b), a < b);
            prop_assert_eq!(f32::weight(f32::pack(7, a)), a);
        }
    }
}
