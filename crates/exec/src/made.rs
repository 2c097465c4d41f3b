//! Graphs of edges that a program lists in vectors: `new edgeset{Road}(City,City,int)(from, to, lengths)`.

use std::sync::Arc;

use gw_graph::{AnyEdgeList, BuildOptions, EdgeChunk, EdgeList, Graph, VertexId, build_any, memory};
use gw_ir::types::Scalar;

use crate::error::{ErrorKind, Result, checked_vertex};
use crate::scalar::Register;
use crate::vector::Vector;

/// The graph with an edge from `from[i]` to `to[i]` for every `i`, of weight `weights[i]`. Entries with an end below 0
/// list no edge. As in a graph from a file, loops are dropped, and of parallel edges the one of least weight stays.
pub(crate) fn graph_of(vertices: usize, from: &Vector, to: &Vector, weights: Option<&Vector>) -> Result<Arc<Graph>> {
    for other in [Some(to), weights].into_iter().flatten() {
        if other.len() != from.len() {
            return Err(ErrorKind::EdgeLists { first: from.len(), other: other.len() }.into());
        }
    }
    let bytes = (from.len() * size_of::<(VertexId, VertexId, usize)>()) as u64;
    memory::allow(bytes, format_args!("a list of {} edges", from.len()))?;
    let mut kept: Vec<(VertexId, VertexId, usize)> = Vec::with_capacity(from.len());
    let (sources, targets) = (from.touched(), to.touched());
    for entry in 0..from.len() {
        let (source, target) = (i32::of(sources.load(entry)), i32::of(targets.load(entry)));
        if source >= 0 && target >= 0 {
            kept.push((checked_vertex(source, vertices)?, checked_vertex(target, vertices)?, entry));
        }
    }
    let edges = match weights {
        None => listed(vertices, &kept, |_| ()),
        Some(weights) => {
            let cells = weights.touched();
            match weights.scalar() {
                Scalar::Int | Scalar::Bool => listed(vertices, &kept, |entry| i32::of(cells.load(entry))),
                Scalar::Uint => listed(vertices, &kept, |entry| i64::from(u32::of(cells.load(entry)))),
                Scalar::Int64 => listed(vertices, &kept, |entry| i64::of(cells.load(entry))),
                Scalar::Uint64 => {
                    let large = kept.iter().map(|(.., entry)| cells.load(*entry)).find(|w| i64::try_from(*w).is_err());
                    if let Some(weight) = large {
                        let message = format!("the weight {weight} is more than graphs hold: 9223372036854775807");
                        return Err(ErrorKind::Unsupported(message).into());
                    }
                    listed(vertices, &kept, |entry| i64::of(cells.load(entry)))
                }
                Scalar::Float => listed(vertices, &kept, |entry| f32::of(cells.load(entry))),
                Scalar::Double => listed(vertices, &kept, |entry| f64::of(cells.load(entry))),
                Scalar::String => return Err(ErrorKind::Unsupported("weights are numbers".into()).into()),
            }
        }
    };
    Ok(Arc::new(build_any(edges, &BuildOptions::default())?))
}

/// Edges with the weights that a function gives.
fn listed<W: gw_graph::Weight>(
    vertices: usize,
    kept: &[(VertexId, VertexId, usize)],
    weight: impl Fn(usize) -> W,
) -> AnyEdgeList
where
    AnyEdgeList: From<EdgeList<W>>,
{
    let mut chunk = EdgeChunk::with_capacity(kept.len());
    for &(source, target, entry) in kept {
        chunk.push(source, target, weight(entry));
    }
    AnyEdgeList::from(EdgeList { vertices, chunks: vec![chunk] })
}
