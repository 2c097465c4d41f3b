//! The column of weights: numbers of the narrowest type that holds all of them exactly.
//!
//! | what stands in the column | weights |
//! |---|---|
//! | whole numbers of 32 bits | `int` |
//! | whole numbers of 64 bits | `int64` |
//! | numbers that 32-bit reals hold exactly, such as 0.5 | `float` |
//! | all others, such as 0.1 | `double`, rounded to the nearest |
//!
//! A number is whole by how it is written: `5`, not `5.0` or `5e0`. The outcome never depends on where blocks are cut.

use std::marker::PhantomData;
use std::path::Path;

use super::cursor::Cursor;
use super::edge_lines::{Assembled, Column, Part, list};
use super::rounded::Rounded;
use super::text::Fault;
use crate::parallel;
use crate::{AnyEdgeList, Result, RoundedWeight, WeightKind};

/// What a format says about its weights.
pub(crate) trait Numbers: Send {
    /// Weights are whole numbers: fractions are refused.
    const WHOLE: bool;
    /// Weights are reals, however they are written.
    const REAL: bool;
}

/// Whole numbers or reals, as the column has them.
pub(crate) struct Any;
/// Whole numbers.
pub(crate) struct Whole;
/// Reals.
pub(crate) struct Real;

impl Numbers for Any {
    const WHOLE: bool = false;
    const REAL: bool = false;
}
impl Numbers for Whole {
    const WHOLE: bool = true;
    const REAL: bool = false;
}
impl Numbers for Real {
    const WHOLE: bool = false;
    const REAL: bool = true;
}

/// Weights of any type.
pub(crate) type AnyWeights = WeightColumn<Any>;
/// Weights that are whole numbers.
pub(crate) type WholeWeights = WeightColumn<Whole>;
/// Weights that are reals.
pub(crate) type RealWeights = WeightColumn<Real>;

/// The weights of a block.
pub(crate) struct WeightColumn<N> {
    values: Values,
    /// The first number that is kept as another, among those read as reals.
    rounded: Option<Rounded>,
    /// The same among those read as whole numbers.
    rounded_whole: Option<i64>,
    numbers: PhantomData<N>,
}

enum Values {
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Reals {
        values: Vec<f64>,
        /// Whether 32-bit reals hold all of them exactly.
        narrow: bool,
    },
}

impl Values {
    fn kind(&self) -> WeightKind {
        match self {
            Values::Ints(_) => WeightKind::Int,
            Values::Longs(_) => WeightKind::Int64,
            Values::Reals { narrow: true, .. } => WeightKind::Float,
            Values::Reals { narrow: false, .. } => WeightKind::Double,
        }
    }
}

/// Whether 32-bit reals hold a number exactly.
#[inline]
pub(crate) fn is_narrow(value: f64) -> bool {
    f64::from(value as f32) == value
}

impl<N: Numbers> WeightColumn<N> {
    #[cold]
    fn longs(&mut self) -> &mut Vec<i64> {
        if let Values::Ints(ints) = &self.values {
            let mut longs = Vec::with_capacity(ints.capacity());
            longs.extend(ints.iter().map(|&int| i64::from(int)));
            self.values = Values::Longs(longs);
        }
        match &mut self.values {
            Values::Longs(longs) => longs,
            Values::Ints(_) | Values::Reals { .. } => unreachable!("made whole numbers of 64 bits above"),
        }
    }

    #[cold]
    fn make_reals(&mut self) {
        let (values, narrow) = match &self.values {
            Values::Reals { .. } => return,
            Values::Ints(ints) => {
                let mut reals = Vec::with_capacity(ints.capacity());
                reals.extend(ints.iter().map(|&int| f64::from(int)));
                let narrow = reals.iter().copied().all(is_narrow);
                (reals, narrow)
            }
            Values::Longs(longs) => {
                let mut reals = Vec::with_capacity(longs.capacity());
                reals.extend(longs.iter().map(|&long| long as f64));
                self.rounded_whole = longs.iter().copied().find(|&long| long as f64 as i128 != i128::from(long));
                let narrow = self.rounded_whole.is_none() && reals.iter().copied().all(is_narrow);
                (reals, narrow)
            }
        };
        self.values = Values::Reals { values, narrow };
    }

    /// Reads a number that is not written as a whole one of 32 bits, or stands behind such a number.
    fn read_wide(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        let start = cursor.at;
        if !matches!(self.values, Values::Reals { .. })
            && let Some((negative, size)) = cursor.integer()
        {
            if let Some(value) = as_i64(negative, size) {
                self.longs().push(value);
                return Ok(());
            }
            cursor.at = start;
            if N::WHOLE {
                return Err(too_wide(cursor));
            }
        }
        if N::WHOLE {
            return Err(cursor.expected("an integer weight"));
        }
        self.make_reals();
        let value = cursor.real()?;
        if self.rounded.is_none() && Rounded::is_possible(value) {
            self.rounded = Rounded::find(cursor, start, value);
        }
        if let Values::Reals { values, narrow } = &mut self.values {
            *narrow = *narrow && is_narrow(value);
            values.push(value);
        }
        Ok(())
    }
}

impl<N: Numbers> Column for WeightColumn<N> {
    const PRESENT: bool = true;
    fn with_capacity(capacity: usize) -> Self {
        let values = match N::REAL {
            true => Values::Reals { values: Vec::with_capacity(capacity), narrow: true },
            false => Values::Ints(Vec::with_capacity(capacity)),
        };
        WeightColumn { values, rounded: None, rounded_whole: None, numbers: PhantomData }
    }

    #[inline]
    fn read(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        if let Values::Ints(ints) = &mut self.values {
            let start = cursor.at;
            if let Some((negative, size)) = cursor.integer()
                && let Some(value) = as_i64(negative, size).and_then(|value| i32::try_from(value).ok())
            {
                ints.push(value);
                return Ok(());
            }
            cursor.at = start;
        }
        self.read_wide(cursor)
    }

    fn push_whole(&mut self, value: i64) {
        match (&mut self.values, i32::try_from(value)) {
            (Values::Ints(ints), Ok(value)) => ints.push(value),
            (Values::Reals { values, narrow }, _) => {
                *narrow = *narrow && is_narrow(value as f64);
                values.push(value as f64);
            }
            _ => self.longs().push(value),
        }
    }

    fn assemble(_: &Path, vertices: usize, parts: Vec<Part<Self>>, first_lines: &[u64]) -> Result<Assembled> {
        let kinds: Vec<WeightKind> = parts.iter().map(|(_, column)| column.values.kind()).collect();
        if kinds.iter().all(|&kind| kind == WeightKind::Int) {
            let parts = parts.into_iter().map(|(edges, column)| match column.values {
                Values::Ints(ints) => (edges, ints),
                Values::Longs(_) | Values::Reals { .. } => unreachable!("all are integers of 32 bits"),
            });
            return Ok(AnyEdgeList::Int(list(vertices, parts)).into());
        }
        if kinds.iter().all(|kind| kind.is_whole()) {
            let parts = parts.into_iter().map(|(edges, mut column)| (edges, std::mem::take(column.longs())));
            return Ok(AnyEdgeList::Int64(list(vertices, parts)).into());
        }
        let parts: Vec<_> = parallel::map_items(parts, |(edges, mut column)| {
            column.make_reals();
            match column.values {
                Values::Reals { values, narrow } => (edges, values, narrow, column.rounded_whole, column.rounded),
                Values::Ints(_) | Values::Longs(_) => unreachable!("made reals above"),
            }
        });
        // Those read as whole numbers have no line; those that have one are told first.
        let of_whole = parts.iter().find_map(|(.., whole, _)| *whole).map(|whole| RoundedWeight {
            line: None,
            written: whole.to_string(),
            kept: whole as f64,
            kind: WeightKind::Double,
            asked: false,
        });
        let rounded = Rounded::first(parts.iter().map(|(.., rounded)| rounded.as_ref()), first_lines).or(of_whole);
        let edges = match rounded.is_none() && parts.iter().all(|(_, _, narrow, ..)| *narrow) {
            true => {
                let floats = |values: Vec<f64>| parallel::list(values.len(), |at| values[at] as f32);
                let parts = parts.into_iter().map(|(edges, values, ..)| (edges, floats(values)));
                AnyEdgeList::Float(list(vertices, parts))
            }
            false => AnyEdgeList::Double(list(vertices, parts.into_iter().map(|(edges, values, ..)| (edges, values)))),
        };
        Ok(Assembled { edges, rounded })
    }
}

/// Reads a weight that is a whole number.
#[inline]
pub(crate) fn whole_weight(cursor: &mut Cursor) -> Result<i64, Fault> {
    let start = cursor.at;
    match cursor.integer() {
        Some((negative, size)) => as_i64(negative, size).ok_or_else(|| {
            cursor.at = start;
            too_wide(cursor)
        }),
        None => Err(cursor.expected("an integer weight")),
    }
}

/// A whole number by its sign and size, which the reader of digits saturates at `u64::MAX`.
#[inline]
fn as_i64(negative: bool, size: u64) -> Option<i64> {
    match negative {
        true => 0i64.checked_sub_unsigned(size),
        false => i64::try_from(size).ok(),
    }
}

#[cold]
fn too_wide(cursor: &Cursor) -> Fault {
    cursor.fault(format!("integer weight {} is out of range: weights are at most 64 bits wide", cursor.shown()))
}

/// Weights of 32 bits where all fit, else those of 64 bits.
pub(crate) fn narrowed(edges: crate::EdgeList<i64>) -> AnyEdgeList {
    let fits = |chunk: &crate::EdgeChunk<i64>| chunk.weights.iter().all(|&weight| i32::try_from(weight).is_ok());
    if !parallel::map(edges.chunks.len(), |chunk| fits(&edges.chunks[chunk])).into_iter().all(|fits| fits) {
        return AnyEdgeList::Int64(edges);
    }
    let narrow = |crate::EdgeChunk { edges, weights }| {
        let weights = weights.into_iter().map(|weight: i64| weight as i32).collect();
        crate::EdgeChunk { edges, weights }
    };
    let chunks = parallel::map_items(edges.chunks, narrow);
    AnyEdgeList::Int(crate::EdgeList { vertices: edges.vertices, chunks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::edge_lines::{EdgeLines, assemble, edge_block};
    use crate::format::text::{Parsed, lines_in};

    const PLAIN: EdgeLines = EdgeLines { comments: b"#", letter: None, first_id: 0, ids: None, more_columns: false };

    fn weights(text: &str, cuts: &[usize]) -> Result<Assembled> {
        let mut blocks = Vec::new();
        let mut first_lines = Vec::new();
        let mut begin = 0;
        for &end in cuts.iter().chain([&text.len()]) {
            first_lines.push(1 + lines_in(&text.as_bytes()[..begin]));
            blocks.push(edge_block::<u32, AnyWeights>(&text.as_bytes()[begin..end], &PLAIN).unwrap());
            begin = end;
        }
        assemble(Path::new("x.wel"), 9, Parsed { blocks, first_lines })
    }

    #[test]
    fn one_fraction_makes_all_weights_reals_wherever_blocks_are_cut() {
        let text = "0 1 5\n1 2 3000000000\n2 3 2.5\n";
        for cuts in [&[][..], &[6], &[21], &[6, 21]] {
            let AnyEdgeList::Float(list) = weights(text, cuts).unwrap().edges else { panic!("not floats") };
            assert_eq!(list.iter().map(|(_, _, w)| w).collect::<Vec<_>>(), [5.0, 3e9, 2.5]);
        }
        let text = "0 1 5\n1 2 3000000001\n2 3 2.1\n";
        for cuts in [&[][..], &[6], &[21], &[6, 21]] {
            let AnyEdgeList::Double(list) = weights(text, cuts).unwrap().edges else { panic!("not doubles") };
            assert_eq!(list.iter().map(|(_, _, w)| w).collect::<Vec<_>>(), [5.0, 3_000_000_001.0, 2.1]);
        }
    }

    #[test]
    fn a_wide_integer_makes_all_weights_wide_wherever_blocks_are_cut() {
        let wides =
            [("3000000001", 3_000_000_001), ("-9223372036854775808", i64::MIN), ("9007199254740993", (1 << 53) + 1)];
        for (wide, value) in wides {
            let text = format!("0 1 5\n1 2 {wide}\n2 3 2\n");
            for cuts in [&[][..], &[6], &[text.len() - 6], &[6, text.len() - 6]] {
                let AnyEdgeList::Int64(list) = weights(&text, cuts).unwrap().edges else { panic!("not wide") };
                assert_eq!(list.iter().map(|(_, _, w)| w).collect::<Vec<_>>(), [5, value, 2]);
            }
        }
    }

    #[test]
    fn weights_that_64_bits_do_not_hold_are_noted() {
        let rounded = |text: &str, cuts: &[usize]| weights(text, cuts).unwrap().rounded.map(|r| r.to_string());
        let note = "the weight 9007199254740993.0 in line 2 is kept as 9007199254740992: weights are reals of 64 bits";
        for cuts in [&[][..], &[8]] {
            assert_eq!(rounded("0 1 0.1\n1 2 9007199254740993.0\n", cuts).as_deref(), Some(note));
        }
        // A fraction elsewhere makes reals of all, whole numbers included, wherever blocks are cut.
        let note = "the weight 9007199254740993 is kept as 9007199254740992: weights are reals of 64 bits";
        for cuts in [&[][..], &[21]] {
            assert_eq!(rounded("0 1 9007199254740993\n1 2 0.5\n", cuts).as_deref(), Some(note));
        }
        let note = "the weight 1e-400 in line 1 is kept as 0: weights are reals of 64 bits";
        assert_eq!(rounded("0 1 1e-400\n1 2 0.0\n", &[]).as_deref(), Some(note));
        let wide = "0 1 18446744073709551617\n";
        assert!(rounded(wide, &[]).unwrap().contains("the weight 18446744073709551617 in line 1 is kept as 1844"));
        for fine in ["0 1 0.1\n1 2 123456789.123\n", "0 1 16777217\n1 2 5.1\n", "0 1 0.0\n1 2 0e-50\n", "0 1 1e-50\n"] {
            assert_eq!(rounded(fine, &[]), None, "{fine}");
        }
    }
}
