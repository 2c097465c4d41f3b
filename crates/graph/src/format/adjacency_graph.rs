//! `AdjacencyGraph` and `WeightedAdjacencyGraph` text, as Ligra, GBBS and Julienne read it: the word, the numbers of
//! vertices and edges, the offset of every vertex, all targets, and all weights. White space of any kind separates.

use std::ops::Range;
use std::path::Path;

use super::cursor::Cursor;
use super::edge_file::EdgeFile;
use super::edge_lines::{Assembled, Column, NoWeights};
use super::input::Input;
use super::plan::{Plan, push_byte, push_id, push_number, push_weight};
use super::text::{Fault, lines_in};
use super::weight_column::AnyWeights;
use crate::parallel;
use crate::progress::Progress;
use crate::text_file::BYTE_ORDER_MARK;
use crate::vertex_limit::checked_vertices;
use crate::{Graph, GraphError, Result};

const PIECE: usize = 1 << 20;

/// Reads an adjacency graph.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let size = input.size();
    let bytes = input.bytes()?;
    let at_byte = |at: usize, message: String| GraphError::text(path, 1 + lines_in(&bytes[..at]), message);
    let fault = |fault: Fault| at_byte(fault.at, fault.message);

    let mut cursor = Cursor::new(&bytes);
    if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        cursor.at = BYTE_ORDER_MARK.len();
    }
    cursor.skip_white();
    let weighted = is_weighted(&mut cursor).map_err(fault)?;
    let mut count = |what| {
        cursor.skip_white();
        cursor.count().ok_or_else(|| fault(cursor.expected(what)))
    };
    let vertices = count("the number of vertices")?;
    let edges = count("the number of edges")?;

    // Count the words of every piece, so that each knows what its words mean.
    let pieces = pieces(&bytes, cursor.at);
    let counts: Vec<u64> = parallel::map(pieces.len(), |piece| words(&bytes[pieces[piece].clone()]));
    let found: u64 = counts.iter().sum();
    let wanted = edges.saturating_mul(1 + u64::from(weighted)).saturating_add(vertices);
    if found != wanted {
        let message = format!(
            "the header promises {wanted} numbers ({vertices} vertices, {edges} edges), the file holds {found}"
        );
        return Err(at_byte(cursor.at, message));
    }
    checked_vertices(vertices).map_err(|error| at_byte(cursor.at, error.to_string()))?;
    let sections = Sections { vertices, edges };
    let firsts: Vec<u64> = counts
        .iter()
        .scan(0, |next, count| {
            *next += count;
            Some(*next - count)
        })
        .collect();
    let parts = parallel::map(pieces.len(), |at| {
        let piece = &pieces[at];
        let parsed = sections.parse(&bytes[piece.clone()], firsts[at], counts[at]);
        parsed.map_err(|f| Fault { at: f.at + piece.start, ..f })
    });
    let parts: Vec<Piece> = parts.into_iter().collect::<Result<_, _>>().map_err(fault)?;
    progress.advance(size);

    let offsets: Vec<u64> = parts.iter().flat_map(|part| part.offsets.iter().copied()).collect();
    let targets: Vec<u32> = parts.iter().flat_map(|part| part.targets.iter().copied()).collect();
    sections.check(&offsets).map_err(|problem| GraphError::file(path, problem))?;

    let listed = |range: Range<usize>| sources(&offsets, &targets, range);
    let edges = if weighted {
        let mut begin = 0;
        let mut line = 1 + lines_in(&bytes[..cursor.at]);
        let mut first_lines = Vec::new();
        let mut columns = Vec::new();
        for (part, piece) in parts.into_iter().zip(&pieces) {
            let end = begin + part.weights;
            first_lines.push(line);
            columns.push((listed(begin..end), part.column));
            line += lines_in(&bytes[piece.clone()]);
            begin = end;
        }
        AnyWeights::assemble(path, vertices as usize, columns, &first_lines)?
    } else {
        unweighted(path, vertices as usize, targets.len(), listed)?
    };
    Ok(EdgeFile::directed(edges))
}

/// Reads the word at the beginning: whether edges have weights.
fn is_weighted(cursor: &mut Cursor<'_>) -> Result<bool, Fault> {
    let (weighted, length) = match cursor.bytes[cursor.at..].split(u8::is_ascii_whitespace).next() {
        Some(word @ b"AdjacencyGraph") => (false, word.len()),
        Some(word @ b"WeightedAdjacencyGraph") => (true, word.len()),
        _ => return Err(cursor.expected("`AdjacencyGraph` or `WeightedAdjacencyGraph`")),
    };
    cursor.at += length;
    Ok(weighted)
}

fn unweighted(
    path: &Path,
    vertices: usize,
    edges: usize,
    listed: impl Fn(Range<usize>) -> Vec<(u32, u32)> + Sync,
) -> Result<Assembled> {
    let starts: Vec<usize> = (0..edges).step_by(PIECE).collect();
    let chunks = parallel::map_items(starts, |start| (listed(start..(start + PIECE).min(edges)), NoWeights));
    NoWeights::assemble(path, vertices, chunks, &[])
}

/// The edges at these positions.
fn sources(offsets: &[u64], targets: &[u32], range: Range<usize>) -> Vec<(u32, u32)> {
    let mut edges = Vec::with_capacity(range.len());
    // The last list that starts at or before the first edge.
    let mut source = offsets.partition_point(|&o| o <= range.start as u64).saturating_sub(1);
    for edge in range {
        while offsets.get(source + 1).is_some_and(|&next| next <= edge as u64) {
            source += 1;
        }
        edges.push((source as u32, targets[edge]));
    }
    edges
}

/// Runs of whole words from `begin` on.
fn pieces(bytes: &[u8], begin: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut begin = begin;
    while begin < bytes.len() {
        let reach = (begin + PIECE).min(bytes.len());
        let end = bytes[reach..].iter().position(u8::is_ascii_whitespace).map_or(bytes.len(), |gap| reach + gap);
        pieces.push(begin..end);
        begin = end;
    }
    pieces
}

fn words(bytes: &[u8]) -> u64 {
    let mut gap = true;
    let mut words = 0;
    for byte in bytes {
        let white = byte.is_ascii_whitespace();
        words += u64::from(gap && !white);
        gap = white;
    }
    words
}

/// Which words are offsets, targets and weights.
struct Sections {
    vertices: u64,
    edges: u64,
}

struct Piece {
    offsets: Vec<u64>,
    targets: Vec<u32>,
    column: AnyWeights,
    weights: usize,
}

impl Sections {
    /// Says what is wrong with the offsets of all lists.
    fn check(&self, offsets: &[u64]) -> Result<(), &'static str> {
        let ascending = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ascending || offsets.first().is_some_and(|&o| o != 0) || offsets.last().is_some_and(|&o| o > self.edges) {
            return Err("the offsets do not ascend from 0 to the number of edges");
        }
        if self.vertices == 0 && self.edges > 0 {
            return Err("there are edges but no vertices");
        }
        Ok(())
    }

    /// Parses a piece that starts with word `first` and has `count` words.
    fn parse(&self, bytes: &[u8], first: u64, count: u64) -> Result<Piece, Fault> {
        let words = first..first + count;
        let overlap = |begin: u64, end: u64| (words.end.min(end).saturating_sub(words.start.max(begin))) as usize;
        let targets_end = self.vertices + self.edges;
        let offsets = overlap(0, self.vertices);
        let targets = overlap(self.vertices, targets_end);
        let weights = overlap(targets_end, u64::MAX);
        let mut piece = Piece {
            offsets: Vec::with_capacity(offsets),
            targets: Vec::with_capacity(targets),
            column: AnyWeights::with_capacity(weights),
            weights,
        };
        let mut cursor = Cursor::new(bytes);
        for _ in 0..offsets {
            cursor.skip_white();
            let offset = cursor.count().ok_or_else(|| cursor.expected("an offset"))?;
            piece.offsets.push(offset);
        }
        for _ in 0..targets {
            cursor.skip_white();
            let start = cursor.at;
            match cursor.integer() {
                Some((false, id)) if id < self.vertices => piece.targets.push(id as u32),
                Some(_) => {
                    cursor.at = start;
                    let shown = cursor.shown();
                    return Err(cursor.fault(format!("vertex id {shown} is out of range 0..{}", self.vertices)));
                }
                None => return Err(cursor.expected("a vertex id")),
            }
        }
        for _ in 0..weights {
            cursor.skip_white();
            piece.column.read(&mut cursor)?;
        }
        Ok(piece)
    }
}

/// Plans an adjacency graph.
pub(super) fn plan(graph: &Graph) -> Plan<'_> {
    const ITEMS: usize = 1 << 17;
    let out = graph.out();
    let word = if graph.is_weighted() { "WeightedAdjacencyGraph" } else { "AdjacencyGraph" };
    let (vertices, edges) = (graph.vertices(), graph.edges());
    let header = format!("{word}\n{vertices}\n{edges}\n");
    let vertex_blocks = vertices.div_ceil(ITEMS);
    let edge_blocks = edges.div_ceil(ITEMS);
    let blocks = 1 + vertex_blocks + if graph.is_weighted() { 2 } else { 1 } * edge_blocks;
    Plan::new(blocks, move |block, buffer| {
        let range = |block: usize, total: usize| ITEMS * block..(ITEMS * (block + 1)).min(total);
        if block == 0 {
            buffer.extend_from_slice(header.as_bytes());
        } else if block <= vertex_blocks {
            for v in range(block - 1, vertices) {
                push_number(buffer, out.offsets().at(v) as u64);
                push_byte(buffer, b'\n');
            }
        } else if block <= vertex_blocks + edge_blocks {
            for &target in &out.targets()[range(block - 1 - vertex_blocks, edges)] {
                push_id(buffer, target);
                push_byte(buffer, b'\n');
            }
        } else {
            for edge in range(block - 1 - vertex_blocks - edge_blocks, edges) {
                push_weight(buffer, out.weights(), edge);
                push_byte(buffer, b'\n');
            }
        }
    })
}
