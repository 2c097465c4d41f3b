//! Matrix Market `.mtx`: a sparse square matrix in coordinate form, ids from 1.
//!
//! `pattern` gives an unweighted graph, `integer` integer weights and `real` reals, of 32 bits where these hold every
//! value and of 64 bits otherwise. `symmetric` lists each edge once; so does `skew-symmetric`, where the mirrored entry
//! has the negated value. Vertices without entries count: the size line says how many there are.

use std::path::Path;

use super::cursor::Cursor;
use super::edge_file::EdgeFile;
use super::edge_lines::{Assembled, Column, EdgeLines, MEND_HEADER, NoWeights, assemble, check_vertices, edge_block};
use super::input::Input;
use super::plan::{Plan, push_byte, push_number, push_weight};
use super::text::Text;
use super::weight_column::{RealWeights, WholeWeights};
use crate::progress::Progress;
use crate::{AnyEdgeList, EdgeChunk, EdgeList, Graph, GraphError, Result, WeightKind};

#[derive(Clone, Copy, PartialEq)]
enum Field {
    Pattern,
    Integer,
    Real,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    General,
    Symmetric,
    Skew,
}

/// Reads a `.mtx`.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let mut text = Text::new(input, path, progress)?;
    let banner = text.peek_line()?.unwrap_or_default();
    let (field, shape) = parse_banner(banner).map_err(|message| GraphError::text(path, 1, message))?;
    text.skip_line();

    let size = text.peek_data_line(b"%")?.map(parse_size);
    let size_line = text.line();
    let Some(size) = size else { return Err(GraphError::text(path, size_line, "the line with the size is missing")) };
    let (vertices, entries) = size.map_err(|message| GraphError::text(path, size_line, message))?;
    text.skip_line();

    let lines = EdgeLines { comments: b"%", letter: None, first_id: 1, ids: Some(vertices), more_columns: false };
    let body = Body { path, size_line, vertices, entries, lines };
    let edges = match field {
        Field::Pattern => body.read::<NoWeights>(text),
        Field::Integer => body.read::<WholeWeights>(text),
        Field::Real => body.read::<RealWeights>(text),
    }?;
    let edges = match shape {
        Shape::Skew => Assembled { edges: with_negated_mirror(edges.edges, path)?, ..edges },
        _ => edges,
    };
    Ok(EdgeFile { symmetrise: shape == Shape::Symmetric, ..EdgeFile::directed(edges) })
}

fn parse_banner(line: &[u8]) -> Result<(Field, Shape), String> {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [mark, object, layout, field, shape] = words[..] else {
        return Err("expected `%%MatrixMarket matrix coordinate FIELD SYMMETRY`".into());
    };
    if mark != "%%matrixmarket" {
        return Err("expected `%%MatrixMarket` at the start of the file".into());
    }
    if object != "matrix" || layout != "coordinate" {
        return Err(format!("`{object} {layout}` is not supported: a graph is a `matrix coordinate`"));
    }
    let field = match field {
        "pattern" => Field::Pattern,
        "integer" => Field::Integer,
        "real" => Field::Real,
        other => return Err(format!("field `{other}` is not supported: use pattern, integer or real")),
    };
    let shape = match shape {
        "general" => Shape::General,
        "symmetric" => Shape::Symmetric,
        "skew-symmetric" if field == Field::Pattern => return Err("a skew-symmetric matrix needs values".into()),
        "skew-symmetric" => Shape::Skew,
        other => {
            return Err(format!("symmetry `{other}` is not supported: use general, symmetric or skew-symmetric"));
        }
    };
    Ok((field, shape))
}

/// Vertices and entries.
fn parse_size(line: &[u8]) -> Result<(u64, u64), String> {
    let mut cursor = Cursor::new(line);
    let mut next = || {
        cursor.skip_blanks();
        cursor.count().ok_or_else(|| cursor.expected("a line `ROWS COLUMNS ENTRIES`").message)
    };
    let (rows, columns, entries) = (next()?, next()?, next()?);
    cursor.skip_blanks();
    if !cursor.is_done() {
        return Err(cursor.expected("a line `ROWS COLUMNS ENTRIES`").message);
    }
    if rows != columns {
        return Err(format!("a {rows} x {columns} matrix is no graph: it must be square"));
    }
    Ok((rows, entries))
}

struct Body<'a> {
    path: &'a Path,
    size_line: u64,
    vertices: u64,
    entries: u64,
    lines: EdgeLines,
}

impl Body<'_> {
    fn read<C: Column>(&self, text: Text<'_>) -> Result<Assembled> {
        let parsed = text.parse(|bytes| edge_block::<u32, C>(bytes, &self.lines))?;
        let found = parsed.edges();
        if found as u64 != self.entries {
            let message = format!("the header promises {} entries, the file holds {found}", self.entries);
            return Err(GraphError::text(self.path, self.size_line, message));
        }
        let vertices = check_vertices(self.path, self.vertices, found, MEND_HEADER)?;
        assemble(self.path, vertices, parsed)
    }
}

/// Adds entry (j, i) = -value for every entry (i, j).
fn with_negated_mirror(edges: AnyEdgeList, path: &Path) -> Result<AnyEdgeList> {
    fn mirrored<W: Copy>(list: EdgeList<W>, negate: impl Fn(W) -> Option<W>) -> Option<EdgeList<W>> {
        let mirror = |mut chunk: EdgeChunk<W>| {
            for edge in 0..chunk.edges.len() {
                let ((i, j), value) = (chunk.edges[edge], chunk.weights[edge]);
                if i != j {
                    chunk.edges.push((j, i));
                    chunk.weights.push(negate(value)?);
                }
            }
            Some(chunk)
        };
        let chunks = list.chunks.into_iter().map(mirror).collect::<Option<_>>()?;
        Some(EdgeList { vertices: list.vertices, chunks })
    }
    let edges = match edges {
        AnyEdgeList::Int(list) => mirrored(list, i32::checked_neg).map(AnyEdgeList::Int),
        AnyEdgeList::Float(list) => mirrored(list, |w| Some(-w)).map(AnyEdgeList::Float),
        AnyEdgeList::Int64(list) => mirrored(list, i64::checked_neg).map(AnyEdgeList::Int64),
        AnyEdgeList::Double(list) => mirrored(list, |w| Some(-w)).map(AnyEdgeList::Double),
        AnyEdgeList::None(list) => Some(AnyEdgeList::None(list)),
    };
    edges.ok_or_else(|| GraphError::file(path, "the least integer of its width has no mirror: its negation is wider"))
}

/// Plans a `.mtx`.
pub(super) fn plan(graph: &Graph) -> Plan<'_> {
    let out = graph.out();
    let symmetric = graph.is_symmetric();
    let shape = if symmetric { "symmetric" } else { "general" };
    let field = match graph.weight_kind() {
        WeightKind::None => "pattern",
        WeightKind::Int | WeightKind::Int64 => "integer",
        WeightKind::Float | WeightKind::Double => "real",
    };
    let listed = move |v: u32| {
        let neighbours = out.neighbours(v);
        // The lower triangle: row at least column.
        let count = if symmetric { neighbours.partition_point(|&t| t <= v) } else { neighbours.len() };
        out.range(v).zip(&neighbours[..count])
    };
    let n = graph.vertices();
    let entries: usize = (0..n as u32).map(|v| listed(v).len()).sum();
    let header = format!("%%MatrixMarket matrix coordinate {field} {shape}\n{n} {n} {entries}\n");
    Plan::by_vertices(out, header.into_bytes(), move |v, buffer| {
        for (edge, &target) in listed(v) {
            push_number(buffer, u64::from(v) + 1);
            push_byte(buffer, b' ');
            push_number(buffer, u64::from(target) + 1);
            if field != "pattern" {
                push_byte(buffer, b' ');
                push_weight(buffer, out.weights(), edge);
            }
            push_byte(buffer, b'\n');
        }
    })
}
