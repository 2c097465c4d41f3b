//! Weights that 32 bits do not hold: found while a file is read, told to those who need every digit.

use super::cursor::Cursor;
use super::text::lines_in;
use crate::RoundedWeight;

/// The first weight of a block that is kept as quite another number, with the lines before it.
pub(crate) struct Rounded {
    lines: u64,
    written: String,
    kept: f32,
}

impl Rounded {
    /// Whether a weight kept as this may have been quite another: from 2^24 on, 32-bit floats do not hold every
    /// integer, and what is too small for them becomes 0.
    #[inline]
    pub(crate) fn is_possible(kept: f32) -> bool {
        kept.abs() >= 16_777_216.0 || kept == 0.0
    }

    /// The word at `start`, kept as `kept`, unless that is the same number.
    #[cold]
    pub(crate) fn find(cursor: &Cursor, start: usize, kept: f32) -> Option<Rounded> {
        let word = &cursor.bytes[start..cursor.at];
        // A whole number may have more digits than 64-bit floats hold.
        let is_same = match lexical_core::parse::<i128>(word) {
            Ok(whole) => whole == kept as i128,
            Err(_) => lexical_core::parse::<f64>(word).is_ok_and(|exact| exact == f64::from(kept)),
        };
        if is_same {
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
            Some(RoundedWeight { line: Some(line + lines), written: written.clone(), kept: *kept })
        })
    }
}
