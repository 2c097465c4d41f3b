//! Lengths of paths as validators work them out: whole numbers of 128 bits, which no sum exceeds, or reals, rounded
//! after every edge as programs round them.

use std::cmp::Ordering;
use std::fmt::{Debug, Display};
use std::ops::{Add, Sub};

use gw_graph::{Graph, Weights};

use super::{Invalid, Run, int_weight, real_weight};
use crate::results::{Number, Values};

/// A length of a path.
pub(crate) trait Length:
    Copy + PartialOrd + Debug + Display + Add<Output = Self> + Sub<Output = Self> + Send + Sync + 'static
{
    /// The length of a path without edges.
    const ZERO: Self;
    /// More than any length.
    const FAR: Self;
    /// The greatest length of 64 bits.
    const GREATEST: Self;
    /// How far sums in another order may differ, by their size.
    const TOLERANCE: f64;

    /// The length of the edge at this position.
    fn of_edge(weights: &Weights, edge: usize) -> Self;
    /// A scalar result, if it is of this kind.
    fn of_number(number: Number) -> Option<Self>;
    /// The entries of a vector, and the one that stands for "out of reach".
    fn entries(values: Values<'_>) -> Option<(Vec<Self>, Self)>;
    /// Order, also among reals: results have no NaN where this is asked.
    fn compare(self, other: Self) -> Ordering;
    /// The nearest real number.
    fn real(self) -> f64;

    /// Equal, or as near as sums in another order are.
    fn is_near(self, other: Self, size: f64) -> bool {
        self == other || (self.real() - other.real()).abs() <= Self::TOLERANCE * size
    }
}

impl Length for i128 {
    const ZERO: i128 = 0;
    const FAR: i128 = i128::MAX;
    const GREATEST: i128 = i64::MAX as i128 - 1;
    const TOLERANCE: f64 = 0.0;

    fn of_edge(weights: &Weights, edge: usize) -> i128 {
        int_weight(weights, edge).into()
    }

    fn of_number(number: Number) -> Option<i128> {
        match number {
            Number::Integer(value) => Some(value),
            Number::Real(_) => None,
        }
    }

    fn entries(values: Values<'_>) -> Option<(Vec<i128>, i128)> {
        match values {
            Values::Int(v) => Some((v.iter().map(|&entry| entry.into()).collect(), i32::MAX.into())),
            Values::Int64(v) => Some((v.iter().map(|&entry| entry.into()).collect(), i64::MAX.into())),
            _ => None,
        }
    }

    fn compare(self, other: i128) -> Ordering {
        self.cmp(&other)
    }

    fn real(self) -> f64 {
        self as f64
    }
}

impl Length for f64 {
    const ZERO: f64 = 0.0;
    const FAR: f64 = f64::INFINITY;
    const GREATEST: f64 = f64::MAX;
    const TOLERANCE: f64 = 1e-9;

    fn of_edge(weights: &Weights, edge: usize) -> f64 {
        real_weight(weights, edge)
    }

    fn of_number(number: Number) -> Option<f64> {
        match number {
            Number::Real(value) => Some(value),
            Number::Integer(_) => None,
        }
    }

    fn entries(values: Values<'_>) -> Option<(Vec<f64>, f64)> {
        match values {
            Values::Double(v) => Some((v.into_owned(), f64::INFINITY)),
            _ => None,
        }
    }

    fn compare(self, other: f64) -> Ordering {
        self.total_cmp(&other)
    }

    fn real(self) -> f64 {
        self
    }
}

/// A length with something that it belongs to, for heaps: ordered by the length, then by that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct At<L, T>(pub(crate) L, pub(crate) T);

impl<L: Length, T: Ord> Eq for At<L, T> {}

impl<L: Length, T: Ord> PartialOrd for At<L, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<L: Length, T: Ord> Ord for At<L, T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(other.0).then_with(|| self.1.cmp(&other.1))
    }
}

/// Whether programs that follow the weights of a graph have real lengths on it.
pub(crate) fn are_real(graph: &Graph) -> bool {
    graph.weight_kind().is_real()
}

impl Run<'_> {
    /// A vector of lengths with an entry per vertex, and the entry that stands for "out of reach".
    pub(crate) fn lengths<L: Length>(&self, name: &'static str) -> Result<(Vec<L>, L), Invalid> {
        let (entries, far) = self.length_list(name)?;
        self.one_per_vertex(name, entries.len())?;
        Ok((entries, far))
    }

    /// A vector of lengths, whatever it has entries for.
    pub(crate) fn length_list<L: Length>(&self, name: &'static str) -> Result<(Vec<L>, L), Invalid> {
        let values = self.results.vector(name).ok_or(Invalid::Missing(name))?;
        let found = values.type_name();
        L::entries(values).ok_or(Invalid::WrongType { name, found, expected: expected::<L>() })
    }

    /// A scalar result that is a length.
    pub(crate) fn length<L: Length>(&self, name: &'static str) -> Result<L, Invalid> {
        let number = self.results.scalar(name).ok_or(Invalid::Missing(name))?;
        let found = if matches!(number, Number::Real(_)) { "double" } else { "int" };
        L::of_number(number).ok_or(Invalid::WrongType { name, found, expected: expected::<L>() })
    }

    /// The type of a vector of lengths in words of the language, for remarks.
    pub(crate) fn type_of(&self, name: &str) -> &'static str {
        self.results.vector(name).map_or("int", |values| values.type_name())
    }
}

fn expected<L: Length>() -> &'static str {
    if L::TOLERANCE > 0.0 { "double" } else { "int" }
}

/// The program that has lengths of another type where this one does not hold them, as half a sentence; nothing for
/// reals, of which there are no greater ones.
pub(crate) fn real_instead(type_name: &str) -> &'static str {
    if type_name == "double" { "" } else { "; `sssp-real` has distances of type double" }
}
