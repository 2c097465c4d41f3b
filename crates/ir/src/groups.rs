//! Grouped neighbourhoods: what is grouped, how the values of a group are combined, and what is chosen.

use crate::expr::{Expr, ExprKind, FunctionRef, ReduceOp};
use crate::module::Function;
use crate::stmt::StmtKind;
use crate::types::{Scalar, Type};

/// The edges of a vertex, grouped by a key, with one value per group.
///
/// Every edge `(v, n)` of the vertex has a key, `key(v, n[, weight])`; edges with a negative key are left out. The
/// value of a group is the sum, the least or the greatest of `value(v, n[, weight])` of its edges, or their number.
/// Functions are called in no particular order, and none of them sees what the choice writes. How values are kept, so
/// that they do not depend on the order of additions, is the subject of [`Encoding`].
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourGroups {
    /// The graph, a variable.
    pub graph: Expr,
    /// The vertex, a variable.
    pub vertex: Expr,
    /// The key of an edge, an `int`.
    pub key: FunctionRef,
    /// The value of an edge; `None` counts edges.
    pub value: Option<FunctionRef>,
    /// `Sum`, `Min` or `Max`.
    pub combine: ReduceOp,
    /// What is chosen, and so the value of the expression.
    pub choice: GroupChoice,
}

/// What is chosen among the groups of a vertex.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupChoice {
    /// The key whose `score(v, key, value)` is greatest, the least among equals; -1 where no score is a number. The key
    /// `own` is offered with the value 0 where it is no group's, unless it is negative.
    Best {
        /// The function `(vertex, key, value) -> double`.
        score: FunctionRef,
        /// A key that is offered in any case.
        own: Option<Expr>,
    },
    /// Calls `visit(v, key, value)` for every group; the value is 0.
    Each(FunctionRef),
    /// The number of groups.
    Count,
    /// The least number from 0 on that is no group's key.
    LeastAbsent,
}

/// How the value of a group is kept: as a 64-bit word, whose sum, least and greatest are those of whole numbers. So the
/// value is the same whoever adds first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// A signed number.
    Signed,
    /// An unsigned number, for sums.
    Unsigned,
    /// An unsigned number with its highest bit turned, so that signed comparison orders it.
    Flipped,
    /// A real number, for sums: in units of a power of two that is the same for all edges of the vertex, and so small
    /// that the sum of their magnitudes is below 2^62. See [`fixed_shift`].
    Fixed,
    /// A real number, mapped to whole numbers in the same order.
    Ordered,
}

impl Encoding {
    /// How values of this type are kept for this combination.
    pub fn of(combine: ReduceOp, value: Scalar) -> Encoding {
        let sum = combine == ReduceOp::Sum;
        match value {
            Scalar::Float | Scalar::Double if sum => Encoding::Fixed,
            Scalar::Float | Scalar::Double => Encoding::Ordered,
            Scalar::Uint | Scalar::Uint64 if sum => Encoding::Unsigned,
            Scalar::Uint | Scalar::Uint64 => Encoding::Flipped,
            Scalar::Int | Scalar::Int64 | Scalar::Bool | Scalar::String => Encoding::Signed,
        }
    }

    /// The type in which a word is read back, before it is converted to what a function takes.
    pub fn scalar(self) -> Scalar {
        match self {
            Encoding::Signed => Scalar::Int64,
            Encoding::Unsigned | Encoding::Flipped => Scalar::Uint64,
            Encoding::Fixed | Encoding::Ordered => Scalar::Double,
        }
    }
}

/// The power of two, as an exponent, by which reals are multiplied before they are added up as whole numbers: of
/// `edges` values, the greatest magnitude of which has these bits as a double. `None` where one of them is no finite
/// number: then no sum of the vertex is a number.
pub fn fixed_shift(greatest: u64, edges: u64) -> Option<i32> {
    let exponent = (greatest >> 52) as i32;
    if exponent == 0x7ff {
        return None;
    }
    // All values are below 2^(exponent - 1022), all edges are fewer than 2^bits.
    let bits = 64 - edges.leading_zeros() as i32;
    Some((62 - bits - (exponent - 1022)).clamp(-1022, 1022))
}

impl NeighbourGroups {
    /// The groups with which the body of a function over vertices begins.
    pub fn of(function: &Function) -> Option<&NeighbourGroups> {
        match function.body.as_ref()?.first().map(|stmt| &stmt.kind) {
            Some(StmtKind::VarDecl { init: Some(Expr { kind: ExprKind::Groups(groups), .. }), .. }) => Some(groups),
            _ => None,
        }
    }

    /// The functions that are called for edges, then the one called for groups.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionRef> {
        let of_group = match &self.choice {
            GroupChoice::Best { score: function, .. } | GroupChoice::Each(function) => Some(function),
            GroupChoice::Count | GroupChoice::LeastAbsent => None,
        };
        std::iter::once(&self.key).chain(&self.value).chain(of_group)
    }

    /// [`NeighbourGroups::functions`] to change them.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut FunctionRef> {
        let of_group = match &mut self.choice {
            GroupChoice::Best { score: function, .. } | GroupChoice::Each(function) => Some(function),
            GroupChoice::Count | GroupChoice::LeastAbsent => None,
        };
        std::iter::once(&mut self.key).chain(&mut self.value).chain(of_group)
    }

    /// How values are kept, by the type that the value function gives.
    pub fn encoding(&self, value: Option<&Type>) -> Encoding {
        match value.and_then(Type::scalar) {
            Some(scalar) if self.value.is_some() => Encoding::of(self.combine, scalar),
            _ => Encoding::Signed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_sums_keep_whole_numbers_and_never_overflow() {
        for (value, edges) in [(1.0f64, 1u64), (3.0, 1 << 20), (1e-300, 7), (f64::MAX, 1 << 31), (f64::MIN_POSITIVE, 3)]
        {
            let shift = fixed_shift(value.to_bits(), edges).unwrap();
            let unit = value * 2f64.powi(shift);
            assert!(unit * (edges as f64) < 2f64.powi(62), "{value} {edges}");
        }
        // Whole numbers below 2^20 are exact for a million edges.
        let shift = fixed_shift(1048575f64.to_bits(), 1 << 20).unwrap();
        assert!(shift >= 0, "{shift}");
        assert_eq!(fixed_shift(f64::INFINITY.to_bits(), 1), None);
        assert_eq!(fixed_shift(f64::NAN.to_bits(), 1), None);
    }
}
