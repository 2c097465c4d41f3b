//! The parser shared by all formats with one edge per line: `u v`, `u v w`, with or without a letter in front.

use std::path::Path;

use super::cursor::Cursor;
use super::text::{Fault, Parsed, lines_in};
use crate::vertex_limit::checked_vertices;
use crate::{AnyEdgeList, EdgeChunk, EdgeList, GraphError, Result, RoundedWeight, Weight};

/// How lines look.
pub(crate) struct EdgeLines {
    /// Bytes that begin a comment line.
    pub(crate) comments: &'static [u8],
    /// The letter in front of every edge.
    pub(crate) letter: Option<u8>,
    /// The least id in the file: 0 or 1.
    pub(crate) first_id: u64,
    /// The number of ids in the file when the header says it.
    pub(crate) ids: Option<u64>,
    /// Columns behind the known ones are skipped rather than refused.
    pub(crate) more_columns: bool,
}

/// Edges of one block.
pub(crate) struct EdgeBlock<I, C> {
    pub(crate) ids: Vec<(I, I)>,
    pub(crate) column: C,
    /// Greatest source, 0 when there is no edge.
    pub(crate) last_source: u64,
    /// Greatest target, 0 when there is no edge.
    pub(crate) last_target: u64,
}

/// An integer type for ids. Its greatest value is never an id, so that the number of vertices fits as well.
pub(crate) trait Id: Copy + Send + Sync {
    const MAX: u64;
    fn of(value: u64) -> Self;
}

impl Id for u32 {
    const MAX: u64 = u32::MAX as u64;
    #[inline]
    fn of(value: u64) -> u32 {
        value as u32
    }
}

impl Id for u64 {
    const MAX: u64 = u64::MAX;
    #[inline]
    fn of(value: u64) -> u64 {
        value
    }
}

/// The third column.
pub(crate) trait Column: Send + Sized {
    /// False when there is no third column.
    const PRESENT: bool;
    fn with_capacity(capacity: usize) -> Self;
    /// Reads a value and keeps it.
    fn read(&mut self, cursor: &mut Cursor) -> Result<(), Fault>;
    /// Keeps a whole number that was read otherwise.
    fn push_whole(&mut self, value: i64);
    /// Makes an edge list of the ids and columns of all blocks; `first_lines` are the lines where blocks start.
    fn assemble(path: &Path, vertices: usize, parts: Vec<Part<Self>>, first_lines: &[u64]) -> Result<Assembled>;
}

/// The ids of a block and its third column.
pub(crate) type Part<C> = (Vec<(u32, u32)>, C);

/// The edges of a file, and what was lost of their weights.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) edges: AnyEdgeList,
    pub(crate) rounded: Option<RoundedWeight>,
}

impl From<AnyEdgeList> for Assembled {
    fn from(edges: AnyEdgeList) -> Self {
        Assembled { edges, rounded: None }
    }
}

/// Parses a block of lines.
pub(crate) fn edge_block<I: Id, C: Column>(bytes: &[u8], lines: &EdgeLines) -> Result<EdgeBlock<I, C>, Fault> {
    let capacity = lines_in(bytes) as usize + 1;
    let mut block = EdgeBlock {
        ids: Vec::with_capacity(capacity),
        column: C::with_capacity(capacity),
        last_source: 0,
        last_target: 0,
    };
    let limit = lines.ids.unwrap_or(I::MAX).min(I::MAX);
    let mut cursor = Cursor::new(bytes);
    while !cursor.is_done() {
        let start = cursor.at;
        let (source, target) = match plain_ids(&mut cursor, lines, limit) {
            Some(ids) => ids,
            None => {
                cursor.at = start;
                match any_ids(&mut cursor, lines, limit)? {
                    Some(ids) => ids,
                    None => continue,
                }
            }
        };
        if C::PRESENT {
            cursor.skip_blanks();
            block.column.read(&mut cursor)?;
        }
        end_line(&mut cursor, lines, C::PRESENT)?;
        block.last_source = block.last_source.max(source);
        block.last_target = block.last_target.max(target);
        block.ids.push((I::of(source), I::of(target)));
    }
    Ok(block)
}

/// The common line: two good ids with one blank between, nothing in front. `None` for everything else.
#[inline]
fn plain_ids(cursor: &mut Cursor, lines: &EdgeLines, limit: u64) -> Option<(u64, u64)> {
    if let Some(letter) = lines.letter {
        if cursor.bytes.get(cursor.at..cursor.at + 2)? != [letter, b' '] {
            return None;
        }
        cursor.at += 2;
    }
    let source = cursor.digits()?.wrapping_sub(lines.first_id);
    if !matches!(cursor.peek(), Some(b' ' | b'\t')) {
        return None;
    }
    cursor.at += 1;
    let target = cursor.digits()?.wrapping_sub(lines.first_id);
    (source < limit && target < limit && cursor.at_gap()).then_some((source, target))
}

/// Any line: `None` when it holds no edge.
#[cold]
fn any_ids(cursor: &mut Cursor, lines: &EdgeLines, limit: u64) -> Result<Option<(u64, u64)>, Fault> {
    cursor.skip_blanks();
    match cursor.peek() {
        None | Some(b'\n') => {
            cursor.skip_line();
            return Ok(None);
        }
        Some(first) if lines.comments.contains(&first) => {
            cursor.skip_line();
            return Ok(None);
        }
        Some(first) => match lines.letter {
            Some(letter) if letter == first => {
                cursor.at += 1;
                if !cursor.at_gap() {
                    cursor.at -= 1;
                    return Err(cursor.expected(&format!("a line `{} u v w`", letter as char)));
                }
            }
            Some(letter) => return Err(cursor.expected(&format!("a line `{} u v w`", letter as char))),
            None => {}
        },
    }
    let source = one_id(cursor, lines, limit)?;
    let target = one_id(cursor, lines, limit)?;
    Ok(Some((source, target)))
}

fn one_id(cursor: &mut Cursor, lines: &EdgeLines, limit: u64) -> Result<u64, Fault> {
    cursor.skip_blanks();
    let start = cursor.at;
    let Some((negative, value)) = cursor.integer() else {
        let is_name = cursor.peek().is_some_and(|first| first.is_ascii_alphabetic() || !first.is_ascii());
        let mut fault = cursor.expected("a vertex id");
        if is_name {
            fault.message += "; names of vertices stand in tables, .csv or .tsv";
        }
        return Err(fault);
    };
    let id = value.wrapping_sub(lines.first_id);
    let end = std::mem::replace(&mut cursor.at, start);
    if negative {
        return Err(cursor.fault(format!("vertex id {} is negative", cursor.shown())));
    }
    if value < lines.first_id {
        return Err(cursor.fault("vertex id 0 is out of range: ids start at 1 in this format"));
    }
    if id >= limit {
        let shown = cursor.shown();
        return Err(match lines.ids {
            Some(ids) if limit == ids => cursor.fault(format!(
                "vertex id {shown} is out of range: the header allows {}..={}",
                lines.first_id,
                (ids + lines.first_id).saturating_sub(1)
            )),
            _ => Fault { id_too_large: true, ..cursor.fault(format!("vertex id {shown} is too large")) },
        });
    }
    cursor.at = end;
    Ok(id)
}

#[inline]
fn end_line(cursor: &mut Cursor, lines: &EdgeLines, weighted: bool) -> Result<(), Fault> {
    if cursor.peek() == Some(b'\n') {
        cursor.at += 1;
        return Ok(());
    }
    cursor.skip_blanks();
    match cursor.peek() {
        None => Ok(()),
        Some(b'\n') => {
            cursor.at += 1;
            Ok(())
        }
        Some(_) if lines.more_columns => {
            cursor.skip_line();
            Ok(())
        }
        Some(_) => {
            let columns = if weighted { "three" } else { "two" };
            Err(cursor.fault(format!("unexpected {} after {columns} columns", cursor.shown())))
        }
    }
}

/// Puts the blocks together into a list of `vertices` vertices.
pub(crate) fn assemble<C: Column>(
    path: &Path,
    vertices: usize,
    parsed: Parsed<EdgeBlock<u32, C>>,
) -> Result<Assembled> {
    let parts = parsed.blocks.into_iter().map(|block| (block.ids, block.column)).collect();
    C::assemble(path, vertices, parts, &parsed.first_lines)
}

impl<I, C> Parsed<EdgeBlock<I, C>> {
    /// Number of edges.
    pub(crate) fn edges(&self) -> usize {
        self.blocks.iter().map(|block| block.ids.len()).sum()
    }

    /// Greatest id plus one, 0 when there is no edge.
    pub(crate) fn ids(&self) -> u64 {
        let largest = self.blocks.iter().filter(|b| !b.ids.is_empty()).map(|b| b.last_source.max(b.last_target) + 1);
        largest.max().unwrap_or(0)
    }
}

/// Refuses vertex counts that would cost far more memory than the edges of the file: one wild id, or one wild header,
/// must not allocate gigabytes.
pub(crate) fn check_vertices(path: &Path, vertices: u64, edges: usize, mend: &str) -> Result<usize> {
    const ALWAYS: u64 = 1 << 24;
    const PER_EDGE: u64 = 64;
    let limit = ALWAYS.max(PER_EDGE.saturating_mul(edges as u64));
    if vertices > limit {
        let message = format!("{vertices} vertices for {edges} edges: more than {limit} would waste memory; {mend}");
        return Err(GraphError::file(path, message));
    }
    checked_vertices(vertices).map_err(|error| GraphError::file(path, error.to_string()))
}

/// What [`check_vertices`] advises where the greatest id decides.
pub(crate) const MEND_IDS: &str = "if the ids are sparse, read the file as `snap`, which makes them dense";
/// What [`check_vertices`] advises where the header decides.
pub(crate) const MEND_HEADER: &str = "the header seems wrong";

/// A list of the edges and weights of all blocks.
pub(crate) fn list<W: Weight>(vertices: usize, parts: impl Iterator<Item = (Vec<(u32, u32)>, Vec<W>)>) -> EdgeList<W> {
    let chunks = parts.filter(|(edges, _)| !edges.is_empty()).map(|(edges, weights)| EdgeChunk { edges, weights });
    EdgeList { vertices, chunks: chunks.collect() }
}

/// No third column.
pub(crate) struct NoWeights;

impl Column for NoWeights {
    const PRESENT: bool = false;
    fn with_capacity(_: usize) -> Self {
        NoWeights
    }
    fn read(&mut self, _: &mut Cursor) -> Result<(), Fault> {
        Ok(())
    }
    fn push_whole(&mut self, _: i64) {}
    fn assemble(_: &Path, vertices: usize, parts: Vec<Part<Self>>, _: &[u64]) -> Result<Assembled> {
        let parts = parts.into_iter().map(|(edges, _)| {
            let weights = vec![(); edges.len()];
            (edges, weights)
        });
        Ok(AnyEdgeList::None(list(vertices, parts)).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: EdgeLines = EdgeLines { comments: b"#", letter: None, first_id: 0, ids: None, more_columns: false };

    #[test]
    fn odd_white_space_comments_and_line_ends_are_fine() {
        let text = b"# head\n\n  0\t1 \r\n1   2\n\t\n # c\n2 0";
        let block = edge_block::<u32, NoWeights>(text, &PLAIN).unwrap();
        assert_eq!(block.ids, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!((block.last_source, block.last_target), (2, 2));
    }
}
