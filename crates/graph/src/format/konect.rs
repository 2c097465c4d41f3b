//! KONECT `out.NAME`: `% FORMAT WEIGHTS`, then optionally `% EDGES VERTICES VERTICES`, then `u v [weight [time]]` per
//! edge, ids from 1.
//!
//! `sym` lists each undirected edge once, `asym` is directed. `bip` is bipartite and undirected: the right vertices,
//! numbered from 1 in the file, come behind the left ones. Weights are read unless the header says `unweighted`;
//! times are skipped.

use std::path::Path;

use super::cursor::Cursor;
use super::edge_file::EdgeFile;
use super::edge_lines::{
    Assembled, Column, EdgeLines, MEND_HEADER, MEND_IDS, NoWeights, assemble, check_vertices, edge_block,
};
use super::input::Input;
use super::plan::{Plan, push_byte, push_number, push_weight};
use super::text::Text;
use super::weight_column::AnyWeights;
use crate::parallel;
use crate::progress::Progress;
use crate::{Graph, GraphError, Result};

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Symmetric,
    Directed,
    Bipartite,
}

/// The optional second line.
#[derive(Clone, Copy)]
struct Sizes {
    edges: u64,
    left: u64,
    right: u64,
    line: u64,
}

/// Reads a KONECT file.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let mut text = Text::new(input, path, progress)?;
    let first = text.peek_line()?.unwrap_or_default();
    let (shape, unweighted) = parse_kind(first).map_err(|message| GraphError::text(path, 1, message))?;
    text.skip_line();
    let sizes = text.peek_line()?.and_then(parse_sizes);
    let sizes = sizes.map(|(edges, left, right)| Sizes { edges, left, right, line: 2 });

    let columns = |line: &[u8]| line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    let has_third = text.peek_data_line(b"%")?.is_some_and(|line| columns(line) > 2);
    let edges = match has_third && !unweighted {
        true => body::<AnyWeights>(text, path, shape, sizes)?,
        false => body::<NoWeights>(text, path, shape, sizes)?,
    };
    Ok(EdgeFile { symmetrise: shape != Shape::Directed, ..EdgeFile::directed(edges) })
}

fn parse_kind(line: &[u8]) -> Result<(Shape, bool), String> {
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let [b"%", shape, weights] = words[..] else {
        return Err("expected `% FORMAT WEIGHTS`, such as `% sym unweighted`".into());
    };
    let shape = match shape {
        b"sym" => Shape::Symmetric,
        b"asym" => Shape::Directed,
        b"bip" => Shape::Bipartite,
        other => return Err(format!("format `{}` is unknown: use sym, asym or bip", other.escape_ascii())),
    };
    Ok((shape, weights == b"unweighted"))
}

/// Edges, left vertices, right vertices.
fn parse_sizes(line: &[u8]) -> Option<(u64, u64, u64)> {
    let mut cursor = Cursor::new(line.strip_prefix(b"%")?);
    let mut next = || {
        cursor.skip_blanks();
        cursor.count()
    };
    let (edges, left) = (next()?, next()?);
    let right = next().unwrap_or(left);
    Some((edges, left, right))
}

fn body<C: Column>(text: Text<'_>, path: &Path, shape: Shape, sizes: Option<Sizes>) -> Result<Assembled> {
    let ids = sizes.map(|s| s.left.max(s.right));
    let lines = EdgeLines { comments: b"%#", letter: None, first_id: 1, ids, more_columns: true };
    let mut parsed = text.parse(|bytes| edge_block::<u32, C>(bytes, &lines))?;
    let found = parsed.edges();
    if let Some(sizes) = sizes
        && sizes.edges != found as u64
    {
        let message = format!("the header promises {} edges, the file holds {found}", sizes.edges);
        return Err(GraphError::text(path, sizes.line, message));
    }
    if found == 0 && sizes.is_none() {
        return Err(GraphError::file(path, "there is no edge in the file"));
    }
    let mend = if sizes.is_some() { MEND_HEADER } else { MEND_IDS };
    if shape != Shape::Bipartite {
        let vertices = check_vertices(path, ids.unwrap_or(parsed.ids()), found, mend)?;
        return assemble(path, vertices, parsed);
    }

    // Right vertices move behind the left ones.
    let most = |largest: u64| if found == 0 { 0 } else { largest + 1 };
    let last_left = most(parsed.blocks.iter().map(|b| b.last_source).max().unwrap_or(0));
    let last_right = most(parsed.blocks.iter().map(|b| b.last_target).max().unwrap_or(0));
    let (left, right) = sizes.map_or((last_left, last_right), |s| (s.left, s.right));
    if last_left > left || last_right > right {
        let message =
            format!("ids reach {last_left} and {last_right}, but the header allows {left} left and {right} right");
        return Err(GraphError::file(path, message));
    }
    let vertices = check_vertices(path, left.saturating_add(right), found, mend)?;
    parallel::map_items(parsed.blocks.iter_mut().collect(), |block| {
        for (_, target) in &mut block.ids {
            *target += left as u32;
        }
    });
    assemble(path, vertices, parsed)
}

/// Plans a KONECT file.
pub(super) fn plan(graph: &Graph) -> Plan<'_> {
    let out = graph.out();
    let symmetric = graph.is_symmetric();
    let weighted = graph.is_weighted();
    let shape = if symmetric { "sym" } else { "asym" };
    let weights = if weighted { "weighted" } else { "unweighted" };
    let listed = move |v: u32| {
        let neighbours = out.neighbours(v);
        let count = if symmetric { neighbours.partition_point(|&t| t <= v) } else { neighbours.len() };
        out.range(v).zip(&neighbours[..count])
    };
    let n = graph.vertices();
    let edges: usize = (0..n as u32).map(|v| listed(v).len()).sum();
    let header = format!("% {shape} {weights}\n% {edges} {n} {n}\n");
    Plan::by_vertices(out, header.into_bytes(), move |v, buffer| {
        for (edge, &target) in listed(v) {
            push_number(buffer, u64::from(v) + 1);
            push_byte(buffer, b' ');
            push_number(buffer, u64::from(target) + 1);
            if weighted {
                push_byte(buffer, b' ');
                push_weight(buffer, out.weights(), edge);
            }
            push_byte(buffer, b'\n');
        }
    })
}
