//! Weights that can be combined where an edge is inserted twice.

use gw_graph::{Weight, WeightKind};

/// A weight of an edge that may come and go: `()`, `i32` or `f32`.
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

impl EdgeWeight for i32 {
    fn least(self, other: i32) -> i32 {
        self.min(other)
    }
    fn sum(self, other: i32) -> i32 {
        self.saturating_add(other)
    }
    fn is_fine(self) -> bool {
        true
    }
    fn parse(word: Option<&str>) -> Option<i32> {
        word?.parse().ok()
    }
    fn text(self) -> String {
        self.to_string()
    }
}

impl EdgeWeight for f32 {
    fn least(self, other: f32) -> f32 {
        self.min(other)
    }
    fn sum(self, other: f32) -> f32 {
        (self + other).clamp(f32::MIN, f32::MAX)
    }
    fn is_fine(self) -> bool {
        self.is_finite()
    }
    fn parse(word: Option<&str>) -> Option<f32> {
        word?.parse().ok().filter(|weight: &f32| weight.is_finite())
    }
    fn text(self) -> String {
        self.to_string()
    }
}

/// The kind in a message.
pub(crate) fn kind_name(kind: WeightKind) -> &'static str {
    match kind {
        WeightKind::None => "no",
        WeightKind::Int => "integer",
        WeightKind::Float => "real",
    }
}
