//! Edge weights: none, integers or reals of 32 or 64 bits, and the trait that lets code be generic over all of them.

use std::fmt;
use std::str::FromStr;

use bytemuck::Pod;
use serde::Serialize;

use crate::Buffer;

/// The weights of an adjacency, parallel to its targets.
#[derive(Debug, PartialEq)]
pub enum Weights {
    /// An unweighted graph.
    None,
    /// Integers of 32 bits.
    Int(Buffer<i32>),
    /// Reals of 32 bits.
    Float(Buffer<f32>),
    /// Integers of 64 bits.
    Int64(Buffer<i64>),
    /// Reals of 64 bits.
    Double(Buffer<f64>),
}

/// Runs an expression with `$W` as the type of the weights of a [`WeightKind`]: `()`, `i32`, `f32`, `i64` or `f64`.
///
/// ```
/// use gw_graph::{WeightKind, with_weight_type};
/// let size = |kind: WeightKind| with_weight_type!(kind, W => size_of::<W>());
/// assert_eq!([WeightKind::None, WeightKind::Float, WeightKind::Double].map(size), [0, 4, 8]);
/// ```
#[macro_export]
macro_rules! with_weight_type {
    ($kind:expr, $W:ident => $body:expr) => {
        match $kind {
            $crate::WeightKind::None => {
                type $W = ();
                $body
            }
            $crate::WeightKind::Int => {
                type $W = i32;
                $body
            }
            $crate::WeightKind::Float => {
                type $W = f32;
                $body
            }
            $crate::WeightKind::Int64 => {
                type $W = i64;
                $body
            }
            $crate::WeightKind::Double => {
                type $W = f64;
                $body
            }
        }
    };
}

/// Runs an expression with the buffer of [`Weights`], whatever their type, or another where there are none.
///
/// ```
/// use gw_graph::{Weights, with_weights};
/// let weights = Weights::Double(vec![0.1, 0.2].into());
/// assert_eq!(with_weights!(&weights, none => 0, w => w.len()), 2);
/// ```
#[macro_export]
macro_rules! with_weights {
    ($weights:expr, none => $none:expr, $w:ident => $body:expr) => {
        match $weights {
            $crate::Weights::None => $none,
            $crate::Weights::Int($w) => $body,
            $crate::Weights::Float($w) => $body,
            $crate::Weights::Int64($w) => $body,
            $crate::Weights::Double($w) => $body,
        }
    };
}

/// A weight that is kept as another number: a file writes more digits than 64-bit reals hold, or a narrower type was
/// asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundedWeight {
    /// Where it stands in the file: the line, from 1, where that is known.
    pub line: Option<u64>,
    /// The weight as written.
    pub written: String,
    /// The weight as kept.
    pub kept: f64,
    /// The type of weights that it is kept as.
    pub kind: WeightKind,
    /// The type was asked for, whatever is lost.
    pub asked: bool,
}

impl fmt::Display for RoundedWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the weight {}", self.written)?;
        if let Some(line) = self.line {
            write!(f, " in line {line}")?;
        }
        // All digits: the shortest text that reads back as this number would look nearer than it is.
        match self.kept.fract() == 0.0 && self.kept.abs() < 1e38 {
            true => write!(f, " is kept as {}", self.kept as i128)?,
            false => write!(f, " is kept as {}", self.kept)?,
        }
        let why = match self.kind {
            WeightKind::None => "there are no weights",
            WeightKind::Int | WeightKind::Int64 => "weights are whole numbers",
            WeightKind::Float => "weights are reals of 32 bits",
            WeightKind::Double => "weights are reals of 64 bits",
        };
        write!(f, ": {why}")
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
    /// `i64` weights.
    Int64,
    /// `f64` weights.
    Double,
}

impl WeightKind {
    /// The types of weights.
    pub const TYPES: [WeightKind; 4] = [WeightKind::Int, WeightKind::Int64, WeightKind::Float, WeightKind::Double];

    /// The word for it: `none`, `int`, `int64`, `float` or `double`.
    pub fn word(self) -> &'static str {
        match self {
            WeightKind::None => "none",
            WeightKind::Int => "int",
            WeightKind::Float => "float",
            WeightKind::Int64 => "int64",
            WeightKind::Double => "double",
        }
    }

    /// Bytes of one weight.
    pub fn bytes(self) -> usize {
        with_weight_type!(self, W => size_of::<W>())
    }

    /// Whether weights are whole numbers by their type.
    pub fn is_whole(self) -> bool {
        matches!(self, WeightKind::Int | WeightKind::Int64)
    }

    /// Whether weights may have fractions.
    pub fn is_real(self) -> bool {
        matches!(self, WeightKind::Float | WeightKind::Double)
    }
}

impl fmt::Display for WeightKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for WeightKind {
    type Err = String;

    /// A type of weights by its word; `float32`, `float64`, `int32` and `int_64` are understood as well.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "int" | "int32" => Ok(WeightKind::Int),
            "int64" | "int_64" => Ok(WeightKind::Int64),
            "float" | "float32" => Ok(WeightKind::Float),
            "double" | "float64" => Ok(WeightKind::Double),
            _ => Err(format!("`{text}` is no type of weights: use int, int64, float or double")),
        }
    }
}

impl Weights {
    /// The kind of these weights.
    pub fn kind(&self) -> WeightKind {
        match self {
            Weights::None => WeightKind::None,
            Weights::Int(_) => WeightKind::Int,
            Weights::Float(_) => WeightKind::Float,
            Weights::Int64(_) => WeightKind::Int64,
            Weights::Double(_) => WeightKind::Double,
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        with_weights!(self, none => 0, w => w.bytes())
    }

    /// How many weights there are; `None` without weights.
    pub fn count(&self) -> Option<usize> {
        with_weights!(self, none => None, w => Some(w.len()))
    }

    /// The weights as plain bytes, in the order of the machine.
    pub fn as_bytes(&self) -> &[u8] {
        with_weights!(self, none => &[], w => bytemuck::cast_slice(w))
    }

    /// The weight at a position as a real number; `None` without weights or such a position.
    pub fn real(&self, edge: usize) -> Option<f64> {
        with_weights!(self, none => None, w => w.get(edge).map(|&weight| weight.real()))
    }
}

/// A weight type: `()` for unweighted graphs, `i32`, `f32`, `i64` or `f64`.
///
/// Code that moves edges around is written once over `W: Weight`; for `()` every trace of weights compiles away.
/// A neighbour with its weight packs into one integer whose order is (target, weight), so that sorting a neighbour
/// list also brings the least weight of parallel edges to the front.
pub trait Weight: Copy + Send + Sync + PartialEq + PartialOrd + Default + fmt::Debug + 'static {
    /// The kind stored.
    const KIND: WeightKind;
    /// Words of 32 bits that a weight takes.
    const WORDS: usize;
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
    fn bits(self) -> Option<u64>;
    /// Writes the weight to as many words as it takes.
    fn put(self, words: &mut [u32]);
    /// Inverse of [`Weight::put`].
    fn take(words: &[u32]) -> Self;
    /// The weight as a real number; 1 for an edge without one.
    fn real(self) -> f64;
    /// Whether the weight is a number: neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Wraps an array of weights.
    fn wrap(weights: Vec<Self>) -> Weights;
    /// The weights of an adjacency as a slice of this type, if they are of this kind. For `()` the slice is empty.
    fn slice(weights: &Weights) -> Option<&[Self]>;
}

impl Weight for () {
    const KIND: WeightKind = WeightKind::None;
    const WORDS: usize = 0;
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
    #[inline]
    fn bits(self) -> Option<u64> {
        None
    }
    #[inline]
    fn put(self, _: &mut [u32]) {}
    #[inline]
    fn take(_: &[u32]) {}
    #[inline]
    fn real(self) -> f64 {
        1.0
    }
    #[inline]
    fn is_finite(self) -> bool {
        true
    }
    fn wrap(_: Vec<()>) -> Weights {
        Weights::None
    }
    fn slice(weights: &Weights) -> Option<&[()]> {
        matches!(weights, Weights::None).then_some(&[])
    }
}

/// A number as bits that order like the numbers.
trait Ordered: Copy {
    type Bits: Copy;
    fn ordered(self) -> Self::Bits;
    fn of_ordered(bits: Self::Bits) -> Self;
}

macro_rules! ordered_whole {
    ($type:ty, $bits:ty) => {
        impl Ordered for $type {
            type Bits = $bits;
            #[inline]
            fn ordered(self) -> $bits {
                self as $bits ^ (1 << (<$bits>::BITS - 1))
            }
            #[inline]
            fn of_ordered(bits: $bits) -> $type {
                (bits ^ (1 << (<$bits>::BITS - 1))) as $type
            }
        }
    };
}

macro_rules! ordered_real {
    ($type:ty, $bits:ty, $signed:ty) => {
        impl Ordered for $type {
            type Bits = $bits;
            #[inline]
            fn ordered(self) -> $bits {
                // Flip all bits of negative numbers and the sign of the others: the bits then order like the numbers.
                let bits = self.to_bits();
                bits ^ ((bits as $signed >> (<$bits>::BITS - 1)) as $bits | (1 << (<$bits>::BITS - 1)))
            }
            #[inline]
            fn of_ordered(bits: $bits) -> $type {
                let sign: $bits = 1 << (<$bits>::BITS - 1);
                <$type>::from_bits(bits ^ if bits & sign != 0 { sign } else { <$bits>::MAX })
            }
        }
    };
}

ordered_whole!(i32, u32);
ordered_whole!(i64, u64);
ordered_real!(f32, u32, i32);
ordered_real!(f64, u64, i64);

macro_rules! number_weight {
    ($type:ty, $kind:ident, $words:literal, $bits:ty, $packed:ty, $is_finite:expr) => {
        impl Weight for $type {
            const KIND: WeightKind = WeightKind::$kind;
            const WORDS: usize = $words;
            type Item = [u32; 2 + $words];
            type Packed = $packed;

            #[inline]
            fn pack(target: u32, weight: $type) -> $packed {
                <$packed>::from(target) << <$bits>::BITS | <$packed>::from(weight.ordered())
            }
            #[inline]
            fn target(packed: $packed) -> u32 {
                (packed >> <$bits>::BITS) as u32
            }
            #[inline]
            fn weight(packed: $packed) -> $type {
                <$type>::of_ordered(packed as $bits)
            }
            #[inline]
            fn item(source: u32, target: u32, weight: $type) -> Self::Item {
                let mut item = [0; 2 + $words];
                item[0] = source;
                item[1] = target;
                weight.put(&mut item[2..]);
                item
            }
            #[inline]
            fn split(item: Self::Item) -> (u32, $packed) {
                (item[0], Self::pack(item[1], Self::take(&item[2..])))
            }
            #[inline]
            fn bits(self) -> Option<u64> {
                Some(<$bits>::from_ne_bytes(self.to_ne_bytes()).into())
            }
            #[inline]
            fn put(self, words: &mut [u32]) {
                let bits = u64::from(<$bits>::from_ne_bytes(self.to_ne_bytes()));
                for (at, word) in words.iter_mut().take($words).enumerate() {
                    *word = (bits >> (32 * at)) as u32;
                }
            }
            #[inline]
            fn take(words: &[u32]) -> $type {
                let mut bits = 0u64;
                for (at, &word) in words.iter().take($words).enumerate() {
                    bits |= u64::from(word) << (32 * at);
                }
                <$type>::from_ne_bytes((bits as $bits).to_ne_bytes())
            }
            #[inline]
            fn real(self) -> f64 {
                self as f64
            }
            #[inline]
            fn is_finite(self) -> bool {
                let is_finite: fn($type) -> bool = $is_finite;
                is_finite(self)
            }
            fn wrap(weights: Vec<$type>) -> Weights {
                Weights::$kind(weights.into())
            }
            fn slice(weights: &Weights) -> Option<&[$type]> {
                match weights {
                    Weights::$kind(w) => Some(w),
                    _ => None,
                }
            }
        }
    };
}

number_weight!(i32, Int, 1, u32, u64, |_| true);
number_weight!(f32, Float, 1, u32, u64, f32::is_finite);
number_weight!(i64, Int64, 2, u64, u128, |_| true);
number_weight!(f64, Double, 2, u64, u128, f64::is_finite);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moved<W: Weight>(weight: W) -> W {
        W::weight(W::split(W::item(3, 9, weight)).1)
    }

    proptest! {
        #[test]
        fn packed_integers_order_by_target_then_weight(a: (u32, i32), b: (u32, i32), c: (u32, i64), d: (u32, i64)) {
            prop_assert_eq!(i32::pack(a.0, a.1).cmp(&i32::pack(b.0, b.1)), a.cmp(&b));
            prop_assert_eq!(i32::weight(i32::pack(a.0, a.1)), a.1);
            prop_assert_eq!(i32::target(i32::pack(a.0, a.1)), a.0);
            prop_assert_eq!(i64::pack(c.0, c.1).cmp(&i64::pack(d.0, d.1)), c.cmp(&d));
            prop_assert_eq!((i64::target(i64::pack(c.0, c.1)), moved(c.1), moved(a.1)), (c.0, c.1, a.1));
        }

        #[test]
        fn packed_floats_order_by_weight(a in -1e30f32..1e30, b in -1e30f32..1e30, c in -1e300..1e300, d in -1e300..1e300) {
            prop_assert_eq!(f32::pack(7, a) < f32::pack(7, b), a < b);
            prop_assert_eq!(f32::weight(f32::pack(7, a)), a);
            prop_assert_eq!(f64::pack(7, c) < f64::pack(7, d), c < d);
            prop_assert_eq!((f64::weight(f64::pack(7, c)), moved(d), moved(b)), (c, d, b));
        }
    }

    #[test]
    fn words_name_types_and_back() {
        for kind in WeightKind::TYPES {
            assert_eq!(kind.word().parse(), Ok(kind));
        }
        assert_eq!("float32".parse(), Ok(WeightKind::Float));
        assert!("decimal".parse::<WeightKind>().is_err());
    }
}
