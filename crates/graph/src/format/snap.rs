//! SNAP `.txt`: one edge per line, `#` comments, ids of any size.
//!
//! Ids become dense in ascending order, so a file with ids `0..n` keeps them. A third column, if the first edge has
//! one, is the weight. Vertices without edges cannot be told from gaps, so they vanish.

use std::path::Path;

use super::densify::{AnyIds, densify};
use super::edge_file::EdgeFile;
use super::edge_lines::{Column, EdgeBlock, EdgeLines, NoWeights, edge_block};
use super::input::Input;
use super::plan::{Plan, headerless_notes, push_byte, push_id, push_weight};
use super::text::Text;
use super::weight_column::AnyWeights;
use crate::progress::Progress;
use crate::{Graph, GraphError, Names, Result, WeightKind};

const LINES: EdgeLines = EdgeLines { comments: b"#%", letter: None, first_id: 0, ids: None, more_columns: false };

/// Reads a SNAP file.
pub(super) fn read(input: Input, path: &Path, progress: &dyn Progress) -> Result<EdgeFile> {
    let mut text = Text::new(input, path, progress)?;
    match text.peek_data_line(LINES.comments)? {
        None => Err(GraphError::file(path, "there is no edge in the file")),
        Some(line) if line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() < 3 => {
            read_with::<NoWeights>(text, path)
        }
        Some(_) => read_with::<AnyWeights>(text, path),
    }
}

fn read_with<C: Column>(text: Text<'_>, path: &Path) -> Result<EdgeFile> {
    // A block with an id beyond 32 bits is read once more with 64.
    let parsed = text.parse(|bytes| match edge_block::<u32, C>(bytes, &LINES) {
        Ok(EdgeBlock { ids, column, .. }) => Ok((AnyIds::Narrow(ids), column)),
        Err(fault) if fault.id_too_large => {
            edge_block::<u64, C>(bytes, &LINES).map(|block| (AnyIds::Wide(block.ids), block.column))
        }
        Err(fault) => Err(fault),
    })?;
    let (ids, columns): (Vec<_>, Vec<_>) = parsed.blocks.into_iter().unzip();
    let dense = densify(ids).map_err(|message| GraphError::file(path, message))?;
    let parts = dense.edges.into_iter().zip(columns).collect();
    let edges = C::assemble(path, dense.vertices, parts, &parsed.first_lines)?;
    Ok(EdgeFile {
        names: dense.original.map(Names::from_unsigned),
        numbering: dense.numbering,
        ..EdgeFile::directed(edges)
    })
}

/// Plans a SNAP file.
pub(super) fn plan<'g>(graph: &'g Graph, path: &Path) -> Result<Plan<'g>> {
    let mut notes = headerless_notes(graph, path)?;
    let isolated = super::plan::isolated(graph);
    if isolated > 0 {
        notes =
            vec![format!("{isolated} vertices without edges are not in the file; reading it back renumbers the rest")];
    }
    let kind = if graph.is_symmetric() { "Undirected graph, each edge in both directions" } else { "Directed graph" };
    let weight = if graph.is_weighted() { "\tWeight" } else { "" };
    let header =
        format!("# {kind}\n# Nodes: {} Edges: {}\n# FromNodeId\tToNodeId{weight}\n", graph.vertices(), graph.edges());
    let out = graph.out();
    let weighted = graph.weight_kind() != WeightKind::None;
    let plan = Plan::by_vertices(out, header.into_bytes(), move |v, buffer| {
        for (edge, &target) in out.range(v).zip(out.neighbours(v)) {
            push_id(buffer, v);
            push_byte(buffer, b'\t');
            push_id(buffer, target);
            if weighted {
                push_byte(buffer, b'\t');
                push_weight(buffer, out.weights(), edge);
            }
            push_byte(buffer, b'\n');
        }
    });
    Ok(plan.noting(notes))
}
