//! GAPBS serialised graphs `.sg` and `.wsg`: a byte that says directed, edges, vertices, offsets, neighbours (with
//! 32-bit integer weights in `.wsg`), and the same for in-edges when directed. All little-endian, nothing aligned.
//!
//! The graph is taken as it is: loops and parallel edges stay. The format has no checksum, so damage is looked for in
//! the content: offsets ascend, ids are in range, and the out-edges are the mirror of the in-edges, compared by the
//! sum of a hash over all edges.

use std::path::Path;

use rayon::prelude::*;

use super::input::Input;
use super::plan::Plan;
use crate::build::ReadEdges;
use crate::csr::csr;
use crate::progress::Progress;
use crate::stream::{AdjacencyStream, Edges};
use crate::validate::Fingerprint;
use crate::vertex_limit::checked_vertices;
use crate::{Adjacency, Graph, GraphError, Offsets, Result, Weight, WeightKind, Weights, memory};

const HEADER: usize = 17;

/// Reads a `.sg`, or a `.wsg` when `weighted`.
pub(super) fn read(input: Input, path: &Path, weighted: bool, progress: &dyn Progress) -> Result<Graph> {
    let size = input.size();
    let fail = |offset: usize, message: String| GraphError::binary(path, offset as u64, message);
    let header = |bytes: &[u8]| Header::decode(bytes, weighted).map_err(|(at, message)| fail(at, message));
    let bytes = input
        .bytes_by_header(HEADER as u64, |bytes| Ok(u64::try_from(header(bytes)?.file_bytes()).unwrap_or(u64::MAX)))?;
    let header = header(&bytes)?;
    let Header { directed, vertices, edges, direction } = header;
    let wanted = header.file_bytes();
    if wanted != bytes.len() as u128 {
        let held = match bytes.len() as u128 > wanted {
            true => "more".to_owned(),
            false => bytes.len().to_string(),
        };
        let message = format!("{vertices} vertices and {edges} edges take {wanted} bytes, but the file holds {held}");
        return Err(fail(1, message));
    }
    let part = |at: usize| {
        memory::allow(direction as u64, format_args!("the adjacency in {}", path.display()))?;
        let part = Part { bytes: &bytes[at..at + direction as usize], vertices, edges, weighted };
        part.adjacency().map_err(|(offset, message)| fail(at + offset, message))
    };
    let out = part(HEADER)?;
    let graph = if directed {
        let incoming = part(HEADER + direction as usize)?;
        if Fingerprint::of(&out).forward != Fingerprint::of(&incoming).backward {
            let message = "the file is damaged: the in-edges are not those of the out-edges";
            return Err(GraphError::file(path, message));
        }
        Graph::with_incoming(out, incoming)
    } else {
        let fingerprint = Fingerprint::of(&out);
        if fingerprint.forward != fingerprint.backward {
            let message = "the file is damaged: it says undirected, but edges lack their reverse";
            return Err(GraphError::file(path, message));
        }
        Graph::new(out, true)
    };
    progress.advance(size);
    Ok(graph)
}

/// The header, found possible.
#[derive(Clone, Copy)]
struct Header {
    directed: bool,
    vertices: usize,
    edges: usize,
    /// Bytes of one direction.
    direction: u128,
}

impl Header {
    /// The header at the start of a file, or the offset and what is wrong there.
    fn decode(bytes: &[u8], weighted: bool) -> Result<Header, (usize, String)> {
        if bytes.len() < HEADER {
            return Err((bytes.len(), "the file ends inside the header".into()));
        }
        let directed = match bytes[0] {
            0 => false,
            1 => true,
            other => return Err((0, format!("byte {other} is neither 0 (undirected) nor 1 (directed)"))),
        };
        let edges = i64_at(bytes, 1);
        let vertices = i64_at(bytes, 9);
        if edges < 0 {
            return Err((1, format!("{edges} edges are impossible")));
        }
        if vertices < 0 {
            return Err((9, format!("{vertices} vertices are impossible")));
        }
        checked_vertices(vertices as u64).map_err(|error| (9, error.to_string()))?;
        let neighbour = if weighted { 8u128 } else { 4 };
        let direction = 8 * (vertices as u128 + 1) + neighbour * edges as u128;
        Ok(Header { directed, vertices: vertices as usize, edges: edges as usize, direction })
    }

    /// Size of the whole file.
    fn file_bytes(&self) -> u128 {
        HEADER as u128 + self.direction * if self.directed { 2 } else { 1 }
    }
}

fn i64_at(bytes: &[u8], at: usize) -> i64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    i64::from_le_bytes(word)
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    i32::from_le_bytes(word)
}

/// One direction of the graph: exactly as many bytes as its arrays take.
struct Part<'a> {
    bytes: &'a [u8],
    vertices: usize,
    edges: usize,
    weighted: bool,
}

impl Part<'_> {
    /// The adjacency, or the offset in this part and what is wrong there.
    fn adjacency(&self) -> Result<Adjacency, (usize, String)> {
        let (offsets, neighbours) = self.bytes.split_at(8 * (self.vertices + 1));
        let positions: Vec<u64> = offsets.par_chunks_exact(8).map(|word| i64_at(word, 0) as u64).collect();
        if positions[0] != 0 {
            return Err((0, "the first offset is not 0".into()));
        }
        if let Some(v) = positions.par_windows(2).position_any(|pair| pair[0] > pair[1]) {
            return Err((8 * (v + 1), "the offsets do not ascend".into()));
        }
        if positions[self.vertices] != self.edges as u64 {
            return Err((8 * self.vertices, "the last offset is not the number of edges".into()));
        }
        let stride = if self.weighted { 8 } else { 4 };
        let targets: Vec<u32> = neighbours.par_chunks_exact(stride).map(|item| i32_at(item, 0) as u32).collect();
        if let Some(edge) = targets.par_iter().position_any(|&target| target as usize >= self.vertices) {
            let message = format!("neighbour {} is out of range 0..{}", targets[edge] as i32, self.vertices);
            return Err((offsets.len() + stride * edge, message));
        }
        let weights = match self.weighted {
            true => i32::wrap(neighbours.par_chunks_exact(8).map(|item| i32_at(item, 4)).collect()),
            false => Weights::None,
        };
        let adjacency = Adjacency::from_parts(Offsets::from_positions(positions), targets.into(), weights);
        let sorted = (0..self.vertices as u32).into_par_iter().all(|v| adjacency.neighbours(v).is_sorted());
        Ok(if sorted { adjacency } else { adjacency.typed(&Sort) })
    }
}

/// Sorts every list; nothing is merged.
struct Sort;

impl ReadEdges for Sort {
    type Answer = Adjacency;
    fn read<W: Weight>(&self, stream: AdjacencyStream<'_, W>) -> Adjacency {
        csr(Edges::new(stream), false)
    }
}

/// Plans a `.sg`, or a `.wsg` when `weighted`.
pub(super) fn plan<'g>(graph: &'g Graph, path: &Path, weighted: bool) -> Result<Plan<'g>> {
    match graph.weight_kind() {
        WeightKind::Int if !weighted => {
            return Err(GraphError::file(path, "`.sg` holds no weights; write `.wsg`, or drop the weights first"));
        }
        WeightKind::Float | WeightKind::Double => {
            return Err(GraphError::file(path, "GAPBS files hold integer weights only, and these are real"));
        }
        WeightKind::Int64 => {
            let message = "GAPBS files hold weights of 32 bits only, and these have 64; write `.gwg`";
            return Err(GraphError::file(path, message));
        }
        _ => {}
    }
    let directed = !graph.is_symmetric();
    graph.load_incoming()?;
    let mut header = vec![u8::from(directed)];
    header.extend((graph.edges() as i64).to_le_bytes());
    header.extend((graph.vertices() as i64).to_le_bytes());

    const ITEMS: usize = 1 << 17;
    let offset_blocks = (graph.vertices() + 1).div_ceil(ITEMS);
    let edge_blocks = graph.edges().div_ceil(ITEMS);
    let per_direction = offset_blocks + edge_blocks;
    let blocks = 1 + per_direction * if directed { 2 } else { 1 };
    let plan = Plan::new(blocks, move |block, buffer| {
        let Some(block) = block.checked_sub(1) else { return buffer.extend_from_slice(&header) };
        let adjacency = if block < per_direction { graph.out() } else { graph.incoming() };
        let block = block % per_direction;
        let range = |block: usize, total: usize| ITEMS * block..(ITEMS * (block + 1)).min(total);
        if block < offset_blocks {
            for v in range(block, graph.vertices() + 1) {
                buffer.extend((adjacency.offsets().at(v) as i64).to_le_bytes());
            }
            return;
        }
        for edge in range(block - offset_blocks, graph.edges()) {
            buffer.extend(adjacency.targets()[edge].to_le_bytes());
            match adjacency.weights() {
                Weights::Int(weights) => buffer.extend(weights[edge].to_le_bytes()),
                _ if weighted => buffer.extend(1i32.to_le_bytes()),
                _ => {}
            }
        }
    });
    Ok(plan.noting(super::plan::unit_weights_note(graph).filter(|_| weighted)))
}
