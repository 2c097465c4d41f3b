//! DIMACS shortest-path graphs `.gr`: `p sp VERTICES ARCS`, then `a u v w` per arc, `c` for comments.
//!
//! Ids are kept as they are, as by the reader of GAPBS. In a proper file they start at 1, so vertex 0 exists and has no
//! edges, which [`Numbering::FromOne`] tells; files that do use id 0 are read as well. Weights are integers of up to 64
//! bits.

use std::path::Path;

use super::cursor::Cursor;
use super::edge_file::EdgeFile;
use super::edge_lines::{EdgeLines, MEND_HEADER, assemble, check_vertices, edge_block};
use super::input::Input;
use super::plan::{Plan, push_byte, push_id, push_weight};
use super::text::Text;
use super::weight_column::WholeWeights;
use crate::progress::Progress;
use crate::{Graph, GraphError, Numbering, Result};

/// Reads a `.gr`.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let mut text = Text::new(input, path, progress)?;
    let problem = text.peek_data_line(b"c")?.map(parse_problem);
    let line = text.line();
    let (declared, arcs) = problem
        .unwrap_or_else(|| Err("the line `p sp VERTICES ARCS` is missing".into()))
        .map_err(|message| GraphError::text(path, line, message))?;
    text.skip_line();

    // Ids 0..=declared: see above.
    let ids = declared.saturating_add(1);
    let lines = EdgeLines { comments: b"c", letter: Some(b'a'), first_id: 0, ids: Some(ids), more_columns: false };
    let parsed = text.parse(|bytes| edge_block::<u32, WholeWeights>(bytes, &lines))?;
    let found = parsed.edges();
    if found as u64 != arcs {
        let message = format!("the header promises {arcs} arcs, the file holds {found}");
        return Err(GraphError::text(path, line, message));
    }
    let from_zero = found == 0 || parsed.blocks.iter().any(|b| b.ids.iter().any(|&(s, t)| s == 0 || t == 0));
    let vertices = if from_zero { declared.max(parsed.ids()) } else { ids };
    let vertices = check_vertices(path, vertices, found, MEND_HEADER)?;
    let numbering = (!from_zero).then_some(Numbering::FromOne);
    Ok(EdgeFile { numbering, ..EdgeFile::directed(assemble(path, vertices, parsed)?) })
}

fn parse_problem(line: &[u8]) -> Result<(u64, u64), String> {
    let wrong = || format!("expected `p sp VERTICES ARCS`, found `{}`", line[..line.len().min(60)].escape_ascii());
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let [b"p", b"sp", vertices, arcs] = words[..] else { return Err(wrong()) };
    Cursor::new(vertices).count().zip(Cursor::new(arcs).count()).ok_or_else(wrong)
}

/// Plans a `.gr`.
pub(super) fn plan<'g>(graph: &'g Graph, path: &Path) -> Result<Plan<'g>> {
    if graph.weight_kind().is_real() {
        return Err(GraphError::file(path, "`.gr` holds integer weights only, and these are real"));
    }
    let out = graph.out();
    let n = graph.vertices();
    let zero_used = n > 0 && (out.degree(0) > 0 || out.targets().contains(&0));
    // Such that reading gives back the same number of vertices.
    let declared = if graph.edges() == 0 || zero_used { n } else { n - 1 };
    let header = format!("c written by Graphwright\np sp {declared} {}\n", graph.edges());
    let note =
        zero_used.then(|| "vertex 0 has edges: ids are kept as they are, but proper `.gr` ids start at 1".into());
    let plan = Plan::by_vertices(out, header.into_bytes(), move |v, buffer| {
        for (edge, &target) in out.range(v).zip(out.neighbours(v)) {
            buffer.extend_from_slice(b"a ");
            push_id(buffer, v);
            push_byte(buffer, b' ');
            push_id(buffer, target);
            push_byte(buffer, b' ');
            push_weight(buffer, out.weights(), edge);
            push_byte(buffer, b'\n');
        }
    });
    Ok(plan.noting(super::plan::unit_weights_note(graph)).noting(note))
}
