//! The memory that a run needs on the host and on the device, without a device.

use gw_exec::{ErrorKind, ExecError, Needs, Result, renumbered_bytes, vector_bytes};
use gw_graph::{Graph, Offsets};
use gw_ir::module::Module;

use crate::codegen::Generated;
use crate::codegen::inputs::{GraphParts, Source};
use crate::listings::listings;
use crate::set::{BITS, BYTES, LEVELS};

/// What a run of a module, after all passes, needs on a graph: the arrays that its kernels read, its vectors, and room
/// for sets and balancers.
pub(crate) fn needs(module: &Module, graph: &Graph) -> Result<Needs> {
    let kernels = listings(module, false);
    let kernels = kernels.map_err(|r| ExecError::from(ErrorKind::Unsupported(r.reason)).at(r.span))?;
    let (vertices, edges) = (graph.vertices() as u64, graph.edges() as u64);
    let parts = kernels.iter().flat_map(|code| code.parts.iter().map(|(_, parts)| *parts));
    let parts = parts.fold(GraphParts::default(), |all, one| GraphParts {
        out: all.out || one.out,
        incoming: all.incoming || one.incoming,
        out_ranges: all.out_ranges || one.out_ranges,
        in_ranges: all.in_ranges || one.in_ranges,
        positions: all.positions || one.positions,
        marked: all.marked || one.marked,
        list: all.list.or(one.list),
        weights: all.weights || one.weights,
    });
    let (both, has_incoming) = (graph.is_symmetric(), graph.has_incoming());
    let offset = if matches!(graph.out().offsets(), Offsets::Wide(_)) { 8 } else { 4 };
    let weight = if parts.weights { graph.weight_kind().bytes() as u64 } else { 0 };
    let lists = offset * (vertices + 1) + (4 + weight) * edges;
    let ranges = 2 * offset * vertices;

    let mut needs = Needs::default();
    // A symmetric graph has one adjacency for both directions.
    let own = parts.out || (parts.incoming && both);
    needs.add("graph", graph.bytes() as u64, if own { lists } else { 0 });
    if parts.incoming && !both {
        needs.add("in-edges", if has_incoming { 0 } else { graph.out().bytes() as u64 }, lists);
    }
    if renumbered_bytes(module, graph) > 0 {
        // The lists are made on the device, in two arrays; the host has numbers and offsets.
        needs.add("graph under other numbers", 12 * vertices, 2 * lists + 8 * vertices);
    }
    if parts.list.is_some() {
        let bytes = (8 + weight) * edges;
        needs.add("list of edges", bytes, bytes);
    }
    let pairs = u64::from(parts.out_ranges) + u64::from(parts.in_ranges && !(both && parts.out_ranges));
    needs.add("offsets as pairs", pairs * ranges, pairs * ranges);
    let marks = if parts.marked { 4 * edges } else { 0 };
    needs.add("edge classes", marks, marks);
    let vectors = vector_bytes(module, graph);
    needs.add("vectors", vectors, vectors);
    needs.add("sets", 0, kernels.iter().map(|code| set_bytes(code, vertices, edges)).max().unwrap_or(0));
    needs.add(
        "room for balancers",
        0,
        kernels.iter().map(|code| scratch_bytes(code, vertices, edges)).max().unwrap_or(0),
    );
    Ok(needs)
}

/// Ids that a queue of a kernel has room for at least. Sets that may hold a vertex several times take as much of the
/// free memory as is good for them, but make do with room for six times all vertices.
fn capacity(code: &Generated, vertices: u64, edges: u64) -> u64 {
    if code.unbounded { (vertices + edges).min(6 * vertices) } else { vertices }
}

/// Bytes of the sets that a kernel works with.
fn set_bytes(code: &Generated, vertices: u64, edges: u64) -> u64 {
    let capacity = capacity(code, vertices, edges);
    let map = |form: u32, bytes: u64| if code.forms & form != 0 { bytes } else { 0 };
    let one = 4 * capacity + map(BITS, vertices / 8) + map(BYTES, vertices) + map(LEVELS, 4 * vertices);
    u64::from(code.places) * one
}

/// Bytes that a kernel needs for deduplication and to share out work.
fn scratch_bytes(code: &Generated, vertices: u64, edges: u64) -> u64 {
    let bytes = code.inputs.iter().map(|input| match input.source {
        Source::Scratch => 16 * capacity(code, vertices, edges) + edges / 16 + (1 << 18),
        Source::GroupTables(_) => (48 * vertices).max(crate::tuning::GROUP_TABLE_BYTES as u64),
        Source::Counters => 4 * vertices,
        Source::GlobalWords(_) => 8 * vertices,
        Source::SeenMap => vertices + 64,
        Source::VisitedMap(_) => vertices / 8 + 64,
        Source::Queue(_) => 12 * vertices,
        _ => 0,
    });
    bytes.sum()
}
