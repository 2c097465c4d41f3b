//! Weights that can be combined where an edge is inserted twice.

use gw_graph::format::keeps_every_digit;
use gw_graph::{Weight, WeightKind};

/// A weight of an edge that may come and go: `()`, `i32`, `f32`, `i64` or `f64`.
pub trait EdgeWeight: Weight {
    /// The lesser of two.
    fn least(self, other: Self) -> Self;
    /// Both together; integers stop at their bounds.
    fn sum(self, other: Self) -> Self;
    /// True for everything but infinities and NaN.
    fn is_fine(self) -> bool;
    /// The weight in a message.
    fn text(self) -> String;
    /// The weight that a word of a text tells, or that no word does.
    fn parse(word: Option<&str>) -> Option<Self>;
}

impl EdgeWeight for () {
    fn least(self, (): ()) {}
    fn sum(self, (): ()) {}
    fn is_fine(self) -> bool {
        true
    }
    fn parse(_: Option<&str>) -> Option<()> {
        Some(())
    }
    fn text(self) -> String {
        String::new()
    }
}

macro_rules! whole_weight {
    ($type:ty) => {
        impl EdgeWeight for $type {
            fn least(self, other: $type) -> $type {
                self.min(other)
            }
            fn sum(self, other: $type) -> $type {
                self.saturating_add(other)
            }
            fn is_fine(self) -> bool {
                true
            }
            fn parse(word: Option<&str>) -> Option<$type> {
                word?.parse().ok()
            }
            fn text(self) -> String {
                self.to_string()
            }
        }
    };
}

macro_rules! real_weight {
    ($type:ty) => {
        impl EdgeWeight for $type {
            fn least(self, other: $type) -> $type {
                self.min(other)
            }
            fn sum(self, other: $type) -> $type {
                (self + other).clamp(<$type>::MIN, <$type>::MAX)
            }
            fn is_fine(self) -> bool {
                self.is_finite()
            }
            fn parse(word: Option<&str>) -> Option<$type> {
                let weight: $type = word?.parse().ok().filter(|weight: &$type| weight.is_finite())?;
                // Graphs have reals of 32 bits where somebody asked for them: these round.
                let rounds = <$type as Weight>::KIND == WeightKind::Float;
                let is_kept = rounds || keeps_every_digit(word?, weight.into());
                is_kept.then_some(weight)
            }
            fn text(self) -> String {
                self.to_string()
            }
        }
    };
}

whole_weight!(i32);
whole_weight!(i64);
real_weight!(f32);
real_weight!(f64);

/// The kind in a message.
pub(crate) fn kind_name(kind: WeightKind) -> &'static str {
    match kind {
        WeightKind::None => "no",
        WeightKind::Int => "integer",
        WeightKind::Float => "real",
        WeightKind::Int64 => "64-bit integer",
        WeightKind::Double => "64-bit real",
    }
}
