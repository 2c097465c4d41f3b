//! Weights that 64-bit reals do not hold: found while a file is read, told to those who need every digit.

use super::cursor::Cursor;
use super::text::lines_in;
use crate::{RoundedWeight, WeightKind};

/// The first weight of a block that is kept as quite another number, with the lines before it.
pub(crate) struct Rounded {
    lines: u64,
    written: String,
    kept: f64,
}

impl Rounded {
    /// Whether a weight kept as this may have been quite another: from 2^53 on, 64-bit reals do not hold every
    /// integer, and what is too small for them becomes 0. Other decimal fractions are rounded as well, by a part in
    /// 2^53 at most, which is what such reals are.
    #[inline]
    pub(crate) fn is_possible(kept: f64) -> bool {
        kept.abs() >= 9_007_199_254_740_992.0 || kept == 0.0
    }

    /// The word at `start`, kept as `kept`, unless that is the same number.
    #[cold]
    pub(crate) fn find(cursor: &Cursor, start: usize, kept: f64) -> Option<Rounded> {
        let word = &cursor.bytes[start..cursor.at];
        if is_same(word, kept) {
            return None;
        }
        let written = String::from_utf8_lossy(word).into_owned();
        Some(Rounded { lines: lines_in(&cursor.bytes[..start]), written, kept })
    }

    /// The first of all blocks; `first_lines` are the lines where they start.
    pub(crate) fn first<'a>(
        blocks: impl Iterator<Item = Option<&'a Rounded>>,
        first_lines: &[u64],
    ) -> Option<RoundedWeight> {
        blocks.zip(first_lines).find_map(|(rounded, &line)| {
            let Rounded { lines, written, kept } = rounded?;
            let (line, written, kept) = (Some(line + lines), written.clone(), *kept);
            Some(RoundedWeight { line, written, kept, kind: WeightKind::Double, asked: false })
        })
    }
}

/// Whether a 64-bit real is the number that a word says, but for what decimal fractions lose in such reals.
///
/// ```
/// use gw_graph::format::keeps_every_digit;
/// assert!(keeps_every_digit("0.1", 0.1) && keeps_every_digit("1e300", 1e300));
/// assert!(!keeps_every_digit("9007199254740993", 9007199254740992.0) && !keeps_every_digit("1e-400", 0.0));
/// ```
pub fn keeps_every_digit(word: &str, kept: f64) -> bool {
    !Rounded::is_possible(kept) || is_same(word.as_bytes(), kept)
}

/// Whether the number written is 0, or as many digits as were written are those of the number kept.
fn is_same(word: &[u8], kept: f64) -> bool {
    let mantissa = word.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or(word);
    if kept == 0.0 {
        return !mantissa.iter().any(|digit| (b'1'..=b'9').contains(digit));
    }
    // In scientific notation nobody writes all digits: what was written is compared as far as it goes.
    if mantissa.len() < word.len() {
        return true;
    }
    let mut parts = mantissa.splitn(2, |&byte| byte == b'.');
    let (whole, fraction) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let has_fraction = fraction.iter().any(|&digit| digit != b'0');
    !has_fraction && lexical_core::parse::<i128>(whole).is_ok_and(|whole| whole == kept as i128)
}
