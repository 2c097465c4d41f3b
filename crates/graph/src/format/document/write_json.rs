//! A graph as node-link JSON, which `networkx.node_link_graph` reads.

use crate::attributes::push_json_text;
use crate::format::Plan;
use crate::format::plan::{push_id, push_weight, vertex_runs};
use crate::{Graph, Name, VertexId};

/// Plans a document. A symmetric graph is undirected and has each edge once.
pub(in crate::format) fn plan(graph: &Graph) -> Plan<'_> {
    let is_directed = !graph.is_symmetric();
    let is_multi =
        (0..graph.vertices() as VertexId).any(|v| graph.out().neighbours(v).windows(2).any(|w| w[0] == w[1]));
    let runs = vertex_runs(graph.out());
    let count = runs.len();
    // Commas stand in front: before all objects but the first.
    let first_edge = (0..graph.vertices() as VertexId).find(|&v| listed(graph, v, is_directed) > 0);
    Plan::new(2 * count + 3, move |block, buffer| match block {
        0 => {
            let head =
                format!("{{\"directed\": {is_directed}, \"multigraph\": {is_multi}, \"graph\": {{}}, \"nodes\": [");
            buffer.extend_from_slice(head.as_bytes());
        }
        block if block <= count => {
            for vertex in runs[block - 1].clone() {
                buffer.extend_from_slice(if vertex == 0 { b"\n{\"id\": " } else { b",\n{\"id\": " });
                push_name(graph, vertex, buffer);
                buffer.push(b'}');
            }
        }
        block if block == count + 1 => buffer.extend_from_slice(b"\n], \"edges\": ["),
        block if block <= 2 * count + 1 => {
            for vertex in runs[block - count - 2].clone() {
                push_edges(graph, vertex, is_directed, first_edge, buffer);
            }
        }
        _ => buffer.extend_from_slice(b"\n]}\n"),
    })
}

/// Edges of a vertex that are written.
fn listed(graph: &Graph, vertex: VertexId, is_directed: bool) -> usize {
    let neighbours = graph.out().neighbours(vertex);
    if is_directed { neighbours.len() } else { neighbours.partition_point(|&target| target <= vertex) }
}

fn push_edges(graph: &Graph, vertex: VertexId, is_directed: bool, first: Option<VertexId>, buffer: &mut Vec<u8>) {
    let out = graph.out();
    let edges = out.range(vertex).zip(out.neighbours(vertex)).take(listed(graph, vertex, is_directed));
    for (place, (edge, &target)) in edges.enumerate() {
        let is_first = place == 0 && first == Some(vertex);
        buffer.extend_from_slice(if is_first { b"\n{\"source\": " } else { b",\n{\"source\": " });
        push_name(graph, vertex, buffer);
        buffer.extend_from_slice(b", \"target\": ");
        push_name(graph, target, buffer);
        if graph.is_weighted() {
            buffer.extend_from_slice(b", \"weight\": ");
            push_weight(buffer, out.weights(), edge);
        }
        buffer.push(b'}');
    }
}

fn push_name(graph: &Graph, vertex: VertexId, buffer: &mut Vec<u8>) {
    match graph.names().map(|names| names.get(vertex)) {
        Some(Name::Text(text)) => push_json_text(text, buffer),
        Some(name) => buffer.extend_from_slice(name.to_string().as_bytes()),
        None => push_id(buffer, vertex),
    }
}
