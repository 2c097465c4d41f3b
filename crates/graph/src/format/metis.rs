//! METIS `.graph`: undirected, a header `VERTICES EDGES [FORMAT [CONSTRAINTS]]`, then one line of neighbours per
//! vertex, ids from 1, `%` for comments.
//!
//! Every edge is listed at both ends, and counted once in the header. Edge weights are integers of up to 64 bits.
//! Vertex sizes and vertex weights are skipped.

use std::path::Path;

use super::cursor::Cursor;
use super::edge_file::EdgeFile;
use super::input::Input;
use super::plan::{Plan, push_byte, push_number, push_weight};
use super::text::{Fault, Parsed, Text};
use super::weight_column::{narrowed, whole_weight};
use crate::parallel::{self, PIECE};
use crate::progress::Progress;
use crate::vertex_limit::checked_vertices;
use crate::{AnyEdgeList, EdgeChunk, EdgeList, Graph, GraphError, Result, Weight};

/// What the header says.
struct Header {
    vertices: u64,
    edges: u64,
    edge_weights: bool,
    /// Numbers in front of the neighbours: vertex size and weights.
    skipped: u64,
}

/// Lists of one block. Sources are counted from its first list.
struct Lists<W> {
    chunk: EdgeChunk<W>,
    lists: u64,
    /// Loops among the edges.
    loops: u64,
    /// One more than the last list with something in it.
    used: u64,
}

/// Reads a `.graph`.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let mut text = Text::new(input, path, progress)?;
    let header = text.peek_data_line(b"%")?.map(parse_header);
    let line = text.line();
    let header = header
        .unwrap_or_else(|| Err("the header `VERTICES EDGES` is missing".into()))
        .map_err(|message| GraphError::text(path, line, message))?;
    text.skip_line();
    let edges = if header.edge_weights {
        let parsed = text.parse(|bytes| lists(bytes, &header, whole_weight))?;
        narrowed(joined(parsed, &header, path, line)?)
    } else {
        let parsed = text.parse(|bytes| lists(bytes, &header, |_| Ok(())))?;
        AnyEdgeList::None(joined(parsed, &header, path, line)?)
    };
    Ok(EdgeFile { both_ends: true, ..EdgeFile::directed(edges) })
}

fn parse_header(line: &[u8]) -> Result<Header, String> {
    let wrong = || {
        let shown = line[..line.len().min(60)].escape_ascii();
        format!("expected a header `VERTICES EDGES [FORMAT [CONSTRAINTS]]`, found `{shown}`")
    };
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let number = |at: usize, default: u64| match words.get(at) {
        None => Ok(default),
        Some(word) => Cursor::new(word).count().ok_or_else(wrong),
    };
    if !(2..=4).contains(&words.len()) {
        return Err(wrong());
    }
    let (sizes, vertex_weights, edge_weights) = match number(2, 0)? {
        format @ (0 | 1 | 10 | 11 | 100 | 101 | 110 | 111) => (format >= 100, format / 10 % 10 == 1, format % 10 == 1),
        other => return Err(format!("format `{other}` is unknown: it is made of three digits 0 or 1")),
    };
    let constraints = number(3, 1)?;
    let skipped = u64::from(sizes) + if vertex_weights { constraints } else { 0 };
    Ok(Header { vertices: number(0, 0)?, edges: number(1, 0)?, edge_weights, skipped })
}

fn lists<W: Weight>(
    bytes: &[u8],
    header: &Header,
    weight: impl Fn(&mut Cursor) -> Result<W, Fault>,
) -> Result<Lists<W>, Fault> {
    // Most neighbours take eight bytes or so.
    let mut block = Lists { chunk: EdgeChunk::with_capacity(bytes.len() / 8), lists: 0, loops: 0, used: 0 };
    let mut cursor = Cursor::new(bytes);
    while !cursor.is_done() {
        if cursor.peek() == Some(b'%') {
            cursor.skip_line();
            continue;
        }
        let source = block.lists as u32;
        block.lists += 1;
        cursor.skip_blanks();
        if !matches!(cursor.peek(), None | Some(b'\n')) {
            block.used = block.lists;
            for _ in 0..header.skipped {
                if cursor.integer().is_none() {
                    return Err(cursor.expected("a vertex size or weight"));
                }
                cursor.skip_blanks();
            }
        }
        while !matches!(cursor.peek(), None | Some(b'\n')) {
            let target = neighbour(&mut cursor, header.vertices)?;
            cursor.skip_blanks();
            let weight = weight(&mut cursor)?;
            cursor.skip_blanks();
            block.chunk.push(source, target, weight);
        }
        cursor.at += 1;
    }
    Ok(block)
}

#[inline]
fn neighbour(cursor: &mut Cursor, vertices: u64) -> Result<u32, Fault> {
    let start = cursor.at;
    match cursor.integer() {
        Some((false, id)) if 1 <= id && id <= vertices && id <= u64::from(u32::MAX) => Ok((id - 1) as u32),
        Some(_) => {
            cursor.at = start;
            let shown = cursor.shown();
            Err(cursor.fault(format!("vertex id {shown} is out of range: the header allows 1..={vertices}")))
        }
        None => Err(cursor.expected("a vertex id")),
    }
}

/// Numbers the sources through and compares the counts with the header.
fn joined<W: Weight>(parsed: Parsed<Lists<W>>, header: &Header, path: &Path, line: u64) -> Result<EdgeList<W>> {
    let mut blocks = parsed.blocks;
    let mut firsts = Vec::with_capacity(blocks.len());
    let (mut lists, mut used) = (0u64, 0u64);
    for block in &blocks {
        firsts.push(lists);
        if block.used > 0 {
            used = lists + block.used;
        }
        lists += block.lists;
    }
    if lists < header.vertices {
        let message =
            format!("the header promises {} vertices, the file holds {lists} lines for them", header.vertices);
        return Err(GraphError::text(path, line, message));
    }
    if used > header.vertices {
        let message = format!("the header promises {} vertices, the file holds more lines", header.vertices);
        return Err(GraphError::text(path, line, message));
    }
    checked_vertices(header.vertices).map_err(|error| GraphError::text(path, line, error.to_string()))?;
    parallel::map_items(blocks.iter_mut().zip(&firsts).collect(), |(block, &first)| {
        for (source, target) in &mut block.chunk.edges {
            *source += first as u32;
            block.loops += u64::from(source == target);
        }
    });
    let found: u64 = blocks.iter().map(|b| b.chunk.edges.len() as u64).sum();
    let loops: u64 = blocks.iter().map(|b| b.loops).sum();
    let wanted = header.edges.saturating_mul(2);
    // A loop may be listed once or twice.
    if found != wanted && found + loops != wanted {
        let message = format!(
            "the header promises {} edges, each listed at both ends, but {found} neighbours are listed",
            header.edges
        );
        return Err(GraphError::text(path, line, message));
    }
    Ok(EdgeList { vertices: header.vertices as usize, chunks: blocks.into_iter().map(|b| b.chunk).collect() })
}

/// Plans a `.graph`.
pub(super) fn plan<'g>(graph: &'g Graph, path: &Path) -> Result<Plan<'g>> {
    let out = graph.out();
    if !graph.is_symmetric() {
        return Err(GraphError::file(path, "METIS holds undirected graphs only; symmetrise the graph first"));
    }
    if graph.weight_kind().is_real() {
        return Err(GraphError::file(path, "METIS holds integer weights only, and these are real"));
    }
    let looped = |&v: &usize| out.neighbours(v as u32).binary_search(&(v as u32)).is_ok();
    if parallel::first(graph.vertices(), PIECE, |mut range| range.find(looped)).is_some() {
        return Err(GraphError::file(path, "METIS has no edges from a vertex to itself; drop them first"));
    }
    let weighted = graph.is_weighted();
    let format = if weighted { " 001" } else { "" };
    let header = format!("{} {}{format}\n", graph.vertices(), graph.edges() / 2);
    Ok(Plan::by_vertices(out, header.into_bytes(), move |v, buffer| {
        for (edge, &target) in out.range(v).zip(out.neighbours(v)) {
            push_number(buffer, u64::from(target) + 1);
            push_byte(buffer, b' ');
            if weighted {
                push_weight(buffer, out.weights(), edge);
                push_byte(buffer, b' ');
            }
        }
        match buffer.last_mut() {
            // The blank behind the last neighbour becomes the end of the line.
            Some(last) if *last == b' ' => *last = b'\n',
            _ => push_byte(buffer, b'\n'),
        }
    }))
}
