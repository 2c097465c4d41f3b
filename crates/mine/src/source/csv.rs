//! Tables of values: names in the first line, then a line per instant.
//!
//! A column is Boolean when all its values are `true` or `false`, or all are `0` or `1`; it is a number when all
//! values are; other columns (texts, empty cells) are left out, with a note. A divider between quotation marks divides
//! nothing. An empty line is an instant without values and refused, except at the end of the file. The kinds are found
//! out by reading the whole file once. Every read goes through the file part by part, and the lines of a part are
//! parsed on all cores.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::{ReadOptions, Source};
use crate::trace::{Numbers, Trace, Variables, packed};
use crate::{MineError, Result};

/// Bytes read at once.
const READ: usize = 16 << 20;

/// The longest line.
const MOST_LINE: usize = 64 << 20;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Number,
    LeftOut,
}

/// Whole numbers up to this are 64-bit floats, all of them.
const MOST_WHOLE: f64 = (1_u64 << 53) as f64;

/// Where a table stands.
#[derive(Debug, Clone)]
struct Place {
    path: PathBuf,
    /// The text, where it is in memory; the path only names it then.
    text: Option<Arc<[u8]>>,
}

/// A table in a file.
pub struct Csv {
    place: Place,
    divider: u8,
    part: usize,
    kinds: Vec<Kind>,
    variables: Variables,
    notes: Vec<String>,
    lines: Lines,
    /// Rows that were parsed and not handed out yet.
    columns: Vec<Vec<f64>>,
    current: Option<Trace>,
}

impl Csv {
    /// Opens a table and finds out what its columns hold.
    pub fn open(path: &Path, divider: u8, options: &ReadOptions) -> Result<Csv> {
        Csv::at(Place { path: path.to_owned(), text: None }, divider, options)
    }

    /// A table that is in memory, such as one made by a program. Messages call it `name`.
    pub fn from_text(name: &Path, text: Vec<u8>, divider: u8, options: &ReadOptions) -> Result<Csv> {
        Csv::at(Place { path: name.to_owned(), text: Some(text.into()) }, divider, options)
    }

    fn at(place: Place, divider: u8, options: &ReadOptions) -> Result<Csv> {
        let path = &place.path;
        let mut lines = Lines::open(&place)?;
        let names = header(path, &mut lines, divider)?;
        let mut facts = vec![Facts::default(); names.len()];
        let mut rows = Rows::default();
        while let Some((first, text)) = lines.next()? {
            let pieces = pieces(text);
            let found: Vec<(Vec<Facts>, Rows)> = pieces
                .par_iter()
                .map(|&(offset, piece)| survey(path, piece, first + offset, divider, names.len()))
                .collect::<Result<_>>()?;
            for (piece, here) in found {
                facts.iter_mut().zip(piece).for_each(|(whole, piece)| whole.join(piece));
                rows.join(here);
            }
        }
        if let (Some(line), true) = (rows.first_empty, rows.first_empty < rows.last) {
            let message = "this line is empty, and a line is an instant: remove it, or write its values";
            return Err(MineError::line(path, line, message));
        }
        let (mut variables, mut notes) = (Variables::default(), Vec::new());
        let mut kinds = Vec::new();
        for (name, facts) in names.iter().zip(&facts) {
            let kind = facts.kind();
            match kind {
                Kind::Boolean => variables.booleans.push(name.clone()),
                Kind::Number => variables.numbers.push(name.clone()),
                Kind::LeftOut => notes.push(match facts.not_a_number {
                    None if facts.rows == 0 => format!("column `{name}` is left out: no lines follow the names"),
                    Some(line) => format!("column `{name}` is left out: line {line} has no number there"),
                    None => format!("column `{name}` is left out: truth values and numbers are mixed in it"),
                }),
            }
            if let (Kind::Number, Some(line)) = (kind, facts.rounded) {
                notes.push(format!(
                    "column `{name}` is rounded to 64-bit floats: line {line} has a whole number beyond 2^53 that is none"
                ));
            }
            kinds.push(kind);
        }
        if kinds.iter().all(|&kind| kind == Kind::LeftOut) {
            let reason = notes.first().map_or("it has no columns", String::as_str);
            return Err(MineError::file(path, format!("no column can be mined: {reason}")));
        }
        let columns = vec![Vec::new(); names.len()];
        let part = options.instants(names.len());
        Ok(Csv { place, divider, part, kinds, variables, notes, lines, columns, current: None })
    }

    /// The first rows of `columns` as a trace.
    fn take(&mut self, rows: usize) -> Trace {
        let (mut booleans, mut numbers) = (Vec::new(), Vec::new());
        for (column, kind) in self.columns.iter_mut().zip(&self.kinds) {
            let rest = column.split_off(rows.min(column.len()));
            let values = std::mem::replace(column, rest);
            match kind {
                Kind::Boolean => booleans.push(packed(values.into_iter().map(|value| value == 1.0))),
                Kind::Number => numbers.push(values),
                Kind::LeftOut => {}
            }
        }
        Trace { instants: rows, booleans, numbers: Numbers::narrowed(numbers) }
    }

    fn rows(&self) -> usize {
        self.columns.iter().map(Vec::len).max().unwrap_or(0)
    }
}

impl Source for Csv {
    fn variables(&self) -> &Variables {
        &self.variables
    }

    fn rewind(&mut self) -> Result<()> {
        self.lines = Lines::open(&self.place)?;
        header(&self.place.path, &mut self.lines, self.divider)?;
        self.columns.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<&Trace>> {
        let width = self.columns.len();
        while self.rows() < self.part {
            let Some((first, text)) = self.lines.next()? else { break };
            let (path, divider, kinds) = (&self.place.path, self.divider, &self.kinds);
            let parsed: Vec<Vec<Vec<f64>>> = pieces(text)
                .par_iter()
                .map(|&(offset, piece)| values(path, piece, first + offset, divider, kinds))
                .collect::<Result<_>>()?;
            for piece in parsed {
                debug_assert_eq!(piece.len(), width);
                self.columns.iter_mut().zip(piece).for_each(|(column, values)| column.extend(values));
            }
        }
        let rows = self.rows().min(self.part);
        self.current = (rows > 0).then(|| self.take(rows));
        Ok(self.current.as_ref())
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// What a column's cells are, seen so far.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    rows: u64,
    /// Cells `true` or `false`.
    words: u64,
    /// Cells `0` or `1`.
    digits: u64,
    /// First line with something else than a number or truth value.
    not_a_number: Option<u64>,
    /// First line with a whole number that is no 64-bit float.
    rounded: Option<u64>,
}

/// Which lines are rows, seen so far.
#[derive(Debug, Clone, Copy, Default)]
struct Rows {
    /// The first line that is empty.
    first_empty: Option<u64>,
    /// The last line that is not.
    last: Option<u64>,
}

impl Rows {
    fn join(&mut self, later: Rows) {
        self.first_empty = self.first_empty.or(later.first_empty);
        self.last = later.last.or(self.last);
    }
}

impl Facts {
    fn join(&mut self, other: Facts) {
        self.rows += other.rows;
        self.words += other.words;
        self.digits += other.digits;
        self.not_a_number = self.not_a_number.or(other.not_a_number);
        self.rounded = self.rounded.or(other.rounded);
    }

    fn kind(&self) -> Kind {
        match () {
            () if self.not_a_number.is_some() || self.rows == 0 => Kind::LeftOut,
            () if self.words == self.rows || self.digits == self.rows => Kind::Boolean,
            () if self.words == 0 => Kind::Number,
            () => Kind::LeftOut,
        }
    }
}

/// The names in the first line.
fn header(path: &Path, lines: &mut Lines, divider: u8) -> Result<Vec<String>> {
    let Some(line) = lines.first()? else {
        return Err(MineError::file(path, "the file is empty: names of variables are expected in its first line"));
    };
    let text = std::str::from_utf8(&line).map_err(|_| MineError::line(path, 1, "this is no text: it is not UTF-8"))?;
    let text = text.strip_prefix(gw_graph::text_file::BYTE_ORDER_MARK).unwrap_or(text);
    if has_open_quotation(text.as_bytes(), divider) {
        return Err(MineError::line(path, 1, OPEN_QUOTATION));
    }
    let name = |cell: &[u8]| String::from_utf8_lossy(cell).replace("\"\"", "\"");
    let names: Vec<String> = cells(text.as_bytes(), divider).map(name).collect();
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        let message = "only numbers stand in the first line: names of variables are expected there";
        return Err(MineError::line(path, 1, message));
    }
    if let Some(at) = names.iter().position(String::is_empty) {
        return Err(MineError::line(path, 1, format!("column {} has no name", at + 1)));
    }
    let mut known = HashSet::new();
    if let Some(name) = names.iter().find(|name| !known.insert(name.as_str())) {
        return Err(MineError::line(path, 1, format!("two columns are named `{name}`")));
    }
    Ok(names)
}

const OPEN_QUOTATION: &str = "a quotation mark is opened here and not closed: texts of several lines cannot be read";

/// Where in a cell a byte stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Within {
    /// Before its first character.
    Start,
    /// Among characters that mean themselves; quotation marks do, too.
    Plain,
    /// Between quotation marks.
    Quoted,
    /// Behind a quotation mark that closes, or that is the first of two, which mean one.
    Closed,
}

impl Within {
    fn next(self, byte: u8, divider: u8) -> Within {
        match (self, byte) {
            (Within::Quoted, b'"') => Within::Closed,
            (Within::Quoted, _) => Within::Quoted,
            (_, byte) if byte == divider => Within::Start,
            (Within::Start | Within::Closed, b'"') => Within::Quoted,
            (Within::Start, byte) if byte.is_ascii_whitespace() => Within::Start,
            _ => Within::Plain,
        }
    }
}

/// True when a text between quotation marks goes on in the next line.
fn has_open_quotation(line: &[u8], divider: u8) -> bool {
    let end = || line.iter().fold(Within::Start, |within, &byte| within.next(byte, divider));
    line.contains(&b'"') && end() == Within::Quoted
}

/// The cells of a line, without spaces and quotation marks around them. Dividers between quotation marks do not count.
fn cells(line: &[u8], divider: u8) -> impl Iterator<Item = &[u8]> {
    let (mut within, has_quotations) = (Within::Start, line.contains(&b'"'));
    let parts = line.split(move |&byte| {
        if has_quotations {
            within = within.next(byte, divider);
        }
        byte == divider && within == Within::Start
    });
    parts.map(|cell| {
        let cell = cell.trim_ascii();
        cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
    })
}

/// True for a line in which nothing stands, not even a divider.
fn is_empty(line: &[u8], divider: u8) -> bool {
    line.iter().all(|&byte| byte.is_ascii_whitespace() && byte != divider)
}

/// Lines of a piece with their numbers. What is behind the last end of a line is a line where something stands there.
fn numbered(piece: &[u8], first: u64) -> impl Iterator<Item = (u64, &[u8])> {
    let piece = piece.strip_suffix(b"\n").unwrap_or(piece);
    piece.split(|&byte| byte == b'\n').enumerate().map(move |(at, line)| (first + at as u64, line))
}

/// What the columns of some lines hold.
fn survey(path: &Path, piece: &[u8], first: u64, divider: u8, width: usize) -> Result<(Vec<Facts>, Rows)> {
    let mut facts = vec![Facts::default(); width];
    let mut rows = Rows::default();
    for (line, text) in numbered(piece, first) {
        if is_empty(text, divider) {
            rows.first_empty = rows.first_empty.or(Some(line));
            continue;
        }
        rows.last = Some(line);
        if has_open_quotation(text, divider) {
            return Err(MineError::line(path, line, OPEN_QUOTATION));
        }
        let mut count = 0;
        for cell in cells(text, divider) {
            if let Some(facts) = facts.get_mut(count) {
                facts.rows += 1;
                match cell {
                    b"0" | b"1" => facts.digits += 1,
                    b"true" | b"false" | b"True" | b"False" | b"TRUE" | b"FALSE" => facts.words += 1,
                    cell => match number(cell) {
                        None => facts.not_a_number = facts.not_a_number.or(Some(line)),
                        Some(value) if value.abs() >= MOST_WHOLE && is_rounded(cell, value) => {
                            facts.rounded = facts.rounded.or(Some(line));
                        }
                        Some(_) => {}
                    },
                }
            }
            count += 1;
        }
        if count != width {
            let message = format!("{count} values stand here, {width} are expected, one per name in line 1");
            return Err(MineError::line(path, line, message));
        }
    }
    Ok((facts, rows))
}

/// The values of some lines, column by column; columns that are left out stay empty.
fn values(path: &Path, piece: &[u8], first: u64, divider: u8, kinds: &[Kind]) -> Result<Vec<Vec<f64>>> {
    let mut columns = vec![Vec::new(); kinds.len()];
    for (line, text) in numbered(piece, first).filter(|(_, text)| !is_empty(text, divider)) {
        let mut cells = cells(text, divider);
        for (column, kind) in columns.iter_mut().zip(kinds) {
            let changed = || MineError::line(path, line, "the file changed while it was read");
            let cell = cells.next().ok_or_else(changed)?;
            match kind {
                Kind::LeftOut => {}
                Kind::Boolean => column.push(f64::from(u8::from(matches!(cell, b"1" | b"true" | b"True" | b"TRUE")))),
                Kind::Number => column.push(number(cell).ok_or_else(changed)?),
            }
        }
    }
    Ok(columns)
}

fn number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// True when a cell is a whole number written out, and its value is another number.
fn is_rounded(cell: &[u8], value: f64) -> bool {
    let digits = cell.strip_prefix(b"-").or(cell.strip_prefix(b"+")).unwrap_or(cell);
    let written = std::str::from_utf8(cell).ok().and_then(|text| text.parse::<i128>().ok());
    digits.iter().all(u8::is_ascii_digit) && written.is_none_or(|written| written != value as i128)
}

/// A text in as many pieces as there are threads, each with the number of lines before it. Pieces end at the ends of
/// lines.
fn pieces(text: &[u8]) -> Vec<(u64, &[u8])> {
    let size = (text.len() / (4 * rayon::current_num_threads())).max(1 << 14);
    let (mut pieces, mut rest, mut lines) = (Vec::new(), text, 0);
    while !rest.is_empty() {
        let end = match rest.get(size..).and_then(|tail| tail.iter().position(|&byte| byte == b'\n')) {
            Some(at) => size + at + 1,
            None => rest.len(),
        };
        let (piece, tail) = rest.split_at(end);
        pieces.push((lines, piece));
        lines += piece.iter().filter(|&&byte| byte == b'\n').count() as u64;
        rest = tail;
    }
    pieces
}

/// The lines of a file, many at once.
struct Lines {
    path: PathBuf,
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were handed out.
    used: usize,
    /// The number of the next line.
    line: u64,
    is_over: bool,
}

impl Lines {
    fn open(place: &Place) -> Result<Lines> {
        let path = &place.path;
        let input: Box<dyn Read + Send> = match &place.text {
            Some(text) => Box::new(Cursor::new(Arc::clone(text))),
            None => Box::new(File::open(path).map_err(|source| MineError::read(path, source))?),
        };
        Ok(Lines { path: path.clone(), input, buffer: Vec::new(), used: 0, line: 1, is_over: false })
    }

    /// Makes the buffer hold whole lines; false at the end.
    fn fill(&mut self) -> Result<bool> {
        self.buffer.drain(..self.used);
        self.used = 0;
        while !self.is_over && !self.buffer.contains(&b'\n') {
            if self.buffer.len() > MOST_LINE {
                return Err(MineError::line(&self.path, self.line, "this line is too long: is the file a table?"));
            }
            let read = (&mut self.input).take(READ as u64).read_to_end(&mut self.buffer);
            self.is_over = read.map_err(|source| MineError::read(&self.path, source))? == 0;
        }
        Ok(!self.buffer.is_empty())
    }

    /// The next line alone.
    fn first(&mut self) -> Result<Option<Vec<u8>>> {
        if !self.fill()? {
            return Ok(None);
        }
        let end = self.buffer.iter().position(|&byte| byte == b'\n').unwrap_or(self.buffer.len());
        self.used = (end + 1).min(self.buffer.len());
        self.line += 1;
        Ok(Some(self.buffer[..end].to_vec()))
    }

    /// The next lines with the number of the first.
    fn next(&mut self) -> Result<Option<(u64, &[u8])>> {
        if !self.fill()? {
            return Ok(None);
        }
        let whole = self.buffer.iter().rposition(|&byte| byte == b'\n').map_or(self.buffer.len(), |at| at + 1);
        self.used = whole;
        let first = self.line;
        self.line += self.buffer[..whole].iter().filter(|&&byte| byte == b'\n').count() as u64;
        Ok(Some((first, &self.buffer[..whole])))
    }
}
