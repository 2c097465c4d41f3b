//! A text read on all threads: cut into blocks at line ends, where a line end inside quotes is none.
//!
//! Whether a place is inside quotes shows from the number of quotes before it. A stray quote (in a field that is not
//! quoted, say) makes that guess wrong. So every block tells where its last record ended: where the next block began
//! elsewhere, the rest of the text is read again from there, in one piece.

use std::ops::Range;

use crate::format::text::Fault;
use crate::parallel;

/// Largest and smallest block. A block numbers its own texts, so that few and long blocks have few texts in common.
const MAX_BLOCK: usize = 64 << 20;
const MIN_BLOCK: usize = 64 << 10;

/// What was read of a block.
pub(super) struct Piece<T> {
    /// Where the block begins in the text.
    pub(super) start: usize,
    /// Behind the last record that begins in the block.
    pub(super) end: usize,
    pub(super) content: T,
}

/// Reads the records from `from` on: `read` gets the range in which records begin, and returns the end of the last one.
/// The first fault in the order of the text is the error; its place is one in the whole text.
pub(super) fn read<T: Send>(
    bytes: &[u8],
    from: usize,
    read: impl Fn(Range<usize>) -> Result<Piece<T>, Fault> + Sync,
) -> Result<Vec<Piece<T>>, Fault> {
    let block = ((bytes.len() - from) / rayon::current_num_threads() + 1).clamp(MIN_BLOCK, MAX_BLOCK);
    read_blocks(bytes, from, block, read)
}

fn read_blocks<T: Send>(
    bytes: &[u8],
    from: usize,
    block: usize,
    read: impl Fn(Range<usize>) -> Result<Piece<T>, Fault> + Sync,
) -> Result<Vec<Piece<T>>, Fault> {
    let starts = starts(bytes, from, block);
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let ranges: Vec<Range<usize>> = starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
    let found: Vec<_> = parallel::map(ranges.len(), |at| (ranges[at].start, read(ranges[at].clone())));
    let mut pieces = Vec::with_capacity(found.len());
    let mut expected = from;
    for (start, piece) in found {
        if start != expected {
            if expected < bytes.len() {
                pieces.push(read(expected..bytes.len())?);
            }
            return Ok(pieces);
        }
        let piece = piece?;
        expected = piece.end;
        pieces.push(piece);
    }
    Ok(pieces)
}

/// Where blocks begin: behind line ends that are, by the number of quotes before them, not inside quotes.
fn starts(bytes: &[u8], from: usize, block: usize) -> Vec<usize> {
    let nominal: Vec<usize> = (from..bytes.len().max(from + 1)).step_by(block).collect();
    let quotes = parallel::map(nominal.len(), |number| {
        let at = nominal[number];
        memchr::memchr_iter(b'"', &bytes[at..(at + block).min(bytes.len())]).count()
    });
    let mut before = 0;
    let mut starts = vec![from];
    for (&at, count) in nominal.iter().zip(quotes) {
        if at > from
            && let Some(start) = record_start(bytes, at, before % 2 == 1)
            && start > *starts.last().unwrap_or(&from)
        {
            starts.push(start);
        }
        before += count;
    }
    starts
}

/// The start of the first line behind `at` that begins outside of quotes.
fn record_start(bytes: &[u8], at: usize, mut quoted: bool) -> Option<usize> {
    for place in memchr::memchr2_iter(b'"', b'\n', &bytes[at..]) {
        match bytes[at + place] {
            b'"' => quoted = !quoted,
            _ if !quoted => return (at + place + 1 < bytes.len()).then_some(at + place + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::record::Records;
    use super::*;
    use proptest::prelude::*;

    /// The rows of a text, read in blocks of this size.
    fn rows(text: &str, block: usize) -> Result<Vec<Vec<String>>, (usize, String)> {
        let bytes = text.as_bytes();
        let pieces = read_blocks(bytes, 0, block, |range| {
            let mut records = Records::new(bytes, range.start, b',');
            let mut rows = Vec::new();
            while records.at < range.end {
                if records.skip_blank_line() {
                    continue;
                }
                let mut row = Vec::new();
                while {
                    let field = records.field()?;
                    row.push(field.text(bytes));
                    !field.last
                } {}
                rows.push(row);
            }
            Ok(Piece { start: range.start, end: records.at, content: rows })
        });
        let pieces = pieces.map_err(|fault| (fault.at, fault.message))?;
        Ok(pieces.into_iter().flat_map(|piece| piece.content).collect())
    }

    proptest! {
        #[test]
        fn blocks_change_nothing(text in "([ab\",]|\n|\"a\nb\"|#\"){0,60}", block in 1usize..20) {
            prop_assert_eq!(rows(&text, block), rows(&text, 1 << 20));
        }
    }
}
