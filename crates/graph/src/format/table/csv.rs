//! CSV and TSV: a header, then one edge per line.
//!
//! Blank lines are skipped, and so are lines that begin with `#` above the header; below it they are data, since names
//! may begin with `#`. A table whose first line holds a number has no header: its columns are called `1`, `2` and so
//! on.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::blocks::{self, Piece};
use super::cells::Text;
use super::columns::{self, GuessedColumns, Missing, Places, TableColumns};
use super::ids::{BATCH, BlockIds, IdBlock, NumberIds, Numbered, Refusal, TextIds, whole_number};
use super::keep;
use super::record::{Field, Records};
use crate::columns::{self as columns_of, Kept};
use crate::format::cursor::Cursor;
use crate::format::edge_file::{EdgeFile, SkippedEdges};
use crate::format::edge_lines::{Column, NoWeights};
use crate::format::input::Input;
use crate::format::text::{Fault, lines_in};
use crate::format::weight_column::AnyWeights;
use crate::progress::Progress;
use crate::text_file::BYTE_ORDER_MARK;
use crate::{GraphError, Result, memory};

/// What stands between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Separator {
    /// The first of comma, semicolon, tab and bar that is in the header.
    Any,
    /// A tab.
    Tab,
}

/// Reads a table.
pub(in crate::format) fn read_csv(
    input: Input,
    path: &Path,
    separator: Separator,
    columns: &TableColumns,
    kept: &Kept,
    progress: &dyn Progress,
) -> Result<EdgeFile> {
    let bytes = input.bytes()?;
    let table = Table::open(&bytes, path, separator, columns, progress)?;
    let wanted = table.wanted(kept)?;
    let file = match table.places.weight {
        Some(_) => table.edges::<AnyWeights>()?,
        None => table.edges::<NoWeights>()?,
    };
    let kept = wanted.map(|wanted| table.kept(wanted, file.edges.len())).transpose()?;
    Ok(EdgeFile { columns: kept, ..file })
}

/// A text whose header is read.
pub(super) struct Opened {
    pub(super) separator: u8,
    pub(super) header: Vec<String>,
    /// Where the header, or the first record without one, begins.
    at: usize,
    /// Where the first record begins.
    pub(super) data: usize,
}

impl Opened {
    /// Reads the header; `is_header` tells whether the first record is one.
    pub(super) fn new(
        bytes: &[u8],
        path: &Path,
        separator: Separator,
        no_header: bool,
        is_header: &dyn Fn(&[String]) -> bool,
    ) -> Result<Opened> {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(GraphError::file(path, "the text is UTF-16; save it as UTF-8"));
        }
        let mark = if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) { BYTE_ORDER_MARK.len() } else { 0 };
        let at = first_line(bytes, mark, !no_header)
            .ok_or_else(|| GraphError::file(path, "there is no table in the file"))?;
        let separator = match separator {
            Separator::Tab => b'\t',
            Separator::Any => separator_of(&bytes[at..]),
        };
        let (first, next) = first_record(bytes, at, separator).map_err(|fault| at_line(path, bytes, fault))?;
        let (header, data) = match is_header(&first) {
            true => (first, next),
            false => (columns::numbered(first.len()), at),
        };
        Ok(Opened { separator, header, at, data })
    }
}

/// A table whose header is read.
struct Table<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    progress: &'a dyn Progress,
    separator: u8,
    header: Vec<String>,
    places: Places,
    guessed: Option<GuessedColumns>,
    missing: Missing,
    /// Where the first line with an edge begins.
    data: usize,
}

impl<'a> Table<'a> {
    fn open(
        bytes: &'a [u8],
        path: &'a Path,
        separator: Separator,
        asked: &TableColumns,
        progress: &'a dyn Progress,
    ) -> Result<Self> {
        let is_header = |first: &[String]| asked.is_header(first);
        let Opened { separator, header, at, data } = Opened::new(bytes, path, separator, asked.no_header, &is_header)?;
        let fail = |fault: Fault| at_line(path, bytes, fault);
        let places = asked.places(&header).map_err(|message| fail(Fault::new(at, message)))?;
        let guessed = asked.guessed(&header, places);
        Ok(Table { bytes, path, progress, separator, header, places, guessed, missing: asked.missing, data })
    }

    /// The columns that are kept; `None` where none are asked for.
    fn wanted(&self, kept: &Kept) -> Result<Option<Vec<(usize, String)>>> {
        let wanted = keep::wanted(kept, &self.header, &self.used()).map_err(|m| GraphError::file(self.path, m))?;
        Ok((*kept != Kept::None).then_some(wanted))
    }

    /// The columns that make the graph.
    fn used(&self) -> Vec<usize> {
        let Places { source, target, weight } = self.places;
        [Some(source), Some(target), weight].into_iter().flatten().collect()
    }

    /// The table of the columns that are kept, which has this many rows.
    fn kept(&self, wanted: Vec<(usize, String)>, rows: usize) -> Result<Arc<columns_of::Table>> {
        let (bytes, path, separator, data) = (self.bytes, self.path, self.separator, self.data);
        // Where a missing cell is an error, every record is an edge.
        let filled = self.used();
        let text = Text { bytes, path, separator, data, filled: &filled };
        let cells = text.cells(&keep::unread(&wanted)).map_err(|fault| at_line(path, bytes, fault))?;
        Ok(keep::table(&self.header, wanted, cells, rows))
    }

    /// Reads the edges: as numbers if the first ids are, and as texts if one of them is none.
    fn edges<C: Column>(&self) -> Result<EdgeFile> {
        let file = match self.begins_with_numbers() {
            true => self.edges_as::<NumberIds, C>()?,
            false => None,
        };
        match file {
            Some(file) => Ok(file),
            None => self.edges_as::<TextIds, C>()?.ok_or_else(|| GraphError::file(self.path, "ids cannot be read")),
        }
    }

    /// Whether the first ids that are there are numbers.
    fn begins_with_numbers(&self) -> bool {
        let mut records = Records::new(self.bytes, self.data, self.separator);
        loop {
            while !records.is_done() && records.skip_blank_line() {}
            let Ok((fields, next)) = first_record(self.bytes, records.at, self.separator) else { return false };
            let ids = [self.places.source, self.places.target].map(|at| fields.get(at).map(String::as_bytes));
            let is_there = |id: &Option<&[u8]>| id.is_some_and(|id| !id.is_empty());
            if self.missing == Missing::Skip && !ids.iter().all(is_there) && next > records.at {
                records.at = next;
                continue;
            }
            return ids.into_iter().all(|id| id.is_some_and(|id| whole_number(id).is_some()));
        }
    }

    fn edges_as<I: BlockIds, C: Column>(&self) -> Result<Option<EdgeFile>> {
        let texts = AtomicBool::new(false);
        let pieces = blocks::read(self.bytes, self.data, |range| self.block::<I, C>(range, &texts));
        if texts.into_inner() {
            return Ok(None);
        }
        let pieces = pieces.map_err(|fault| at_line(self.path, self.bytes, fault))?;
        let mut line = 1 + lines_in(&self.bytes[..self.data]);
        let (mut first_lines, mut ids, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let (mut skipped, mut first_skipped) = (0, None);
        for Piece { start, end, content } in pieces {
            first_lines.push(line);
            line += lines_in(&self.bytes[start..end]);
            let Block { edges, ids: block_ids, weights: block_weights, skipped: block_skipped } = content;
            skipped += block_skipped.count;
            first_skipped = first_skipped.or(block_skipped.first);
            ids.push(IdBlock { ids: block_ids, edges });
            weights.push(block_weights);
        }
        let skipped = first_skipped.map(|at| {
            let first = 1 + lines_in(&self.bytes[..at]);
            SkippedEdges { count: skipped, first, unit: "line" }
        });
        if ids.iter().all(|block| block.edges.is_empty()) {
            let why = skipped.map_or(String::new(), |skipped| format!(": {skipped}"));
            return Err(GraphError::file(self.path, format!("there is no edge in the table{why}")));
        }
        let Some(numbered) = I::number(ids).map_err(|error| GraphError::file(self.path, error.to_string()))? else {
            return Ok(None);
        };
        let Numbered { vertices, edges, names, numbering } = numbered;
        let parts = edges.into_iter().zip(weights).collect();
        let assembled = C::assemble(self.path, vertices, parts, &first_lines)?;
        Ok(Some(EdgeFile { names, numbering, skipped, guessed: self.guessed.clone(), ..EdgeFile::directed(assembled) }))
    }

    /// Reads the records that begin in `range`.
    fn block<I: BlockIds, C: Column>(
        &self,
        range: Range<usize>,
        texts: &AtomicBool,
    ) -> Result<Piece<Block<I, C>>, Fault> {
        let bytes = self.bytes;
        if bytes.len() >= MEMORY_STEP {
            let what = format_args!("a part of {}", self.path.display());
            let allowed = memory::allow_more(4 * range.len() as u64, what);
            allowed.map_err(|refused| Fault::new(range.start, refused.to_string()))?;
        }
        let capacity = lines_in(&bytes[range.clone()]) as usize + 1;
        let mut block = Block {
            ids: I::default(),
            edges: Vec::with_capacity(capacity),
            weights: C::with_capacity(capacity),
            skipped: Skipped::default(),
        };
        match self.read_records(range.clone(), &mut block) {
            Ok(end) => {
                self.progress.advance(range.len() as u64);
                Ok(Piece { start: range.start, end, content: block })
            }
            Err(NoId::Bad(fault)) => Err(fault),
            Err(NoId::Text) => {
                texts.store(true, Ordering::Relaxed);
                Ok(Piece { start: range.start, end: range.end, content: block })
            }
        }
    }

    /// Reads records into a block, and returns where the last one ends.
    fn read_records<I: BlockIds, C: Column>(
        &self,
        range: Range<usize>,
        block: &mut Block<I, C>,
    ) -> Result<usize, NoId> {
        let mut records = Records::new(self.bytes, range.start, self.separator);
        let mut waiting = Vec::with_capacity(BATCH);
        while records.at < range.end {
            let start = records.at;
            if records.skip_blank_line() {
                continue;
            }
            let taken = self.take(&mut records, start, block, range.start, &mut waiting);
            if waiting.len() == BATCH || taken.is_err() {
                // What waits comes before a fault of this record.
                self.give_ids(&mut block.ids, &mut waiting, &mut block.edges)?;
            }
            taken.map_err(NoId::Bad)?;
        }
        self.give_ids(&mut block.ids, &mut waiting, &mut block.edges)?;
        Ok(records.at)
    }

    /// Reads the record that begins at `start`: its ends wait for their ids, its weight is taken at once.
    #[inline]
    fn take<I: BlockIds, C: Column>(
        &self,
        records: &mut Records<'_>,
        start: usize,
        block: &mut Block<I, C>,
        block_start: usize,
        waiting: &mut Vec<Field>,
    ) -> Result<(), Fault> {
        let record = self.record(records, start)?;
        let weight = self.places.weight.filter(|_| C::PRESENT);
        let cells = [
            (record.source, Some(self.places.source)),
            (record.target, Some(self.places.target)),
            (record.weight, weight),
        ];
        for (field, column) in cells {
            if let Some(column) = column
                && field.start == field.end
            {
                if self.missing == Missing::Error {
                    return Err(self.empty(field, column));
                }
                block.skipped.count += 1;
                block.skipped.first.get_or_insert(start);
                return Ok(());
            }
        }
        waiting.extend([record.source, record.target]);
        if C::PRESENT {
            self.weight(&mut block.weights, record.weight, block_start)?;
        }
        Ok(())
    }

    /// Gives ids to the fields that wait, source and target by turns, and makes edges of them.
    fn give_ids<I: BlockIds>(
        &self,
        ids: &mut I,
        waiting: &mut Vec<Field>,
        edges: &mut Vec<(I::Id, I::Id)>,
    ) -> Result<(), NoId> {
        let mut given = Vec::with_capacity(BATCH);
        let result = match waiting.iter().any(|field| field.escaped) {
            false => {
                let mut texts: [&[u8]; BATCH] = [&[]; BATCH];
                for (text, field) in texts.iter_mut().zip(&*waiting) {
                    *text = field.plain(self.bytes);
                }
                ids.ids(&texts[..waiting.len()], &mut given)
            }
            true => waiting.iter().enumerate().try_for_each(|(position, field)| {
                let id = match field.escaped {
                    false => ids.id(field.plain(self.bytes)),
                    true => ids.id(&field.unescaped(self.bytes)),
                };
                given.push(id.map_err(|refusal| (position, refusal))?);
                Ok(())
            }),
        };
        result.map_err(|(position, refusal)| match refusal {
            Refusal::NotANumber => NoId::Text,
            Refusal::Bad(message) => NoId::Bad(Fault::new(waiting[position].start, message)),
        })?;
        edges.extend(given.chunks_exact(2).map(|ends| (ends[0], ends[1])));
        waiting.clear();
        Ok(())
    }

    /// Reads a record, which begins at `start`.
    #[inline]
    fn record(&self, records: &mut Records<'_>, start: usize) -> Result<Record, Fault> {
        let Places { source, target, weight } = self.places;
        let mut record = Record::default();
        let mut count = 0;
        loop {
            let field = records.field()?;
            if count == source {
                record.source = field;
            } else if count == target {
                record.target = field;
            } else if Some(count) == weight {
                record.weight = field;
            }
            count += 1;
            if field.last {
                break;
            }
        }
        let needed = source.max(target).max(weight.unwrap_or(0));
        if count <= needed || count > self.header.len() {
            return Err(self.wrong_count(start, count, needed));
        }
        Ok(record)
    }

    #[cold]
    fn wrong_count(&self, start: usize, count: usize, needed: usize) -> Fault {
        Fault::new(start, columns::wrong_count(&self.header, count, needed))
    }

    #[inline]
    fn weight<C: Column>(&self, weights: &mut C, field: Field, block: usize) -> Result<(), Fault> {
        if is_like_a_date(&self.bytes[field.start..field.end])
            && let Some(seconds) = columns_of::seconds_of(&field.text(self.bytes))
        {
            weights.push_whole(seconds);
            return Ok(());
        }
        // Seen from the start of the block, whose lines are counted.
        let mut cursor = Cursor { bytes: &self.bytes[block..field.end], at: field.start - block };
        weights.read(&mut cursor).map_err(|fault| self.bad_weight(fault.message, field))?;
        match cursor.is_done() {
            true => Ok(()),
            false => Err(self.bad_weight(format!("expected a number, found `{}`", field.text(self.bytes)), field)),
        }
    }

    #[cold]
    fn bad_weight(&self, message: String, field: Field) -> Fault {
        let column = self.places.weight.map_or("", |at| &self.header[at]);
        Fault::new(field.start, format!("column `{column}`: {message}"))
    }

    #[cold]
    fn empty(&self, field: Field, column: usize) -> Fault {
        Fault::new(field.start, columns::empty(&self.header[column]))
    }
}

/// Bytes of text from which on memory is looked at before each block. Edges of a text take a few times as much.
const MEMORY_STEP: usize = 16 << 20;

/// Whether a cell begins as dates do, `2026-11-`, and numbers do not.
fn is_like_a_date(cell: &[u8]) -> bool {
    let cell = cell.strip_prefix(b"\"").unwrap_or(cell);
    cell.len() >= 10 && cell[4] == b'-' && cell[7] == b'-'
}

/// Why there is no id.
enum NoId {
    /// It is a text, and numbers are read.
    Text,
    Bad(Fault),
}

/// The edges of a block.
struct Block<I: BlockIds, C> {
    ids: I,
    edges: Vec<(I::Id, I::Id)>,
    weights: C,
    skipped: Skipped,
}

/// Records that were left out since a cell was empty.
#[derive(Default)]
struct Skipped {
    count: u64,
    /// Where the first one begins.
    first: Option<usize>,
}

/// The fields of a record that matter.
struct Record {
    source: Field,
    target: Field,
    weight: Field,
}

impl Default for Record {
    fn default() -> Self {
        let none = Field { start: 0, end: 0, escaped: false, last: true };
        Record { source: none, target: none, weight: none }
    }
}

/// The first line that is not blank and, where these are skipped, not a comment.
fn first_line(bytes: &[u8], mut at: usize, skip_comments: bool) -> Option<usize> {
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
        match rest[..length].trim_ascii_start().first() {
            None => at += length,
            Some(b'#') if skip_comments => at += length,
            Some(_) => return Some(at),
        }
    }
    None
}

/// The fields of the record at `at`, and where the next one begins.
fn first_record(bytes: &[u8], at: usize, separator: u8) -> Result<(Vec<String>, usize), Fault> {
    let mut records = Records::new(bytes, at, separator);
    let mut fields = Vec::new();
    loop {
        let field = records.field()?;
        fields.push(field.text(bytes));
        if field.last {
            return Ok((fields, records.at));
        }
    }
}

/// The separator that the first line uses outside of quotes.
pub(super) fn separator_of(line: &[u8]) -> u8 {
    let mut quoted = false;
    let mut found = [false; 256];
    for &byte in line {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            byte if !quoted => found[usize::from(byte)] = true,
            _ => {}
        }
    }
    b",;\t|".iter().copied().find(|&separator| found[usize::from(separator)]).unwrap_or(b',')
}

/// A fault with its line.
pub(super) fn at_line(path: &Path, bytes: &[u8], fault: Fault) -> GraphError {
    let at = fault.at.min(bytes.len());
    GraphError::text(path, 1 + lines_in(&bytes[..at]), fault.message)
}
