//! `.el` and `.wel`: one edge per line, ids from 0, no header.
//!
//! Blank lines and lines that begin with `#` or `%` are skipped. The weights of a `.wel` are integers when all of
//! them are, floats otherwise. The number of vertices is the greatest id plus one.

use std::path::Path;

use super::edge_file::EdgeFile;
use super::edge_lines::{Column, EdgeLines, MEND_IDS, NoWeights, assemble, check_vertices, edge_block};
use super::input::Input;
use super::plan::{Plan, headerless_notes, push_byte, push_id, push_weight};
use super::text::Text;
use super::weight_column::AnyWeights;
use crate::progress::Progress;
use crate::{Graph, GraphError, Result};

const LINES: EdgeLines = EdgeLines { comments: b"#%", letter: None, first_id: 0, ids: None, more_columns: false };

/// Reads `.el`.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    read_with::<NoWeights>(input, path, progress)
}

/// Reads `.wel`.
pub(super) fn read_weighted(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    read_with::<AnyWeights>(input, path, progress)
}

fn read_with<C: Column>(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let parsed = Text::new(input, path, progress)?.parse(|bytes| edge_block::<u32, C>(bytes, &LINES))?;
    if parsed.edges() == 0 {
        return Err(GraphError::file(path, "there is no edge in the file"));
    }
    let vertices = check_vertices(path, parsed.ids(), parsed.edges(), MEND_IDS)?;
    Ok(EdgeFile::directed(assemble(path, vertices, parsed)?))
}

/// Plans a `.el`.
pub(super) fn plan<'g>(graph: &'g Graph, path: &Path) -> Result<Plan<'g>> {
    if graph.is_weighted() {
        let message = "`.el` holds no weights; write `.wel`, or drop the weights first";
        return Err(GraphError::file(path, message));
    }
    let notes = headerless_notes(graph, path)?;
    Ok(Plan::by_vertices(graph.out(), Vec::new(), edge_lines(graph)).noting(notes))
}

/// Plans a `.wel`.
pub(super) fn plan_weighted<'g>(graph: &'g Graph, path: &Path) -> Result<Plan<'g>> {
    let mut notes = headerless_notes(graph, path)?;
    notes.extend(super::plan::unit_weights_note(graph));
    let out = graph.out();
    let plan = Plan::by_vertices(out, Vec::new(), move |v, buffer| {
        for (edge, &target) in out.range(v).zip(out.neighbours(v)) {
            push_id(buffer, v);
            push_byte(buffer, b' ');
            push_id(buffer, target);
            push_byte(buffer, b' ');
            push_weight(buffer, out.weights(), edge);
            push_byte(buffer, b'\n');
        }
    });
    Ok(plan.noting(notes))
}

fn edge_lines<'g>(graph: &'g Graph) -> impl Fn(u32, &mut Vec<u8>) + Sync + 'g {
    let out = graph.out();
    move |v, buffer| {
        for &target in out.neighbours(v) {
            push_id(buffer, v);
            push_byte(buffer, b' ');
            push_id(buffer, target);
            push_byte(buffer, b'\n');
        }
    }
}
