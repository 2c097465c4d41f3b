//! A graph as CSV or TSV: `source,target` or `source,target,weight`, with the original ids.

use std::path::Path;

use crate::format::plan::{Plan, isolated, push_byte, push_id, push_weight};
use crate::{Graph, GraphError, Name, Result};

/// Plans a table; `separator` stands between fields.
pub(in crate::format) fn plan<'g>(graph: &'g Graph, path: &Path, separator: u8) -> Result<Plan<'g>> {
    if graph.edges() == 0 {
        return Err(GraphError::file(path, "the graph has no edges, and a table of edges holds nothing else"));
    }
    let mut header = [&b"source"[..], b"target"].join(&separator);
    if graph.is_weighted() {
        header.extend([&[separator][..], b"weight"].concat());
    }
    header.push(b'\n');
    let out = graph.out();
    let id = move |vertex: u32, buffer: &mut Vec<u8>| match graph.names() {
        Some(names) => push_name(buffer, names.get(vertex), separator),
        None => push_id(buffer, vertex),
    };
    let plan = Plan::by_vertices(out, header, move |v, buffer| {
        for (edge, &target) in out.range(v).zip(out.neighbours(v)) {
            id(v, buffer);
            push_byte(buffer, separator);
            id(target, buffer);
            if graph.is_weighted() {
                push_byte(buffer, separator);
                push_weight(buffer, out.weights(), edge);
            }
            push_byte(buffer, b'\n');
        }
    });
    let lost = isolated(graph);
    Ok(plan.noting((lost > 0).then(|| format!("{lost} vertices without edges are not in the file"))))
}

/// Appends an id, in quotes where a reader of tables would take it for something else.
fn push_name(buffer: &mut Vec<u8>, name: Name<'_>, separator: u8) {
    let Name::Text(text) = name else { return buffer.extend_from_slice(name.to_string().as_bytes()) };
    let special = |byte: u8| byte == separator || matches!(byte, b'"' | b'\n' | b'\r');
    let is_plain = !text.is_empty() && !text.bytes().any(special) && text.trim() == text && !text.starts_with('#');
    match is_plain {
        true => buffer.extend_from_slice(text.as_bytes()),
        false => buffer.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes()),
    }
}
