//! Columns of a text that are kept: read in a pass of its own, after the edges.

use std::ops::Range;
use std::path::Path;

use super::blocks::{self, Piece};
use super::record::Records;
use crate::columns::{Cells, Kind};
use crate::format::text::Fault;
use crate::{Result, memory};

/// A text with records behind its header.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) path: &'a Path,
    pub(super) separator: u8,
    /// Where the first record begins.
    pub(super) data: usize,
    /// Records with an empty cell in one of these columns are left out.
    pub(super) filled: &'a [usize],
}

/// Why a part of a text has no cells.
enum Stop {
    /// A column needs another kind of cells.
    Wider(usize, Kind),
    Bad(Fault),
}

impl Text<'_> {
    /// The cells of these columns, which are at least of these kinds: for each column the parts of the text in order.
    pub(super) fn cells(&self, wanted: &[(usize, Kind)]) -> Result<Vec<Vec<Cells>>, Fault> {
        let mut kinds: Vec<Kind> = wanted.iter().map(|&(_, kind)| kind).collect();
        loop {
            let pieces = blocks::read(self.bytes, self.data, |range| self.part(range, wanted, kinds.clone()))?;
            let mut joined = kinds.clone();
            for (column, kind) in joined.iter_mut().enumerate() {
                *kind = pieces.iter().fold(*kind, |kind, piece| kind.joined(piece.content[column].kind()));
            }
            let fits = |(cells, &kind): (&Cells, &Kind)| cells.kind() == kind || cells.kind() == Kind::Empty;
            if pieces.iter().all(|piece| piece.content.iter().zip(&joined).all(fits)) {
                let mut columns: Vec<Vec<Cells>> = wanted.iter().map(|_| Vec::new()).collect();
                for piece in pieces {
                    columns.iter_mut().zip(piece.content).for_each(|(column, cells)| column.push(cells));
                }
                return Ok(columns);
            }
            kinds = joined;
        }
    }

    /// The cells of the records that begin in `range`. Where a kind turns out too narrow, the part is read again.
    fn part(
        &self,
        range: Range<usize>,
        wanted: &[(usize, Kind)],
        mut kinds: Vec<Kind>,
    ) -> Result<Piece<Vec<Cells>>, Fault> {
        let what = format_args!("the columns of {}", self.path.display());
        let allowed = memory::allow_more(range.len() as u64, what);
        allowed.map_err(|refused| Fault::new(range.start, refused.to_string()))?;
        loop {
            match self.records(range.clone(), wanted, &kinds) {
                Ok((end, content)) => return Ok(Piece { start: range.start, end, content }),
                Err(Stop::Wider(column, kind)) => kinds[column] = kind,
                Err(Stop::Bad(fault)) => return Err(fault),
            }
        }
    }

    fn records(
        &self,
        range: Range<usize>,
        wanted: &[(usize, Kind)],
        kinds: &[Kind],
    ) -> Result<(usize, Vec<Cells>), Stop> {
        let mut records = Records::new(self.bytes, range.start, self.separator);
        let mut columns: Vec<Cells> = kinds.iter().map(|&kind| Cells::new(kind)).collect();
        let mut fields = Vec::new();
        while records.at < range.end {
            if records.skip_blank_line() {
                continue;
            }
            fields.clear();
            loop {
                let field = records.field().map_err(Stop::Bad)?;
                fields.push(field);
                if field.last {
                    break;
                }
            }
            let is_empty = |&at: &usize| fields.get(at).is_none_or(|field| field.start == field.end);
            if self.filled.iter().any(is_empty) {
                continue;
            }
            for (column, (&(at, _), cells)) in wanted.iter().zip(&mut columns).enumerate() {
                let pushed = match fields.get(at) {
                    None => Err(Stop::Bad(Fault::new(fields[0].start, format!("the record has no column {}", at + 1)))),
                    Some(field) if field.escaped => {
                        cells.push(&field.text(self.bytes)).map_err(|kind| Stop::Wider(column, kind))
                    }
                    Some(field) => match std::str::from_utf8(field.plain(self.bytes)) {
                        Ok(text) => cells.push(text).map_err(|kind| Stop::Wider(column, kind)),
                        Err(_) => Err(Stop::Bad(Fault::new(field.start, "the text is not UTF-8; save it as UTF-8"))),
                    },
                };
                pushed?;
            }
        }
        Ok((records.at, columns))
    }
}
